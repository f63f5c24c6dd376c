// Tests of WebSocket frames: the header in every form before an unmapped page, what no frame is,
// unmasking of every length and offset.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "random_fill.h"
#include "wire/ws/frame.h"

struct header_case {
    const char *bytes;
    int n; // bytes of the header; -1: none
    uint64_t length;
    uint8_t opcode, rsv;
    bool is_final, is_masked, is_padded;
};

static const struct header_case CASES[] = {
    {"\x81\x05", 2, 5, WS_TEXT, 0, true, false, false},
    {"\x02\x7d", 2, 125, WS_BINARY, 0, false, false, false},
    {"\x80\x00", 2, 0, WS_CONTINUATION, 0, true, false, false},
    {"\x81\x85\x01\x02\x03\x04", 6, 5, WS_TEXT, 0, true, true, false},
    {"\x82\x7e\x01\x00", 4, 256, WS_BINARY, 0, true, false, false},
    {"\x82\xfe\xff\xff\x01\x02\x03\x04", 8, 65535, WS_BINARY, 0, true, true, false},
    {"\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10, 65536, WS_BINARY, 0, true, false, false},
    {"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04", 14, INT64_MAX, WS_BINARY, 0, true,
     true, false},
    {"\x81\x7e\x00\x7d", 4, 125, WS_TEXT, 0, true, false, true},
    {"\x81\x7f\x00\x00\x00\x00\x00\x00\xff\xff", 10, 65535, WS_TEXT, 0, true, false, true},
    {"\xc1\x05", 2, 5, WS_TEXT, 4, true, false, false},
    {"\x88\x00", 2, 0, WS_CLOSE, 0, true, false, false},
    {"\x89\x7d", 2, 125, WS_PING, 0, true, false, false},
    {"\x8a\x80\x01\x02\x03\x04", 6, 0, WS_PONG, 0, true, true, false},
    {"\x83\x00", -1, 0, 0, 0, false, false, false},     // reserved opcodes
    {"\x8b\x00", -1, 0, 0, 0, false, false, false},     //
    {"\x09\x00", -1, 0, 0, 0, false, false, false},     // a fragmented ping
    {"\x89\x7e", -1, 0, 0, 0, false, false, false},     // a long one
    {"\x81\x7f\x80", -1, 0, 0, 0, false, false, false}, // 2^63
};

static void ws_header_in_every_form_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct header_case *want = &CASES[i];
        size_t n = want->n > 0 ? (size_t)want->n : want->bytes[1] == 0x7f ? 3 : 2;
        uint8_t *p = guard_copy(want->bytes, n);
        struct ws_frame f;
        assert_int_equal(ws_frame_read(&f, p, n), want->n);
        if (want->n > 0) {
            assert_true(f.length == want->length);
            assert_int_equal(f.opcode, want->opcode);
            assert_int_equal(f.rsv, want->rsv);
            assert_int_equal(f.is_final, want->is_final);
            assert_int_equal(f.is_masked, want->is_masked);
            assert_int_equal(f.is_padded, want->is_padded);
            assert_int_equal(f.mask, want->is_masked ? 0x04030201 : 0);
        }
        guard_free(p, n);
    }
}

static void ws_header_cut_anywhere_needs_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        for (int n = 0; n < CASES[i].n; n++) {
            uint8_t *p = guard_copy(CASES[i].bytes, (size_t)n);
            struct ws_frame f;
            assert_int_equal(ws_frame_read(&f, p, (size_t)n), 0);
            guard_free(p, (size_t)n);
        }
    }
}

static void ws_header_of_random_bytes_stays_inside(void **state)
{
    (void)state;
    struct random r;
    random_seeded(&r, 7118);
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[WS_HEADER_MAX];
        size_t n = (size_t)random_below(&r, sizeof bytes + 1);
        random_fill(&r, bytes, sizeof bytes);
        uint8_t *p = guard_copy(bytes, n);
        struct ws_frame f;
        int header = ws_frame_read(&f, p, n);
        assert_true(header >= -1 && header <= (int)n);
        assert_true(header <= 0 || f.length <= INT64_MAX);
        guard_free(p, n);
    }
}

static void ws_unmask_every_length_is_as_byte_by_byte(void **state)
{
    (void)state;
    static const uint8_t KEY[4] = {0x37, 0xfa, 0x21, 0x3d}; // RFC 6455 5.7
    uint32_t mask;
    memcpy(&mask, KEY, sizeof mask);
    uint8_t bytes[100], out[101];
    struct random r;
    random_seeded(&r, 6455);
    random_fill(&r, bytes, sizeof bytes);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        uint8_t *p = guard_copy(bytes, n);
        memset(out, 0xee, sizeof out);
        ws_unmask(out, p, n, mask);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(out[i], bytes[i] ^ KEY[i % 4]);
        }
        assert_int_equal(out[n], 0xee);
        guard_free(p, n);
    }
    ws_unmask(out, (const uint8_t *)"\x7f\x9f\x4d\x51\x58", 5, mask);
    assert_memory_equal(out, "Hello", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ws_header_in_every_form_is_read),
        cmocka_unit_test(ws_header_cut_anywhere_needs_more),
        cmocka_unit_test(ws_header_of_random_bytes_stays_inside),
        cmocka_unit_test(ws_unmask_every_length_is_as_byte_by_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
