// Numbers, times and sizes as text: exact digits, no exponents, no "-0", every time that exists.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/number.h"
#include "show/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void is_text(const char *got, size_t n, const char *want)
{
    char text[256];
    assert_true(n < sizeof text);
    memcpy(text, got, n);
    text[n] = '\0';
    assert_string_equal(text, want);
}

static void integers_any_value_have_plain_digits(void **state)
{
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {7, "7"},
        {10, "10"},
        {99, "99"},
        {100, "100"},
        {-1, "-1"},
        {-100, "-100"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    char out[NUMBER_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_text(out, number_i64(out, cases[i].value), cases[i].text);
    }
    is_text(out, number_u64(out, UINT64_MAX), "18446744073709551615");
    for (uint64_t v = 0; v < 20000; v++) {
        char want[32];
        snprintf(want, sizeof want, "%llu", (unsigned long long)v);
        is_text(out, number_u64(out, v), want);
    }
}

static void decimals_rounding_is_half_away_from_zero(void **state)
{
    static const struct {
        double value;
        unsigned digits;
        bool trim;
        const char *text;
    } cases[] = {
        {0, 6, true, "0"},
        {-0.0, 6, true, "0"},
        {-0.0000004, 6, true, "0"}, // never "-0"
        {-0.0000005, 6, true, "-0.000001"},
        {0.0000005, 6, true, "0.000001"},
        {0.00000049999, 6, true, "0"},
        {1.5, 6, true, "1.5"},
        {1.5, 2, false, "1.50"},
        {2, 2, false, "2.00"},
        {4.4087, 3, true, "4.409"},
        {99.99999, 4, true, "100"},
        {0.1, 6, true, "0.1"},
        {1e9, 3, true, "1000000000"},
        {123456789.123456, 6, true, "123456789.123456"},
        {1e300, 6, true, "9200000000000"},
        {-1e300, 6, true, "-9200000000000"},
        {2.5, 0, false, "3"},
        {5e-324, 9, true, "0"},
        {NAN, 6, true, ""},
        {INFINITY, 6, true, ""},
        {-INFINITY, 6, true, ""},
    };
    char out[NUMBER_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = number_decimal(out, cases[i].value, cases[i].digits, cases[i].trim);
        is_text(out, n, cases[i].text);
    }
}

static void milliseconds_any_ns_are_exact(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0"},
        {1, "0.000001"},
        {-1, "-0.000001"},
        {40000000, "40"},
        {40000500, "40.0005"},
        {1234567, "1.234567"},
        {INT64_MAX, "9223372036854.775807"},
        {INT64_MIN, "-9223372036854.775808"},
    };
    char out[NUMBER_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_text(out, number_ms(out, cases[i].ns), cases[i].text);
    }
}

static void time_any_moment_is_rfc3339(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000000000Z"},
        {-1, "1969-12-31T23:59:59.999999999Z"},
        {INT64_C(1700000000000000000), "2023-11-14T22:13:20.000000000Z"},
        {INT64_C(951782400123456789), "2000-02-29T00:00:00.123456789Z"},
        {INT64_C(1709251199999999999), "2024-02-29T23:59:59.999999999Z"},
        {INT64_C(1709251200000000000), "2024-03-01T00:00:00.000000000Z"},
        {INT64_C(-2203891200000000000), "1900-03-01T00:00:00.000000000Z"}, // no leap year
        {INT64_C(-2203891200000000001), "1900-02-28T23:59:59.999999999Z"},
        {INT64_C(4107542400000000000), "2100-03-01T00:00:00.000000000Z"}, // none either
        {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
        {INT64_MIN + 1, "1677-09-21T00:12:43.145224193Z"},
    };
    char out[NUMBER_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_text(out, number_time(out, cases[i].ns), cases[i].text);
    }
}

static void time_every_day_agrees_with_libc(void **state)
{
    char out[NUMBER_BYTES], want[64];
    (void)state;
    for (int64_t day = -106000; day < 106000; day++) {
        time_t seconds = (time_t)(day * 86400 + (day * 7919 % 86400 + 86400) % 86400);
        struct tm tm;
        gmtime_r(&seconds, &tm);
        size_t n = strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%S.000000000Z", &tm);
        assert_int_equal(n, 30);
        is_text(out, number_time(out, (int64_t)seconds * 1000000000), want);
    }
}

static void time_parts_agree_with_the_whole(void **state)
{
    char out[NUMBER_BYTES];
    (void)state;
    is_text(out, number_date(out, INT64_C(1700000000123999999)), "2023-11-14");
    is_text(out, number_clock(out, INT64_C(1700000000123999999)), "22:13:20.123");
}

static void between_unknown_or_too_far_is_unknown(void **state)
{
    (void)state;
    assert_true(number_between(5, 7) == 2);
    assert_true(number_between(INT64_MIN, 7) == INT64_MIN);
    assert_true(number_between(7, INT64_MIN) == INT64_MIN);
    assert_true(number_between(INT64_MIN + 1, INT64_MAX) == INT64_MIN);
}

static void human_forms_units_follow_the_rounded_value(void **state)
{
    static const struct {
        size_t (*form)(char *out, int64_t ns);
        int64_t ns;
        const char *text;
    } durations[] = {
        {number_duration, 0, "0 s"},
        {number_duration, 499, "0 us"},
        {number_duration, 999499, "999 us"},
        {number_duration, 999500, "1.0 ms"},
        {number_duration, 40210000, "40.2 ms"},
        {number_duration, 99949999, "99.9 ms"},
        {number_duration, 99950000, "100 ms"},
        {number_duration, 299000000, "299 ms"},
        {number_duration, 999400000, "999 ms"},
        {number_duration, 999500000, "1.00 s"},
        {number_duration, 59994999999, "59.99 s"},
        {number_duration, 59995000000, "1 min 00 s"},
        {number_duration, 101000000000, "1 min 41 s"},
        {number_duration, 3599499999999, "59 min 59 s"},
        {number_duration, 3599500000000, "1 h 00 min"},
        {number_duration, 7500000000000, "2 h 05 min"},
        {number_duration, 273600000000000, "3 d 04 h"},
        {number_duration, -40210000, "-40.2 ms"},
        {number_length, 0, "0:00"},
        {number_length, -5, "0:00"},
        {number_length, 500000000, "0:01"},
        {number_length, 134000000000, "2:14"},
        {number_length, 3734000000000, "1:02:14"},
    };
    char out[NUMBER_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        is_text(out, durations[i].form(out, durations[i].ns), durations[i].text);
    }
    assert_true(number_duration(out, INT64_MIN) < NUMBER_BYTES);
    assert_true(number_length(out, INT64_MAX) < NUMBER_BYTES);
}

static void human_sizes_are_short(void **state)
{
    static const struct {
        uint64_t value;
        const char *grouped, *size, *brief;
    } cases[] = {
        {0, "0", "0 bytes", "0"},
        {999, "999", "999 bytes", "999"},
        {1000, "1,000", "1.0 kB", "1.0 k"},
        {999949, "999,949", "999.9 kB", "999.9 k"},
        {999950, "999,950", "1.0 MB", "1.0 M"},
        {128400000, "128,400,000", "128.4 MB", "128.4 M"},
        {UINT64_MAX, "18,446,744,073,709,551,615", "18.4 EB", "18446744.1 T"},
    };
    char out[NUMBER_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_text(out, number_grouped(out, cases[i].value), cases[i].grouped);
        is_text(out, number_size(out, cases[i].value), cases[i].size);
        is_text(out, number_short(out, (double)cases[i].value), cases[i].brief);
    }
}

static void progress_line_total_unknown_has_no_percentage(void **state)
{
    struct progress_at at = {"reading", 1234567, 0, 42000000, 100000000};
    char out[PROGRESS_BYTES];
    (void)state;
    is_text(out, progress_line(out, &at, INT64_C(1000000000)),
            "reading  42 %  1,234,567 packets  1.2 M packets/s  42.0 MB of 100.0 MB");
    at.bytes_total = 0;
    is_text(out, progress_line(out, &at, 0), "reading  1,234,567 packets  42.0 MB");
    at = (struct progress_at){"0123456789abcdef", UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    assert_true(progress_line(out, &at, 1) < PROGRESS_BYTES);
    at = (struct progress_at){"reading", 1, 0, 101, 100}; // a file that grows
    is_text(out, progress_line(out, &at, 0), "reading  100 %  1 packets  101 bytes of 100 bytes");
    at = (struct progress_at){"writing", 50, 200, 5000, 0};
    is_text(out, progress_line(out, &at, 0), "writing  25 %  50 packets  5.0 kB");
}

static void progress_short_work_shows_nothing(void **state)
{
    struct progress p;
    (void)state;
    progress_init(&p, -1, 1000);
    assert_false(progress_is_due(&p, 1000));
    assert_false(progress_is_due(&p, 1000 + PROGRESS_FIRST_NS - 1));
    assert_true(progress_is_due(&p, 1000 + PROGRESS_FIRST_NS));
    struct progress_at at = {"reading", 3, 0, 1, 2};
    progress_update(&p, &at, 1000 + PROGRESS_FIRST_NS);
    assert_true(p.visible);
    assert_false(progress_is_due(&p, 1000 + PROGRESS_FIRST_NS + PROGRESS_EVERY_NS - 1));
    assert_true(progress_is_due(&p, 1000 + PROGRESS_FIRST_NS + PROGRESS_EVERY_NS));
    progress_clear(&p);
    assert_false(p.visible);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_any_value_have_plain_digits),
        cmocka_unit_test(decimals_rounding_is_half_away_from_zero),
        cmocka_unit_test(milliseconds_any_ns_are_exact),
        cmocka_unit_test(time_any_moment_is_rfc3339),
        cmocka_unit_test(time_every_day_agrees_with_libc),
        cmocka_unit_test(time_parts_agree_with_the_whole),
        cmocka_unit_test(between_unknown_or_too_far_is_unknown),
        cmocka_unit_test(human_forms_units_follow_the_rounded_value),
        cmocka_unit_test(human_sizes_are_short),
        cmocka_unit_test(progress_line_total_unknown_has_no_percentage),
        cmocka_unit_test(progress_short_work_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
