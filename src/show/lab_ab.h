// Two programs against each other, for people and as JSON.
#ifndef SIDETONE_SHOW_LAB_AB_H
#define SIDETONE_SHOW_LAB_AB_H

#include "lab/ab.h"
#include "lab/identity.h"
#include "lab/instructions.h"
#include "show/output.h"

enum ab_program {
    AB_PROGRAM_A,
    AB_PROGRAM_B,
    AB_PROGRAM_CONTROL,
    AB_PROGRAMS,
};

struct ab_report {
    struct identity_program programs[AB_PROGRAMS]; // the control only where there is one
    struct identity_machine machine;
    const struct series *series;
    const struct ab_result *result;
    uint32_t runs_wanted;               // more than series->runs: it was interrupted
    enum instructions_way instructions; // INSTRUCTIONS_NONE: not counted
    uint64_t counts[2];                 // of a and b
};

// "less", "more", "same", "host_moved", "few_runs", "not_known".
const char *lab_ab_word(enum ab_verdict verdict);

void lab_ab_text(struct output *out, const struct ab_report *r, bool colour, unsigned columns);
void lab_ab_json(struct output *out, const struct ab_report *r);

#endif
