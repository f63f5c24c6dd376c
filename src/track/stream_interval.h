// Intervals of a stream: 5 s each, 16 bytes each.
//
// Numbers of packets in 5 s mostly fit 16 bits. Where one does not, the four of its interval stand
// in a place of their own.
//
// Blocks of 1, 2, 4 and so on up to 64 intervals, so that a short stream pays for what it has.
// Memory: the bin's arena.
#ifndef SIDETONE_TRACK_STREAM_INTERVAL_H
#define SIDETONE_TRACK_STREAM_INTERVAL_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define INTERVAL_BLOCK_MAX 64

enum {
    INTERVAL_COMFORT = 1,
    INTERVAL_ENOUGH = 2,
    INTERVAL_WIDE = 4, // its numbers stand in `wide`
};

// Numbers of an interval that never came, or too late: those up to its highest one, and above that
// of the interval before.
struct interval_lacks {
    uint32_t lost, discarded;
};

struct interval_numbers {
    uint32_t packets;
    uint32_t numbers; // by which the highest one grew
    struct interval_lacks lacks;
};

struct stream_interval {
    uint32_t index : 26; // number of the interval since the start of the stream
    uint32_t flags : 6;
    float jitter_ms; // mean; NaN where nothing was measured
    union {
        struct {
            uint16_t packets, numbers, lost, discarded;
        } narrow;
        struct interval_numbers *wide;
    };
};
_Static_assert(sizeof(struct stream_interval) == 16, "a day of a stream has 17,280 of them");

struct interval_block {
    struct interval_block *next, *former; // next of the newest: the first
    struct stream_interval intervals[];
};

static inline struct interval_numbers interval_numbers(const struct stream_interval *i)
{
    if (i->flags & INTERVAL_WIDE) {
        return *i->wide;
    }
    return (struct interval_numbers){
        i->narrow.packets, i->narrow.numbers, {i->narrow.lost, i->narrow.discarded}};
}

void interval_set(struct stream_interval *i, struct arena *arena,
                  const struct interval_numbers *numbers);

// One more, all zero. `count`: of those that are there, `newest` their newest block; both are moved
// on.
struct stream_interval *interval_push(struct interval_block **newest, uint32_t *count,
                                      struct arena *arena);

// Walks them: forward with interval_first() and interval_next(), or back.
struct interval_walk {
    struct interval_block *block;
    uint32_t at, room; // in the block; its intervals
    uint32_t rest;     // intervals that were not given so far
};

// NULL: no more.
const struct stream_interval *interval_first(struct interval_walk *w,
                                             const struct interval_block *newest, uint32_t count);
const struct stream_interval *interval_next(struct interval_walk *w);

struct stream_interval *interval_last(struct interval_walk *w, struct interval_block *newest,
                                      uint32_t count);
struct stream_interval *interval_former(struct interval_walk *w);

#endif
