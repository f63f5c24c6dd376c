// The jitter buffer of a listener, virtually: which packets of a stream come too late to be played.
//
// Lateness is transit time compared with that of the anchor, the packet that the buffer started
// with: the sum of the differences that jitter is made of. A fixed buffer plays a packet that is
// late by no more than its delay. The anchor moves
//
// 1. to the next packet where timing begins anew: after a silence, or with another clock;
// 2. after 16 late packets in a row, to the last of them: the delay has changed, the buffer
//    ran empty and starts again;
// 3. at the end of an interval by a little towards the packet with the least delay in it. So clocks
//    that drift cost nothing, and the buffer waits for its delay behind the fastest packet, however
//    late the first one was.
//
// An adaptive buffer follows the mean d and the mean deviation v of the lateness and waits for
// d + 4 v (Ramjee and others, INFOCOM 1994), each with the gain of RFC 3550 A.8.
//
// Video is not judged: its packets come in trains, frame by frame, and players wait longer.
#include "track/stream_parts.h"

// What the anchor moves by in an interval of 5 s. Not smaller: clocks of both sides may differ by
// 0.02 % or, in software, several times that. Not larger: a queue that fills is no drift.
#define DRIFT_MAX_NS 5e6
// All is early by more than this at the end of an interval: the delay became shorter at once.
#define EARLY_NS 60e6

#define ADAPTIVE_GAIN (1.0 / 16)
// Not smaller: a packet of another thread or process waits for some milliseconds.
#define ADAPTIVE_LEAST_NS 20e6
// Not larger: nobody can talk to each other with more.
#define ADAPTIVE_MOST_NS 500e6
// So that it begins with 60 ms.
#define ADAPTIVE_DEVIATION_NS 15e6

void stream_playout_begin(struct stream *s, struct arena *arena, int64_t buffer_ns)
{
    s->is_adaptive = buffer_ns == STREAM_BUFFER_ADAPTIVE;
    if (s->is_adaptive) {
        s->late_limit_ns = -INFINITY; // every packet is looked at
        stream_extras_of(s, arena)->delay_deviation_ns = ADAPTIVE_DEVIATION_NS;
    } else {
        s->late_limit_ns = (double)(buffer_ns > 0 ? buffer_ns : STREAM_BUFFER_NS);
    }
}

void stream_playout_anchor(struct stream *s)
{
    s->late_ns = 0;
    s->late_least_ns = 0;
    s->late_run = 0;
    if (s->is_adaptive) {
        s->extras->delay_mean_ns = 0;
    }
}

static double adaptive_limit(const struct stream *s)
{
    double limit = s->extras->delay_mean_ns + 4 * s->extras->delay_deviation_ns;
    limit = limit > ADAPTIVE_LEAST_NS ? limit : ADAPTIVE_LEAST_NS;
    return limit < ADAPTIVE_MOST_NS ? limit : ADAPTIVE_MOST_NS;
}

static bool adaptive_in_time(struct stream *s, double late_ns)
{
    bool in_time = late_ns <= adaptive_limit(s);
    struct stream_extras *x = s->extras;
    double off_ns = late_ns - x->delay_mean_ns;
    x->delay_mean_ns += off_ns * ADAPTIVE_GAIN;
    x->delay_deviation_ns += (fabs(off_ns) - x->delay_deviation_ns) * ADAPTIVE_GAIN;
    return in_time;
}

void stream_playout_late(struct stream *s, struct arena *arena, const struct media_record *r)
{
    if (s->is_adaptive && adaptive_in_time(s, s->late_ns)) {
        s->late_run = 0;
        return;
    }
    stream_lacking_discard(s, arena, r);
    if (++s->late_run == STREAM_LATE_RUN) {
        stream_playout_anchor(s);
        if (s->is_adaptive) {
            s->extras->delay_deviation_ns = ADAPTIVE_DEVIATION_NS;
        }
    }
}

static double lateness_ns(const struct stream *s, const struct media_record *r)
{
    int32_t ticks = (int32_t)(r->timestamp - s->last_timestamp);
    return s->late_ns + (double)(r->time_ns - stream_last_ns(s)) - ticks * s->ns_per_tick;
}

bool stream_playout_carried_in_time(const struct stream *s, const struct media_record *r,
                                    uint32_t ticks)
{
    if (!s->has_base || s->ns_per_tick <= 0 || s->is_video) {
        return true;
    }
    double limit_ns = s->is_adaptive ? adaptive_limit(s) : s->late_limit_ns;
    return lateness_ns(s, r) + ticks * s->ns_per_tick <= limit_ns;
}

bool stream_playout_in_time(struct stream *s, const struct media_record *r)
{
    const struct stream_segment *last =
        s->segment_count < 2 ? &s->segment : &s->extras->last_segment->segment;
    bool is_judged = s->has_base && s->ns_per_tick > 0 && !s->is_video && s->segment_count > 0 &&
                     last->payload_type == r->payload_type;
    if (!is_judged) {
        return true;
    }
    double late_ns = lateness_ns(s, r);
    return s->is_adaptive ? adaptive_in_time(s, late_ns) : late_ns <= s->late_limit_ns;
}

static double bounded(double value, double most)
{
    return value > most ? most : value < -most ? -most : value;
}

void stream_playout_follow(struct stream *s)
{
    if (s->late_least_ns == (double)INFINITY) {
        return;
    }
    double step = s->late_ns < -EARLY_NS ? s->late_ns : bounded(s->late_least_ns, DRIFT_MAX_NS);
    s->late_ns -= step;
    if (s->is_adaptive) {
        s->extras->delay_mean_ns -= step;
    }
    s->late_least_ns = INFINITY;
}
