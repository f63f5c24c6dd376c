// Whose message is it? The identity of calls (docs/json.md, "calls").
//
// A call is found by its Call-ID together with one more thing, its party: the caller's tag, or the
// address of record of a registration. So any number of calls may share a Call-ID at no cost. The
// newest call of a party stands in a table; former ones (the same tag again, after a BYE) are
// reached from it. Most calls have a Call-ID for themselves: they stand in the table of Call-IDs
// only, until another call has theirs too. So a message touches one slot and its call.
#include "track/call_bin_parts.h"

#include "wire/sip/aor.h"

// Former calls of a party that a late message is looked for among.
#define FORMER_MAX 8

// What a call's party is. INVITEs never continue what began as another exchange.
enum party_class {
    PARTY_CALL,
    PARTY_OTHER,
    PARTY_REGISTRATION,
    PARTY_FROM // any but a registration, by the URI of From: a retry with another tag is found by
               // it
};

static enum party_class class_of(const struct call *c)
{
    if (c->kind == KIND_REGISTRATION) {
        return PARTY_REGISTRATION;
    }
    return c->kind == KIND_CALL ? PARTY_CALL : PARTY_OTHER;
}

// `name`: the tag, or the address of record in its one form. Without a Call-ID the two addresses
// stand for it.
static uint32_t party_hash(const struct sip_record *m, enum party_class class, struct slice name)
{
    uint64_t h = hash_mix(m->call_id_hash ^ hash_secret, class);
    if (m->call_id.n == 0) {
        h ^= endpoint_hash(m->src, hash_secret) + endpoint_hash(m->dst, hash_secret);
    }
    return (uint32_t)hash_bytes(name.p, name.n, h);
}

static bool same_place(const struct call *c, const struct sip_record *m)
{
    return m->call_id.n > 0 || (endpoint_eq(c->src, m->src) && endpoint_eq(c->dst, m->dst)) ||
           (endpoint_eq(c->src, m->dst) && endpoint_eq(c->dst, m->src));
}

static bool has_tag(const struct call *c, struct slice tag)
{
    if (slice_eq(kept_text(&c->caller_tag), tag)) {
        return true;
    }
    for (const struct call_tag *former = c->former_tags; former; former = former->next) {
        if (slice_eq(kept_text(&former->tag), tag)) {
            return true;
        }
    }
    return false;
}

static bool is_of_aor(const struct call *c, struct slice aor)
{
    char room[SIP_AOR_BYTES];
    return class_of(c) == PARTY_REGISTRATION && slice_eq(sip_aor(c->to, room), aor);
}

// Of calls with the same Call-ID (and place, without one).
static bool has_party(const struct call *c, enum party_class class, struct slice name)
{
    switch (class) {
    case PARTY_FROM:
        return class_of(c) != PARTY_REGISTRATION && slice_eq(c->from, name);
    case PARTY_REGISTRATION:
        return is_of_aor(c, name);
    case PARTY_CALL:
    case PARTY_OTHER:
        break;
    }
    return class_of(c) == class && has_tag(c, name);
}

static bool is_party(const struct call *c, const struct sip_record *m, enum party_class class,
                     struct slice name)
{
    return slice_eq(c->call_id, m->call_id) && same_place(c, m) && has_party(c, class, name);
}

static struct call *find_in_table(const struct call_bin *b, const struct sip_record *m,
                                  enum party_class class, struct slice name)
{
    if (class == PARTY_OTHER && b->other_parties == 0) {
        return NULL;
    }
    uint32_t hash = party_hash(m, class, name);
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(&b->by_party, hash, &at)) != INDEX_NONE) {
        if (is_party(b->calls[i], m, class, name)) {
            return b->calls[i];
        }
    }
    return NULL;
}

// `only`: the one call of this Call-ID; NULL: there are several.
static struct call *find_party(const struct call_bin *b, const struct sip_record *m,
                               struct call *only, enum party_class class, struct slice name)
{
    if (!only) {
        return find_in_table(b, m, class, name);
    }
    return has_party(only, class, name) ? only : NULL;
}

struct call *call_newest(const struct call_bin *b, struct slice call_id, uint32_t call_id_hash)
{
    uint32_t at = call_id_hash;
    uint32_t i;
    while ((i = index_next(&b->newest, call_id_hash, &at)) != INDEX_NONE) {
        if (slice_eq(b->calls[i]->call_id, call_id)) {
            return b->calls[i];
        }
    }
    return NULL;
}

static void enter_party(struct call_bin *b, struct call *c, const struct sip_record *m,
                        enum party_class class, struct slice name)
{
    uint32_t hash = party_hash(m, class, name);
    struct call *before = find_in_table(b, m, class, name);
    if (before == c) {
        return;
    }
    if (before) {
        c->former = class == PARTY_CALL ? before : c->former;
        index_table_replace(&b->by_party, hash, before->index, c->index);
    } else {
        index_table_add(&b->by_party, hash, c->index);
    }
    b->other_parties += class == PARTY_OTHER;
}

static void enter_parties(struct call_bin *b, struct call *c, const struct sip_record *m)
{
    enter_party(b, c, m, class_of(c), kept_text(&c->caller_tag));
    enter_party(b, c, m, PARTY_FROM, c->from);
}

void call_share_id(struct call_bin *b, struct call *c, const struct sip_record *m)
{
    if (c->shares_id) {
        return;
    }
    c->shares_id = true;
    enter_parties(b, c, m);
    for (const struct call_tag *former = c->former_tags; former; former = former->next) {
        enter_party(b, c, m, class_of(c), kept_text(&former->tag));
    }
}

void call_enter(struct call_bin *b, struct call *c, const struct sip_record *m)
{
    if (c->kind == KIND_REGISTRATION) {
        char room[SIP_AOR_BYTES];
        enter_party(b, c, m, PARTY_REGISTRATION, sip_aor(c->to, room));
        return;
    }
    struct call *newest = call_newest(b, m->call_id, m->call_id_hash);
    // The tags of a call before it was one are not looked for any more.
    c->shares_id = c->shares_id || m->call_id.n == 0 || c->former_tags || (newest && newest != c);
    if (c->shares_id) {
        enter_parties(b, c, m);
    }
    if (newest == c) {
        return;
    }
    if (newest) {
        index_table_replace(&b->newest, m->call_id_hash, newest->index, c->index);
    } else {
        index_table_add(&b->newest, m->call_id_hash, c->index);
    }
}

// --- finding ---

static const struct call *newer(const struct call *a, const struct call *b)
{
    return !a || (b && b->index > a->index) ? b : a;
}

// The newest call of which one side has one of the message's tags. A response to the request that
// an exchange is waiting for is that exchange's, although a newer call has the same tag.
static struct call *find_by_tags(const struct call_bin *b, const struct sip_record *m,
                                 struct call *only, bool begins)
{
    const struct call *call = find_party(b, m, only, PARTY_CALL, m->from_tag);
    const struct call *other = begins ? NULL : find_party(b, m, only, PARTY_OTHER, m->from_tag);
    if (m->to_tag.n > 0) {
        call = newer(call, find_party(b, m, only, PARTY_CALL, m->to_tag));
        other = begins ? NULL : newer(other, find_party(b, m, only, PARTY_OTHER, m->to_tag));
    }
    bool answers =
        other && !m->is_request && m->method == other->method && m->cseq == other->current.cseq;
    const struct call *c = answers ? other : newer(call, other);
    return c ? b->calls[c->index] : NULL;
}

// RFC 3261 12.2.2: a caller of RFC 2543 may have no tag, so requests of the callee have none in To.
static struct call *find_untagged(const struct call_bin *b, const struct sip_record *m,
                                  struct call *only)
{
    bool is_inside =
        m->to_tag.n == 0 && m->method != SIP_INVITE && call_kind_of(m->method) == KIND_CALL;
    return is_inside ? find_party(b, m, only, PARTY_CALL, m->to_tag) : NULL;
}

static bool has_branch(const struct call *c, struct slice tag)
{
    for (const struct call_branch *b = c->branches; b; b = b->next) {
        if (slice_eq(kept_text(&b->to_tag), tag)) {
            return true;
        }
    }
    return false;
}

// A late message of a former call of the same party is told by the callee's tag.
static struct call *of_dialog(struct call *c, const struct sip_record *m, uint8_t by)
{
    struct slice tag = by == BY_CALLER ? m->to_tag : m->from_tag;
    bool is_start = m->method == SIP_INVITE && m->cseq == c->current.cseq;
    if (tag.n == 0 || is_start || has_branch(c, tag)) {
        return c;
    }
    struct call *former = c->former;
    for (int i = 0; former && i < FORMER_MAX; i++, former = former->former) {
        if (has_branch(former, tag)) {
            return former;
        }
    }
    return c;
}

// A first request with the Call-ID of a call whose last try was challenged or sent elsewhere, by
// the same caller (RFC 3261 22.2, 8.1.3.4): one more attempt, even with another tag.
static bool is_retry(const struct call *c, const struct sip_record *m)
{
    return m->is_request && m->to_tag.n == 0 && m->method == c->method && c->final_code >= 300 &&
           call_may_retry(c->final_code) && (c->facts & FACT_START);
}

// The oldest of the tags that are kept gives its place to the one that was the caller's until now.
static void learn_tag(struct call_bin *b, struct call *c, const struct sip_record *m)
{
    struct call_tag **at = &c->former_tags;
    if (c->former_tag_count < CALL_TAGS_MAX) {
        struct call_tag *made = ARENA_NEW(&b->arena, struct call_tag);
        made->next = c->former_tags;
        c->former_tags = made;
        c->former_tag_count++;
    } else {
        while ((*at)->next) {
            at = &(*at)->next;
        }
        struct call_tag *oldest = *at;
        *at = NULL;
        oldest->next = c->former_tags;
        c->former_tags = oldest;
    }
    struct kept_text spare = c->former_tags->tag;
    c->former_tags->tag = c->caller_tag;
    c->caller_tag = spare;
    kept_text_set(&c->caller_tag, &b->arena, m->from_tag);
    if (c->shares_id) {
        enter_party(b, c, m, class_of(c), kept_text(&c->caller_tag));
    }
}

struct call *call_find(struct call_bin *b, const struct sip_record *m, uint8_t *by)
{
    *by = BY_CALLER;
    if (m->method == SIP_REGISTER) {
        char room[SIP_AOR_BYTES];
        return find_in_table(b, m, PARTY_REGISTRATION, sip_aor(m->to, room));
    }
    struct call *newest = call_newest(b, m->call_id, m->call_id_hash);
    if (!newest) {
        return NULL;
    }
    struct call *only = newest->shares_id ? NULL : newest;
    bool begins = m->is_request && m->to_tag.n == 0 && m->method == SIP_INVITE;
    struct call *c = find_by_tags(b, m, only, begins);
    c = c ? c : find_untagged(b, m, only);
    if (c && begins) {
        return call_is_attempt(c, m) ? c : NULL;
    }
    if (c) {
        *by = has_tag(c, m->from_tag) ? BY_CALLER : BY_CALLEE;
        return of_dialog(c, m, *by);
    }
    struct call *tried = find_party(b, m, only, PARTY_FROM, m->from);
    if (tried && is_retry(tried, m)) {
        learn_tag(b, tried, m);
        return tried;
    }
    return NULL;
}
