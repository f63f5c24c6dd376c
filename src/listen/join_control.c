// Which stream an account of RTCP belongs to.
//
// A stream of SSRC x from A to B is matched with what x says from A to B, and with what is said
// about x from B to A. RTCP has the ports of the media or those above them (RFC 3550 11, RFC 5761),
// but who is behind a NAT may have any, and even another address. So each stream is entered under
// keys that leave out more and more, and an account takes the narrowest that finds anything:
//
//     SSRC, both endpoints          asked with the ports of the account, and with those below
//     SSRC, source, destination's endpoint
//     SSRC, both addresses
//     SSRC, one address             only where no account fits better, and one stream has it
//
// Streams of one key are those that began again: of them the last that had begun when the account
// ended, else the first. Keys are sorted by hash and order, so that this takes O(n log n) whatever
// a sender chooses; hashes have the secret, but only equal ones are ever looked for.
#include "listen/report.h"

#include "base/memory.h"

#include <stdlib.h>

enum level {
    LEVEL_PORTS,
    LEVEL_DESTINATION,
    LEVEL_ADDRESSES,
    LEVEL_FROM,
    LEVEL_TO,
    LEVELS,
};

struct key {
    uint64_t hash;
    struct order order; // when the stream began
    uint32_t stream;
    bool is_mixed; // streams between other endpoints have the same key
};

struct keys {
    struct key *items;
    size_t count;
};

// An account of either kind.
struct account {
    struct control_sender *sender; // NULL: about
    struct control_about *about;
    struct order first;
    uint32_t bin, index;
    bool has_stream, is_reply; // it was found, and that of its reporter
};

struct accounts {
    struct account *items;
    size_t count;
    uint32_t *ssrcs; // that occur in them, sorted
    size_t ssrc_count;
};

// --- keys ---

static uint64_t hash_at(enum level level, uint32_t ssrc, struct endpoint src, struct endpoint dst)
{
    static const struct address NONE;
    bool has_src = level != LEVEL_TO;
    bool has_dst = level != LEVEL_FROM;
    struct endpoint from = {has_src ? src.addr : NONE, level == LEVEL_PORTS ? src.port : 0};
    struct endpoint to = {has_dst ? dst.addr : NONE,
                          level == LEVEL_PORTS || level == LEVEL_DESTINATION ? dst.port : 0};
    uint64_t ends = hash_mix(endpoint_hash(from, hash_secret), endpoint_hash(to, ~hash_secret));
    return hash_mix(ends, ((uint64_t)level << 32 | ssrc) ^ hash_secret);
}

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left;
    const struct key *b = right;
    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }
    int order = order_compare(a->order, b->order);
    return order != 0 ? order : (a->stream > b->stream) - (a->stream < b->stream);
}

static bool same_ends(const struct stream *a, const struct stream *b)
{
    return endpoint_eq(stream_src(a), stream_src(b)) && endpoint_eq(stream_dst(a), stream_dst(b));
}

static void mark_mixed(struct keys *k, const struct report_stream *streams)
{
    size_t end;
    for (size_t at = 0; at < k->count; at = end) {
        bool is_mixed = false;
        const struct stream *first = streams[k->items[at].stream].stream;
        for (end = at; end < k->count && k->items[end].hash == k->items[at].hash; end++) {
            is_mixed = is_mixed || !same_ends(first, streams[k->items[end].stream].stream);
        }
        for (size_t i = at; i < end; i++) {
            k->items[i].is_mixed = is_mixed;
        }
    }
}

static int compare_u32(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void keys_make(struct keys *k, const struct accounts *a, const struct report_stream *streams,
                      size_t count)
{
    k->items = memory_alloc((count * LEVELS + 1) * sizeof *k->items);
    k->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct stream *s = streams[i].stream;
        if (!bsearch(&s->ssrc, a->ssrcs, a->ssrc_count, sizeof *a->ssrcs, compare_u32)) {
            continue;
        }
        for (enum level level = 0; level < LEVELS; level++) {
            k->items[k->count++] =
                (struct key){hash_at(level, s->ssrc, stream_src(s), stream_dst(s)), stream_first(s),
                             (uint32_t)i, false};
        }
    }
    qsort(k->items, k->count, sizeof *k->items, compare_keys);
    mark_mixed(k, streams);
}

// The last stream of this hash that had begun at `last`, else the first; NULL: there is none.
static const struct key *find(const struct keys *k, uint64_t hash, struct order last)
{
    size_t low = 0;
    size_t high = k->count;
    const struct key wanted = {.hash = hash, .order = last, .stream = UINT32_MAX};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(&k->items[middle], &wanted) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > 0 && k->items[low - 1].hash == hash) {
        return &k->items[low - 1];
    }
    return low < k->count && k->items[low].hash == hash ? &k->items[low] : NULL;
}

// --- accounts ---

static int compare_accounts(const void *left, const void *right)
{
    const struct account *a = left;
    const struct account *b = right;
    int order = order_compare(a->first, b->first);
    if (order != 0) {
        return order;
    }
    if (a->bin != b->bin) {
        return a->bin < b->bin ? -1 : 1;
    }
    if (!a->sender != !b->sender) {
        return a->sender ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static void accounts_make(struct accounts *a, struct engine *e, size_t count)
{
    a->items = memory_alloc(count * sizeof *a->items);
    a->ssrcs = memory_alloc(2 * count * sizeof *a->ssrcs);
    a->count = a->ssrc_count = 0;
    for (uint32_t bin = 0; bin < BINS; bin++) {
        const struct control_bin *b = &e->control[bin];
        for (uint32_t i = 0; i < b->sender_count; i++) {
            struct control_sender *s = b->senders[i];
            a->items[a->count++] =
                (struct account){.sender = s, .first = s->first, .bin = bin, .index = i};
            a->ssrcs[a->ssrc_count++] = s->ssrc;
        }
        for (uint32_t i = 0; i < b->about_count; i++) {
            struct control_about *about = b->abouts[i];
            a->items[a->count++] =
                (struct account){.about = about, .first = about->first, .bin = bin, .index = i};
            a->ssrcs[a->ssrc_count++] = about->ssrc;
            a->ssrcs[a->ssrc_count++] = about->reporter;
        }
    }
    qsort(a->items, a->count, sizeof *a->items, compare_accounts);
    qsort(a->ssrcs, a->ssrc_count, sizeof *a->ssrcs, compare_u32);
}

// --- matching ---

// Ends of the lists of a stream, while they are being made.
struct tails {
    const struct control_sender **sender;
    const struct control_about **report, **reply;
    bool has_sender, has_report, has_reply; // one from between both addresses
};

struct match {
    const struct keys *keys;
    struct report_stream *streams;
    struct tails *tails; // of each stream
};

static struct endpoint below(struct endpoint e)
{
    return (struct endpoint){e.addr, (uint16_t)(e.port - 1)};
}

// The stream of an SSRC from `src` to `dst`, which are where its RTCP travels.
static struct report_stream *find_between(const struct match *m, uint32_t ssrc, struct endpoint src,
                                          struct endpoint dst, struct order last)
{
    const struct {
        enum level level;
        struct endpoint src, dst;
    } ASKED[] = {
        {LEVEL_PORTS, src, dst},       {LEVEL_PORTS, below(src), below(dst)},
        {LEVEL_DESTINATION, src, dst}, {LEVEL_DESTINATION, src, below(dst)},
        {LEVEL_ADDRESSES, src, dst},
    };
    for (size_t i = 0; i < sizeof ASKED / sizeof ASKED[0]; i++) {
        uint64_t hash = hash_at(ASKED[i].level, ssrc, ASKED[i].src, ASKED[i].dst);
        const struct key *found = find(m->keys, hash, last);
        if (found) {
            return &m->streams[found->stream];
        }
    }
    return NULL;
}

// The only stream of an SSRC that has one of the addresses at the right end.
static struct report_stream *find_beside(const struct match *m, uint32_t ssrc, struct endpoint src,
                                         struct endpoint dst, struct order last)
{
    for (enum level level = LEVEL_FROM; level <= LEVEL_TO; level++) {
        const struct key *found = find(m->keys, hash_at(level, ssrc, src, dst), last);
        if (found && !found->is_mixed) {
            return &m->streams[found->stream];
        }
    }
    return NULL;
}

static void add_sender(const struct match *m, struct report_stream *s, struct control_sender *c)
{
    struct tails *t = &m->tails[s - m->streams];
    *(t->sender ? t->sender : &s->control.senders) = c;
    t->sender = &c->of_stream;
    s->control.is_sealed = s->control.is_sealed || c->is_sealed;
}

static void add_report(const struct match *m, struct report_stream *s, struct control_about *a)
{
    struct tails *t = &m->tails[s - m->streams];
    *(t->report ? t->report : &s->control.reports) = a;
    t->report = &a->of_stream;
}

static void add_reply(const struct match *m, struct report_stream *s, struct control_about *a)
{
    struct tails *t = &m->tails[s - m->streams];
    *(t->reply ? t->reply : &s->control.replies) = a;
    t->reply = &a->by_stream;
}

// First what travels between both addresses of a stream.
static void match_between(const struct match *m, struct account *at)
{
    struct report_stream *s;
    if (at->sender) {
        struct control_sender *c = at->sender;
        if ((s = find_between(m, c->ssrc, c->src, c->dst, c->last)) != NULL) {
            add_sender(m, s, c);
            s->control.is_named = m->tails[s - m->streams].has_sender = at->has_stream = true;
        }
        return;
    }
    struct control_about *a = at->about;
    if ((s = find_between(m, a->ssrc, a->dst, a->src, a->last)) != NULL) {
        add_report(m, s, a);
        s->control.is_named = m->tails[s - m->streams].has_report = at->has_stream = true;
    }
    if ((s = find_between(m, a->reporter, a->src, a->dst, a->last)) != NULL) {
        add_reply(m, s, a);
        m->tails[s - m->streams].has_reply = at->is_reply = true;
    }
}

static bool same_way(struct endpoint src, struct endpoint dst, const struct control_about *a)
{
    return !a || (endpoint_eq(a->src, src) && endpoint_eq(a->dst, dst));
}

// Then what shares one address with a stream that lacks it, of one pair of endpoints only.
static void match_beside(const struct match *m, const struct account *at)
{
    struct report_stream *s;
    if (at->sender) {
        struct control_sender *c = at->sender;
        s = at->has_stream ? NULL : find_beside(m, c->ssrc, c->src, c->dst, c->last);
        const struct control_sender *head = s ? s->control.senders : NULL;
        bool is_other = head && !(endpoint_eq(head->src, c->src) && endpoint_eq(head->dst, c->dst));
        if (s && !m->tails[s - m->streams].has_sender && !is_other) {
            add_sender(m, s, c);
        }
        return;
    }
    struct control_about *a = at->about;
    s = at->has_stream ? NULL : find_beside(m, a->ssrc, a->dst, a->src, a->last);
    if (s && !m->tails[s - m->streams].has_report && same_way(a->src, a->dst, s->control.reports)) {
        add_report(m, s, a);
    }
    s = at->is_reply ? NULL : find_beside(m, a->reporter, a->src, a->dst, a->last);
    if (s && !m->tails[s - m->streams].has_reply && same_way(a->src, a->dst, s->control.replies)) {
        add_reply(m, s, a);
    }
}

static size_t count_accounts(const struct engine *e)
{
    size_t count = 0;
    for (unsigned bin = 0; bin < BINS; bin++) {
        count += e->control[bin].sender_count + e->control[bin].about_count;
    }
    return count;
}

void report_join_control(struct engine *e, struct report_stream *streams, size_t count)
{
    size_t all = count_accounts(e);
    if (all == 0) {
        return;
    }
    struct accounts accounts;
    struct keys keys;
    accounts_make(&accounts, e, all);
    keys_make(&keys, &accounts, streams, count);
    struct match m = {&keys, streams, memory_zero((count + 1) * sizeof *m.tails)};
    for (size_t i = 0; i < accounts.count; i++) {
        match_between(&m, &accounts.items[i]);
    }
    for (size_t i = 0; i < accounts.count; i++) {
        match_beside(&m, &accounts.items[i]);
    }
    memory_free(m.tails);
    memory_free(keys.items);
    memory_free(accounts.items);
    memory_free(accounts.ssrcs);
}
