// The table of a program by numbers of cores, and the same as JSON.
#include "show/lab_scale.h"

#include "lab/scale.h"
#include "show/lab_identity.h"
#include "show/number.h"
#include "show/text_put.h"
#include "show/text_table.h"

#include <math.h>

#define SCHEMA_VERSION 1

// Below this share of what more cores could give the number is painted.
#define EFFICIENCY_POOR 0.5

static const struct table_column COLUMNS[] = {
    {"cores", true, 0},  {"wall", true, 0},     {"shortest", true, 0},   {"longest", true, 0},
    {"user", true, 0},   {"system", true, 0},   {"packets/s", true, 0},  {"MB/s", true, 0},
    {"memory", true, 0}, {"speed-up", true, 0}, {"efficiency", true, 0},
};

enum {
    COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS
};

// --- text ---

static void add_seconds(struct table_row *row, double seconds, enum paint paint)
{
    char text[NUMBER_BYTES];
    table_add(row, slice_of(text, number_duration(text, llround(seconds * 1e9))), paint);
}

static void add_decimal(struct table_row *row, double value, unsigned digits)
{
    char text[NUMBER_BYTES];
    table_add(row, slice_of(text, number_decimal(text, value, digits, false)), PAINT_PLAIN);
}

static void add_peak(struct table_row *row, const struct scale_row *r)
{
    char text[NUMBER_BYTES + 1] = "<";
    size_t n = r->peak_is_bound ? 1 : 0;
    n += number_size(text + n, (uint64_t)r->peak.median);
    table_add(row, slice_of(text, n), PAINT_PLAIN);
}

static void add_share(struct table_row *row, double share)
{
    char text[NUMBER_BYTES + 2];
    size_t n = number_decimal(text, share * 100, 0, false);
    memcpy(text + n, " %", 2);
    table_add(row, slice_of(text, n + 2), share < EFFICIENCY_POOR ? PAINT_WARNING : PAINT_PLAIN);
}

static void fill(const struct scale_report *r, size_t arm, struct table_row *row)
{
    char text[NUMBER_BYTES];
    struct scale_row s = scale_row_of(r->series, r->cores, arm, r->packets, r->corpus.bytes);
    table_begin(row);
    table_add(row, slice_of(text, number_grouped(text, s.cores)), PAINT_PLAIN);
    add_seconds(row, s.wall.median, PAINT_STRONG);
    add_seconds(row, s.wall.minimum, PAINT_PLAIN);
    add_seconds(row, s.wall.maximum, PAINT_PLAIN);
    add_seconds(row, s.user.median, PAINT_PLAIN);
    add_seconds(row, s.system.median, PAINT_PLAIN);
    size_t n = r->packets > 0 ? number_short(text, s.packets_per_s) : 0;
    table_add(row, slice_of(text, n), PAINT_PLAIN);
    add_decimal(row, s.bytes_per_s / 1e6, 1);
    add_peak(row, &s);
    add_decimal(row, s.speed_up, 2);
    add_share(row, s.efficiency);
}

static void put_table(struct output *out, const struct scale_report *r, bool colour,
                      unsigned columns)
{
    struct table t;
    struct table_row row;
    table_init(&t, COLUMNS, COLUMN_COUNT, colour);
    for (size_t arm = 0; arm < r->series->arm_count; arm++) {
        fill(r, arm, &row);
        table_measure(&t, &row);
    }
    table_fit(&t, columns);
    table_print_titles(&t, out);
    for (size_t arm = 0; arm < r->series->arm_count; arm++) {
        fill(r, arm, &row);
        table_print(&t, out, &row);
    }
}

static void put_too_many(struct output *out, const struct scale_report *r)
{
    const char *before = "";
    for (size_t arm = 0; arm < r->series->arm_count; arm++) {
        if (r->cores[arm] > r->machine.cpus_allowed) {
            put_str(out, before);
            put_u64(out, r->cores[arm]);
            before = ", ";
        }
    }
    if (before[0]) {
        OUTPUT(out, " cores: more than the ");
        put_count(out, r->machine.cpus_allowed, "processor", "processors");
        OUTPUT(out, " here, so no gain by them can show\n");
    }
}

void lab_scale_text(struct output *out, const struct scale_report *r, bool colour, unsigned columns)
{
    lab_program_text(out, "Program", &r->program);
    lab_corpus_text(out, &r->corpus, r->packets);
    lab_machine_text(out, &r->machine);
    OUTPUT(out, "\n");
    put_table(out, r, colour, columns);
    OUTPUT(out, "\n");
    put_too_many(out, r);
    OUTPUT(out, "Medians of ");
    put_count(out, r->series->runs, "run", "runs");
    if (r->series->runs < r->runs_wanted) {
        OUTPUT(out, " (of ");
        put_grouped(out, r->runs_wanted);
        OUTPUT(out, " wished: interrupted)");
    }
    OUTPUT(out, " in turns, after one to warm up; speed-up is against the first line\n");
}

// --- JSON ---

static void figures_json(struct json *j, const struct figures *f, double unit, unsigned digits)
{
    json_open(j, '{');
    JSON_MEMBER(j, "median", json_decimal(j, f->median * unit, digits));
    JSON_MEMBER(j, "min", json_decimal(j, f->minimum * unit, digits));
    JSON_MEMBER(j, "max", json_decimal(j, f->maximum * unit, digits));
    json_close(j, '}');
}

static void row_json(struct json *j, const struct scale_report *r, size_t arm)
{
    struct scale_row s = scale_row_of(r->series, r->cores, arm, r->packets, r->corpus.bytes);
    json_break(j);
    json_open(j, '{');
    JSON_U64(j, "cores", s.cores);
    JSON_MEMBER(j, "command", lab_command_json(j, r->series->arms[arm].command));
    JSON_MEMBER(j, "wall_ms", figures_json(j, &s.wall, 1e3, 6));
    JSON_MEMBER(j, "user_ms", figures_json(j, &s.user, 1e3, 6));
    JSON_MEMBER(j, "system_ms", figures_json(j, &s.system, 1e3, 6));
    JSON_MEMBER(j, "peak_bytes", figures_json(j, &s.peak, 1, 0));
    JSON_DECIMAL_IF(j, "packets_per_s", s.packets_per_s, 1);
    JSON_DECIMAL_IF(j, "bytes_per_s", s.bytes_per_s, 1);
    JSON_DECIMAL_IF(j, "speed_up", s.speed_up, 4);
    JSON_DECIMAL_IF(j, "efficiency", s.efficiency, 4);
    JSON_BOOL(j, "more_than_processors", s.cores > r->machine.cpus_allowed);
    JSON_MEMBER(j, "samples", lab_samples_json(j, r->series, arm));
    json_close(j, '}');
}

void lab_scale_json(struct output *out, const struct scale_report *r)
{
    struct json j;
    json_init(&j, out);
    json_open(&j, '{');
    JSON_U64(&j, "schema_version", SCHEMA_VERSION);
    JSON_STRING(&j, "lab", "scale");
    JSON_MEMBER(&j, "program", lab_program_json(&j, &r->program));
    JSON_MEMBER(&j, "corpus", lab_corpus_json(&j, &r->corpus, r->packets));
    JSON_MEMBER(&j, "machine", lab_machine_json(&j, &r->machine));
    JSON_U64(&j, "runs", r->series->runs);
    JSON_BOOL(&j, "interrupted", r->series->runs < r->runs_wanted);
    JSON_OPEN(&j, "rows", '[');
    for (size_t arm = 0; arm < r->series->arm_count; arm++) {
        row_json(&j, r, arm);
    }
    json_close(&j, ']');
    json_close(&j, '}');
    OUTPUT(out, "\n");
}
