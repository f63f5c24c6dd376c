// What a comparison of programs found, for people and as JSON.
#ifndef SIDETONE_SHOW_LAB_COMPARE_H
#define SIDETONE_SHOW_LAB_COMPARE_H

#include "lab/compare.h"
#include "lab/figures.h"
#include "show/output.h"

// Numbers of cores in one comparison. Not smaller: 1, 2, 4, 8 and all. Not larger: it takes hours.
#define COMPARE_CORES_MAX 8
#define COMPARE_WHY_BYTES 120

// One program with one number of cores: medians of its runs.
struct compare_cell {
    bool is_measured;
    char why[COMPARE_WHY_BYTES]; // not measured; empty: it was never tried
    double wall_s, cpu_s;
    uint64_t peak_bytes;
    bool peak_is_bound;            // less than that
    struct figures_interval times; // as long as sidetone; not known where that was not measured
};

struct compare_line {
    bool is_there;
    struct compare_facts facts;
    struct compare_cell cells[COMPARE_CORES_MAX];
};

struct compare_report {
    const char *corpus;
    uint64_t corpus_bytes;
    uint32_t runs, core_count, cores[COMPARE_CORES_MAX];
    struct compare_line lines[COMPARE_PEERS]; // as compare_peers
};

void lab_compare_text(struct output *out, const struct compare_report *r, bool colour,
                      unsigned columns);
void lab_compare_json(struct output *out, const struct compare_report *r);

#endif
