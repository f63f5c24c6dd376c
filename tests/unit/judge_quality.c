// Tests of the E-model: values that G.107 and G.113 give, and the limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/quality.h"

#include <math.h>

static bool is_near(double have, double want, double tolerance)
{
    if (fabs(have - want) <= tolerance) {
        return true;
    }
    print_error("%.6f is not %.6f\n", have, want);
    return false;
}

static struct quality score(enum codec codec, uint64_t lacking, uint64_t expected,
                            double burst_ratio)
{
    return quality_score(&(struct quality_input){.codec = codec,
                                                 .lacking = lacking,
                                                 .expected = expected,
                                                 .burst_ratio = burst_ratio,
                                                 .one_way_ms = NAN,
                                                 .payload_bytes = NAN,
                                                 .packet_ms = NAN});
}

static void quality_score_of_random_loss_is_that_of_the_recommendation(void **state)
{
    (void)state;
    static const unsigned PERCENT[] = {0, 1, 2, 5, 10};
    static const struct {
        enum codec codec;
        double r[5], mos[5];
    } ROWS[] = {
        {CODEC_PCMU, {93.20, 89.56, 86.19, 77.42, 66.13}, {4.409, 4.328, 4.235, 3.923, 3.411}},
        {CODEC_PCMA, {93.20, 89.56, 86.19, 77.42, 66.13}, {4.409, 4.328, 4.235, 3.923, 3.411}},
        {CODEC_G729, {82.20, 78.00, 74.20, 64.70, 53.23}, {4.104, 3.946, 3.787, 3.340, 2.745}},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        for (size_t k = 0; k < 5; k++) {
            struct quality q = score(ROWS[i].codec, PERCENT[k] * 10, 1000, 1);
            assert_null(q.missing);
            assert_true(is_near(q.r_factor, ROWS[i].r[k], 0.00501));
            assert_true(is_near(q.mos, ROWS[i].mos[k], 0.000501));
        }
    }
}

static void quality_burst_ratio_of_1000_packets_with_11_runs_is_that_of_the_definition(void **state)
{
    (void)state;
    // 20 of 1,000 lost in 11 runs: (20 / 11) * (1 - 0.02).
    double ratio = quality_burst_ratio(20, 1000, 11);
    assert_true(is_near(ratio, 1.782, 0.0005));
    struct quality q = score(CODEC_PCMU, 20, 1000, ratio);
    assert_true(is_near(q.r_factor, 85.95, 0.005));
    assert_true(is_near(q.mos, 4.228, 0.0005));
}

static void quality_burst_ratio_is_never_below_1(void **state)
{
    (void)state;
    assert_true(quality_burst_ratio(0, 1000, 0) == 1);
    assert_true(quality_burst_ratio(0, 0, 0) == 1);
    assert_true(quality_burst_ratio(10, 1000, 10) == 1); // single losses
    assert_true(quality_burst_ratio(500, 1000, 500) == 1);
    assert_true(quality_burst_ratio(1000, 1000, 1) == 1); // all: nothing is random any more
    assert_true(quality_burst_ratio(999, 1000, 1) == 1);
    assert_true(is_near(quality_burst_ratio(50, 3000, 1), 50 * (1 - 50.0 / 3000), 1e-9));
}

static void quality_score_at_the_limits_stays_in_range(void **state)
{
    (void)state;
    for (uint64_t lost = 0; lost <= 1000; lost++) {
        for (double ratio = 1; ratio < 1000; ratio *= 3) {
            struct quality q = score(CODEC_PCMU, lost, 1000, ratio);
            assert_null(q.missing);
            assert_true(q.mos >= 1 && q.mos <= 4.5 && q.r_factor <= 93.2);
        }
    }
    struct quality none = score(CODEC_PCMU, 1000, 1000, 1);
    assert_true(is_near(none.r_factor, 93.2 - 95 * 100 / (100 + 25.1), 1e-9));
    struct quality all = score(CODEC_G729, 1000, 1000, 1);
    assert_true(all.mos >= 1 && all.mos < 1.5);
}

static void quality_score_falls_with_loss_and_with_bursts(void **state)
{
    (void)state;
    double before = 100;
    for (uint64_t lost = 0; lost <= 1000; lost++) {
        double r = score(CODEC_PCMA, lost, 1000, 1).r_factor;
        assert_true(r < before);
        before = r;
        assert_true(lost == 0 || score(CODEC_PCMA, lost, 1000, 2).r_factor < r);
    }
}

static void quality_mos_is_that_of_annex_b(void **state)
{
    (void)state;
    static const double R[] = {-10, 0, 3, 6.5, 50, 60, 80, 93.2, 100, 120};
    static const double MOS[] = {1, 1, 1, 1, 2.575, 3.1, 4.024, 4.409, 4.5, 4.5};
    for (size_t i = 0; i < sizeof R / sizeof R[0]; i++) {
        assert_true(is_near(quality_mos(R[i]), MOS[i], 0.0051));
    }
    double before = 0;
    for (double r = -5; r < 105; r += 0.1) {
        double mos = quality_mos(r);
        assert_true(mos >= before && mos >= 1 && mos <= 4.5);
        before = mos;
    }
}

static void quality_score_without_published_values_says_why(void **state)
{
    (void)state;
    for (int codec = 0; codec < CODEC_COUNT; codec++) {
        struct quality q = score((enum codec)codec, 5, 1000, 1);
        bool is_known = codec == CODEC_PCMU || codec == CODEC_PCMA || codec == CODEC_G729 ||
                        codec == CODEC_G723 || codec == CODEC_GSM_EFR;
        assert_true((q.missing == NULL) == is_known);
        assert_true(q.missing || (q.mos > 1 && q.mos < 4.5));
    }
    assert_non_null(score(CODEC_UNKNOWN, 0, 100, 1).missing);
    assert_non_null(score(CODEC_VP8, 0, 100, 1).missing);
    assert_string_not_equal(score(CODEC_VP8, 0, 100, 1).missing,
                            score(CODEC_OPUS, 0, 100, 1).missing);
    assert_non_null(score(CODEC_PCMU, 0, 0, 1).missing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quality_score_of_random_loss_is_that_of_the_recommendation),
        cmocka_unit_test(
            quality_burst_ratio_of_1000_packets_with_11_runs_is_that_of_the_definition),
        cmocka_unit_test(quality_burst_ratio_is_never_below_1),
        cmocka_unit_test(quality_score_at_the_limits_stays_in_range),
        cmocka_unit_test(quality_score_falls_with_loss_and_with_bursts),
        cmocka_unit_test(quality_mos_is_that_of_annex_b),
        cmocka_unit_test(quality_score_without_published_values_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
