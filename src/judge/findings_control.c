// Loss that the capture does not show, and loss that only the capture has: what the receivers of a
// stream report against the numbers that the capture lacks.
//
// Only like is compared with like: the numbers between the first report and the newest, or, where
// the capture saw the stream from its beginning, from its first number on. The highest number of a
// report has its lower 16 bits in common with ours (RFC 3550 6.4.1); the time of the report tells
// which of ours it is. What the capture lacks is known for each interval, so its losses among these
// numbers lie between those of the intervals inside and those of the intervals that reach in.
#include "judge/findings_parts.h"
#include "track/control_sum.h"

#include <inttypes.h>

// A difference is clear from here on, and from this share of the numbers on. Not smaller: packets
// are on their way between the capture and the receiver, and copies hide losses from its count. Not
// larger: one percent is audible.
#define CLEAR_PACKETS 5
#define CLEAR_PERCENT 1
// Numbers of an interval up to which the lower 16 bits tell which number is meant. Streams with
// more are not compared.
#define NUMBERS_MAX 16384
// Accounts that are compared, in capture order. Not smaller: a conference has some dozen receivers.
// Not larger: each walks all intervals of the stream.
#define COMPARED_MAX 64

// Numbers from `begin` up to `end`, not included: lower bits of the extended ones.
struct span {
    uint32_t begin, end;
    bool is_known;
};

// The highest number at a time, as far as intervals tell.
static bool highest_at(const struct stream *s, int64_t time_ns, uint32_t *highest)
{
    bool has_any = false;
    uint32_t end_ext = s->first_ext - 1u;
    struct interval_walk w;
    const struct stream_interval *i = interval_first(&w, s->last_block, s->interval_count);
    for (; i; i = interval_next(&w)) {
        struct interval_numbers n = interval_numbers(i);
        end_ext += n.numbers;
        if ((uint64_t)n.packets + n.lacks.lost > NUMBERS_MAX) {
            return false;
        }
        if (!has_any || s->start_ns + (int64_t)i->index * STREAM_INTERVAL_NS <= time_ns) {
            *highest = end_ext;
            has_any = true;
        }
    }
    return has_any;
}

// What follows the number that a report has as its highest, among ours.
static bool end_of(const struct stream *s, const struct rtcp_report *r, struct order at,
                   uint32_t *end)
{
    uint32_t highest;
    if (s->start_ns <= TIME_NOT_KNOWN_NS || !highest_at(s, at.time_ns, &highest)) {
        return false;
    }
    *end = highest + (uint32_t)(int16_t)(uint16_t)(r->highest_sequence - highest) + 1;
    return true;
}

// The numbers that an account covers, and how many of them its receiver lost.
static struct span span_of(const struct stream *s, const struct control_about *a, bool from_start,
                           int32_t *lost)
{
    struct span n = {.begin = s->base_ext};
    bool is_known = end_of(s, &a->newest, a->newest_at, &n.end);
    *lost = a->newest.lost;
    if (!from_start) {
        is_known = is_known && end_of(s, &a->first_report, a->first_report_at, &n.begin) &&
                   n.end - n.begin == control_about_expected(a);
        *lost = control_about_lost(a);
    }
    n.is_known = is_known && (int32_t)(n.end - n.begin) > 0;
    return n;
}

// Least and most of these numbers that the capture may lack.
static void lacking(const struct stream *s, struct span n, uint64_t *least, uint64_t *most)
{
    uint32_t begin = s->base_ext;
    uint32_t end = s->first_ext;
    *least = *most = 0;
    struct interval_walk w;
    const struct stream_interval *i = interval_first(&w, s->last_block, s->interval_count);
    for (; i; i = interval_next(&w)) {
        struct interval_numbers in = interval_numbers(i);
        end += in.numbers;
        bool is_inside = (int32_t)(begin - n.begin) >= 0 && (int32_t)(n.end - end) >= 0;
        bool reaches_in = (int32_t)(end - n.begin) > 0 && (int32_t)(n.end - begin) > 0;
        *least += is_inside ? in.lacks.lost : 0;
        *most += reaches_in ? in.lacks.lost : 0;
        begin = end;
    }
    if ((int32_t)(n.end - begin) > 0) { // received, and behind the last one that was captured
        *least += n.end - begin;
        *most += n.end - begin;
    }
    // These came, but nobody knows which of the numbers they were.
    uint32_t too_late = stream_extras(s)->too_late;
    *least = *least > too_late ? *least - too_late : 0;
}

static bool is_clear(uint64_t more, uint64_t less, uint64_t expected)
{
    return more >= less + CLEAR_PACKETS && (more - less) * 100 >= expected * CLEAR_PERCENT;
}

// Returns true where it made a finding.
static bool compare(const struct stream *s, const struct control_about *a, bool from_start,
                    struct finding_list *out)
{
    int32_t growth;
    struct span n = span_of(s, a, from_start, &growth);
    if (!n.is_known) {
        return false;
    }
    uint64_t expected = n.end - n.begin;
    uint64_t lost = growth > 0 ? (uint64_t)growth : 0;
    uint64_t least;
    uint64_t most;
    lacking(s, n, &least, &most);
    // Copies that the network made count as received; so many losses may hide behind them.
    const struct stream_extras *x = stream_extras(s);
    uint64_t copies = x->duplicates > x->capture_copies ? x->duplicates - x->capture_copies : 0;
    if (is_clear(lost, most, expected)) {
        findings_add_format(out, "loss_not_captured", SIDETONE_WARNING, a->newest_at.at,
                            "Its receiver lost %" PRIu64 " of %" PRIu64
                            " packets, the capture lacks %" PRIu64
                            " of them: they were lost behind the capture point.",
                            lost, expected, most);
        return true;
    }
    if (is_clear(least, lost + copies, expected)) {
        findings_add_format(out, "capture_loss", SIDETONE_WARNING, a->newest_at.at,
                            "The capture lacks %" PRIu64 " of %" PRIu64
                            " packets, its receiver lost %" PRIu64
                            " of them: the capture lost packets, not the network.",
                            least, expected, lost);
        return true;
    }
    return false;
}

void findings_of_control(const struct stream *s, const struct control_sender *senders,
                         const struct control_about *reports, struct finding_list *out)
{
    bool from_start = control_saw_start(s, senders);
    const struct control_about *a = reports;
    for (int i = 0; a && i < COMPARED_MAX; i++, a = a->of_stream) {
        if (a->reports > 0 && compare(s, a, from_start && a == reports, out)) {
            return;
        }
    }
}
