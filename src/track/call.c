// The fold of a call: what each message adds to its facts, times and counts.
#include "track/call_attempt.h"
#include "track/call_extras.h"
#include "track/call_hops.h"

// --- retransmissions ---

// What of a message stays as it is on its way from hop to hop. Others keep the lower half of it.
static uint64_t mark_of(const struct sip_record *m)
{
    uint64_t h = hash_mix(m->cseq ^ (uint64_t)m->rseq << 32 ^ hash_secret,
                          (uint64_t)m->code << 16 | (uint64_t)m->method << 8);
    h = hash_bytes(m->to_tag.p, m->to_tag.n, h);
    if (m->method == SIP_METHOD_OTHER) {
        h = hash_bytes(m->method_text.p, m->method_text.n, h);
    }
    return h;
}

// All 64 bits: of 32, one message in 70 million, another one in each run, would be taken for one of
// the 64 before it.
static uint64_t fingerprint(const struct sip_record *m, uint64_t mark)
{
    uint64_t h = hash_mix(endpoint_hash(m->src, hash_secret), endpoint_hash(m->dst, hash_secret));
    h = hash_mix(h, mark ^ m->ttl);
    h = hash_bytes(m->branch.p, m->branch.n, h);
    return hash_bytes(m->body.p, m->body.n, h);
}

// Was the same message seen before, at the same place? (RFC 3261 17.2.3; another hop has other
// addresses, TTL or Via. A new RSeq is a new response: RFC 3262 3)
static bool is_retransmission(struct call *c, struct arena *arena, const struct sip_record *m,
                              uint64_t message)
{
    uint64_t mark = fingerprint(m, message);
    for (uint32_t i = 0; i < c->seen_count; i++) {
        if (c->seen[i] == mark) {
            return true;
        }
    }
    if (c->seen_count == c->seen_room && c->seen_room < CALL_SEEN_MAX) {
        uint16_t room = (uint16_t)(c->seen_room ? c->seen_room * 2 : 8);
        uint64_t *more = ARENA_ARRAY(arena, uint64_t, room);
        if (c->seen_count > 0) {
            memcpy(more, c->seen, c->seen_count * sizeof *more);
        }
        c->seen = more;
        c->seen_room = room;
    }
    if (c->seen_count < c->seen_room) {
        c->seen[c->seen_count++] = mark;
    } else {
        c->seen[c->seen_next] = mark;
        c->seen_next = (uint16_t)((c->seen_next + 1) % CALL_SEEN_MAX);
    }
    return false;
}

// --- what is kept of every message ---

static void note_agent(struct call *c, struct arena *arena, struct slice text)
{
    struct call_agent **at = &c->agents;
    for (; *at; at = &(*at)->next) {
        if (slice_eq((*at)->text, text)) {
            return;
        }
    }
    if (text.n > 0 && c->agent_count < CALL_AGENTS_MAX) {
        *at = ARENA_NEW(arena, struct call_agent);
        (*at)->text = arena_slice(arena, text);
        c->agent_count++;
    }
}

// --- requests ---

static void release_branch(struct call *c, struct arena *arena, const struct sip_record *m,
                           uint8_t by)
{
    struct slice tag = by == BY_CALLER ? m->to_tag : m->from_tag;
    // Its 200 may be captured after it (two interfaces, one clock).
    struct call_branch *b = call_branch_of(c, arena, tag, true);
    if (!b && c->branch_count == CALL_BRANCHES_MAX) {
        return; // a branch that is not kept: nothing is known of the others by it
    }
    if (b) {
        b->is_ended = true;
    }
    bool is_up = false;
    for (const struct call_branch *at = c->branches; b && at; at = at->next) {
        is_up = is_up || (at->final_code >= 200 && at->final_code < 300 && !at->is_ended);
    }
    if (!is_up) {
        c->facts |= FACT_RELEASED;
    }
}

static void on_bye(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by)
{
    c->facts |= FACT_BYE;
    release_branch(c, arena, m, by);
    if (!(c->facts & FACT_RELEASED)) {
        return;
    }
    if (c->bye_ns == TIME_NOT_SEEN) {
        c->bye_ns = m->time_ns;
        c->ended_by = by;
        call_timer_bye(c, arena, m);
    } else if (!(c->facts & FACT_BYE_OK) && !(c->ended_by & by)) {
        c->ended_by |= by; // they crossed (RFC 5407 3.2.1)
    }
}

// With a To tag it changes the session; but some callers take that of the challenge along when they
// try again.
static void on_invite(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by)
{
    bool is_try = m->to_tag.n == 0 || ((c->facts & FACT_CHALLENGED) && !(c->facts & FACT_ANSWERED));
    if (by == BY_CALLER && is_try) {
        call_attempt_begin(c, arena, m);
    } else if (by == BY_CALLER) {
        c->change_cseq = m->cseq;
    }
}

// The ACK to a refusal of one branch of a fork is none to the answer of another one, nor is that to
// a challenge.
static void on_ack(struct call *c, struct arena *arena, const struct sip_record *m)
{
    const struct call_branch *b = call_branch_of(c, arena, m->to_tag, false);
    if (m->cseq >= c->current.cseq && !(b && b->final_code >= 300)) {
        c->facts |= FACT_ACKED;
    }
}

// A CANCEL has the branch of the INVITE that it is for (RFC 3261 9.1). A proxy cancels what it
// forked when another branch was answered: that comes in time.
static bool comes_too_late(const struct call *c, const struct sip_record *m)
{
    uint32_t mark = call_via_mark(m);
    bool found = c->answered_count > 0 && c->answered == mark;
    for (int i = 0; i < c->answered_count - 1 && !found; i++) {
        found = c->also_answered[i] == mark;
    }
    return found;
}

static void note_answered(struct call *c, struct arena *arena, uint32_t mark)
{
    if (c->answered_count == 0) {
        c->answered = mark;
        c->answered_count = 1;
    } else if (c->answered_count < CALL_ANSWERED_MAX) {
        if (!c->also_answered) {
            c->also_answered = ARENA_ARRAY(arena, uint32_t, CALL_ANSWERED_MAX - 1);
        }
        c->also_answered[c->answered_count++ - 1] = mark;
    }
}

static void on_request(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by)
{
    switch (m->method) {
    case SIP_INVITE:
        on_invite(c, arena, m, by);
        break;
    case SIP_ACK:
        on_ack(c, arena, m);
        break;
    case SIP_CANCEL:
        if (call_attempt_other(c, m)) {
            break;
        }
        c->notes |= comes_too_late(c, m) ? NOTE_CANCEL_TOO_LATE : 0u;
        c->facts |= FACT_CANCEL;
        c->cancel_at = m->order.at;
        break;
    case SIP_BYE:
        on_bye(c, arena, m, by);
        break;
    case SIP_REGISTER:
    case SIP_OPTIONS:
    case SIP_PRACK:
    case SIP_SUBSCRIBE:
    case SIP_NOTIFY:
    case SIP_PUBLISH:
    case SIP_INFO:
    case SIP_REFER:
    case SIP_MESSAGE:
    case SIP_UPDATE:
    case SIP_METHOD_OTHER:
    case SIP_METHOD_COUNT:
        break;
    }
}

// --- responses ---

static void keep_final(struct call *c, struct arena *arena, const struct sip_record *m)
{
    c->final_code = m->code;
    c->final_ns = m->time_ns;
    c->final_at = m->order.at;
    kept_text_set(&c->reason, arena, m->reason);
}

static void on_final(struct call *c, struct arena *arena, const struct sip_record *m)
{
    const uint32_t FINALS =
        FACT_REDIRECTED | FACT_BUSY | FACT_CANCELLED | FACT_FAILED | FACT_CHALLENGED;
    if (c->facts & FACT_ANSWERED) {
        return; // a 2xx wins
    }
    c->facts = (c->facts & ~FINALS) | call_fact_of(m->code);
    keep_final(c, arena, m);
    if (m->code < 300) {
        c->answered_ns = m->time_ns;
    }
}

static void first_time(int64_t *at_ns, int64_t time_ns)
{
    *at_ns = *at_ns == TIME_NOT_SEEN ? time_ns : *at_ns;
}

static void on_provisional(struct call_attempt *a, const struct sip_record *m)
{
    if (m->code == 100) {
        first_time(&a->trying_ns, m->time_ns);
    } else if (m->code / 10 == 18) {
        first_time(&a->progress_ns, m->time_ns);
    }
    if (m->code == 180) {
        first_time(&a->ringing_ns, m->time_ns);
    }
}

static void on_invite_response(struct call *c, struct arena *arena, const struct sip_record *m)
{
    if (m->code < 200) {
        on_provisional(&c->current, m);
        c->facts |= m->code / 10 == 18 ? FACT_PROGRESS : 0u;
    }
    struct call_branch *b = m->code > 100 ? call_branch_of(c, arena, m->to_tag, true) : NULL;
    if (b) {
        b->is_only_named = false;
    }
    if (m->code < 200) {
        return;
    }
    if (m->code < 300) {
        note_answered(c, arena, call_via_mark(m));
    }
    if (b && (b->final_code == 0 || m->code < 300)) {
        b->final_code = m->code;
        c->facts &= m->code < 300 && !b->is_ended ? ~(uint32_t)FACT_RELEASED : ~0u;
    }
    on_final(c, arena, m);
}

// A re-INVITE or UPDATE; what only asks for another try is no refusal.
static void on_change_response(struct call *c, const struct sip_record *m)
{
    bool is_change = m->method == SIP_INVITE || m->method == SIP_UPDATE;
    if (is_change && m->code >= 300 && !call_may_retry(m->code)) {
        c->notes |= NOTE_CHANGE_REFUSED;
        c->refused_at = m->order.at;
    }
}

// An answer to an attempt that was given up, or sent beside the one that counts: the first 2xx
// decides which one does (RFC 3261 13.2.2.4).
static void on_other_response(struct call *c, struct arena *arena, const struct sip_record *m,
                              struct call_attempt *a)
{
    if (c->facts & FACT_ANSWERED) {
        return;
    }
    if (m->code < 200) {
        on_provisional(a, m);
    } else if (m->code < 300) {
        struct call_attempt counts = *a;
        struct call_attempt *next = a->next;
        *a = c->current;
        a->next = next;
        c->current = counts;
        on_invite_response(c, arena, m);
    }
}

static void on_response(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by)
{
    bool is_change_method = m->method == SIP_INVITE || m->method == SIP_UPDATE;
    if (is_change_method && m->code >= 200 && m->code < 300) {
        call_timer_refresh(c, arena, m, by);
    } else if (m->method == SIP_INFO && call_may_retry(m->code)) {
        call_digits_refused(c, m, by);
    }
    if (m->method == SIP_BYE && m->code >= 200) {
        // 481: the other side has forgotten the dialog, so it is over all the same.
        if (m->code < 300 || m->code == 481) {
            if (!(c->facts & FACT_BYE)) {
                on_bye(c, arena, m, by); // only its answer was captured
            }
            c->facts |= FACT_BYE_OK;
        }
        return;
    }
    bool is_change = m->cseq == c->change_cseq && (c->attempts == 0 || m->cseq != c->current.cseq);
    if (m->method != SIP_INVITE || by != BY_CALLER || is_change) {
        on_change_response(c, m);
        return;
    }
    if (c->attempts == 0 && c->current.cseq == 0) {
        c->current.cseq = m->cseq; // its INVITE was not seen (yet)
    }
    struct call_attempt *other = call_attempt_other(c, m);
    if (m->cseq == c->current.cseq) {
        on_invite_response(c, arena, m);
    } else if (other) {
        on_other_response(c, arena, m, other);
    } else if (m->cseq > c->current.cseq && !(c->facts & FACT_ANSWERED)) {
        call_attempt_make_current(c, arena,
                                  m); // no re-INVITE before the first is answered (RFC 3261 14.1)
        on_invite_response(c, arena, m);
    } else {
        on_change_response(c, m);
    }
}

void call_become_call(struct call *c)
{
    c->kind = KIND_CALL;
    c->notes |= NOTE_START_NOT_SEEN;
    c->facts = 0;
    c->attempts = 0;
    c->current.cseq = 0;
    c->final_code = 0;
    c->reason.n = 0;
    c->final_ns = TIME_NOT_SEEN;
}

// --- kinds that are one request and its answer ---

static void on_exchange(struct call *c, struct arena *arena, const struct sip_record *m)
{
    if (m->is_request) {
        bool is_retry = m->method == c->method && m->cseq != c->current.cseq;
        if (m->method == c->method && (is_retry || c->attempts == 0)) {
            // A refresh is no retry: only what follows a challenge is.
            c->attempts += c->attempts == 0 || (c->facts & FACT_CHALLENGED);
            c->current.cseq = m->cseq;
            c->facts = (c->facts & ~(uint32_t)FACT_CHALLENGED) | FACT_START;
        }
    } else if (m->code >= 200 && m->method == c->method) {
        const uint32_t FINALS = FACT_ANSWERED | FACT_FAILED | FACT_CHALLENGED;
        bool ok = m->code < 300;
        c->facts = (c->facts & ~FINALS) | (ok                        ? FACT_ANSWERED
                                           : call_may_retry(m->code) ? FACT_CHALLENGED
                                                                     : FACT_FAILED);
        keep_final(c, arena, m);
    }
    if (c->kind == KIND_REGISTRATION || c->kind == KIND_SUBSCRIPTION) {
        call_binding_message(c, arena, m);
    }
}

bool call_message(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by)
{
    c->messages++;
    c->end_ns = m->time_ns > c->end_ns ? m->time_ns : c->end_ns;
    uint64_t message = mark_of(m);
    uint32_t mark = (uint32_t)message;
    call_hops_message(c, arena, m, by, mark);
    if (is_retransmission(c, arena, m, message)) {
        c->retransmissions++;
        return false;
    }
    note_agent(c, arena, m->agent);
    if (c->kind != KIND_CALL) {
        on_exchange(c, arena, m);
    } else if (m->is_request) {
        on_request(c, arena, m, by);
    } else {
        on_response(c, arena, m, by);
    }
    if (m->has_rtp_stat || m->has_other_body || m->method == SIP_REFER) {
        call_extras_message(c, arena, m, by, mark);
    }
    return true;
}
