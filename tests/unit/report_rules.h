// What is always true of a report, whatever the capture: sums, ranges, and that everything that is
// named exists.
#ifndef SIDETONE_TESTS_REPORT_RULES_H
#define SIDETONE_TESTS_REPORT_RULES_H

#include "listen/report.h"
#include "sidetone/read.h"

#include <math.h>

static uint64_t rules_faults;
static void (*rules_tell)(const char *what); // hears of each fault

static inline void rules_fault(const char *what)
{
    rules_faults++;
    rules_tell(what);
}

static inline void check_capture(const struct sidetone_capture *c)
{
    uint64_t sum = c->analysed;
    for (size_t i = 0; i < c->not_analysed_count; i++) {
        sum += c->not_analysed[i].count;
    }
    // The sum alone would hold where more was not analysed than there is: numbers wrap.
    if (sum != c->packets || c->analysed > c->packets) {
        rules_fault("the ledger does not sum up");
    }
    if (c->first_ns > c->last_ns) {
        rules_fault("the capture ends before it begins");
    }
}

static inline uint64_t sum_of_reasons(const struct record_counts *c)
{
    uint64_t sum = 0;
    for (int i = 0; i < REASON_COUNT; i++) {
        sum += c->reasons[i];
    }
    return sum;
}

// Who decodes a packet, or puts it together, says once what it is; then its connection may.
static inline void check_counts(const struct engine *e, const struct sidetone_capture *c)
{
    uint64_t streams = 0;
    for (unsigned bin = 0; bin < BINS; bin++) {
        streams += sum_of_reasons(&e->connections[bin].output.counts);
    }
    uint64_t first = sum_of_reasons(&e->totals.counts) - streams;
    if (first + e->totals.undescribed != e->totals.packets) {
        rules_fault("packets are not accounted for once");
    }
    // A segment of a connection may have many messages.
    if (streams == 0 && c->sip_messages + c->rtp_packets + c->rtcp_packets > c->packets) {
        rules_fault("more messages than packets");
    }
}

static inline void check_call(const struct sidetone_report *r, const struct sidetone_call *c)
{
    for (size_t i = 0; i < c->stream_count; i++) {
        if (c->streams[i] >= sidetone_report_streams(r)) {
            rules_fault("a call has a stream that does not exist");
        }
    }
    if (c->retransmissions >= c->messages && c->messages > 0) {
        rules_fault("a call of retransmissions alone");
    }
    if (c->end_ns < c->start_ns || (c->duration_ns < 0 && c->duration_ns != SIDETONE_UNKNOWN)) {
        rules_fault("a call ends before it begins");
    }
    if (c->branch_count == 1 || c->hop_count == 1) {
        rules_fault("a list of one");
    }
}

// What a listener lacks: lost or discarded, in runs, of which some make bursts.
static inline void check_lacking(const struct sidetone_stream *s)
{
    uint64_t lacking = s->lost + s->discarded;
    if (s->discarded > s->unique || s->loss_runs > lacking || s->loss_run_max > lacking ||
        s->loss_runs * s->loss_run_max + s->recovered < lacking || 2 * s->bursts > lacking) {
        rules_fault("runs and bursts are not of what is lacking");
    }
    if (isnan(s->burst_percent) != (s->bursts == 0) || s->burst_percent < 100.0 / STREAM_GMIN ||
        s->burst_percent > 100 || s->gap_percent < 0 || s->gap_percent > 50) {
        rules_fault("density of bursts or gaps out of range");
    }
    if (s->gap_max_ns != SIDETONE_UNKNOWN && (s->gap_max_ns <= 0 || s->loss_run_max == 0)) {
        rules_fault("a gap of nothing");
    }
    double worst = INFINITY;
    int64_t worst_interval = -1;
    for (size_t i = 0; i < s->interval_count; i++) {
        worst_interval = s->intervals[i].mos < worst ? (int64_t)i : worst_interval;
        worst = s->intervals[i].mos < worst ? s->intervals[i].mos : worst;
    }
    if (worst_interval != s->worst_interval) {
        rules_fault("the worst interval is another");
    }
}

static inline bool is_share(double percent)
{
    return isnan(percent) || (percent >= 0 && percent <= 100);
}

static inline void check_rtcp(const struct sidetone_rtcp *r)
{
    if (r->packets == 0 || (r->sender_reports > 0 && r->packets < 1)) {
        rules_fault("RTCP without a packet");
    }
    if ((r->reports == 0) != (r->lost == SIDETONE_UNKNOWN) ||
        (r->reports == 0) != (bool)isnan(r->fraction_max_percent)) {
        rules_fault("losses without a report, or a report without them");
    }
    if (!is_share(r->fraction_max_percent) || !is_share(r->xr_loss_percent) ||
        !is_share(r->lost_percent) || r->jitter_ms > r->jitter_max_ms) {
        rules_fault("a share or jitter of RTCP out of range");
    }
    if (isnan(r->rtt_ms) != isnan(r->rtt_max_ms) || isnan(r->rtt_ms) != isnan(r->one_way_ms) ||
        r->rtt_ms < 0 || r->rtt_ms > r->rtt_max_ms * (1 + 1e-9) || r->rtt_max_ms > 20000) {
        rules_fault("a round trip that cannot be");
    }
    if (r->sent_packets < 0 && r->sent_packets != SIDETONE_UNKNOWN) {
        rules_fault("fewer packets sent than none");
    }
}

static inline void check_extras(const struct sidetone_report *r, const struct sidetone_call *c)
{
    for (size_t i = 0; i < c->hop_count; i++) {
        const struct sidetone_hop *h = &c->hops[i];
        bool is_none = h->delay_ns == SIDETONE_UNKNOWN && h->delay_max_ns == SIDETONE_UNKNOWN;
        if (!is_none && (h->delay_ns < 0 || h->delay_max_ns < h->delay_ns)) {
            rules_fault("a delay out of range");
        }
    }
    for (size_t i = 0; i < c->transfer_count; i++) {
        const struct sidetone_transfer *t = &c->transfers[i];
        if (!t->by || t->call < -1 || t->call >= (int64_t)sidetone_report_calls(r)) {
            rules_fault("a transfer by nobody, or to a call that does not exist");
        }
        for (size_t k = 0; k < t->status_count; k++) {
            if (t->statuses[k] < 100 || t->statuses[k] > 699) {
                rules_fault("a status that is none");
            }
        }
    }
    for (size_t i = 0; i < c->report_count; i++) {
        bool is_in_order = i == 0 || c->reports[i].packet.file != c->reports[i - 1].packet.file ||
                           c->reports[i].packet.record >= c->reports[i - 1].packet.record;
        if (!is_in_order || c->reports[i].mos_lq < 1 || c->reports[i].loss_percent > 100) {
            rules_fault("reports out of order, or with numbers out of range");
        }
    }
}

static inline void check_stream(const struct sidetone_report *r, const struct sidetone_stream *s)
{
    uint64_t packets = 0, lost = 0, discarded = 0, in_segments = 0;
    for (size_t i = 0; i < s->interval_count; i++) {
        packets += s->intervals[i].packets;
        lost += s->intervals[i].lost;
        discarded += s->intervals[i].discarded;
    }
    for (size_t i = 0; i < s->segment_count; i++) {
        in_segments += s->segments[i].packets;
    }
    if (s->packets != s->unique + s->duplicates + s->too_late) {
        rules_fault("packets are not unique + duplicates + too_late");
    }
    if (s->unique > s->expected || s->lost != s->expected - s->unique) {
        rules_fault("lost is not expected - unique");
    }
    if (packets != s->packets || lost != s->lost || discarded != s->discarded) {
        rules_fault("intervals do not sum up to the stream");
    }
    if (in_segments > s->packets) {
        rules_fault("more packets in segments than in the stream");
    }
    if (s->call < -1 || s->call >= (int64_t)sidetone_report_calls(r)) {
        rules_fault("a stream has a call that does not exist");
    }
    if (s->jitter_ms < 0 || s->jitter_ms > s->jitter_max_ms || s->mos < 1 || s->mos > 4.5) {
        rules_fault("jitter or MOS out of range");
    }
    if (s->rtcp) {
        check_rtcp(s->rtcp);
    }
    if ((s->mos_missing == NULL) == (bool)isnan(s->mos) || s->end_ns < s->start_ns) {
        rules_fault("a MOS without a reason, or an end before the start");
    }
    check_lacking(s);
}

static inline void rules_check(const struct sidetone_report *r, struct sidetone_scratch *scratch)
{
    check_capture(sidetone_report_capture(r));
    check_counts(&r->engine, sidetone_report_capture(r));
    for (size_t i = 0; i < sidetone_report_calls(r); i++) {
        struct sidetone_call call;
        sidetone_report_call(r, i, scratch, &call);
        check_call(r, &call);
        check_extras(r, &call);
    }
    for (size_t i = 0; i < sidetone_report_streams(r); i++) {
        struct sidetone_stream stream;
        sidetone_report_stream(r, i, scratch, &stream);
        check_stream(r, &stream);
    }
}

#endif
