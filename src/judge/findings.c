// Findings: one more in a list, and sentences that calls and streams share.
#include "judge/findings_parts.h"

#include <stdarg.h>
#include <stdio.h>

void findings_add(struct finding_list *out, const char *name, enum sidetone_severity severity,
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

void findings_add_format(struct finding_list *out, const char *name,
                         enum sidetone_severity severity, uint64_t at, const char *format, ...)
{
    if (out->count == FINDINGS_MAX) {
        return;
    }
    char *text = out->texts[out->count];
    va_list list;
    va_start(list, format);
    vsnprintf(text, FINDING_TEXT_BYTES, format, list);
    va_end(list);
    findings_add(out, name, severity, text, at);
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

void findings_icmp(const struct icmp_seen *icmp, struct finding_list *out)
{
    if (icmp->at != 0) {
        findings_add(out, "icmp_error", SIDETONE_WARNING,
                     icmp_text(icmp->is_v6, icmp->type, icmp->code), icmp->at);
    }
}
