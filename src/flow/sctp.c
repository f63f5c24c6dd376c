// Puts the messages of one direction of an SCTP association together.
//
// Ordinarily every message is whole in one chunk and every TSN the next one: that costs two bits of
// a bitmap and no memory beside it. Fragments wait as blocks in a list by age and in a table by
// their number; neighbours form runs, of which the first and the last know each other, so that a
// fragment costs the same wherever it belongs. A run that begins and ends is a message. The order
// of streams (SSN) is not restored: each message is handed on when it is complete.
#include "flow/sctp.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

// TSNs behind and before the highest one that belong to the same association. Not smaller: that
// many chunks of a kilobyte may be under way on a fast and long path. Not larger: every direction
// has a bit for each.
#define TSN_WINDOW 4096

// Fragments that wait. Not smaller: SCTP_HELD_MAX in chunks of half a kilobyte. Not larger: the
// chains of the table, of which every fragment walks three, have 16 of them each.
#define FRAGMENTS_MAX 4096

// How long fragments wait (sctp_side_tick). Not smaller: what was lost is sent again after one,
// three and seven seconds (RFC 9260 6.3.3, 16). Not larger: what waits takes memory, and is shown
// late.
#define WAIT_NS INT64_C(10000000000)

#define BUCKETS 256

struct fragment {
    struct fragment *older, *newer;   // of all that wait
    struct fragment *before, *behind; // in its run
    struct fragment *mate;            // of the first in a run: the last; of the last: the first
    struct fragment *chain;           // in its bucket
    uint64_t group;                   // DATA: 0; I-DATA: of its message
    uint32_t number;                  // DATA: TSN; I-DATA: of the fragment
    uint32_t ppid, n;
    bool begins, ends, is_cut;
    int64_t since_ns;
    struct packet_ref from;
    uint8_t bytes[];
};

struct sctp_side {
    uint32_t tag, highest;
    bool has_begun; // tag and highest mean something
    // What was given up last had no end: it may go on behind open_at.
    bool is_open;
    uint32_t open_at;
    uint64_t open_group;
    struct fragment *oldest, *newest;
    size_t held;
    uint32_t fragments;
    uint64_t seen[TSN_WINDOW / 64]; // by TSN modulo TSN_WINDOW, of those up to the highest
    struct fragment **buckets;      // BUCKETS; NULL: none waits
};

// Where something is handed on to.
struct out {
    const struct sctp_sink *sink;
    uint64_t *odd;
};

struct sctp_side *sctp_side_new(void)
{
    return memory_zero(sizeof(struct sctp_side));
}

void sctp_side_free(struct sctp_side *s)
{
    if (!s) {
        return;
    }
    for (struct fragment *f = s->oldest; f;) {
        struct fragment *next = f->newer;
        memory_free(f);
        f = next;
    }
    memory_free(s->buckets);
    memory_free(s);
}

size_t sctp_side_held(const struct sctp_side *s)
{
    return s->held;
}

size_t sctp_side_memory(const struct sctp_side *s)
{
    return sizeof *s + MEMORY_OVERHEAD + s->held + s->fragments * MEMORY_OVERHEAD +
           (s->buckets ? BUCKETS * sizeof(struct fragment *) + MEMORY_OVERHEAD : 0);
}

// --- Fragments that wait ---

static struct fragment **bucket_of(struct sctp_side *s, uint64_t group, uint32_t number)
{
    return &s->buckets[hash_mix(group ^ hash_secret, number ^ hash_secret) % BUCKETS];
}

static struct fragment *find(struct sctp_side *s, uint64_t group, uint32_t number)
{
    struct fragment *f = s->buckets ? *bucket_of(s, group, number) : NULL;
    while (f && (f->group != group || f->number != number)) {
        f = f->chain;
    }
    return f;
}

static void drop(struct sctp_side *s, struct fragment *f)
{
    struct fragment **at = bucket_of(s, f->group, f->number);
    while (*at != f) {
        at = &(*at)->chain;
    }
    *at = f->chain;
    *(f->older ? &f->older->newer : &s->oldest) = f->newer;
    *(f->newer ? &f->newer->older : &s->newest) = f->older;
    s->held -= sizeof *f + f->n;
    s->fragments--;
    memory_free(f);
    if (s->fragments == 0) { // an idle side is small
        memory_free(s->buckets);
        s->buckets = NULL;
    }
}

static void drop_run(struct sctp_side *s, struct fragment *first)
{
    while (first) {
        struct fragment *behind = first->behind;
        drop(s, first);
        first = behind;
    }
}

// Makes one run of two; each of them ends where the other begins.
static void join(struct fragment *last, struct fragment *first)
{
    struct fragment *begin = last->mate;
    struct fragment *end = first->mate;
    last->behind = first;
    first->before = last;
    begin->mate = end;
    end->mate = begin;
}

// Returns the first of the run that f is in then.
static struct fragment *join_neighbours(struct sctp_side *s, struct fragment *f)
{
    struct fragment *first = f;
    struct fragment *before = f->begins ? NULL : find(s, f->group, f->number - 1);
    struct fragment *behind = f->ends ? NULL : find(s, f->group, f->number + 1);
    if (before && !before->ends) {
        first = before->mate;
        join(before, f);
    }
    if (behind && !behind->begins) {
        join(f, behind);
    }
    return first;
}

// A message of I-DATA: its stream, whether it is ordered, its number; never 0.
static uint64_t group_of(const struct sctp_data *d)
{
    uint64_t stream = UINT64_C(1) << 63 | (uint64_t)d->unordered << 48 | (uint64_t)d->stream << 32;
    return d->is_interleaved ? stream | d->message : 0;
}

static uint32_t number_of(const struct sctp_data *d)
{
    return d->is_interleaved ? d->fragment : d->tsn;
}

// Returns the first of its run.
static struct fragment *keep(struct sctp_side *s, const struct sctp_data *d, struct packet_ref from,
                             int64_t clock_ns)
{
    struct fragment *f = memory_alloc(sizeof *f + d->n);
    *f = (struct fragment){
        .older = s->newest,
        .group = group_of(d),
        .number = number_of(d),
        .ppid = d->ppid,
        .n = d->n,
        .begins = d->begins,
        .ends = d->ends,
        .is_cut = d->is_cut,
        .since_ns = clock_ns,
        .from = from,
    };
    memcpy(f->bytes, d->bytes, d->n);
    if (!s->buckets) {
        s->buckets = memory_zero(BUCKETS * sizeof(struct fragment *));
    }
    struct fragment **bucket = bucket_of(s, f->group, f->number);
    f->mate = f;
    f->chain = *bucket;
    *bucket = f;
    *(s->newest ? &s->newest->newer : &s->oldest) = f;
    s->newest = f;
    s->held += sizeof *f + f->n;
    s->fragments++;
    return join_neighbours(s, f);
}

// --- Handing on ---

// Counts what there is of a run up to its first cut fragment.
static void measure(const struct fragment *first, struct sctp_message *m)
{
    for (const struct fragment *f = first; f && !m->is_incomplete; f = f->behind) {
        m->n += f->n;
        m->packet_count++;
        m->is_incomplete = f->is_cut;
    }
    m->is_incomplete |= !first->mate->ends;
}

// Hands on the message that begins with `first`, as far as it is there, and forgets its fragments.
static void hand_on(struct sctp_side *s, struct fragment *first, const struct out *out)
{
    struct sctp_message m = {.ppid = first->ppid};
    measure(first, &m);
    uint8_t *bytes = memory_alloc(m.n);
    struct packet_ref *packets = memory_alloc(m.packet_count * sizeof *packets);
    uint32_t n = 0;
    uint32_t count = 0;
    for (const struct fragment *f = first; n < m.n; f = f->behind) {
        memcpy(bytes + n, f->bytes, f->n);
        n += f->n;
        if (count == 0 || packets[count - 1].at != f->from.at) {
            packets[count++] = f->from;
        }
    }
    m.bytes = bytes;
    m.packets = packets;
    m.packet_count = count;
    drop_run(s, first);
    out->sink->message(out->sink->context, &m);
    memory_free(packets);
    memory_free(bytes);
}

// Gives up the run that `f` belongs to. Pieces of one message between holes are counted once, as
// far as can be told.
static void give_up(struct sctp_side *s, struct fragment *f, const struct out *out)
{
    while (f->before) {
        f = f->before;
    }
    const struct fragment *last = f->mate;
    bool goes_on = s->is_open && !f->begins && f->group == s->open_group &&
                   f->number - s->open_at - 1 < TSN_WINDOW;
    out->odd[FLOW_SCTP_INCOMPLETE] += !goes_on;
    s->is_open = !last->ends;
    s->open_group = last->group;
    s->open_at = last->number;
    if (f->begins) {
        hand_on(s, f, out);
    } else {
        drop_run(s, f);
    }
}

static void give_up_all(struct sctp_side *s, const struct out *out)
{
    while (s->oldest) {
        give_up(s, s->oldest, out);
    }
}

void sctp_side_tick(struct sctp_side *s, int64_t clock_ns, const struct sctp_sink *sink,
                    uint64_t odd[FLOW_ODD_COUNT])
{
    const struct out out = {sink, odd};
    while (s->oldest && (clock_ns == INT64_MAX || s->oldest->since_ns < clock_ns - WAIT_NS)) {
        give_up(s, s->oldest, &out);
    }
}

// --- Chunks ---

static void forget(struct sctp_side *s, const struct out *out)
{
    give_up_all(s, out);
    s->has_begun = s->is_open = false;
    memset(s->seen, 0, sizeof s->seen);
}

// Bits of TSNs that were not there yet are set by those that have their place now.
static void advance(struct sctp_side *s, uint32_t tsn)
{
    for (uint32_t t = s->highest + 1; t != tsn + 1;) {
        uint64_t *word = &s->seen[t % TSN_WINDOW / 64];
        bool is_all = t % 64 == 0 && tsn - t >= 63;
        *word = is_all ? 0 : *word & ~(UINT64_C(1) << t % 64);
        t += is_all ? 64 : 1;
    }
    s->highest = tsn;
}

// True: this TSN was not there yet. One that is far from the others belongs to another association,
// or comes behind a gap of the capture: all begins anew.
static bool tsn_take(struct sctp_side *s, uint32_t tsn, const struct out *out)
{
    uint32_t ahead = tsn - s->highest;
    if (ahead >= TSN_WINDOW && ahead <= -(uint32_t)TSN_WINDOW) {
        forget(s, out);
    }
    if (!s->has_begun) {
        s->has_begun = true;
        s->highest = tsn;
    } else if (ahead < TSN_WINDOW) {
        advance(s, tsn);
    }
    uint64_t *word = &s->seen[tsn % TSN_WINDOW / 64];
    uint64_t bit = UINT64_C(1) << tsn % 64;
    bool is_new = (*word & bit) == 0;
    *word |= bit;
    return is_new;
}

static void fragment_take(struct sctp_side *s, const struct sctp_data *d, struct packet_ref from,
                          int64_t clock_ns, const struct out *out)
{
    if (find(s, group_of(d), number_of(d))) {
        return; // sent with another TSN, or the TSNs have gone round: the first counts
    }
    while (s->oldest && (s->fragments == FRAGMENTS_MAX ||
                         s->held + sizeof(struct fragment) + d->n > SCTP_HELD_MAX)) {
        give_up(s, s->oldest, out);
    }
    struct fragment *first = keep(s, d, from, clock_ns);
    if (first->begins && first->mate->ends) {
        hand_on(s, first, out);
    }
}

static bool chunk_take(struct sctp_side *s, const struct sctp_data *d, struct packet_ref from,
                       int64_t clock_ns, const struct out *out)
{
    if (!tsn_take(s, d->tsn, out)) {
        return false;
    }
    if (d->begins && d->ends) {
        const struct sctp_message m = {
            .bytes = d->bytes,
            .n = d->n,
            .ppid = d->ppid,
            .is_borrowed = true,
            .is_incomplete = d->is_cut,
            .packets = &from,
            .packet_count = 1,
        };
        out->sink->message(out->sink->context, &m);
    } else {
        fragment_take(s, d, from, clock_ns, out);
    }
    return true;
}

// Another tag is another association. INIT has the tag 0, and INIT ACK that of the data behind it.
static void tag_take(struct sctp_side *s, uint32_t tag, const struct out *out)
{
    if (tag != s->tag) {
        forget(s, out);
        s->tag = tag;
    }
}

bool sctp_side_packet(struct sctp_side *s, const uint8_t *packet, uint32_t n,
                      struct packet_ref from, int64_t clock_ns, const struct sctp_sink *sink,
                      uint64_t odd[FLOW_ODD_COUNT])
{
    const struct out out = {sink, odd};
    struct sctp_walk w;
    struct sctp_data d;
    bool has_data = false;
    bool is_new = false;
    if (!sctp_begin(&w, packet, n)) {
        return true;
    }
    while (sctp_next(&w, &d)) {
        has_data = true;
        tag_take(s, w.tag, &out);
        is_new |= chunk_take(s, &d, from, clock_ns, &out);
    }
    if (w.has_init) {
        tag_take(s, w.tag, &out);
    }
    if (w.has_end) {
        give_up_all(s, &out);
    }
    return is_new || !has_data;
}
