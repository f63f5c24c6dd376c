// Tests of pcap files: file headers, records, borders, and input that lies.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/random.h"
#include "cap_maker.h"
#include "guard.h"
#include "random_fill.h"
#include "wire/cap/pcap.h"

#include <stdlib.h>

#define SECONDS_2023 1700000000u
#define NS_2023      INT64_C(1700000000000000000)

static void put_header(struct maker *m, uint32_t magic, uint16_t major, uint16_t minor,
                       uint32_t snaplen, uint32_t link)
{
    put32(m, magic);
    put16(m, major);
    put16(m, minor);
    put32(m, 0);
    put32(m, 0);
    put32(m, snaplen);
    put32(m, link);
}

static void put_record(struct maker *m, uint32_t seconds, uint32_t fraction, uint32_t third,
                       uint32_t fourth)
{
    put32(m, seconds);
    put32(m, fraction);
    put32(m, third);
    put32(m, fourth);
}

static struct pcap opened(uint32_t magic, bool big, uint32_t snaplen)
{
    struct maker m = {.big = big};
    struct pcap f;
    put_header(&m, magic, 2, 4, snaplen, 1);
    assert_int_equal(pcap_open(&f, m.bytes, m.n), PCAP_FILE_HEADER_BYTES);
    return f;
}

static void open_each_magic_in_both_orders(void **state)
{
    (void)state;
    static const struct {
        uint32_t magic;
        uint16_t major, minor;
        bool nanoseconds, lengths_swapped;
        uint8_t record_header;
    } ROWS[] = {
        {0xa1b2c3d4, 2, 4, false, false, 16},   {0xa1b23c4d, 2, 4, true, false, 16},
        {0xa1b2cd34, 2, 4, false, false, 24},   {0xa1b2c3d4, 2, 3, false, true, 16},
        {0xa1b2c3d4, 2, 1, false, true, 16},    {0xa1b2c3d4, 1, 9, false, true, 16},
        {0xa1b2c3d4, 543, 0, false, false, 16},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        for (int big = 0; big < 2; big++) {
            struct maker m = {.big = big};
            put_header(&m, ROWS[i].magic, ROWS[i].major, ROWS[i].minor, 96, 113);
            struct pcap f;
            assert_int_equal(pcap_open(&f, m.bytes, m.n), PCAP_FILE_HEADER_BYTES);
            assert_int_equal(f.swapped, big);
            assert_int_equal(f.nanoseconds, ROWS[i].nanoseconds);
            assert_int_equal(f.lengths_swapped, ROWS[i].lengths_swapped);
            assert_int_equal(f.record_header, ROWS[i].record_header);
            assert_int_equal(f.linktype, 113);
            assert_int_equal(f.snaplen, 96);
            assert_int_equal(f.plain,
                             !big && !ROWS[i].lengths_swapped && ROWS[i].record_header == 16);
        }
    }
}

static void open_check_sequence_bits_leave_the_linktype(void **state)
{
    (void)state;
    struct maker m = {0};
    struct pcap f;
    put_header(&m, 0xa1b2c3d4, 2, 4, 65535, 0x24000001); // frames end with 4 bytes of FCS
    assert_int_equal(pcap_open(&f, m.bytes, m.n), PCAP_FILE_HEADER_BYTES);
    assert_int_equal(f.linktype, 1);
}

static void open_prefix_is_not_yet_and_others_are_refused(void **state)
{
    (void)state;
    struct maker m = {0};
    struct pcap f;
    put_header(&m, 0xa1b2c3d4, 2, 4, 65535, 1);
    for (size_t n = 0; n < m.n; n++) {
        uint8_t *p = guard_copy(m.bytes, n);
        assert_int_equal(pcap_open(&f, p, n), 0);
        guard_free(p, n);
    }
    for (size_t i = 0; i < 4; i++) {
        m.bytes[i] ^= 0xff;
        assert_int_equal(pcap_open(&f, m.bytes, m.n), ERR_NOT_A_CAPTURE);
        assert_int_equal(pcap_open(&f, m.bytes, 4), ERR_NOT_A_CAPTURE);
        m.bytes[i] ^= 0xff;
    }
}

static void next_reads_time_and_lengths_of_each_kind(void **state)
{
    (void)state;
    static const struct {
        uint32_t magic;
        uint16_t minor;
        uint32_t seconds, fraction, third, fourth;
        int64_t time_ns;
        uint32_t captured, length;
    } ROWS[] = {
        {0xa1b2c3d4, 4, SECONDS_2023, 999999, 4, 9, NS_2023 + 999999000, 4, 9},
        {0xa1b23c4d, 4, SECONDS_2023, 999999999, 4, 4, NS_2023 + 999999999, 4, 4},
        {0xa1b2cd34, 4, SECONDS_2023, 1, 4, 4, NS_2023 + 1000, 4, 4},
        {0xa1b2c3d4, 3, SECONDS_2023, 0, 9, 4, NS_2023, 4, 9}, // length first
        {0xa1b2c3d4, 3, SECONDS_2023, 0, 4, 9, NS_2023, 4, 9}, // 2.3 with today's order
        {0xa1b2c3d4, 4, SECONDS_2023, 0, 4, 2, NS_2023, 4, 4}, // captured beyond length
        {0xa1b2c3d4, 4, SECONDS_2023, 0, 0, 0, NS_2023, 0, 0},
        {0xa1b2c3d4, 4, SECONDS_2023, 0, 0, 1500, NS_2023, 0, 1500},
        {0xa1b2c3d4, 4, 0, 0, 4, 4, 0, 4, 4},
        // The last second and a fraction that is none: no overflow.
        {0xa1b2c3d4, 4, UINT32_MAX, UINT32_MAX, 4, 4, INT64_C(4294971589967295000), 4, 4},
        {0xa1b23c4d, 4, UINT32_MAX, UINT32_MAX, 4, 4, INT64_C(4294967299294967295), 4, 4},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        for (int big = 0; big < 2; big++) {
            struct maker m = {.big = big};
            struct pcap f;
            put_header(&m, ROWS[i].magic, 2, ROWS[i].minor, 65535, 1);
            assert_int_equal(pcap_open(&f, m.bytes, m.n), PCAP_FILE_HEADER_BYTES);
            m.n = 0;
            put_record(&m, ROWS[i].seconds, ROWS[i].fraction, ROWS[i].third, ROWS[i].fourth);
            m.n = f.record_header + ROWS[i].captured;
            struct cap_record r;
            uint64_t size;
            assert_int_equal(pcap_next(&f, m.bytes, m.n, &r, &size), CAP_RECORD);
            assert_int_equal(size, m.n);
            assert_true(r.time_ns == ROWS[i].time_ns);
            assert_true(r.has_time);
            assert_int_equal(r.captured, ROWS[i].captured);
            assert_int_equal(r.length, ROWS[i].length);
            assert_ptr_equal(r.bytes, m.bytes + f.record_header);
            assert_int_equal(r.linktype, 1);
        }
    }
}

static void next_prefix_asks_for_what_is_missing(void **state)
{
    (void)state;
    struct maker m = {0};
    struct pcap f = opened(0xa1b2c3d4, false, 65535);
    put_record(&m, SECONDS_2023, 0, 10, 10);
    m.n += 10;
    for (size_t n = 0; n < m.n; n++) {
        uint8_t *p = guard_copy(m.bytes, n);
        struct cap_record r;
        uint64_t size;
        assert_int_equal(pcap_next(&f, p, n, &r, &size), CAP_MORE);
        assert_int_equal(size, n < 16 ? 16 : 26);
        guard_free(p, n);
    }
}

static void next_huge_captured_is_kept_in_part_or_broken(void **state)
{
    (void)state;
    static const struct {
        uint32_t snaplen, captured;
        enum cap_step step;
    } ROWS[] = {
        {65535, CAP_SNAPLEN_MAX, CAP_RECORD}, // beyond snaplen, but writers do that
        {65535, CAP_SNAPLEN_MAX + 1, CAP_BROKEN}, {0, CAP_SNAPLEN_MAX + 1, CAP_BROKEN},
        {1u << 30, 1u << 30, CAP_RECORD},         {1u << 30, (1u << 30) + 1, CAP_BROKEN},
        {UINT32_MAX, 0x7fffffff, CAP_RECORD},     {UINT32_MAX, 0x80000000, CAP_BROKEN},
        {UINT32_MAX, UINT32_MAX, CAP_BROKEN},
    };
    uint8_t *bytes = calloc(1, 16 + CAP_SNAPLEN_MAX);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct pcap f = opened(0xa1b2c3d4, false, ROWS[i].snaplen);
        struct maker m = {0};
        put_record(&m, SECONDS_2023, 0, ROWS[i].captured, ROWS[i].captured);
        memcpy(bytes, m.bytes, 16);
        struct cap_record r;
        uint64_t size;
        assert_int_equal(pcap_next(&f, bytes, 16 + CAP_SNAPLEN_MAX, &r, &size), ROWS[i].step);
        if (ROWS[i].step == CAP_RECORD) {
            assert_int_equal(r.captured, CAP_SNAPLEN_MAX);
            assert_int_equal(r.length, ROWS[i].captured);
            assert_true(size == UINT64_C(16) + ROWS[i].captured);
            // One byte less: the buffer has to grow, but never beyond what is looked at.
            assert_int_equal(pcap_next(&f, bytes, 15 + CAP_SNAPLEN_MAX, &r, &size), CAP_MORE);
            assert_int_equal(size, 16 + CAP_SNAPLEN_MAX);
        }
    }
    free(bytes);
}

static void next_short_way_equals_the_plain_one(void **state)
{
    (void)state;
    struct random random;
    random_seeded(&random, 1);
    for (int i = 0; i < 200000; i++) {
        struct pcap f = opened(i & 1 ? 0xa1b23c4d : 0xa1b2c3d4, false, 65535);
        uint8_t bytes[64];
        random_fill(&random, bytes, sizeof bytes);
        bytes[9] &= (uint8_t)(i >> 1); // lengths that fit now and then
        memset(bytes + 10, 0, 2);
        bytes[8] &= 63;
        size_t n = random_below(&random, sizeof bytes + 1);
        struct cap_record a = {0}, b = {0};
        uint64_t size_a = 0, size_b = 0;
        assert_int_equal(pcap_next(&f, bytes, n, &a, &size_a),
                         pcap_next_any(&f, bytes, n, &b, &size_b));
        assert_true(a.time_ns == b.time_ns && a.bytes == b.bytes && a.captured == b.captured &&
                    a.length == b.length && a.linktype == b.linktype && a.has_time == b.has_time &&
                    size_a == size_b);
    }
}

static void plausible_knows_headers_from_other_bytes(void **state)
{
    (void)state;
    static const struct {
        uint32_t seconds, fraction, captured, length;
        bool plausible;
    } ROWS[] = {
        {SECONDS_2023, 0, 60, 60, true},
        {SECONDS_2023 + 30 * 86400, 0, 60, 60, true},
        {SECONDS_2023 + 30 * 86400 + 1, 0, 60, 60, false},
        {SECONDS_2023 - 30 * 86400 - 1, 0, 60, 60, false},
        {SECONDS_2023, 999999, 96, 1500, true},
        {SECONDS_2023, 1000000, 60, 60, false},
        {SECONDS_2023, 0, CAP_SNAPLEN_MAX + 1, CAP_SNAPLEN_MAX + 1, false},
        {SECONDS_2023, 0, 60, 0x10000000, false},
        {0, 0, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        for (int big = 0; big < 2; big++) {
            struct pcap f = opened(0xa1b2c3d4, big, 65535);
            struct maker m = {.big = big};
            put_record(&m, ROWS[i].seconds, ROWS[i].fraction, ROWS[i].captured, ROWS[i].length);
            assert_int_equal(pcap_plausible(&f, m.bytes, 16, NS_2023), ROWS[i].plausible);
            assert_false(pcap_plausible(&f, m.bytes, 15, NS_2023));
        }
    }
}

// Walks a whole file that ends at an unmapped page; returns the records.
static int walk(const uint8_t *bytes, size_t n)
{
    uint8_t *p = guard_copy(bytes, n);
    struct pcap f;
    int records = 0;
    if (pcap_open(&f, p, n) > 0) {
        size_t at = PCAP_FILE_HEADER_BYTES;
        struct cap_record r;
        uint64_t size;
        while (at < n && pcap_next(&f, p + at, n - at, &r, &size) == CAP_RECORD) {
            assert_true(r.bytes >= p + at && r.captured <= (size_t)(p + n - r.bytes));
            assert_true(r.length >= r.captured && size >= f.record_header);
            pcap_plausible(&f, p + at, n - at, NS_2023);
            records++;
            if (size > n - at) {
                break;
            }
            at += size;
        }
    }
    guard_free(p, n);
    return records;
}

static void walk_every_prefix_and_every_changed_byte_stays_inside(void **state)
{
    (void)state;
    static const uint32_t MAGICS[] = {0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34};
    for (size_t k = 0; k < 3; k++) {
        struct maker m = {.big = k == 1};
        put_header(&m, MAGICS[k], 2, 4, 65535, 1);
        for (uint32_t i = 0; i < 3; i++) {
            put_record(&m, SECONDS_2023 + i, i, 8 * i, 8 * i);
            m.n += (k == 2 ? 8 : 0) + 8 * i;
        }
        assert_int_equal(walk(m.bytes, m.n), 3);
        for (size_t n = 0; n < m.n; n++) {
            walk(m.bytes, n);
        }
        for (size_t i = 0; i < m.n; i++) {
            static const uint8_t CHANGES[] = {0x01, 0x7f, 0x80, 0xff};
            for (size_t c = 0; c < 4; c++) {
                m.bytes[i] ^= CHANGES[c];
                walk(m.bytes, m.n);
                m.bytes[i] ^= CHANGES[c];
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_each_magic_in_both_orders),
        cmocka_unit_test(open_check_sequence_bits_leave_the_linktype),
        cmocka_unit_test(open_prefix_is_not_yet_and_others_are_refused),
        cmocka_unit_test(next_reads_time_and_lengths_of_each_kind),
        cmocka_unit_test(next_prefix_asks_for_what_is_missing),
        cmocka_unit_test(next_huge_captured_is_kept_in_part_or_broken),
        cmocka_unit_test(next_short_way_equals_the_plain_one),
        cmocka_unit_test(plausible_knows_headers_from_other_bytes),
        cmocka_unit_test(walk_every_prefix_and_every_changed_byte_stays_inside),
    };
    return cmocka_run_group_tests_name("cap_pcap", tests, NULL, NULL);
}
