// The fast finder of line ends against the plain one, on ordinary, random and hostile bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "wire/sip/scan.h"

#define LINES 256

static uint64_t state;

// xorshift64*: the same numbers for the same seed everywhere.
static uint32_t draw(uint32_t below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545f4914f6cdd1du) >> 33) % below;
}

static void compare_from(const char *p, uint32_t n, uint32_t at, uint32_t max)
{
    struct sip_scan a = {.at = at};
    struct sip_scan b = {.at = at};
    struct sip_line x[LINES], y[LINES];
    for (int calls = 0; calls < 5000 && !a.empty && !a.end; calls++) {
        uint32_t lines = sip_scan_plain(&a, p, n, x, max);
        assert_int_equal(sip_scan_fast(&b, p, n, y, max), lines);
        for (uint32_t i = 0; i < lines; i++) {
            assert_int_equal(x[i].start, y[i].start);
            assert_int_equal(x[i].colon, y[i].colon);
            assert_int_equal(x[i].end, y[i].end);
        }
        assert_int_equal(a.at, b.at);
        assert_int_equal(a.empty, b.empty);
        assert_int_equal(a.end, b.end);
        assert_int_equal(a.control, b.control);
        assert_int_equal(a.high, b.high);
        assert_int_equal(a.lf_alone, b.lf_alone);
    }
    assert_true(a.empty || a.end);
}

static void compare(const void *bytes, uint32_t n)
{
    static const uint32_t MAXIMA[] = {1, 2, 3, 64, LINES};
    uint8_t *copy = guard_copy(bytes, n);
    for (size_t i = 0; i < sizeof MAXIMA / sizeof *MAXIMA; i++) {
        compare_from((const char *)copy, n, 0, MAXIMA[i]);
        compare_from((const char *)copy, n, n / 3, MAXIMA[i]);
    }
    guard_free(copy, n);
}

static void need_fast(void)
{
    if (!sip_scan_has_fast()) {
        print_message("skipped: this processor has no AVX2\n");
        skip();
    }
}

static void scan_every_prefix_of_a_message_same_lines(void **arg)
{
    (void)arg;
    static const char MESSAGE[] =
        "INVITE sip:bob@example.com SIP/2.0\r\n"
        "Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKa\nFrom : <sip:a@b>;tag=1\r\n"
        "Subject:\r\n folded\r\n\tmore: of it\r\nno colon here\r\n:\r\nX-Long-Header-Name-Of-More-"
        "Than-Sixty-Four-Bytes-So-That-It-Crosses-A-Block: v\r\n\001Bad: "
        "\177\r\n\r\nv=0\r\no=x:y\r\n";
    need_fast();
    for (uint32_t n = 0; n < sizeof MESSAGE; n++) {
        compare(MESSAGE, n);
    }
}

static void scan_random_bytes_same_lines(void **arg)
{
    (void)arg;
    static const char HOSTILE[] = "\r\n:\n\r\t \001a\177\200\377\n:";
    static char bytes[400];
    need_fast();
    state = 0x51de704e;
    print_message("seed 0x%llx\n", (unsigned long long)state);
    for (int round = 0; round < 20000; round++) {
        uint32_t n = draw(sizeof bytes);
        uint32_t kind = draw(3);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t c = kind == 0   ? draw(256)
                         : kind == 1 ? (uint8_t)HOSTILE[draw(sizeof HOSTILE - 1)]
                                     : (draw(16) ? 'a' + draw(26) : (uint8_t)HOSTILE[draw(6)]);
            bytes[i] = (char)c;
        }
        compare(bytes, n);
    }
}

// Line ends, colons and control bytes at each place of a block, in blocks of each length.
static void scan_one_special_byte_at_each_place_same_lines(void **arg)
{
    (void)arg;
    static const char SPECIAL[] = "\n:\r\001\177\t\200";
    char bytes[140];
    need_fast();
    for (uint32_t n = 1; n <= sizeof bytes; n++) {
        for (uint32_t at = 0; at < n; at++) {
            for (size_t k = 0; k < sizeof SPECIAL; k++) { // the NUL of the string is one too
                memset(bytes, 'x', n);
                bytes[at] = SPECIAL[k];
                uint8_t *copy = guard_copy(bytes, n);
                compare_from((const char *)copy, n, 0, LINES);
                guard_free(copy, n);
            }
        }
    }
}

static void scan_empty_line_is_end_not_line(void **arg)
{
    (void)arg;
    struct sip_scan s = {0};
    struct sip_line lines[4];
    static const char TEXT[] = "a: b\r\nc\r\n\r\nbody: no header\r\n";
    assert_int_equal(sip_scan_lines(&s, TEXT, sizeof TEXT - 1, lines, 4), 2);
    assert_true(s.empty);
    assert_false(s.end);
    assert_int_equal(s.at, 11);
    assert_int_equal(lines[0].colon, 1);
    assert_int_equal(lines[1].start, 6);
    assert_int_equal(lines[1].colon, lines[1].end); // the colon in the body does not count
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_every_prefix_of_a_message_same_lines),
        cmocka_unit_test(scan_random_bytes_same_lines),
        cmocka_unit_test(scan_one_special_byte_at_each_place_same_lines),
        cmocka_unit_test(scan_empty_line_is_end_not_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
