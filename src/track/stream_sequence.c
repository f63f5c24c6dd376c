// Sequence numbers of a stream: the window of the last 1,024, duplicates, late packets and
// restarts.
#include "track/stream_parts.h"

// Passing a mark or leaving a word: once in 32 numbers when nothing is missing.
static void pass_marks(struct stream *s, uint64_t from, uint64_t to, int64_t time_ns)
{
    for (uint64_t mark = from / STREAM_MARK_STEP + 1; mark <= to / STREAM_MARK_STEP; mark++) {
        s->crossed[mark % (STREAM_WINDOW / STREAM_MARK_STEP)] = stream_tick(time_ns);
    }
    for (uint64_t word = from / 64 + 1; word <= to / 64; word++) {
        s->window[word % STREAM_WINDOW_WORDS] = 0;
    }
}

void stream_advance(struct stream *s, uint32_t delta, int64_t time_ns)
{
    uint64_t from = s->max_ext;
    s->max_ext = from + delta;
    if ((from ^ s->max_ext) / STREAM_MARK_STEP != 0) {
        pass_marks(s, from, s->max_ext, time_ns);
    }
}

// How long ago a number of the window was seen, at least: one that is older than the newest 32 was
// seen before the mark after it was passed.
static int64_t age_ns(const struct stream *s, uint64_t ext, int64_t now_ns)
{
    int64_t since_last = now_ns - s->last_arrival_ns;
    uint64_t after = ext / STREAM_MARK_STEP + 1;
    bool is_recent = s->max_ext - ext < STREAM_RECENT;
    uint16_t then = is_recent ? s->recent[ext % STREAM_RECENT]
                              : s->crossed[after % (STREAM_WINDOW / STREAM_MARK_STEP)];
    uint16_t ticks = (uint16_t)(stream_tick(now_ns) - then);
    // Nearly all ticks of the counter: the clock stepped back.
    int64_t by_mark = ticks > 0 && ticks < UINT16_MAX - 1024 ? (ticks - 1) * STREAM_TICK_NS : 0;
    return by_mark > since_last ? by_mark : since_last;
}

static bool is_capture_copy(const struct stream *s, const struct media_record *r)
{
    const struct frame_mark *m = &s->marks[r->sequence % STREAM_MARKS];
    return m->sequence == r->sequence && m->timestamp == r->timestamp && m->ip_id == r->ip_id &&
           m->checksum == r->checksum && m->ttl == r->ttl &&
           (uint32_t)(r->time_ns / 1000) - m->time_us <= CAPTURE_COPY_NS / 1000;
}

static void count(struct stream *s, const struct media_record *r, enum pending_kind kind)
{
    s->bytes += r->payload_n;
    s->interval_packets++;
    s->end_ns = r->time_ns > s->end_ns ? r->time_ns : s->end_ns;
    switch (kind) {
    case PENDING_DUPLICATE:
        s->duplicates++;
        break;
    case PENDING_FILL:
        s->unique++;
        s->reordered++;
        break;
    case PENDING_LATE:
    case PENDING_JUMP:
        s->too_late++;
        break;
    }
}

static void uncount(struct stream *s, const struct media_record *r, enum pending_kind kind)
{
    s->bytes -= r->payload_n;
    stream_interval_uncount(s);
    switch (kind) {
    case PENDING_DUPLICATE:
        s->duplicates--;
        break;
    case PENDING_FILL:
        s->unique--;
        s->reordered--;
        break;
    case PENDING_LATE:
    case PENDING_JUMP:
        s->too_late--;
        break;
    }
}

// Marks a number inside the window as seen; before the first one, it lowers the start.
static void fill(struct stream *s, struct arena *arena, const struct media_record *r, uint64_t ext)
{
    stream_lacking_fill(s, arena, r, ext, stream_playout_in_time(s, r));
    s->window[ext / 64 % STREAM_WINDOW_WORDS] |= 1ull << (ext % 64);
    if (s->max_ext - ext < STREAM_RECENT) {
        s->recent[ext % STREAM_RECENT] = stream_tick(r->time_ns);
    }
    if (ext < s->base_ext) {
        stream_interval_lacks(s, ext)->lost += (uint32_t)(s->base_ext - ext - 1);
        s->base_ext = ext;
    } else {
        stream_interval_lacks(s, ext)->lost--;
        stream_redundancy_fill(s, ext, false);
    }
    stream_count_type(s, r);
}

static void take_back(struct stream *s)
{
    for (uint32_t i = s->pending->count; i-- > 0;) {
        const struct media_record *r = &s->pending->record[i];
        uncount(s, r, s->pending->kind[i]);
        if (s->pending->kind[i] == PENDING_FILL) { // never below the start: it followed a repeat
            uint64_t ext = s->max_ext - (uint16_t)((uint16_t)s->max_ext - r->sequence);
            s->window[ext / 64 % STREAM_WINDOW_WORDS] &= ~(1ull << (ext % 64));
            stream_interval_lacks(s, ext)->lost++;
            stream_lacking_unfill(s, ext);
            stream_redundancy_fill(s, ext, true);
            stream_uncount_type(s, r);
        }
    }
    s->end_ns = s->pending->end_ns;
    memcpy(s->payload_types, s->pending->payload_types, sizeof s->payload_types);
}

// Could r be the first or next packet of numbers that started again? docs/json.md: a jump forward,
// or numbers first seen more than a second ago or before a new offer, with timestamps that went
// back.
static bool may_restart(const struct stream *s, const struct media_record *r,
                        enum pending_kind kind, uint64_t ext)
{
    if (kind == PENDING_JUMP || kind == PENDING_LATE) {
        return true;
    }
    // A number that was missing is no repeat; but one may stand between two.
    const struct stream_pending *p = s->pending;
    if (kind == PENDING_FILL &&
        !(p && p->count > 0 && p->numbers == 1 && p->kind[0] == PENDING_DUPLICATE &&
          (uint16_t)(p->record[0].sequence + 1) == r->sequence)) {
        return false;
    }
    return (int32_t)(r->timestamp - s->last_timestamp) < 0 &&
           ((s->offer_ext != 0 && ext <= s->offer_ext) || age_ns(s, ext, r->time_ns) > 1000000000);
}

static void pending_push(struct stream_pending *p, const struct media_record *r,
                         enum pending_kind kind)
{
    if (p->count < PENDING_MAX) {
        p->kind[p->count] = kind;
        p->record[p->count++] = *r;
    }
}

// The newest possible restart once more: a copy says nothing for or against it.
static bool repeats_pending(const struct stream *s, const struct media_record *r)
{
    const struct stream_pending *p = s->pending;
    return p && p->count > 0 && p->record[p->count - 1].sequence == r->sequence &&
           p->record[p->count - 1].timestamp == r->timestamp;
}

// Remembers r as a possible restart. Returns true where it is the packet that proves it.
static bool note_pending(struct stream *s, struct arena *arena, const struct media_record *r,
                         enum pending_kind kind)
{
    struct stream_pending *p = s->pending;
    if (!p) {
        p = s->pending = ARENA_NEW(arena, struct stream_pending);
    }
    if (p->count > 0 && (uint16_t)(p->record[p->count - 1].sequence + 1) != r->sequence) {
        p->count = 0;
    }
    if (p->count == 0) {
        p->numbers = 0;
        p->end_ns = s->end_ns;
        memcpy(p->payload_types, s->payload_types, sizeof p->payload_types);
    }
    uint32_t needed = kind == PENDING_JUMP ? 1 : 2; // before this one
    if (p->numbers >= needed) {
        return true;
    }
    p->numbers++;
    pending_push(p, r, kind);
    return false;
}

static enum pending_kind classify(struct stream *s, uint32_t behind, uint64_t *ext)
{
    if (behind >= STREAM_WINDOW) {
        return 65536 - behind < 32768 ? PENDING_JUMP : PENDING_LATE;
    }
    *ext = s->max_ext - behind;
    if (s->window[*ext / 64 % STREAM_WINDOW_WORDS] >> (*ext % 64) & 1) {
        return PENDING_DUPLICATE;
    }
    return *ext + STREAM_BASE_SLACK < s->first_ext ? PENDING_LATE : PENDING_FILL;
}

bool stream_out_of_order(struct stream *s, struct arena *arena, const struct media_record *r)
{
    uint64_t ext = 0;
    uint32_t behind = (uint16_t)((uint16_t)s->max_ext - r->sequence);
    enum pending_kind kind = classify(s, behind, &ext);
    if (kind == PENDING_DUPLICATE && is_capture_copy(s, r)) {
        s->capture_copies++;
    }
    if (behind > 0 && s->proof < STREAM_PROOF_PACKETS) {
        s->proof = 0; // numbers in disorder; a copy of the newest one says nothing
    }
    if (repeats_pending(s, r)) {
        pending_push(s->pending, r, kind);
    } else if (may_restart(s, r, kind, ext)) {
        if (note_pending(s, arena, r, kind)) {
            take_back(s);
            return false;
        }
    } else if (s->pending) {
        s->pending->count = 0;
    }
    count(s, r, kind);
    if (kind == PENDING_FILL) {
        fill(s, arena, r, ext);
        if (!s->pending || s->pending->count == 0) { // not perhaps another stream's
            struct media_record inner;
            stream_unwrap(s, arena, r, ext, &inner);
        }
    }
    return true;
}
