// Adding up the accounts of a stream: mostly one of each kind.
#include "track/control_sum.h"

#include <math.h>

// --- the beginning ---

bool control_saw_start(const struct stream *s, const struct control_sender *sender)
{
    if (s->offered_ns != TIME_NOT_SEEN) {
        return true;
    }
    if (!sender || !sender->has_counts || sender->first_report_ns <= TIME_NOT_KNOWN_NS ||
        s->start_ns <= TIME_NOT_KNOWN_NS) {
        return false;
    }
    double span_ns = (double)(stream_end_ns(s) - s->start_ns) + 1;
    double until_ns = (double)(sender->first_report_ns - s->start_ns);
    until_ns = until_ns < 0 ? 0 : until_ns > span_ns ? span_ns : until_ns;
    double seen = (double)stream_expected(s) * until_ns / span_ns;
    return sender->first_packets <= seen + STREAM_BASE_SLACK;
}

// --- senders ---

static void add_sent(struct control_sum *out, const struct stream *s,
                     const struct control_sender *c, bool is_first)
{
    bool has_start = is_first && control_saw_start(s, c);
    if (!c->has_counts || (c->reports < 2 && !has_start)) {
        return;
    }
    uint64_t packets = c->grown_packets + (has_start ? c->first_packets : 0);
    uint64_t octets = c->grown_octets + (has_start ? c->first_octets : 0);
    out->sent_packets = (out->sent_packets < 0 ? 0 : out->sent_packets) + (int64_t)packets;
    out->sent_octets = (out->sent_octets < 0 ? 0 : out->sent_octets) + (int64_t)octets;
}

static void add_senders(struct control_sum *out, const struct stream *s,
                        const struct control_sender *senders)
{
    for (const struct control_sender *c = senders; c; c = c->of_stream) {
        out->packets += c->packets;
        out->sender_reports += c->reports;
        out->has_bye = out->has_bye || c->has_bye;
        out->cname = c->cname.n > 0 ? c->cname : out->cname;
        add_sent(out, s, c, c == senders);
    }
}

// --- reports ---

static void add_xr(struct control_sum *out, const struct control_about *a, struct order *newest)
{
    const struct control_xr *xr = a->xr;
    if (!xr) {
        return;
    }
    out->xr.blocks += xr->blocks;
    out->xr.lost += xr->lost;
    out->xr.duplicates += xr->duplicates;
    out->xr.rle_lost += xr->rle_lost;
    out->xr.rle_longest =
        xr->rle_longest > out->xr.rle_longest ? xr->rle_longest : out->xr.rle_longest;
    out->xr.has_lost = out->xr.has_lost || xr->has_lost;
    out->xr.has_duplicates = out->xr.has_duplicates || xr->has_duplicates;
    out->xr.has_rle = out->xr.has_rle || xr->has_rle;
    out->xr.jitter_sum += xr->jitter_sum;
    out->xr.jitter_count += xr->jitter_count;
    if (xr->has_voip && (!out->xr.has_voip || order_before(*newest, a->last))) {
        out->xr.has_voip = true;
        out->xr.voip = xr->voip;
        *newest = a->last;
    }
}

// Growth, since what was lost before is perhaps not in this capture; of a single report the share
// that it says itself.
static double percent_lost(double lost, double expected, const struct control_about *newest)
{
    if (expected > 0) {
        double percent = 100 * lost / expected;
        return percent < 0 ? 0 : percent > 100 ? 100 : percent; // copies, and counts that lie
    }
    return newest ? 100.0 * newest->newest.fraction / 256 : NAN;
}

static void add_reports(struct control_sum *out, const struct control_about *reports)
{
    const struct control_about *newest = NULL;
    struct order newest_voip = {0, 0};
    double jitter_sum = 0;
    double lost = 0;
    double expected = 0;
    for (const struct control_about *a = reports; a; a = a->of_stream) {
        out->packets += a->packets;
        out->reports += a->reports;
        add_xr(out, a, &newest_voip);
        if (a->reports == 0) {
            continue;
        }
        out->fraction_max =
            a->fraction_max > out->fraction_max ? a->fraction_max : out->fraction_max;
        out->jitter_max = a->jitter_max > out->jitter_max ? a->jitter_max : out->jitter_max;
        jitter_sum += a->jitter_sum;
        lost += control_about_lost(a);
        expected += control_about_expected(a);
        newest = !newest || order_before(newest->newest_at, a->newest_at) ? a : newest;
    }
    out->lost = newest ? newest->newest.lost : 0;
    out->lost_percent = percent_lost(lost, expected, newest);
    out->jitter = out->reports > 0 ? jitter_sum / (double)out->reports : NAN;
}

// --- round trips ---

struct half {
    double sum_ns, max_ns;
    uint64_t count;
};

static void add_half(struct half *h, const struct control_about *a)
{
    h->sum_ns += a->round_trip_sum_ns;
    h->count += a->round_trips;
    h->max_ns = (double)a->round_trip_max_ns > h->max_ns ? (double)a->round_trip_max_ns : h->max_ns;
}

static void add_round_trips(struct control_sum *out, const struct control_about *reports,
                            const struct control_about *replies)
{
    struct half far = {0, 0, 0};
    struct half near = {0, 0, 0};
    for (const struct control_about *a = reports; a; a = a->of_stream) {
        add_half(&far, a);
    }
    for (const struct control_about *a = replies; a; a = a->by_stream) {
        add_half(&near, a);
    }
    out->round_trip_ns = out->round_trip_max_ns = NAN;
    if (far.count + near.count > 0) {
        out->round_trip_ns = (far.count > 0 ? far.sum_ns / (double)far.count : 0) +
                             (near.count > 0 ? near.sum_ns / (double)near.count : 0);
        out->round_trip_max_ns = far.max_ns + near.max_ns;
    }
}

void control_sum(struct control_sum *out, const struct stream *s,
                 const struct control_sender *senders, const struct control_about *reports,
                 const struct control_about *replies)
{
    *out = (struct control_sum){.sent_packets = -1, .sent_octets = -1};
    add_senders(out, s, senders);
    add_reports(out, reports);
    add_round_trips(out, reports, replies);
}
