// Tests of borrowed bytes: comparing, trimming, splitting, reading numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/slice.h"
#include "random_fill.h"

static void slice_eq_compares_bytes_and_length(void **state)
{
    (void)state;
    assert_true(slice_eq(SLICE("abc"), SLICE("abc")));
    assert_false(slice_eq(SLICE("abc"), SLICE("abd")));
    assert_false(slice_eq(SLICE("abc"), SLICE("ab")));
    assert_false(slice_eq(SLICE("abc"), SLICE("ABC")));
    assert_true(slice_eq(slice_of(NULL, 0), SLICE("")));
    assert_true(slice_eq(SLICE("a\0b"), SLICE("a\0b")));
    assert_false(slice_eq(SLICE("a\0b"), SLICE("a\0c")));
}

static void slice_eq_nocase_folds_letters_of_ascii_only(void **state)
{
    (void)state;
    assert_true(slice_eq_nocase(SLICE("Call-ID"), SLICE("cALL-id")));
    assert_false(slice_eq_nocase(SLICE("Call-ID"), SLICE("Call-I")));
    // These differ by the bit that tells the cases of letters apart, and are no letters.
    assert_false(slice_eq_nocase(SLICE("@"), SLICE("`")));
    assert_false(slice_eq_nocase(SLICE("["), SLICE("{")));
    assert_false(slice_eq_nocase(SLICE("\xc0"), SLICE("\xe0")));
}

static void slice_trim_cuts_blanks_and_line_ends(void **state)
{
    (void)state;
    const struct {
        struct slice in, out;
    } cases[] = {
        {SLICE(" \t a b\r\n"), SLICE("a b")}, {SLICE("a"), SLICE("a")},
        {SLICE(" \r\n\t "), SLICE("")},       {SLICE(""), SLICE("")},
        {SLICE("\0 "), SLICE("\0")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(slice_eq(slice_trim(cases[i].in), cases[i].out));
    }
    assert_int_equal(slice_trim(slice_of(NULL, 0)).n, 0);
}

static void slice_line_takes_lines_of_either_end(void **state)
{
    (void)state;
    const struct {
        struct slice in;
        const char *lines[5];
    } cases[] = {
        {SLICE("a\r\nb\n\nc"), {"a", "b", "", "c"}},
        {SLICE("a\r\r\n\r\n"), {"a\r", ""}},
        {SLICE("a\r"), {"a\r"}}, // no line end: the CR may be anything
        {SLICE("\n"), {""}},
        {SLICE(""), {NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice rest = cases[i].in;
        struct slice line;
        for (size_t k = 0; cases[i].lines[k]; k++) {
            assert_true(slice_line(&rest, &line));
            assert_true(slice_eq(line, slice_str(cases[i].lines[k])));
        }
        assert_false(slice_line(&rest, &line));
    }
    struct slice none = {0};
    struct slice line;
    assert_false(slice_line(&none, &line));
}

static void slice_skip_leaves_what_follows(void **state)
{
    (void)state;
    assert_true(slice_eq(slice_skip(SLICE("abc"), 1), SLICE("bc")));
    assert_int_equal(slice_skip(SLICE("abc"), 3).n, 0);
    assert_null(slice_skip(slice_of(NULL, 0), 0).p);
}

static void slice_cut_splits_at_first(void **state)
{
    (void)state;
    const struct {
        struct slice in, head, tail;
        bool found;
    } cases[] = {
        {SLICE("a:b:c"), SLICE("a"), SLICE("b:c"), true},
        {SLICE(":"), SLICE(""), SLICE(""), true},
        {SLICE("a:"), SLICE("a"), SLICE(""), true},
        {SLICE("a"), SLICE("a"), SLICE(""), false},
        {SLICE(""), SLICE(""), SLICE(""), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice head, tail;
        assert_int_equal(slice_cut(cases[i].in, ':', &head, &tail), cases[i].found);
        assert_true(slice_eq(head, cases[i].head));
        assert_true(slice_eq(tail, cases[i].tail));
    }
    struct slice head, tail;
    assert_false(slice_cut(slice_of(NULL, 0), ':', &head, &tail));
    assert_int_equal(head.n + tail.n, 0);
}

static void slice_cut_in_place_walks_a_list(void **state)
{
    (void)state;
    struct slice rest = SLICE("a,b,,c"), item;
    unsigned items = 0;
    bool more = true;
    while (more) {
        more = slice_cut(rest, ',', &item, &rest);
        items++;
    }
    assert_int_equal(items, 4);
    assert_true(slice_eq(item, SLICE("c")));
}

static void slice_find_gives_length_where_there_is_none(void **state)
{
    (void)state;
    assert_int_equal(slice_find(SLICE("abc"), 'c'), 2);
    assert_int_equal(slice_find(SLICE("abc"), 'x'), 3);
    assert_int_equal(slice_find(slice_of(NULL, 0), 'x'), 0);
}

static void slice_u64_reads_digits_up_to_max(void **state)
{
    (void)state;
    const struct {
        struct slice in;
        uint64_t max, value;
        bool good;
    } cases[] = {
        {SLICE("0"), 0, 0, true},
        {SLICE("0000"), 9, 0, true},
        {SLICE("65535"), 65535, 65535, true},
        {SLICE("65536"), 65535, 0, false},
        {SLICE("655350"), 65535, 0, false},
        {SLICE("9"), 5, 0, false}, // a limit below one digit
        {SLICE("1"), 0, 0, false},
        {SLICE("18446744073709551615"), UINT64_MAX, UINT64_MAX, true},
        {SLICE("18446744073709551616"), UINT64_MAX, 0, false},
        {SLICE("99999999999999999999999"), UINT64_MAX, 0, false},
        {SLICE(""), 9, 0, false},
        {SLICE("-1"), 9, 0, false},
        {SLICE("+1"), 9, 0, false},
        {SLICE(" 1"), 9, 0, false},
        {SLICE("1 "), 9, 0, false},
        {SLICE("0x1"), 99, 0, false},
        {SLICE("1\0"), 99, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 77;
        print_message("# case %zu\n", i);
        assert_int_equal(slice_u64(cases[i].in, cases[i].max, &value), cases[i].good);
        assert_true(value == (cases[i].good ? cases[i].value : 77));
    }
}

__extension__ typedef unsigned __int128 wide;

// All digits in arithmetic that has room for 30 of them.
static bool plain_u64(struct slice s, uint64_t max, uint64_t *out)
{
    wide value = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') {
            return false;
        }
        value = value * 10 + (wide)(s.p[i] - '0');
    }
    *out = (uint64_t)value;
    return s.n > 0 && value <= max;
}

static void slice_u64_at_random_same_as_plain(void **state)
{
    (void)state;
    static const uint64_t MAX[] = {0, 5, 9, 255, UINT32_MAX, UINT64_MAX / 10, UINT64_MAX};
    struct random r;
    char text[30];
    random_seeded(&r, 0x511ce);
    for (int round = 0; round < 200000; round++) {
        size_t n = random_u64(&r) % sizeof text;
        size_t zeros = random_u64(&r) % (n + 1);
        for (size_t i = 0; i < n; i++) {
            text[i] = (char)(i < zeros ? '0' : '0' + random_u64(&r) % 10);
        }
        if (n > 0 && random_u64(&r) % 8 == 0) {
            text[random_u64(&r) % n] = (char)random_u64(&r);
        }
        uint64_t want = 0;
        uint64_t got = 0;
        uint64_t max = MAX[random_u64(&r) % (sizeof MAX / sizeof *MAX)];
        bool good = plain_u64(slice_of(text, n), max, &want);
        assert_int_equal(slice_u64(slice_of(text, n), max, &got), good);
        assert_true(!good || got == want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slice_eq_compares_bytes_and_length),
        cmocka_unit_test(slice_eq_nocase_folds_letters_of_ascii_only),
        cmocka_unit_test(slice_trim_cuts_blanks_and_line_ends),
        cmocka_unit_test(slice_line_takes_lines_of_either_end),
        cmocka_unit_test(slice_skip_leaves_what_follows),
        cmocka_unit_test(slice_cut_splits_at_first),
        cmocka_unit_test(slice_cut_in_place_walks_a_list),
        cmocka_unit_test(slice_find_gives_length_where_there_is_none),
        cmocka_unit_test(slice_u64_reads_digits_up_to_max),
        cmocka_unit_test(slice_u64_at_random_same_as_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
