// What the gate found, for people and as JSON.
#ifndef SIDETONE_SHOW_LAB_GATE_H
#define SIDETONE_SHOW_LAB_GATE_H

#include "lab/figures.h"
#include "lab/gate.h"
#include "show/output.h"

struct gate_report {
    const char *program, *baseline_path;
    const struct baseline *baseline; // NULL: none was there before
    struct baseline_terms terms;     // of this run
    bool is_measured;                // what is unlike is not measured
    struct baseline_figures figures;
    struct figures_interval ratio;
    uint32_t runs;
    const double *floor_s, *program_s; // `runs` of each, pair by pair
    struct gate_verdict verdict;       // means nothing without a baseline
    bool is_recorded;
};

void lab_gate_text(struct output *out, const struct gate_report *r);
void lab_gate_json(struct output *out, const struct gate_report *r);

// "good", "stale", "above", "unlike".
const char *lab_gate_word(enum gate_end end);

#endif
