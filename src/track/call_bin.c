// The fold of a bin: capture duplicates are told, messages find their call or make one.
#include "track/call_bin_parts.h"

#include "base/memory.h"

#define FIRST_ROOM 64

void call_bin_init(struct call_bin *b, uint32_t id)
{
    *b = (struct call_bin){.id = id};
    frames_seen_init(&b->seen, CALL_COPY_SETS);
    arena_init(&b->arena, 64 * 1024);
    b->maps.arena = &b->arena;
}

void call_bin_fini(struct call_bin *b)
{
    arena_fini(&b->arena);
    memory_free(b->calls);
    index_table_fini(&b->newest);
    index_table_fini(&b->by_party);
    payload_maps_fini(&b->maps);
    frames_seen_fini(&b->seen);
    memory_free(b->announcements);
}

// --- capture duplicates ---

// Notes the frame of a datagram; what comes in a stream has no copies by then. Returns where it is
// noted, NULL where it need not be; sets m->is_copy.
static struct frame_seen *note_frame(struct call_bin *b, struct sip_record *m)
{
    if (m->frame_hash == 0) {
        return NULL;
    }
    struct frame_seen *seen = frames_seen_note(&b->seen, m->frame_hash, m->frame_set, m->time_ns);
    m->is_copy = m->is_copy || !seen;
    return seen;
}

// --- calls ---

// INFO inside a dialog is always that of a call (RFC 6086); other requests may belong to a
// subscription.
static enum call_kind kind_of(const struct sip_record *m)
{
    return m->method == SIP_INFO && m->to_tag.n > 0 ? KIND_CALL : call_kind_of(m->method);
}

// Most calls have the path of the call before.
static const struct path *keep_path(struct call_bin *b, const struct path *path)
{
    if (path && !(b->path && path_eq(b->path, path))) {
        b->path = path_copy(&b->arena, path);
    }
    return path ? b->path : NULL;
}

static struct call *call_make(struct call_bin *b, const struct sip_record *m)
{
    struct call *older = call_newest(b, m->call_id, m->call_id_hash);
    if (older && kind_of(m) != KIND_REGISTRATION) {
        call_share_id(b, older, m);
    }
    if (b->call_count == b->call_room) {
        b->calls = memory_grow(b->calls, &b->call_room, sizeof *b->calls, FIRST_ROOM);
    }
    struct call *c = ARENA_NEW(&b->arena, struct call);
    *c = (struct call){
        .index = b->call_count,
        .call_id = older ? older->call_id : arena_slice(&b->arena, m->call_id),
        .kind = kind_of(m),
        .method = m->method,
        .method_text = arena_slice(&b->arena, m->method_text),
        .from = arena_slice(&b->arena, m->from),
        .to = arena_slice(&b->arena, m->to),
        .request_uri = arena_slice(&b->arena, m->uri),
        .src = m->is_request ? m->src : m->dst,
        .dst = m->is_request ? m->dst : m->src,
        .path = keep_path(b, m->path),
        .transport = m->transport,
        .first = m->order,
        .first_part = m->part,
        .start_ns = m->time_ns,
        .end_ns = m->time_ns,
        .change_cseq = UINT64_MAX,
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
    c->began_inside = !begins;
    bool is_reuse = older && older->kind == c->kind && m->call_id.n > 0 &&
                    !call_links_note_same_id(c, &b->arena, older);
    c->notes = (begins || c->kind != KIND_CALL ? 0u : NOTE_START_NOT_SEEN) |
               (is_reuse ? NOTE_CALL_ID_REUSED : 0u);
    b->calls[b->call_count++] = c;
    call_enter(b, c, m);
    return c;
}

// A dialog that was met in its middle, by a request of any use: now it shows that it is a call.
static bool is_of_call(const struct call *c, const struct sip_record *m)
{
    return c->kind != KIND_CALL && c->kind != KIND_REGISTRATION && c->began_inside &&
           m->to_tag.n > 0 && call_kind_of(m->method) == KIND_CALL;
}

// The start of a call that began, for this capture, with something else: an answer that was
// captured first, or its end.
static void learn_start(struct call *c, struct arena *arena, const struct sip_record *m)
{
    if (c->request_uri.n == 0 && m->is_request && m->method == c->method) {
        bool is_answered = m->method == SIP_INVITE && m->to_tag.n == 0 &&
                           m->cseq == c->current.cseq && (c->notes & NOTE_START_NOT_SEEN);
        c->notes |= is_answered ? NOTE_RESPONSE_FIRST : 0u;
        c->request_uri = arena_slice(arena, m->uri);
    }
    if ((c->notes & NOTE_START_NOT_SEEN) && m->is_request && m->method == SIP_INVITE &&
        m->to_tag.n == 0) {
        c->notes &= ~(uint32_t)NOTE_START_NOT_SEEN;
        c->start_ns = m->time_ns < c->start_ns ? m->time_ns : c->start_ns;
    }
}

static void count_message(struct call_bin *b, const struct sip_record *m)
{
    b->messages++;
    for (uint64_t odd = m->oddities; odd != 0; odd &= odd - 1) {
        b->oddities[__builtin_ctzll(odd)]++;
    }
}

void call_bin_message(struct call_bin *b, struct sip_record *m)
{
    struct frame_seen *seen = note_frame(b, m);
    uint8_t by = BY_CALLER;
    struct call *c = call_find(b, m, &by);
    if (m->is_copy) {
        b->copies++;
        if (c) {
            c->duplicates++;
        }
        return;
    }
    count_message(b, m);
    if (!c) {
        c = call_make(b, m);
        by = BY_CALLER;
    }
    if (seen) {
        seen->call = c;
    }
    if (is_of_call(c, m)) {
        call_become_call(c);
        call_enter(b, c, m);
    }
    learn_start(c, &b->arena, m);
    bool is_news = call_message(c, &b->arena, m, by);
    message_counts_message(&b->counts, m, !is_news);
    if (is_news && m->links) {
        call_links_note(c, &b->arena, m);
    }
    if (is_news) {
        call_announce(b, c, m, by);
    }
}

// --- ICMP errors ---

static struct call *call_of_quote(struct call_bin *b, const struct icmp_quote *q)
{
    const struct frame_seen *ways = frames_seen_ways(&b->seen, q->frame_set);
    struct call *c = NULL;
    for (int i = 0; i < FRAMES_SEEN_WAYS && !c; i++) {
        c = ways[i].set == q->frame_set ? ways[i].call : NULL;
    }
    bool is_other = q->call_id.n > 0 && (!c || !slice_eq(c->call_id, q->call_id));
    return is_other ? call_newest(b, q->call_id, q->call_id_hash) : c;
}

void call_bin_quote(struct call_bin *b, const struct quote_record *r)
{
    struct call *c = call_of_quote(b, r->quote);
    if (c) {
        r->quote->is_known = true;
        icmp_see(&c->icmp, r->quote, r->order.at);
    }
}
