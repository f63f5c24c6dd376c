// The fold of a media stream: one packet in order, straight; everything else goes to the cold files
// beside this one.
//
// Budget: 4 cache lines and 120 instructions a packet. Proof: bench/stream_fold.
#include "track/stream_parts.h"

const struct stream_extras STREAM_NO_EXTRAS = {.end_ns = TIME_NOT_SEEN};

struct stream_extras *stream_extras_of(struct stream *s, struct arena *arena)
{
    if (!s->extras) {
        s->extras = ARENA_NEW(arena, struct stream_extras);
        s->extras->end_ns = TIME_NOT_SEEN;
    }
    return s->extras;
}

static inline void remember_frame(struct stream *s, const struct media_record *r)
{
    s->marks[r->sequence % STREAM_MARKS] =
        (struct frame_mark){(uint32_t)(r->time_ns / 1000), stream_mix_frame(r)};
}

static void interval_open(struct stream *s, struct arena *arena, int64_t time_ns)
{
    stream_interval_close(s, arena);
    stream_playout_follow(s);
    uint64_t index = (uint64_t)(time_ns - s->start_ns) / STREAM_INTERVAL_NS;
    s->interval_end_ns = s->start_ns + ((int64_t)index + 1) * STREAM_INTERVAL_NS;
}

void stream_begin(struct stream *s, struct arena *arena, const struct media_record *r,
                  int64_t buffer_ns, const struct announcement *announcement,
                  const struct payload_map *map)
{
    *s = (struct stream){
        .src_address = r->src.addr,
        .dst_address = r->dst.addr,
        .src_port = r->src.port,
        .dst_port = r->dst.port,
        .ssrc = r->ssrc,
        .usual_type = STREAM_NOT_USUAL,
        .max_ext = 65536u + r->sequence,
        .base_ext = 65536u + r->sequence,
        .first_ext = (65536u + r->sequence) & 0x1ffff,
        .first_at = r->order.at,
        .first_type = r->payload_type,
        .is_first_late = r->order.time_ns != r->time_ns,
        .is_fax = r->kind == MEDIA_UDPTL,
        .start_ns = r->time_ns,
        .last_arrival_ns = r->time_ns,
        .interval_end_ns = r->time_ns + STREAM_INTERVAL_NS,
        .announcement = announcement,
        .map = map,
        .interval_from_ext = 65535u + r->sequence,
        .unique = 1,
        .proof = 1,
        .bytes = r->payload_n,
    };
    if (s->is_first_late) {
        stream_extras_of(s, arena)->first_ns = r->order.time_ns;
    }
    stream_pass_nothing(s);
    remember_frame(s, r);
    stream_playout_begin(s, arena, buffer_ns);
    struct media_record inner;
    stream_timing(s, arena, stream_look_up(s, arena, r, &inner), 0);
}

// Does a packet go on where the one before it was? Asked until enough did.
static __attribute__((noinline)) void prove(struct stream *s, const struct media_record *r,
                                            uint32_t delta, int64_t wait_ns)
{
    uint32_t before = s->is_apart ? s->extras->newest_timestamp : s->last_timestamp;
    double ticks = (double)(int32_t)(r->timestamp - before);
    double most = ((double)wait_ns / 1e9 + 1) * STREAM_PROOF_HZ;
    bool goes_on = delta <= STREAM_PROOF_GAP && ticks >= 0 && ticks <= most;
    s->proof = goes_on ? (uint8_t)(s->proof + 1) : 1;
}

// May the next packet be folded the short way?
static bool is_usual(const struct stream *s)
{
    const struct stream_lacking *l = s->lacking;
    return s->role == ROLE_MEDIA && s->has_base && !s->is_apart && !s->is_video && !s->is_gappy &&
           s->proof >= STREAM_PROOF_PACKETS && s->late_run == 0 &&
           !(l && (l->missing | l->run) != 0) && stream_extras(s)->look.packets == 0;
}

// The next packet in order of a stream where nothing is to be noted but the packet: most of them.
// False: it is not that, and nothing has changed.
static inline __attribute__((always_inline)) bool usual_packet(struct stream *s,
                                                               const struct media_record *r)
{
    if (__builtin_expect((uint16_t)(r->sequence - (uint16_t)s->max_ext) != 1, 0) ||
        __builtin_expect(r->payload_type != s->usual_type, 0) || __builtin_expect(r->marker, 0)) {
        return false;
    }
    int64_t wait_ns = r->time_ns - s->last_arrival_ns;
    int32_t ticks = (int32_t)(r->timestamp - s->last_timestamp);
    uint64_t passes =
        (uint64_t)((r->time_ns >> STREAM_TICK_BITS) - (s->last_arrival_ns >> STREAM_TICK_BITS));
    if (__builtin_expect(passes > 1, 0) || __builtin_expect(wait_ns < 0, 0) ||
        __builtin_expect(r->time_ns >= s->interval_end_ns, 0) || __builtin_expect(ticks <= 0, 0) ||
        __builtin_expect(ticks > 3 * (int64_t)s->last_step, 0)) {
        return false;
    }
    double media_ns = ticks * s->ns_per_tick;
    double difference_ns = (double)wait_ns - media_ns;
    double late_ns = s->late_ns + difference_ns;
    if (__builtin_expect(media_ns > (double)wait_ns + STREAM_JUMP_NS, 0) ||
        __builtin_expect(late_ns > s->late_limit_ns, 0)) {
        return false;
    }
    if (passes == 1) {
        stream_pass_one(s, r->time_ns);
    }
    s->max_ext++;
    s->unique++;
    s->bytes += r->payload_n;
    if (__builtin_expect(wait_ns > s->delta_max_ns, 0)) {
        s->delta_max_ns = wait_ns;
    }
    remember_frame(s, r);
    stream_jitter_step(&s->jitter, difference_ns);
    s->late_ns = late_ns;
    if (late_ns < s->late_least_ns) {
        s->late_least_ns = late_ns;
    }
    s->interval_jitter_sum += s->jitter.now;
    s->interval_media_ns += media_ns;
    s->last_step = (uint32_t)ticks;
    s->last_timestamp = r->timestamp;
    s->last_arrival_ns = r->time_ns;
    return true;
}

// Any packet in order that is not usual, or ends what is lacking.
static __attribute__((noinline)) bool other_packet(struct stream *s, struct arena *arena,
                                                   const struct media_record *r)
{
    uint32_t delta = (uint16_t)(r->sequence - (uint16_t)s->max_ext);
    s->usual_type = STREAM_NOT_USUAL;
    if (r->time_ns >= s->interval_end_ns) {
        interval_open(s, arena, r->time_ns);
    }
    if (delta - 1 >= STREAM_DROPOUT_MAX) {
        return stream_out_of_order(s, arena, r);
    }
    int64_t wait_ns = r->time_ns - s->last_arrival_ns;
    if (wait_ns < 0) {
        struct stream_extras *x = stream_extras_of(s, arena);
        x->end_ns = x->end_ns > s->last_arrival_ns ? x->end_ns : s->last_arrival_ns;
    }
    if (s->extras && s->extras->pending) {
        s->extras->pending->count = 0;
    }
    stream_advance(s, arena, delta, r->time_ns);
    s->unique++;
    s->bytes += r->payload_n;
    stream_playout_advance(s, arena, delta, r);
    if (wait_ns > s->delta_max_ns) {
        s->delta_max_ns = wait_ns;
    }
    if (s->proof < STREAM_PROOF_PACKETS) {
        prove(s, r, delta, wait_ns);
    }
    remember_frame(s, r);
    if (r->payload_type != s->payload_type || s->role == ROLE_NONE) {
        struct media_record inner;
        stream_timing(s, arena, stream_look_up(s, arena, r, &inner), delta);
    } else {
        stream_timing(s, arena, r, delta);
    }
    s->last_arrival_ns = r->time_ns;
    s->usual_type = is_usual(s) ? s->payload_type : STREAM_NOT_USUAL;
    return true;
}

// The payload of a usual packet, where it is not plain.
static __attribute__((noinline)) bool judge_payload(struct stream *s, struct arena *arena,
                                                    const struct media_record *r, int32_t ticks)
{
    if (s->sizes != SIZES_VARY) {
        stream_judge_size(s, arena, r, ticks);
    }
    if (s->law != LEVEL_NO_LAW) {
        stream_sound(s, arena, r, ticks, 1);
    }
    return true;
}

// Calls nothing but what it ends with: so it saves no registers.
bool stream_packet(struct stream *s, struct arena *arena, const struct media_record *r)
{
    int32_t ticks = (int32_t)(r->timestamp - s->last_timestamp);
    if (__builtin_expect(!usual_packet(s, r), 0)) {
        return other_packet(s, arena, r);
    }
    struct level l = level_unpack(r->head);
    if (__builtin_expect(s->law != LEVEL_NO_LAW && ticks == r->payload_n && stream_is_loud(l) &&
                             !s->is_silent,
                         1)) {
        stream_sound_plain(s, l);
        return true;
    }
    return judge_payload(s, arena, r, ticks);
}

void stream_announced(struct stream *s, struct arena *arena, const struct payload_map *map,
                      bool is_news)
{
    if (is_news) {
        stream_extras_of(s, arena)->offer_ext = (uint32_t)s->max_ext;
    }
    if (map != s->map) {
        s->map = map;
        s->role = ROLE_NONE;
        s->usual_type = STREAM_NOT_USUAL;
    }
}

void stream_finish(struct stream *s, struct arena *arena)
{
    stream_lacking_finish(s);
    stream_interval_close(s, arena);
    stream_segment_close(s);
}
