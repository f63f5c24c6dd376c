// Findings of a call, from what the trackers noted.
#include "judge/findings_parts.h"

// The capture must go on for so long behind a final response before what did not follow it counts
// as missing. Not smaller: that is T1 (RFC 3261 17.1.1.1), after which the response would be sent
// again. Not larger: a capture that ends then has seen enough.
#define FOLLOWS_WITHIN_NS INT64_C(500000000)

static bool might_have_followed(const struct call *c, int64_t now_ns)
{
    return c->final_ns == TIME_NOT_SEEN || now_ns - c->final_ns >= FOLLOWS_WITHIN_NS;
}

void findings_of_call(const struct call *c, int64_t now_ns, struct finding_list *out)
{
    out->count = 0;
    findings_icmp(&c->icmp, out);
    if (c->notes & NOTE_START_NOT_SEEN) {
        findings_add(out, "start_not_seen", SIDETONE_NOTE,
                     "The call had begun before this capture, or its INVITE was not captured.",
                     c->first.at);
    }
    if (c->notes & NOTE_RESPONSE_FIRST) {
        findings_add(out, "response_before_request", SIDETONE_NOTE,
                     "An answer to the INVITE was captured before the INVITE itself.", c->first.at);
    }
    if (c->notes & NOTE_CALL_ID_REUSED) {
        findings_add(out, "call_id_reused", SIDETONE_NOTE,
                     "An earlier call of this capture had the same Call-ID.", c->first.at);
    }
    if (c->kind != KIND_CALL) {
        return;
    }
    bool answered = (c->facts & FACT_ANSWERED) != 0;
    bool is_complete = might_have_followed(c, now_ns);
    if (answered && (c->facts & FACT_START) && !(c->facts & FACT_ACKED) && is_complete) {
        findings_add(out, "ack_missing", SIDETONE_WARNING,
                     "The 2xx to the INVITE was never acknowledged.", c->final_at);
    }
    if (c->notes & NOTE_CANCEL_TOO_LATE) {
        findings_add(out, "cancel_too_late", SIDETONE_NOTE,
                     "A CANCEL came after the call had been answered.", c->cancel_at);
    }
    if (c->notes & NOTE_CHANGE_REFUSED) {
        findings_add(out, "change_refused", SIDETONE_NOTE,
                     "A re-INVITE or UPDATE of the session was refused.", c->refused_at);
    }
    if (!answered && (c->facts & FACT_CHALLENGED) &&
        (c->final_code == 401 || c->final_code == 407) && is_complete) {
        findings_add(out, "challenge_unanswered", SIDETONE_WARNING,
                     "The caller was asked for credentials and did not try again.", c->final_at);
    }
}

void findings_session_timer(struct finding_list *out, uint64_t at)
{
    findings_add(out, "session_timer", SIDETONE_WARNING,
                 "The session timer ran out: the session was not refreshed in time.", at);
}

void findings_media_stopped(struct finding_list *out, uint64_t at)
{
    findings_add(out, "media_stopped", SIDETONE_WARNING,
                 "The media of the call stopped, and no BYE was captured.", at);
}
