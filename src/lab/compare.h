// What other programs make of a capture: who they are, how they are told to read it, and what their
// output says.
//
// Their words are those of the versions that Debian 12 has (and sipnab 0.5); a program that is told
// something else says so and is left out. Facts come from a run of its own, not a measured one:
// some tell nothing in the form that is fair to measure.
#ifndef SIDETONE_LAB_COMPARE_H
#define SIDETONE_LAB_COMPARE_H

#include "base/slice.h"

#include <limits.h>

#define COMPARE_NOT_TOLD INT64_MIN // some have less than nothing lost

// Sums over the capture, and means over its streams.
struct compare_facts {
    int64_t packets; // of the capture; only ours is asked
    int64_t calls;   // or dialogs: what the program calls so
    int64_t streams, lost;
    double jitter_ms, mos; // NaN: not told
};

struct compare_peer {
    const char *name;  // also of its program; "sidetone" is ourselves
    const char *words; // for lab/command.h: {program}, {corpus}, {cores}, {folder} (an empty one)
    const char *fact_words; // NULL: it tells nothing that could be read
    void (*read)(struct compare_facts *f, struct slice said);
    bool any_status; // an exit status other than 0 means nothing
};

#define COMPARE_PEERS 7 // ourselves first
extern const struct compare_peer compare_peers[COMPARE_PEERS];

// Nothing is told: what a peer's `read` begins with.
struct compare_facts compare_facts_none(void);

#endif
