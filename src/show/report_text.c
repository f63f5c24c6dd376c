// The report for people: the capture, the ledger, and the order of the sections between them.
#include "show/report_text_parts.h"

#include "show/number.h"
#include "show/words.h"

#define PATHS_SHOWN 3

static void capture_paths(const struct page *p)
{
    const struct report_text_options *o = p->options;
    unsigned room = p->options->width - PAGE_LABEL;
    for (size_t i = 0; i < o->path_count && i < PATHS_SHOWN; i++) {
        struct slice path = slice_str(o->paths[i]);
        put_str(p->out, i > 0 ? ", " : "");
        put_safe(p->out, slice_eq(path, SLICE("-")) ? SLICE("standard input") : path,
                 o->path_count == 1 ? room : room / PATHS_SHOWN - 6);
    }
    if (o->path_count > PATHS_SHOWN) {
        OUTPUT(p->out, " and ");
        put_grouped(p->out, o->path_count - PATHS_SHOWN);
        OUTPUT(p->out, " more");
    }
    if (p->capture->files != o->path_count) {
        OUTPUT(p->out, " (");
        put_count(p->out, p->capture->files, "file", "files");
        OUTPUT(p->out, ")");
    }
    OUTPUT(p->out, "\n");
}

// "2023-11-14 22:13:20.000 to 22:15:01.000 UTC": the second date only where it is another.
static void capture_span(const struct page *p)
{
    char first[NUMBER_BYTES], last[NUMBER_BYTES];
    const struct sidetone_capture *c = p->capture;
    size_t n = number_date(first, c->first_ns);
    number_date(last, c->last_ns);
    output_bytes(p->out, first, n);
    OUTPUT(p->out, " ");
    output_took(p->out, number_clock(output_room(p->out, NUMBER_BYTES), c->first_ns));
    OUTPUT(p->out, " to ");
    if (memcmp(first, last, n) != 0) {
        output_bytes(p->out, last, n);
        OUTPUT(p->out, " ");
    }
    output_took(p->out, number_clock(output_room(p->out, NUMBER_BYTES), c->last_ns));
    OUTPUT(p->out, " UTC");
}

static bool is_whole(const struct sidetone_capture *c)
{
    return c->complete && !c->interrupted;
}

void page_capture(const struct page *p)
{
    const struct sidetone_capture *c = p->capture;
    int64_t span = number_between(c->first_ns, c->last_ns);
    page_label(p, "Capture");
    capture_paths(p);
    output_blanks(p->out, PAGE_LABEL);
    if (c->first_ns != SIDETONE_UNKNOWN && c->last_ns != SIDETONE_UNKNOWN) {
        capture_span(p);
        if (span != SIDETONE_UNKNOWN) {
            OUTPUT(p->out, ", ");
            put_duration(p->out, span);
        }
        OUTPUT(p->out, "\n");
        output_blanks(p->out, PAGE_LABEL);
    }
    put_count(p->out, c->packets, "packet", "packets");
    OUTPUT(p->out, ", ");
    put_size(p->out, c->bytes);
    if (span != SIDETONE_UNKNOWN && span > 0 && c->packets > 1) {
        OUTPUT(p->out, ", ");
        output_took(p->out, number_short(output_room(p->out, NUMBER_BYTES),
                                         (double)c->packets * 1e9 / (double)span));
        OUTPUT(p->out, " packets/s");
    }
    OUTPUT(p->out, ": ");
    put_count(p->out, c->sip_messages, "SIP message", "SIP messages");
    OUTPUT(p->out, ", ");
    put_grouped(p->out, c->rtp_packets);
    OUTPUT(p->out, " RTP, ");
    put_grouped(p->out, c->rtcp_packets);
    OUTPUT(p->out, " RTCP\n");
    if (!is_whole(c)) {
        output_blanks(p->out, PAGE_LABEL);
        paint_begin(p->out, p->options->colour, PAINT_BAD);
        OUTPUT(p->out, "not read whole: the end of this report says why");
        paint_end(p->out, p->options->colour, PAINT_BAD);
        OUTPUT(p->out, "\n");
    }
}

// --- the ledger ---

static void counts_lines(const struct page *p, const struct sidetone_count *counts, size_t n,
                         const char *(*words)(const char *name))
{
    unsigned name_columns = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned columns = (unsigned)strlen(counts[i].name);
        name_columns = columns > name_columns ? columns : name_columns;
    }
    for (size_t i = 0; i < n; i++) {
        const char *text = words(counts[i].name);
        output_blanks(p->out, PAGE_LABEL);
        put_grouped_right(p->out, counts[i].count, PAGE_NUMBER);
        OUTPUT(p->out, "  ");
        if (text) {
            put_left(p->out, counts[i].name, name_columns + 2);
            put_str(p->out, text);
        } else {
            put_str(p->out, counts[i].name);
        }
        OUTPUT(p->out, "\n");
    }
}

static void packets_lines(const struct page *p)
{
    const struct sidetone_capture *c = p->capture;
    uint64_t rest = 0;
    for (size_t i = 0; i < c->not_analysed_count; i++) {
        rest += c->not_analysed[i].count;
    }
    page_label(p, "Packets");
    put_grouped_right(p->out, c->packets, PAGE_NUMBER);
    OUTPUT(p->out, "  = ");
    put_grouped(p->out, c->analysed);
    OUTPUT(p->out, " analysed + ");
    put_grouped(p->out, rest);
    OUTPUT(p->out, " not analysed\n");
    counts_lines(p, c->not_analysed, c->not_analysed_count, words_reason);
    if (c->duplicates > 0) {
        page_label(p, "Duplicates");
        put_grouped_right(p->out, c->duplicates, PAGE_NUMBER);
        OUTPUT(p->out, "  the same frame captured again, counted once\n");
    }
    if (c->dropped > 0) {
        page_label(p, "Dropped");
        put_grouped_right(p->out, c->dropped, PAGE_NUMBER);
        OUTPUT(p->out, "  more that the capture itself says it lost\n");
    }
}

static void oddities_lines(const struct page *p)
{
    const struct sidetone_capture *c = p->capture;
    if (c->oddity_count == 0) {
        return;
    }
    page_label(p, "Oddities"); // without a sum: some count bytes
    output_blanks(p->out, PAGE_NUMBER);
    OUTPUT(p->out, "  out of the ordinary, and how often it was seen\n");
    counts_lines(p, c->oddities, c->oddity_count, words_oddity);
}

void page_complete(const struct page *p)
{
    const struct sidetone_capture *c = p->capture;
    bool whole = is_whole(c);
    page_label(p, "Complete");
    paint_begin(p->out, p->options->colour, whole ? PAINT_GOOD : PAINT_BAD);
    put_str(p->out, whole ? "yes" : "no");
    paint_end(p->out, p->options->colour, whole ? PAINT_GOOD : PAINT_BAD);
    if (c->interrupted) {
        OUTPUT(p->out, ": reading was interrupted, this is the report so far");
    } else if (!c->complete) {
        OUTPUT(p->out, ": an input ended early or could not be read whole");
    } else {
        OUTPUT(p->out, ": every input was read to its end");
    }
    OUTPUT(p->out, "\n");
    for (size_t i = 0; i < c->warning_count; i++) {
        output_blanks(p->out, PAGE_LABEL);
        put_safe(p->out, text_slice(c->warnings[i]), PUT_SAFE_COLUMNS_MAX);
        OUTPUT(p->out, "\n");
    }
}

static void ledger(const struct page *p)
{
    page_heading(p, "Ledger");
    OUTPUT(p->out, "\n");
    packets_lines(p);
    oddities_lines(p);
    page_complete(p);
}

void report_text(struct output *out, const struct sidetone_report *report,
                 const struct report_text_options *options)
{
    struct overview *overview = overview_new(report, options->cores);
    struct page p = {out, report, sidetone_report_capture(report), overview, options};
    page_capture(&p);
    page_summary(&p);
    page_stands_out(&p);
    page_calls(&p);
    page_streams(&p);
    ledger(&p);
    overview_free(overview);
}

void report_text_capture(struct output *out, const struct sidetone_report *report,
                         const struct report_text_options *options)
{
    struct page p = {out, report, sidetone_report_capture(report), NULL, options};
    OUTPUT(out, "\n");
    page_capture(&p);
    ledger(&p);
}
