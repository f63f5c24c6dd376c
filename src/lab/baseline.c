// Baselines as JSON (RFC 8259), by jansson: strict reading, since a figure that nobody wrote must
// not decide.
#include "lab/baseline.h"

#include "base/memory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA_VERSION 1

// One reading: the first trouble is kept, and everything after it does nothing.
struct reading {
    char *trouble;
    bool is_bad;
};

static bool bad(struct reading *r, const char *key, const char *what)
{
    if (!r->is_bad) {
        snprintf(r->trouble, BASELINE_TROUBLE_BYTES, "\"%s\" %s", key, what);
        r->is_bad = true;
    }
    return false;
}

static const json_t *member(struct reading *r, const json_t *in, const char *key)
{
    const json_t *found = r->is_bad ? NULL : json_object_get(in, key);
    if (!r->is_bad && !found) {
        bad(r, key, "is missing");
    }
    return found;
}

static const json_t *object_of(struct reading *r, const json_t *in, const char *key)
{
    const json_t *found = member(r, in, key);
    if (found && !json_is_object(found)) {
        bad(r, key, "is no object");
    }
    return r->is_bad ? NULL : found;
}

static void text_of(struct reading *r, const json_t *in, const char *key, char *out, size_t room)
{
    const json_t *found = member(r, in, key);
    if (found && !json_is_string(found)) {
        bad(r, key, "is no text");
    } else if (found && json_string_length(found) >= room) {
        bad(r, key, "is longer than any should be");
    } else if (found) {
        memcpy(out, json_string_value(found), json_string_length(found) + 1);
    }
}

static uint64_t whole_of(struct reading *r, const json_t *in, const char *key, uint64_t least,
                         uint64_t most)
{
    const json_t *found = member(r, in, key);
    json_int_t value = found ? json_integer_value(found) : 0;
    if (found && (!json_is_integer(found) || value < 0 || (uint64_t)value < least ||
                  (uint64_t)value > most)) {
        bad(r, key, "is no such number as it should be");
    }
    return r->is_bad ? least : (uint64_t)value;
}

// Above `above`, up to `most`.
static double real_of(struct reading *r, const json_t *in, const char *key, double above,
                      double most)
{
    const json_t *found = member(r, in, key);
    double value = found ? json_number_value(found) : 0;
    if (found && (!json_is_number(found) || !(value > above) || value > most)) {
        bad(r, key, "is no such number as it should be");
    }
    return r->is_bad ? 1 : value;
}

static void corpus_of(struct reading *r, const json_t *root, struct baseline_terms *t)
{
    const json_t *corpus = object_of(r, root, "corpus");
    text_of(r, corpus, "sha256", t->sha256, sizeof t->sha256);
    if (!r->is_bad && (strlen(t->sha256) != 64 || strspn(t->sha256, "0123456789abcdef") != 64)) {
        bad(r, "sha256", "is not 64 small hexadecimal digits");
    }
    t->corpus_bytes = whole_of(r, corpus, "bytes", 1, INT64_MAX);
    if (r->is_bad || !json_object_get(corpus, "carrier")) {
        return;
    }
    const json_t *carrier = object_of(r, corpus, "carrier");
    struct carrier_options *o = &t->options;
    o->seed = whole_of(r, carrier, "seed", 0, INT64_MAX);
    o->calls = (uint32_t)whole_of(r, carrier, "calls", 1, CARRIER_CALLS_MAX);
    o->rtp_per_call = (uint32_t)whole_of(r, carrier, "rtp_per_call", 0, CARRIER_RTP_MAX);
    o->concurrency = (uint32_t)whole_of(r, carrier, "concurrency", 1, CARRIER_CONCURRENCY_MAX);
    o->call_ids = (uint32_t)whole_of(r, carrier, "call_ids", 0, CARRIER_POOL_MAX);
    o->stream_pairs = (uint32_t)whole_of(r, carrier, "stream_pairs", 0, CARRIER_POOL_MAX);
    t->is_generated = true;
    if (!r->is_bad && carrier_check(o) != CARRIER_GOOD) {
        bad(r, "carrier", "asks for what `sidetone gen carrier` cannot make");
    }
}

static struct baseline_figures figures_in(struct reading *r, const json_t *in)
{
    return (struct baseline_figures){
        .ratio = real_of(r, in, "ratio", 0, 1e9),
        .peak_bytes = whole_of(r, in, "peak_bytes", 1, INT64_MAX / 4),
    };
}

static void history_of(struct reading *r, const json_t *root, struct baseline *b)
{
    const json_t *history = member(r, root, "history");
    if (history && (!json_is_array(history) || json_array_size(history) > BASELINE_HISTORY_MAX)) {
        bad(r, "history", "is no list of at most 100 recordings");
    }
    for (size_t i = 0; !r->is_bad && i < json_array_size(history); i++) {
        const json_t *from = json_array_get(history, i);
        struct baseline_entry *e = &b->history[b->history_count++];
        text_of(r, from, "date", e->date, sizeof e->date);
        e->figures = figures_in(r, from);
        if (json_object_get(from, "why")) {
            text_of(r, from, "why", e->why, sizeof e->why);
        }
    }
}

static void take_all(struct reading *r, const json_t *root, struct baseline *b)
{
    struct baseline_terms *t = &b->terms;
    whole_of(r, root, "schema_version", SCHEMA_VERSION, SCHEMA_VERSION);
    corpus_of(r, root, t);
    text_of(r, root, "arguments", t->arguments, sizeof t->arguments);
    text_of(r, root, "build", t->build, sizeof t->build);
    t->cores = (uint32_t)whole_of(r, root, "cores", 1, 4096);
    const json_t *machine = object_of(r, root, "machine");
    text_of(r, machine, "architecture", t->architecture, sizeof t->architecture);
    text_of(r, machine, "cpu", t->cpu, sizeof t->cpu);
    t->processors = (uint32_t)whole_of(r, machine, "processors", 1, 1u << 20);
    b->figures = figures_in(r, root);
    b->tolerance = real_of(r, root, "tolerance", 0, 10);
    b->runs = (uint32_t)whole_of(r, root, "runs", 1, 1u << 20);
    history_of(r, root, b);
}

bool baseline_read(struct baseline *b, const char *text, size_t n, char *trouble)
{
    struct reading r = {.trouble = trouble};
    json_error_t error;
    *b = (struct baseline){0};
    // jansson bounds the nesting by itself.
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        snprintf(trouble, BASELINE_TROUBLE_BYTES, "it is no JSON, or cut: line %d: %s", error.line,
                 error.text);
        return false;
    }
    if (!json_is_object(root)) {
        snprintf(trouble, BASELINE_TROUBLE_BYTES, "it is no JSON object");
        r.is_bad = true;
    }
    take_all(&r, root, b);
    json_decref(root);
    return !r.is_bad;
}

// --- writing ---

static json_t *corpus_json(const struct baseline_terms *t)
{
    json_t *corpus =
        json_pack("{s:s, s:I}", "sha256", t->sha256, "bytes", (json_int_t)t->corpus_bytes);
    const struct carrier_options *o = &t->options;
    if (t->is_generated) {
        json_object_set_new(
            corpus, "carrier",
            json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "calls", (json_int_t)o->calls,
                      "rtp_per_call", (json_int_t)o->rtp_per_call, "concurrency",
                      (json_int_t)o->concurrency, "call_ids", (json_int_t)o->call_ids,
                      "stream_pairs", (json_int_t)o->stream_pairs, "seed", (json_int_t)o->seed));
    }
    return corpus;
}

static json_t *rounded(double value)
{
    return json_real(round(value * 1e4) / 1e4);
}

static json_t *entry_json(const struct baseline_entry *e)
{
    json_t *entry =
        json_pack("{s:s, s:o, s:I}", "date", e->date, "ratio", rounded(e->figures.ratio),
                  "peak_bytes", (json_int_t)e->figures.peak_bytes);
    if (e->why[0]) {
        json_object_set_new(entry, "why", json_string(e->why));
    }
    return entry;
}

char *baseline_text(const struct baseline *b)
{
    const struct baseline_terms *t = &b->terms;
    json_t *history = json_array();
    for (size_t i = 0; i < b->history_count; i++) {
        json_array_append_new(history, entry_json(&b->history[i]));
    }
    json_t *root = json_pack(
        "{s:i, s:o, s:s, s:I, s:s, s:{s:s, s:s, s:I}, s:o, s:I, s:o, s:I, s:o}", "schema_version",
        SCHEMA_VERSION, "corpus", corpus_json(t), "arguments", t->arguments, "cores",
        (json_int_t)t->cores, "build", t->build, "machine", "architecture", t->architecture, "cpu",
        t->cpu, "processors", (json_int_t)t->processors, "ratio", rounded(b->figures.ratio),
        "peak_bytes", (json_int_t)b->figures.peak_bytes, "tolerance", rounded(b->tolerance), "runs",
        (json_int_t)b->runs, "history", history);
    // Twelve digits show what rounded() left, and no noise behind it.
    const size_t FLAGS = JSON_INDENT(2) | JSON_REAL_PRECISION(12);
    size_t n = json_dumpb(root, NULL, 0, FLAGS);
    char *text = memory_alloc(n + 2);
    json_dumpb(root, text, n, FLAGS);
    memcpy(text + n, "\n", 2);
    json_decref(root);
    return text;
}

void baseline_remember(struct baseline *b, const struct baseline_entry *e)
{
    if (b->history_count == BASELINE_HISTORY_MAX) {
        memmove(b->history, b->history + 1, (BASELINE_HISTORY_MAX - 1) * sizeof *b->history);
        b->history_count--;
    }
    b->history[b->history_count++] = *e;
}
