// The report for people: the list of media streams.
#include "show/report_text_parts.h"

#include "show/endpoint.h"
#include "show/number.h"
#include "show/thresholds.h"

enum {
    NUMBER,
    CALL,
    CODEC,
    FROM,
    TO,
    LENGTH,
    PACKETS,
    LOST,
    LOSS,
    DISCARDED,
    JITTER,
    JITTER_MAX,
    MOS,
    COLUMN_COUNT
};

static const struct table_column COLUMNS[COLUMN_COUNT] = {
    [NUMBER] = {"stream", true, 0},   [CALL] = {"call", true, 0},
    [CODEC] = {"codec", false, 6},    [FROM] = {"from", false, 12},
    [TO] = {"to", false, 12},         [LENGTH] = {"length", true, 0},
    [PACKETS] = {"packets", true, 0}, [LOST] = {"lost", true, 0},
    [LOSS] = {"loss", true, 0},       [DISCARDED] = {"discarded", true, 0},
    [JITTER] = {"jitter", true, 0},   [JITTER_MAX] = {"max", true, 0},
    [MOS] = {"MOS", true, 0},
};

static void add_grouped(struct table_row *row, uint64_t value)
{
    char text[NUMBER_BYTES];
    table_add(row, slice_of(text, number_grouped(text, value)), PAINT_PLAIN);
}

// Nothing in most captures: the column is not shown then.
static void add_discarded(struct table_row *row, const struct sidetone_stream *s)
{
    char text[NUMBER_BYTES];
    table_add(row, slice_of(text, s->discarded > 0 ? number_grouped(text, s->discarded) : 0),
              s->discard_percent >= LOSS_BAD_PERCENT       ? PAINT_BAD
              : s->discard_percent >= LOSS_WARNING_PERCENT ? PAINT_WARNING
                                                           : PAINT_PLAIN);
}

static void add_endpoint(struct table_row *row, const struct sidetone_endpoint *e)
{
    char text[ENDPOINT_TEXT_BYTES];
    table_add(row, slice_of(text, endpoint_show(text, e)), PAINT_PLAIN);
}

static void add_jitter(struct table_row *row, double ms)
{
    char text[NUMBER_BYTES];
    size_t n = number_decimal(text, ms, 1, false);
    if (n > 0) {
        memcpy(text + n, " ms", 3);
        n += 3;
    }
    table_add(row, slice_of(text, n), ms > JITTER_WARNING_MS ? PAINT_WARNING : PAINT_PLAIN);
}

static void fill(struct table_row *row, const struct sidetone_stream *s, size_t index)
{
    char text[NUMBER_BYTES];
    int64_t length = number_between(s->start_ns, s->end_ns);
    table_begin(row);
    table_add(row, slice_of(text, number_u64(text, index)), PAINT_PLAIN);
    table_add(row, slice_of(text, s->call >= 0 ? number_u64(text, (uint64_t)s->call) : 0),
              PAINT_PLAIN);
    table_add(row, s->codec.n > 0 ? text_slice(s->codec) : SLICE("?"), PAINT_PLAIN);
    add_endpoint(row, &s->src);
    add_endpoint(row, &s->dst);
    table_add(row, slice_of(text, length != SIDETONE_UNKNOWN ? number_length(text, length) : 0),
              PAINT_PLAIN);
    add_grouped(row, s->packets);
    add_grouped(row, s->lost);
    add_loss(row, s->loss_percent);
    add_discarded(row, s);
    add_jitter(row, s->jitter_ms);
    add_jitter(row, s->jitter_max_ms);
    add_mos(row, s->mos);
}

void page_streams(const struct page *p)
{
    struct sidetone_scratch *scratch = sidetone_scratch_new();
    struct sidetone_stream s;
    struct table t;
    struct table_row row;
    struct rows rows;
    rows_choose(&rows, p, p->overview->stream_points, p->overview->streams);
    table_init(&t, COLUMNS, COLUMN_COUNT, p->options->colour);
    for (size_t i = 0; i < rows.count; i++) {
        sidetone_report_stream(p->report, rows_index(&rows, i), scratch, &s);
        fill(&row, &s, rows_index(&rows, i));
        table_measure(&t, &row);
    }
    if (rows.count > 0) {
        table_fit(&t, p->options->width);
        page_list_heading(p, "Streams", &rows);
        table_print_titles(&t, p->out);
    }
    for (size_t i = 0; i < rows.count; i++) {
        size_t index = rows_index(&rows, i);
        sidetone_report_stream(p->report, index, scratch, &s);
        fill(&row, &s, index);
        table_print(&t, p->out, &row);
        if (p->overview->stream_points[index] > 0 || s.dtmf.n > 0 || s.fax || p->options->all) {
            page_stream_facts(p, &s, table_offset(&t, CALL));
        }
        page_findings(p, s.findings, s.finding_count, table_offset(&t, CALL));
    }
    sidetone_scratch_free(scratch);
}
