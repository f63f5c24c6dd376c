// Few numbers out of many: what samples say, and how sure that is.
//
// Percentiles are interpolated between the two nearest ranks, as numpy's default does (Hyndman and
// Fan 1996, definition 7). How sure a median is comes from the bootstrap, percentile method (Efron
// and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13): draw n of the n values with
// replacement, take the median, do so 10,000 times; the middle 95 % of those medians are the
// interval. No distribution is assumed, and the generator has a seed, so that the same samples give
// the same interval.
#ifndef SIDETONE_LAB_FIGURES_H
#define SIDETONE_LAB_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIGURES_RESAMPLES 10000u
#define FIGURES_SEED      1u // where nobody wishes another

// Pairs from which on an interval is believed. Not fewer: of five fair coins all fall on the same
// side in one of 16 cases, more often than in 5 % of them. Not more: runs cost time.
#define FIGURES_PAIRS_MIN 6u

struct figures {
    double median, minimum, maximum;
};

struct figures_interval {
    double median, low, high; // of 95 %; all NaN: not known
};

// `share` from 0 to 1; `sorted` in rising order, n at least 1.
double figures_percentile(const double *sorted, size_t n, double share);

// n at least 1, in any order.
struct figures figures_of(const double *values, size_t n);
double figures_median(const double *values, size_t n);

// The median of n values (at least 1) and its bootstrap interval.
struct figures_interval figures_bootstrap(const double *values, size_t n, uint64_t seed);

// The same of the ratios b[i] / a[i]; not known where an a[i] is not above 0.
struct figures_interval figures_ratio(const double *a, const double *b, size_t n, uint64_t seed);

bool figures_known(const struct figures_interval *i);

// Does the interval leave out 1?
bool figures_moved(const struct figures_interval *i);

#endif
