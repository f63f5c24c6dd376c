// Tests of the formulas of the E-model: values of the Recommendations, and that nothing they are
// given breaks them.
//
// Values with four decimals were worked out from the same equations in another language. Those with
// a source are published: the rating of 93.2, the lower limits of MOS of G.107 table B.1.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/emodel.h"

#include <math.h>
#include <stdbool.h>

static bool is_near(double have, double want, double tolerance)
{
    if (fabs(have - want) <= tolerance) {
        return true;
    }
    print_error("%.6f is not %.6f\n", have, want);
    return false;
}

static void emodel_rating_at_default_values_is_the_published_93_2(void **state)
{
    (void)state;
    assert_true(is_near(emodel_rating(0), 93.2, 0.05)); // G.107 7.7, rounded there
    assert_true(is_near(emodel_rating(0), 93.2062, 5e-5));
    assert_true(is_near(emodel_rating(0), EMODEL_R_NARROWBAND, 0.05));
    assert_true(is_near(emodel_mos(emodel_rating(0)), 4.41, 0.005)); // G.107 7.7
}

static void emodel_rating_falls_with_delay_as_worked_out(void **state)
{
    (void)state;
    static const double ROWS[][2] = {{10, 92.8479},  {50, 91.7562},  {100, 90.6637}, {150, 89.5391},
                                     {200, 85.8047}, {250, 79.1771}, {300, 72.6664}, {400, 62.2468},
                                     {500, 54.8032}, {1000, 39.0765}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        assert_true(is_near(emodel_rating(ROWS[i][0]), ROWS[i][1], 5e-5));
        assert_true(is_near(emodel_delay(ROWS[i][0]), 93.2062 - ROWS[i][1], 1e-4));
    }
}

static void emodel_delay_wideband_is_as_worked_out(void **state)
{
    (void)state;
    static const double ROWS[][2] = {
        {0, 0},        {10, 0.2259},   {50, 0.9463},   {100, 1.3310},   {150, 2.0087},
        {200, 6.1149}, {300, 21.8629}, {400, 34.3832}, {1000, 61.9315},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        assert_true(is_near(emodel_delay_wideband(ROWS[i][0]), ROWS[i][1], 1.1e-4));
    }
}

// A delay that is none, absurd or a lie gives a number, and a longer one never a better score.
static void emodel_delay_never_falls_and_bears_any_number(void **state)
{
    (void)state;
    static double (*const DELAY[])(double) = {emodel_delay, emodel_delay_wideband};
    static const double NOTHING[] = {0, -1, -INFINITY, NAN};
    for (size_t k = 0; k < 2; k++) {
        double before = 0;
        for (double ms = 0; ms < 2 * EMODEL_DELAY_MAX_MS; ms += ms < 10 ? 0.01 : ms / 500) {
            double id = DELAY[k](ms);
            assert_true(isfinite(id) && id >= before);
            before = id;
        }
        for (size_t i = 0; i < sizeof NOTHING / sizeof NOTHING[0]; i++) {
            assert_true(DELAY[k](NOTHING[i]) == 0);
        }
        assert_true(DELAY[k](INFINITY) == DELAY[k](EMODEL_DELAY_MAX_MS));
        assert_true(DELAY[k](1e300) == DELAY[k](EMODEL_DELAY_MAX_MS));
    }
}

static void emodel_mos_is_that_of_annex_b(void **state)
{
    (void)state;
    // Table B.1 has the limits 90, 80, 70, 60, 50 with two decimals.
    static const double R[] = {-10, 0, 3, 6.5, 50, 60, 70, 80, 90, 93.2, 100, 120};
    static const double MOS[] = {1, 1, 1, 1, 2.58, 3.10, 3.60, 4.03, 4.34, 4.41, 4.5, 4.5};
    for (size_t i = 0; i < sizeof R / sizeof R[0]; i++) {
        assert_true(is_near(emodel_mos(R[i]), MOS[i], 0.0061));
    }
    assert_true(is_near(emodel_mos(93.2), 4.409, 0.0005));
    double before = 0;
    for (double r = -5; r < 135; r += 0.01) {
        double mos = emodel_mos(r);
        assert_true(mos >= before && mos >= 1 && mos <= 4.5);
        before = mos;
    }
    assert_true(emodel_mos(NAN) == 1 && emodel_mos(INFINITY) == 4.5 && emodel_mos(-INFINITY) == 1);
}

// R = 129 - Ie,WB, for the values of G.113 Appendix IV.
static void emodel_mos_wideband_is_that_of_annex_a(void **state)
{
    (void)state;
    static const double ROWS[][2] = {{129, 4.5},    {128, 4.4940}, {121, 4.4206},
                                     {116, 4.3371}, {88, 3.5123},  {73, 2.9220}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        assert_true(is_near(emodel_mos_wideband(ROWS[i][0]), ROWS[i][1], 5e-5));
    }
}

static void emodel_equipment_is_that_of_equation_7_29(void **state)
{
    (void)state;
    assert_true(is_near(emodel_equipment(11, 19, 0, 1), 11, 1e-12));
    assert_true(is_near(emodel_equipment(0, 25.1, 2, 1), 95 * 2 / 27.1, 1e-12));
    assert_true(is_near(emodel_equipment(0, 25.1, 2, 2), 95 * 2 / 26.1, 1e-12));
    assert_true(is_near(emodel_equipment(20, 4.3, 2, 1), 43.8095, 5e-5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emodel_rating_at_default_values_is_the_published_93_2),
        cmocka_unit_test(emodel_rating_falls_with_delay_as_worked_out),
        cmocka_unit_test(emodel_delay_wideband_is_as_worked_out),
        cmocka_unit_test(emodel_delay_never_falls_and_bears_any_number),
        cmocka_unit_test(emodel_mos_is_that_of_annex_b),
        cmocka_unit_test(emodel_mos_wideband_is_that_of_annex_a),
        cmocka_unit_test(emodel_equipment_is_that_of_equation_7_29),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
