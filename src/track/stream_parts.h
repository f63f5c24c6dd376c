// The parts of the fold of a stream, shared by its files and nobody else.
#ifndef SIDETONE_TRACK_STREAM_PARTS_H
#define SIDETONE_TRACK_STREAM_PARTS_H

#include "track/stream.h"
#include "wire/rtp/level.h"

// Forward by `delta` numbers.
void stream_advance(struct stream *s, struct arena *arena, uint32_t delta, int64_t time_ns);
// Notes the payload type of a packet.
void stream_note_type(struct stream *s, struct arena *arena, uint8_t payload_type);
// Everything but the next number in order. Returns false on a proven restart.
bool stream_out_of_order(struct stream *s, struct arena *arena, const struct media_record *r);
// Jitter, silence and clock for a packet in order. `gap`: numbers since the one before (1: none
// missing).
void stream_timing(struct stream *s, struct arena *arena, const struct media_record *r,
                   uint32_t gap);
// The packet's payload type differs from the one that was looked up, or its meaning changed.
// Returns the packet as it is to be timed: r, or what is in it as its primary block (RFC 2198),
// which *inner then holds.
const struct media_record *stream_look_up(struct stream *s, struct arena *arena,
                                          const struct media_record *r, struct media_record *inner);
// Notes the payload type of a packet out of order, and counts it in the newest segment of that
// type.
void stream_count_type(struct stream *s, struct arena *arena, const struct media_record *r);
void stream_uncount_type(struct stream *s, struct arena *arena, const struct media_record *r);
void stream_segment_close(struct stream *s);
void stream_interval_close(struct stream *s, struct arena *arena);
// Adds to what is lacking in the interval that a missing number belongs to: that of the packet that
// ended the gap. The stream is lacking something.
void stream_interval_lack(struct stream *s, struct arena *arena, uint64_t ext, int32_t lost,
                          int32_t discarded);
// The newest packet that was counted is taken out of its interval; called before it is uncounted.
void stream_interval_uncount(struct stream *s, struct arena *arena);

// What a listener lacks, made where there is nothing so far.
struct stream_lacking *stream_lacking_of(struct stream *s, struct arena *arena);

static inline void stream_fill_nothing(struct stream_lacking *l)
{
    for (unsigned i = 0; i < STREAM_RECENT; i++) {
        l->filled[i].number = (uint16_t)(i + 1); // stands elsewhere
    }
}

static inline uint32_t stream_interval_packets(const struct stream *s)
{
    return (uint32_t)stream_packets(s) - s->interval_from_packets;
}

// Arrival of the newest packet that moved jitter.
static inline int64_t stream_last_ns(const struct stream *s)
{
    return s->is_apart ? s->extras->last_ns : s->last_arrival_ns;
}

// --- sequence numbers: stream_sequence.c ---

// The next tick began: numbers up to the newest one were passed in those before.
void stream_pass(struct stream *s, int64_t ticks);
void stream_pass_nothing(struct stream *s);

// The usual case of it.
static inline void stream_pass_one(struct stream *s, int64_t time_ns)
{
    s->passed[(uint64_t)(time_ns >> STREAM_TICK_BITS) % STREAM_OLD_TICKS] = (uint16_t)s->max_ext;
}

static inline void stream_pass_ticks(struct stream *s, int64_t time_ns)
{
    int64_t ticks = (time_ns >> STREAM_TICK_BITS) - (s->last_arrival_ns >> STREAM_TICK_BITS);
    if (__builtin_expect(ticks != 0, 0)) {
        stream_pass(s, ticks);
    }
}

// Copies that the capture made have the same.
static inline uint32_t stream_mix_frame(const struct media_record *r)
{
    uint64_t frame = (uint64_t)r->checksum << 48 | (uint64_t)r->ip_id << 32 |
                     (uint64_t)r->ttl << 16 | r->sequence;
    return (uint32_t)((frame + r->timestamp * 0x9e3779b97f4a7c15u) * 0xd1b54a32d192ed03u >> 32);
}

// --- timing: stream_timing.c ---

// A timestamp that runs ahead of the clock on the wall by more than this was set anew by the
// sender.
#define STREAM_JUMP_NS 5e9

static inline void stream_jitter_step(struct jitter *j, double difference_ns)
{
    j->now += (fabs(difference_ns) - j->now) / 16;
    j->sum += j->now;
    j->count++;
    if (__builtin_expect(j->now > j->max, 0)) {
        j->max = j->now;
    }
}

// --- playout (stream_playout.c, stream_lacking.c) ---

// The newest number is r's, `delta` numbers on, and something is missing. Called by
// stream_playout_advance.
void stream_lacking_advance(struct stream *s, struct arena *arena, uint32_t delta,
                            const struct media_record *r);
// The newest packet came too late to be played.
void stream_lacking_discard(struct stream *s, struct arena *arena, const struct media_record *r);
// A number that was missing came with r: in time, or not. Taken back: it was another stream's.
void stream_lacking_fill(struct stream *s, struct arena *arena, const struct media_record *r,
                         uint64_t ext, bool in_time);
void stream_lacking_unfill(struct stream *s, struct arena *arena, uint64_t ext);
// The data of a missing number came with r, `ticks` after its own time: played where that is in
// time.
void stream_lacking_carried(struct stream *s, struct arena *arena, const struct media_record *r,
                            uint64_t ext, uint32_t ticks);
void stream_lacking_finish(struct stream *s);

// The first packet.
void stream_playout_begin(struct stream *s, struct arena *arena, int64_t buffer_ns);
// The newest packet in order is the one that others are compared with.
void stream_playout_anchor(struct stream *s);
// The newest packet in order, of a known clock, is later than the limit.
void stream_playout_late(struct stream *s, struct arena *arena, const struct media_record *r);
// Does a packet of the past come in time? It is part of what an adaptive buffer follows.
bool stream_playout_in_time(struct stream *s, const struct media_record *r);
// Do the data of a packet that was due `ticks` before r come in time with r?
bool stream_playout_carried_in_time(const struct stream *s, const struct media_record *r,
                                    uint32_t ticks);
// An interval ends: the anchor follows the delay.
void stream_playout_follow(struct stream *s);

static inline void stream_playout_advance(struct stream *s, struct arena *arena, uint32_t delta,
                                          const struct media_record *r)
{
    const uint64_t ends =
        1ull << (STREAM_PLAYOUT - 1) | 1; // the number that leaves, and the newest
    struct stream_lacking *l = s->lacking;
    if (delta == 1 && (!l || (l->missing | l->run) == 0)) {
        return;
    }
    if (delta == 1 && ((l->missing & ends) | l->run) == 0) {
        l->missing <<= 1; // what is missing lies between
    } else {
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
    if (__builtin_expect(late_ns > s->late_limit_ns && !s->is_video, 0)) {
        stream_playout_late(s, arena, r);
        return;
    }
    s->late_run = 0;
}

// --- payload: stream_payload.c ---

// The packet in r, if its type is announced as RFC 2198 and its chain makes sense: *inner is
// filled, and what it carries of other packets is noted. `ext`: its number.
bool stream_unwrap(struct stream *s, struct arena *arena, const struct media_record *r,
                   uint64_t ext, struct media_record *inner);
// The payload type of a packet; of one of RFC 2198 that of its primary block.
uint8_t stream_inner_type(const struct stream *s, const struct media_record *r);
// A number that was missing came after all, or (is_back) that was taken back.
void stream_redundancy_fill(struct stream *s, uint64_t ext, bool is_back);
// By what the payloads of a type are judged from now on. `is_inner`: r was unwrapped.
void stream_payload_type(struct stream *s, enum codec codec, uint32_t clock_hz,
                         const struct media_record *r, bool is_inner);
static inline void stream_sound_peak(struct stream *s, struct level l)
{
    uint8_t *peak = &s->peak[s->law - LEVEL_MU_LAW];
    if (l.peak > *peak) {
        *peak = l.peak;
    }
}

// Neither silent nor clipped.
static inline bool stream_is_loud(struct level l)
{
    return l.mean_twice > LEVEL_SILENT_MEAN_MAX && l.at_limit < LEVEL_CLIPPED_MIN;
}

// No silence is open.
static inline void stream_sound_plain(struct stream *s, struct level l)
{
    stream_sound_peak(s, l);
    if (s->loud++ % STREAM_LEVEL_EVERY == 0) {
        s->power += level_power(s->law, l);
    }
}

static inline void stream_sound_loud(struct stream *s, struct level l)
{
    if (s->is_silent) {
        s->quiet->silence_ticks = 0;
        s->is_silent = false;
    }
    stream_sound_plain(s, l);
}

// A packet that may be silent, clipped or without sound.
void stream_sound_odd(struct stream *s, struct arena *arena, const struct media_record *r,
                      int32_t ticks, uint32_t gap);

// Sound of a packet of G.711 in order. `ticks`: since the one before, 0: nothing to compare with;
// `gap`: as in stream_timing.
static inline void stream_sound(struct stream *s, struct arena *arena, const struct media_record *r,
                                int32_t ticks, uint32_t gap)
{
    struct level l = level_unpack(r->head);
    if (__builtin_expect(stream_is_loud(l), 1)) {
        stream_sound_loud(s, l);
    } else {
        stream_sound_odd(s, arena, r, ticks, gap);
    }
}

// The size of a packet that follows the one before it after `ticks`.
void stream_look(struct stream *s, struct arena *arena, const struct media_record *r,
                 int32_t ticks);

// Nearly all packets have the size of their codec.
static inline void stream_judge_size(struct stream *s, struct arena *arena,
                                     const struct media_record *r, int32_t ticks)
{
    if (__builtin_expect(s->sizes == SIZES_BYTE_A_TICK && ticks == r->payload_n, 1)) {
        if (__builtin_expect(s->extras != NULL, 0)) {
            s->extras->look.packets = 0;
        }
    } else if (s->sizes != SIZES_VARY && !s->is_encrypted) {
        stream_look(s, arena, r, ticks);
    }
}

#endif
