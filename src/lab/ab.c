// The verdict over two programs.
#include "lab/ab.h"

#include "base/memory.h"

#include <math.h>

static const enum series_measure MEASURES[AB_MEASURES] = {
    [AB_WALL] = SERIES_WALL,
    [AB_CPU] = SERIES_CPU,
    [AB_PEAK] = SERIES_PEAK,
};

enum ab_verdict ab_verdict_of(const struct figures_interval *ratio,
                              const struct figures_interval *control, uint32_t runs)
{
    if (!figures_known(ratio)) {
        return AB_NOT_KNOWN;
    }
    if (runs < FIGURES_PAIRS_MIN) {
        return AB_FEW_RUNS;
    }
    if (control && figures_moved(control)) {
        return AB_HOST_MOVED;
    }
    return !figures_moved(ratio) ? AB_SAME : ratio->high < 1 ? AB_LESS : AB_MORE;
}

static struct figures_interval ratio_of(const struct series *s, size_t a, size_t b,
                                        enum series_measure measure, uint64_t seed)
{
    double *values = memory_alloc(2 * (size_t)s->runs * sizeof *values);
    series_values(s, a, measure, values);
    series_values(s, b, measure, values + s->runs);
    struct figures_interval ratio = figures_ratio(values, values + s->runs, s->runs, seed);
    memory_free(values);
    return ratio;
}

static struct figures figures_of_arm(const struct series *s, size_t arm,
                                     enum series_measure measure)
{
    double *values = memory_alloc(s->runs * sizeof *values);
    series_values(s, arm, measure, values);
    struct figures figures = figures_of(values, s->runs);
    memory_free(values);
    return figures;
}

struct ab_result ab_judge(const struct series *s, uint64_t seed)
{
    struct ab_result result = {
        .has_control = s->arm_count > AB_CONTROL_B, .runs = s->runs, .seed = seed};
    size_t b = result.has_control ? AB_B_CONTROLLED : AB_B;
    for (int i = 0; i < AB_MEASURES; i++) {
        struct ab_row *row = &result.rows[i];
        row->a = figures_of_arm(s, AB_A, MEASURES[i]);
        row->b = figures_of_arm(s, b, MEASURES[i]);
        row->ratio = ratio_of(s, AB_A, b, MEASURES[i], seed);
        row->control = (struct figures_interval){NAN, NAN, NAN};
        if (result.has_control) {
            row->control = ratio_of(s, AB_CONTROL_A, AB_CONTROL_B, MEASURES[i], seed);
        }
        row->is_bound_a = i == AB_PEAK && series_peak_is_bound(s, AB_A);
        row->is_bound_b = i == AB_PEAK && series_peak_is_bound(s, b);
        row->verdict =
            ab_verdict_of(&row->ratio, result.has_control ? &row->control : NULL, s->runs);
        if (row->is_bound_a && row->is_bound_b) {
            row->verdict = AB_NOT_KNOWN;
        }
    }
    return result;
}
