// The verdict over two programs, with everything that it stands on.
#include "show/lab_ab.h"

#include "show/lab_identity.h"
#include "show/number.h"
#include "show/text_put.h"
#include "show/text_table.h"

#include <math.h>
#include <stdio.h>

#define SCHEMA_VERSION 1

static const struct table_column COLUMNS[] = {
    {"", false, 0},     {"a", true, 0},       {"b", true, 0},     {"b/a", true, 0},
    {"95 %", false, 0}, {"control", true, 0}, {"95 %", false, 0}, {"verdict", false, 0},
};

enum {
    COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS
};

static const char *const TITLES[AB_MEASURES] = {"wall", "CPU", "memory"};
static const char *const NAMES[AB_PROGRAMS] = {"a", "b", "control"};

const char *lab_ab_word(enum ab_verdict verdict)
{
    static const char *const WORDS[] = {
        [AB_LESS] = "less",         [AB_MORE] = "more",
        [AB_SAME] = "same",         [AB_HOST_MOVED] = "host_moved",
        [AB_FEW_RUNS] = "few_runs", [AB_NOT_KNOWN] = "not_known",
    };
    return WORDS[verdict];
}

// --- the table ---

// Room for a sentence such as "b is slower by 12.3 % (10.1 to 14.9 %)".
#define SENTENCE_BYTES 100

static size_t sentence(char *out, enum ab_measure measure, const struct ab_row *row)
{
    const char *word = "";
    switch (row->verdict) {
    case AB_LESS:
        word = measure == AB_PEAK ? "b is smaller by" : "b is faster by";
        break;
    case AB_MORE:
        word = measure == AB_PEAK ? "b is larger by" : "b is slower by";
        break;
    case AB_SAME:
        return (size_t)snprintf(out, SENTENCE_BYTES, "no difference shown");
    case AB_HOST_MOVED:
        return (size_t)snprintf(out, SENTENCE_BYTES, "host moved");
    case AB_FEW_RUNS:
        return (size_t)snprintf(out, SENTENCE_BYTES, "too few runs (%u at least)",
                                FIGURES_PAIRS_MIN);
    case AB_NOT_KNOWN:
        return (size_t)snprintf(out, SENTENCE_BYTES, "too small to be measured");
    }
    return (size_t)snprintf(out, SENTENCE_BYTES, "%s %.1f %%", word,
                            fabs(row->ratio.median - 1) * 100);
}

static enum paint paint_of(enum ab_verdict verdict)
{
    switch (verdict) {
    case AB_LESS:
        return PAINT_GOOD;
    case AB_MORE:
        return PAINT_BAD;
    case AB_HOST_MOVED:
        return PAINT_WARNING;
    case AB_SAME:
    case AB_FEW_RUNS:
    case AB_NOT_KNOWN:
        break;
    }
    return PAINT_PLAIN;
}

static void add_figure(struct table_row *row, enum ab_measure measure, double value, bool is_bound)
{
    char text[NUMBER_BYTES + 1] = "<";
    size_t n = is_bound ? 1 : 0;
    n += measure == AB_PEAK ? number_size(text + n, (uint64_t)value)
                            : number_duration(text + n, llround(value * 1e9));
    table_add(row, slice_of(text, n), PAINT_PLAIN);
}

static void add_interval(struct table_row *row, const struct figures_interval *i)
{
    char text[2 * NUMBER_BYTES + 4];
    size_t n = figures_known(i) ? number_decimal(text, i->median, 3, false) : 0;
    table_add(row, slice_of(text, n), PAINT_PLAIN);
    if (n > 0) {
        n = number_decimal(text, i->low, 3, false);
        memcpy(text + n, " to ", 4);
        n += 4;
        n += number_decimal(text + n, i->high, 3, false);
    }
    table_add(row, slice_of(text, n), PAINT_FAINT);
}

static void fill(const struct ab_report *r, enum ab_measure measure, struct table_row *row)
{
    char text[SENTENCE_BYTES];
    const struct ab_row *of = &r->result->rows[measure];
    table_begin(row);
    table_add(row, slice_str(TITLES[measure]), PAINT_PLAIN);
    add_figure(row, measure, of->a.median, of->is_bound_a);
    add_figure(row, measure, of->b.median, of->is_bound_b);
    add_interval(row, &of->ratio);
    add_interval(row, &of->control);
    table_add(row, slice_of(text, sentence(text, measure, of)), paint_of(of->verdict));
}

static void fill_instructions(const struct ab_report *r, struct table_row *row)
{
    char text[SENTENCE_BYTES];
    double ratio = (double)r->counts[1] / (double)r->counts[0];
    table_begin(row);
    table_add(row, SLICE("instructions"), PAINT_PLAIN);
    for (int i = 0; i < 2; i++) {
        table_add(row, slice_of(text, number_grouped(text, r->counts[i])), PAINT_PLAIN);
    }
    table_add(row, slice_of(text, number_decimal(text, ratio, 6, false)), PAINT_PLAIN);
    table_add(row, slice_str(instructions_text(r->instructions)), PAINT_FAINT);
}

// The last row is that of the instructions, where they were counted.
static void put_table(struct output *out, const struct ab_report *r, bool colour, unsigned columns)
{
    struct table t;
    struct table_row row;
    int rows = AB_MEASURES + (r->instructions != INSTRUCTIONS_NONE);
    table_init(&t, COLUMNS, COLUMN_COUNT, colour);
    for (int pass = 0; pass < 2; pass++) { // measuring, printing
        for (int i = 0; i < rows; i++) {
            if (i < AB_MEASURES) {
                fill(r, (enum ab_measure)i, &row);
            } else {
                fill_instructions(r, &row);
            }
            if (pass == 0) {
                table_measure(&t, &row);
            } else {
                table_print(&t, out, &row);
            }
        }
        if (pass == 0) {
            table_fit(&t, columns);
            table_print_titles(&t, out);
        }
    }
}

// --- text ---

static void put_verdict(struct output *out, const struct ab_report *r, bool colour)
{
    char text[SENTENCE_BYTES];
    const struct ab_row *wall = &r->result->rows[AB_WALL];
    put_left(out, "Verdict", LAB_TITLE_COLUMNS);
    paint_begin(out, colour, paint_of(wall->verdict));
    output_bytes(out, text, sentence(text, AB_WALL, wall));
    paint_end(out, colour, paint_of(wall->verdict));
    if (wall->verdict == AB_HOST_MOVED) {
        OUTPUT(out, ": the control differs from itself, so nothing is said of a and b; measure "
                    "again");
    } else {
        OUTPUT(out, ", by the clock");
    }
    OUTPUT(out, "\n");
}

static void put_how(struct output *out, const struct ab_report *r)
{
    put_count(out, r->series->runs, "round", "rounds");
    if (r->series->runs < r->runs_wanted) {
        OUTPUT(out, " (of ");
        put_grouped(out, r->runs_wanted);
        OUTPUT(out, " wished: interrupted)");
    }
    put_str(out, r->result->has_control ? " of a, control, b, control" : " of a, b");
    OUTPUT(out, ", after one to warm up. Medians; b/a is that of the pairs, its interval\n"
                "by bootstrap (percentile method, ");
    put_grouped(out, FIGURES_RESAMPLES);
    OUTPUT(out, " resamples, seed ");
    put_u64(out, r->result->seed);
    OUTPUT(out, ")\n");
}

void lab_ab_text(struct output *out, const struct ab_report *r, bool colour, unsigned columns)
{
    for (int i = 0; i < AB_PROGRAMS; i++) {
        if (i != AB_PROGRAM_CONTROL || r->result->has_control) {
            lab_program_text(out, NAMES[i], &r->programs[i]);
        }
    }
    lab_machine_text(out, &r->machine);
    OUTPUT(out, "\n");
    put_table(out, r, colour, columns);
    OUTPUT(out, "\n");
    put_verdict(out, r, colour);
    put_how(out, r);
}

// --- JSON ---

static size_t arm_of(const struct ab_report *r, int program)
{
    return program == AB_PROGRAM_A         ? AB_A
           : program == AB_PROGRAM_CONTROL ? AB_CONTROL_A
                                           : (r->result->has_control ? AB_B_CONTROLLED : AB_B);
}

static void interval_json(struct json *j, const struct figures_interval *i)
{
    json_open(j, '{');
    JSON_MEMBER(j, "median", json_decimal(j, i->median, 6));
    JSON_MEMBER(j, "low", json_decimal(j, i->low, 6));
    JSON_MEMBER(j, "high", json_decimal(j, i->high, 6));
    json_close(j, '}');
}

static void row_json(struct json *j, const struct ab_row *row)
{
    json_open(j, '{');
    JSON_MEMBER_IF(figures_known(&row->ratio), j, "ratio", interval_json(j, &row->ratio));
    JSON_MEMBER_IF(figures_known(&row->control), j, "control", interval_json(j, &row->control));
    JSON_STRING(j, "verdict", lab_ab_word(row->verdict));
    json_close(j, '}');
}

static void program_json(struct json *j, const struct ab_report *r, int program)
{
    size_t arm = arm_of(r, program);
    json_break(j);
    json_key_name(j, NAMES[program]);
    json_open(j, '{');
    JSON_MEMBER(j, "command", lab_command_json(j, r->series->arms[arm].command));
    JSON_MEMBER(j, "program", lab_program_json(j, &r->programs[program]));
    JSON_MEMBER(j, "samples", lab_samples_json(j, r->series, arm));
    if (program == AB_PROGRAM_CONTROL) {
        JSON_MEMBER(j, "samples_beside_b", lab_samples_json(j, r->series, AB_CONTROL_B));
    }
    json_close(j, '}');
}

static void instructions_json(struct json *j, const struct ab_report *r)
{
    json_open(j, '{');
    JSON_STRING(j, "way", r->instructions == INSTRUCTIONS_COUNTER ? "counter" : "callgrind");
    JSON_U64(j, "a", r->counts[0]);
    JSON_U64(j, "b", r->counts[1]);
    JSON_DECIMAL_IF(j, "ratio", (double)r->counts[1] / (double)r->counts[0], 9);
    json_close(j, '}');
}

void lab_ab_json(struct output *out, const struct ab_report *r)
{
    struct json j;
    json_init(&j, out);
    json_open(&j, '{');
    JSON_U64(&j, "schema_version", SCHEMA_VERSION);
    JSON_STRING(&j, "lab", "ab");
    JSON_MEMBER(&j, "machine", lab_machine_json(&j, &r->machine));
    JSON_U64(&j, "runs", r->series->runs);
    JSON_BOOL(&j, "interrupted", r->series->runs < r->runs_wanted);
    JSON_U64(&j, "resamples", FIGURES_RESAMPLES);
    JSON_U64(&j, "seed", r->result->seed);
    JSON_STRING(&j, "verdict", lab_ab_word(r->result->rows[AB_WALL].verdict));
    JSON_MEMBER(&j, "wall", row_json(&j, &r->result->rows[AB_WALL]));
    JSON_MEMBER(&j, "cpu", row_json(&j, &r->result->rows[AB_CPU]));
    JSON_MEMBER(&j, "peak", row_json(&j, &r->result->rows[AB_PEAK]));
    JSON_MEMBER_IF(r->instructions != INSTRUCTIONS_NONE, &j, "instructions",
                   instructions_json(&j, r));
    for (int i = 0; i < AB_PROGRAMS; i++) {
        if (i != AB_PROGRAM_CONTROL || r->result->has_control) {
            program_json(&j, r, i);
        }
    }
    json_close(&j, '}');
    OUTPUT(out, "\n");
}
