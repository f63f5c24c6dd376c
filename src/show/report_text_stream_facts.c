// The report for people: what stands below a stream in the list, where there is something to say.
#include "show/report_text_parts.h"

#include "show/number.h"
#include "show/thresholds.h"

#define INDICATORS_SHOWN 6

// A line of facts below a row: begun by the first of them.
struct facts {
    const struct page *page;
    unsigned indent;
    bool has_begun;
};

static struct output *fact(struct facts *f)
{
    struct output *out = f->page->out;
    if (f->has_begun) {
        OUTPUT(out, " \xc2\xb7 "); // a middle dot
    } else {
        page_faint_begin(f->page, f->indent);
        f->has_begun = true;
    }
    return out;
}

static void end_line(struct facts *f)
{
    if (f->has_begun) {
        page_faint_end(f->page);
        f->has_begun = false;
    }
}

static void counter(struct facts *f, uint64_t count, const char *one, const char *many)
{
    if (count > 0) {
        put_count(fact(f), count, one, many);
    }
}

static bool is_known(double value)
{
    return value == value;
}

static void put_ms(struct output *out, double ms)
{
    put_decimal(out, ms, 1);
    OUTPUT(out, " ms");
}

// --- what identifies it elsewhere, and what no column holds ---

static void codecs(struct facts *f, const struct sidetone_stream *s)
{
    if (s->segment_count == 0) {
        return;
    }
    struct output *out = fact(f);
    OUTPUT(out, "codecs");
    for (size_t i = 0; i < s->segment_count && i < 4; i++) {
        OUTPUT(out, " ");
        put_safe(out, text_slice(s->segments[i].codec), 20);
    }
}

static void identity_line(struct facts *f, const struct sidetone_stream *s)
{
    if (s->has_ssrc) {
        struct output *out = fact(f);
        OUTPUT(out, "SSRC ");
        output_took(out, number_hex32(output_room(out, NUMBER_BYTES), s->ssrc));
    }
    if (s->branch >= 0) {
        struct output *out = fact(f);
        OUTPUT(out, "branch ");
        put_u64(out, (uint64_t)s->branch);
    }
    counter(f, s->bursts, "loss burst", "loss bursts");
    counter(f, s->reordered, "packet out of order", "packets out of order");
    counter(f, s->duplicates, "duplicate", "duplicates");
    counter(f, s->too_late, "packet too late", "packets too late");
    counter(f, s->recovered, "packet recovered", "packets recovered");
    codecs(f, s);
    if (s->dtmf.n > 0) {
        struct output *out = fact(f);
        OUTPUT(out, "DTMF ");
        put_safe(out, text_slice(s->dtmf), 32);
    }
    if (s->encrypted) {
        struct output *out = fact(f);
        OUTPUT(out, "encrypted");
        if (s->encrypted_by && strcmp(s->encrypted_by, "look") == 0) {
            OUTPUT(out, " by its look");
        }
    }
    if (s->call >= 0 && !s->is_announced) {
        OUTPUT(fact(f), "to an address that was not announced (NAT)");
    }
    if (s->mos_missing) {
        struct output *out = fact(f);
        OUTPUT(out, "no MOS: ");
        put_str(out, s->mos_missing);
    }
    end_line(f);
}

// --- quality ---

// "worst 5 s from 22:13:25: MOS 2.10", where they are worse than the whole and worth a look.
static void worst_interval(struct facts *f, const struct sidetone_stream *s)
{
    if (s->worst_interval < 0 || (uint64_t)s->worst_interval >= s->interval_count) {
        return;
    }
    const struct sidetone_interval *i = &s->intervals[s->worst_interval];
    if (!(i->mos < MOS_WORTH_RANKING) || i->mos > s->mos - MOS_DIFFERENCE) {
        return;
    }
    struct output *out = fact(f);
    OUTPUT(out, "worst 5 s");
    if (i->start_ns != SIDETONE_UNKNOWN) {
        OUTPUT(out, " from ");
        output_took(out, number_clock(output_room(out, NUMBER_BYTES), i->start_ns) - 4);
    }
    OUTPUT(out, ": MOS ");
    put_decimal(out, i->mos, 2);
}

static void quality_line(struct facts *f, const struct sidetone_stream *s)
{
    worst_interval(f, s);
    if (s->gap_max_ns != SIDETONE_UNKNOWN && s->gap_max_ns >= HOLE_WORTH_SAYING_NS) {
        struct output *out = fact(f);
        OUTPUT(out, "longest hole ");
        put_duration(out, s->gap_max_ns);
    }
    if (s->mos_model && strcmp(s->mos_model, "G.107") != 0) {
        struct output *out = fact(f);
        OUTPUT(out, "MOS by ");
        put_str(out, s->mos_model);
    }
    if (s->mos_doubt) {
        struct output *out = fact(f);
        OUTPUT(out, "MOS may say too little: ");
        put_str(out, s->mos_doubt);
    }
    end_line(f);
}

// "RTCP: round trip 80.0 ms, longest 95.3 ms, 4.50 % reported lost".
static void rtcp_line(struct facts *f, const struct sidetone_rtcp *r)
{
    if (!r || (!is_known(r->rtt_ms) && !is_known(r->lost_percent) && r->xr_reports == 0)) {
        return;
    }
    const char *separator = "RTCP: ";
    struct output *out = fact(f);
    if (is_known(r->rtt_ms)) {
        put_str(out, separator);
        OUTPUT(out, "round trip ");
        put_ms(out, r->rtt_ms);
        OUTPUT(out, ", longest ");
        put_ms(out, r->rtt_max_ms);
        separator = ", ";
    }
    if (is_known(r->lost_percent)) {
        put_str(out, separator);
        put_percent(out, r->lost_percent);
        OUTPUT(out, " reported lost");
        separator = ", ";
    }
    if (is_known(r->xr_mos_lq)) {
        put_str(out, separator);
        OUTPUT(out, "reported MOS ");
        put_decimal(out, r->xr_mos_lq, 2);
        separator = ", ";
    }
    if (separator[0] == 'R') { // reports without any of these
        put_str(out, separator);
        put_count(out, r->xr_reports, "extended report", "extended reports");
    }
    end_line(f);
}

// --- sound and fax ---

static void audio_line(struct facts *f, const struct sidetone_audio *a)
{
    if (!a || a->packets == 0) {
        return;
    }
    if (a->silent_packets == a->packets) {
        OUTPUT(fact(f), "silent from start to end");
    } else if (a->longest_silence_ns != SIDETONE_UNKNOWN &&
               a->longest_silence_ns >= SILENCE_WORTH_SAYING_NS) {
        struct output *out = fact(f);
        OUTPUT(out, "longest silence ");
        put_duration(out, a->longest_silence_ns);
    }
    double clipped = 100.0 * (double)a->clipped_packets / (double)a->packets;
    if (clipped >= CLIPPED_WORTH_SAYING_PERCENT) {
        struct output *out = fact(f);
        put_percent(out, clipped);
        OUTPUT(out, " of packets clipped");
    }
    end_line(f);
}

static void fax_line(struct facts *f, const struct sidetone_fax *x)
{
    if (!x) {
        return;
    }
    struct output *out = fact(f);
    OUTPUT(out, "fax: ");
    put_count(out, x->data_packets, "packet of data", "packets of data");
    if (x->error_correction) {
        OUTPUT(out, ", ");
        put_str(out, x->error_correction);
    }
    if (x->recovered > 0) {
        OUTPUT(out, ", ");
        put_grouped(out, x->recovered);
        OUTPUT(out, " recovered");
    }
    for (size_t i = 0; i < x->indicator_count && i < INDICATORS_SHOWN; i++) {
        put_str(out, i == 0 ? ", " : " ");
        put_str(out, x->indicators[i]);
    }
    put_str(out, x->indicator_count > INDICATORS_SHOWN ? " \xe2\x80\xa6" : "");
    end_line(f);
}

void page_stream_facts(const struct page *p, const struct sidetone_stream *s, unsigned indent)
{
    struct facts f = {p, indent, false};
    identity_line(&f, s);
    quality_line(&f, s);
    rtcp_line(&f, s->rtcp);
    audio_line(&f, s->audio);
    fax_line(&f, s->fax);
}
