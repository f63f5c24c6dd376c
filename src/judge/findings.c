// Findings from what the trackers noted.
#include "judge/findings.h"

static void add(struct finding_list *out, const char *name, enum sidetone_severity severity,
                const char *text, uint64_t at)
{
    if (out->count == FINDINGS_MAX) {
        return;
    }
    struct order where = {0, at};
    out->packets[out->count] = (struct sidetone_packet){order_file(where), order_record(where)};
    out->items[out->count] = (struct sidetone_finding){
        .name = name,
        .severity = severity,
        .text = {text, strlen(text)},
        .packets = &out->packets[out->count],
        .packet_count = 1,
    };
    out->count++;
}

void findings_of_call(const struct call *c, struct finding_list *out)
{
    out->count = 0;
    if (c->notes & NOTE_START_NOT_SEEN) {
        add(out, "start_not_seen", SIDETONE_NOTE,
            "The call had begun before this capture, or its INVITE was not captured.", c->first.at);
    }
    if (c->notes & NOTE_CALL_ID_REUSED) {
        add(out, "call_id_reused", SIDETONE_NOTE,
            "An earlier call of this capture had the same Call-ID.", c->first.at);
    }
    if (c->kind != KIND_CALL) {
        return;
    }
    bool answered = (c->facts & FACT_ANSWERED) != 0;
    if (answered && (c->facts & FACT_START) && !(c->facts & FACT_ACKED)) {
        add(out, "ack_missing", SIDETONE_WARNING, "The 2xx to the INVITE was never acknowledged.",
            c->final_at);
    }
    if (c->notes & NOTE_CANCEL_TOO_LATE) {
        add(out, "cancel_too_late", SIDETONE_NOTE,
            "A CANCEL came after the call had been answered.", c->cancel_at);
    }
    if (c->notes & NOTE_CHANGE_REFUSED) {
        add(out, "change_refused", SIDETONE_NOTE,
            "A re-INVITE or UPDATE of the session was refused.", c->refused_at);
    }
    if (!answered && (c->facts & FACT_CHALLENGED) &&
        (c->final_code == 401 || c->final_code == 407)) {
        add(out, "challenge_unanswered", SIDETONE_WARNING,
            "The caller was asked for credentials and did not try again.", c->final_at);
    }
}

void findings_of_stream(const struct stream *s, const struct stream *former,
                        const struct stream *next, struct finding_list *out)
{
    out->count = 0;
    if (former && former->ssrc != s->ssrc) {
        add(out, "ssrc_changed", SIDETONE_WARNING,
            "It took over from another SSRC between the same addresses, without new signalling.",
            s->first.at);
    }
    if (former && former->ssrc == s->ssrc) {
        add(out, "numbers_restarted", SIDETONE_WARNING,
            "The sequence numbers of this SSRC started again, without new signalling.",
            s->first.at);
    }
    if (next && next->ssrc != s->ssrc) {
        add(out, "ssrc_changed", SIDETONE_WARNING,
            "Another SSRC took over between the same addresses, without new signalling.",
            next->first.at);
    }
    if (s->digit_count > STREAM_DIGITS_MAX) {
        add(out, "digits_cut", SIDETONE_NOTE,
            "More digits than are kept; only the first ones are shown.", s->digits_cut_at);
    }
}
