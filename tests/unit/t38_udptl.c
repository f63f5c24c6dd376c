// Tests of UDPTL packets: every part in every form before an unmapped page, what is none, cut ones,
// names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "hex.h"
#include "random_fill.h"
#include "udptl_inside.h"

static bool read_guarded(struct udptl *u, const uint8_t *bytes, uint32_t n, uint32_t length)
{
    uint8_t *p = guard_copy(bytes, n);
    bool ok = udptl_check(u, p, n, length);
    guard_free(p, n);
    return ok;
}

struct packet_case {
    const char *bytes;
    uint16_t sequence, primary_n;
    bool is_data;
    uint8_t type, recovery, count, span;
};

enum {
    NONE = UDPTL_NO_RECOVERY,
    RED = UDPTL_REDUNDANCY,
    FEC = UDPTL_FEC
};

static const struct packet_case PACKETS[] = {
    {"0000 01 00 00 00", 0, 1, false, 0, NONE, 0, 0},
    {"1234 01 02 00 00", 0x1234, 1, false, 1, NONE, 0, 0}, // cng
    {"ffff 01 1e 00 00", 0xffff, 1, false, 15, NONE, 0, 0},
    {"0001 02 2000 00 00", 1, 2, false, 16, NONE, 0, 0}, // v8-ansam
    {"0001 02 20c0 00 00", 1, 2, false, 19, NONE, 0, 0}, // v34-pri-channel
    {"0001 02 2180 00 00", 1, 2, false, 22, NONE, 0, 0}, // v33-14400-training
    // Data: without a field, with a list of none, with fields with and without octets.
    {"0001 01 40 00 00", 1, 1, true, 0, NONE, 0, 0},
    {"0001 02 c000 00 00", 1, 2, true, 0, NONE, 0, 0},
    {"0004 06 c001800000ff 00 00", 4, 6, true, 0, NONE, 0, 0},
    {"0004 09 d001e0000201020300 00 00", 0, 0, false, 0, 0, 0, 0}, // a byte too many inside
    {"0004 08 d001e00002010203 00 00", 4, 8, true, 8, NONE, 0, 0},
    {"0004 03 c00170 00 00", 4, 3, true, 0, NONE, 0, 0},           // t4-non-ecm-sig-end alone
    {"0004 03 c00221 00 00", 4, 3, true, 0, NONE, 0, 0},           // two fields in a byte (1998)
    {"0004 04 c0021080 00 00", 4, 4, true, 0, NONE, 0, 0},         // with a bit more each (2002)
    {"0004 08 c0028000 00ff 1000 00 00", 0, 0, false, 0, 0, 0, 0}, // the last octet is nobody's
    {"0004 07 c0028000 00ff 10 00 00", 4, 7, true, 0, NONE, 0, 0},
    {"0004 04 c0014000 00 00", 4, 4, true, 0, NONE, 0, 0}, // cm-message
    {"0004 03 6000 40 00 00", 0, 0, false, 0, 0, 0, 0},    // v8 with a byte more
    {"0004 02 6000 00 00", 4, 2, true, 9, NONE, 0, 0},     // v8
    // Redundancy.
    {"0005 01 02 00 01 01 02", 5, 1, false, 1, RED, 1, 0},
    {"0005 01 02 00 03 01 02 01 04 06 c001800000ff", 5, 1, false, 1, RED, 3, 0},
    {"0005 01 02 00 03 01 02 00 01 02", 5, 1, false, 1, RED, 1,
     0}, // behind an empty one: not counted
    {"0005 01 02 00 02 00 00", 5, 1, false, 1, RED, 0, 0},
    // Forward error correction.
    {"0006 01 02 80 01 03 02 01 02 02 0102", 6, 1, false, 1, FEC, 2, 3},
    {"0006 01 02 80 01 03 00", 6, 1, false, 1, NONE, 0, 3},
    {"0006 01 02 80 01 7f 01 00", 6, 1, false, 1, FEC, 1, 127},
};

static void udptl_packet_in_every_form_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PACKETS / sizeof *PACKETS; i++) {
        const struct packet_case *want = &PACKETS[i];
        struct hex_bytes b = hex(want->bytes);
        struct udptl u;
        bool ok = read_guarded(&u, b.p, b.n, b.n);
        if (ok != (want->primary_n > 0)) {
            print_error("%s\n", want->bytes);
        }
        assert_int_equal(ok, want->primary_n > 0);
        if (ok) {
            assert_int_equal(u.sequence, want->sequence);
            assert_int_equal(u.primary_n, want->primary_n);
            assert_int_equal(u.is_data, want->is_data);
            assert_int_equal(u.type, want->type);
            assert_int_equal(u.recovery, want->recovery);
            assert_int_equal(u.count, want->count);
            assert_int_equal(u.span, want->span);
            assert_false(u.is_cut);
        }
    }
}

static void udptl_that_does_not_fit_is_none(void **state)
{
    (void)state;
    static const char *const NONES[] = {
        "",
        "0000",
        "0000 01 00 00",                // no list
        "0000 00 00 00 00",             // an empty primary
        "0000 01 01 00 00",             // a bit in the padding
        "0000 01 80 00 00",             // an indicator that promises data
        "0000 01 2000 00",              // half of an indicator above the root
        "0000 02 2200 00 00",           // one that does not exist
        "0000 02 3000 00 00",           // a number that is not small
        "0000 01 52 00 00",             // data type 9, above the root without saying so
        "0000 01 c0 00 00",             // data without its count
        "0000 06 c001800001ff 00 00",   // a field longer than its packet
        "0000 04 c0017c00 00 00",       // a field type that does not exist
        "0000 c1 00 00 00",             // a length in fragments
        "0000 01 00 01 00",             // bits between choice and list
        "0000 01 00 00 c1 00",          // a list in fragments
        "0000 01 00 00 01",             // a secondary that is not there
        "0000 01 00 00 01 01 01",       // one that is no IFP packet
        "0000 01 00 00 00 00",          // a byte behind the end
        "0000 01 00 80 02 0003 00",     // a span of two bytes
        "0000 01 00 80 01 80 00",       // a negative one
        "0000 01 00 80 01 03 02 01 02", // parity that is not there
    };
    for (size_t i = 0; i < sizeof NONES / sizeof *NONES; i++) {
        struct hex_bytes b = hex(NONES[i]);
        struct udptl u = {.sequence = 7};
        if (read_guarded(&u, b.p, b.n, b.n)) {
            print_error("%s\n", NONES[i]);
            fail();
        }
        assert_int_equal(u.sequence, 7); // untouched
    }
}

static void udptl_long_lengths_are_two_bytes(void **state)
{
    (void)state;
    uint8_t p[2000] = {0, 9,    0x81, 0x2d, 0xd0,
                       1, 0xe0, 0x01, 0x27}; // 301 bytes, 296 of them octets
    struct udptl u;
    uint32_t n = 4 + 301;
    p[n++] = 0;
    p[n++] = 0x80; // a list of 130
    p[n++] = 130;
    for (int i = 0; i < 130; i++) {
        p[n++] = 1;
        p[n++] = 2;
    }
    assert_true(read_guarded(&u, p, n, n));
    assert_int_equal(u.primary_n, 301);
    assert_int_equal(u.count, 130);
    p[4 + 301 + 2] = 131;
    assert_false(read_guarded(&u, p, n, n));
}

static void udptl_count_ends_at_255(void **state)
{
    (void)state;
    uint8_t p[2000] = {0, 9, 1, 2, 0, 0x81, 0x2c}; // 300
    uint32_t n = 7;
    for (int i = 0; i < 300; i++) {
        p[n++] = 1;
        p[n++] = 2;
    }
    struct udptl u;
    assert_true(read_guarded(&u, p, n, n));
    assert_int_equal(u.count, 255);
}

// Cut where the capture ends: what is there has to fit, the rest is not known.
static void udptl_cut_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    struct hex_bytes b = hex("0005 08 d001e00002010203 00 02 01 02 01 04");
    for (uint32_t n = 0; n < b.n; n++) {
        struct udptl u;
        bool ok = read_guarded(&u, b.p, n, b.n);
        assert_int_equal(ok, n >= 4);
        if (ok) {
            assert_true(u.is_cut && u.is_data);
            assert_int_equal(u.type, 8);
            assert_int_equal(u.count, 0);
        }
        assert_false(read_guarded(&u, b.p, n, n)); // as a whole packet it is none
    }
    struct udptl u;
    assert_false(read_guarded(&u, b.p, 8, 9)); // the primary would end behind the packet
}

static void udptl_single_byte_changes_are_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PACKETS / sizeof *PACKETS; i++) {
        struct hex_bytes b = hex(PACKETS[i].bytes);
        for (uint32_t at = 0; at < b.n; at++) {
            uint8_t before = b.p[at];
            for (int value = 0; value < 256; value++) {
                struct udptl u;
                b.p[at] = (uint8_t)value;
                read_guarded(&u, b.p, b.n, b.n);
                read_guarded(&u, b.p, b.n, b.n + 5);
            }
            b.p[at] = before;
        }
    }
}

static void udptl_random_bytes_are_hardly_ever_one(void **state)
{
    (void)state;
    struct random rng;
    uint8_t p[64];
    unsigned found = 0;
    random_seeded(&rng, 38);
    for (int i = 0; i < 200000; i++) {
        uint32_t n = 6 + (uint32_t)random_below(&rng, sizeof p - 6);
        struct udptl u;
        random_fill(&rng, p, n);
        found += udptl_check(&u, p, n, n);
    }
    assert_true(found < 20);
}

static void udptl_summary_has_all_that_it_promises(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PACKETS / sizeof *PACKETS; i++) {
        struct hex_bytes b = hex(PACKETS[i].bytes);
        struct udptl u, again;
        if (udptl_read(&u, b.p, b.n, b.n)) {
            udptl_unpack(&again, udptl_pack(&u));
            assert_true(again.is_data == u.is_data && again.type == u.type);
            assert_true(again.recovery == u.recovery && again.count == u.count);
            assert_int_equal(again.span, u.span);
        }
    }
}

static void udptl_names_are_those_of_table_2(void **state)
{
    (void)state;
    assert_string_equal(udptl_indicator_name(0), "no-signal");
    assert_string_equal(udptl_indicator_name(2), "ced");
    assert_string_equal(udptl_indicator_name(15), "v17-14400-long-training");
    assert_string_equal(udptl_indicator_name(16), "v8-ansam");
    assert_string_equal(udptl_indicator_name(22), "v33-14400-training");
    assert_null(udptl_indicator_name(23));
    assert_string_equal(udptl_data_name(0), "v21");
    assert_string_equal(udptl_data_name(8), "v17-14400");
    assert_string_equal(udptl_data_name(14), "v33-14400");
    assert_null(udptl_data_name(15));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(udptl_packet_in_every_form_is_read),
        cmocka_unit_test(udptl_that_does_not_fit_is_none),
        cmocka_unit_test(udptl_long_lengths_are_two_bytes),
        cmocka_unit_test(udptl_count_ends_at_255),
        cmocka_unit_test(udptl_cut_is_read_as_far_as_it_goes),
        cmocka_unit_test(udptl_single_byte_changes_are_read_or_refused),
        cmocka_unit_test(udptl_random_bytes_are_hardly_ever_one),
        cmocka_unit_test(udptl_summary_has_all_that_it_promises),
        cmocka_unit_test(udptl_names_are_those_of_table_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
