// Legs by REFER (RFC 3515): the call that the party which was asked made then.
//
// It is told by what the REFER asked for: a Replaces of the same dialog (RFC 3891), the target, or
// a Referred-By of the one who asked (RFC 3892). Only a Replaces needs no look at who sent it.
#include "listen/legs.h"

// From the REFER to the INVITE that it asks for. Not smaller: a person may have to agree. Not
// larger: calls to the same target by themselves would be taken for it.
#define REFER_NS INT64_C(60000000000)

// Calls of one target behind a REFER that are looked at. Not smaller: some others may call it at
// that time. Not larger: everybody may call one target.
#define CANDIDATES_MAX 64

static bool any_refers(const struct sidetone_report *r)
{
    for (size_t i = 0; i < r->call_count; i++) {
        if (call_transfers(r->calls[i])) {
            return true;
        }
    }
    return false;
}

// User and host; 0: it has none of both.
static uint64_t uri_hash(struct slice text, enum leg_key_of what)
{
    char digits[SIP_NUMBER_DIGITS_MAX];
    struct sip_uri uri;
    sip_uri(text, &uri);
    if (uri.user.n == 0 && uri.host.n == 0) {
        return 0;
    }
    uint64_t hash = leg_hash(leg_user(uri.user, digits), what);
    for (size_t i = 0; i < uri.host.n; i++) {
        hash = hash_mix(hash, (uint8_t)ascii_lower(uri.host.p[i]));
    }
    return hash;
}

// --- what calls can be found by ---

static void add_target(struct leg_keys *keys, struct slice uri, uint32_t call)
{
    uint64_t hash = uri_hash(uri, LEG_KEY_TARGET);
    if (hash != 0) {
        leg_keys_add(keys, hash, call, 0);
    }
}

static void add_call(struct leg_keys *keys, const struct call *c, uint32_t position)
{
    if (c->kind != KIND_CALL || (c->notes & NOTE_START_NOT_SEEN)) {
        return;
    }
    add_target(keys, c->request_uri, position);
    add_target(keys, c->to, position);
    for (const struct call_link *at = leg_links(c); at; at = at->next) {
        if (at->kind == SIP_LINK_REPLACES) {
            leg_keys_add(keys, leg_hash(at->part[0], LEG_KEY_REPLACED), position, 0);
        } else if (at->kind == SIP_LINK_REFERRED_BY) {
            leg_keys_add(keys, uri_hash(at->part[0], LEG_KEY_REFERRER), position, 0);
        }
    }
}

// --- who sent it ---

// Was c sent by the party that got the REFER of x, or by one that its messages passed?
static bool is_sent_by_asked(const struct call *x, uint8_t by, const struct call *c)
{
    struct endpoint asked = by == BY_CALLER ? x->dst : x->src;
    struct endpoint asking = by == BY_CALLER ? x->src : x->dst;
    if (address_eq(c->src.addr, asked.addr)) {
        return true;
    }
    for (const struct call_hop *h = x->hops; h; h = h->next) {
        bool is_there =
            address_eq(h->src.addr, c->src.addr) || address_eq(h->dst.addr, c->src.addr);
        if (is_there && !address_eq(c->src.addr, asking.addr)) {
            return true;
        }
    }
    return false;
}

// The first call under a key that began after the REFER and is no leg of its own: INDEX_NONE where
// there is none.
static uint32_t find(const struct sidetone_report *r, const struct leg_keys *keys, uint64_t key,
                     const struct call *x, const struct call_transfer *refer, bool by_asked)
{
    struct leg_group group = leg_keys_find(keys, key);
    uint32_t place = leg_keys_place(keys, group, x->position + 1);
    // Calls stand in the order of their beginning: those that began before the REFER are passed.
    uint32_t high = group.end;
    while (place < high) {
        uint32_t middle = place + (high - place) / 2;
        if (r->calls[keys->items[middle].call]->start_ns < refer->time_ns) {
            place = middle + 1;
        } else {
            high = middle;
        }
    }
    for (uint32_t n = 0; n < CANDIDATES_MAX && place < group.end; n++, place++) {
        const struct call *c = r->calls[keys->items[place].call];
        if (c->start_ns - refer->time_ns > REFER_NS) {
            break;
        }
        if (c->start_ns >= refer->time_ns && (!by_asked || is_sent_by_asked(x, refer->by, c))) {
            return c->position;
        }
    }
    return INDEX_NONE;
}

static uint32_t call_of(const struct sidetone_report *r, const struct leg_keys *keys,
                        const struct call *x, const struct call_transfer *refer)
{
    uint32_t made = INDEX_NONE;
    if (refer->target.call_id.n > 0) {
        made = find(r, keys, leg_hash(refer->target.call_id, LEG_KEY_REPLACED), x, refer, false);
    }
    uint64_t target = uri_hash(refer->refer_to, LEG_KEY_TARGET);
    if (made == INDEX_NONE && target != 0) {
        made = find(r, keys, target, x, refer, true);
    }
    if (made == INDEX_NONE) {
        struct slice referrer = refer->by == BY_CALLER ? x->from : x->to;
        made = find(r, keys, uri_hash(referrer, LEG_KEY_REFERRER), x, refer, true);
    }
    return made;
}

void legs_by_refer(struct legs *l)
{
    const struct sidetone_report *r = l->report;
    struct leg_keys keys = {0};
    if (!any_refers(r)) {
        return;
    }
    for (uint32_t i = 0; i < r->call_count; i++) {
        add_call(&keys, r->calls[i], i);
    }
    leg_keys_sort(&keys);
    for (uint32_t i = 0; i < r->call_count; i++) {
        struct call_transfer *at = call_transfers(r->calls[i]);
        for (; at; at = at->next) {
            uint32_t made = call_of(r, &keys, r->calls[i], at);
            if (made != INDEX_NONE) {
                at->made = made;
                legs_tie(l, i, made, LEG_REFER);
            }
        }
    }
    leg_keys_fini(&keys);
}
