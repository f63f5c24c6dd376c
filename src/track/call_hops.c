// Hops: between which addresses the messages of a call were seen, and how long the element between
// two hops needed to hand a message on.
//
//     A ── INVITE ──▶ P ── INVITE ──▶ B          seen at t0 and t1: P needed t1 - t0
//
// The same message has the same CSeq, method or code, and To tag (its mark); addresses, Via, TTL
// and body may differ. It is paired with its newest sighting that went to the host which sends it
// on, and each sighting goes once into the delay of a hop: what P sends again by itself is no delay
// of P. 100 never passes a proxy (RFC 3261 16.7). A call with one hop keeps its newest sighting
// only.
#include "track/call_hops.h"

#include "track/call_extras.h"

// Sightings of a call with several hops that are kept. Not smaller: three messages on their way
// over five hops. Not larger: each is compared with every message.
#define SIGHTINGS_MAX 16

// Longest time in which a message is handed on: that of its transaction (RFC 3261 17.1.1.2, timer
// B).
#define HANDED_ON_MAX_NS INT64_C(32000000000)
// Of forks: branches that are tried one after the other are no delay (RFC 3261 16.7: T1 is the
// shortest).
#define FORKED_MAX_NS INT64_C(500000000)

// Delays of a hop that are counted: as many of the longest ones fit 64 bits.
#define DELAYS_MAX (UINT32_C(1) << 27)

struct sighting {
    int64_t time_ns;
    uint32_t mark;
    uint32_t handed_on; // bit n: over hop n
    struct endpoint dst;
    uint8_t hop;
};

struct call_trace {
    uint32_t count, next;
    struct sighting ring[SIGHTINGS_MAX];
    struct call_hop_delay *delays[CALL_HOPS_MAX]; // NULL: none
};

// Does what comes to `end` go on from `start`?
static bool meets(struct endpoint end, struct endpoint start, bool on_one_host)
{
    return address_eq(end.addr, start.addr) && (!on_one_host || end.port == start.port);
}

static void remember(struct call_trace *t, const struct sighting *s)
{
    t->ring[t->next] = *s;
    t->next = (t->next + 1) % SIGHTINGS_MAX;
    t->count += t->count < SIGHTINGS_MAX;
}

// The newest sighting of the message on its way to the host that m comes from now.
static struct sighting *former_sighting(struct call_trace *t, uint32_t mark,
                                        const struct sip_record *m, uint8_t hop)
{
    bool on_one_host = address_eq(m->src.addr, m->dst.addr);
    for (uint32_t i = 1; i <= t->count; i++) {
        struct sighting *s = &t->ring[(t->next + SIGHTINGS_MAX - i) % SIGHTINGS_MAX];
        if (s->mark == mark && s->hop != hop && meets(s->dst, m->src, on_one_host)) {
            return s;
        }
    }
    return NULL;
}

static void add_delay(struct call_trace *t, const struct call_hop *h, struct arena *arena,
                      int64_t delay_ns)
{
    struct call_hop_delay **at = &t->delays[h->index];
    if (!*at) {
        *at = ARENA_NEW(arena, struct call_hop_delay);
    }
    if ((*at)->count < DELAYS_MAX) {
        (*at)->count++;
        (*at)->sum_ns += delay_ns;
    }
    (*at)->max_ns = delay_ns > (*at)->max_ns ? delay_ns : (*at)->max_ns;
}

const struct call_hop_delay *call_hop_delay(const struct call *c, const struct call_hop *h)
{
    return c->extras && c->extras->trace ? c->extras->trace->delays[h->index] : NULL;
}

static void trace(struct call_trace *t, const struct call_hop *h, struct arena *arena,
                  const struct sip_record *m, uint32_t mark)
{
    uint32_t bit = UINT32_C(1) << h->index;
    struct sighting *former = former_sighting(t, mark, m, h->index);
    if (former && !(former->handed_on & bit) && former->time_ns > TIME_NOT_KNOWN_NS) {
        int64_t delay_ns = m->time_ns - former->time_ns;
        int64_t max_ns = former->handed_on != 0 ? FORKED_MAX_NS : HANDED_ON_MAX_NS;
        if (delay_ns >= 0 && delay_ns <= max_ns) {
            add_delay(t, h, arena, delay_ns);
        }
        former->handed_on |= bit;
    }
    remember(t, &(struct sighting){m->time_ns, mark, 0, m->dst, h->index});
}

// The second hop of a call: what was seen last at the first one may be what is seen here.
static struct call_trace *begin_trace(struct call *c, struct arena *arena)
{
    struct call_trace *t = ARENA_NEW(arena, struct call_trace);
    const struct call_hop *first = c->hops;
    struct endpoint to = c->last_goes_back ? first->src : first->dst;
    remember(t, &(struct sighting){c->last_ns, c->last_mark, 0, to, first->index});
    call_extras_of(c, arena)->trace = t;
    return t;
}

static struct call_hop *find_or_add(struct call *c, struct arena *arena, const struct sip_record *m,
                                    uint8_t by, bool *goes_back)
{
    struct call_hop **at = &c->hops;
    for (; *at; at = &(*at)->next) {
        struct call_hop *h = *at;
        if (endpoint_eq(h->src, m->src) && endpoint_eq(h->dst, m->dst)) {
            *goes_back = false;
            return h;
        }
        if (endpoint_eq(h->src, m->dst) && endpoint_eq(h->dst, m->src)) {
            *goes_back = true;
            return h;
        }
    }
    *goes_back = false;
    if (c->hop_count < CALL_HOPS_MAX) {
        *at = ARENA_NEW(arena, struct call_hop);
        **at = (struct call_hop){.src = m->src,
                                 .dst = m->dst,
                                 .index = (uint8_t)c->hop_count++,
                                 .to_caller = m->is_request != (by == BY_CALLER)};
    }
    return *at;
}

void call_hops_message(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by,
                       uint32_t mark)
{
    bool goes_back;
    struct call_hop *h = find_or_add(c, arena, m, by, &goes_back);
    if (!h) {
        return;
    }
    h->messages++;
    if (m->code == 100) {
        return;
    }
    if (c->hop_count == 1) {
        c->last_ns = m->time_ns;
        c->last_mark = mark;
        c->last_goes_back = goes_back;
        return;
    }
    struct call_trace *t = c->extras ? c->extras->trace : NULL;
    trace(t ? t : begin_trace(c, arena), h, arena, m, mark);
}

// --- the order of the path ---

static bool leads_to(const struct call_hop *above, const struct call_hop *below)
{
    struct endpoint end = above->to_caller ? above->src : above->dst;
    struct endpoint start = below->to_caller ? below->dst : below->src;
    return meets(end, start, address_eq(below->src.addr, below->dst.addr));
}

// The first hop that is left whose upper end no other one leads to; with a loop, the first one.
static const struct call_hop *next_start(const struct call *c, uint32_t done)
{
    const struct call_hop *first = NULL;
    for (const struct call_hop *h = c->hops; h; h = h->next) {
        bool is_led_to = false;
        for (const struct call_hop *g = c->hops; g; g = g->next) {
            bool is_left = (done >> g->index & 1) == 0 && g != h;
            is_led_to = is_led_to || (is_left && leads_to(g, h));
        }
        if ((done >> h->index & 1) == 0) {
            first = first ? first : h;
            if (!is_led_to) {
                return h;
            }
        }
    }
    return first;
}

static const struct call_hop *next_below(const struct call *c, uint32_t done,
                                         const struct call_hop *above)
{
    for (const struct call_hop *h = c->hops; h; h = h->next) {
        if ((done >> h->index & 1) == 0 && leads_to(above, h)) {
            return h;
        }
    }
    return NULL;
}

size_t call_hops_in_order(const struct call *c, const struct call_hop *out[CALL_HOPS_MAX])
{
    size_t n = 0;
    uint32_t done = 0;
    while (n < c->hop_count) {
        const struct call_hop *h = n > 0 ? next_below(c, done, out[n - 1]) : NULL;
        h = h ? h : next_start(c, done);
        done |= UINT32_C(1) << h->index;
        out[n++] = h;
    }
    return n;
}
