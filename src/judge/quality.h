// Quality of a stream as a listener would score it: the E-model of ITU-T G.107.
//
// Pure functions over counts. R0 - Is is 93.2 (the default of G.107 at its default values), delay
// is left out (nothing is known of it from one stream), so R = 93.2 - Ie,eff.
#ifndef SIDETONE_JUDGE_QUALITY_H
#define SIDETONE_JUDGE_QUALITY_H

#include "wire/rtp/codec.h"

struct quality {
    double r_factor, mos;
    const char *missing; // why there is no score; NULL where there is one
};

// Burst ratio of G.107 3.5: mean length of the runs of lost packets over that of random loss, 1 /
// (1 - p). At least 1.
double quality_burst_ratio(uint64_t lost, uint64_t expected, uint64_t runs);

struct quality quality_score(enum codec codec, uint64_t lost, uint64_t expected,
                             double burst_ratio);

// G.107 annex B: from R to MOS.
double quality_mos(double r_factor);

#endif
