// The parts of the fold of a stream, shared by its files and nobody else.
#ifndef SIDETONE_TRACK_STREAM_PARTS_H
#define SIDETONE_TRACK_STREAM_PARTS_H

#include "track/stream.h"

// Forward by `delta` numbers to r's.
void stream_advance(struct stream *s, uint32_t delta, int64_t time_ns);
// Everything but the next number in order. Returns false on a proven restart.
bool stream_out_of_order(struct stream *s, struct arena *arena, const struct media_record *r);
// Jitter, silence and clock for a packet in order. `gap`: numbers since the one before (1: none
// missing).
void stream_timing(struct stream *s, struct arena *arena, const struct media_record *r,
                   uint32_t gap);
// The packet's payload type differs from the one that was looked up, or its meaning changed.
void stream_look_up(struct stream *s, struct arena *arena, const struct media_record *r);
// Notes the payload type of a packet out of order, and counts it in the newest segment of that
// type.
void stream_count_type(struct stream *s, const struct media_record *r);
void stream_uncount_type(struct stream *s, const struct media_record *r);
void stream_segment_close(struct stream *s);
void stream_interval_close(struct stream *s, struct arena *arena);
// What is lacking in the interval that a missing number belongs to: that of the packet that ended
// the gap.
struct interval_lacks *stream_interval_lacks(struct stream *s, uint64_t ext);
// Takes the newest packet that was counted out of its interval.
void stream_interval_uncount(struct stream *s);

// --- playout (stream_playout.c, stream_lacking.c) ---

// The newest number is r's, `delta` numbers on, and something in the window is missing or delta is
// not 1.
void stream_lacking_advance(struct stream *s, struct arena *arena, uint32_t delta,
                            const struct media_record *r);
// The newest packet came too late to be played.
void stream_lacking_discard(struct stream *s, struct arena *arena, const struct media_record *r);
// A number that was missing came with r: in time, or not. Taken back: it was another stream's.
void stream_lacking_fill(struct stream *s, struct arena *arena, const struct media_record *r,
                         uint64_t ext, bool in_time);
void stream_lacking_unfill(struct stream *s, uint64_t ext);
void stream_lacking_finish(struct stream *s);

// The first packet.
void stream_playout_begin(struct stream *s);
// The limit for packets of the payload type that was looked up.
void stream_playout_limit(struct stream *s);
// The newest packet in order is the one that others are compared with.
void stream_playout_anchor(struct stream *s);
// The newest packet in order, of a known clock, is later than the limit.
void stream_playout_late(struct stream *s, struct arena *arena, const struct media_record *r);
// Does a packet of the past come in time? It is part of what an adaptive buffer follows.
bool stream_playout_in_time(struct stream *s, const struct media_record *r);
// An interval ends: the anchor follows the delay.
void stream_playout_follow(struct stream *s);

static inline void stream_playout_advance(struct stream *s, struct arena *arena, uint32_t delta,
                                          const struct media_record *r)
{
    if (__builtin_expect((s->missing | s->lacking_run | (delta - 1)) != 0, 0)) {
        stream_lacking_advance(s, arena, delta, r);
    }
}

// One addition and one comparison for each packet that moves jitter: `difference_ns` is what its
// transit time differs by from that of the one before.
static inline void stream_playout_judge(struct stream *s, struct arena *arena,
                                        const struct media_record *r, double difference_ns)
{
    double late_ns = s->late_ns + difference_ns;
    s->late_ns = late_ns;
    if (late_ns < s->late_least_ns) {
        s->late_least_ns = late_ns;
    }
    if (__builtin_expect(late_ns > s->late_limit_ns, 0)) {
        stream_playout_late(s, arena, r);
        return;
    }
    s->late_run = 0;
}

#endif
