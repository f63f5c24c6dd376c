// The first gaps of a stream: runs of numbers that did not come, and when. What many streams lack
// at the same moment was lost by the capture (listen/capture_loss.c).
//
// Memory: the bin's arena, from the first gap on. A stream without loss has none.
#ifndef SIDETONE_TRACK_STREAM_GAP_H
#define SIDETONE_TRACK_STREAM_GAP_H

#include "base/arena.h"
#include "wire/packet.h"

// Gaps that are kept of a stream. Not smaller: a capture that drops does so more than once, and a
// bad network may have taken its share before. Not larger: 40 bytes each, for every stream.
#define STREAM_GAPS_MAX 16

struct stream_gap {
    int64_t from_ns, to_ns; // arrival of the packets around it
    uint64_t first_ext;     // the first number of it
    uint32_t length;        // numbers
    uint32_t missing;       // of these; 0: all came after all, and the place is free
    uint64_t at;            // order.at of the packet that ended it
};

struct stream_gaps {
    uint32_t count;
    struct stream_gap list[STREAM_GAPS_MAX];
};

// A packet that ends a gap of `length` numbers from first_ext on.
void stream_gap_open(struct stream_gaps **gaps, struct arena *arena, const struct stream_gap *gap);

// A number came after all (is_back false), or that is taken back.
void stream_gap_fill(struct stream_gaps *gaps, uint64_t ext, bool is_back);

#endif
