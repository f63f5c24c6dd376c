// The table of what makes two figures unlike, and the comparison.
#include "lab/gate.h"

#include <string.h>

static const char *const UNLIKES[GATE_UNLIKES] = {
    "another corpus",
    "other arguments",
    "another number of cores",
    "another build",
    "another architecture",
    "another processor model",
    "another number of processors",
};

const char *gate_unlike_text(enum gate_unlike bit)
{
    return UNLIKES[__builtin_ctz(bit)];
}

static unsigned unlikes(const struct baseline_terms *a, const struct baseline_terms *b)
{
    const struct {
        bool is_same;
        enum gate_unlike bit;
    } rows[] = {
        {a->corpus_bytes == b->corpus_bytes && strcmp(a->sha256, b->sha256) == 0, GATE_CORPUS},
        {strcmp(a->arguments, b->arguments) == 0, GATE_ARGUMENTS},
        {a->cores == b->cores, GATE_CORES},
        {strcmp(a->build, b->build) == 0, GATE_BUILD},
        {strcmp(a->architecture, b->architecture) == 0, GATE_ARCHITECTURE},
        {strcmp(a->cpu, b->cpu) == 0, GATE_CPU},
        {a->processors == b->processors, GATE_PROCESSORS},
    };
    unsigned bits = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bits |= rows[i].is_same ? 0 : (unsigned)rows[i].bit;
    }
    return bits;
}

struct gate_verdict gate_judge(const struct baseline *b, const struct baseline_terms *terms,
                               const struct baseline_figures *measured)
{
    struct gate_verdict v = {
        .end = GATE_GOOD,
        .unlike = unlikes(&b->terms, terms),
        .ratio_allowed = b->figures.ratio * (1 + b->tolerance),
        .peak_allowed = (uint64_t)((double)b->figures.peak_bytes * (1 + b->tolerance)),
        .ratio_change = measured->ratio / b->figures.ratio - 1,
        .peak_change = (double)measured->peak_bytes / (double)b->figures.peak_bytes - 1,
    };
    if (v.unlike) {
        v.end = GATE_UNLIKE;
        return v;
    }
    v.is_slow = measured->ratio > v.ratio_allowed;
    v.is_large = measured->peak_bytes > v.peak_allowed;
    if (v.is_slow || v.is_large) {
        v.end = GATE_ABOVE;
    } else if (v.ratio_change < -b->tolerance || v.peak_change < -b->tolerance) {
        v.end = GATE_STALE;
    }
    return v;
}

bool gate_may_replace(const struct gate_verdict *v)
{
    return v->end != GATE_UNLIKE && v->ratio_change <= 0 && v->peak_change <= 0;
}
