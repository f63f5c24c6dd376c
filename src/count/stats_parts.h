// Computing statistics of a report: what the files stats*.c share. Private to them.
//
// stats.c walks over the calls and then over the streams of a report, through its public views;
// stats_numbers.c adds up what groups have in common, stats_lists.c who and what took part,
// stats_key.c says what group an entry belongs to.
#ifndef SIDETONE_COUNT_STATS_PARTS_H
#define SIDETONE_COUNT_STATS_PARTS_H

#include "count/tally.h"
#include "listen/message_counts.h"
#include "sidetone/stats.h"

static inline struct slice stats_slice(struct sidetone_text t)
{
    return slice_of(t.p, t.n);
}

static inline bool stats_is(const char *text, const char *name)
{
    return text && strcmp(text, name) == 0;
}

// The order in which things are shown: more of them first, then by key: by bytes, shorter ones
// first where they begin alike.
static inline int stats_falling(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static inline int stats_by_key(struct sidetone_text a, struct sidetone_text b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n > 0 ? memcmp(a.p, b.p, n) : 0;
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

static inline int stats_first_of(int a, int b, int c)
{
    return a != 0 ? a : b != 0 ? b : c;
}

// --- outcomes and numbers (stats_numbers.c) ---

enum stats_outcome {
    OUTCOME_NONE, // no call, or one whose start was not seen
    OUTCOME_ANSWERED,
    OUTCOME_BUSY,
    OUTCOME_UNANSWERED,
    OUTCOME_REJECTED,
    OUTCOME_REDIRECTED,
    OUTCOME_FAILED,
    OUTCOME_OPEN,
};

enum stats_outcome stats_outcome_of(const struct sidetone_call *c);

struct stats_group {
    struct sidetone_group shown; // first: its key finds the group
    uint32_t index;
    uint64_t user_effects; // answers, and finals that RFC 6076 4.7 takes for the user's doing
    double mos_sum;
};

// A value that percentiles are taken of: nanoseconds, or 10^-9 of a MOS.
struct sample {
    uint32_t group; // index
    int64_t value;
};

struct samples {
    struct sample *list; // has room for all
    size_t count;
};

// Adds a value that is known.
void samples_add(struct samples *s, uint32_t group, int64_t value);
void samples_add_mos(struct samples *s, uint32_t group, double mos);

void stats_add_call(struct stats_group *g, const struct sidetone_call *c, enum stats_outcome o);
void stats_add_stream(struct stats_group *g, const struct sidetone_stream *s);
void stats_finish_numbers(struct stats_group *g);

// Sorts the samples by group and value.
void samples_sort(struct samples *s);

// Of the samples [begin, end) of one group, sorted.
struct sidetone_delays samples_delays(const struct samples *s, size_t begin, size_t end);
void samples_mos(const struct samples *s, size_t begin, size_t end, double *p5, double *min);

// The end of the run of samples of one group that starts at `begin`.
size_t samples_run(const struct samples *s, size_t begin);

// Mean loss in percent, NaN where nothing was expected.
double stats_percent(uint64_t part, uint64_t all);

// --- groups (stats_key.c) ---

struct stats_key_room {
    char text[256];
};

// The key of a call or stream, empty where it has none. Borrows from the view or from `room`.
struct slice stats_call_key(const struct sidetone_stats_options *o, const struct sidetone_call *c,
                            struct slice codec, struct stats_key_room *room);
struct slice stats_stream_key(const struct sidetone_stats_options *o,
                              const struct sidetone_stream *s, struct stats_key_room *room);

// --- lists (stats_lists.c) ---

struct stats_lists {
    struct arena *arena; // of what is shown
    struct tally_set states, agents, talkers, codecs, findings;
    uint64_t final_codes[MESSAGE_CODES];
    struct samples codec_mos; // group: index among the codecs
};

void stats_lists_init(struct stats_lists *l, struct arena *arena, size_t streams);
void stats_lists_fini(struct stats_lists *l);
void stats_list_call(struct stats_lists *l, const struct sidetone_call *c);
void stats_list_stream(struct stats_lists *l, const struct sidetone_stream *s);

// Sorts the lists and hangs them into *out.
void stats_lists_finish(struct stats_lists *l, const struct message_counts *messages,
                        struct sidetone_stats *out);

// --- the series (stats_series.c) ---

// A call as the series needs it.
struct call_begin {
    int64_t start_ns;
    enum stats_outcome outcome;
};

void stats_series(struct arena *arena, const struct call_begin *calls, size_t count,
                  struct sidetone_stats *out);

#endif
