// The report for people: how many of everything, and what stands out.
#include "show/report_text_parts.h"

#include "show/number.h"
#include "show/thresholds.h"
#include "show/words.h"

// Kinds in the order in which they are shown, and their words.
static const struct {
    const char *kind, *label;
} KINDS[] = {
    {"call", "Calls"},
    {"registration", "Registrations"},
    {"subscription", "Subscriptions"},
    {"options", "OPTIONS"},
    {"message", "MESSAGE"},
    {"publish", "PUBLISH"},
    {"other", "Other"},
};

static enum paint state_paint(struct slice state)
{
    return slice_eq(state, SLICE("failed")) ? PAINT_BAD : PAINT_PLAIN;
}

// "Calls   5,000  4,812 ended, 120 failed": the states of one kind, most frequent first.
static void kind_line(const struct page *p, struct slice kind, const char *label)
{
    const struct tallies *states = &p->overview->states;
    uint64_t total = 0;
    for (size_t i = 0; i < states->count; i++) {
        total += slice_eq(states->list[i].group, kind) ? states->list[i].count : 0;
    }
    if (total == 0) {
        return;
    }
    page_label(p, label);
    put_grouped_right(p->out, total, PAGE_NUMBER);
    const char *separator = "  ";
    for (size_t i = 0; i < states->count; i++) {
        const struct tally *t = &states->list[i];
        if (!slice_eq(t->group, kind) || t->name.n == 0) {
            continue;
        }
        put_str(p->out, separator);
        paint_begin(p->out, p->options->colour, state_paint(t->name));
        put_grouped(p->out, t->count);
        OUTPUT(p->out, " ");
        output_slice(p->out, t->name);
        paint_end(p->out, p->options->colour, state_paint(t->name));
        separator = ", ";
    }
    OUTPUT(p->out, "\n");
}

static void pdd_line(const struct page *p)
{
    const struct spread *pdd = &p->overview->pdd;
    output_blanks(p->out, PAGE_LABEL + PAGE_NUMBER + 2);
    OUTPUT(p->out, "post-dial delay ");
    if (pdd->count > 1) {
        OUTPUT(p->out, "median ");
        put_duration(p->out, spread_percentile(pdd, 50));
        OUTPUT(p->out, ", 95 % within ");
        put_duration(p->out, spread_percentile(pdd, 95));
        OUTPUT(p->out, ", longest ");
    }
    put_duration(p->out, spread_percentile(pdd, 100));
    OUTPUT(p->out, "\n");
}

static void calls_lines(const struct page *p)
{
    const struct overview *o = p->overview;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        kind_line(p, slice_str(KINDS[i].kind), KINDS[i].label);
        if (i == 0 && o->pdd.count > 0) {
            pdd_line(p);
        }
    }
    if (o->retransmissions > 0) {
        page_label(p, "Retransmissions");
        put_grouped_right(p->out, o->retransmissions, PAGE_NUMBER);
        OUTPUT(p->out, "  of SIP messages\n");
    }
}

static void in_stream(const struct page *p, size_t index)
{
    OUTPUT(p->out, " in stream ");
    put_u64(p->out, index);
}

static void loss_part(const struct page *p)
{
    const struct overview *o = p->overview;
    if (o->packets_lost == 0) {
        OUTPUT(p->out, "nothing lost");
        return;
    }
    put_grouped(p->out, o->streams_with_loss);
    OUTPUT(p->out, " with loss (");
    put_decimal(p->out, 100.0 * (double)o->packets_lost / (double)o->packets_expected, 2);
    OUTPUT(p->out, " % of all packets");
    if (o->worst_loss < o->streams) {
        OUTPUT(p->out, ", worst ");
        put_decimal(p->out, o->worst_loss_percent, 2);
        OUTPUT(p->out, " %");
        in_stream(p, o->worst_loss);
    }
    OUTPUT(p->out, ")");
}

static void discard_line(const struct page *p)
{
    const struct overview *o = p->overview;
    if (o->packets_discarded == 0) {
        return;
    }
    output_blanks(p->out, PAGE_LABEL + PAGE_NUMBER + 2);
    put_grouped(p->out, o->streams_with_discarded);
    OUTPUT(p->out, " with packets too late to be played (");
    put_decimal(p->out, 100.0 * (double)o->packets_discarded / (double)o->packets_expected, 2);
    OUTPUT(p->out, " % of all packets)\n");
}

static void jitter_line(const struct page *p)
{
    const struct overview *o = p->overview;
    if (o->worst_jitter == o->streams) {
        return;
    }
    output_blanks(p->out, PAGE_LABEL + PAGE_NUMBER + 2);
    if (o->streams_with_jitter > 0) {
        put_grouped(p->out, o->streams_with_jitter);
        OUTPUT(p->out, " with jitter above ");
        put_decimal(p->out, JITTER_WORTH_COUNTING_MS, 0);
        OUTPUT(p->out, " ms, worst mean ");
    } else {
        OUTPUT(p->out, "highest mean jitter ");
    }
    put_duration(p->out, (int64_t)(o->worst_jitter_ms * 1e6));
    in_stream(p, o->worst_jitter);
    OUTPUT(p->out, "\n");
}

static void mos_line(const struct page *p)
{
    const struct overview *o = p->overview;
    output_blanks(p->out, PAGE_LABEL + PAGE_NUMBER + 2);
    if (o->mos.count == 0) {
        OUTPUT(p->out, "no MOS: no codec with published values, or not enough media\n");
        return;
    }
    OUTPUT(p->out, "MOS ");
    if (o->mos.count > 1) {
        OUTPUT(p->out, "median ");
        put_decimal(p->out, (double)spread_percentile(&o->mos, 50) / 1000, 2);
        OUTPUT(p->out, ", 5 % at or below ");
        put_decimal(p->out, (double)spread_percentile(&o->mos, 5) / 1000, 2);
        OUTPUT(p->out, ", lowest ");
    }
    put_decimal(p->out, (double)o->mos.values[0] / 1000, 2);
    if (o->streams_without_mos > 0) {
        OUTPUT(p->out, "; ");
        put_count(p->out, o->streams_without_mos, "stream", "streams");
        OUTPUT(p->out, " without one");
    }
    OUTPUT(p->out, "\n");
}

void page_summary(const struct page *p)
{
    const struct overview *o = p->overview;
    OUTPUT(p->out, "\n");
    if (o->calls == 0 && o->streams == 0) {
        OUTPUT(p->out, "No SIP and no media was found; the ledger says what the packets were.\n");
        return;
    }
    calls_lines(p);
    if (o->streams == 0) {
        return;
    }
    page_label(p, "Streams");
    put_grouped_right(p->out, o->streams, PAGE_NUMBER);
    OUTPUT(p->out, "  ");
    loss_part(p);
    OUTPUT(p->out, "\n");
    discard_line(p);
    jitter_line(p);
    mos_line(p);
    if (o->streams_without_call > 0) {
        output_blanks(p->out, PAGE_LABEL + PAGE_NUMBER + 2);
        put_grouped(p->out, o->streams_without_call);
        OUTPUT(p->out, " without a call in this capture\n");
    }
}

// --- what stands out ---

static const struct table_column COLUMNS[] = {
    {"", false, 0}, {"", true, 0}, {"", false, 16}, {"", false, 0}, {"", false, 20},
};

enum {
    COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS
};

// "calls 17, 20, 33 ..."
static size_t examples_text(char *out, size_t size, const struct tally *t)
{
    const size_t step = NUMBER_BYTES + 16; // more than one turn writes
    size_t n = 0;
    for (size_t i = 0; i < t->example_count && n + step < size; i++) {
        const char *lead = ", ";
        if (i == 0 || t->is_stream[i] != t->is_stream[i - 1]) {
            bool several = i + 1 < t->example_count && t->is_stream[i + 1] == t->is_stream[i];
            lead = t->is_stream[i] ? (several ? "streams " : "stream ")
                                   : (several ? "calls " : "call ");
            if (i > 0) {
                memcpy(out + n, ", ", 2);
                n += 2;
            }
        }
        memcpy(out + n, lead, strlen(lead));
        n += strlen(lead);
        n += number_u64(out + n, t->examples[i]);
    }
    if (t->count > t->example_count) {
        memcpy(out + n, " \xe2\x80\xa6", 4);
        n += 4;
    }
    return n;
}

static void fill_row(struct table_row *row, const char *word, enum paint paint,
                     const struct tally *t, struct slice what)
{
    char count[NUMBER_BYTES], where[512];
    table_begin(row);
    table_add(row, slice_str(word), paint);
    table_add(row, slice_of(count, number_grouped(count, t->count)), PAINT_PLAIN);
    table_add(row, what, PAINT_PLAIN);
    table_add(row, slice_of(where, examples_text(where, sizeof where, t)), PAINT_PLAIN);
    table_add(row, t->text, PAINT_FAINT);
}

static void finding_row(struct table_row *row, const struct tally *t)
{
    enum sidetone_severity severity = (enum sidetone_severity)t->code;
    fill_row(row, words_severity(severity), severity_paint(severity), t, t->name);
}

// "503 Service Unavailable", "no answer" and, for other kinds, "registration 403 Forbidden".
static void failure_row(struct table_row *row, const struct tally *t)
{
    char what[32 + NUMBER_BYTES + TABLE_CELL_COLUMNS];
    size_t n = 0;
    if (!slice_eq(t->group, SLICE("call")) && t->group.n < 32) {
        memcpy(what, t->group.p, t->group.n);
        n = t->group.n;
        what[n++] = ' ';
    }
    if (t->code == 0) {
        memcpy(what + n, "no answer", 9);
        n += 9;
    } else {
        n += number_u64(what + n, t->code);
        what[n++] = ' ';
        size_t reason = t->name.n < TABLE_CELL_COLUMNS ? t->name.n : TABLE_CELL_COLUMNS;
        memcpy(what + n, t->name.p ? t->name.p : "", reason);
        n += reason;
    }
    fill_row(row, "failed", PAINT_BAD, t, slice_of(what, n));
}

// Every row of the section, through `each`: once to measure, once to print.
static void each_row(const struct page *p, struct table *t,
                     void (*each)(struct table *t, struct output *out, struct table_row *row))
{
    const struct overview *o = p->overview;
    struct table_row row;
    for (size_t i = 0; i < o->findings.count; i++) {
        if (o->findings.list[i].code == SIDETONE_ERROR) {
            finding_row(&row, &o->findings.list[i]);
            each(t, p->out, &row);
        }
    }
    for (size_t i = 0; i < o->failures.count; i++) {
        failure_row(&row, &o->failures.list[i]);
        each(t, p->out, &row);
    }
    for (size_t i = 0; i < o->findings.count; i++) {
        if (o->findings.list[i].code != SIDETONE_ERROR) {
            finding_row(&row, &o->findings.list[i]);
            each(t, p->out, &row);
        }
    }
}

static void measure(struct table *t, struct output *out, struct table_row *row)
{
    (void)out;
    table_measure(t, row);
}

static void print(struct table *t, struct output *out, struct table_row *row)
{
    OUTPUT(out, "  ");
    table_print(t, out, row);
}

void page_stands_out(const struct page *p)
{
    const struct overview *o = p->overview;
    struct table t;
    if (o->findings.count == 0 && o->failures.count == 0) {
        return;
    }
    page_heading(p, "What stands out");
    OUTPUT(p->out, "\n");
    table_init(&t, COLUMNS, COLUMN_COUNT, p->options->colour);
    each_row(p, &t, measure);
    table_fit(&t, p->options->width - 2);
    each_row(p, &t, print);
    uint64_t more = o->findings.more + o->failures.more;
    if (more > 0) {
        OUTPUT(p->out, "  and ");
        put_count(p->out, more, "other sighting", "other sightings");
        OUTPUT(p->out, " of more kinds\n");
    }
}
