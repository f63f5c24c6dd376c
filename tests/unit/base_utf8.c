// Tests of UTF-8 decoding: every code point, every lead with every follower, and cuts.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "guard.h"

// The encoding as RFC 3629 3 draws it.
static size_t encode(uint32_t code, uint8_t *out)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t LEAD[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out[0] = (uint8_t)(LEAD[n] | code);
    return n;
}

static void utf8_every_code_point_is_decoded_and_surrogates_are_not(void **state)
{
    (void)state;
    uint8_t *p = guard_copy("1234", 4);
    for (uint32_t want = 0; want < 0x110100; want++) {
        uint8_t bytes[4];
        uint32_t code;
        size_t n = encode(want, bytes);
        memcpy(p + 4 - n, bytes, n);
        size_t took = utf8_next((const char *)p + 4 - n, n, &code);
        bool is_good = want < 0xd800 || (want > 0xdfff && want < 0x110000);
        if (code != (is_good ? want : UTF8_INVALID) || took != (is_good ? n : 1)) {
            fail_msg("code point %x: %x of %zu bytes", want, code, took);
        }
    }
    guard_free(p, 4);
}

// Nothing else decodes: a longer form of a shorter one, or a lead without its followers.
static void utf8_bytes_that_encode_nothing_are_invalid(void **state)
{
    (void)state;
    for (uint32_t word = 0; word < 0x1000000; word += word % 0x10000 < 0xff00 ? 0x11 : 1) {
        uint8_t bytes[3] = {(uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};
        uint8_t again[4] = {0};
        uint32_t code;
        size_t took = utf8_next((const char *)bytes, 3, &code);
        assert_true(took >= 1 && took <= 3);
        if (code != UTF8_INVALID) {
            assert_int_equal(encode(code, again), took);
            assert_memory_equal(again, bytes, took);
        }
    }
}

static void utf8_cut_character_is_one_invalid_part(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n, took;
    } ROWS[] = {
        {"\xc3", 1, 1},         {"\xe2\x82", 2, 2},     {"\xf0\x9f\x98", 3, 3},
        {"\xf0\x80\x80", 3, 1}, {"\xe0\x80\x80", 3, 1}, {"\xed\xa0\x80", 3, 1},
        {"\xf4\x90\x80", 3, 1}, {"\xf5\x80", 2, 1},     {"\x80", 1, 1},
        {"\xe2\x82(", 3, 2},    {"\xff", 1, 1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        uint8_t *p = guard_copy(ROWS[i].bytes, ROWS[i].n);
        uint32_t code;
        assert_int_equal(utf8_next((const char *)p, ROWS[i].n, &code), ROWS[i].took);
        assert_int_equal(code, UTF8_INVALID);
        guard_free(p, ROWS[i].n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_every_code_point_is_decoded_and_surrogates_are_not),
        cmocka_unit_test(utf8_bytes_that_encode_nothing_are_invalid),
        cmocka_unit_test(utf8_cut_character_is_one_invalid_part),
    };
    return cmocka_run_group_tests_name("base_utf8", tests, NULL, NULL);
}
