// Whose message is it? Capture duplicates, the identity of calls (docs/json.md, "calls"), and what
// their bodies announce.
#include "track/call_bin.h"

#include "base/memory.h"

#define FIRST_ROOM 64

void call_bin_init(struct call_bin *b, uint32_t id)
{
    *b = (struct call_bin){.id = id};
    arena_init(&b->arena, 64 * 1024);
    b->maps.arena = &b->arena;
}

void call_bin_fini(struct call_bin *b)
{
    arena_fini(&b->arena);
    memory_free(b->calls);
    index_table_fini(&b->newest);
    payload_maps_fini(&b->maps);
    memory_free(b->seen);
    memory_free(b->announcements);
}

// --- capture duplicates ---

static bool is_copy(struct call_bin *b, const struct sip_record *m)
{
    if (!b->seen) {
        b->seen = memory_zero(COPY_SETS * COPY_WAYS * sizeof *b->seen);
    }
    uint32_t set = m->frame_set % COPY_SETS;
    struct frame_seen *ways = &b->seen[set * COPY_WAYS];
    for (int i = 0; i < COPY_WAYS; i++) {
        int64_t age_ns = m->time_ns - ways[i].time_ns;
        if (ways[i].hash == m->frame_hash && age_ns >= -COPY_WINDOW_NS &&
            age_ns <= COPY_WINDOW_NS) {
            return true;
        }
    }
    ways[b->seen_next[set]] = (struct frame_seen){m->frame_hash, m->time_ns};
    b->seen_next[set] = (uint8_t)((b->seen_next[set] + 1) % COPY_WAYS);
    return false;
}

// --- calls by Call-ID ---

static struct call *newest_of(const struct call_bin *b, const struct sip_record *m)
{
    uint32_t at = m->call_id_hash;
    uint32_t i;
    while ((i = index_next(&b->newest, m->call_id_hash, &at)) != INDEX_NONE) {
        if (slice_eq(b->calls[i]->call_id, m->call_id)) {
            return b->calls[i];
        }
    }
    return NULL;
}

static struct call *call_make(struct call_bin *b, const struct sip_record *m)
{
    struct call *older = newest_of(b, m);
    if (b->call_count == b->call_room) {
        b->calls = memory_grow(b->calls, &b->call_room, sizeof *b->calls, FIRST_ROOM);
    }
    struct call *c = ARENA_NEW(&b->arena, struct call);
    *c = (struct call){
        .older = older,
        .index = b->call_count,
        .call_id = older ? older->call_id : arena_slice(&b->arena, m->call_id),
        .kind = call_kind_of(m->method),
        .method = m->method,
        .method_text = arena_slice(&b->arena, m->method_text),
        .from = arena_slice(&b->arena, m->from),
        .to = arena_slice(&b->arena, m->to),
        .request_uri = arena_slice(&b->arena, m->uri),
        .src = m->is_request ? m->src : m->dst,
        .dst = m->is_request ? m->dst : m->src,
        .first = m->order,
        .start_ns = m->time_ns,
        .end_ns = m->time_ns,
        .current = {.begun_ns = TIME_NOT_SEEN,
                    .trying_ns = TIME_NOT_SEEN,
                    .progress_ns = TIME_NOT_SEEN,
                    .ringing_ns = TIME_NOT_SEEN},
        .answered_ns = TIME_NOT_SEEN,
        .final_ns = TIME_NOT_SEEN,
        .bye_ns = TIME_NOT_SEEN,
    };
    kept_text_set(&c->caller_tag, &b->arena, m->from_tag);
    bool begins = m->is_request && m->to_tag.n == 0;
    // Registrations from one client should have one Call-ID (RFC 3261 10.2); none is no reuse.
    bool is_reuse =
        older && older->kind == c->kind && c->kind != KIND_REGISTRATION && m->call_id.n > 0;
    c->notes = (begins || c->kind != KIND_CALL ? 0u : NOTE_START_NOT_SEEN) |
               (is_reuse ? NOTE_CALL_ID_REUSED : 0u);
    if (older) {
        index_table_replace(&b->newest, m->call_id_hash, older->index, c->index);
    } else {
        index_table_add(&b->newest, m->call_id_hash, c->index);
    }
    b->calls[b->call_count++] = c;
    return c;
}

// --- identity ---

static uint8_t side_of(const struct call *c, const struct sip_record *m)
{
    if (slice_eq(kept_text(&c->caller_tag), m->from_tag) ||
        (c->former_tag.p && slice_eq(kept_text(&c->former_tag), m->from_tag))) {
        return BY_CALLER;
    }
    bool by_callee = m->to_tag.n > 0 && slice_eq(kept_text(&c->caller_tag), m->to_tag);
    return by_callee ? BY_CALLEE : 0;
}

// Without a Call-ID only the two addresses are left.
static bool same_place(const struct call *c, const struct sip_record *m)
{
    return m->call_id.n > 0 || (endpoint_eq(c->src, m->src) && endpoint_eq(c->dst, m->dst)) ||
           (endpoint_eq(c->src, m->dst) && endpoint_eq(c->dst, m->src));
}

// A first request with the Call-ID of a call whose last try was challenged or sent elsewhere, by
// the same caller (RFC 3261 22.2, 8.1.3.4): one more attempt, even with another tag.
static bool is_retry(const struct call *c, const struct sip_record *m)
{
    return m->is_request && m->to_tag.n == 0 && m->method == c->method && c->final_code >= 300 &&
           call_may_retry(c->final_code) && (c->facts & FACT_START) && slice_eq(c->from, m->from);
}

static struct call *find_registration(const struct call_bin *b, const struct sip_record *m)
{
    struct call *c = newest_of(b, m);
    for (unsigned i = 0; c && i < CALL_OLDER_MAX; i++, c = c->older) {
        if (c->kind == KIND_REGISTRATION && slice_eq(c->to, m->to) && same_place(c, m)) {
            return c;
        }
    }
    return NULL;
}

static struct call *find_call(struct call_bin *b, const struct sip_record *m, uint8_t *by)
{
    bool begins = m->is_request && m->to_tag.n == 0 && m->method == SIP_INVITE;
    struct call *newest = NULL;
    struct call *c = newest_of(b, m);
    for (unsigned i = 0; c && i < CALL_OLDER_MAX; i++, c = c->older) {
        if (c->kind == KIND_REGISTRATION || !same_place(c, m)) {
            continue;
        }
        newest = newest ? newest : c;
        *by = side_of(c, m);
        if (*by == 0 || (begins && c->kind != KIND_CALL)) {
            continue;
        }
        return begins && !call_is_attempt(c, m) ? NULL : c;
    }
    if (newest && is_retry(newest, m)) {
        struct kept_text spare = newest->former_tag;
        newest->former_tag = newest->caller_tag;
        newest->caller_tag = spare;
        kept_text_set(&newest->caller_tag, &b->arena, m->from_tag);
        *by = BY_CALLER;
        return newest;
    }
    return NULL;
}

// The start of a call that began, for this capture, with something else: an answer that was
// captured first, or its end.
static void learn_start(struct call *c, struct arena *arena, const struct sip_record *m)
{
    if (c->request_uri.n == 0 && m->is_request && m->method == c->method) {
        c->request_uri = arena_slice(arena, m->uri);
    }
    if ((c->notes & NOTE_START_NOT_SEEN) && m->is_request && m->method == SIP_INVITE &&
        m->to_tag.n == 0) {
        c->notes &= ~(uint32_t)NOTE_START_NOT_SEEN;
        c->start_ns = m->time_ns < c->start_ns ? m->time_ns : c->start_ns;
    }
}

// --- announcements ---

static bool can_be_received(const struct sdp_media *m)
{
    return m->is_rtp && m->rtp.port != 0 && m->has_address && !address_is_zero(m->rtp.addr);
}

// What the media lines from `first` on say of its address: lines of one address and port are one
// transport (RFC 9143), told apart by payload type. Lines before it were told already.
static const struct payload_map *map_of_transport(struct call_bin *b, const struct sdp *sdp,
                                                  int count, int first)
{
    struct payload_list list = {0};
    for (int i = first; i < count; i++) {
        const struct sdp_media *m = &sdp->media[i];
        if (can_be_received(m) && endpoint_eq(m->rtp, sdp->media[first].rtp)) {
            payload_list_add(&list, m);
        }
    }
    return payload_map_intern(&b->maps, &list);
}

static bool was_told(const struct sdp *sdp, int at)
{
    for (int i = 0; i < at; i++) {
        if (can_be_received(&sdp->media[i]) && endpoint_eq(sdp->media[i].rtp, sdp->media[at].rtp)) {
            return true;
        }
    }
    return false;
}

static struct announcement *announcement_push(struct call_bin *b)
{
    if (b->announcement_count == b->announcement_room) {
        b->announcements = memory_grow(b->announcements, &b->announcement_room,
                                       sizeof *b->announcements, FIRST_ROOM);
    }
    return &b->announcements[b->announcement_count++];
}

static void announce(struct call_bin *b, const struct call *c, const struct sip_record *m,
                     uint8_t by)
{
    struct sdp sdp;
    int count = sdp_parse(&sdp, m->body);
    for (int i = 0; i < count; i++) {
        if (can_be_received(&sdp.media[i]) && !was_told(&sdp, i)) {
            *announcement_push(b) = (struct announcement){
                .order = m->order,
                .endpoint = sdp.media[i].rtp,
                .call = {b->id, c->index},
                .cseq = m->cseq,
                .by_caller = m->is_request == (by == BY_CALLER),
                .map = map_of_transport(b, &sdp, count, i),
            };
        }
    }
}

void call_bin_message(struct call_bin *b, struct sip_record *m)
{
    m->is_copy = is_copy(b, m);
    uint8_t by = BY_CALLER;
    struct call *c = m->method == SIP_REGISTER ? find_registration(b, m) : find_call(b, m, &by);
    if (m->is_copy) {
        b->copies++;
        if (c) {
            c->duplicates++;
        }
        return;
    }
    b->messages++;
    for (uint64_t odd = m->oddities; odd != 0; odd &= odd - 1) {
        b->oddities[__builtin_ctzll(odd)]++;
    }
    if (!c) {
        c = call_make(b, m);
        by = BY_CALLER;
    }
    learn_start(c, &b->arena, m);
    if (call_message(c, &b->arena, m, by) && m->has_sdp) {
        announce(b, c, m, by);
    }
}
