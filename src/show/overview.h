// One walk over a report that gathers what its summary says: counts, extremes, points.
//
// Comes in: a finished report. Goes out: struct overview, owned by the caller until overview_free.
// Memory: 12 bytes for each call and each stream (points, and room for its delay or score), and for
// each thread lists of its own.
#ifndef SIDETONE_SHOW_OVERVIEW_H
#define SIDETONE_SHOW_OVERVIEW_H

#include "base/arena.h"
#include "sidetone/report.h"

// Different names of one kind that are told apart; what comes later is counted in `more`. Not
// smaller: a carrier's day shows some 40 final codes with several reason phrases. Not larger: the
// list is searched for every call, and senders choose reason phrases.
#define OVERVIEW_TALLIES_MAX 64
#define OVERVIEW_EXAMPLES    4

// How often something was seen, and where first.
struct tally {
    struct slice name, group; // group: the kind of a state, NULL otherwise
    uint32_t code;            // final code, or severity of a finding
    uint64_t count;
    struct slice text;                  // of the first: the sentence of a finding
    size_t examples[OVERVIEW_EXAMPLES]; // first indices
    bool is_stream[OVERVIEW_EXAMPLES];  // of a stream, else of a call
    size_t example_count;
};

struct tallies {
    struct tally list[OVERVIEW_TALLIES_MAX];
    size_t count;
    uint64_t more;
};

struct spread {
    int64_t *values; // ascending
    size_t count;
};

struct overview {
    struct arena texts;
    size_t calls, streams;
    uint32_t *call_points, *stream_points;
    struct tallies states;   // kind and state
    struct tallies failures; // final code and reason of failed calls
    struct tallies findings;
    struct spread pdd; // ns
    struct spread mos; // thousandths
    uint64_t retransmissions;
    uint64_t streams_with_loss, streams_with_jitter, streams_without_mos, streams_without_call;
    uint64_t packets_lost, packets_expected;
    uint64_t packets_discarded, streams_with_discarded;
    size_t worst_loss, worst_jitter; // index of a stream; `streams` where there is none
    double worst_loss_percent, worst_jitter_ms;
};

// `cores`: threads to use, 0: all processors. The overview is the same for every number.
struct overview *overview_new(const struct sidetone_report *r, unsigned cores);
void overview_free(struct overview *o);

// The value that `percent` of all are not above. count must not be 0.
int64_t spread_percentile(const struct spread *s, unsigned percent);

#endif
