// Finding the stream of a packet, and the streams of an announcement.
#include "track/media_bin.h"

#include "base/memory.h"

#define FIRST_ROOM 64

void media_bin_init(struct media_bin *b)
{
    *b = (struct media_bin){0};
    arena_init(&b->arena, 64 * 1024);
    arena_init(&b->lines, 16 * 1024);
}

void media_bin_fini(struct media_bin *b)
{
    arena_fini(&b->arena);
    arena_fini(&b->lines);
    memory_free(b->streams);
    memory_free(b->endpoints);
    index_table_fini(&b->current);
    index_table_fini(&b->faxes);
    index_table_fini(&b->by_endpoint);
    index_table_fini(&b->flows);
    memory_free(b->candidates);
}

static uint32_t key_hash(const struct media_record *r)
{
    uint64_t ends = (uint64_t)r->src.port << 48 | (uint64_t)r->dst.port << 32 | r->ssrc;
    uint64_t src = hash_mix(r->src.addr.hi ^ hash_secret, r->src.addr.lo ^ hash_secret);
    uint64_t dst = hash_mix(r->dst.addr.hi ^ src, r->dst.addr.lo ^ hash_secret);
    return (uint32_t)hash_mix(dst, ends ^ hash_secret);
}

static bool is_key_of(const struct stream *s, const struct media_record *r)
{
    return s->ssrc == r->ssrc && s->src_port == r->src.port && s->dst_port == r->dst.port &&
           address_eq(s->dst_address, r->dst.addr) && address_eq(s->src_address, r->src.addr);
}

// --- endpoints ---

static struct media_endpoint *endpoint_find(const struct media_bin *b, struct endpoint e)
{
    uint32_t hash = (uint32_t)endpoint_hash(e, hash_secret);
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(&b->by_endpoint, hash, &at)) != INDEX_NONE) {
        if (endpoint_eq(b->endpoints[i]->endpoint, e)) {
            return b->endpoints[i];
        }
    }
    return NULL;
}

static struct media_endpoint *endpoint_make(struct media_bin *b, struct endpoint e)
{
    struct media_endpoint *known = endpoint_find(b, e);
    if (known) {
        return known;
    }
    if (b->endpoint_count == b->endpoint_room) {
        b->endpoints =
            memory_grow(b->endpoints, &b->endpoint_room, sizeof *b->endpoints, FIRST_ROOM);
    }
    struct media_endpoint *made = ARENA_NEW(&b->arena, struct media_endpoint);
    made->endpoint = e;
    index_table_add(&b->by_endpoint, (uint32_t)endpoint_hash(e, hash_secret), b->endpoint_count);
    b->endpoints[b->endpoint_count++] = made;
    return made;
}

// --- announcements ---

static struct announcement **newest_of(struct media_endpoint *e, bool is_fax)
{
    return is_fax ? &e->fax : &e->announcement;
}

const struct announcement *media_bin_announced(const struct media_bin *b, struct endpoint e,
                                               bool is_fax, int64_t until_ns)
{
    struct media_endpoint *at = endpoint_find(b, e);
    const struct announcement *a = at ? *newest_of(at, is_fax) : NULL;
    for (int i = 0; i < ANNOUNCED_BACK_MAX && a && a->former && a->time_ns > until_ns; i++) {
        a = a->former;
    }
    return a;
}

static bool is_same_call(const struct announcement *a, const struct announcement *b)
{
    return a->call.bin == b->call.bin && a->call.index == b->call.index;
}

// Known at the end of the capture only (order_at_end).
static bool is_late(const struct media_news *news)
{
    return news->order.time_ns > TIME_MAX_NS;
}

// What a call announces again and again takes no more memory. What was known late goes to its place
// in time.
static struct announcement *keep(struct media_bin *b, struct announcement **newest,
                                 const struct media_news *news)
{
    const struct announcement *a = &news->what;
    struct announcement **at = newest;
    int back = is_late(news) ? ANNOUNCED_BACK_MAX : 0;
    while (back-- > 0 && *at && (*at)->time_ns > a->time_ns) {
        at = &(*at)->former;
    }
    bool is_known = *at && is_same_call(*at, a);
    struct announcement *copy = is_known ? *at : ARENA_NEW(&b->arena, struct announcement);
    int64_t began_ns = is_known ? copy->time_ns : a->time_ns;
    struct announcement *former = is_known ? copy->former : *at;
    *copy = *a;
    copy->time_ns = began_ns;
    copy->former = former;
    *at = copy;
    return copy;
}

static void tell(struct stream *s, struct arena *arena, const struct announcement *a, bool is_news)
{
    if (!s->announcement) {
        s->announcement = a;
    } else if (!stream_extras(s)->later && !is_same_call(s->announcement, a)) {
        stream_extras_of(s, arena)->later = a;
    }
    stream_announced(s, arena, a->map, is_news);
}

// NULL: none.
static struct stream *stream_at(const struct media_bin *b, uint32_t place)
{
    return place > 0 ? b->streams[place - 1] : NULL;
}

void media_bin_announce(struct media_bin *b, const struct media_news *news)
{
    const struct announcement *a = &news->what;
    struct media_endpoint *e = endpoint_make(b, news->endpoint);
    bool is_fax = announcement_is_fax(a);
    struct announcement **newest = newest_of(e, is_fax);
    const struct announcement *before = *newest;
    bool is_news = !before || !is_same_call(before, a) || before->map != a->map ||
                   before->cseq != a->cseq || before->by_caller != a->by_caller;
    const struct announcement *kept = keep(b, newest, news);
    e->news_ns = is_news ? a->time_ns : e->news_ns;
    uint32_t *at = &e->streams;
    struct stream *s;
    for (unsigned told = 0; told < ENDPOINT_STREAMS_MAX && (s = stream_at(b, *at)) != NULL;) {
        if (s->is_replaced || stream_end_ns(s) < a->time_ns - STREAM_IDLE_NS) {
            *at = s->next_of_endpoint;
            continue;
        }
        // What was known too late is nobody's who had a call by then.
        if (s->is_fax == is_fax && !(is_late(news) && s->announcement)) {
            tell(s, &b->arena, kept, is_news);
        }
        at = &s->next_of_endpoint;
        told++;
    }
    *at = 0;
}

// --- streams ---

static bool is_fax(const struct media_record *r)
{
    return r->kind == MEDIA_UDPTL;
}

static uint32_t stream_find(const struct media_bin *b, const struct index_table *t,
                            const struct media_record *r, uint32_t hash)
{
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(t, hash, &at)) != INDEX_NONE) {
        if (is_key_of(b->streams[i], r)) {
            break;
        }
    }
    return i;
}

// Makes a stream the current one of its key.
static struct stream *stream_make(struct media_bin *b, const struct media_record *r, uint32_t hash)
{
    if (b->stream_count == b->stream_room) {
        b->streams = memory_grow(b->streams, &b->stream_room, sizeof *b->streams, FIRST_ROOM);
    }
    struct media_endpoint *e = endpoint_make(b, r->dst);
    const struct announcement *a = *newest_of(e, is_fax(r));
    struct index_table *table = is_fax(r) ? &b->faxes : &b->current;
    b->in_flow += r->kind == MEDIA_IN_FLOW;
    struct stream *s = arena_lines(&b->lines, sizeof *s);
    stream_begin(s, &b->arena, r, b->jitter_buffer_ns, a, a ? a->map : NULL);
    s->offered_ns = a ? e->news_ns : TIME_NOT_SEEN;
    s->next_of_endpoint = e->streams;
    e->streams = b->stream_count + 1;
    if (s->is_fax) {
        stream_extras_of(s, &b->arena)->fax = ARENA_NEW(&b->arena, struct stream_fax);
        stream_fax_packet(s, r, true);
    }
    uint32_t before = stream_find(b, table, r, hash);
    if (before == INDEX_NONE) {
        index_table_add(table, hash, b->stream_count);
    } else {
        index_table_replace(table, hash, before, b->stream_count);
    }
    b->streams[b->stream_count++] = s;
    return s;
}

// Folds one packet; returns as stream_packet().
static bool fold(struct media_bin *b, struct stream *s, const struct media_record *r)
{
    uint32_t unique = s->unique;
    bool goes_on = stream_packet(s, &b->arena, r);
    if (goes_on && s->is_fax) {
        stream_fax_packet(s, r, s->unique != unique);
    }
    return goes_on;
}

// The numbers of s started again: its pending packets and r are another stream's.
static void restart(struct media_bin *b, struct stream *s, const struct media_record *r)
{
    struct stream_pending pending = *s->extras->pending;
    s->extras->pending->count = 0;
    s->is_replaced = true;
    struct stream *next = stream_make(b, &pending.record[0], key_hash(r));
    next->restarted = true;
    for (uint32_t i = 1; i < pending.count; i++) {
        fold(b, next, &pending.record[i]);
    }
    fold(b, next, r);
}

static void feed(struct media_bin *b, struct stream *s, const struct media_record *r)
{
    b->in_flow += r->kind == MEDIA_IN_FLOW;
    if (__builtin_expect(!stream_packet(s, &b->arena, r), 0)) {
        restart(b, s, r);
    }
}

static void feed_fax(struct media_bin *b, struct stream *s, const struct media_record *r)
{
    if (!fold(b, s, r)) {
        restart(b, s, r);
    }
}

// --- candidates ---

// Without the secret: which candidates are forgotten must be the same in every run.
static struct candidate_set *candidate_set(const struct media_bin *b, const struct media_record *r)
{
    uint64_t hash = hash_mix(endpoint_hash(r->src, r->ssrc), endpoint_hash(r->dst, 0));
    return &b->candidates[hash & (b->candidate_sets - 1)];
}

static struct candidate *candidate_find(const struct media_bin *b, const struct media_record *r)
{
    struct candidate_set *set = b->candidate_sets > 0 ? candidate_set(b, r) : NULL;
    for (int i = 0; set && i < CANDIDATE_WAYS; i++) {
        const struct media_record *c = &set->ways[i].record;
        if (set->ways[i].used && c->ssrc == r->ssrc && is_fax(c) == is_fax(r) &&
            endpoint_eq(c->dst, r->dst) && endpoint_eq(c->src, r->src)) {
            return &set->ways[i];
        }
    }
    return NULL;
}

static void candidate_put(struct media_bin *b, const struct media_record *r)
{
    struct candidate_set *set = candidate_set(b, r);
    struct candidate *c = &set->ways[set->next];
    set->next = (uint8_t)((set->next + 1) % CANDIDATE_WAYS);
    b->evicted += c->used;
    *c = (struct candidate){*r, true};
}

// More sets; candidates move in the order of their age.
static void candidates_grow(struct media_bin *b)
{
    struct candidate_set *old = b->candidates;
    uint32_t count = b->candidate_sets;
    b->candidate_sets = count > 0 ? count * 2 : CANDIDATE_SETS_FIRST;
    b->candidates = memory_zero(b->candidate_sets * sizeof *b->candidates);
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < CANDIDATE_WAYS; k++) {
            const struct candidate *c = &old[i].ways[(old[i].next + k) % CANDIDATE_WAYS];
            if (c->used) {
                candidate_put(b, &c->record);
            }
        }
    }
    memory_free(old);
}

// Is its set full of candidates that may still be proven?
static bool is_crowded(const struct media_bin *b, const struct media_record *r)
{
    const struct candidate_set *set = candidate_set(b, r);
    const struct candidate *oldest = &set->ways[set->next];
    return oldest->used && r->time_ns - oldest->record.time_ns < CANDIDATE_YOUNG_NS;
}

static void candidate_keep(struct media_bin *b, const struct media_record *r)
{
    while (b->candidate_sets == 0 || (b->candidate_sets < CANDIDATE_SETS_MAX && is_crowded(b, r))) {
        candidates_grow(b);
    }
    if (is_crowded(b, r)) {
        b->evicted++; // the newcomer: those who wait are soon proven and make room for its next
                      // packet
    } else {
        candidate_put(b, r);
    }
}

// Packets of UDPTL with numbers from 32,768 on that are cut cannot be told from those of RTP, each
// with another SSRC.
static bool has_fax(const struct media_bin *b, const struct media_record *r)
{
    struct media_record fax = {.src = r->src, .dst = r->dst, .kind = MEDIA_UDPTL};
    return b->faxes.count > 0 && !is_fax(r) &&
           stream_find(b, &b->faxes, &fax, key_hash(&fax)) != INDEX_NONE;
}

static void first_packet(struct media_bin *b, const struct media_record *r, uint32_t hash)
{
    struct candidate *c = candidate_find(b, r);
    struct media_endpoint *e = endpoint_find(b, r->dst);
    bool announced = e && *newest_of(e, is_fax(r)) && !has_fax(b, r);
    if (!c && !announced) {
        candidate_keep(b, r);
        return;
    }
    if (c) {
        int distance = (int16_t)(r->sequence - c->record.sequence);
        if (!announced && (distance > CANDIDATE_REACH || distance < -CANDIDATE_REACH)) {
            c->record = *r;
            return;
        }
        c->used = false;
        struct stream *s = stream_make(b, &c->record, hash);
        if (s->is_fax) {
            feed_fax(b, s, r);
        } else {
            feed(b, s, r);
        }
        return;
    }
    stream_make(b, r, hash);
}

static inline __attribute__((always_inline)) void
rtp_packet(struct media_bin *b, const struct media_record *r, uint32_t hash)
{
    uint32_t index = stream_find(b, &b->current, r, hash);
    if (__builtin_expect(index == INDEX_NONE, 0)) {
        first_packet(b, r, hash);
        return;
    }
    feed(b, b->streams[index], r);
}

static void fax_packet(struct media_bin *b, const struct media_record *r)
{
    uint32_t hash = key_hash(r);
    uint32_t index = stream_find(b, &b->faxes, r, hash);
    if (index == INDEX_NONE) {
        first_packet(b, r, hash);
        return;
    }
    feed_fax(b, b->streams[index], r);
}

static __attribute__((noinline)) void other_packet(struct media_bin *b,
                                                   const struct media_record *r)
{
    if (r->kind == MEDIA_QUOTED) {
        media_bin_quoted(b, r);
    } else if (r->kind == MEDIA_BROKEN) {
        b->broken += media_bin_announced(b, r->dst, false, INT64_MAX) != NULL;
    } else if (r->kind == MEDIA_UDPTL) {
        fax_packet(b, r);
    } else {
        rtp_packet(b, r, key_hash(r));
    }
}

void media_bin_packet(struct media_bin *b, const struct media_record *r)
{
    if (__builtin_expect(r->kind == MEDIA_RTP, 1)) {
        rtp_packet(b, r, key_hash(r));
    } else {
        other_packet(b, r);
    }
}

// --- many packets ---

// Packets that are looked up together, before the first of them is folded: what they touch comes
// from memory at the same time. Not fewer: memory takes as long as some packets. Not more: what was
// asked for must not leave the first-level cache again, and a stream has four lines there.
#define TOGETHER 24u

struct looked_up {
    const struct media_record *record;
    struct stream *stream; // a guess: table and streams may change until it is folded
    uint32_t hash;
};

static inline const struct media_record *record_of(const struct media_run *run, uint32_t i)
{
    return &run->records[run->sorted[i]];
}

static inline void ask_slots(const struct media_bin *b, struct looked_up *p,
                             const struct media_run *run, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        p[i].record = record_of(run, i);
        p[i].hash = key_hash(p[i].record);
        index_prefetch(&b->current, p[i].hash);
    }
}

static inline void ask_streams(const struct media_bin *b, struct looked_up *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = p[i].hash;
        uint32_t index = index_next(&b->current, p[i].hash, &at);
        p[i].stream = NULL;
        if (__builtin_expect(index != INDEX_NONE, 1)) {
            p[i].stream = b->streams[index];
            stream_prefetch(p[i].stream);
        }
    }
}

static inline void take_packet(struct media_bin *b, const struct looked_up *p)
{
    const struct media_record *r = p->record;
    if (__builtin_expect(r->kind != MEDIA_RTP, 0)) {
        other_packet(b, r);
    } else if (__builtin_expect(p->stream && is_key_of(p->stream, r) && !p->stream->is_replaced,
                                1)) {
        if (__builtin_expect(!stream_packet(p->stream, &b->arena, r), 0)) {
            restart(b, p->stream, r);
        }
    } else {
        rtp_packet(b, r, p->hash);
    }
}

void media_bin_run(struct media_bin *b, const struct media_run *run)
{
    struct looked_up packets[TOGETHER];
    struct media_run rest = *run;
    while (rest.count > 0) {
        uint32_t n = rest.count < TOGETHER ? rest.count : TOGETHER;
        ask_slots(b, packets, &rest, n);
        ask_streams(b, packets, n);
        for (uint32_t i = 0; i < n; i++) {
            take_packet(b, &packets[i]);
        }
        rest.sorted += n;
        rest.count -= n;
    }
}

void media_bin_finish(struct media_bin *b)
{
    for (uint32_t i = 0; i < b->candidate_sets * CANDIDATE_WAYS; i++) {
        const struct candidate *c = &b->candidates[i / CANDIDATE_WAYS].ways[i % CANDIDATE_WAYS];
        if (c->used && media_bin_announced(b, c->record.dst, is_fax(&c->record), INT64_MAX)) {
            stream_make(b, &c->record, key_hash(&c->record));
        }
    }
    for (uint32_t i = 0; i < b->stream_count; i++) {
        stream_finish(b->streams[i], &b->arena);
    }
}
