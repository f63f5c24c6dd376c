// Legs by number and time, a guess: a call that a host got, and one that it sent a moment later
// from the same number to the same number.
//
// Comes in: calls, and the edges of all better evidence. Goes out: edges between an incoming and an
// outgoing leg of a host, where neither has better evidence at that host. An outgoing leg belongs
// to one incoming leg.
//
// Calls of one pair of numbers at one host come in runs, which end where as many went out as came
// in. A run in which that fits is taken in order, however dense it is: first in, first out; where
// the next one may have overtaken, neither is told. In any other run an outgoing leg belongs to the
// incoming leg nearest before it, if that is clearly the nearest; else to none.
#include "listen/legs.h"

#include "base/memory.h"

// From the incoming leg to the outgoing one. Not smaller: look-ups of routes and numbers take a
// second. Not larger: the same caller tries again.
#define NEAR_NS INT64_C(2000000000)

// By so much, and so many times, the second nearest incoming leg must be further away. Not smaller:
// a host needs as long for a leg now and then. Not larger: people who redial are as quick.
#define CLEARLY_NS    INT64_C(250000000)
#define CLEARLY_TIMES 4

// Outgoing legs of one incoming leg. Not smaller: a host tries some trunks, or rings some phones.
// Not larger: more are a load of calls, not a fork.
#define OUT_MAX 8

// Digits of a number that says something. Not smaller: extensions have two or three. Not larger:
// as above.
#define DIGITS_MIN 2

// Pairs of a run whose delays tell what the host needs. Not smaller: a few of them are near each
// other by chance. Not larger: runs are short.
#define PAIRS_MIN 8

// Steps back to incoming legs that may still be up. Not smaller: some before the nearest may be
// over. Not larger: loads have thousands.
#define BACK_MAX 16

enum {
    IS_IN,
    IS_OUT
};

// What is known of a call by better evidence.
enum {
    HAS_IN = 1, // its place as an incoming leg is taken
    HAS_OUT = 2
};

// --- which calls ---

static bool takes_part(const struct call *c)
{
    return c->kind == KIND_CALL && !(c->notes & NOTE_START_NOT_SEEN) &&
           !endpoint_eq(c->src, c->dst);
}

static uint8_t *known_by_edges(const struct legs *l)
{
    const struct sidetone_report *r = l->report;
    uint8_t *known = memory_zero(r->call_count + 1);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct call *a = r->calls[l->edges[i].from];
        const struct call *b = r->calls[l->edges[i].to];
        if (leg_came_to(a, leg_place(b, b->src))) {
            known[a->position] |= HAS_IN;
            known[b->position] |= HAS_OUT;
        }
    }
    return known;
}

static uint64_t number_hash(struct slice uri, enum leg_key_of what)
{
    char digits[SIP_NUMBER_DIGITS_MAX];
    struct sip_uri parts;
    sip_uri(uri, &parts);
    return sip_number(parts.user, digits) >= DIGITS_MIN
               ? leg_hash(leg_user(parts.user, digits), what)
               : 0;
}

// Both numbers of a call; 0: it has not two.
static uint64_t numbers_of(const struct call *c)
{
    uint64_t caller = number_hash(c->from, LEG_KEY_CALLER);
    uint64_t called = caller != 0 ? number_hash(c->request_uri, LEG_KEY_CALLED) : 0;
    if (caller != 0 && called == 0) {
        called = number_hash(c->to, LEG_KEY_CALLED);
    }
    return caller != 0 && called != 0 ? hash_mix(caller, called) : 0;
}

// Places that some call came to.
struct places {
    uint64_t *items;
    uint32_t count, room;
    struct index_table table;
};

static bool has_place(const struct places *p, uint64_t place)
{
    uint32_t at = (uint32_t)place;
    uint32_t i;
    while ((i = index_next(&p->table, (uint32_t)place, &at)) != INDEX_NONE) {
        if (p->items[i] == place) {
            return true;
        }
    }
    return false;
}

static void add_place(struct places *p, uint64_t place)
{
    if (!has_place(p, place)) {
        if (p->count == p->room) {
            p->items = memory_grow(p->items, &p->room, sizeof *p->items, 64);
        }
        index_table_add(&p->table, (uint32_t)place, p->count);
        p->items[p->count++] = place;
    }
}

static void places_fini(struct places *p)
{
    memory_free(p->items);
    index_table_fini(&p->table);
}

// Hosts that got calls and sent calls; in most captures there is none, and no number is looked at.
static void find_places(const struct sidetone_report *r, struct places *both)
{
    struct places got = {0};
    for (uint32_t i = 0; i < r->call_count; i++) {
        uint64_t places[LEG_ARRIVALS_MAX];
        uint32_t count = takes_part(r->calls[i]) ? leg_arrivals(r->calls[i], places) : 0;
        for (uint32_t k = 0; k < count; k++) {
            add_place(&got, places[k]);
        }
    }
    for (uint32_t i = 0; i < r->call_count; i++) {
        uint64_t place = leg_place(r->calls[i], r->calls[i]->src);
        if (takes_part(r->calls[i]) && has_place(&got, place)) {
            add_place(both, place);
        }
    }
    places_fini(&got);
}

static void add_leg(const struct call *c, const struct places *both, uint8_t known,
                    struct leg_keys *keys)
{
    uint64_t ins[LEG_ARRIVALS_MAX];
    uint64_t out = leg_place(c, c->src);
    uint32_t count = known & HAS_IN ? 0 : leg_arrivals(c, ins);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        ins[kept] = ins[i];
        kept += has_place(both, ins[i]);
    }
    bool is_out = !(known & HAS_OUT) && has_place(both, out);
    uint64_t numbers = kept > 0 || is_out ? numbers_of(c) : 0;
    if (numbers == 0) {
        return;
    }
    for (uint32_t i = 0; i < kept; i++) {
        leg_keys_add(keys, hash_mix(numbers, ins[i]), c->position, IS_IN);
    }
    if (is_out) {
        leg_keys_add(keys, hash_mix(numbers, out), c->position, IS_OUT);
    }
}

// --- a run ---

struct run {
    uint32_t *ins, *outs; // positions, room for a whole group
    uint32_t *of_out;     // the incoming leg of each outgoing one, a place among the first
    uint32_t in_count, out_count;
    uint32_t next;    // among ins: no earlier one waits for its outgoing leg
    uint32_t surplus; // outgoing legs that found none
};

// May the incoming leg have made the outgoing one?
static bool may_make(const struct call *in, const struct call *out)
{
    return in->start_ns <= out->start_ns && out->start_ns - in->start_ns <= NEAR_NS &&
           in->end_ns >= out->start_ns && !slice_eq(in->call_id, out->call_id);
}

static void add_out(const struct sidetone_report *r, struct run *run, uint32_t out)
{
    while (run->next < run->in_count && !may_make(r->calls[run->ins[run->next]], r->calls[out])) {
        run->next++; // over, refused, or too long ago
    }
    bool found = run->next < run->in_count;
    run->of_out[run->out_count] = found ? run->next++ : INDEX_NONE;
    run->outs[run->out_count++] = out;
    run->surplus += !found;
}

// Incoming legs that were up when the last outgoing one began, and got none.
static bool has_waiting(const struct sidetone_report *r, const struct run *run)
{
    const struct call *last = r->calls[run->outs[run->out_count - 1]];
    for (uint32_t i = run->next; i < run->in_count; i++) {
        if (may_make(r->calls[run->ins[i]], last)) {
            return true;
        }
    }
    return false;
}

// The incoming leg nearest before an outgoing one, if it is clearly that; else INDEX_NONE.
static uint32_t clearly_nearest(const struct sidetone_report *r, const struct run *run,
                                uint32_t below, const struct call *out)
{
    uint32_t nearest = INDEX_NONE;
    for (uint32_t n = 0; n < BACK_MAX && below > 0; n++) {
        const struct call *in = r->calls[run->ins[--below]];
        if (!may_make(in, out)) {
            continue;
        }
        if (nearest == INDEX_NONE) {
            nearest = below;
            continue;
        }
        int64_t near_ns = out->start_ns - r->calls[run->ins[nearest]]->start_ns;
        int64_t far_ns = out->start_ns - in->start_ns;
        return far_ns - near_ns >= CLEARLY_NS && far_ns >= CLEARLY_TIMES * near_ns ? nearest
                                                                                   : INDEX_NONE;
    }
    return nearest;
}

static void choose_nearest(const struct sidetone_report *r, struct run *run)
{
    uint32_t below = 0;
    for (uint32_t i = 0; i < run->out_count; i++) {
        while (below < run->in_count && run->ins[below] < run->outs[i]) {
            below++;
        }
        run->of_out[i] = clearly_nearest(r, run, below, r->calls[run->outs[i]]);
    }
}

// --- first in, first out ---

static int64_t delay_of(const struct sidetone_report *r, const struct run *run, uint32_t in,
                        uint32_t out)
{
    return r->calls[run->outs[out]]->start_ns - r->calls[run->ins[in]]->start_ns;
}

// What the host may need for a leg: somewhat less or more than in the pairs of this run; by half of
// what these differ, or of the longest where they are too few to tell.
static void delays_of(const struct sidetone_report *r, const struct run *run, int64_t *min_ns,
                      int64_t *max_ns)
{
    *min_ns = INT64_MAX;
    *max_ns = 0;
    for (uint32_t i = 0; i < run->out_count; i++) {
        int64_t delay_ns = delay_of(r, run, run->of_out[i], i);
        *min_ns = delay_ns < *min_ns ? delay_ns : *min_ns;
        *max_ns = delay_ns > *max_ns ? delay_ns : *max_ns;
    }
    int64_t more_ns = run->out_count < PAIRS_MIN ? *max_ns / 2 : (*max_ns - *min_ns) / 2;
    *min_ns -= more_ns;
    *max_ns += more_ns;
}

// Two pairs that stand together may be crossed where both delays would be possible then too.
static void drop_doubtful(const struct sidetone_report *r, struct run *run)
{
    int64_t min_ns, max_ns;
    bool was_doubtful = false;
    delays_of(r, run, &min_ns, &max_ns);
    for (uint32_t i = 0; i < run->out_count; i++) {
        bool is_last = i + 1 == run->out_count;
        uint32_t in = run->of_out[i];
        uint32_t next_in = is_last ? INDEX_NONE : run->of_out[i + 1];
        bool is_doubtful = !is_last && delay_of(r, run, next_in, i) >= (min_ns > 0 ? min_ns : 0) &&
                           delay_of(r, run, in, i + 1) <= max_ns;
        run->of_out[i] = is_doubtful || was_doubtful ? INDEX_NONE : in;
        was_doubtful = is_doubtful;
    }
}

static void end_run(struct legs *l, struct run *run)
{
    if (run->out_count > 0 && (run->surplus > 0 || has_waiting(l->report, run))) {
        choose_nearest(l->report, run);
    } else {
        drop_doubtful(l->report, run);
    }
    // Outgoing legs of one incoming leg stand together: the nearest never goes back in time.
    for (uint32_t i = 0; i < run->out_count;) {
        uint32_t end = i + 1;
        while (end < run->out_count && run->of_out[end] == run->of_out[i]) {
            end++;
        }
        bool is_load = end - i > OUT_MAX;
        for (; i < end; i++) {
            if (run->of_out[i] != INDEX_NONE && !is_load) {
                legs_tie(l, run->ins[run->of_out[i]], run->outs[i], LEG_NUMBER_AND_TIME);
            }
        }
    }
    run->in_count = run->out_count = run->next = run->surplus = 0;
}

static bool ends_run(const struct sidetone_report *r, const struct run *run, const struct call *in)
{
    return run->in_count > 0 &&
           (run->out_count >= run->in_count ||
            in->start_ns - r->calls[run->ins[run->in_count - 1]]->start_ns > NEAR_NS);
}

static void tie_group(struct legs *l, const struct leg_keys *keys, struct leg_group group,
                      struct run *run)
{
    for (uint32_t i = group.begin; i < group.end; i++) {
        uint32_t call = keys->items[i].call;
        if (keys->items[i].extra == IS_OUT) {
            add_out(l->report, run, call);
            continue;
        }
        if (ends_run(l->report, run, l->report->calls[call])) {
            end_run(l, run);
        }
        run->ins[run->in_count++] = call;
    }
    end_run(l, run);
}

void legs_by_number(struct legs *l)
{
    struct places both = {0};
    struct leg_keys keys = {0};
    find_places(l->report, &both);
    if (both.count > 0) {
        uint8_t *known = known_by_edges(l);
        for (uint32_t i = 0; i < l->report->call_count; i++) {
            if (takes_part(l->report->calls[i])) {
                add_leg(l->report->calls[i], &both, known[i], &keys);
            }
        }
        leg_keys_sort(&keys);
        memory_free(known);
    }
    struct run run = {0};
    run.ins = memory_alloc((keys.count + 1) * sizeof *run.ins);
    run.outs = memory_alloc((keys.count + 1) * sizeof *run.outs);
    run.of_out = memory_alloc((keys.count + 1) * sizeof *run.of_out);
    for (uint32_t i = 0; i < keys.count;) {
        struct leg_group group = leg_keys_group(&keys, i);
        tie_group(l, &keys, group, &run);
        i = group.end;
    }
    memory_free(run.ins);
    memory_free(run.outs);
    memory_free(run.of_out);
    leg_keys_fini(&keys);
    places_fini(&both);
}
