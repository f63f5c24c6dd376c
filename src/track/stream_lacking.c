// What a listener of a stream lacks: numbers that were lost or came too late, their runs, and the
// bursts of RFC 3611 4.7.2.
//
//      max_ext - 63                                    max_ext
//          |  .  .  .  .  .  x  x  .  .  .  x  .  .  .  |       x: missing
//          +----------- l->missing, bit 63 to 0 --------+
//
// A number that is still missing when it leaves these 64 is lacking; then runs and bursts are
// counted, in the order of numbers. Those before the first packet are kept apart (`before`) and are
// counted at the end. Nothing here is called while nothing is missing.
#include "track/stream_parts.h"

struct stream_lacking *stream_lacking_of(struct stream *s, struct arena *arena)
{
    if (!s->lacking) {
        s->lacking = ARENA_NEW(arena, struct stream_lacking);
        stream_fill_nothing(s->lacking);
    }
    return s->lacking;
}

static uint64_t *end_of(struct stream_lacking *l, uint64_t ext)
{
    return &l->ends[ext / 2 % STREAM_ENDS];
}

// --- runs and bursts ---

static void count_chain(struct stream_lacking *l, const struct lacking_chain *c)
{
    if (c->count < 2) {
        return; // alone: part of what lies between bursts
    }
    if (l->bursts == 0 || c->first < l->burst_first) {
        l->burst_first = c->first;
    }
    if (c->last > l->burst_last) {
        l->burst_last = c->last;
    }
    l->bursts++;
    l->burst_lacking += c->count;
    l->burst_numbers += c->last - c->first + 1;
}

static bool chain_reaches(const struct lacking_chain *c, uint64_t ext)
{
    return c->count > 0 && ext - c->last <= STREAM_GMIN;
}

static void close_chain(struct stream_lacking *l)
{
    if (l->first.count == 0) {
        l->first = l->open;
    } else {
        count_chain(l, &l->open);
    }
    l->open.count = 0;
}

// `count` numbers from `ext` on were not played.
static void lose(struct stream_lacking *l, uint64_t ext, uint64_t count)
{
    if (!chain_reaches(&l->open, ext)) {
        close_chain(l);
        l->open.first = ext;
    }
    l->open.last = ext + count - 1;
    l->open.count += count;
    l->count += count;
    l->run += count;
}

static void count_run(struct stream_lacking *l, uint64_t length, uint64_t ended_at)
{
    l->runs++;
    if (length > l->run_max) {
        l->run_max = length;
        l->run_max_at = ended_at;
    }
}

// One number leaves the 64.
static void settle(struct stream_lacking *l, uint64_t ext, bool is_missing)
{
    if (is_missing) {
        lose(l, ext, 1);
    } else if (l->run > 0) {
        count_run(l, l->run, *end_of(l, ext));
        l->run = 0;
    }
}

// --- packets ---

void stream_lacking_advance(struct stream *s, struct arena *arena, uint32_t delta,
                            const struct media_record *r)
{
    struct stream_lacking *l = stream_lacking_of(s, arena);
    uint64_t oldest = s->max_ext - delta - (STREAM_PLAYOUT - 1);
    uint32_t leaving = delta < STREAM_PLAYOUT ? delta : STREAM_PLAYOUT;
    for (uint32_t i = 0; i < leaving; i++) {
        settle(l, oldest + i, l->missing >> (STREAM_PLAYOUT - 1 - i) & 1);
    }
    if (delta > STREAM_PLAYOUT) {
        lose(l, oldest + STREAM_PLAYOUT, delta - STREAM_PLAYOUT);
    }
    if (delta < STREAM_PLAYOUT) { // bits 1 to delta - 1: the numbers between
        l->missing = l->missing << delta | ((1ull << (delta - 1)) - 1) << 1;
    } else {
        l->missing = ~1ull;
    }
    if (delta > 1) {
        l->interval.lost += delta - 1;
        stream_gap_open(&l->gaps, arena,
                        &(struct stream_gap){.from_ns = s->last_arrival_ns,
                                             .to_ns = r->time_ns,
                                             .first_ext = s->max_ext - delta + 1,
                                             .length = delta - 1,
                                             .missing = delta - 1,
                                             .at = r->order.at});
    }
    if (l->missing >> 1 & 1) {
        *end_of(l, s->max_ext) = r->order.at;
    }
}

void stream_lacking_discard(struct stream *s, struct arena *arena, const struct media_record *r)
{
    struct stream_lacking *l = stream_lacking_of(s, arena);
    l->missing |= 1;
    l->discarded++;
    l->interval.discarded++;
    l->discarded_at = r->order.at;
}

// The bit of a number before the first packet.
static bool before_first(const struct stream *s, uint64_t ext, unsigned *bit)
{
    *bit = (unsigned)((uint64_t)s->first_ext - 1 - ext);
    return ext < s->first_ext;
}

// A number of the 64 that was missing is played after all.
static void play(struct stream *s, struct stream_lacking *l, const struct media_record *r,
                 uint64_t ext)
{
    uint64_t behind = s->max_ext - ext;
    l->missing &= ~(1ull << behind);
    bool ends_run =
        behind == STREAM_PLAYOUT - 1 ? l->run > 0 : (l->missing >> (behind + 1) & 1) != 0;
    if (ends_run) {
        *end_of(l, ext) = r->order.at;
    }
}

void stream_lacking_carried(struct stream *s, struct arena *arena, const struct media_record *r,
                            uint64_t ext, uint32_t ticks)
{
    struct stream_lacking *l = stream_lacking_of(s, arena);
    uint64_t behind = s->max_ext - ext;
    if (behind < STREAM_PLAYOUT && (l->missing >> behind & 1) &&
        stream_playout_carried_in_time(s, r, ticks)) {
        play(s, l, r, ext);
    }
}

void stream_lacking_fill(struct stream *s, struct arena *arena, const struct media_record *r,
                         uint64_t ext, bool in_time)
{
    struct stream_lacking *l = stream_lacking_of(s, arena);
    uint64_t behind = s->max_ext - ext;
    unsigned bit;
    stream_gap_fill(l->gaps, ext, false);
    if (!in_time || behind >= STREAM_PLAYOUT) {
        l->discarded++;
        stream_interval_lack(s, arena, ext, 0, 1);
    } else if (before_first(s, ext, &bit)) {
        l->before[bit / 64] |= 1ull << (bit % 64);
    } else {
        play(s, l, r, ext);
    }
}

void stream_lacking_unfill(struct stream *s, struct arena *arena, uint64_t ext)
{
    struct stream_lacking *l = s->lacking;
    uint64_t behind = s->max_ext - ext;
    unsigned bit;
    stream_gap_fill(l->gaps, ext, true);
    if (before_first(s, ext, &bit) && l->before[bit / 64] >> (bit % 64) & 1) {
        l->before[bit / 64] &= ~(1ull << (bit % 64));
    } else if (!before_first(s, ext, &bit) && behind < STREAM_PLAYOUT &&
               !(l->missing >> behind & 1)) {
        l->missing |= 1ull << behind;
    } else {
        l->discarded--;
        stream_interval_lack(s, arena, ext, 0, -1);
    }
}

// --- the end ---

// Numbers before the first packet, which was played itself: no run goes on behind it, but a burst
// may.
static void count_before_first(struct stream *s, struct stream_lacking *l)
{
    struct lacking_chain chain = {0};
    uint64_t run = 0;
    for (uint64_t ext = s->base_ext; ext < s->first_ext; ext++) {
        unsigned bit;
        if (before_first(s, ext, &bit) && l->before[bit / 64] >> (bit % 64) & 1) {
            if (run > 0) {
                count_run(l, run, s->first_at);
            }
            run = 0;
            continue;
        }
        if (!chain_reaches(&chain, ext)) {
            count_chain(l, &chain);
            chain = (struct lacking_chain){ext, ext, 0};
        }
        chain.last = ext;
        chain.count++;
        l->count++;
        run++;
    }
    if (run > 0) {
        count_run(l, run, s->first_at);
    }
    if (l->first.count > 0 && chain_reaches(&chain, l->first.first)) {
        l->first.first = chain.first;
        l->first.count += chain.count;
    } else {
        count_chain(l, &chain);
    }
}

void stream_lacking_finish(struct stream *s)
{
    struct stream_lacking *l = s->lacking;
    if (!l) {
        return;
    }
    for (unsigned bit = STREAM_PLAYOUT; bit-- > 0;) {
        settle(l, s->max_ext - bit, l->missing >> bit & 1);
    }
    if (l->run > 0) { // the newest packets came too late
        count_run(l, l->run, l->discarded_at);
        l->run = 0;
    }
    close_chain(l);
    count_before_first(s, l);
    count_chain(l, &l->first);
}

int64_t stream_gap_max_ns(const struct stream *s)
{
    double ns = s->lacking ? (double)s->lacking->run_max * stream_packet_ns(s) : 0;
    double most = (double)TIME_MAX_NS / 2;
    return ns > 0 ? (int64_t)((ns < most ? ns : most) + 0.5) : 0;
}
