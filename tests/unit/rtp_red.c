// Tests of red_parse() and of the summary that a record has room for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "capture.h"
#include "guard.h"
#include "hex.h"
#include "wire/rtp/red.h"

static size_t hex_read(uint8_t *out, const char *text)
{
    struct hex_bytes b = hex(text);
    memcpy(out, b.p, b.n);
    return b.n;
}

static uint32_t parse_guarded(const uint8_t *bytes, uint32_t n, struct red *out)
{
    uint8_t *p = guard_copy(bytes, n);
    uint32_t headers = red_parse(p, n, out);
    assert_int_equal(red_summary(p, n) >> 31, n > 0 && bytes[0] >> 7);
    guard_free(p, n);
    return headers;
}

// F, payload type 111 or 0, offset, length: ef = 1 | 111; offset 960 is 0x3c0, in 14 bits.
#define BLOCK_960_3  "ef 0f0003"
#define BLOCK_1920_2 "ef 1e0002"

static const struct row {
    const char *bytes;
    uint32_t headers; // 0: refused
    int count, primary_type, primary_at;
    int offsets[2], lengths[2], at[2];
} ROWS[] = {
    {"6f", 1, 0, 111, 1, {0}, {0}, {0}}, // the primary one, empty
    {"6f aabb", 1, 0, 111, 1, {0}, {0}, {0}},
    {BLOCK_960_3 "6f 010203 aabb", 5, 1, 111, 8, {960}, {3}, {5}},
    {BLOCK_960_3 "6f 010203", 5, 1, 111, 8, {960}, {3}, {5}}, // an empty primary block
    {BLOCK_1920_2 BLOCK_960_3 "6f 0102 010203 aabb", 9, 2, 111, 14, {1920, 960}, {2, 3}, {9, 11}},
    {"80 000000 08", 5, 1, 8, 5, {0}, {0}, {5}}, // an empty block of now
    {"ff ffffff 00", 0, 0, 0, 0, {0}, {0}, {0}}, // 1,023 bytes that are not there
    {BLOCK_960_3 "6f 0102", 0, 0, 0, 0, {0}, {0}, {0}},
    {BLOCK_960_3, 0, 0, 0, 0, {0}, {0}, {0}}, // no primary header
    {BLOCK_960_3 BLOCK_960_3, 0, 0, 0, 0, {0}, {0}, {0}},
    {"ef 0f00", 0, 0, 0, 0, {0}, {0}, {0}},
    {"ef", 0, 0, 0, 0, {0}, {0}, {0}},
    {"", 0, 0, 0, 0, {0}, {0}, {0}},
};

static void red_parse_reads_chains_and_refuses_lies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const struct row *row = &ROWS[i];
        uint8_t bytes[64];
        size_t n = hex_read(bytes, row->bytes);
        struct red red;
        assert_int_equal(parse_guarded(bytes, (uint32_t)n, &red), row->headers);
        if (row->headers == 0) {
            continue;
        }
        assert_int_equal(red.count, row->count);
        assert_int_equal(red.primary_type, row->primary_type);
        assert_int_equal(red.primary_at, row->primary_at);
        for (int k = 0; k < row->count; k++) {
            assert_int_equal(red.blocks[k].timestamp_offset, row->offsets[k]);
            assert_int_equal(red.blocks[k].length, row->lengths[k]);
            assert_int_equal(red.blocks[k].at, row->at[k]);
        }
    }
}

// A chain of `blocks` blocks of 2 bytes; returns its length.
static uint32_t chain(uint8_t *p, unsigned blocks)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < blocks; i++) {
        put_be32(p + n, 0x80000000u | 98u << 24 | (blocks - i) * 300 << 10 | 2);
        n += 4;
    }
    p[n++] = 98;
    memset(p + n, 7, 2 * blocks + 3);
    return n + 2 * blocks + 3;
}

static void red_parse_of_more_blocks_than_the_limit_refuses(void **state)
{
    (void)state;
    uint8_t bytes[400];
    struct red red;
    uint32_t n = chain(bytes, RED_BLOCKS_MAX);
    assert_int_equal(parse_guarded(bytes, n, &red), 4 * RED_BLOCKS_MAX + 1);
    assert_int_equal(red.count, RED_BLOCKS_MAX);
    assert_int_equal(red.primary_at + 3, n);
    struct red_said said = red_said(red_summary(bytes, n), n);
    assert_int_equal(said.blocks, RED_BLOCKS_MAX);
    n = chain(bytes, RED_BLOCKS_MAX + 1);
    assert_int_equal(parse_guarded(bytes, n, &red), 0);
    assert_false(red_said(red_summary(bytes, n), n).is_chain);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(parse_guarded(bytes, sizeof bytes, &red), 0);
}

static void red_parse_of_every_prefix_and_changed_byte_stays_inside(void **state)
{
    (void)state;
    uint8_t bytes[100];
    uint32_t whole = chain(bytes, 4);
    for (uint32_t n = 0; n <= whole; n++) {
        for (uint32_t at = 0; at < n; at++) {
            uint8_t before = bytes[at];
            for (int value = 0; value < 256; value += 17) {
                bytes[at] = (uint8_t)value;
                struct red red;
                uint32_t headers = parse_guarded(bytes, n, &red);
                if (headers > 0) {
                    assert_true(red.primary_at <= n && red.primary_at >= headers);
                    assert_int_equal(headers, 4 * red.count + 1u);
                }
            }
            bytes[at] = before;
        }
    }
}

static void red_summary_says_what_the_chain_says(void **state)
{
    (void)state;
    uint8_t bytes[64];
    size_t n = hex_read(bytes, BLOCK_1920_2 BLOCK_960_3 "65 0102 010203 05 0a 00a0");
    struct red_said said = red_said(red_summary(bytes, (uint32_t)n), (uint32_t)n);
    assert_true(said.is_chain);
    assert_int_equal(said.primary_type, 101);
    assert_int_equal(said.blocks, 2);
    assert_int_equal(said.timestamp_offset, 1920);
    assert_int_equal(said.event, 5);
    n = hex_read(bytes, BLOCK_960_3 "65 010203 11 0a 00a0"); // event 17
    assert_int_equal(red_said(red_summary(bytes, (uint32_t)n), (uint32_t)n).event, RED_NO_EVENT);
    n = hex_read(bytes, BLOCK_960_3 "65 010203 05 0a 00a0 00"); // no event has five bytes
    assert_int_equal(red_said(red_summary(bytes, (uint32_t)n), (uint32_t)n).event, RED_NO_EVENT);
    n = hex_read(bytes, "65 0b 0a 00a0"); // no redundant block
    said = red_said(red_summary(bytes, (uint32_t)n), (uint32_t)n);
    assert_true(said.is_chain && said.blocks == 0 && said.timestamp_offset == 0);
    assert_int_equal(said.primary_type, 101);
    assert_int_equal(said.event, 11);
    n = hex_read(bytes, "65 41"); // shorter than the summary
    said = red_said(red_summary(bytes, (uint32_t)n), (uint32_t)n);
    assert_true(said.is_chain && said.primary_type == 101 && said.event == RED_NO_EVENT);
    assert_false(red_said(0, 0).is_chain);
}

static void red_summary_of_another_payload_is_its_first_bytes(void **state)
{
    (void)state;
    static const uint8_t EVENT[] = {0x05, 0x8a, 0x03, 0x20};
    assert_int_equal(red_summary(EVENT, 4), 0x058a0320);
    assert_int_equal(red_summary(EVENT, 3), 0x058a0300);
    assert_int_equal(red_summary(EVENT, 1), 0x05000000);
    assert_int_equal(red_summary(EVENT, 0), 0);
    static const uint8_t LIE[] = {0x85, 0xff, 0xff, 0xff, 0x05};
    assert_int_equal(red_summary(LIE, 5), 0x80000000); // no event: its first byte is above 16
}

static void red_of_random_bytes_agrees_with_its_summary(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("rtp_red", 1));
    for (size_t round = 0; round < 200000; round++) {
        uint8_t bytes[96];
        uint32_t n = (uint32_t)random_below(&rng, sizeof bytes);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t v = random_u64(&rng);
            // Short lengths, so that many chains hold.
            bytes[i] = i % 4 == 2 ? v & 3 : i % 4 == 3 ? v & 15 : (uint8_t)v;
        }
        struct red red;
        uint32_t headers = red_parse(bytes, n, &red);
        struct red_said said = red_said(red_summary(bytes, n), n);
        assert_int_equal(said.is_chain, headers > 0);
        if (headers > 0) {
            uint16_t offset = 0;
            for (unsigned i = 0; i < red.count; i++) {
                offset = red.blocks[i].timestamp_offset > offset ? red.blocks[i].timestamp_offset
                                                                 : offset;
            }
            assert_int_equal(said.primary_type, red.primary_type);
            assert_int_equal(said.blocks, red.count);
            assert_int_equal(said.timestamp_offset, offset);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(red_parse_reads_chains_and_refuses_lies),
        cmocka_unit_test(red_parse_of_more_blocks_than_the_limit_refuses),
        cmocka_unit_test(red_parse_of_every_prefix_and_changed_byte_stays_inside),
        cmocka_unit_test(red_summary_says_what_the_chain_says),
        cmocka_unit_test(red_summary_of_another_payload_is_its_first_bytes),
        cmocka_unit_test(red_of_random_bytes_agrees_with_its_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
