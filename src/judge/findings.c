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

// What an ICMP error says (RFC 792, 4443).
static const char *icmp_text(bool is_v6, uint8_t type, uint8_t code)
{
    bool unreachable = type == (is_v6 ? 1 : 3);
    if (unreachable && code == (is_v6 ? 4 : 3)) {
        return "An ICMP error came back: nobody listens on that port.";
    }
    if (unreachable && (is_v6 ? code == 1 : code == 9 || code == 10 || code == 13)) {
        return "An ICMP error came back: a filter forbids the way.";
    }
    if (is_v6 ? type == 2 : unreachable && code == 4) {
        return "An ICMP error came back: the packet was too large for the way.";
    }
    if (unreachable) {
        return "An ICMP error came back: the destination cannot be reached.";
    }
    if (!is_v6 && type == 4) {
        return "An ICMP error came back: the sender is to slow down.";
    }
    return type == (is_v6 ? 3 : 11) ? "An ICMP error came back: the packet was too long on its way."
                                    : "An ICMP error came back for one of its packets.";
}

void findings_of_call(const struct call *c, struct finding_list *out)
{
    out->count = 0;
    if (c->notes & NOTE_ICMP) {
        add(out, "icmp_error", SIDETONE_WARNING, icmp_text(c->icmp_v6, c->icmp_type, c->icmp_code),
            c->icmp_at);
    }
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
    if (s->icmp_at != 0) {
        add(out, "icmp_error", SIDETONE_WARNING, icmp_text(s->icmp_v6, s->icmp_type, s->icmp_code),
            s->icmp_at);
    }
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
