// The statistics as a page for people: the service in a few lines, then its tables.
#include "show/stats_show.h"

#include "show/number.h"
#include "show/report_text_parts.h"
#include "show/stats_table.h"
#include "show/thresholds.h"

#define INDENT (PAGE_LABEL + PAGE_NUMBER + 2)

struct stats_view {
    const struct page *page;
    const struct sidetone_stats *stats;
    const struct sidetone_numbers *total;
};

static void line(const struct stats_view *v, const char *label, uint64_t count)
{
    page_label(v->page, label);
    put_grouped_right(v->page->out, count, PAGE_NUMBER);
    OUTPUT(v->page->out, "  ");
}

// --- calls ---

static void outcome_part(const struct stats_view *v, uint64_t count, const char *word, bool is_bad,
                         const char **separator)
{
    struct output *out = v->page->out;
    bool colour = v->page->options->colour && is_bad;
    if (count > 0) {
        put_str(out, *separator);
        paint_begin(out, colour, PAINT_BAD);
        put_grouped(out, count);
        OUTPUT(out, " ");
        put_str(out, word);
        paint_end(out, colour, PAINT_BAD);
        *separator = ", ";
    }
}

static void ratio_part(struct output *out, const char *name, double percent, const char *separator)
{
    put_str(out, separator);
    put_str(out, name);
    OUTPUT(out, " ");
    put_percent(out, percent);
}

static void partial_line(const struct stats_view *v)
{
    if (v->total->partial_calls > 0) {
        line(v, "Partial calls", v->total->partial_calls);
        OUTPUT(v->page->out, "whose start was not seen: in no ratio\n");
    }
}

static void calls_lines(const struct stats_view *v)
{
    const struct sidetone_numbers *n = v->total;
    struct output *out = v->page->out;
    const char *separator = "";
    if (n->calls + n->partial_calls + n->others + n->streams == 0) {
        OUTPUT(out, "No SIP and no media was found.\n");
        return;
    }
    if (n->calls == 0) {
        page_label(v->page, "Calls");
        put_grouped_right(out, 0, PAGE_NUMBER);
        OUTPUT(out, "\n");
        partial_line(v);
        return;
    }
    line(v, "Calls", n->calls);
    outcome_part(v, n->answered, "answered", false, &separator);
    outcome_part(v, n->busy, "busy", false, &separator);
    outcome_part(v, n->unanswered, "unanswered", false, &separator);
    outcome_part(v, n->rejected, "rejected", false, &separator);
    outcome_part(v, n->redirected, "redirected", false, &separator);
    outcome_part(v, n->failed, "failed", true, &separator);
    outcome_part(v, n->open, "without an end", false, &separator);
    OUTPUT(out, "\n");
    output_blanks(out, INDENT);
    ratio_part(out, "ASR", n->asr_percent, "");
    ratio_part(out, "NER", n->ner_percent, ", ");
    if (n->calls > n->redirected) {
        ratio_part(out, "SER", n->ser_percent, ", ");
        ratio_part(out, "SEER", n->seer_percent, ", ");
    }
    OUTPUT(out, "\n");
    partial_line(v);
}

static void talk_line(const struct stats_view *v)
{
    const struct sidetone_numbers *n = v->total;
    char text[NUMBER_BYTES];
    if (n->talk_count == 0) {
        return;
    }
    size_t columns = number_duration(text, n->talk_ns);
    page_label(v->page, "Talk time");
    output_blanks(v->page->out, columns < PAGE_NUMBER ? PAGE_NUMBER - columns : 0);
    output_bytes(v->page->out, text, columns);
    OUTPUT(v->page->out, "  ");
    put_duration(v->page->out, n->acd_ns);
    OUTPUT(v->page->out, " on average (ACD), over ");
    put_count(v->page->out, n->talk_count, "call", "calls");
    OUTPUT(v->page->out, "\n");
}

static void delays_line(const struct stats_view *v, const char *label,
                        const struct sidetone_delays *d)
{
    struct output *out = v->page->out;
    if (d->count == 0) {
        return;
    }
    line(v, label, d->count);
    OUTPUT(out, "median ");
    put_duration(out, d->p50_ns);
    OUTPUT(out, ", 95 % within ");
    put_duration(out, d->p95_ns);
    OUTPUT(out, ", 99 % within ");
    put_duration(out, d->p99_ns);
    OUTPUT(out, ", longest ");
    bool is_long = d->max_ns > PDD_WARNING_NS && v->page->options->colour;
    paint_begin(out, is_long, PAINT_WARNING);
    put_duration(out, d->max_ns);
    paint_end(out, is_long, PAINT_WARNING);
    OUTPUT(out, "\n");
}

static void peak_line(const struct stats_view *v)
{
    const struct sidetone_stats *s = v->stats;
    struct output *out = v->page->out;
    char room[NUMBER_BYTES], label[NUMBER_BYTES + 8] = "Peak ";
    struct slice bucket = stats_bucket_text(s->bucket_ns, room);
    if (s->peak_calls == 0) {
        return;
    }
    memcpy(label + 5, bucket.p, bucket.n);
    line(v, label, s->peak_calls);
    put_str(out, s->peak_calls == 1 ? "call began from " : "calls began from ");
    output_took(out, number_date(output_room(out, NUMBER_BYTES), s->peak_start_ns));
    OUTPUT(out, " ");
    output_took(out, number_clock(output_room(out, NUMBER_BYTES), s->peak_start_ns) - 7);
    OUTPUT(out, " UTC on\n");
}

// --- other kinds, messages, media ---

static void kinds_lines(const struct stats_view *v)
{
    uint64_t messages = v->total->messages;
    if (v->total->others > 0) {
        line(v, "Others", v->total->others);
        OUTPUT(v->page->out, "registrations, subscriptions and single requests\n");
    }
    if (messages > 0) {
        line(v, "SIP messages", messages);
        put_grouped(v->page->out, v->total->retransmissions);
        OUTPUT(v->page->out, " retransmitted\n");
    }
}

static void media_lines(const struct stats_view *v)
{
    const struct sidetone_numbers *n = v->total;
    struct output *out = v->page->out;
    if (n->streams == 0) {
        return;
    }
    line(v, "Streams", n->streams);
    put_percent(out, n->loss_percent);
    OUTPUT(out, " of ");
    put_count(out, n->expected, "packet", "packets");
    OUTPUT(out, " lost");
    if (n->discarded > 0) {
        OUTPUT(out, ", ");
        put_grouped(out, n->discarded);
        OUTPUT(out, " too late to be played");
    }
    OUTPUT(out, "\n");
    if (n->mos_count > 0) {
        output_blanks(out, INDENT);
        OUTPUT(out, "MOS mean ");
        put_decimal(out, n->mos_mean, 2);
        OUTPUT(out, ", 5 % at or below ");
        put_decimal(out, n->mos_p5, 2);
        OUTPUT(out, ", lowest ");
        put_decimal(out, n->mos_min, 2);
        OUTPUT(out, "\n");
    }
}

static void findings_line(const struct stats_view *v)
{
    const struct sidetone_numbers *n = v->total;
    const char *separator = "";
    if (n->errors + n->warnings + n->notes == 0) {
        return;
    }
    line(v, "Findings", n->errors + n->warnings + n->notes);
    outcome_part(v, n->errors, n->errors == 1 ? "error" : "errors", true, &separator);
    outcome_part(v, n->warnings, n->warnings == 1 ? "warning" : "warnings", false, &separator);
    outcome_part(v, n->notes, n->notes == 1 ? "note" : "notes", false, &separator);
    OUTPUT(v->page->out, "\n");
}

// --- tables ---

static enum paint paint_of(const struct stats_field *f, const void *row)
{
    double value;
    bool is_mos = f->kind == FIELD_SCORE;
    bool is_loss = f->kind == FIELD_PERCENT && strcmp(f->name, "loss_percent") == 0;
    if (!is_mos && !is_loss) {
        return PAINT_PLAIN;
    }
    memcpy(&value, (const char *)row + f->offset, sizeof value);
    if (is_mos) {
        return value < MOS_BAD ? PAINT_BAD : value < MOS_WARNING ? PAINT_WARNING : PAINT_PLAIN;
    }
    return value >= LOSS_BAD_PERCENT       ? PAINT_BAD
           : value >= LOSS_WARNING_PERCENT ? PAINT_WARNING
                                           : PAINT_PLAIN;
}

// What a column would only fill with zeros is left away.
static bool is_zero(const struct stats_field *f, struct slice text)
{
    return (f->kind == FIELD_COUNT && slice_eq(text, SLICE("0"))) ||
           (f->kind == FIELD_BYTES && slice_eq(text, SLICE("0 bytes")));
}

static void fill(struct table_row *row, const struct stats_table *t, const void *from,
                 const bool *shown)
{
    char room[NUMBER_BYTES];
    table_begin(row);
    for (size_t i = 0; i < t->field_count; i++) {
        if (shown[i]) {
            const struct stats_field *f = &t->fields[i];
            struct slice text = stats_value(f, from, true, room);
            table_add(row, f->is_key && text.n == 0 ? SLICE("(none)") : text, paint_of(f, from));
        }
    }
}

// Fields that the line has room for and any row has something in. Returns how many.
static size_t choose_columns(const struct stats_table *t, size_t rows, unsigned width, bool *shown,
                             struct table_column *columns)
{
    char room[NUMBER_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < t->field_count; i++) {
        const struct stats_field *f = &t->fields[i];
        shown[i] = false;
        for (size_t k = 0; f->title && width >= f->min_width && k < rows && !shown[i]; k++) {
            struct slice text = stats_value(f, stats_table_row(t, k), true, room);
            shown[i] = f->is_key || (text.n > 0 && !is_zero(f, text));
        }
        if (shown[i]) {
            columns[n++] =
                (struct table_column){f->title, !stats_is_text(f), f->kind == FIELD_TEXT ? 12 : 0};
        }
    }
    return n;
}

static void heading(const struct stats_view *v, const struct stats_table *t, size_t shown)
{
    page_heading(v->page, t->heading);
    OUTPUT(v->page->out, " (");
    if (shown < t->row_count) {
        OUTPUT(v->page->out, "the first ");
        put_grouped(v->page->out, shown);
        OUTPUT(v->page->out, " of ");
    }
    put_grouped(v->page->out, t->row_count);
    put_str(v->page->out, shown < t->row_count ? "; --all shows every one)\n" : ")\n");
}

#define FIELDS_MAX 64

static void table_of(const struct stats_view *v, const struct stats_table *t)
{
    const struct report_text_options *o = v->page->options;
    size_t rows = o->all || t->row_count < STATS_ROWS ? t->row_count : STATS_ROWS;
    bool shown[FIELDS_MAX];
    struct table_column columns[FIELDS_MAX];
    struct table table;
    struct table_row row;
    if (rows == 0) {
        return;
    }
    table_init(&table, columns, choose_columns(t, rows, o->width, shown, columns), o->colour);
    for (size_t i = 0; i < rows; i++) {
        fill(&row, t, stats_table_row(t, i), shown);
        table_measure(&table, &row);
    }
    table_fit(&table, o->width);
    heading(v, t, rows);
    table_print_titles(&table, v->page->out);
    for (size_t i = 0; i < rows; i++) {
        fill(&row, t, stats_table_row(t, i), shown);
        table_print(&table, v->page->out, &row);
    }
}

void stats_text(struct output *out, const struct sidetone_report *report,
                const struct sidetone_stats *stats, const struct report_text_options *options)
{
    struct stats_page tables;
    struct page p = {out, report, sidetone_report_capture(report), NULL, options};
    struct stats_view v = {&p, stats, &stats->total};
    page_capture(&p);
    OUTPUT(out, "\n");
    calls_lines(&v);
    talk_line(&v);
    delays_line(&v, "Post-dial delay", &stats->total.pdd);
    delays_line(&v, "Setup", &stats->total.setup);
    peak_line(&v);
    kinds_lines(&v);
    media_lines(&v);
    findings_line(&v);
    stats_page_fill(&tables, report, stats);
    for (size_t i = 0; i < tables.table_count; i++) {
        if (!tables.tables[i].is_single) {
            table_of(&v, &tables.tables[i]);
        }
    }
    OUTPUT(out, "\n");
    page_complete(&p);
}
