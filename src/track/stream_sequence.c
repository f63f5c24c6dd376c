// Sequence numbers of a stream: the window of the last 1,024, duplicates, late packets and
// restarts.
//
// When a number was passed is asked only to tell whether that was more than a second ago. So it is
// enough to keep how far numbers were when each of the last 16 ticks began.
#include "track/stream_parts.h"

// --- how old a number is ---

// The place of a tick among those that are kept.
static uint16_t *passed_at(struct stream *s, int64_t tick)
{
    return &s->passed[(uint64_t)tick % STREAM_OLD_TICKS];
}

static void pass_up_to(struct stream *s, uint64_t ext)
{
    for (unsigned i = 0; i < STREAM_OLD_TICKS; i++) {
        s->passed[i] = (uint16_t)ext;
    }
}

void stream_pass_nothing(struct stream *s)
{
    pass_up_to(s, s->max_ext - 2 * STREAM_WINDOW);
}

__attribute__((noinline)) void stream_pass(struct stream *s, int64_t ticks)
{
    int64_t now = (s->last_arrival_ns >> STREAM_TICK_BITS) + ticks;
    if (ticks >= STREAM_OLD_TICKS) {
        pass_up_to(s, s->max_ext);
    } else if (ticks > 0) {
        for (int64_t tick = now; ticks > 0; ticks--, tick--) {
            *passed_at(s, tick) = (uint16_t)s->max_ext;
        }
    } else { // the clock stepped back, and with it what is kept: age counts by arrival
        struct stream before = *s;
        for (int64_t k = 0; k < STREAM_OLD_TICKS; k++) {
            *passed_at(s, now - k) = *passed_at(&before, now - ticks - k);
        }
    }
}

// Numbers further back than the window need not be told apart; low bits must not come round.
static void forget_passed(struct stream *s)
{
    for (unsigned i = 0; i < STREAM_OLD_TICKS; i++) {
        if ((uint16_t)((uint16_t)s->max_ext - s->passed[i]) > 2 * STREAM_WINDOW) {
            s->passed[i] = (uint16_t)(s->max_ext - 2 * STREAM_WINDOW);
        }
    }
}

static struct filled_number *filled_at(struct stream_lacking *l, uint64_t ext)
{
    return &l->filled[ext % STREAM_RECENT];
}

// Was a number of the window first seen more than a second ago? One that is older than the newest
// 32 was seen before the next multiple of 32 was passed.
static bool is_old(struct stream *s, uint64_t ext, int64_t now_ns)
{
    int64_t since_last_ns = now_ns - s->last_arrival_ns;
    if (since_last_ns > 1000000000) {
        return true;
    }
    bool is_recent = s->max_ext - ext < STREAM_RECENT;
    int64_t now = (since_last_ns > 0 ? now_ns : s->last_arrival_ns) >> STREAM_TICK_BITS;
    if (is_recent && s->lacking && filled_at(s->lacking, ext)->number == (uint16_t)ext) {
        uint16_t ticks = (uint16_t)((uint16_t)now - filled_at(s->lacking, ext)->tick);
        return ticks >= STREAM_OLD_TICKS &&
               ticks < UINT16_MAX - 1024; // else the clock stepped back
    }
    uint64_t passed = is_recent ? ext : (ext / STREAM_MARK_STEP + 1) * STREAM_MARK_STEP;
    return (int16_t)(*passed_at(s, now - (STREAM_OLD_TICKS - 1)) - (uint16_t)passed) >= 0;
}

// --- which numbers were seen ---

static uint64_t *window_word(struct stream_lacking *l, uint64_t ext)
{
    return &l->window[ext / 64 % STREAM_WINDOW_WORDS];
}

// A number of the window is missing from now on: so far all from the first one on were seen.
static struct stream_lacking *window_open(struct stream *s, struct arena *arena)
{
    struct stream_lacking *l = stream_lacking_of(s, arena);
    if (!s->is_gappy) {
        memset(l->window, 0, sizeof l->window);
        stream_fill_nothing(l);
        uint64_t oldest = s->max_ext - (STREAM_WINDOW - 1);
        for (uint64_t ext = oldest > s->base_ext ? oldest : s->base_ext; ext <= s->max_ext; ext++) {
            *window_word(l, ext) |= 1ull << (ext % 64);
        }
        s->is_gappy = true;
    }
    l->gap_ext = s->max_ext;
    return l;
}

static void window_advance(struct stream *s, uint64_t from)
{
    struct stream_lacking *l = s->lacking;
    for (uint64_t word = from / 64 + 1; word <= s->max_ext / 64; word++) {
        l->window[word % STREAM_WINDOW_WORDS] = 0;
    }
    *window_word(l, s->max_ext) |= 1ull << (s->max_ext % 64);
    s->is_gappy = s->max_ext - l->gap_ext < STREAM_WINDOW;
}

void stream_advance(struct stream *s, struct arena *arena, uint32_t delta, int64_t time_ns)
{
    uint64_t from = s->max_ext;
    stream_pass_ticks(s, time_ns);
    if (delta > 1) {
        window_open(s, arena);
    }
    s->max_ext = from + delta;
    if (delta > 1) {
        s->lacking->gap_ext = s->max_ext;
        forget_passed(s);
    }
    if (s->is_gappy) {
        window_advance(s, from);
    }
}

// --- packets of the past ---

static bool is_capture_copy(const struct stream *s, const struct media_record *r)
{
    const struct frame_mark *m = &s->marks[r->sequence % STREAM_MARKS];
    return m->frame == stream_mix_frame(r) &&
           (uint32_t)(r->time_ns / 1000) - m->time_us <= CAPTURE_COPY_NS / 1000;
}

static void count(struct stream *s, struct arena *arena, const struct media_record *r,
                  enum pending_kind kind)
{
    struct stream_extras *x = stream_extras_of(s, arena);
    s->bytes += r->payload_n;
    x->end_ns = r->time_ns > x->end_ns ? r->time_ns : x->end_ns;
    switch (kind) {
    case PENDING_DUPLICATE:
        x->duplicates++;
        break;
    case PENDING_FILL:
        s->unique++;
        s->segment_from++;
        x->reordered++;
        break;
    case PENDING_LATE:
    case PENDING_JUMP:
        x->too_late++;
        break;
    }
}

static void uncount(struct stream *s, struct arena *arena, const struct media_record *r,
                    enum pending_kind kind)
{
    struct stream_extras *x = stream_extras_of(s, arena);
    s->bytes -= r->payload_n;
    stream_interval_uncount(s, arena);
    switch (kind) {
    case PENDING_DUPLICATE:
        x->duplicates--;
        break;
    case PENDING_FILL:
        s->unique--;
        s->segment_from--;
        x->reordered--;
        break;
    case PENDING_LATE:
    case PENDING_JUMP:
        x->too_late--;
        break;
    }
}

// Marks a number inside the window as seen; before the first one, it lowers the start.
static void fill(struct stream *s, struct arena *arena, const struct media_record *r, uint64_t ext)
{
    stream_lacking_fill(s, arena, r, ext, stream_playout_in_time(s, r));
    if (s->is_gappy || ext + 1 < s->base_ext) {
        struct stream_lacking *l = window_open(s, arena);
        *window_word(l, ext) |= 1ull << (ext % 64);
    }
    if (s->max_ext - ext < STREAM_RECENT) {
        *filled_at(s->lacking, ext) = (struct filled_number){
            (uint16_t)ext, (uint16_t)((uint64_t)r->time_ns >> STREAM_TICK_BITS)};
    }
    if (ext < s->base_ext) {
        stream_interval_lack(s, arena, ext, (int32_t)(s->base_ext - ext - 1), 0);
        s->base_ext = (uint32_t)ext;
    } else {
        stream_interval_lack(s, arena, ext, -1, 0);
        stream_redundancy_fill(s, ext, false);
    }
    stream_count_type(s, arena, r);
}

static void take_back(struct stream *s, struct arena *arena)
{
    struct stream_pending *p = s->extras->pending;
    for (uint32_t i = p->count; i-- > 0;) {
        const struct media_record *r = &p->record[i];
        uncount(s, arena, r, p->kind[i]);
        if (p->kind[i] == PENDING_FILL) { // never below the start: it followed a repeat
            uint64_t ext = s->max_ext - (uint16_t)((uint16_t)s->max_ext - r->sequence);
            *window_word(window_open(s, arena), ext) &= ~(1ull << (ext % 64));
            stream_interval_lack(s, arena, ext, 1, 0);
            stream_lacking_unfill(s, arena, ext);
            stream_redundancy_fill(s, ext, true);
            stream_uncount_type(s, arena, r);
        }
    }
    s->extras->end_ns = p->end_ns;
    memcpy(s->extras->payload_types, p->payload_types, sizeof p->payload_types);
}

static bool is_before_offer(const struct stream *s, uint64_t ext)
{
    uint32_t offer_ext = stream_extras(s)->offer_ext;
    return offer_ext != 0 && ext <= offer_ext;
}

// Could r be the first or next packet of numbers that started again? docs/json.md: a jump forward,
// or numbers first seen more than a second ago or before a new offer, with timestamps that went
// back.
static bool may_restart(struct stream *s, const struct media_record *r, enum pending_kind kind,
                        uint64_t ext)
{
    if (kind == PENDING_JUMP || kind == PENDING_LATE) {
        return true;
    }
    // A number that was missing is no repeat; but one may stand between two.
    const struct stream_pending *p = stream_extras(s)->pending;
    if (kind == PENDING_FILL &&
        !(p && p->count > 0 && p->numbers == 1 && p->kind[0] == PENDING_DUPLICATE &&
          (uint16_t)(p->record[0].sequence + 1) == r->sequence)) {
        return false;
    }
    return (int32_t)(r->timestamp - s->last_timestamp) < 0 &&
           (is_before_offer(s, ext) || is_old(s, ext, r->time_ns));
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
    const struct stream_pending *p = stream_extras(s)->pending;
    return p && p->count > 0 && p->record[p->count - 1].sequence == r->sequence &&
           p->record[p->count - 1].timestamp == r->timestamp;
}

// Remembers r as a possible restart. Returns true where it is the packet that proves it.
static bool note_pending(struct stream *s, struct arena *arena, const struct media_record *r,
                         enum pending_kind kind)
{
    struct stream_extras *x = stream_extras_of(s, arena);
    struct stream_pending *p = x->pending;
    if (!p) {
        p = x->pending = ARENA_NEW(arena, struct stream_pending);
    }
    if (p->count > 0 && (uint16_t)(p->record[p->count - 1].sequence + 1) != r->sequence) {
        p->count = 0;
    }
    if (p->count == 0) {
        p->numbers = 0;
        p->end_ns = x->end_ns;
        memcpy(p->payload_types, x->payload_types, sizeof p->payload_types);
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
    if (stream_seen(s, *ext)) {
        return PENDING_DUPLICATE;
    }
    return *ext + STREAM_BASE_SLACK < s->first_ext ? PENDING_LATE : PENDING_FILL;
}

static void forget_pending(struct stream *s)
{
    if (s->extras && s->extras->pending) {
        s->extras->pending->count = 0;
    }
}

bool stream_out_of_order(struct stream *s, struct arena *arena, const struct media_record *r)
{
    uint64_t ext = 0;
    uint32_t behind = (uint16_t)((uint16_t)s->max_ext - r->sequence);
    enum pending_kind kind = classify(s, behind, &ext);
    if (kind == PENDING_DUPLICATE && is_capture_copy(s, r)) {
        stream_extras_of(s, arena)->capture_copies++;
    }
    if (behind > 0 && s->proof < STREAM_PROOF_PACKETS) {
        s->proof = 0; // numbers in disorder; a copy of the newest one says nothing
    }
    if (repeats_pending(s, r)) {
        pending_push(s->extras->pending, r, kind);
    } else if (may_restart(s, r, kind, ext)) {
        if (note_pending(s, arena, r, kind)) {
            take_back(s, arena);
            return false;
        }
    } else {
        forget_pending(s);
    }
    count(s, arena, r, kind);
    if (kind == PENDING_FILL) {
        fill(s, arena, r, ext);
        const struct stream_pending *p = s->extras->pending;
        if (!p || p->count == 0) { // not perhaps another stream's
            struct media_record inner;
            stream_unwrap(s, arena, r, ext, &inner);
        }
    }
    return true;
}
