// The verdict of the gate: what was measured held against what was recorded.
//
// Pure: no clock, no file. Figures are compared only where everything they depend on is the same;
// what is not is named, each by its own bit.
#ifndef SIDETONE_LAB_GATE_H
#define SIDETONE_LAB_GATE_H

#include "lab/baseline.h"

enum gate_unlike { // bits
    GATE_CORPUS = 1,
    GATE_ARGUMENTS = 2,
    GATE_CORES = 4,
    GATE_BUILD = 8,
    GATE_ARCHITECTURE = 16,
    GATE_CPU = 32,
    GATE_PROCESSORS = 64,
};
#define GATE_UNLIKES 7 // bits of them

enum gate_end {
    GATE_GOOD,
    GATE_STALE,  // good, and so far below the baseline that it guards nothing any more
    GATE_ABOVE,  // slower, larger, or both
    GATE_UNLIKE, // cannot be compared
};

struct gate_verdict {
    enum gate_end end;
    unsigned unlike;        // GATE_UNLIKE: enum gate_unlike
    bool is_slow, is_large; // GATE_ABOVE
    double ratio_allowed;   // the recorded ratio and the tolerance
    uint64_t peak_allowed;  // likewise
    double ratio_change;    // share: 0.1 is a tenth slower than recorded
    double peak_change;
};

struct gate_verdict gate_judge(const struct baseline *b, const struct baseline_terms *terms,
                               const struct baseline_figures *measured);

// "another corpus", for one bit.
const char *gate_unlike_text(enum gate_unlike bit);

// May these figures replace the recorded ones without a word of why? Not if one of them is worse,
// nor if the two cannot be compared.
bool gate_may_replace(const struct gate_verdict *v);

#endif
