// The report for people: what stands below a call in the list, where there is something to say.
#include "show/report_text_parts.h"

// Entries of one kind below a call, without --all.
#define FACTS_SHOWN 4

static size_t shown_of(const struct page *p, size_t count)
{
    return p->options->all || count < FACTS_SHOWN ? count : FACTS_SHOWN;
}

static void put_more(struct output *out, size_t count, size_t shown)
{
    if (count > shown) {
        OUTPUT(out, " and ");
        put_grouped(out, count - shown);
        OUTPUT(out, " more");
    }
}

static bool is_same(const struct sidetone_endpoint *a, const struct sidetone_endpoint *b)
{
    return a->port == b->port && memcmp(a->address, b->address, sizeof a->address) == 0;
}

// "hops: 192.0.2.1:5060 → 192.0.2.9:5060 → 192.0.2.2:5060 after 1.5 ms (at most 2.0 ms)"
static void hops_line(const struct page *p, const struct sidetone_call *c, unsigned indent)
{
    size_t shown = shown_of(p, c->hop_count);
    if (shown == 0) {
        return;
    }
    struct output *out = page_faint_begin(p, indent);
    for (size_t i = 0; i < shown; i++) {
        const struct sidetone_hop *h = &c->hops[i];
        if (i == 0 || !is_same(&h->src, &c->hops[i - 1].dst)) {
            put_str(out, i == 0 ? "hops: " : ", ");
            put_endpoint(out, &h->src);
        }
        OUTPUT(out, " \xe2\x86\x92 "); // an arrow
        put_endpoint(out, &h->dst);
        if (h->delay_ns != SIDETONE_UNKNOWN) {
            OUTPUT(out, " after ");
            put_duration(out, h->delay_ns);
            if (h->delay_max_ns != SIDETONE_UNKNOWN && h->delay_max_ns > h->delay_ns) {
                OUTPUT(out, " (at most ");
                put_duration(out, h->delay_max_ns);
                OUTPUT(out, ")");
            }
        }
    }
    put_more(out, c->hop_count, shown);
    page_faint_end(p);
}

// "held by callee for 750 ms, by caller to its end"
static void holds_line(const struct page *p, const struct sidetone_call *c, unsigned indent)
{
    size_t shown = shown_of(p, c->hold_count);
    if (shown == 0) {
        return;
    }
    struct output *out = page_faint_begin(p, indent);
    for (size_t i = 0; i < shown; i++) {
        const struct sidetone_hold *h = &c->holds[i];
        put_str(out, i == 0 ? "held" : ",");
        if (h->by) {
            OUTPUT(out, " by ");
            put_str(out, h->by);
        }
        if (h->duration_ns != SIDETONE_UNKNOWN) {
            OUTPUT(out, " for ");
            put_duration(out, h->duration_ns);
        }
    }
    put_more(out, c->hold_count, shown);
    page_faint_end(p);
}

// "transferred by caller to sip:carol@example.com: 100 200, call 5"
static void transfers_lines(const struct page *p, const struct sidetone_call *c, unsigned indent)
{
    size_t shown = shown_of(p, c->transfer_count);
    for (size_t i = 0; i < shown; i++) {
        const struct sidetone_transfer *t = &c->transfers[i];
        struct output *out = page_faint_begin(p, indent);
        OUTPUT(out, "transferred");
        if (t->by) {
            OUTPUT(out, " by ");
            put_str(out, t->by);
        }
        if (t->refer_to.n > 0) {
            OUTPUT(out, " to ");
            put_safe(out, text_slice(t->refer_to), TABLE_CELL_COLUMNS);
        }
        for (size_t k = 0; k < t->status_count && k < FACTS_SHOWN; k++) {
            put_str(out, k == 0 ? ": " : " ");
            put_u64(out, t->statuses[k]);
        }
        if (t->call >= 0) {
            OUTPUT(out, ", call ");
            put_u64(out, (uint64_t)t->call);
        }
        put_more(out, i + 1 == shown ? c->transfer_count : 0, shown);
        page_faint_end(p);
    }
}

static void dtmf_line(const struct page *p, const struct sidetone_call *c, unsigned indent)
{
    if (c->dtmf.n > 0) {
        struct output *out = page_faint_begin(p, indent);
        OUTPUT(out, "DTMF by INFO ");
        put_safe(out, text_slice(c->dtmf), 64);
        page_faint_end(p);
    }
}

// --- what endpoints reported ---

static void part(struct output *out, const char **separator, double value, unsigned digits,
                 const char *before, const char *after)
{
    if (value == value) {
        put_str(out, *separator);
        put_str(out, before);
        put_decimal(out, value, digits);
        put_str(out, after);
        *separator = ", ";
    }
}

// "callee reports (vq-rtcpxr): 4.00 % lost, jitter 3.3 ms, round trip 80.0 ms, MOS 3.90"
static void reports_lines(const struct page *p, const struct sidetone_call *c, unsigned indent)
{
    size_t shown = shown_of(p, c->report_count);
    for (size_t i = 0; i < shown; i++) {
        const struct sidetone_endpoint_report *r = &c->reports[i];
        const char *separator = ": ";
        struct output *out = page_faint_begin(p, indent);
        put_str(out, r->by ? r->by : "somebody");
        OUTPUT(out, " reports (");
        put_str(out, r->format ? r->format : "?");
        OUTPUT(out, ")");
        part(out, &separator, r->loss_percent, 2, "", " % lost");
        part(out, &separator, r->discard_percent, 2, "", " % discarded");
        part(out, &separator, r->jitter_ms, 1, "jitter ", " ms");
        part(out, &separator, r->round_trip_ms, 1, "round trip ", " ms");
        part(out, &separator, r->mos_lq, 2, "MOS ", "");
        if (r->packets_lost != SIDETONE_UNKNOWN && r->loss_percent != r->loss_percent &&
            r->packets_lost >= 0) {
            put_str(out, separator);
            put_grouped(out, (uint64_t)r->packets_lost);
            OUTPUT(out, " lost");
        }
        put_more(out, i + 1 == shown ? c->report_count : 0, shown);
        page_faint_end(p);
    }
}

void page_call_facts(const struct page *p, const struct sidetone_call *c, unsigned indent)
{
    hops_line(p, c, indent);
    holds_line(p, c, indent);
    transfers_lines(p, c, indent);
    dtmf_line(p, c, indent);
    reports_lines(p, c, indent);
}
