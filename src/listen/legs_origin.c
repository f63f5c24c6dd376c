// Legs by the origin of session descriptions: a B2BUA that passes an offer or answer through leaves
// its o= as it was (RFC 8866 5.2).
//
// An origin is unique by its definition, but not by its use: load generators and some gateways
// write one into all their calls. So it is evidence only where few calls have it, and where nobody
// began two of them with it: a B2BUA may send the same one to several phones, but got it once.
#include "listen/legs.h"

#include "base/memory.h"

// Calls that have one origin. Not smaller: a B2BUA may ring as many phones of a group. Not larger:
// each of them is compared with each other.
#define ORIGIN_CALLS_MAX 32

// A call under an origin.
struct origin_use {
    uint64_t origin;
    uint32_t call;
    uint32_t next; // use of the same origin before this one, or INDEX_NONE
    uint32_t count;
    bool by_caller;
};

struct origin_uses {
    struct origin_use *items;
    uint32_t count, room;
    struct index_table newest; // use of an origin
};

static const struct call_links *links_of(const struct legs *l, uint32_t call)
{
    return l->report->calls[call]->links;
}

// The newest use of an origin, or INDEX_NONE.
static uint32_t newest(const struct origin_uses *u, uint64_t origin)
{
    uint32_t at = (uint32_t)origin;
    uint32_t i;
    while ((i = index_next(&u->newest, (uint32_t)origin, &at)) != INDEX_NONE &&
           u->items[i].origin != origin) {
    }
    return i;
}

static void add(struct origin_uses *u, uint64_t origin, uint32_t call, bool by_caller)
{
    uint32_t before = newest(u, origin);
    if (before != INDEX_NONE && u->items[before].count > ORIGIN_CALLS_MAX) {
        return; // it tells nothing any more
    }
    if (u->count == u->room) {
        u->items = memory_grow(u->items, &u->room, sizeof *u->items, 256);
    }
    uint32_t count = before == INDEX_NONE ? 1 : u->items[before].count + 1;
    u->items[u->count] = (struct origin_use){origin, call, before, count, by_caller};
    if (before == INDEX_NONE) {
        index_table_add(&u->newest, (uint32_t)origin, u->count);
    } else {
        index_table_replace(&u->newest, (uint32_t)origin, before, u->count);
    }
    u->count++;
}

// --- one origin ---

struct group {
    uint32_t count;
    const struct call *calls[ORIGIN_CALLS_MAX]; // latest first
    uint64_t sender[ORIGIN_CALLS_MAX];
    bool by_caller[ORIGIN_CALLS_MAX];
};

static void fill(const struct legs *l, const struct origin_uses *u, uint32_t use, struct group *g)
{
    g->count = 0;
    for (; use != INDEX_NONE; use = u->items[use].next) {
        const struct call *c = l->report->calls[u->items[use].call];
        g->calls[g->count] = c;
        g->by_caller[g->count] = u->items[use].by_caller;
        g->sender[g->count] = leg_place(c, u->items[use].by_caller ? c->src : c->dst);
        g->count++;
    }
}

// Did it come to this place in a call?
static bool got_it(const struct group *g, uint32_t i, uint64_t place)
{
    return g->by_caller[i] ? leg_came_to(g->calls[i], place)
                           : leg_place(g->calls[i], g->calls[i]->src) == place;
}

static bool anybody_got_it(const struct group *g, uint64_t place)
{
    bool found = false;
    for (uint32_t i = 0; i < g->count && !found; i++) {
        found = got_it(g, i, place);
    }
    return found;
}

// Somebody sent it in two calls and got it in none.
static bool is_worn(const struct group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        for (uint32_t k = i + 1; k < g->count; k++) {
            if (g->sender[i] == g->sender[k] && !anybody_got_it(g, g->sender[i])) {
                return true;
            }
        }
    }
    return false;
}

// Did the host that got it in one call send it in the other?
static bool passed_on(const struct group *g, uint32_t from, uint32_t to)
{
    uint64_t places[LEG_ARRIVALS_MAX];
    const struct call *c = g->calls[to];
    if (g->by_caller[to]) {
        return got_it(g, from, leg_place(c, c->src));
    }
    uint32_t count = leg_arrivals(c, places);
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        found = got_it(g, from, places[i]);
    }
    return found;
}

// Has one user in both: who called, or who was called?
static bool share_a_user(const struct call *a, const struct call *b)
{
    uint64_t from = leg_user_hash(a->from, 0);
    uint64_t called[2] = {leg_user_hash(a->to, 0), leg_user_hash(a->request_uri, 0)};
    uint64_t others[2] = {leg_user_hash(b->to, 0), leg_user_hash(b->request_uri, 0)};
    bool found = from != 0 && from == leg_user_hash(b->from, 0);
    for (int i = 0; i < 4; i++) {
        found = found || (called[i / 2] != 0 && called[i / 2] == others[i % 2]);
    }
    return found;
}

// A B2BUA may have an address for each side. Two calls that have no host in common, but a user, are
// taken for its legs all the same; more of them, or other users, may be devices that are alike.
static bool may_be_two_sides(const struct group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->count > 2 || address_eq(g->calls[i]->src.addr, g->calls[i]->dst.addr)) {
            return false;
        }
    }
    const struct call *a = g->calls[0], *b = g->calls[1];
    return !address_eq(a->src.addr, b->src.addr) && !address_eq(a->dst.addr, b->dst.addr) &&
           share_a_user(a, b);
}

// Each is tied to the nearest one before it that passed it on or got it from there.
static void tie(struct legs *l, const struct group *g)
{
    bool two_sides = may_be_two_sides(g);
    for (uint32_t i = 0; i < g->count; i++) {
        for (uint32_t k = i + 1; k < g->count; k++) {
            if (g->sender[i] != g->sender[k] && legs_overlap(g->calls[i], g->calls[k]) &&
                (two_sides || passed_on(g, k, i) || passed_on(g, i, k))) {
                legs_tie(l, g->calls[i]->position, g->calls[k]->position, LEG_SDP_ORIGIN);
                break;
            }
        }
    }
}

void legs_by_origin(struct legs *l)
{
    struct origin_uses uses = {0};
    for (uint32_t i = 0; i < l->report->call_count; i++) {
        const struct call_links *links = links_of(l, i);
        for (int k = 0; links && k < links->origin_count; k++) {
            add(&uses, links->origins[k], i, links->origin_by_caller >> k & 1);
        }
    }
    for (uint32_t i = 0; i < uses.count; i++) {
        const struct origin_use *u = &uses.items[i];
        if (u->count > 1 && u->count <= ORIGIN_CALLS_MAX && newest(&uses, u->origin) == i) {
            struct group g;
            fill(l, &uses, i, &g);
            if (!is_worn(&g)) {
                tie(l, &g);
            }
        }
    }
    memory_free(uses.items);
    index_table_fini(&uses.newest);
}
