// What a listener of a stream lacks, and which of its newest numbers were seen: kept from the first
// number on that was not there in its turn (stream_lacking.c, stream_sequence.c).
#ifndef SIDETONE_TRACK_STREAM_LACKING_H
#define SIDETONE_TRACK_STREAM_LACKING_H

#include "track/stream_gap.h"
#include "track/stream_interval.h"

#define STREAM_WINDOW       1024 // numbers known exactly (docs/json.md); a multiple of 64
#define STREAM_WINDOW_WORDS (STREAM_WINDOW / 64 + 1) // the oldest of them reach into one word more
#define STREAM_MARK_STEP    32 // numbers that are older than the newest ones are as old as the next
#define STREAM_RECENT       32 // multiple of the step
#define STREAM_GMIN         16 // RFC 3611 4.7.2: losses closer than this are one burst
// Newest numbers of which it is open whether they are played: bits of one word. A packet that fills
// a hole further back came too late for any buffer, at 20 ms a packet after 1.28 s.
#define STREAM_PLAYOUT 64
// Of two numbers in a row only one can stand behind a missing one; 64 numbers reach into 33 pairs.
#define STREAM_ENDS (STREAM_PLAYOUT / 2 + 1)

// Numbers that did not come in time to be played, with fewer than Gmin played ones between any two:
// a burst, or a number alone.
struct lacking_chain {
    uint64_t first, last; // the numbers at its ends
    uint64_t count;       // of those that are lacking; 0: no chain
};

// A number that was missing and came, and when, in ticks.
struct filled_number {
    uint16_t number, tick;
};

// What a listener lacks: made with the first number that was not there in its turn.
struct stream_lacking {
    uint64_t missing;               // bit n: number max_ext - n is not played so far
    uint64_t run;                   // length of the open run of lacking numbers that left the 64
    struct interval_lacks interval; // of the open interval
    uint32_t discarded;
    struct stream_gaps *gaps; // NULL: none so far
    // While the stream is_gappy: which of the window were seen.
    uint64_t gap_ext; // the newest number when one was last found missing
    uint64_t window[STREAM_WINDOW_WORDS];
    struct filled_number filled[STREAM_RECENT]; // of the newest numbers
    uint64_t count;             // numbers that were not played; exact once the stream is finished
    struct lacking_chain first; // counted at the end: what came before the first packet may join it
    struct lacking_chain open;  // the newest
    uint64_t runs, run_max;
    uint64_t run_max_at;                   // order.at of the packet that ended the longest run
    uint64_t bursts;                       // chains of two and more
    uint64_t burst_lacking, burst_numbers; // lacking in them; their length
    uint64_t burst_first, burst_last; // number that the first of them begins with, the last ends
    uint64_t before[2];               // bit n: number first_ext - 1 - n was played
    uint64_t ends[STREAM_ENDS];       // order.at of recent packets behind a missing number
    uint64_t discarded_at;            // order.at of the newest packet in order that came too late
};

#endif
