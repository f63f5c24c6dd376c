// Medians, percentiles, and the bootstrap.
#include "lab/figures.h"

#include "base/memory.h"
#include "base/random.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double *sorted_copy(const double *values, size_t n)
{
    double *copy = memory_alloc(n * sizeof *copy);
    memcpy(copy, values, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, by_value);
    return copy;
}

double figures_percentile(const double *sorted, size_t n, double share)
{
    assert(n > 0 && share >= 0 && share <= 1);
    double rank = share * (double)(n - 1);
    size_t below = (size_t)rank;
    double part = rank - (double)below;
    return part > 0 ? sorted[below] + part * (sorted[below + 1] - sorted[below]) : sorted[below];
}

struct figures figures_of(const double *values, size_t n)
{
    double *sorted = sorted_copy(values, n);
    struct figures f = {
        .median = figures_percentile(sorted, n, 0.5),
        .minimum = sorted[0],
        .maximum = sorted[n - 1],
    };
    memory_free(sorted);
    return f;
}

double figures_median(const double *values, size_t n)
{
    return figures_of(values, n).median;
}

// The median of one sample with replacement. The values are sorted, so it is enough to count how
// often each was drawn and to walk to the middle.
static double resampled_median(const double *sorted, size_t n, uint32_t *drawn, struct random *r)
{
    memset(drawn, 0, n * sizeof *drawn);
    for (size_t i = 0; i < n; i++) {
        drawn[random_below(r, n)]++;
    }
    size_t passed = 0, at = 0;
    while (passed + drawn[at] <= (n - 1) / 2) {
        passed += drawn[at++];
    }
    double lower = sorted[at];
    while (passed + drawn[at] <= n / 2) {
        passed += drawn[at++];
    }
    return (lower + sorted[at]) / 2;
}

struct figures_interval figures_bootstrap(const double *values, size_t n, uint64_t seed)
{
    double *sorted = sorted_copy(values, n);
    double *medians = memory_alloc(FIGURES_RESAMPLES * sizeof *medians);
    uint32_t *drawn = memory_alloc(n * sizeof *drawn);
    struct random random;
    random_init(&random, seed);
    for (size_t i = 0; i < FIGURES_RESAMPLES; i++) {
        medians[i] = resampled_median(sorted, n, drawn, &random);
    }
    qsort(medians, FIGURES_RESAMPLES, sizeof *medians, by_value);
    struct figures_interval interval = {
        .median = figures_percentile(sorted, n, 0.5),
        .low = figures_percentile(medians, FIGURES_RESAMPLES, 0.025),
        .high = figures_percentile(medians, FIGURES_RESAMPLES, 0.975),
    };
    memory_free(drawn);
    memory_free(medians);
    memory_free(sorted);
    return interval;
}

struct figures_interval figures_ratio(const double *a, const double *b, size_t n, uint64_t seed)
{
    struct figures_interval interval = {NAN, NAN, NAN};
    double *ratios = memory_alloc(n * sizeof *ratios);
    bool known = n > 0;
    for (size_t i = 0; i < n; i++) {
        known = known && a[i] > 0;
        ratios[i] = known ? b[i] / a[i] : 0;
    }
    if (known) {
        interval = figures_bootstrap(ratios, n, seed);
    }
    memory_free(ratios);
    return interval;
}

bool figures_known(const struct figures_interval *i)
{
    return !isnan(i->median);
}

bool figures_moved(const struct figures_interval *i)
{
    return figures_known(i) && (i->low > 1 || i->high < 1);
}
