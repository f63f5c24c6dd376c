// What a program gains by more cores, for people and as JSON.
#ifndef SIDETONE_SHOW_LAB_SCALE_H
#define SIDETONE_SHOW_LAB_SCALE_H

#include "lab/identity.h"
#include "lab/series.h"
#include "show/output.h"

struct scale_report {
    struct identity_program program;
    struct identity_machine machine;
    struct identity_corpus corpus;
    uint64_t packets;            // 0: not known
    const struct series *series; // an arm for each number of cores, at least one whole round
    const uint32_t *cores;
    uint32_t runs_wanted; // more than series->runs: it was interrupted
};

void lab_scale_text(struct output *out, const struct scale_report *r, bool colour,
                    unsigned columns);
void lab_scale_json(struct output *out, const struct scale_report *r);

#endif
