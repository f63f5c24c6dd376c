// The part of the naive model of a stream that is the listener's jitter buffer (docs/json.md, what
// a listener lacks): in absolute times, where the fold adds up differences.
#ifndef SIDETONE_TESTS_STREAM_MODEL_BUFFER_H
#define SIDETONE_TESTS_STREAM_MODEL_BUFFER_H

#include "capture.h"
#include "track/stream.h"

#include <math.h>

// A packet's transit time is its arrival less the time that
// its timestamp stands for, and it is late by what that is more than the anchor's.
struct model_buffer {
    int64_t buffer_ns; // of the options
    double hz;
    int64_t ticks; // of the newest media packet in order, without wrapping
    uint32_t last_timestamp;
    double anchor, newest, least; // transit times; least of the interval
    bool is_begun, has_least;
    int run;                // late ones in a row
    double mean, deviation; // of the transit time
};

static inline double model_transit(const struct model_buffer *b, const struct media_record *r)
{
    int64_t ticks = b->ticks + (int32_t)(r->timestamp - b->last_timestamp);
    return (double)(r->time_ns - CAPTURE_START_NS) - (double)ticks * (1e9 / b->hz);
}

static inline double model_limit(const struct model_buffer *b)
{
    if (b->buffer_ns != STREAM_BUFFER_ADAPTIVE) {
        return b->buffer_ns > 0 ? (double)b->buffer_ns : 60e6;
    }
    double limit = b->mean - b->anchor + 4 * b->deviation;
    return limit < 20e6 ? 20e6 : limit > 500e6 ? 500e6 : limit;
}

static inline bool model_plays(struct model_buffer *b, double transit)
{
    bool plays = transit - b->anchor <= model_limit(b);
    b->deviation += (fabs(transit - b->mean) - b->deviation) / 16;
    b->mean += (transit - b->mean) / 16;
    return plays;
}

static inline void model_anchor(struct model_buffer *b, double transit)
{
    b->anchor = b->least = b->mean = transit;
    b->has_least = true;
    b->run = 0;
}

// The next media packet in order. Is it played?
static inline bool model_buffer_next(struct model_buffer *b, const struct media_record *r,
                                     bool compares)
{
    if (!b->is_begun) {
        b->last_timestamp = r->timestamp;
        b->is_begun = true;
        b->deviation = 15e6;
    }
    double transit = model_transit(b, r);
    b->ticks += (int32_t)(r->timestamp - b->last_timestamp);
    b->last_timestamp = r->timestamp;
    b->newest = transit;
    if (!compares) {
        model_anchor(b, transit);
        return true;
    }
    b->least = !b->has_least || transit < b->least ? transit : b->least;
    b->has_least = true;
    bool played = model_plays(b, transit);
    b->run = played ? 0 : b->run + 1;
    if (b->run == 16) {
        model_anchor(b, transit);
        b->deviation = 15e6;
    }
    return played;
}

// 5 s are over: the anchor goes to the fastest packet by at most 5 ms, or follows what became
// faster by more than 60 ms.
static inline void model_buffer_follow(struct model_buffer *b)
{
    double step = b->least - b->anchor;
    step = step > 5e6 ? 5e6 : step < -5e6 ? -5e6 : step;
    step = b->newest - b->anchor < -60e6 ? b->newest - b->anchor : step;
    b->anchor += b->has_least ? step : 0;
    b->has_least = false;
}

#endif
