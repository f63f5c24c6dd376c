// Legs by what headers name: Call-IDs (X-Call-ID, Replaces, Join), sessions (RFC 7989), and the
// targets that a call had before it was diverted (RFC 5806, 7044).
#include "listen/legs.h"

// Calls of one Call-ID that are looked at on each side of the one that names it. Not smaller: calls
// with one Call-ID, in the order of the capture, may be as many at one time. Not larger: everybody
// may name one Call-ID that everybody has.
#define NEAREST_MAX 32

// Since the other leg of a session ended. Not smaller: a party that is transferred keeps its UUID,
// and its next leg may begin when the last one is over. Not larger: sessions that only look alike
// are further apart.
#define SESSION_GAP_NS INT64_C(60000000000)

// From the first target's INVITE to that of the one it was diverted to. Not smaller: no answer for
// three minutes (RFC 3261 16.6, timer C) diverts a call. Not larger: nothing rings longer.
#define DIVERSION_NS INT64_C(180000000000)

static bool has_kind(const struct call *c, enum sip_link_kind kind)
{
    const struct call_link *at = leg_links(c);
    while (at && at->kind != kind) {
        at = at->next;
    }
    return at != NULL;
}

static bool any_replaces(const struct legs *l)
{
    for (size_t i = 0; i < l->report->call_count; i++) {
        const struct call_transfer *at = call_transfers(l->report->calls[i]);
        for (; at; at = at->next) {
            if (at->target.call_id.n > 0) {
                return true;
            }
        }
    }
    return false;
}

static bool any_has(const struct legs *l, enum sip_link_kind kind)
{
    for (size_t i = 0; i < l->report->call_count; i++) {
        if (has_kind(l->report->calls[i], kind)) {
            return true;
        }
    }
    return false;
}

// --- Call-IDs ---

static bool has_tag(const struct call *c, struct slice tag)
{
    if (slice_eq(kept_text(&c->caller_tag), tag)) {
        return true;
    }
    for (const struct call_branch *b = c->branches; b; b = b->next) {
        if (slice_eq(kept_text(&b->to_tag), tag)) {
            return true;
        }
    }
    return false;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

// Does `a` fit better than `b` to what c names? Tags, then time.
static bool fits_better(const struct call *c, const struct call_link *link, const struct call *a,
                        const struct call *b)
{
    bool tags[2] = {has_tag(a, link->part[1]) && has_tag(a, link->part[2]),
                    has_tag(b, link->part[1]) && has_tag(b, link->part[2])};
    if (link->part[1].n > 0 && tags[0] != tags[1]) {
        return tags[0];
    }
    bool up[2] = {legs_overlap(a, c), legs_overlap(b, c)};
    if (up[0] != up[1]) {
        return up[0];
    }
    return distance(a->start_ns, c->start_ns) < distance(b->start_ns, c->start_ns);
}

static void tie_named(struct legs *l, const struct leg_keys *by_id, uint32_t call,
                      const struct call_link *link)
{
    const struct sidetone_report *r = l->report;
    const struct call *c = r->calls[call];
    struct leg_group group = leg_keys_find(by_id, leg_hash(link->part[0], LEG_KEY_CALL_ID));
    uint32_t middle = leg_keys_place(by_id, group, call);
    uint32_t from = middle - group.begin > NEAREST_MAX ? middle - NEAREST_MAX : group.begin;
    uint32_t to = group.end - middle > NEAREST_MAX ? middle + NEAREST_MAX : group.end;
    const struct call *best = NULL;
    for (uint32_t i = from; i < to; i++) {
        const struct call *at = r->calls[by_id->items[i].call];
        if (at != c && slice_eq(at->call_id, link->part[0]) &&
            (!best || fits_better(c, link, at, best))) {
            best = at;
        }
    }
    if (best) {
        legs_tie(l, call, best->position,
                 link->kind == SIP_LINK_CALL_ID ? LEG_X_CALL_ID : LEG_REPLACES);
    }
}

static void by_call_ids(struct legs *l)
{
    const struct sidetone_report *r = l->report;
    struct leg_keys by_id = {0};
    if (!any_has(l, SIP_LINK_CALL_ID) && !any_has(l, SIP_LINK_REPLACES) &&
        !any_has(l, SIP_LINK_JOIN) && !any_replaces(l)) {
        return;
    }
    for (uint32_t i = 0; i < r->call_count; i++) {
        if (r->calls[i]->kind == KIND_CALL && r->calls[i]->call_id.n > 0) {
            leg_keys_add(&by_id, leg_hash(r->calls[i]->call_id, LEG_KEY_CALL_ID), i, 0);
        }
    }
    leg_keys_sort(&by_id);
    for (uint32_t i = 0; i < r->call_count; i++) {
        for (const struct call_link *at = leg_links(r->calls[i]); at; at = at->next) {
            if (at->kind == SIP_LINK_CALL_ID || at->kind == SIP_LINK_REPLACES ||
                at->kind == SIP_LINK_JOIN) {
                tie_named(l, &by_id, i, at);
            }
        }
        const struct call_transfer *at = call_transfers(r->calls[i]);
        for (; at; at = at->next) {
            const struct sip_dialog_name *d = &at->target;
            struct call_link named = {.kind = SIP_LINK_REPLACES,
                                      .part = {d->call_id, d->to_tag, d->from_tag}};
            if (d->call_id.n > 0) {
                tie_named(l, &by_id, i, &named);
            }
        }
    }
    leg_keys_fini(&by_id);
}

// --- sessions ---

static void add_uuid(struct leg_keys *by_uuid, struct slice uuid, bool has_peer, uint32_t call)
{
    if (uuid.n > 0) {
        leg_keys_add(by_uuid, leg_hash(uuid, LEG_KEY_SESSION), call, has_peer);
    }
}

// A UUID without a peer is that of a session which nobody has answered yet: such legs are at one
// time.
static bool is_one_session(const struct sidetone_report *r, const struct leg_key *a,
                           const struct leg_key *b)
{
    const struct call *earlier = r->calls[a->call];
    const struct call *later = r->calls[b->call];
    int64_t gap_ns = a->extra || b->extra ? SESSION_GAP_NS : 0;
    return later->start_ns - earlier->end_ns <= gap_ns;
}

// Each leg is tied to the one before it, or to the one before that ended last.
static void tie_sessions(struct legs *l, const struct leg_keys *by_uuid, struct leg_group group)
{
    const struct sidetone_report *r = l->report;
    const struct leg_key *before = &by_uuid->items[group.begin];
    const struct leg_key *longest = before;
    for (uint32_t i = group.begin + 1; i < group.end; i++) {
        const struct leg_key *at = &by_uuid->items[i];
        if (is_one_session(r, before, at)) {
            legs_tie(l, before->call, at->call, LEG_SESSION_ID);
        } else if (is_one_session(r, longest, at)) {
            legs_tie(l, longest->call, at->call, LEG_SESSION_ID);
        }
        before = at;
        longest = r->calls[at->call]->end_ns > r->calls[longest->call]->end_ns ? at : longest;
    }
}

static void by_sessions(struct legs *l)
{
    const struct sidetone_report *r = l->report;
    struct leg_keys by_uuid = {0};
    for (uint32_t i = 0; i < r->call_count; i++) {
        for (const struct call_link *at = leg_links(r->calls[i]); at; at = at->next) {
            if (at->kind == SIP_LINK_SESSION) {
                add_uuid(&by_uuid, at->part[0], at->part[1].n > 0, i);
                add_uuid(&by_uuid, at->part[1], true, i);
            }
        }
    }
    leg_keys_sort(&by_uuid);
    for (uint32_t i = 0; i < by_uuid.count;) {
        struct leg_group group = leg_keys_group(&by_uuid, i);
        tie_sessions(l, &by_uuid, group);
        i = group.end;
    }
    leg_keys_fini(&by_uuid);
}

void legs_by_header(struct legs *l)
{
    by_call_ids(l);
    by_sessions(l);
}

// --- diversion ---

// Calls by their caller and a target: To, and the Request-URI where that is somebody else.
static void add_targets(struct leg_keys *keys, const struct call *c, uint32_t position)
{
    uint64_t caller = leg_user_hash(c->from, LEG_KEY_DIVERTED);
    uint64_t to = leg_user_hash(c->to, LEG_KEY_DIVERTED);
    uint64_t target = leg_user_hash(c->request_uri, LEG_KEY_DIVERTED);
    if (c->kind != KIND_CALL || caller == 0) {
        return;
    }
    if (to != 0) {
        leg_keys_add(keys, hash_mix(caller, to), position, 0);
    }
    if (target != 0 && target != to) {
        leg_keys_add(keys, hash_mix(caller, target), position, 0);
    }
}

static void tie_diverted(struct legs *l, const struct leg_keys *keys, uint32_t call,
                         const struct call_link *link)
{
    char digits[SIP_NUMBER_DIGITS_MAX];
    const struct sidetone_report *r = l->report;
    const struct call *c = r->calls[call];
    uint64_t caller = leg_user_hash(c->from, LEG_KEY_DIVERTED);
    uint64_t target = leg_hash(leg_user(link->part[0], digits), LEG_KEY_DIVERTED);
    struct leg_group group = leg_keys_find(keys, hash_mix(caller, target));
    uint32_t place = leg_keys_place(keys, group, call);
    for (uint32_t n = 0; n < NEAREST_MAX && place > group.begin; n++) {
        const struct call *at = r->calls[keys->items[--place].call];
        if (at != c && at->end_ns >= c->start_ns && at->start_ns <= c->start_ns &&
            c->start_ns - at->start_ns <= DIVERSION_NS) {
            legs_tie(l, call, at->position, LEG_DIVERSION);
            return;
        }
    }
}

void legs_by_diversion(struct legs *l)
{
    const struct sidetone_report *r = l->report;
    struct leg_keys keys = {0};
    if (!any_has(l, SIP_LINK_DIVERSION)) {
        return;
    }
    for (uint32_t i = 0; i < r->call_count; i++) {
        add_targets(&keys, r->calls[i], i);
    }
    leg_keys_sort(&keys);
    for (uint32_t i = 0; i < r->call_count; i++) {
        for (const struct call_link *at = leg_links(r->calls[i]); at; at = at->next) {
            if (at->kind == SIP_LINK_DIVERSION) {
                tie_diverted(l, &keys, i, at);
            }
        }
    }
    leg_keys_fini(&keys);
}
