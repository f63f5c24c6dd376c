// The table of programs, and reading their tables.
#include "lab/compare.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Sums on the way to means.
struct sums {
    int64_t calls, streams, lost;
    double jitter, mos;
    int64_t jitters, moses;
};

static double mean(double sum, int64_t n)
{
    return n > 0 ? sum / (double)n : NAN;
}

// --- lines and words ---

static bool next_line(struct slice *rest, struct slice *line)
{
    if (rest->n == 0) {
        return false;
    }
    size_t n = 0;
    while (n < rest->n && rest->p[n] != '\n') {
        n++;
    }
    *line = slice_of(rest->p, n);
    *rest = slice_skip(*rest, n < rest->n ? n + 1 : n);
    return true;
}

static bool begins(struct slice s, const char *with)
{
    size_t n = strlen(with);
    return s.n >= n && memcmp(s.p, with, n) == 0;
}

// The words of a line, the first `room` of them. Returns how many.
static size_t split(struct slice line, struct slice *words, size_t room)
{
    size_t count = 0;
    while (count < room) {
        line = slice_trim(line);
        if (line.n == 0) {
            break;
        }
        size_t n = 0;
        while (n < line.n && !ascii_is_blank(line.p[n])) {
            n++;
        }
        words[count++] = slice_of(line.p, n);
        line = slice_skip(line, n);
    }
    return count;
}

// A number at the start of a word; NaN where there is none.
static double number_at(struct slice word)
{
    char text[40], *end;
    size_t n = word.n < sizeof text - 1 ? word.n : sizeof text - 1;
    memcpy(text, word.p, n);
    text[n] = 0;
    double value = strtod(text, &end);
    return end > text ? value : NAN;
}

static void add_jitter(struct sums *s, double ms)
{
    if (isfinite(ms)) {
        s->jitter += ms;
        s->jitters++;
    }
}

static void add_lost(struct sums *s, double lost)
{
    s->lost += isfinite(lost) && fabs(lost) < 1e15 ? (int64_t)lost : 0;
}

// --- sidetone ---

static void take_stream(struct sums *s, const json_t *stream)
{
    const json_t *mos = json_object_get(stream, "mos");
    const json_t *jitter = json_object_get(stream, "jitter_ms");
    s->streams++;
    s->lost += json_integer_value(json_object_get(stream, "lost"));
    if (mos) {
        s->mos += json_number_value(mos);
        s->moses++;
    }
    add_jitter(s, jitter ? json_number_value(jitter) : NAN);
}

// `read --json`: the capture, each call and each stream begin a line.
static void read_sidetone(struct compare_facts *f, struct slice said)
{
    struct sums s = {0};
    struct slice line;
    while (next_line(&said, &line)) {
        const char *open = memmem(line.p, line.n, "{", 1);
        json_t *object =
            open ? json_loadb(open, line.n - (size_t)(open - line.p), JSON_DISABLE_EOF_CHECK, NULL)
                 : NULL;
        if (begins(line, "\"capture\":")) {
            f->packets = json_integer_value(json_object_get(object, "packets"));
        } else if (json_object_get(object, "ssrc")) {
            take_stream(&s, object);
        } else if (json_object_get(object, "state") && json_object_get(object, "call_id")) {
            s.calls++;
        }
        json_decref(object);
    }
    f->calls = s.calls;
    f->streams = s.streams;
    f->lost = s.lost;
    f->jitter_ms = mean(s.jitter, s.jitters);
    f->mos = mean(s.mos, s.moses);
}

// --- others ---

// "\rDialog count: 12", again and again.
static void read_sngrep(struct compare_facts *f, struct slice said)
{
    static const char COUNT[] = "Dialog count:";
    while (said.n > 0) {
        const char *at = memmem(said.p, said.n, COUNT, sizeof COUNT - 1);
        if (!at) {
            break;
        }
        said = slice_skip(said, (size_t)(at - said.p) + sizeof COUNT - 1);
        double count = number_at(slice_trim(said));
        f->calls = count >= 0 && count < 1e15 ? (int64_t)count : f->calls;
    }
}

// A row of -z rtp,streams: "... g711U 250 -200 (-400.0%) 17.184 20.022 22.919 0.150 22.416 95.123":
// lost stands before the bracket, mean jitter is the fifth number behind it.
static void read_tshark(struct compare_facts *f, struct slice said)
{
    struct sums s = {0};
    struct slice line, words[40];
    bool is_inside = false;
    while (next_line(&said, &line)) {
        if (begins(line, "====")) {
            is_inside = memmem(line.p, line.n, "RTP Streams", 11) != NULL;
            continue;
        }
        size_t n = is_inside ? split(line, words, 40) : 0;
        for (size_t i = 1; i + 5 < n; i++) {
            if (words[i].p[0] == '(' && words[i].p[words[i].n - 1] == ')' && words[i].n > 2 &&
                words[i].p[words[i].n - 2] == '%') {
                s.streams++;
                add_lost(&s, number_at(words[i - 1]));
                add_jitter(&s, number_at(words[i + 5]));
                break;
            }
        }
    }
    f->streams = s.streams;
    f->lost = s.lost;
    f->jitter_ms = mean(s.jitter, s.jitters);
}

static void read_sipgrep(struct compare_facts *f, struct slice said)
{
    struct slice line;
    f->calls = 0;
    while (next_line(&said, &line)) {
        f->calls += begins(line, "Dialog finished:");
    }
}

// --report: a table of dialogs, an empty line, "RTP Streams:", a table of streams: "0x5bbf0705 0
// PCMU
// ... 250 0 0.0% 6ms 7s 44".
static void read_sipnab(struct compare_facts *f, struct slice said)
{
    struct sums s = {0};
    struct slice line, words[40];
    bool is_dialogs = false;
    while (next_line(&said, &line)) {
        if (begins(line, "Call-ID ")) {
            is_dialogs = true;
        } else if (slice_trim(line).n == 0) {
            is_dialogs = false;
        } else if (is_dialogs && !begins(line, "-----")) {
            s.calls++;
        } else if (begins(line, "0x")) {
            size_t n = split(line, words, 40);
            s.streams++;
            for (size_t i = 1; i + 1 < n; i++) {
                if (words[i].p[words[i].n - 1] == '%') {
                    add_lost(&s, number_at(words[i - 1]));
                    add_jitter(&s, number_at(words[i + 1]));
                    break;
                }
            }
        }
    }
    f->calls = s.calls;
    f->streams = s.streams;
    f->lost = s.lost;
    f->jitter_ms = mean(s.jitter, s.jitters);
}

const struct compare_peer compare_peers[COMPARE_PEERS] = {
    {"sidetone", "{program} read --cores {cores} {corpus}", "{program} read --json {corpus}",
     read_sidetone, false},
    {"sngrep", "{program} -N -q -I {corpus}", "{program} -N -I {corpus}", read_sngrep, false},
    {"tshark", "{program} -n -q -r {corpus} -z sip,stat -z rtp,streams",
     "{program} -n -q -r {corpus} -z rtp,streams", read_tshark, false},
    {"sipgrep", "{program} -C -G -I {corpus}", "{program} -C -G -I {corpus}", read_sipgrep, false},
    {"sipnab", "{program} -N -I {corpus} --cores {cores} --report --no-cli-print",
     "{program} -N -I {corpus} --cores {cores} --report --no-cli-print", read_sipnab, false},
    {"voipmonitor", "{program} -k -c -r {corpus} -d {folder}", NULL, NULL, true},
    {"pcapsipdump", "{program} -r {corpus} -d {folder}", NULL, NULL, false},
};

struct compare_facts compare_facts_none(void)
{
    return (struct compare_facts){
        COMPARE_NOT_TOLD, COMPARE_NOT_TOLD, COMPARE_NOT_TOLD, COMPARE_NOT_TOLD, NAN, NAN};
}
