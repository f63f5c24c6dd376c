// The gate's figures, and its verdict in a sentence that says what to do.
#include "show/lab_gate.h"

#include "show/json_writer.h"
#include "show/text_put.h"

#include <math.h>

#define SCHEMA_VERSION 1

const char *lab_gate_word(enum gate_end end)
{
    static const char *const WORDS[] = {
        [GATE_GOOD] = "good",
        [GATE_STALE] = "stale",
        [GATE_ABOVE] = "above",
        [GATE_UNLIKE] = "unlike",
    };
    return WORDS[end];
}

// --- text ---

static void put_figures(struct output *out, const char *title, double ratio, uint64_t peak)
{
    put_left(out, title, 10);
    put_decimal(out, ratio, 2);
    OUTPUT(out, " times the floor, ");
    put_size(out, peak);
}

static void put_change(struct output *out, double share, const char *more, const char *less)
{
    put_percent(out, fabs(share) * 100);
    OUTPUT(out, " ");
    put_str(out, share < 0 ? less : more);
}

static void put_terms(struct output *out, const struct gate_report *r)
{
    static const char *const NAMES[GATE_UNLIKES] = {"corpus",  "arguments", "cores",     "build",
                                                    "machine", "processor", "processors"};
    const struct baseline_terms *was = &r->baseline->terms, *is = &r->terms;
    for (unsigned i = 0; i < GATE_UNLIKES; i++) {
        const char *const texts[GATE_UNLIKES][2] = {
            {was->sha256, is->sha256},
            {was->arguments, is->arguments},
            {NULL, NULL},
            {was->build, is->build},
            {was->architecture, is->architecture},
            {was->cpu, is->cpu},
            {NULL, NULL},
        };
        const uint64_t numbers[GATE_UNLIKES][2] = {
            [2] = {was->cores, is->cores}, [6] = {was->processors, is->processors}};
        if (!(r->verdict.unlike & 1u << i)) {
            continue;
        }
        OUTPUT(out, "          ");
        put_left(out, NAMES[i], 11);
        for (int side = 0; side < 2; side++) {
            put_str(out, side ? "; here " : "recorded ");
            if (texts[i][side]) {
                put_safe(out, slice_str(texts[i][side]), 80);
            } else {
                put_u64(out, numbers[i][side]);
            }
        }
        OUTPUT(out, "\n");
    }
}

static void put_verdict(struct output *out, const struct gate_report *r)
{
    const struct gate_verdict *v = &r->verdict;
    put_left(out, "Verdict", 10);
    put_str(out, lab_gate_word(v->end));
    if (v->end == GATE_UNLIKE) {
        OUTPUT(out, ": these cannot be compared\n");
        put_terms(out, r);
        return;
    }
    OUTPUT(out, ": ");
    put_change(out, v->ratio_change, "slower", "faster");
    OUTPUT(out, " and ");
    put_change(out, v->peak_change, "larger", "smaller");
    OUTPUT(out, " than recorded");
    if (v->end == GATE_ABOVE) {
        put_str(out, v->is_slow && v->is_large ? "; both are above what is allowed"
                     : v->is_slow              ? "; the time is above what is allowed"
                                               : "; the memory is above what is allowed");
    } else if (v->end == GATE_STALE && !r->is_recorded) {
        OUTPUT(out, "; the baseline guards little any more, record it anew (--record)");
    }
    OUTPUT(out, "\n");
}

void lab_gate_text(struct output *out, const struct gate_report *r)
{
    if (r->is_measured) {
        put_figures(out, "Here", r->figures.ratio, r->figures.peak_bytes);
        OUTPUT(out, " (median of ");
        put_count(out, r->runs, "pair of runs", "pairs of runs");
        if (figures_known(&r->ratio)) {
            OUTPUT(out, ", 95 % within ");
            put_decimal(out, r->ratio.low, 2);
            OUTPUT(out, " to ");
            put_decimal(out, r->ratio.high, 2);
        }
        OUTPUT(out, ")\n");
    }
    if (r->baseline) {
        const struct baseline *b = r->baseline;
        put_figures(out, "Recorded", b->figures.ratio, b->figures.peak_bytes);
        OUTPUT(out, "; allowed ");
        put_decimal(out, r->verdict.ratio_allowed, 2);
        OUTPUT(out, " times, ");
        put_size(out, r->verdict.peak_allowed);
        OUTPUT(out, "\n");
        put_verdict(out, r);
    }
    if (r->is_recorded) {
        put_left(out, "Recorded", 10);
        OUTPUT(out, "in ");
        put_safe(out, slice_str(r->baseline_path), 200);
        OUTPUT(out, "\n");
    }
}

// --- JSON ---

static void put_seconds(struct json *j, const double *seconds, uint32_t n)
{
    json_open(j, '[');
    for (uint32_t i = 0; i < n; i++) {
        json_decimal(j, seconds[i], 6);
    }
    json_close(j, ']');
}

static void measured_json(struct json *j, const struct gate_report *r)
{
    JSON_MEMBER(j, "ratio", json_decimal(j, r->figures.ratio, 4));
    JSON_DECIMAL_IF(j, "ratio_low", r->ratio.low, 4);
    JSON_DECIMAL_IF(j, "ratio_high", r->ratio.high, 4);
    JSON_U64(j, "peak_bytes", r->figures.peak_bytes);
    JSON_U64(j, "runs", r->runs);
    JSON_MEMBER(j, "floor_s", put_seconds(j, r->floor_s, r->runs));
    JSON_MEMBER(j, "program_s", put_seconds(j, r->program_s, r->runs));
}

void lab_gate_json(struct output *out, const struct gate_report *r)
{
    struct json j;
    json_init(&j, out);
    json_open(&j, '{');
    JSON_U64(&j, "schema_version", SCHEMA_VERSION);
    JSON_STRING(&j, "program", r->program);
    JSON_STRING(&j, "baseline", r->baseline_path);
    JSON_BOOL(&j, "recorded", r->is_recorded);
    JSON_STRING(&j, "corpus_sha256", r->terms.sha256);
    JSON_STRING(&j, "build", r->terms.build);
    JSON_U64(&j, "cores", r->terms.cores);
    if (r->is_measured) {
        measured_json(&j, r);
    }
    if (r->baseline) {
        const struct gate_verdict *v = &r->verdict;
        JSON_STRING(&j, "verdict", lab_gate_word(v->end));
        JSON_MEMBER(&j, "baseline_ratio", json_decimal(&j, r->baseline->figures.ratio, 4));
        JSON_U64(&j, "baseline_peak_bytes", r->baseline->figures.peak_bytes);
        JSON_MEMBER(&j, "ratio_allowed", json_decimal(&j, v->ratio_allowed, 4));
        JSON_U64(&j, "peak_allowed", v->peak_allowed);
        JSON_BOOL(&j, "slow", v->is_slow);
        JSON_BOOL(&j, "large", v->is_large);
        JSON_OPEN(&j, "unlike", '[');
        for (unsigned i = 0; i < GATE_UNLIKES; i++) {
            if (v->unlike & 1u << i) {
                json_str(&j, gate_unlike_text((enum gate_unlike)(1u << i)));
            }
        }
        json_close(&j, ']');
    }
    json_close(&j, '}');
    OUTPUT(out, "\n");
}
