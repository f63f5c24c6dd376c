// Notes what a call says of other calls.
#include "track/call_links.h"

#include "track/call.h"

// Former calls of a Call-ID that are looked at. Not smaller: a fork has some legs. Not larger: each
// costs time with every new call of the Call-ID.
#define SAME_ID_MAX 8
// Since the last message of the other leg. Not smaller: a B2BUA may ask before it calls on. Not
// larger: a call whose end was not captured seems to be up for ever.
#define SAME_ID_NS INT64_C(60000000000)
// Between two legs of which the later one was captured first. Not smaller: two interfaces of a
// capture are as far apart. Not larger: a leg is made after what it is made for.
#define SWAPPED_NS INT64_C(1000000000)

static struct call_links *links_of(struct call *c, struct arena *arena)
{
    if (!c->links) {
        c->links = ARENA_NEW(arena, struct call_links);
    }
    return c->links;
}

// --- links ---

static bool link_eq(const struct call_link *a, const struct call_link *b)
{
    return a->kind == b->kind && slice_eq(a->part[0], b->part[0]) &&
           slice_eq(a->part[1], b->part[1]) && slice_eq(a->part[2], b->part[2]);
}

static void add_link(struct call *c, struct arena *arena, const struct call_link *link)
{
    size_t n = link->part[0].n + link->part[1].n + link->part[2].n;
    if (link->part[0].n == 0 || n > CALL_LINK_TEXT_MAX) {
        return;
    }
    struct call_links *l = links_of(c, arena);
    struct call_link **at = &l->links;
    for (; *at; at = &(*at)->next) {
        if (link_eq(*at, link)) {
            return;
        }
    }
    if (l->link_count == CALL_LINKS_MAX) {
        return;
    }
    *at = ARENA_NEW(arena, struct call_link);
    (*at)->kind = link->kind;
    for (int i = 0; i < 3; i++) {
        (*at)->part[i] = link->part[i].n > 0 ? arena_slice(arena, link->part[i]) : link->part[i];
    }
    l->link_count++;
}

// No Call-ID has a comma or a semicolon in it (RFC 3261 25.1).
static void add_call_ids(struct call *c, struct arena *arena, struct slice value)
{
    while (value.n > 0) {
        struct slice one, id, params;
        slice_cut(value, ',', &one, &value);
        slice_cut(one, ';', &id, &params);
        struct call_link link = {.kind = SIP_LINK_CALL_ID, .part = {slice_trim(id)}};
        if (!slice_eq(link.part[0], c->call_id)) {
            add_link(c, arena, &link);
        }
    }
}

// The other side says the same pair the other way round: the smaller one stands first.
static void add_session(struct call *c, struct arena *arena, struct slice value)
{
    struct sip_session_id id;
    struct call_link link = {.kind = SIP_LINK_SESSION};
    if (!sip_session_id(value, &id)) {
        return;
    }
    struct slice local = slice_of((const char *)id.local, id.has_local ? SIP_UUID_BYTES : 0);
    struct slice remote = slice_of((const char *)id.remote, id.has_remote ? SIP_UUID_BYTES : 0);
    bool swap = remote.n > 0 && (local.n == 0 || memcmp(remote.p, local.p, SIP_UUID_BYTES) < 0);
    link.part[0] = swap ? remote : local;
    link.part[1] = swap ? local : remote;
    add_link(c, arena, &link);
}

static void add_dialog_name(struct call *c, struct arena *arena, const struct sip_link *from)
{
    struct sip_dialog_name name;
    if (sip_dialog_name(from->value, &name)) {
        struct call_link link = {.kind = from->kind,
                                 .part = {name.call_id, name.to_tag, name.from_tag}};
        add_link(c, arena, &link);
    }
}

// The target that the request has now is the last entry of a History-Info, and diverts nothing.
static void add_diversions(struct call *c, struct arena *arena, const struct sip_record *m,
                           struct slice value)
{
    struct slice text;
    struct sip_uri target, uri;
    bool has_target = sip_uri(m->uri, &target);
    while (sip_diversion_next(&value, &text)) {
        bool ok = sip_uri(text, &uri) || uri.user.n > 0;
        if (ok && !(has_target && slice_eq(uri.user, target.user))) {
            struct call_link link = {.kind = SIP_LINK_DIVERSION, .part = {uri.user}};
            add_link(c, arena, &link);
        }
    }
}

static void add_referrer(struct call *c, struct arena *arena, struct slice value)
{
    struct sip_name_addr a;
    if (sip_name_addr(value, &a)) {
        struct call_link link = {.kind = SIP_LINK_REFERRED_BY, .part = {a.uri}};
        add_link(c, arena, &link);
    }
}

void call_links_note(struct call *c, struct arena *arena, const struct sip_record *m)
{
    if (c->kind != KIND_CALL) {
        return;
    }
    bool begins = m->to_tag.n == 0;
    for (const struct sip_link *link = m->links; link; link = link->next) {
        switch (link->kind) {
        case SIP_LINK_CALL_ID:
            add_call_ids(c, arena, link->value);
            break;
        case SIP_LINK_SESSION:
            add_session(c, arena, link->value);
            break;
        case SIP_LINK_REPLACES:
        case SIP_LINK_JOIN:
            if (begins) {
                add_dialog_name(c, arena, link);
            }
            break;
        case SIP_LINK_DIVERSION:
            if (begins) {
                add_diversions(c, arena, m, link->value);
            }
            break;
        case SIP_LINK_REFERRED_BY:
            if (begins) {
                add_referrer(c, arena, link->value);
            }
            break;
        }
    }
}

// --- origins ---

// "user1 53655765 2353687637 IN IP4 192.0.2.1": user, session, version, network, family, address.
void call_links_note_origin(struct call *c, struct arena *arena, struct slice origin,
                            bool by_caller)
{
    struct slice user, session, rest;
    slice_cut(origin, ' ', &user, &rest);
    slice_cut(rest, ' ', &session, &rest);
    size_t address = rest.n;
    while (address > 0 && rest.p[address - 1] != ' ') {
        address--;
    }
    // Senders that do not count their sessions say 0 or 1.
    bool is_counted =
        session.n > 1 || (session.n == 1 && session.p[0] != '0' && session.p[0] != '1');
    if (c->kind != KIND_CALL || address == 0 || !is_counted) {
        return;
    }
    size_t name_n = (size_t)(session.p + session.n - user.p);
    uint64_t hash = hash_bytes(user.p, name_n, hash_secret);
    hash = hash_bytes(rest.p + address, rest.n - address, hash);
    struct call_links *l = links_of(c, arena);
    for (int i = 0; i < l->origin_count; i++) {
        if (l->origins[i] == hash) {
            return;
        }
    }
    if (l->origin_count < CALL_ORIGINS_MAX) {
        l->origin_by_caller |= (uint8_t)(by_caller << l->origin_count);
        l->origins[l->origin_count++] = hash;
    }
}

// --- the same Call-ID on both sides ---

static bool is_up(const struct call *c, int64_t at_ns)
{
    return at_ns - c->end_ns <= SAME_ID_NS && call_is_open(c);
}

// Did the host that sent `out` get `in`? On one host alone the ports tell.
static bool passes(const struct call *in, const struct call *out)
{
    bool is_one_host = address_eq(in->src.addr, in->dst.addr);
    bool same =
        address_eq(in->dst.addr, out->src.addr) && (!is_one_host || in->dst.port == out->src.port);
    for (const struct call_hop *h = in->hops; h && !same; h = h->next) {
        same = !is_one_host && !address_eq(in->src.addr, out->src.addr) &&
               (address_eq(h->src.addr, out->src.addr) || address_eq(h->dst.addr, out->src.addr));
    }
    return same;
}

static bool is_same_way(const struct call *a, const struct call *b)
{
    return endpoint_eq(a->src, b->src) && endpoint_eq(a->dst, b->dst);
}

// No host in common: a B2BUA that has an address for each side.
static bool is_elsewhere(const struct call *a, const struct call *b)
{
    return !address_eq(a->src.addr, b->src.addr) && !address_eq(a->dst.addr, b->dst.addr) &&
           !address_eq(a->src.addr, b->dst.addr) && !address_eq(a->dst.addr, b->src.addr);
}

static bool is_other_leg(const struct call *c, const struct call *older)
{
    if (older->kind != KIND_CALL || is_same_way(c, older) || !is_up(older, c->start_ns)) {
        return false;
    }
    bool swapped = c->start_ns - older->start_ns <= SWAPPED_NS && passes(c, older);
    return swapped || passes(older, c) || is_elsewhere(c, older);
}

bool call_links_note_same_id(struct call *c, struct arena *arena, struct call *older)
{
    for (int i = 0; older && c->kind == KIND_CALL && i < SAME_ID_MAX; i++) {
        if (is_other_leg(c, older)) {
            links_of(c, arena)->same_id = older;
            return true;
        }
        older = older->links ? older->links->same_id : NULL;
    }
    return false;
}
