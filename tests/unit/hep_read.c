// Tests of HEP envelopes: every chunk, any order, lengths that lie, the headers of versions 1 and
// 2, every prefix before an unmapped page.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "hep_maker.h"
#include "sip_inside.h"
#include "slice_assert.h"
#include "wire/hep/hep.h"

static const uint8_t SRC6[16] = {0x20, 1, 0x0d, 0xb8, [15] = 0x10};
static const uint8_t DST6[16] = {0x20, 1, 0x0d, 0xb8, [15] = 0x20};

static void assert_endpoint(struct endpoint e, const char *text)
{
    char have[ENDPOINT_TEXT_BYTES];
    endpoint_text(e, have);
    assert_string_equal(have, text);
}

static void assert_usual(const struct hep *h)
{
    assert_int_equal(h->version, 3);
    assert_int_equal(h->protocol, 17);
    assert_int_equal(h->type, HEP_SIP);
    assert_int_equal(h->agent, 2001);
    assert_int_equal(h->oddities, 0);
    assert_true(h->has_time && !h->is_compressed);
    assert_true(h->time_ns == INT64_C(1700000000123456000));
    assert_endpoint(h->src, "192.0.2.10:5060");
    assert_endpoint(h->dst, "192.0.2.20:5070");
    assert_slice(h->payload, SIP_TEXT);
    assert_slice(h->correlation_id, "call@x");
    assert_slice(h->node, "node7");
}

// Reads from memory that ends at an unmapped page; slices of *h point into what is given.
static bool read_bytes(struct hep *h, const struct bytes *b)
{
    uint8_t *p = guard_copy(b->p, b->n);
    bool is_hep = hep_read(h, p, b->n);
    guard_free(p, b->n);
    return hep_read(h, b->p, b->n) == is_hep && is_hep;
}

static void hep_chunks_in_any_order_say_the_same(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("orders", 1));
    for (size_t round = 0; round < 500; round++) {
        uint8_t order[USUAL_CHUNKS];
        struct bytes b = {0};
        struct hep h;
        hep_begin(&b);
        for (size_t i = 0; i < USUAL_CHUNKS; i++) {
            size_t at = round == 0 ? i : (size_t)random_below(&rng, i + 1);
            order[i] = order[at];
            order[at] = (uint8_t)i;
        }
        for (size_t i = 0; i < USUAL_CHUNKS; i++) {
            hep_usual_chunk(&b, order[i]);
            if (round % 3 == 1) {
                hep_chunk_of(&b, 3, 0x0f, "of another vendor", 17);
                hep_chunk_u(&b, (uint16_t)(0x14 + round), 1, 1);
            }
        }
        hep_settle(&b);
        assert_true(read_bytes(&h, &b));
        assert_usual(&h);
        bytes_free(&b);
    }
}

static void hep_repeated_chunk_first_counts(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct hep h;
    hep_begin(&b);
    for (size_t i = 0; i < USUAL_CHUNKS; i++) {
        hep_usual_chunk(&b, i);
    }
    for (uint16_t type = 1; type <= 0x13; type++) {
        size_t n = type == 3 || type == 4 ? 4 : type == 5 || type == 6 ? 16 : 1;
        hep_chunk(&b, type, "0123456789abcdef", n);
    }
    hep_settle(&b);
    assert_true(read_bytes(&h, &b));
    assert_usual(&h);
    bytes_free(&b);
}

static void hep_ipv6_chunks_give_the_endpoints(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct hep h;
    hep_begin(&b);
    hep_chunk(&b, 0x05, SRC6, 16);
    hep_chunk(&b, 0x06, DST6, 16);
    hep_chunk_u(&b, 0x07, 1, 2);
    hep_settle(&b);
    assert_true(read_bytes(&h, &b));
    assert_endpoint(h.src, "[2001:db8::10]:1");
    assert_endpoint(h.dst, "[2001:db8::20]:0");
    assert_false(h.has_time);
    assert_int_equal(h.payload.n, 0);
    bytes_free(&b);
}

static void hep_compressed_payload_is_told(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct hep h;
    hep_begin(&b);
    hep_chunk(&b, 0x10, "zzz", 3);
    hep_chunk(&b, 0x0f, "plain", 5);
    hep_settle(&b);
    assert_true(read_bytes(&h, &b));
    assert_true(h.is_compressed);
    assert_slice(h.payload, "zzz");
    assert_int_equal(h.oddities, 0);
    bytes_free(&b);
}

static void hep_time_at_its_limits_does_not_overflow(void **state)
{
    (void)state;
    static const struct {
        uint64_t seconds, micros;
        size_t widths[2];
        bool has_time, is_odd;
        int64_t time_ns;
    } ROWS[] = {
        {UINT32_MAX,
         UINT32_MAX,
         {4, 4},
         true,
         false,
         INT64_C(4294967295) * 1000000000 + INT64_C(4294967295) * 1000},
        {1, 1500000, {4, 4}, true, false, INT64_C(2500000000)}, // it is added
        {1700000000, 5, {8, 8}, true, false, INT64_C(1700000000000005000)},
        {UINT64_MAX, 5, {8, 4}, false, true, 0},
        {1, UINT64_MAX, {4, 8}, true, true, 1000000000},
        {0, 5, {4, 4}, false, false, 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct bytes b = {0};
        struct hep h;
        hep_begin(&b);
        hep_chunk_u(&b, 0x0a, ROWS[i].micros, ROWS[i].widths[1]);
        hep_chunk_u(&b, 0x09, ROWS[i].seconds, ROWS[i].widths[0]);
        hep_settle(&b);
        assert_true(read_bytes(&h, &b));
        assert_int_equal(h.has_time, ROWS[i].has_time);
        assert_true(h.time_ns == ROWS[i].time_ns);
        assert_int_equal(h.oddities, ROWS[i].is_odd ? HEP_ODD_LENGTH : 0);
        bytes_free(&b);
    }
}

static void hep_contents_of_a_wrong_length_are_passed_over(void **state)
{
    (void)state;
    static const struct {
        uint16_t type;
        size_t n;
    } ROWS[] = {{2, 0}, {2, 2}, {3, 3}, {4, 16}, {5, 4},  {6, 15},
                {7, 3}, {8, 0}, {9, 9}, {10, 0}, {11, 2}, {12, 5}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct bytes b = {0};
        struct hep h;
        hep_begin(&b);
        hep_chunk(&b, ROWS[i].type,
                  "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", ROWS[i].n);
        for (size_t j = 0; j < USUAL_CHUNKS; j++) {
            hep_usual_chunk(&b, j);
        }
        hep_settle(&b);
        assert_true(read_bytes(&h, &b));
        assert_int_equal(h.oddities, HEP_ODD_LENGTH);
        h.oddities = 0;
        assert_usual(&h);
        bytes_free(&b);
    }
}

static void hep_total_length_that_lies_is_odd(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct hep h;
    hep_usual_envelope(&b);
    for (size_t total = 0; total < b.n + 20; total++) {
        put_be16(b.p + 4, (uint16_t)total);
        assert_true(read_bytes(&h, &b));
        assert_int_equal(h.oddities, total == b.n ? 0 : HEP_ODD_LENGTH);
        assert_true(slice_is_inside(h.payload, (const char *)b.p, total < b.n ? total : b.n));
        if (total >= b.n) {
            h.oddities = 0;
            assert_usual(&h);
        }
    }
    put_be16(b.p + 4, 6 + 7 + 7); // the rest is ignored
    assert_true(read_bytes(&h, &b));
    assert_int_equal(h.protocol, 17);
    assert_true(address_is_zero(h.src.addr));
    bytes_free(&b);
}

static void hep_chunk_length_that_lies_ends_reading(void **state)
{
    (void)state;
    static const uint16_t LIES[] = {0, 1, 5, 200, 65535};
    for (size_t i = 0; i < sizeof LIES / sizeof *LIES; i++) {
        struct bytes b = {0};
        struct hep h;
        hep_begin(&b);
        hep_chunk_u(&b, 0x02, 17, 1);
        size_t at = b.n;
        hep_chunk_u(&b, 0x09, 1700000000, 4);
        hep_chunk_u(&b, 0x0b, 1, 1);
        hep_settle(&b);
        put_be16(b.p + at + 4, LIES[i]);
        assert_true(read_bytes(&h, &b));
        assert_int_equal(h.oddities, HEP_ODD_LENGTH);
        assert_int_equal(h.protocol, 17); // stands before it
        assert_false(h.has_time);
        assert_int_equal(h.type, 0);
        bytes_free(&b);
    }
}

static void hep_payload_beyond_the_end_is_used_as_far_as_it_goes(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct hep h;
    hep_begin(&b);
    hep_chunk(&b, 0x0f, SIP_TEXT, sizeof SIP_TEXT - 1);
    hep_settle(&b);
    put_be16(b.p + 10, 5000);
    assert_true(read_bytes(&h, &b));
    assert_slice(h.payload, SIP_TEXT);
    assert_int_equal(h.oddities, HEP_ODD_LENGTH);
    b.n -= 4; // cut by the capture
    assert_true(read_bytes(&h, &b));
    assert_int_equal(h.payload.n, sizeof SIP_TEXT - 1 - 4);
    bytes_free(&b);
}

static void hep_prefixes_and_changes_stay_inside(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct hep h;
    hep_usual_envelope(&b);
    for (size_t n = 0; n <= b.n; n++) {
        uint8_t *p = guard_copy(b.p, n);
        bool is_hep = hep_read(&h, p, n);
        assert_int_equal(is_hep, n >= 6);
        if (is_hep) {
            assert_true(slice_is_inside(h.payload, (char *)p, n));
            assert_true(slice_is_inside(h.correlation_id, (char *)p, n));
            assert_true(slice_is_inside(h.node, (char *)p, n));
        }
        guard_free(p, n);
    }
    struct random rng;
    random_init(&rng, capture_seed("changes", 2));
    uint8_t *p = guard_copy(b.p, b.n);
    for (size_t round = 0; round < 20000; round++) {
        size_t at = (size_t)random_below(&rng, b.n);
        p[at] = (uint8_t)random_u64(&rng);
        if (hep_read(&h, p, b.n)) {
            assert_true(slice_is_inside(h.payload, (char *)p, b.n));
            assert_true(slice_is_inside(h.node, (char *)p, b.n));
        }
        if (round % 8 == 7) {
            memcpy(p, b.p, b.n);
        }
    }
    guard_free(p, b.n);
    bytes_free(&b);
}

static void hep_stream_length_tells_envelopes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        int64_t length;
    } ROWS[] = {
        {"", 0, 0},          {"H", 1, 0},          {"HEP3", 4, 0},
        {"HEP3\1", 5, 0},    {"HEP3\1\2", 6, 258}, {"HEP3\xff\xff...", 9, 65535},
        {"HEP3\0\6", 6, 6},  {"HEP3\0\5", 6, -1}, // it could not go on
        {"HEP2", 4, -1},     {"X", 1, -1},         {"HX", 2, -1},
        {"HTTP/1.1", 8, -1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        uint8_t *p = guard_copy(ROWS[i].bytes, ROWS[i].n);
        assert_int_equal(hep_stream_length(p, ROWS[i].n), ROWS[i].length);
        guard_free(p, ROWS[i].n);
    }
    assert_int_equal(hep_stream_length(NULL, 0), 0);
}

// --- versions 1 and 2 ---

struct old {
    uint8_t version, length, family, protocol;
    bool is_big;
    uint32_t seconds, micros;
    uint16_t agent;
    const char *payload;
};

static void old_bytes(struct bytes *b, const struct old *o)
{
    b->n = 0;
    bytes_put(b, (uint8_t[]){o->version, o->length, o->family, o->protocol}, 4);
    bytes_put(b, "\x13\xc4\x13\xce", 4);
    if (o->family == 10) {
        bytes_put(b, SRC6, 16);
        bytes_put(b, DST6, 16);
    } else {
        bytes_put(b, "\xc0\0\2\x0a\xc0\0\2\x14", 8);
    }
    if (o->version == 2) {
        bytes_put32(b, o->seconds, o->is_big);
        bytes_put32(b, o->micros, o->is_big);
        uint8_t agent[4] = {(uint8_t)o->agent, (uint8_t)(o->agent >> 8), 0x5a, 0xa5};
        if (o->is_big) {
            put_be16(agent, o->agent);
        }
        bytes_put(b, agent, 4);
    }
    bytes_put(b, o->payload, strlen(o->payload));
}

static const struct old OLD_GOOD[] = {
    {1, 16, 2, 17, false, 0, 0, 0, SIP_TEXT},
    {1, 40, 10, 6, false, 0, 0, 0, SIP_TEXT},
    {1, 16, 2, 22, false, 0, 0, 0, "SIP/2.0 200 OK\r\n\r\n"},
    {2, 16, 2, 17, false, 1700000000, 999999, 77, SIP_TEXT},
    {2, 28, 2, 17, false, 1700000000, 0, 77, SIP_TEXT},
    {2, 40, 10, 132, false, 1700000000, 5, 300, SIP_TEXT},
    {2, 52, 10, 50, true, 1700000000, 5, 300, "SIP/2.0 100 Trying\r\n\r\n"},
    {2, 16, 2, 17, true, 1700000000, 123456, 300, SIP_TEXT},
};

static void hep_versions_1_and_2_give_the_same_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof OLD_GOOD / sizeof *OLD_GOOD; i++) {
        const struct old *o = &OLD_GOOD[i];
        struct bytes b = {0};
        struct hep h;
        old_bytes(&b, o);
        assert_true(read_bytes(&h, &b));
        assert_int_equal(h.version, o->version);
        assert_int_equal(h.protocol, o->protocol);
        assert_int_equal(h.type, HEP_SIP);
        assert_int_equal(h.agent, o->agent);
        assert_int_equal(h.oddities, 0);
        assert_endpoint(h.src, o->family == 2 ? "192.0.2.10:5060" : "[2001:db8::10]:5060");
        assert_endpoint(h.dst, o->family == 2 ? "192.0.2.20:5070" : "[2001:db8::20]:5070");
        assert_slice(h.payload, o->payload);
        assert_int_equal(h.has_time, o->version == 2);
        assert_true(h.time_ns == INT64_C(1000000000) * o->seconds + INT64_C(1000) * o->micros);
        bytes_free(&b);
    }
}

static void hep_version_2_time_that_cannot_be_is_none(void **state)
{
    (void)state;
    static const uint32_t TIMES[][2] = {{0, 0}, {12345, 5}, {0xffffffff, 0}, {1700000000, 1000000}};
    for (size_t i = 0; i < 4; i++) {
        struct bytes b = {0};
        struct hep h;
        old_bytes(&b, &(struct old){2, 16, 2, 17, false, TIMES[i][0], TIMES[i][1], 9, SIP_TEXT});
        assert_true(read_bytes(&h, &b));
        assert_false(h.has_time);
        assert_true(h.time_ns == 0);
        assert_int_equal(h.agent, 9);
        bytes_free(&b);
    }
}

static void hep_versions_1_and_2_need_every_field_to_fit(void **state)
{
    (void)state;
    static const struct old BAD[] = {
        {1, 15, 2, 17, false, 0, 0, 0, SIP_TEXT},
        {1, 40, 2, 17, false, 0, 0, 0, SIP_TEXT},
        {1, 28, 2, 17, false, 0, 0, 0, SIP_TEXT},
        {1, 16, 3, 17, false, 0, 0, 0, SIP_TEXT},
        {1, 16, 2, 1, false, 0, 0, 0, SIP_TEXT},
        {1, 16, 10, 17, false, 0, 0, 0, SIP_TEXT},
        {3, 16, 2, 17, false, 0, 0, 0, SIP_TEXT},
        {0, 16, 2, 17, false, 0, 0, 0, SIP_TEXT},
        {1, 16, 2, 17, false, 0, 0, 0, "GET / HTTP/1.1\r\n\r\n"},
        {1, 16, 2, 17, false, 0, 0, 0, ""},
        {2, 16, 2, 17, false, 1700000000, 0, 0, "\x80\1\2\3"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct bytes b = {0};
        struct hep h;
        old_bytes(&b, &BAD[i]);
        assert_false(read_bytes(&h, &b));
        bytes_free(&b);
    }
}

static void hep_old_prefixes_stay_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof OLD_GOOD / sizeof *OLD_GOOD; i++) {
        struct bytes b = {0};
        struct hep h;
        old_bytes(&b, &OLD_GOOD[i]);
        for (size_t n = 0; n < b.n; n++) {
            uint8_t *p = guard_copy(b.p, n);
            if (hep_read(&h, p, n)) {
                assert_true(h.payload.n > 0);
                assert_true(h.payload.p + h.payload.n == (char *)p + n);
            }
            guard_free(p, n);
        }
        bytes_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hep_chunks_in_any_order_say_the_same),
        cmocka_unit_test(hep_repeated_chunk_first_counts),
        cmocka_unit_test(hep_ipv6_chunks_give_the_endpoints),
        cmocka_unit_test(hep_compressed_payload_is_told),
        cmocka_unit_test(hep_time_at_its_limits_does_not_overflow),
        cmocka_unit_test(hep_contents_of_a_wrong_length_are_passed_over),
        cmocka_unit_test(hep_total_length_that_lies_is_odd),
        cmocka_unit_test(hep_chunk_length_that_lies_ends_reading),
        cmocka_unit_test(hep_payload_beyond_the_end_is_used_as_far_as_it_goes),
        cmocka_unit_test(hep_prefixes_and_changes_stay_inside),
        cmocka_unit_test(hep_stream_length_tells_envelopes),
        cmocka_unit_test(hep_versions_1_and_2_give_the_same_fields),
        cmocka_unit_test(hep_version_2_time_that_cannot_be_is_none),
        cmocka_unit_test(hep_versions_1_and_2_need_every_field_to_fit),
        cmocka_unit_test(hep_old_prefixes_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
