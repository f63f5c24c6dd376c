// What a program gains by more cores.
//
// Comes in: the samples of a series with one arm for each number of cores. Goes out: for each of
// them its figures, its speed-up (the median time of the first divided by its own) and its
// efficiency (speed-up divided by how many times as many cores it had).
#ifndef SIDETONE_LAB_SCALE_H
#define SIDETONE_LAB_SCALE_H

#include "lab/figures.h"
#include "lab/series.h"

struct scale_row {
    uint32_t cores;
    struct figures wall, user, system, peak; // seconds, bytes
    bool peak_is_bound;
    double packets_per_s, bytes_per_s; // by the median; NaN: no packets are known
    double speed_up, efficiency;
};

// The row of one arm. `cores`: of every arm. A packet count of 0 is not known.
struct scale_row scale_row_of(const struct series *s, const uint32_t *cores, size_t arm,
                              uint64_t packets, uint64_t bytes);

#endif
