// Findings of a stream, from what the trackers noted.
#include "judge/findings_parts.h"

#include <inttypes.h>

// Nothing to play for so long is heard as a gap, not as a click. Not smaller: concealment covers
// some packets. Not larger: a syllable is gone.
#define MEDIA_GAP_NS INT64_C(200000000)

static void media_gap(const struct stream *s, struct finding_list *out)
{
    int64_t gap_ns = stream_gap_max_ns(s);
    if (gap_ns < MEDIA_GAP_NS) {
        return;
    }
    int64_t tenths = (gap_ns + 50000000) / 100000000;
    findings_add_format(out, "media_gap", SIDETONE_WARNING, s->lacking->run_max_at,
                        "Longest media gap %" PRId64
                        ".%d s: packets in a row that were lost or came "
                        "too late to be played.",
                        tenths / 10, (int)(tenths % 10));
}

// Silence at a stretch that a listener takes for a broken call. Not shorter: one side of a talk
// listens for some seconds, and many phones send digital silence then. Not longer: after ten
// seconds people hang up.
#define DEAD_AIR_NS INT64_C(10000000000)
// Of a stream that is nothing but silence. Not shorter: before an answer a gateway may send a
// second or two of it.
#define DEAD_AIR_WHOLE_NS INT64_C(3000000000)

// Share of the packets that are clipped, in percent. Not less: a cough is as loud as can be. From
// the second on every word is heard to be distorted.
#define CLIPPING_NOTE_PERCENT    1
#define CLIPPING_WARNING_PERCENT 5
// Not fewer packets: one bang in a short stream.
#define CLIPPING_PACKETS_MIN 5

static void dead_air(const struct stream_sound *sound, struct finding_list *out)
{
    int64_t silence_ns = stream_silence_ns(sound);
    int64_t tenths = silence_ns / 100000000;
    bool is_whole = sound->loud == 0 && silence_ns >= DEAD_AIR_WHOLE_NS;
    if (is_whole) {
        findings_add_format(out, "dead_air", SIDETONE_WARNING, sound->longest_at,
                            "All its sound is silence, up to %" PRId64 ".%d s at a stretch.",
                            tenths / 10, (int)(tenths % 10));
    } else if (silence_ns >= DEAD_AIR_NS) {
        findings_add_format(out, "dead_air", SIDETONE_WARNING, sound->longest_at,
                            "Nothing is heard for %" PRId64
                            ".%d s at a stretch: packets come, with silence in them.",
                            tenths / 10, (int)(tenths % 10));
    }
}

static void clipping(const struct stream_sound *sound, struct finding_list *out)
{
    uint32_t packets = stream_judged(sound);
    uint64_t percent = packets > 0 ? UINT64_C(100) * sound->clipped / packets : 0;
    if (percent >= CLIPPING_NOTE_PERCENT && sound->clipped >= CLIPPING_PACKETS_MIN) {
        findings_add_format(
            out, "clipping", percent >= CLIPPING_WARNING_PERCENT ? SIDETONE_WARNING : SIDETONE_NOTE,
            sound->clipped_at,
            "Its sound is too loud: %" PRIu32 " of %" PRIu32 " packets are clipped.",
            sound->clipped, packets);
    }
}

void findings_of_stream(const struct stream *s, const struct stream *former,
                        const struct stream *next, struct finding_list *out)
{
    out->count = 0;
    findings_icmp(&stream_extras(s)->icmp, out);
    if (former && former->ssrc != s->ssrc) {
        findings_add(
            out, "ssrc_changed", SIDETONE_WARNING,
            "It took over from another SSRC between the same addresses, without new signalling.",
            s->first_at);
    }
    if (former && former->ssrc == s->ssrc) {
        findings_add(out, "numbers_restarted", SIDETONE_WARNING,
                     "The sequence numbers of this SSRC started again, without new signalling.",
                     s->first_at);
    }
    if (next && next->ssrc != s->ssrc) {
        findings_add(out, "ssrc_changed", SIDETONE_WARNING,
                     "Another SSRC took over between the same addresses, without new signalling.",
                     next->first_at);
    }
    media_gap(s, out);
    if (s->from_unannounced) {
        findings_add(out, "media_from_unannounced", SIDETONE_NOTE,
                     "Media came from an address that no offer or answer announced (NAT).",
                     s->first_at);
    }
    const struct stream_extras *x = stream_extras(s);
    if (x->digit_count > STREAM_DIGITS_MAX) {
        findings_add(out, "digits_cut", SIDETONE_NOTE,
                     "More digits than are kept; only the first ones are shown.", x->digits_cut_at);
    }
    if (!stream_encrypted(s)) {
        struct stream_sound sound = stream_sound_so_far(s);
        dead_air(&sound, out);
        clipping(&sound, out);
    }
}
