// The table of a comparison, and the same as JSON.
#include "show/lab_compare.h"

#include "lab/compare.h"
#include "show/json_writer.h"
#include "show/number.h"
#include "show/text_put.h"
#include "show/text_table.h"

#include <math.h>
#include <stdio.h>

#define SCHEMA_VERSION 1

static const struct table_column COLUMNS[] = {
    {"program", false, 0}, {"cores", true, 0},     {"wall", true, 0},    {"CPU", true, 0},
    {"memory", true, 0},   {"packets/s", true, 0}, {"as long", true, 0}, {"calls", true, 0},
    {"streams", true, 0},  {"lost", true, 0},      {"jitter", true, 0},  {"MOS", true, 0},
};

enum {
    COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS
};

static void add_str(struct table_row *row, const char *text)
{
    table_add(row, slice_str(text), PAINT_PLAIN);
}

static void add_seconds(struct table_row *row, double seconds)
{
    char text[NUMBER_BYTES];
    table_add(row, slice_of(text, number_duration(text, (int64_t)(seconds * 1e9))), PAINT_PLAIN);
}

static void add_count(struct table_row *row, int64_t count)
{
    char text[NUMBER_BYTES + 1] = "-";
    if (count < 0) { // tshark has less than nothing lost
        size_t n = 1 + number_grouped(text + 1, (uint64_t)-count);
        table_add(row, slice_of(text, n), PAINT_PLAIN);
        return;
    }
    table_add(row, slice_of(text, number_grouped(text, (uint64_t)count)), PAINT_PLAIN);
}

static void add_told(struct table_row *row, int64_t count)
{
    if (count == COMPARE_NOT_TOLD) {
        table_add(row, slice_str("not told"), PAINT_FAINT);
    } else {
        add_count(row, count);
    }
}

static void add_mean(struct table_row *row, double value, const char *unit)
{
    char text[NUMBER_BYTES + 8];
    if (!isfinite(value)) {
        table_add(row, slice_str("not told"), PAINT_FAINT);
        return;
    }
    size_t n = number_decimal(text, value, 2, false);
    table_add(row, slice_of(text, n + (size_t)snprintf(text + n, 8, "%s", unit)), PAINT_PLAIN);
}

static void add_times(struct table_row *row, const struct figures_interval *times)
{
    char text[NUMBER_BYTES];
    size_t n = figures_known(times) ? number_decimal(text, times->median, 2, false) : 0;
    table_add(row, slice_of(text, n), PAINT_PLAIN);
}

static void add_peak(struct table_row *row, const struct compare_cell *c)
{
    char text[NUMBER_BYTES + 1] = "<";
    size_t n = c->peak_is_bound ? 1 : 0;
    table_add(row, slice_of(text, n + number_size(text + n, c->peak_bytes)), PAINT_PLAIN);
}

// Facts stand in a program's first row.
static void fill(const struct compare_report *r, size_t peer, uint32_t at, struct table_row *row)
{
    const struct compare_line *line = &r->lines[peer];
    const struct compare_cell *c = &line->cells[at];
    char text[NUMBER_BYTES];
    int64_t packets = r->lines[0].facts.packets;
    table_begin(row);
    add_str(row, compare_peers[peer].name);
    add_count(row, r->cores[at]);
    add_seconds(row, c->wall_s);
    add_seconds(row, c->cpu_s);
    add_peak(row, c);
    size_t n = packets > 0 && c->wall_s > 0 ? number_short(text, (double)packets / c->wall_s) : 0;
    table_add(row, slice_of(text, n), PAINT_PLAIN);
    add_times(row, &c->times);
    if (at > 0) {
        return;
    }
    add_told(row, line->facts.calls);
    add_told(row, line->facts.streams);
    add_told(row, line->facts.lost);
    add_mean(row, line->facts.jitter_ms, " ms");
    add_mean(row, line->facts.mos, "");
}

static void put_left_out(struct output *out, const struct compare_report *r)
{
    const char *before = "Missing     ";
    for (size_t p = 0; p < COMPARE_PEERS; p++) {
        if (!r->lines[p].is_there) {
            put_str(out, before);
            put_str(out, compare_peers[p].name);
            before = ", ";
        }
    }
    put_str(out, before[0] == ',' ? "\n" : "");
    for (uint32_t at = 0; at < r->core_count; at++) {
        for (size_t p = 0; p < COMPARE_PEERS; p++) {
            const struct compare_cell *c = &r->lines[p].cells[at];
            if (!c->is_measured && c->why[0]) {
                OUTPUT(out, "Left out    ");
                put_str(out, compare_peers[p].name);
                OUTPUT(out, " with ");
                put_count(out, r->cores[at], "core", "cores");
                OUTPUT(out, ": ");
                put_str(out, c->why);
                OUTPUT(out, "\n");
            }
        }
    }
}

void lab_compare_text(struct output *out, const struct compare_report *r, bool colour,
                      unsigned columns)
{
    struct table t;
    struct table_row row;
    table_init(&t, COLUMNS, COLUMN_COUNT, colour);
    for (int pass = 0; pass < 2; pass++) { // measuring, printing
        for (uint32_t at = 0; at < r->core_count; at++) {
            for (size_t p = 0; p < COMPARE_PEERS; p++) {
                if (!r->lines[p].cells[at].is_measured) {
                    continue;
                }
                fill(r, p, at, &row);
                if (pass == 0) {
                    table_measure(&t, &row);
                } else {
                    table_print(&t, out, &row);
                }
            }
        }
        if (pass == 0) {
            table_fit(&t, columns);
            table_print_titles(&t, out);
        }
    }
    OUTPUT(out, "\n");
    put_left_out(out, r);
    OUTPUT(out, "Medians of ");
    put_count(out, r->runs, "run", "runs");
    OUTPUT(out, " in turns; jitter and MOS are means over the streams; \"as long\" is in times of "
                "sidetone\n");
}

// --- JSON ---

static void cell_json(struct json *j, uint32_t cores, const struct compare_cell *c)
{
    json_open(j, '{');
    JSON_U64(j, "cores", cores);
    if (c->is_measured) {
        JSON_MEMBER(j, "wall_s", json_decimal(j, c->wall_s, 6));
        JSON_MEMBER(j, "cpu_s", json_decimal(j, c->cpu_s, 6));
        JSON_U64(j, "peak_bytes", c->peak_bytes);
        JSON_BOOL(j, "peak_is_upper_bound", c->peak_is_bound);
        JSON_DECIMAL_IF(j, "times_sidetone", c->times.median, 4);
        JSON_DECIMAL_IF(j, "times_low", c->times.low, 4);
        JSON_DECIMAL_IF(j, "times_high", c->times.high, 4);
    } else {
        JSON_STRING(j, "left_out", c->why);
    }
    json_close(j, '}');
}

static void line_json(struct json *j, const struct compare_report *r, size_t peer)
{
    const struct compare_line *line = &r->lines[peer];
    const struct compare_facts *f = &line->facts;
    json_break(j);
    json_open(j, '{');
    JSON_STRING(j, "program", compare_peers[peer].name);
    JSON_BOOL(j, "found", line->is_there);
    if (line->is_there) {
        JSON_MEMBER_IF(f->calls != COMPARE_NOT_TOLD, j, "calls", json_i64(j, f->calls));
        JSON_MEMBER_IF(f->streams != COMPARE_NOT_TOLD, j, "streams", json_i64(j, f->streams));
        JSON_MEMBER_IF(f->lost != COMPARE_NOT_TOLD, j, "lost", json_i64(j, f->lost));
        JSON_DECIMAL_IF(j, "jitter_ms", f->jitter_ms, 6);
        JSON_DECIMAL_IF(j, "mos", f->mos, 3);
        JSON_OPEN(j, "measured", '[');
        for (uint32_t at = 0; at < r->core_count; at++) {
            cell_json(j, r->cores[at], &line->cells[at]);
        }
        json_close(j, ']');
    }
    json_close(j, '}');
}

void lab_compare_json(struct output *out, const struct compare_report *r)
{
    struct json j;
    json_init(&j, out);
    json_open(&j, '{');
    JSON_U64(&j, "schema_version", SCHEMA_VERSION);
    JSON_STRING(&j, "corpus", r->corpus);
    JSON_U64(&j, "bytes", r->corpus_bytes);
    JSON_MEMBER_IF(r->lines[0].facts.packets != COMPARE_NOT_TOLD, &j, "packets",
                   json_i64(&j, r->lines[0].facts.packets));
    JSON_U64(&j, "runs", r->runs);
    JSON_OPEN(&j, "programs", '[');
    for (size_t p = 0; p < COMPARE_PEERS; p++) {
        line_json(&j, r, p);
    }
    json_close(&j, ']');
    json_close(&j, '}');
    OUTPUT(out, "\n");
}
