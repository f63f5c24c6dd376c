// The fold of a media stream: one packet in order, straight; everything else goes to the cold files
// beside this one.
//
// Budget: about 4 cache lines and 40 ns a packet. Proof: bench/read_carrier.
#include "track/stream_parts.h"

static void remember_frame(struct stream *s, const struct media_record *r)
{
    s->marks[r->sequence % STREAM_MARKS] = (struct frame_mark){
        (uint32_t)(r->time_ns / 1000), r->timestamp, r->sequence, r->ip_id, r->checksum, r->ttl};
}

static void interval_open(struct stream *s, struct arena *arena, int64_t time_ns)
{
    stream_interval_close(s, arena);
    stream_playout_follow(s);
    uint64_t index = (uint64_t)(time_ns - s->start_ns) / STREAM_INTERVAL_NS;
    s->interval_index = index < (1u << 26) - 1 ? (uint32_t)index : (1u << 26) - 1;
    s->interval_end_ns = s->start_ns + ((int64_t)index + 1) * STREAM_INTERVAL_NS;
}

void stream_begin(struct stream *s, struct arena *arena, const struct media_record *r,
                  const struct announcement *announcement, const struct payload_map *map)
{
    *s = (struct stream){
        .src = r->src,
        .dst = r->dst,
        .ssrc = r->ssrc,
        .hash = s->hash,
        .buffer_ns = s->buffer_ns,
        .fax = s->fax,
        .first = r->order,
        .start_ns = r->time_ns,
        .end_ns = r->time_ns,
        .max_ext = 65536u + r->sequence,
        .base_ext = 65536u + r->sequence,
        .first_ext = 65536u + r->sequence,
        .last_arrival_ns = r->time_ns,
        .interval_end_ns = r->time_ns + STREAM_INTERVAL_NS,
        .announcement = announcement,
        .map = map,
    };
    s->window[s->max_ext / 64 % STREAM_WINDOW_WORDS] |= 1ull << (s->max_ext % 64);
    s->recent[s->max_ext % STREAM_RECENT] = stream_tick(r->time_ns);
    s->unique = 1;
    s->proof = 1;
    s->bytes = r->payload_n;
    s->interval_packets = 1;
    remember_frame(s, r);
    stream_playout_begin(s);
    struct media_record inner;
    stream_timing(s, arena, stream_look_up(s, arena, r, &inner), 0);
}

// Does a packet go on where the one before it was? Asked until enough did.
static __attribute__((noinline)) void prove(struct stream *s, const struct media_record *r,
                                            uint32_t delta, int64_t wait_ns)
{
    const struct frame_mark *before =
        &s->marks[(uint16_t)(r->sequence - delta) % STREAM_MARKS]; // of the newest number
    double ticks = (double)(int32_t)(r->timestamp - before->timestamp);
    double most = ((double)wait_ns / 1e9 + 1) * STREAM_PROOF_HZ;
    bool goes_on = delta <= STREAM_PROOF_GAP && ticks >= 0 && ticks <= most;
    s->proof = goes_on ? (uint8_t)(s->proof + 1) : 1;
}

bool stream_packet(struct stream *s, struct arena *arena, const struct media_record *r)
{
    uint32_t delta = (uint16_t)(r->sequence - (uint16_t)s->max_ext);
    if (r->time_ns >= s->interval_end_ns) {
        interval_open(s, arena, r->time_ns);
    }
    if (__builtin_expect(delta - 1 >= STREAM_DROPOUT_MAX, 0)) {
        return stream_out_of_order(s, arena, r);
    }
    if (r->time_ns > s->end_ns) {
        s->end_ns = r->time_ns;
    }
    if (s->pending) {
        s->pending->count = 0;
    }
    stream_advance(s, delta, r->time_ns);
    s->window[s->max_ext / 64 % STREAM_WINDOW_WORDS] |= 1ull << (s->max_ext % 64);
    s->recent[s->max_ext % STREAM_RECENT] = stream_tick(r->time_ns);
    s->unique++;
    s->bytes += r->payload_n;
    s->interval_packets++;
    s->interval_lacks.lost += delta - 1;
    stream_playout_advance(s, arena, delta, r);
    int64_t wait_ns = r->time_ns - s->last_arrival_ns;
    if (wait_ns > s->delta_max_ns) {
        s->delta_max_ns = wait_ns;
    }
    if (__builtin_expect(s->proof < STREAM_PROOF_PACKETS, 0)) {
        prove(s, r, delta, wait_ns);
    }
    remember_frame(s, r);
    if (__builtin_expect(r->payload_type != s->payload_type || s->role == ROLE_NONE, 0)) {
        struct media_record inner;
        stream_timing(s, arena, stream_look_up(s, arena, r, &inner), delta);
    } else {
        stream_timing(s, arena, r, delta);
    }
    s->last_arrival_ns = r->time_ns;
    return true;
}

void stream_announced(struct stream *s, const struct payload_map *map, bool is_news)
{
    if (is_news) {
        s->offer_ext = s->max_ext;
    }
    if (map != s->map) {
        s->map = map;
        s->role = ROLE_NONE;
    }
}

void stream_finish(struct stream *s, struct arena *arena)
{
    stream_lacking_finish(s);
    stream_interval_close(s, arena);
    stream_segment_close(s);
}
