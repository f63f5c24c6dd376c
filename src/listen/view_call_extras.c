// The public view of what few calls have: several hops, transfers, digits by INFO, reports of
// endpoints.
#include "listen/view.h"

#include "track/call_extras.h"
#include "track/call_hops.h"

void view_hops(const struct call *c, struct sidetone_scratch *s, struct sidetone_call *out)
{
    const struct call_hop *ordered[CALL_HOPS_MAX];
    if (c->hop_count < 2) {
        return;
    }
    struct sidetone_hop *list = ARENA_ARRAY(&s->arena, struct sidetone_hop, c->hop_count);
    out->hop_count = call_hops_in_order(c, ordered);
    for (size_t i = 0; i < out->hop_count; i++) {
        const struct call_hop *h = ordered[i];
        const struct call_hop_delay *d = call_hop_delay(c, h);
        list[i] = (struct sidetone_hop){
            .src = endpoint_view(h->src),
            .dst = endpoint_view(h->dst),
            .messages = h->messages,
            .delay_ns = d ? d->sum_ns / d->count : SIDETONE_UNKNOWN,
            .delay_max_ns = d ? d->max_ns : SIDETONE_UNKNOWN,
        };
    }
    out->hops = list;
}

static void view_transfers(const struct call *c, struct sidetone_scratch *s,
                           struct sidetone_call *out)
{
    struct sidetone_transfer *list =
        ARENA_ARRAY(&s->arena, struct sidetone_transfer, CALL_TRANSFERS_MAX);
    for (const struct call_transfer *t = c->extras->transfers; t; t = t->next) {
        list[out->transfer_count++] = (struct sidetone_transfer){
            .by = side_name(t->by),
            .refer_to = text_view(t->refer_to),
            .call = t->made,
            .statuses = t->statuses,
            .status_count = t->status_count,
        };
    }
    out->transfers = list;
}

static struct sidetone_endpoint_report report_view(const struct call_report *r)
{
    static const char *const FORMATS[] = {"vq-rtcpxr", "X-RTP-Stat", "P-RTP-Stat", "RTP-RxStat",
                                          "RTP-TxStat"};
    const struct media_report *n = &r->numbers;
    return (struct sidetone_endpoint_report){
        .format = FORMATS[r->format],
        .by = side_name(r->by),
        .packet = {order_file(r->order), order_record(r->order)},
        .local = text_view(kept_text(&r->local)),
        .remote = text_view(kept_text(&r->remote)),
        .codec = text_view(kept_text(&r->codec)),
        .ssrc = count_view(n->ssrc),
        .packets_sent = count_view(n->packets_sent),
        .packets_received = count_view(n->packets_received),
        .packets_lost = count_view(n->packets_lost),
        .loss_percent = n->loss_percent,
        .discard_percent = n->discard_percent,
        .jitter_ms = n->jitter_ms,
        .round_trip_ms = n->round_trip_ms,
        .one_way_ms = n->one_way_ms,
        .end_system_ms = n->end_system_ms,
        .mos_lq = n->mos_lq,
        .mos_cq = n->mos_cq,
        .r_factor = n->r_factor,
    };
}

static void view_reports(const struct call *c, struct sidetone_scratch *s,
                         struct sidetone_call *out)
{
    struct sidetone_endpoint_report *list =
        ARENA_ARRAY(&s->arena, struct sidetone_endpoint_report, c->extras->report_count);
    for (const struct call_report *r = c->extras->reports; r; r = r->next) {
        list[out->report_count++] = report_view(r);
    }
    out->reports = list;
}

void view_extras(const struct call *c, struct sidetone_scratch *s, struct sidetone_call *out)
{
    if (!c->extras) {
        return;
    }
    if (c->extras->transfers) {
        view_transfers(c, s, out);
    }
    if (c->extras->digits) {
        out->dtmf = (struct sidetone_text){c->extras->digits->text, c->extras->digits->count};
    }
    if (c->extras->reports) {
        view_reports(c, s, out);
    }
}
