// Findings of a stream, from what the trackers noted.
#include "judge/findings_parts.h"

void findings_of_stream(const struct stream *s, const struct stream *former,
                        const struct stream *next, struct finding_list *out)
{
    out->count = 0;
    if (s->icmp_at != 0) {
        findings_add(out, "icmp_error", SIDETONE_WARNING,
                     findings_icmp_text(s->icmp_v6, s->icmp_type, s->icmp_code), s->icmp_at);
    }
    if (former && former->ssrc != s->ssrc) {
        findings_add(
            out, "ssrc_changed", SIDETONE_WARNING,
            "It took over from another SSRC between the same addresses, without new signalling.",
            s->first.at);
    }
    if (former && former->ssrc == s->ssrc) {
        findings_add(out, "numbers_restarted", SIDETONE_WARNING,
                     "The sequence numbers of this SSRC started again, without new signalling.",
                     s->first.at);
    }
    if (next && next->ssrc != s->ssrc) {
        findings_add(out, "ssrc_changed", SIDETONE_WARNING,
                     "Another SSRC took over between the same addresses, without new signalling.",
                     next->first.at);
    }
    if (s->digit_count > STREAM_DIGITS_MAX) {
        findings_add(out, "digits_cut", SIDETONE_NOTE,
                     "More digits than are kept; only the first ones are shown.", s->digits_cut_at);
    }
}
