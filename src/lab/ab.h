// Which of two programs needs less: pairs of runs, their ratios, and whether the machine held
// still.
//
// Comes in: the samples of a series of two arms, A and B; or of four, A, control, B, control. Goes
// out: for wall-clock time, processor time and peak of memory the median of the ratios B / A with
// its interval, and a verdict. The control is one program measured twice in each round, beside A
// and beside B: where its own ratio is not 1, the machine favoured one of the two places, and
// nothing is said of A and B.
#ifndef SIDETONE_LAB_AB_H
#define SIDETONE_LAB_AB_H

#include "lab/figures.h"
#include "lab/series.h"

// Places of arms in a series.
enum ab_arm {
    AB_A,
    AB_B, // without a control
    AB_CONTROL_A = 1,
    AB_B_CONTROLLED,
    AB_CONTROL_B,
};

enum ab_measure {
    AB_WALL,
    AB_CPU,
    AB_PEAK,
    AB_MEASURES,
};

enum ab_verdict {
    AB_LESS, // b needs less than a: it is faster, or smaller
    AB_MORE,
    AB_SAME,       // no difference shown
    AB_HOST_MOVED, // the control's interval leaves out 1
    AB_FEW_RUNS,   // fewer than FIGURES_PAIRS_MIN pairs
    AB_NOT_KNOWN,  // too small to be measured: a's figure is 0, or both are upper bounds
};

struct ab_row {
    struct figures a, b;                    // seconds, or bytes
    struct figures_interval ratio, control; // not known: without a control, or too small
    bool is_bound_a, is_bound_b;            // a peak is an upper bound: see lab/child.h
    enum ab_verdict verdict;
};

struct ab_result {
    struct ab_row rows[AB_MEASURES];
    bool has_control;
    uint32_t runs;
    uint64_t seed;
};

// Judges a series with at least one whole round; two arms or four.
struct ab_result ab_judge(const struct series *s, uint64_t seed);

// What the interval of a ratio says, that of the control (NULL: none) beside it.
enum ab_verdict ab_verdict_of(const struct figures_interval *ratio,
                              const struct figures_interval *control, uint32_t runs);

#endif
