// Timing of a stream: jitter (RFC 3550 A.8), silence, the clock of each payload type, digits and
// intervals.
#include "track/stream_parts.h"

#include "wire/rtp/rtp.h"

#include <math.h>

const uint32_t STREAM_CLOCK_HZ[STREAM_CLOCKS] = {8000, 16000, 48000, 90000};

// Share of a silence by which its two measures may differ.
#define SILENCE_TOLERANCE 0.25
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

// --- segments ---

static struct stream_segment *last_segment(struct stream *s)
{
    if (s->segment_count < 2) {
        return s->segment_count > 0 ? &s->segment : NULL;
    }
    return &s->extras->last_segment->segment;
}

void stream_segment_close(struct stream *s)
{
    struct stream_segment *last = last_segment(s);
    if (last) {
        last->packets += s->unique - s->segment_from;
        s->segment_from = s->unique;
    }
}

static void segment_open(struct stream *s, struct arena *arena, uint8_t payload_type)
{
    struct stream_segment *last = last_segment(s);
    if (last && last->payload_type == payload_type && last->map == s->map) {
        return;
    }
    // The packet that opens it is counted already.
    s->unique--;
    stream_segment_close(s);
    s->unique++;
    if (s->segment_count == STREAM_SEGMENTS_MAX) {
        return;
    }
    struct stream_segment segment = {.map = s->map, .payload_type = payload_type};
    if (!last) {
        s->segment = segment;
    } else {
        struct stream_extras *x = stream_extras_of(s, arena);
        struct stream_next_segment *next = ARENA_NEW(arena, struct stream_next_segment);
        next->segment = segment;
        *(x->last_segment ? &x->last_segment->next : &x->segments) = next;
        x->last_segment = next;
    }
    s->segment_count++;
}

static struct stream_segment *newest_segment(struct stream *s, uint8_t payload_type)
{
    const struct stream_segment *newest = NULL;
    for (const struct stream_segment *g = stream_segments(s); g; g = stream_next_segment(s, g)) {
        newest = g->payload_type == payload_type ? g : newest;
    }
    return (struct stream_segment *)newest;
}

// --- payload types ---

void stream_note_type(struct stream *s, struct arena *arena, uint8_t payload_type)
{
    if (!stream_has_type(s, payload_type)) {
        stream_extras_of(s, arena)->payload_types[payload_type >> 6 & 1] |= 1ull
                                                                            << (payload_type & 63);
    }
}

static bool is_repair(const struct stream *s, uint8_t payload_type)
{
    uint32_t clock_hz;
    struct slice name;
    enum codec codec = stream_codec(s->map, payload_type, &clock_hz, &name);
    return codec == CODEC_RTX || codec == CODEC_FEC;
}

void stream_count_type(struct stream *s, struct arena *arena, const struct media_record *r)
{
    uint8_t inner = stream_inner_type(s, r);
    stream_note_type(s, arena, r->payload_type);
    stream_note_type(s, arena, inner);
    stream_extras_of(s, arena)->repair += is_repair(s, inner);
    struct stream_segment *g = newest_segment(s, inner);
    if (g) {
        g->packets++;
    }
}

void stream_uncount_type(struct stream *s, struct arena *arena, const struct media_record *r)
{
    uint8_t inner = stream_inner_type(s, r);
    stream_extras_of(s, arena)->repair -= is_repair(s, inner);
    struct stream_segment *g = newest_segment(s, inner);
    if (g) {
        g->packets--;
    }
}

// A known clock. What was measured of the same payload type while its clock was a guess is kept.
static void adopt_clock(struct stream *s, uint32_t clock_hz, bool same_type)
{
    const struct jitter *guesses = stream_extras(s)->guesses;
    for (int i = 0; guesses && same_type && i < STREAM_CLOCKS; i++) {
        if (STREAM_CLOCK_HZ[i] == clock_hz && s->jitter.count == 0) {
            s->jitter = guesses[i];
            s->jitter.before = s->jitter.count;
            s->extras->more_numbers -= s->jitter.count; // media_ns does not have them
        }
    }
    if (guesses) {
        s->extras->guesses = NULL;
    }
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
    if (s->is_fax) {
        s->payload_type = r->payload_type;
        s->role = ROLE_OTHER;
        return r;
    }
    stream_note_type(s, arena, r->payload_type);
    bool is_inner = stream_unwrap(s, arena, r, s->max_ext, inner);
    r = is_inner ? inner : r;
    uint32_t clock_hz = 0;
    struct slice name;
    enum codec codec = stream_codec(s->map, r->payload_type, &clock_hz, &name);
    bool is_broken = is_unreadable(s, codec);
    enum stream_role role = is_broken ? ROLE_OTHER : role_of(s, codec, clock_hz, r);
    bool same_type = r->payload_type == (s->payload_type & 0x7f);
    stream_note_type(s, arena, r->payload_type);
    s->payload_type = r->payload_type | (is_inner || is_broken ? STREAM_TYPE_INNER : 0);
    s->role = (uint8_t)role;
    if (role == ROLE_MEDIA) {
        adopt_clock(s, clock_hz, same_type);
        stream_payload_type(s, codec, clock_hz, r, is_inner);
    } else if (role == ROLE_GUESS && !stream_extras(s)->guesses) {
        stream_extras_of(s, arena)->guesses = ARENA_ARRAY(arena, struct jitter, STREAM_CLOCKS);
    }
    if (role == ROLE_MEDIA || role == ROLE_GUESS) {
        s->is_video = codec_is_video(codec);
        segment_open(s, arena, r->payload_type);
    }
    return r;
}

static void digit_append(struct stream_extras *x, struct arena *arena, char digit,
                         const struct media_record *r)
{
    if (!x->digits) {
        x->digits = arena_bytes(arena, STREAM_DIGITS_MAX);
    }
    if (x->digit_count < STREAM_DIGITS_MAX) {
        x->digits[x->digit_count] = digit;
    } else if (x->digit_count == STREAM_DIGITS_MAX) {
        x->digits_cut_at = r->order.at;
    }
    x->digit_count++;
}

// RFC 4733 2.5.1: packets of one event share its timestamp; 2.5.1.3: an event longer than its
// duration field goes on with another timestamp and without a marker.
static void event_packet(struct stream_extras *x, struct arena *arena, const struct media_record *r)
{
    uint8_t event = (uint8_t)(r->head >> 24);
    uint16_t duration = (uint16_t)r->head;
    char digit = dtmf_digit(event);
    if (digit == 0 || r->payload_n < 4) {
        return;
    }
    uint32_t ahead = r->timestamp - x->digit_timestamp;
    bool goes_on = x->has_digit && event == x->digit_event && !r->marker &&
                   x->digit_duration == UINT16_MAX && ahead == UINT16_MAX;
    bool is_new = !x->has_digit || (ahead != 0 && (int32_t)ahead > 0 && !goes_on);
    if (is_new) {
        digit_append(x, arena, digit, r);
    }
    if (is_new || goes_on || ahead == 0) {
        x->has_digit = true;
        x->digit_event = event;
        x->digit_timestamp = r->timestamp;
        x->digit_duration = duration;
    }
}

// Without a known clock: the estimate for each likely one.
static void guess_packet(struct stream *s, const struct media_record *r)
{
    int32_t ticks = (int32_t)(r->timestamp - s->last_timestamp);
    double arrival_ns = (double)(r->time_ns - stream_last_ns(s));
    for (int i = 0; i < STREAM_CLOCKS && s->has_base; i++) {
        stream_jitter_step(&s->extras->guesses[i], arrival_ns - ticks * (1e9 / STREAM_CLOCK_HZ[i]));
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
    if (media_ns > arrival_ns + STREAM_JUMP_NS || media_ns < -1e9) {
        return true;
    }
    return gap == 1 && !s->is_video && s->last_step > 0 && ticks > 3 * (int64_t)s->last_step &&
           fabs(arrival_ns - media_ns) < SILENCE_TOLERANCE * media_ns;
}

// Returns the ticks since the packet before, 0 where there is nothing to compare with.
static inline int32_t media_packet(struct stream *s, struct arena *arena,
                                   const struct media_record *r, uint32_t gap)
{
    int32_t ticks = (int32_t)(r->timestamp - s->last_timestamp);
    double arrival_ns = (double)(r->time_ns - stream_last_ns(s));
    double media_ns = ticks * s->ns_per_tick;
    if (is_silence(s, r, gap, ticks, arrival_ns, media_ns)) {
        stream_playout_anchor(s);
        return 0;
    }
    stream_jitter_step(&s->jitter, arrival_ns - media_ns);
    stream_playout_judge(s, arena, r, arrival_ns - media_ns);
    s->interval_jitter_sum += s->jitter.now;
    s->interval_media_ns += media_ns; // also what is missing: it was sent
    if (gap != 1) {
        stream_extras_of(s, arena)->more_numbers += (uint64_t)gap - 1;
    }
    if (ticks > 0 && gap == 1) {
        s->last_step = (uint32_t)ticks;
        stream_judge_size(s, arena, r, ticks);
    }
    return ticks;
}

// A packet that is not of a codec with a known clock. Returns whether it is media all the same.
static __attribute__((noinline)) bool other_packet(struct stream *s, struct arena *arena,
                                                   const struct media_record *r)
{
    switch ((enum stream_role)s->role) {
    case ROLE_EVENT:
        event_packet(stream_extras_of(s, arena), arena, r);
        return false;
    case ROLE_COMFORT:
        s->interval_comfort = true;
        return false;
    case ROLE_REPAIR:
        stream_extras_of(s, arena)->repair++;
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

// A packet that moved no jitter: the arrival of the newest one that did is kept apart.
static void part(struct stream *s, struct arena *arena, const struct media_record *r)
{
    struct stream_extras *x = stream_extras_of(s, arena);
    if (!s->is_apart) {
        x->last_ns = s->last_arrival_ns;
        s->is_apart = true;
    }
    x->newest_timestamp = r->timestamp;
    s->segment_from++;
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
            stream_sound(s, arena, r, ticks, gap);
        }
    } else if (!other_packet(s, arena, r)) {
        part(s, arena, r);
        return;
    }
    s->has_base = true;
    s->is_apart = false;
    s->last_timestamp = r->timestamp;
}

// The guesses were made for all payload types without a known clock together: they stand for one.
static bool has_one_type(const struct stream *s)
{
    for (const struct stream_segment *g = stream_segments(s); g; g = stream_next_segment(s, g)) {
        if (g->payload_type != s->segment.payload_type) {
            return false;
        }
    }
    return s->segment_count > 0;
}

void stream_adopt(struct stream *s, const struct payload_map *map)
{
    uint32_t clock_hz = 0;
    struct slice name;
    s->map = s->map ? s->map : map;
    if (!s->map || !stream_extras(s)->guesses || s->jitter.count > 0 || !has_one_type(s)) {
        return;
    }
    enum codec codec = stream_codec(s->map, s->segment.payload_type, &clock_hz, &name);
    if (clock_hz > 0 && codec != CODEC_EVENT && codec != CODEC_CN) {
        adopt_clock(s, clock_hz, true);
    }
}

// --- intervals ---

void stream_interval_close(struct stream *s, struct arena *arena)
{
    const uint64_t index_max = (1u << 26) - 1;
    struct interval_numbers numbers = {.packets = stream_interval_packets(s)};
    if (numbers.packets == 0) {
        return;
    }
    uint64_t index =
        ((uint64_t)s->interval_end_ns - (uint64_t)s->start_ns) / STREAM_INTERVAL_NS - 1;
    struct stream_interval *i = interval_push(&s->last_block, &s->interval_count, arena);
    bool enough = s->interval_media_ns >= (double)STREAM_INTERVAL_NS * 0.8;
    uint32_t measured = s->jitter.count - s->jitter.before;
    i->index = (index < index_max ? index : index_max) & index_max;
    i->flags = (s->interval_comfort ? INTERVAL_COMFORT : 0u) | (enough ? INTERVAL_ENOUGH : 0u);
    i->jitter_ms = measured > 0 ? (float)(s->interval_jitter_sum / measured / 1e6) : NAN;
    numbers.numbers = (uint32_t)s->max_ext - s->interval_from_ext;
    if (s->lacking) {
        numbers.lacks = s->lacking->interval;
        s->lacking->interval = (struct interval_lacks){0};
    }
    interval_set(i, arena, &numbers);
    s->interval_from_packets += numbers.packets;
    s->interval_from_ext = (uint32_t)s->max_ext;
    s->jitter.before = s->jitter.count;
    s->media_ns += s->interval_media_ns;
    s->interval_jitter_sum = 0;
    s->interval_media_ns = 0;
    s->interval_comfort = false;
}

static void lack(struct interval_lacks *l, int32_t lost, int32_t discarded)
{
    l->lost += (uint32_t)lost;
    l->discarded += (uint32_t)discarded;
}

void stream_interval_lack(struct stream *s, struct arena *arena, uint64_t ext, int32_t lost,
                          int32_t discarded)
{
    struct interval_walk w;
    uint32_t end_ext = s->interval_from_ext;
    struct stream_interval *found = NULL;
    struct stream_interval *i = interval_last(&w, s->last_block, s->interval_count);
    while (i && (int32_t)(end_ext - (uint32_t)ext) >= 0) {
        end_ext -= interval_numbers(i).numbers;
        found = i;
        i = interval_former(&w);
    }
    if (!found) {
        lack(&s->lacking->interval, lost, discarded);
        return;
    }
    struct interval_numbers numbers = interval_numbers(found);
    lack(&numbers.lacks, lost, discarded);
    interval_set(found, arena, &numbers);
}

void stream_interval_uncount(struct stream *s, struct arena *arena)
{
    if (stream_interval_packets(s) > 0) {
        return;
    }
    struct interval_walk w;
    struct stream_interval *i = interval_last(&w, s->last_block, s->interval_count);
    for (; i; i = interval_former(&w)) {
        struct interval_numbers numbers = interval_numbers(i);
        if (numbers.packets > 0) {
            numbers.packets--;
            interval_set(i, arena, &numbers);
            break;
        }
    }
    s->interval_from_packets--;
}
