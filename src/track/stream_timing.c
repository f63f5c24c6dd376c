// Timing of a stream: jitter (RFC 3550 A.8), silence, the clock of each payload type, digits and
// intervals.
#include "track/stream_parts.h"

#include "wire/rtp/rtp.h"

#include <math.h>

const uint32_t STREAM_CLOCK_HZ[STREAM_CLOCKS] = {8000, 16000, 48000, 90000};

// Share of a silence by which its two measures may differ.
#define SILENCE_TOLERANCE 0.25
// A timestamp that runs ahead of the clock on the wall by more than this was set anew by the
// sender.
#define TIMESTAMP_JUMP_NS 5e9

enum codec stream_codec(const struct payload_map *map, uint8_t payload_type, uint32_t *clock_hz,
                        struct slice *name)
{
    const struct payload_entry *e = payload_map_find(map, payload_type);
    *name = slice_of(NULL, 0);
    if (!e) {
        return codec_by_payload_type(payload_type, clock_hz);
    }
    *clock_hz = e->clock_hz;
    *name = e->name;
    return e->codec;
}

static void jitter_step(struct jitter *j, double difference_ns)
{
    j->now += (fabs(difference_ns) - j->now) / 16;
    j->sum += j->now;
    j->count++;
    if (j->now > j->max) {
        j->max = j->now;
    }
}

void stream_segment_close(struct stream *s)
{
    if (s->last_segment) {
        s->last_segment->packets += s->segment_packets;
        s->segment_packets = 0;
    }
}

static void segment_open(struct stream *s, struct arena *arena, uint8_t payload_type)
{
    struct stream_segment *last = s->last_segment;
    if (last && last->payload_type == payload_type && last->map == s->map) {
        return;
    }
    stream_segment_close(s);
    if (s->segment_count == STREAM_SEGMENTS_MAX) {
        return;
    }
    struct stream_segment *g = ARENA_NEW(arena, struct stream_segment);
    g->payload_type = payload_type;
    g->map = s->map;
    if (last) {
        last->next = g;
    } else {
        s->segments = g;
    }
    s->last_segment = g;
    s->segment_count++;
}

static struct stream_segment *newest_segment(const struct stream *s, uint8_t payload_type)
{
    struct stream_segment *newest = NULL;
    for (struct stream_segment *g = s->segments; g; g = g->next) {
        newest = g->payload_type == payload_type ? g : newest;
    }
    return newest;
}

static bool is_repair(const struct stream *s, uint8_t payload_type)
{
    uint32_t clock_hz;
    struct slice name;
    enum codec codec = stream_codec(s->map, payload_type, &clock_hz, &name);
    return codec == CODEC_RTX || codec == CODEC_FEC;
}

void stream_count_type(struct stream *s, const struct media_record *r)
{
    s->payload_types[r->payload_type >> 6 & 1] |= 1ull << (r->payload_type & 63);
    uint8_t inner = stream_inner_type(s, r);
    s->payload_types[inner >> 6 & 1] |= 1ull << (inner & 63);
    s->repair += is_repair(s, inner);
    struct stream_segment *g = newest_segment(s, inner);
    if (g) {
        g->packets++;
    }
}

void stream_uncount_type(struct stream *s, const struct media_record *r)
{
    uint8_t inner = stream_inner_type(s, r);
    s->repair -= is_repair(s, inner);
    struct stream_segment *g = newest_segment(s, inner);
    if (g) {
        g->packets--;
    }
}

// A known clock. What was measured of the same payload type while its clock was a guess is kept.
static void adopt_clock(struct stream *s, uint32_t clock_hz, bool same_type)
{
    for (int i = 0; s->guesses && same_type && i < STREAM_CLOCKS; i++) {
        if (STREAM_CLOCK_HZ[i] == clock_hz && s->jitter.count == 0) {
            s->jitter = s->guesses[i];
        }
    }
    s->guesses = NULL;
    if (s->ns_per_tick != 1e9 / clock_hz) {
        s->has_base = s->has_base && s->ns_per_tick == 0 && same_type;
        s->ns_per_tick = 1e9 / clock_hz;
    }
}

// A packet of a dynamic payload type that nobody announced: four octets that make sense as RFC 4733
// are an event.
static bool looks_like_event(const struct media_record *r)
{
    return r->payload_type >= 96 && r->payload_n == 4 && (r->head >> 24) <= 16 &&
           (r->head >> 22 & 1) == 0;
}

static enum stream_role role_of(const struct stream *s, enum codec codec, uint32_t clock_hz,
                                const struct media_record *r)
{
    if (codec == CODEC_EVENT || (codec == CODEC_UNKNOWN && looks_like_event(r))) {
        return ROLE_EVENT;
    }
    if (codec == CODEC_CN) {
        return ROLE_COMFORT;
    }
    if (codec == CODEC_RTX || codec == CODEC_FEC) {
        return ROLE_REPAIR;
    }
    if (clock_hz > 0) {
        return ROLE_MEDIA;
    }
    return s->ns_per_tick > 0 ? ROLE_OTHER : ROLE_GUESS;
}

// A chain of RFC 2198 that cannot be read has no codec that could be timed.
static bool is_unreadable(const struct stream *s, enum codec codec)
{
    return codec == CODEC_RED && !(s->map && s->map->encrypted);
}

const struct media_record *stream_look_up(struct stream *s, struct arena *arena,
                                          const struct media_record *r, struct media_record *inner)
{
    if (s->fax) {
        s->payload_type = r->payload_type;
        s->role = ROLE_OTHER;
        return r;
    }
    s->payload_types[r->payload_type >> 6 & 1] |= 1ull << (r->payload_type & 63);
    bool is_inner = stream_unwrap(s, arena, r, s->max_ext, inner);
    r = is_inner ? inner : r;
    uint32_t clock_hz = 0;
    struct slice name;
    enum codec codec = stream_codec(s->map, r->payload_type, &clock_hz, &name);
    bool is_broken = is_unreadable(s, codec);
    enum stream_role role = is_broken ? ROLE_OTHER : role_of(s, codec, clock_hz, r);
    bool same_type = r->payload_type == (s->payload_type & 0x7f);
    s->payload_types[r->payload_type >> 6 & 1] |= 1ull << (r->payload_type & 63);
    s->payload_type = r->payload_type | (is_inner || is_broken ? STREAM_TYPE_INNER : 0);
    s->role = (uint8_t)role;
    if (role == ROLE_MEDIA) {
        adopt_clock(s, clock_hz, same_type);
        stream_payload_type(s, codec, clock_hz, r, is_inner);
    } else if (role == ROLE_GUESS && !s->guesses) {
        s->guesses = ARENA_ARRAY(arena, struct jitter, STREAM_CLOCKS);
    }
    if (role == ROLE_MEDIA || role == ROLE_GUESS) {
        s->is_video = codec_is_video(codec);
        segment_open(s, arena, r->payload_type);
        stream_playout_limit(s);
    }
    return r;
}

static void digit_append(struct stream *s, struct arena *arena, char digit,
                         const struct media_record *r)
{
    if (!s->digits) {
        s->digits = arena_bytes(arena, STREAM_DIGITS_MAX);
    }
    if (s->digit_count < STREAM_DIGITS_MAX) {
        s->digits[s->digit_count] = digit;
    } else if (s->digit_count == STREAM_DIGITS_MAX) {
        s->digits_cut_at = r->order.at;
    }
    s->digit_count++;
}

// RFC 4733 2.5.1: packets of one event share its timestamp; 2.5.1.3: an event longer than its
// duration field goes on with another timestamp and without a marker.
static void event_packet(struct stream *s, struct arena *arena, const struct media_record *r)
{
    uint8_t event = (uint8_t)(r->head >> 24);
    uint16_t duration = (uint16_t)r->head;
    char digit = dtmf_digit(event);
    if (digit == 0 || r->payload_n < 4) {
        return;
    }
    uint32_t ahead = r->timestamp - s->digit_timestamp;
    bool goes_on = s->has_digit && event == s->digit_event && !r->marker &&
                   s->digit_duration == UINT16_MAX && ahead == UINT16_MAX;
    bool is_new = !s->has_digit || (ahead != 0 && (int32_t)ahead > 0 && !goes_on);
    if (is_new) {
        digit_append(s, arena, digit, r);
    }
    if (is_new || goes_on || ahead == 0) {
        s->has_digit = true;
        s->digit_event = event;
        s->digit_timestamp = r->timestamp;
        s->digit_duration = duration;
    }
}

// Without a known clock: the estimate for each likely one.
static void guess_packet(struct stream *s, const struct media_record *r)
{
    int32_t ticks = (int32_t)(r->timestamp - s->last_timestamp);
    double arrival_ns = (double)(r->time_ns - s->last_ns);
    for (int i = 0; i < STREAM_CLOCKS && s->has_base; i++) {
        jitter_step(&s->guesses[i], arrival_ns - ticks * (1e9 / STREAM_CLOCK_HZ[i]));
    }
}

// A talkspurt begins, or the sender set its timestamps anew: nothing to compare with. Of video the
// marker ends a frame (RFC 6184 5.1, RFC 7741 4.1), and frames may come at any distance: all
// packets count, also those of one timestamp (RFC 3550 6.4.4).
static bool is_silence(const struct stream *s, const struct media_record *r, uint32_t gap,
                       int32_t ticks, double arrival_ns, double media_ns)
{
    if (r->marker && !s->is_video) {
        return true;
    }
    if (media_ns > arrival_ns + TIMESTAMP_JUMP_NS || media_ns < -1e9) {
        return true;
    }
    return gap == 1 && !s->is_video && s->last_step > 0 && ticks > 3 * (int64_t)s->last_step &&
           fabs(arrival_ns - media_ns) < SILENCE_TOLERANCE * media_ns;
}

// Nearly all packets have the size of their codec.
static inline void judge_size(struct stream *s, const struct media_record *r, int32_t ticks)
{
    if (__builtin_expect(s->sizes == SIZES_BYTE_A_TICK && ticks == r->payload_n, 1)) {
        s->look.packets = 0;
    } else if (s->sizes != SIZES_VARY && !s->look.is_proven) {
        stream_look(s, r, ticks);
    }
}

// Returns the ticks since the packet before, 0 where there is nothing to compare with.
static inline int32_t media_packet(struct stream *s, struct arena *arena,
                                   const struct media_record *r, uint32_t gap)
{
    int32_t ticks = (int32_t)(r->timestamp - s->last_timestamp);
    double arrival_ns = (double)(r->time_ns - s->last_ns);
    double media_ns = ticks * s->ns_per_tick;
    if (is_silence(s, r, gap, ticks, arrival_ns, media_ns)) {
        stream_playout_anchor(s);
        return 0;
    }
    jitter_step(&s->jitter, arrival_ns - media_ns);
    stream_playout_judge(s, arena, r, arrival_ns - media_ns);
    s->interval_jitter_sum += s->jitter.now;
    s->interval_jitter_count++;
    s->interval_media_ns += media_ns; // also what is missing: it was sent
    s->media_numbers += gap;
    if (ticks > 0 && gap == 1) {
        s->last_step = (uint32_t)ticks;
        judge_size(s, r, ticks);
    }
    return ticks;
}

// A packet that is not of a codec with a known clock. Returns whether it is media all the same.
static __attribute__((noinline)) bool other_packet(struct stream *s, struct arena *arena,
                                                   const struct media_record *r)
{
    switch ((enum stream_role)s->role) {
    case ROLE_EVENT:
        event_packet(s, arena, r);
        return false;
    case ROLE_COMFORT:
        s->interval_comfort = true;
        return false;
    case ROLE_REPAIR:
        s->repair++;
        return false;
    case ROLE_OTHER:
        return false;
    case ROLE_GUESS:
        guess_packet(s, r);
        return true;
    case ROLE_NONE:
    case ROLE_MEDIA:
        break;
    }
    return true;
}

void stream_timing(struct stream *s, struct arena *arena, const struct media_record *r,
                   uint32_t gap)
{
    if (__builtin_expect(s->role == ROLE_MEDIA, 1)) {
        int32_t ticks = 0;
        if (s->has_base) {
            ticks = media_packet(s, arena, r, gap);
        } else {
            stream_playout_anchor(s);
        }
        if (s->law != LEVEL_NO_LAW) {
            stream_sound(s, r, ticks, gap);
        }
    } else if (!other_packet(s, arena, r)) {
        return;
    }
    s->segment_packets++;
    s->has_base = true;
    s->last_ns = r->time_ns;
    s->last_timestamp = r->timestamp;
}

// The guesses were made for all payload types without a known clock together: they stand for one.
static bool has_one_type(const struct stream *s)
{
    for (const struct stream_segment *g = s->segments; g; g = g->next) {
        if (g->payload_type != s->segments->payload_type) {
            return false;
        }
    }
    return s->segments != NULL;
}

void stream_adopt(struct stream *s, const struct payload_map *map)
{
    uint32_t clock_hz = 0;
    struct slice name;
    s->map = s->map ? s->map : map;
    if (!s->map || !s->guesses || s->jitter.count > 0 || !has_one_type(s)) {
        return;
    }
    enum codec codec = stream_codec(s->map, s->segments->payload_type, &clock_hz, &name);
    if (clock_hz > 0 && codec != CODEC_EVENT && codec != CODEC_CN) {
        adopt_clock(s, clock_hz, true);
    }
}

static struct stream_interval *interval_push(struct stream *s, struct arena *arena)
{
    struct interval_block *block = s->last_block;
    if (!block || block->count == block->room) {
        uint32_t room = block ? (block->room < 64 ? block->room * 2 : 64) : 2;
        struct interval_block *more =
            arena_alloc(arena, sizeof *more + room * sizeof(struct stream_interval));
        more->room = room;
        more->former = block;
        if (block) {
            block->next = more;
        } else {
            s->intervals = more;
        }
        s->last_block = block = more;
    }
    s->interval_count++;
    return &block->intervals[block->count++];
}

void stream_interval_close(struct stream *s, struct arena *arena)
{
    if (s->interval_packets == 0) {
        return;
    }
    struct stream_interval *i = interval_push(s, arena);
    bool enough = s->interval_media_ns >= (double)STREAM_INTERVAL_NS * 0.8;
    i->index = s->interval_index & ((1u << 26) - 1);
    i->flags = (s->interval_comfort ? INTERVAL_COMFORT : 0u) | (enough ? INTERVAL_ENOUGH : 0u);
    i->packets = s->interval_packets;
    i->lacks = s->interval_lacks;
    i->end_ext = (uint32_t)s->max_ext;
    i->jitter_ms = s->interval_jitter_count > 0
                       ? (float)(s->interval_jitter_sum / s->interval_jitter_count / 1e6)
                       : NAN;
    s->interval_packets = 0;
    s->interval_lacks = (struct interval_lacks){0};
    s->media_ns += s->interval_media_ns;
    s->interval_jitter_sum = 0;
    s->interval_jitter_count = 0;
    s->interval_media_ns = 0;
    s->interval_comfort = false;
    s->interval_from_ext = s->max_ext;
}

struct interval_lacks *stream_interval_lacks(struct stream *s, uint64_t ext)
{
    struct interval_lacks *lacks = &s->interval_lacks;
    if (ext > s->interval_from_ext) {
        return lacks;
    }
    for (struct interval_block *block = s->last_block; block; block = block->former) {
        for (uint32_t k = block->count; k-- > 0;) {
            struct stream_interval *i = &block->intervals[k];
            if ((int32_t)(i->end_ext - (uint32_t)ext) < 0) {
                return lacks;
            }
            lacks = &i->lacks;
        }
    }
    return lacks;
}

void stream_interval_uncount(struct stream *s)
{
    if (s->interval_packets > 0) {
        s->interval_packets--;
        return;
    }
    struct interval_block *block = s->last_block;
    for (uint32_t k = block ? block->count : 0; k-- > 0;) {
        if (block->intervals[k].packets > 0) {
            block->intervals[k].packets--;
            return;
        }
    }
}
