// Tests of durations of the command line.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/duration.h"
#include "guard.h"

#define MS  INT64_C(1000000)
#define SEC INT64_C(1000000000)

static void duration_with_a_unit_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } CASES[] = {
        {"0ms", 0},
        {"60ms", 60 * MS},
        {"300ms", 300 * MS},
        {"10s", 10 * SEC},
        {"5m", 300 * SEC},
        {"2h", 7200 * SEC},
        {"1.5s", 1500 * MS},
        {"0.25ms", 250000},
        {"007s", 7 * SEC},
        {"0.000001s", 1000},
        {"0.000001ms", 1},
        {"0.999999h", 3599996400000},
        {"24h", 24 * 3600 * SEC},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        int64_t ns = -1;
        if (!duration_read(slice_str(CASES[i].text), 24 * 3600 * SEC, &ns) || ns != CASES[i].ns) {
            fail_msg("%s is %lld ns", CASES[i].text, (long long)ns);
        }
    }
}

static void duration_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "",
        "ms",
        "s",
        "60",
        "60 ms",
        "-1ms",
        "+1ms",
        "60MS",
        "60sec",
        "1.s",
        ".5s",
        "1.5",
        "1..5s",
        "1.5.5s",
        "1e3ms",
        "0x10ms",
        " 60ms",
        "60ms ",
        "1.1234567s",
        "10001ms",
        "10.000001s",
        "1h",
        "99999999999999999999999s",
        "18446744073709551617ms",
        "60us",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        int64_t ns = -1;
        size_t n = strlen(TEXTS[i]);
        uint8_t *copy = guard_copy(TEXTS[i], n);
        if (duration_read(slice_of((const char *)copy, n), 10 * SEC, &ns)) {
            fail_msg("'%s' is read as %lld ns", TEXTS[i], (long long)ns);
        }
        assert_int_equal(ns, -1);
        guard_free(copy, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duration_with_a_unit_is_read),
        cmocka_unit_test(duration_that_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
