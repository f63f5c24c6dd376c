// The JSON writer: every byte that a sender may put into a text gives valid JSON.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "guard.h"
#include "random_fill.h"
#include "show/json_writer.h"
#include "show/utf8.h"
#include "show_fake.h"

#include <errno.h>
#include <stdio.h>

static struct json json;

static void begin_json(void)
{
    begin();
    json_init(&json, &out);
}

static const char *text_of(const char *p, size_t n)
{
    begin_json();
    json_text(&json, p, n);
    return written();
}

// What json_text must agree with: one character at a time, nothing clever. Returns its length.
static size_t plain_writer(char *to, const char *p, size_t n)
{
    size_t at = 0;
    to[at++] = '"';
    while (n > 0) {
        static const char shorts[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
        uint32_t code;
        size_t took = utf8_next(p, n, &code);
        const char *found = code < 0x80 && code != 0 ? strchr(shorts, (int)code) : NULL;
        if (code == UTF8_INVALID) {
            at += (size_t)snprintf(to + at, 8, "\xef\xbf\xbd");
        } else if (found) {
            at += (size_t)snprintf(to + at, 8, "\\%c", letters[found - shorts]);
        } else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            at += (size_t)snprintf(to + at, 8, "\\u%04x", (unsigned)code);
        } else {
            memcpy(to + at, p, took);
            at += took;
        }
        p += took;
        n -= took;
    }
    to[at++] = '"';
    to[at] = '\0';
    return at;
}

static void text_known_bytes_are_escaped(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *json;
    } cases[] = {
        {"", 0, "\"\""},
        {"plain text of some length", 25, "\"plain text of some length\""},
        {"a\"b\\c/d", 7, "\"a\\\"b\\\\c/d\""},
        {"\b\t\n\f\r", 5, "\"\\b\\t\\n\\f\\r\""},
        {"\0\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\\u007f\""},
        {"\xc2\x80\xc2\x9b\xc2\xa0", 6, "\"\\u0080\\u009b\xc2\xa0\""},
        {"\xc3\xbc\xe2\x82\xac\xf0\x9f\x93\x9e", 9, "\"\xc3\xbc\xe2\x82\xac\xf0\x9f\x93\x9e\""},
        {"\xff", 1, "\"\xef\xbf\xbd\""},
        {"\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 // overlong
        {"\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, // surrogate
        {"\xf4\x90\x80\x80", 4, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xe2\x82", 2, "\"\xef\xbf\xbd\""}, // cut: one for both
        {"\xe2\x82"
         "A",
         3,
         "\"\xef\xbf\xbd"
         "A\""},
        {"12345678\"", 9, "\"12345678\\\"\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(text_of(cases[i].bytes, cases[i].n), cases[i].json);
    }
}

// Each byte alone, at every place of a word that is looked at as a whole, among harmless ones.
static void text_every_byte_at_every_place_agrees_with_plain_writer(void **state)
{
    char want[512], bytes[40];
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t n = 1; n <= sizeof bytes; n++) {
            for (size_t at = 0; at < n; at++) {
                memset(bytes, 'x', sizeof bytes);
                bytes[at] = (char)byte;
                plain_writer(want, bytes, n);
                assert_string_equal(text_of(bytes, n), want);
            }
        }
    }
}

static void text_random_bytes_agree_with_plain_writer_and_stay_inside(void **state)
{
    static const char lively[] = "\"\\\x7f\x80\xbf\xc2\xe0\xed\xf0\xf4\x00\x1f ~a";
    char bytes[80], want[1024];
    struct random random;
    (void)state;
    random_seeded(&random, 20231114);
    for (unsigned round = 0; round < 20000; round++) {
        size_t n = random_below(&random, sizeof bytes);
        for (size_t i = 0; i < n; i++) {
            bytes[i] = random_below(&random, 2) ? lively[random_below(&random, sizeof lively - 1)]
                                                : (char)random_below(&random, 256);
        }
        uint8_t *guarded = guard_copy(bytes, n);
        plain_writer(want, bytes, n);
        assert_string_equal(text_of((const char *)guarded, n), want);
        guard_free(guarded, n);
    }
}

// Decodes as strictly as RFC 3629 wants, without the decoder under test.
static bool is_utf8(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t code = p[i];
        size_t more = p[i] < 0x80 ? 0 : p[i] >> 5 == 6 ? 1 : p[i] >> 4 == 14 ? 2 : 3;
        static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        if (more > 0 && (p[i] < 0xc0 || p[i] > 0xf7)) {
            return false;
        }
        code &= more == 0 ? 0x7f : 0x3f >> more;
        if (i + more >= n) {
            return false;
        }
        for (size_t k = 1; k <= more; k++) {
            if (p[i + k] >> 6 != 2) {
                return false;
            }
            code = code << 6 | (p[i + k] & 0x3f);
        }
        if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
            return false;
        }
        i += more + 1;
    }
    return true;
}

static void utf8_every_short_sequence_agrees_with_strict_check(void **state)
{
    (void)state;
    for (uint32_t word = 0; word < 1u << 24; word += 5) { // 5 is odd: all three bytes vary
        uint8_t bytes[3] = {(uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};
        uint32_t code;
        size_t took = utf8_next((const char *)bytes, 3, &code);
        assert_in_range(took, 1, 3);
        if (code != UTF8_INVALID) {
            assert_true(is_utf8(bytes, took));
        } else {
            assert_false(is_utf8(bytes, 1) || is_utf8(bytes, 2) || is_utf8(bytes, 3));
        }
    }
}

static void members_in_order_have_commas_between(void **state)
{
    struct sidetone_endpoint v6 = {{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
                                   5060};
    struct sidetone_endpoint v4 = fake_v4(10, 5060);
    (void)state;
    begin_json();
    json_open(&json, '{');
    JSON_U64(&json, "a", 1);
    JSON_KEY(&json, "b");
    json_open(&json, '[');
    json_u64(&json, 0);
    json_bool(&json, true);
    json_bool(&json, false);
    json_open(&json, '[');
    json_close(&json, ']');
    json_open(&json, '{');
    json_close(&json, '}');
    json_close(&json, ']');
    json_break(&json);
    JSON_KEY(&json, "c");
    json_time(&json, FAKE_START);
    json_key_name(&json, "d\"e");
    json_ms(&json, 40000500);
    JSON_KEY(&json, "f");
    json_endpoint(&json, &v4);
    JSON_KEY(&json, "g");
    json_endpoint(&json, &v6);
    JSON_KEY(&json, "h");
    json_hex32(&json, 0xabcd);
    JSON_TIME_IF(&json, "no", SIDETONE_UNKNOWN);
    JSON_MS_IF(&json, "no", SIDETONE_UNKNOWN);
    JSON_DECIMAL_IF(&json, "no", (double)NAN, 3);
    JSON_DECIMAL_IF(&json, "no", (double)INFINITY, 3);
    JSON_DECIMAL_IF(&json, "i", 0.5, 3);
    json_close(&json, '}');
    assert_string_equal(written(), "{\"a\":1,\"b\":[0,true,false,[],{}],\n"
                                   "\"c\":\"2023-11-14T22:13:20.000000000Z\",\"d\\\"e\":40.0005,"
                                   "\"f\":\"192.0.2.10:5060\",\"g\":\"[2001:db8::1]:5060\","
                                   "\"h\":\"0x0000ABCD\",\"i\":0.5}");
}

struct sizes {
    size_t calls, total, largest;
    int fail_with;
};

static int count_sink(void *context, const char *p, size_t n)
{
    struct sizes *s = context;
    (void)p;
    s->calls++;
    s->total += n;
    s->largest = n > s->largest ? n : s->largest;
    int error = s->fail_with;
    if (error != 0) {
        s->fail_with = EIO; // what comes later must not replace it
    }
    return error;
}

// In a thousand pieces.
static void write_a_million(struct sizes *sizes)
{
    char piece[1000];
    memset(piece, 'x', sizeof piece);
    output_init(&out, count_sink, sizes);
    for (int i = 0; i < 1000; i++) {
        output_bytes(&out, piece, sizeof piece);
    }
}

static void output_many_pieces_leave_in_whole_buffers(void **state)
{
    struct sizes sizes = {0};
    (void)state;
    write_a_million(&sizes);
    assert_int_equal(sizes.calls, 1000000 / OUTPUT_BYTES);
    assert_int_equal(output_flush(&out), 0);
    assert_int_equal(sizes.total, 1000000);
    assert_int_equal(sizes.largest, OUTPUT_BYTES);
    size_t calls = sizes.calls;
    output_flush(&out); // nothing is there: no call
    assert_int_equal(sizes.calls, calls);
}

static void output_first_error_is_kept_and_ends_writing(void **state)
{
    struct sizes sizes = {.fail_with = ENOSPC};
    (void)state;
    write_a_million(&sizes);
    assert_int_equal(output_flush(&out), ENOSPC);
    assert_int_equal(sizes.calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_known_bytes_are_escaped),
        cmocka_unit_test(text_every_byte_at_every_place_agrees_with_plain_writer),
        cmocka_unit_test(text_random_bytes_agree_with_plain_writer_and_stay_inside),
        cmocka_unit_test(utf8_every_short_sequence_agrees_with_strict_check),
        cmocka_unit_test(members_in_order_have_commas_between),
        cmocka_unit_test(output_many_pieces_leave_in_whole_buffers),
        cmocka_unit_test(output_first_error_is_kept_and_ends_writing),
    };
    return cmocka_run_group_tests(tests, NULL, free_caught);
}
