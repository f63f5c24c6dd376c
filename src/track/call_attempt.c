// The attempts of a call: an INVITE and those that the caller sent in its place, and the branches
// that answered the newest of them.
#include "track/call_attempt.h"

struct call_branch *call_branch_of(struct call *c, struct arena *arena, struct slice to_tag,
                                   bool make)
{
    struct call_branch **at = &c->branches;
    for (; *at; at = &(*at)->next) {
        if (slice_eq(kept_text(&(*at)->to_tag), to_tag)) {
            return *at;
        }
    }
    if (make && to_tag.n > 0 && c->branch_count < CALL_BRANCHES_MAX) {
        struct call_branch *b = c->spare_branches;
        if (b) {
            c->spare_branches = b->next;
        } else {
            b = ARENA_NEW(arena, struct call_branch);
        }
        *b = (struct call_branch){.to_tag = b->to_tag, .is_only_named = true};
        kept_text_set(&b->to_tag, arena, to_tag);
        *at = b;
        c->branch_count++;
    }
    return *at;
}

static void forget_branches(struct call *c)
{
    struct call_branch **end = &c->branches;
    while (*end) {
        end = &(*end)->next;
    }
    *end = c->spare_branches;
    c->spare_branches = c->branches;
    c->branches = NULL;
    c->branch_count = 0;
}

uint32_t call_via_mark(const struct sip_record *m)
{
    return (uint32_t)hash_bytes(m->branch.p, m->branch.n, hash_secret);
}

// Is it a new request between the addresses of the first one, not that one sent again? Then the
// branch is new too (RFC 3261 8.1.1.7).
static bool is_sent_anew(const struct call *c, const struct sip_record *m)
{
    return c->current.begun_ns != TIME_NOT_SEEN && endpoint_eq(m->src, c->src) &&
           endpoint_eq(m->dst, c->dst) && call_via_mark(m) != c->current.branch_mark;
}

bool call_is_attempt(const struct call *c, const struct sip_record *m)
{
    bool same_try = m->cseq == c->current.cseq && slice_eq(m->from_tag, kept_text(&c->current.tag));
    bool is_over = (c->facts & (FACT_BYE | FACT_BYE_OK)) != 0;
    return c->attempts == 0 || !is_over || (same_try && !is_sent_anew(c, m));
}

struct call_attempt *call_attempt_other(const struct call *c, const struct sip_record *m)
{
    struct call_attempt *a = c->others;
    while (a && (a->cseq != m->cseq || !slice_eq(kept_text(&a->tag), m->from_tag))) {
        a = a->next;
    }
    return a;
}

static void keep_other(struct call *c, struct arena *arena, const struct call_attempt *attempt,
                       struct slice tag)
{
    if (c->other_count < CALL_ATTEMPTS_MAX) {
        struct call_attempt *a = ARENA_NEW(arena, struct call_attempt);
        *a = *attempt;
        a->tag = (struct kept_text){0};
        kept_text_set(&a->tag, arena, tag);
        a->next = c->others;
        c->others = a;
        c->other_count++;
    }
}

void call_attempt_make_current(struct call *c, struct arena *arena, const struct sip_record *m)
{
    if (c->attempts > 0 && c->final_code == 0) {
        keep_other(c, arena, &c->current, kept_text(&c->current.tag));
    }
    c->current.cseq = m->cseq;
    kept_text_set(&c->current.tag, arena, m->from_tag);
    c->current.begun_ns = m->is_request ? m->time_ns : TIME_NOT_SEEN;
    c->current.branch_mark = call_via_mark(m);
    c->facts = FACT_START;
    c->final_code = 0;
    c->reason.n = 0;
    c->current.trying_ns = c->current.progress_ns = c->current.ringing_ns = c->answered_ns =
        c->final_ns = TIME_NOT_SEEN;
    forget_branches(c);
}

void call_attempt_begin(struct call *c, struct arena *arena, const struct sip_record *m)
{
    bool same = m->cseq == c->current.cseq &&
                (c->attempts == 0 || slice_eq(m->from_tag, kept_text(&c->current.tag)));
    if ((same && c->current.begun_ns != TIME_NOT_SEEN) || call_attempt_other(c, m)) {
        return; // the same INVITE at another hop, or once more
    }
    if (same) {
        // Responses that were captured before their INVITE (two interfaces, one clock) belong to
        // this attempt.
        c->current.begun_ns = m->time_ns;
        c->current.branch_mark = call_via_mark(m);
        kept_text_set(&c->current.tag, arena, m->from_tag);
        c->facts |= FACT_START;
    } else if (c->facts & FACT_ANSWERED) {
        struct call_attempt beside = {
            .cseq = m->cseq, .branch_mark = call_via_mark(m), .begun_ns = m->time_ns};
        keep_other(c, arena, &beside, m->from_tag);
        c->facts |= FACT_START;
    } else {
        call_attempt_make_current(c, arena, m);
    }
    c->attempts++;
}
