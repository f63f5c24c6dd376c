// The parts of the fold of a stream, shared by its files and nobody else.
#ifndef SIDETONE_TRACK_STREAM_PARTS_H
#define SIDETONE_TRACK_STREAM_PARTS_H

#include "track/stream.h"

// Forward by `delta` numbers to r's: settles what leaves the window.
void stream_advance(struct stream *s, uint32_t delta, int64_t time_ns);
// Everything but the next number in order. Returns false on a proven restart.
bool stream_out_of_order(struct stream *s, struct arena *arena, const struct media_record *r);
// Runs of losses of what is still in the window.
void stream_settle_all(struct stream *s);
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
// The losses of the interval that a missing number belongs to: that of the packet that ended the
// gap.
uint32_t *stream_interval_lost(struct stream *s, uint64_t ext);
// Takes the newest packet that was counted out of its interval.
void stream_interval_uncount(struct stream *s);

#endif
