// The public view of what RTCP says of a stream.
#include "listen/view.h"
#include "track/control_sum.h"

#include <math.h>

static void view_extended(const struct control_xr *xr, double ticks_per_ms,
                          struct sidetone_rtcp *out)
{
    out->xr_reports = xr->blocks;
    out->xr_lost = xr->has_lost ? (int64_t)xr->lost : SIDETONE_UNKNOWN;
    out->xr_duplicates = xr->has_duplicates ? (int64_t)xr->duplicates : SIDETONE_UNKNOWN;
    out->xr_rle_lost = xr->has_rle ? (int64_t)xr->rle_lost : SIDETONE_UNKNOWN;
    out->xr_rle_longest = xr->has_rle ? (int64_t)xr->rle_longest : SIDETONE_UNKNOWN;
    out->xr_jitter_ms =
        xr->jitter_count > 0 ? xr->jitter_sum / (double)xr->jitter_count / ticks_per_ms : NAN;
    const struct rtcp_xr_voip *v = &xr->voip;
    bool has = xr->has_voip;
    out->xr_loss_percent = has ? v->loss_percent : NAN;
    out->xr_discard_percent = has ? v->discard_percent : NAN;
    out->xr_burst_percent = has ? v->burst_percent : NAN;
    out->xr_gap_percent = has ? v->gap_percent : NAN;
    out->xr_burst_ms = has ? v->burst_ms : NAN;
    out->xr_gap_ms = has ? v->gap_ms : NAN;
    out->xr_round_trip_ms = has ? v->round_trip_ms : NAN;
    out->xr_end_system_ms = has ? v->end_system_ms : NAN;
    out->xr_r_factor = has ? v->r_factor : NAN;
    out->xr_mos_lq = has ? v->mos_lq : NAN;
    out->xr_mos_cq = has ? v->mos_cq : NAN;
    out->xr_signal_dbm = has ? v->signal_dbm : NAN;
    out->xr_noise_dbm = has ? v->noise_dbm : NAN;
    out->xr_rerl_db = has ? v->rerl_db : NAN;
    out->xr_buffer_ms = has ? v->buffer_ms : NAN;
    out->xr_buffer_max_ms = has ? v->buffer_max_ms : NAN;
}

void view_rtcp(const struct report_stream *at, uint32_t clock_hz, struct sidetone_scratch *s,
               struct sidetone_stream *out)
{
    const struct control_of_stream *c = &at->control;
    if (!c->senders && !c->reports) {
        return;
    }
    struct control_sum sum;
    control_sum(&sum, at->stream, c->senders, c->reports, c->replies);
    double ticks_per_ms = clock_hz > 0 ? clock_hz / 1000.0 : NAN; // not known: no jitter either
    struct sidetone_rtcp *r = ARENA_NEW(&s->arena, struct sidetone_rtcp);
    *r = (struct sidetone_rtcp){
        .packets = sum.packets,
        .sender_reports = sum.sender_reports,
        .reports = sum.reports,
        .sent_packets = count_view(sum.sent_packets),
        .sent_bytes = count_view(sum.sent_octets),
        .lost = sum.reports > 0 ? sum.lost : SIDETONE_UNKNOWN,
        .lost_percent = sum.lost_percent,
        .fraction_max_percent = sum.reports > 0 ? 100.0 * sum.fraction_max / 256 : NAN,
        .jitter_ms = sum.jitter / ticks_per_ms,
        .jitter_max_ms = sum.reports > 0 ? sum.jitter_max / ticks_per_ms : NAN,
        .rtt_ms = sum.round_trip_ns / 1e6,
        .rtt_max_ms = sum.round_trip_max_ns / 1e6,
        .one_way_ms = sum.round_trip_ns / 2e6,
        .has_bye = sum.has_bye,
        .cname = text_view(sum.cname),
    };
    view_extended(&sum.xr, ticks_per_ms, r);
    out->rtcp = r;
}
