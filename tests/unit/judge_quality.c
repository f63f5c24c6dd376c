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

// Codecs with one mode, and what G.113 says of them; Bpl 0: none.
static const struct {
    enum codec codec;
    double ie, bpl;
} ONE_MODE[] = {
    {CODEC_PCMU, 0, 25.1}, {CODEC_PCMA, 0, 25.1}, {CODEC_G729, 11, 19}, {CODEC_GSM_EFR, 5, 10},
    {CODEC_GSM, 20, 0},    {CODEC_GSM_HR, 23, 0}, {CODEC_G728, 7, 0},   {CODEC_G722, 13, 0},
};

static bool has_modes(int codec)
{
    return codec == CODEC_G723 || codec == CODEC_G726 || codec == CODEC_AMR ||
           codec == CODEC_AMR_WB;
}

static void quality_score_of_codecs_with_one_mode_is_by_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ONE_MODE / sizeof ONE_MODE[0]; i++) {
        double ie = ONE_MODE[i].ie;
        double bpl = ONE_MODE[i].bpl;
        struct quality none = score(ONE_MODE[i].codec, 0, 1000, 1);
        assert_null(none.missing);
        bool is_wideband = ONE_MODE[i].codec == CODEC_G722;
        assert_string_equal(none.model, is_wideband ? "G.107.1" : "G.107");
        assert_true(is_near(none.r_factor, (is_wideband ? 129 : 93.2) - ie, 1e-9));
        struct quality some = score(ONE_MODE[i].codec, 20, 1000, 1);
        assert_true((some.missing == NULL) == (bpl > 0));
        assert_true(bpl == 0 ||
                    is_near(some.r_factor, 93.2 - ie - (95 - ie) * 2 / (2 + bpl), 1e-9));
    }
}

static void quality_score_without_published_values_says_why(void **state)
{
    (void)state;
    for (int codec = 0; codec < CODEC_COUNT; codec++) {
        struct quality q = score((enum codec)codec, 0, 1000, 1);
        bool is_known = false;
        for (size_t i = 0; i < sizeof ONE_MODE / sizeof ONE_MODE[0]; i++) {
            is_known = is_known || (int)ONE_MODE[i].codec == codec;
        }
        assert_true((q.missing == NULL) == is_known);
        assert_true(q.missing || (q.mos > 1 && q.mos < 4.5));
        assert_true(!has_modes(codec) || strstr(q.missing, "several modes") != NULL);
    }
    assert_non_null(score(CODEC_UNKNOWN, 0, 100, 1).missing);
    assert_non_null(score(CODEC_PCMU, 0, 0, 1).missing);
    assert_non_null(strstr(score(CODEC_VP8, 0, 100, 1).missing, "video"));
    assert_non_null(strstr(score(CODEC_EVENT, 0, 100, 1).missing, "speech"));
    assert_non_null(strstr(score(CODEC_T140, 0, 100, 1).missing, "text"));
    assert_non_null(strstr(score(CODEC_RTX, 0, 100, 1).missing, "repair"));
    assert_non_null(strstr(score(CODEC_FEC, 0, 100, 1).missing, "repair"));
    assert_non_null(strstr(score(CODEC_GSM, 1, 100, 1).missing, "lacking"));
    assert_string_not_equal(score(CODEC_EVS, 0, 100, 1).missing,
                            score(CODEC_OPUS, 0, 100, 1).missing);
}

static struct quality score_sized(enum codec codec, double payload_bytes, double packet_ms,
                                  uint64_t lacking, double one_way_ms)
{
    return quality_score(&(struct quality_input){.codec = codec,
                                                 .lacking = lacking,
                                                 .expected = 1000,
                                                 .burst_ratio = 1,
                                                 .one_way_ms = one_way_ms,
                                                 .payload_bytes = payload_bytes,
                                                 .packet_ms = packet_ms});
}

// Sizes: RFC 3551 4.5.3 and 4.5.4, RFC 4867 4.3 (bandwidth-efficient) and 4.4 (octet-aligned).
static void quality_score_of_codecs_with_modes_is_by_the_size_of_packets(void **state)
{
    (void)state;
    static const struct {
        enum codec codec;
        double bytes, ms, ie; // ie NaN: no values of the mode
    } ROWS[] = {
        {CODEC_G723, 24, 30, 15},       {CODEC_G723, 48, 60, 15},
        {CODEC_G723, 23.6, 30, 15},     {CODEC_G723, 20, 30, 19},
        {CODEC_G726, 40, 20, 50},       {CODEC_G726, 60, 20, 25},
        {CODEC_G726, 80, 20, 7},        {CODEC_G726, 100, 20, 2},
        {CODEC_G726, 120, 30, 7},       {CODEC_G726, 79, 20, 7},
        {CODEC_AMR, 32, 20, 5},         {CODEC_AMR, 33, 20, 5},
        {CODEC_AMR, 31.8, 20, 5},       {CODEC_AMR, 63, 40, 5},
        {CODEC_AMR, 65, 40, 5},         {CODEC_AMR, 20, 20, 10},
        {CODEC_AMR, 21, 20, 10},        {CODEC_AMR, 14, 20, NAN},
        {CODEC_AMR, 27, 20, NAN},       {CODEC_AMR_WB, 61, 20, 10},
        {CODEC_AMR_WB, 62, 20, 10},     {CODEC_AMR_WB, 59, 20, 8},
        {CODEC_AMR_WB, 60, 20, 8},      {CODEC_AMR_WB, 33, 20, 20},
        {CODEC_AMR_WB, 34, 20, 20},     {CODEC_AMR_WB, 18, 20, 56},
        {CODEC_AMR_WB, 23, 20, NAN},    {CODEC_AMR_WB, 24, 20, 41},
        {CODEC_AMR_WB, 41, 20, 17},     {CODEC_AMR_WB, 51, 20, NAN},
        {CODEC_AMR_WB, 66, 40, 20},     {CODEC_AMR, 26, 20, NAN},
        {CODEC_AMR, 32, 25, NAN},       {CODEC_G726, 90, 20, NAN},
        {CODEC_G723, 22, 30, NAN},      {CODEC_AMR, 32, NAN, NAN},
        {CODEC_AMR, NAN, 20, NAN},      {CODEC_AMR_WB, 0, 0, NAN},
        {CODEC_G726, -1, 20, NAN},      {CODEC_G726, 80, INFINITY, NAN},
        {CODEC_AMR, 1e300, 1e300, NAN},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct quality q = score_sized(ROWS[i].codec, ROWS[i].bytes, ROWS[i].ms, 0, NAN);
        bool is_wideband = ROWS[i].codec == CODEC_AMR_WB;
        if (isnan(ROWS[i].ie)) {
            assert_non_null(q.missing);
            continue;
        }
        assert_null(q.missing);
        assert_string_equal(q.model, is_wideband ? "G.107.1" : "G.107");
        assert_true(is_near(q.r_factor, (is_wideband ? 129 : 93.2) - ROWS[i].ie, 1e-9));
    }
    assert_string_not_equal(score_sized(CODEC_AMR, 27, 20, 0, NAN).missing,
                            score_sized(CODEC_AMR, 26, 20, 0, NAN).missing);
}

static void quality_score_of_amr_wb_with_loss_is_that_of_both_ears(void **state)
{
    (void)state;
    // Ie,WB 20, Bpl,WB 4.3, 2 % lost: Ie,eff,WB 43.81.
    struct quality q = score_sized(CODEC_AMR_WB, 33, 20, 20, NAN);
    assert_null(q.missing);
    assert_true(is_near(q.r_factor, 129 - 43.8095, 5e-5));
    assert_true(is_near(q.mos, 3.4062, 5e-5));
    assert_non_null(score_sized(CODEC_AMR_WB, 41, 20, 20, NAN).missing);
    struct quality_input bursts = {CODEC_AMR_WB, 20, 1000, 5, NAN, 33, 20};
    assert_true(quality_score(&bursts).r_factor == q.r_factor); // no burst ratio in G.107.1
}

static void quality_score_with_delay_is_that_of_the_full_model(void **state)
{
    (void)state;
    struct quality none = score_sized(CODEC_PCMU, 160, 20, 0, NAN);
    struct quality q = score_sized(CODEC_PCMU, 160, 20, 0, 150);
    assert_true(is_near(q.r_factor, 93.2 - 93.2062 + 89.5391, 1e-4));
    assert_true(is_near(q.mos, 4.3274, 5e-5));
    q = score_sized(CODEC_PCMU, 160, 20, 0, 400);
    assert_true(is_near(q.mos, 3.2153, 1e-4));
    assert_true(score_sized(CODEC_PCMU, 160, 20, 0, 0).r_factor == none.r_factor);
    q = score_sized(CODEC_AMR_WB, 33, 20, 0, 200);
    assert_true(is_near(q.r_factor, 129 - 20 - 6.1149, 2e-4));
}

// Loss, bursts and delay, each alone and together: never a better score for more of it, never a
// number out of range.
static void quality_score_never_rises_with_what_makes_it_worse(void **state)
{
    (void)state;
    static const enum codec CODECS[] = {CODEC_PCMU, CODEC_G729, CODEC_G723, CODEC_AMR,
                                        CODEC_AMR_WB};
    static const double BYTES[] = {160, 20, 24, 32, 33};
    for (size_t c = 0; c < sizeof CODECS / sizeof CODECS[0]; c++) {
        for (uint64_t lost = 0; lost <= 1000; lost += lost < 20 ? 1 : 49) {
            for (double burst = 1; burst < 2000; burst *= 3) {
                for (double ms = 0; ms < 2000; ms = ms * 1.7 + 3) {
                    struct quality_input in = {CODECS[c],
                                               lost,
                                               1000,
                                               burst,
                                               ms,
                                               BYTES[c],
                                               CODECS[c] == CODEC_G723 ? 30 : 20};
                    struct quality q = quality_score(&in);
                    assert_null(q.missing);
                    assert_true(q.mos >= 1 && q.mos <= 4.5);
                    assert_true(q.r_factor >= 0 && q.r_factor <= 129);
                    struct quality_input worse[] = {in, in, in};
                    worse[0].lacking += 1;
                    worse[1].burst_ratio *= 1.5;
                    worse[2].one_way_ms += 5;
                    for (size_t k = 0; k < 3; k++) {
                        assert_true(quality_score(&worse[k]).r_factor <= q.r_factor);
                        assert_true(quality_score(&worse[k]).mos <= q.mos);
                    }
                }
            }
        }
    }
}

static void quality_score_of_any_input_is_a_score_or_a_reason(void **state)
{
    (void)state;
    static const double ODD[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e-300, 1e300, 20, 160};
    static const uint64_t COUNTS[] = {0, 1, 1000, UINT64_MAX};
    const size_t ODDS = sizeof ODD / sizeof ODD[0];
    for (int codec = -1; codec <= CODEC_COUNT; codec++) {
        for (size_t i = 0; i < ODDS * ODDS * ODDS; i++) {
            struct quality_input in = {
                .codec = (enum codec)codec,
                .lacking = COUNTS[i % 4],
                .expected = COUNTS[i / 4 % 4],
                .burst_ratio = ODD[i % ODDS],
                .one_way_ms = ODD[i / ODDS % ODDS],
                .payload_bytes = ODD[i / ODDS / ODDS],
                .packet_ms = ODD[(i + 5) % ODDS],
            };
            struct quality q = quality_score(&in);
            assert_true(q.missing || (q.mos >= 1 && q.mos <= 4.5 && q.r_factor >= 0 &&
                                      q.r_factor <= 129 && q.model));
        }
    }
    assert_true(quality_burst_ratio(5, 1, 1) == 1);
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
        cmocka_unit_test(quality_score_of_codecs_with_one_mode_is_by_the_table),
        cmocka_unit_test(quality_score_without_published_values_says_why),
        cmocka_unit_test(quality_score_of_codecs_with_modes_is_by_the_size_of_packets),
        cmocka_unit_test(quality_score_of_amr_wb_with_loss_is_that_of_both_ears),
        cmocka_unit_test(quality_score_with_delay_is_that_of_the_full_model),
        cmocka_unit_test(quality_score_never_rises_with_what_makes_it_worse),
        cmocka_unit_test(quality_score_of_any_input_is_a_score_or_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
