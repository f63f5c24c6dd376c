// Findings of a stream, from what the trackers noted.
#include "judge/findings_parts.h"

#include <inttypes.h>
#include <stdio.h>

// Nothing to play for so long is heard as a gap, not as a click. Not smaller: concealment covers
// some packets. Not larger: a syllable is gone.
#define MEDIA_GAP_NS INT64_C(200000000)

static void find_media_gap(const struct stream *s, struct finding_list *out)
{
    int64_t gap_ns = stream_gap_max_ns(s);
    if (gap_ns < MEDIA_GAP_NS) {
        return;
    }
    int64_t tenths = (gap_ns + 50000000) / 100000000;
    snprintf(out->media_gap_text, sizeof out->media_gap_text,
             "Longest media gap %" PRId64 ".%" PRId64
             " s: packets in a row that were lost or came too late to be played.",
             tenths / 10, tenths % 10);
    findings_add(out, "media_gap", SIDETONE_WARNING, out->media_gap_text, s->lacking->run_max_at);
}

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
    find_media_gap(s, out);
    if (s->digit_count > STREAM_DIGITS_MAX) {
        findings_add(out, "digits_cut", SIDETONE_NOTE,
                     "More digits than are kept; only the first ones are shown.", s->digits_cut_at);
    }
}
