// Quality of a stream as a listener would score it: the E-model of ITU-T G.107, for wideband codecs
// that of G.107.1.
//
// Pure functions over counts; no input gives NaN, infinity or a score out of range. R is 93.2 (129)
// less what the codec, what is lacking, and the delay take. Without a known delay there is no delay
// term. docs/media.md explains it with examples.
#ifndef SIDETONE_JUDGE_QUALITY_H
#define SIDETONE_JUDGE_QUALITY_H

#include "wire/rtp/codec.h"

// What is known of a stream, or of an interval of it.
struct quality_input {
    enum codec codec;
    uint64_t lacking, expected; // lost or discarded; sent
    double burst_ratio;         // of what is lacking; 1: at random
    double one_way_ms;          // NaN: not known, no delay term
    double payload_bytes;       // mean of a packet: tells the mode of codecs with several; NaN
    double packet_ms;           // likewise
};

struct quality {
    double r_factor, mos;
    const char *model;   // "G.107", "G.107.1"
    const char *missing; // why there is no score; NULL where there is one
};

// Burst ratio of G.107 3.5: mean length of the runs of lost packets over that of random loss, 1 /
// (1 - p). At least 1.
double quality_burst_ratio(uint64_t lost, uint64_t expected, uint64_t runs);

struct quality quality_score(const struct quality_input *in);

// G.107 annex B: from R to MOS.
double quality_mos(double r_factor);

#endif
