// Tests of medians, percentiles, intervals, and of the verdict over two programs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/ab.h"
#include "lab/figures.h"
#include "lab/scale.h"

#include <math.h>
#include <string.h>

static void assert_near(double is, double should)
{
    if (fabs(is - should) > 1e-9) {
        fail_msg("%.12f is not %.12f", is, should);
    }
}

static void percentile_lies_between_the_nearest_ranks(void **state)
{
    (void)state;
    const double sorted[] = {10, 20, 30, 50};
    assert_near(figures_percentile(sorted, 4, 0), 10);
    assert_near(figures_percentile(sorted, 4, 1), 50);
    assert_near(figures_percentile(sorted, 4, 0.5), 25);
    assert_near(figures_percentile(sorted, 4, 0.9), 44); // rank 2.7
    assert_near(figures_percentile(sorted, 1, 0.9), 10);
}

static void figures_of_any_order(void **state)
{
    (void)state;
    const double odd[] = {3, 1, 2}, even[] = {4, -1, 3, 2};
    struct figures f = figures_of(odd, 3);
    assert_near(f.median, 2);
    assert_near(f.minimum, 1);
    assert_near(f.maximum, 3);
    assert_near(figures_median(even, 4), 2.5);
    assert_near(odd[0], 3); // what is given stays as it is
}

// By hand: of n draws from 1..n, the median is at most k with the probability of more than n/2
// successes in n trials of k/n. n = 5: P(1) = 0.058, so 2.5 % lie at 1; n = 9: P(1) = 0.0014 and
// P(2) = 0.030, so they lie at 2; n = 17: P(4) = 0.0082 and P(5) = 0.036: at 5.
static void bootstrap_follows_the_binomial_distribution(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double low, high;
    } CASES[] = {{5, 1, 5}, {9, 2, 8}, {17, 5, 13}};
    double values[17];
    for (size_t i = 0; i < 17; i++) {
        values[i] = (double)(i + 1);
    }
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct figures_interval i = figures_bootstrap(values, CASES[c].n, seed);
            assert_near(i.median, (double)(CASES[c].n + 1) / 2);
            assert_near(i.low, CASES[c].low);
            assert_near(i.high, CASES[c].high);
        }
    }
}

// The same calculation was done in Python, with its own generator (splitmix64, xoshiro256**), the
// median of its library and lists that are drawn and sorted.
static void bootstrap_of_a_sample_is_what_another_program_calculates(void **state)
{
    (void)state;
    double values[20];
    static const struct {
        uint64_t seed;
        double low, high;
    } CASES[] = {{1, 0.984954864594, 1.027582748245},
                 {2, 0.984954864594, 1.027582748245},
                 {77, 0.984954864594, 1.027582748245}};
    for (int i = 0; i < 20; i++) {
        values[i] = 1 + (i * i * 37 % 101 - 50) / 997.0;
    }
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        struct figures_interval i = figures_bootstrap(values, 20, CASES[c].seed);
        assert_near(i.median, 1.005516549649);
        assert_near(i.low, CASES[c].low);
        assert_near(i.high, CASES[c].high);
    }
}

static void ratio_is_of_pairs(void **state)
{
    (void)state;
    // Each pair has the ratio 1.1, whatever the machine did meanwhile.
    const double a[] = {1, 10, 2, 5, 100, 3}, b[] = {1.1, 11, 2.2, 5.5, 110, 3.3};
    struct figures_interval i = figures_ratio(a, b, 6, 1);
    assert_near(i.median, 1.1);
    assert_near(i.low, 1.1);
    assert_near(i.high, 1.1);
    assert_true(figures_moved(&i));
    i = figures_ratio(a, a, 6, 1);
    assert_near(i.median, 1);
    assert_false(figures_moved(&i));
}

static void ratio_to_nothing_is_not_known(void **state)
{
    (void)state;
    const double a[] = {1, 0, 1}, b[] = {1, 1, 1};
    struct figures_interval i = figures_ratio(a, b, 3, 1);
    assert_false(figures_known(&i));
    assert_false(figures_moved(&i));
    i = figures_ratio(a, b, 0, 1);
    assert_false(figures_known(&i));
}

static void verdict_is_that_of_the_table(void **state)
{
    (void)state;
    static const struct figures_interval LESS = {0.8, 0.7, 0.9}, MORE = {1.2, 1.1, 1.3},
                                         SAME = {0.99, 0.9, 1.1}, TOUCHES = {0.9, 0.8, 1},
                                         UNKNOWN = {NAN, NAN, NAN};
    static const struct {
        const struct figures_interval *ratio, *control;
        uint32_t runs;
        enum ab_verdict verdict;
    } ROWS[] = {
        {&LESS, NULL, 6, AB_LESS},        {&MORE, NULL, 6, AB_MORE},
        {&SAME, NULL, 6, AB_SAME},        {&TOUCHES, NULL, 6, AB_SAME},
        {&LESS, NULL, 5, AB_FEW_RUNS},    {&UNKNOWN, NULL, 6, AB_NOT_KNOWN},
        {&LESS, &SAME, 6, AB_LESS},       {&LESS, &TOUCHES, 6, AB_LESS},
        {&LESS, &MORE, 6, AB_HOST_MOVED}, {&SAME, &LESS, 6, AB_HOST_MOVED},
        {&MORE, &UNKNOWN, 6, AB_MORE},    {&UNKNOWN, &LESS, 6, AB_NOT_KNOWN},
        {&LESS, &MORE, 5, AB_FEW_RUNS},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        assert_int_equal(ab_verdict_of(ROWS[i].ratio, ROWS[i].control, ROWS[i].runs),
                         ROWS[i].verdict);
    }
}

// Samples without a run: the n-th round of arm m takes times[m] and a little more each round.
static struct series made_series(struct series_sample *samples, size_t arms, uint32_t runs,
                                 const int64_t *times_ns)
{
    memset(samples, 0, arms * runs * sizeof *samples);
    for (uint32_t run = 0; run < runs; run++) {
        for (size_t arm = 0; arm < arms; arm++) {
            struct series_sample *s = &samples[run * arms + arm];
            s->wall_ns = times_ns[arm] * (100 + run) / 100;
            s->user_ns = s->wall_ns / 2;
            s->system_ns = s->wall_ns / 4;
            s->peak_bytes = 1 << 20;
        }
    }
    return (struct series){.arm_count = arms, .runs = runs, .samples = samples};
}

static void judge_takes_the_arms_of_the_order(void **state)
{
    (void)state;
    struct series_sample samples[4 * 8];
    const int64_t two[] = {1000000, 1500000}, four[] = {1000000, 7000000, 500000, 7000000},
                  moved[] = {1000000, 7000000, 500000, 7700000};
    struct series s = made_series(samples, 2, 8, two);
    struct ab_result r = ab_judge(&s, 1);
    assert_false(r.has_control);
    assert_near(r.rows[AB_WALL].ratio.median, 1.5);
    assert_int_equal(r.rows[AB_WALL].verdict, AB_MORE);
    assert_near(r.rows[AB_CPU].a.median, 0.75e-3 * 1.035);
    assert_int_equal(r.rows[AB_PEAK].verdict, AB_SAME);
    s = made_series(samples, 4, 8, four);
    r = ab_judge(&s, 1);
    assert_true(r.has_control);
    assert_near(r.rows[AB_WALL].ratio.median, 0.5);
    assert_near(r.rows[AB_WALL].control.median, 1);
    assert_int_equal(r.rows[AB_WALL].verdict, AB_LESS);
    s = made_series(samples, 4, 8, moved);
    r = ab_judge(&s, 1);
    assert_int_equal(r.rows[AB_WALL].verdict, AB_HOST_MOVED);
    assert_int_equal(r.rows[AB_PEAK].verdict, AB_SAME);
}

static void judge_knows_upper_bounds(void **state)
{
    (void)state;
    struct series_sample samples[2 * 6];
    const int64_t times[] = {1000000, 1000000};
    struct series s = made_series(samples, 2, 6, times);
    samples[2].peak_is_ours = true; // of a
    struct ab_result r = ab_judge(&s, 1);
    assert_true(r.rows[AB_PEAK].is_bound_a && !r.rows[AB_PEAK].is_bound_b);
    assert_int_equal(r.rows[AB_PEAK].verdict, AB_SAME);
    samples[5].peak_is_ours = true; // of b
    r = ab_judge(&s, 1);
    assert_int_equal(r.rows[AB_PEAK].verdict, AB_NOT_KNOWN);
    assert_false(r.rows[AB_WALL].is_bound_a);
}

static void scale_is_against_the_first_row(void **state)
{
    (void)state;
    struct series_sample samples[3 * 3];
    const int64_t times[] = {6000000, 3000000, 2000000};
    const uint32_t cores[] = {2, 4, 8};
    struct series s = made_series(samples, 3, 3, times);
    struct scale_row row = scale_row_of(&s, cores, 0, 606, 1212);
    assert_near(row.speed_up, 1);
    assert_near(row.efficiency, 1);
    assert_near(row.wall.median, 6.06e-3);
    assert_near(row.packets_per_s, 100000);
    assert_near(row.bytes_per_s, 200000);
    row = scale_row_of(&s, cores, 1, 606, 1212);
    assert_near(row.speed_up, 2);
    assert_near(row.efficiency, 1);
    row = scale_row_of(&s, cores, 2, 0, 1212);
    assert_near(row.speed_up, 3);
    assert_near(row.efficiency, 0.75);
    assert_true(isnan(row.packets_per_s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentile_lies_between_the_nearest_ranks),
        cmocka_unit_test(figures_of_any_order),
        cmocka_unit_test(bootstrap_follows_the_binomial_distribution),
        cmocka_unit_test(bootstrap_of_a_sample_is_what_another_program_calculates),
        cmocka_unit_test(ratio_is_of_pairs),
        cmocka_unit_test(ratio_to_nothing_is_not_known),
        cmocka_unit_test(verdict_is_that_of_the_table),
        cmocka_unit_test(judge_takes_the_arms_of_the_order),
        cmocka_unit_test(judge_knows_upper_bounds),
        cmocka_unit_test(scale_is_against_the_first_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
