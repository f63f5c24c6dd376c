// `sidetone lab gate`: is a program still as fast and as small as its baseline says?
#include "show/lab_gate.h"
#include "base/clock.h"
#include "base/memory.h"
#include "gen/write.h"
#include "lab/floor.h"
#include "lab/identity.h"
#include "prog/interrupt.h"
#include "prog/lab_parts.h"
#include "prog/prog.h"
#include "show/number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define VERB "sidetone lab gate"

#define RUNS 9 // if nothing else is said
// Seconds that one run may take. Not smaller: large corpora on slow machines. Not larger: what
// hangs should be known the same hour.
#define TIME_LIMIT_S 600

enum {
    ARM_FLOOR,
    ARM_PROGRAM,
    ARMS
};

static const char HELP[] =
    "usage: sidetone lab gate [OPTIONS] PROGRAM\n"
    "\n"
    "Holds a build of sidetone against a baseline that was recorded on this kind of machine.\n"
    "PROGRAM reads a corpus, in turns with the floor: the loop that any reader of a capture\n"
    "needs at least. Its figure is its time in times of the floor's, the median of the ratios of\n"
    "all pairs of runs, so that it holds on a busy machine too; beside it its peak of memory.\n"
    "With one core the time is that of the processor, with several that of the clock.\n"
    "\n"
    "  --baseline FILE     where figures are recorded (bench/baseline.json)\n"
    "  --corpus FILE       read this; else the capture that `sidetone gen carrier` makes with\n"
    "                      the arguments that the baseline has\n"
    "  --runs N            pairs of runs (9)\n"
    "  --cores N           cores that PROGRAM may use (those of the baseline, or 1)\n"
    "  --json FILE         write the result as JSON too; '-': to standard output, alone\n"
    "  --record            write a new baseline\n"
    "  --tolerance PERCENT with --record: how far above the figures may be later (20)\n"
    "  --calls N           with --record: calls of the generated corpus (5000)\n"
    "  --concurrency N     with --record: calls in progress at once there (100)\n"
    "  --lower             with --record: also where a figure is worse than the recorded one,\n"
    "                      or the baseline is for something else\n"
    "  --why TEXT          with --lower: the reason, which the baseline keeps\n"
    "  --help              this text\n"
    "\n"
    "Exit status: 0 good, 1 something failed, 2 usage, 3 slower or larger than allowed,\n"
    "4 the baseline is for another corpus, build or machine, 130 interrupted.\n";

struct arguments {
    const char *program, *baseline, *corpus, *json, *why;
    uint32_t runs, cores, tolerance, calls, concurrency;
    bool record, lower, help;
};

static int read_arguments(struct arguments *a, int argc, char **argv)
{
    const char *operand = NULL;
    size_t count;
    *a = (struct arguments){.baseline = "bench/baseline.json", .runs = RUNS};
    const struct option_row rows[] = {
        {"baseline", 0, OPTION_TEXT, &a->baseline, 0},
        {"corpus", 0, OPTION_TEXT, &a->corpus, 0},
        {"runs", 0, OPTION_U32, &a->runs, SERIES_RUNS_MAX},
        {"cores", 0, OPTION_U32, &a->cores, 4096},
        {"json", 0, OPTION_TEXT, &a->json, 0},
        {"record", 0, OPTION_FLAG, &a->record, 0},
        {"tolerance", 0, OPTION_U32, &a->tolerance, 1000},
        {"calls", 0, OPTION_U32, &a->calls, CARRIER_CALLS_MAX},
        {"concurrency", 0, OPTION_U32, &a->concurrency, CARRIER_CONCURRENCY_MAX},
        {"lower", 0, OPTION_FLAG, &a->lower, 0},
        {"why", 0, OPTION_TEXT, &a->why, 0},
        {"help", 'h', OPTION_FLAG, &a->help, 0},
    };
    struct option_table table = {
        .verb = VERB, .help = VERB " --help", .rows = rows, .count = sizeof rows / sizeof *rows};
    int status = lab_options(&table, argc, argv, &operand, 1, &count);
    a->program = operand;
    if (status != PROG_OK || a->help) {
        return status;
    }
    const char *fault = NULL;
    if (!a->program) {
        fault = "it wants one program: `" VERB " build/release/sidetone`";
    } else if (a->runs == 0) {
        fault = "--runs is at least 1";
    } else if (!a->record && (a->lower || a->tolerance || a->calls || a->concurrency)) {
        fault = "--lower, --tolerance, --calls and --concurrency belong to --record";
    } else if (a->lower != (a->why != NULL) || (a->why && a->why[0] == 0)) {
        fault = "--lower and --why TEXT belong together: the baseline keeps the reason";
    } else if (a->why && strlen(a->why) >= BASELINE_TEXT_BYTES) {
        fault = "--why is too long: a sentence will do";
    } else if (a->corpus && (a->calls || a->concurrency)) {
        fault = "--calls and --concurrency are of a generated corpus, --corpus is another";
    }
    if (fault) {
        fprintf(stderr, VERB ": %s; " VERB " --help tells more\n", fault);
        return PROG_USAGE;
    }
    return PROG_OK;
}

// --- the baseline ---

// *is_there: false where there is no such file. Returns an exit status.
static int read_baseline(const char *path, struct baseline *b, bool *is_there)
{
    char trouble[BASELINE_TROUBLE_BYTES];
    FILE *file = fopen(path, "rbe");
    *is_there = file != NULL;
    if (!file && errno == ENOENT) {
        return PROG_OK;
    }
    if (!file) {
        fprintf(stderr, VERB ": %s cannot be read: %s\n", path, strerror(errno));
        return PROG_FAILED;
    }
    char *text = memory_alloc(BASELINE_BYTES_MAX + 1);
    size_t n = fread(text, 1, BASELINE_BYTES_MAX + 1, file);
    bool is_good = false;
    if (ferror(file)) {
        fprintf(stderr, VERB ": %s cannot be read: %s\n", path, strerror(errno));
    } else if (n > BASELINE_BYTES_MAX) {
        fprintf(stderr, VERB ": %s is no baseline: it is far too large\n", path);
    } else {
        is_good = baseline_read(b, text, n, trouble);
        if (!is_good) {
            fprintf(stderr, VERB ": %s is no baseline: %s\n", path, trouble);
        }
    }
    fclose(file);
    memory_free(text);
    return is_good ? PROG_OK : PROG_FAILED;
}

// --- what is measured ---

// The corpus: the user's file, or a temporary one.
struct corpus {
    char path[PATH_MAX];
    bool is_temporary;
};

static int make_corpus(struct corpus *c, const struct carrier_options *options)
{
    const char *folder = getenv("TMPDIR");
    const struct carrier_watch watch = {.stop = interrupt_flag()};
    struct carrier_written written;
    snprintf(c->path, sizeof c->path, "%s/sidetone-gate-XXXXXX",
             folder && strlen(folder) < PATH_MAX / 2 ? folder : "/tmp");
    int fd = mkostemp(c->path, O_CLOEXEC);
    if (fd < 0) {
        fprintf(stderr, VERB ": %s cannot be made: %s\n", c->path, strerror(errno));
        return PROG_FAILED;
    }
    c->is_temporary = true;
    int error = carrier_write(fd, options, &watch, &written);
    if (close(fd) != 0 || error) {
        fprintf(stderr, VERB ": the corpus is not written whole: %s\n",
                *interrupt_flag() ? "interrupted" : strerror(errno));
        return *interrupt_flag() ? PROG_INTERRUPTED : PROG_FAILED;
    }
    return PROG_OK;
}

static void drop_corpus(struct corpus *c)
{
    if (c->is_temporary) {
        unlink(c->path);
    }
}

static int find_corpus(struct corpus *c, const struct arguments *a, const struct baseline *old,
                       struct baseline_terms *terms)
{
    *c = (struct corpus){.is_temporary = false};
    if (a->corpus) {
        if (snprintf(c->path, sizeof c->path, "%s", a->corpus) >= (int)sizeof c->path) {
            fputs(VERB ": --corpus is too long\n", stderr);
            return PROG_USAGE;
        }
        return PROG_OK;
    }
    bool is_new = a->record && (!old || a->calls || a->concurrency);
    if (!is_new && !old->terms.is_generated) {
        fputs(VERB ": the baseline was recorded with a file: --corpus FILE\n", stderr);
        return PROG_USAGE;
    }
    terms->is_generated = true;
    terms->options = is_new ? CARRIER_DEFAULTS : old->terms.options;
    if (a->calls) {
        terms->options.calls = a->calls;
    }
    if (a->concurrency) { // with addresses and a Call-ID for each call: many at once
        terms->options.concurrency = a->concurrency;
        terms->options.call_ids = terms->options.stream_pairs = 0;
    }
    if (carrier_check(&terms->options) != CARRIER_GOOD) {
        fputs(VERB ": `sidetone gen carrier` cannot make such a capture, and says there why\n",
              stderr);
        return PROG_USAGE;
    }
    return make_corpus(c, &terms->options);
}

// What PROGRAM --version says of how it was built: its line that begins so, or else its first.
static int find_build(const char *program, char out[BASELINE_TEXT_BYTES])
{
    const char *const words[] = {program, "--version"};
    const struct child_options options = {
        .out_bytes = 4096, .time_limit_ns = INT64_C(10000000000), .stop = interrupt_flag()};
    struct command command;
    struct child_result r;
    command_of(&command, words, 2);
    int error = child_run(&command, &options, &r);
    int why = errno;
    command_fini(&command);
    if (error) {
        fprintf(stderr, VERB ": %s cannot be started: %s\n", program, strerror(why));
        return PROG_FAILED;
    }
    bool is_good = r.end == CHILD_EXITED && r.status == 0 && r.out.n > 0;
    const char *built = is_good ? memmem(r.out.p, r.out.n, "built by ", 9) : NULL;
    struct slice rest = built ? slice_skip(r.out, (size_t)(built - r.out.p)) : r.out;
    const char *end = rest.n > 0 ? memchr(rest.p, '\n', rest.n) : NULL;
    size_t n = end ? (size_t)(end - rest.p) : rest.n;
    n = n < BASELINE_TEXT_BYTES ? n : BASELINE_TEXT_BYTES - 1;
    for (size_t i = 0; i < n; i++) { // JSON and terminals get letters
        out[i] = rest.p[i] >= ' ' && rest.p[i] <= '~' ? rest.p[i] : '?';
    }
    out[n] = 0;
    child_fini(&r);
    if (!is_good) {
        fprintf(stderr, VERB ": %s does not answer --version: it is no sidetone\n", program);
        return PROG_FAILED;
    }
    return PROG_OK;
}

// A text of the machine's, cut at the end of its place.
static void keep(char out[BASELINE_TEXT_BYTES], const char *text)
{
    snprintf(out, BASELINE_TEXT_BYTES, "%.*s", BASELINE_TEXT_BYTES - 1, text[0] ? text : "unknown");
}

static void find_machine(struct baseline_terms *t)
{
    struct identity_machine machine;
    struct utsname name;
    identity_of_machine(&machine);
    keep(t->architecture, uname(&name) == 0 ? name.machine : "");
    keep(t->cpu, machine.cpu);
    t->processors = machine.cpus_online;
}

static int find_terms(const struct arguments *a, const struct baseline *old,
                      const struct corpus *corpus, struct baseline_terms *t)
{
    struct stat st;
    if (stat(corpus->path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
        fprintf(stderr, VERB ": %s is no file with anything in it\n", corpus->path);
        return PROG_FAILED;
    }
    t->corpus_bytes = (uint64_t)st.st_size;
    t->cores = a->cores ? a->cores : old ? old->terms.cores : 1;
    snprintf(t->arguments, sizeof t->arguments, "read --cores {cores} {corpus}");
    find_machine(t);
    int status = find_build(a->program, t->build);
    return status != PROG_OK                           ? status
           : lab_sha256(VERB, corpus->path, t->sha256) ? PROG_OK
                                                       : PROG_FAILED;
}

// --- measuring ---

// With one core the time is that of the processor, which a busy machine changes little; with
// several it is the clock's, since cores that wait for each other are what is to be found.
static void take_figures(struct gate_report *r, const struct series *s, double *seconds)
{
    enum series_measure time = r->terms.cores == 1 ? SERIES_CPU : SERIES_WALL;
    r->is_measured = true;
    r->runs = s->runs;
    double *peaks = memory_alloc(s->runs * sizeof *peaks);
    series_values(s, ARM_FLOOR, time, seconds);
    series_values(s, ARM_PROGRAM, time, seconds + s->runs);
    series_values(s, ARM_PROGRAM, SERIES_PEAK, peaks);
    r->floor_s = seconds;
    r->program_s = seconds + s->runs;
    r->ratio = figures_ratio(r->floor_s, r->program_s, s->runs, FIGURES_SEED);
    r->figures.ratio = r->ratio.median;
    r->figures.peak_bytes = (uint64_t)figures_median(peaks, s->runs);
    memory_free(peaks);
}

static int measure(const struct arguments *a, const char *corpus, struct gate_report *r,
                   double *seconds)
{
    char self[PATH_MAX], cores[16];
    if (!lab_self(VERB, self)) {
        return PROG_FAILED;
    }
    snprintf(cores, sizeof cores, "%" PRIu32, r->terms.cores);
    const char *const floor_words[] = {self, "lab", "floor", corpus};
    const char *const program_words[] = {a->program, "read", "--cores", cores, corpus};
    struct command commands[ARMS];
    command_of(&commands[ARM_FLOOR], floor_words, 4);
    command_of(&commands[ARM_PROGRAM], program_words, 5);
    const struct series_arm arms[ARMS] = {
        [ARM_FLOOR] = {.name = "the floor", .command = &commands[ARM_FLOOR], .cpus = 1},
        [ARM_PROGRAM] = {.name = a->program,
                         .command = &commands[ARM_PROGRAM],
                         .cpus = r->terms.cores},
    };
    const struct lab_runs runs = {.count = a->runs, .time_limit_s = TIME_LIMIT_S};
    struct series s;
    lab_series_run(&s, arms, ARMS, &runs);
    int status = lab_series_status(VERB, &s);
    if (status == PROG_OK) {
        take_figures(r, &s, seconds);
    }
    series_fini(&s);
    command_fini(&commands[ARM_FLOOR]);
    command_fini(&commands[ARM_PROGRAM]);
    if (status == PROG_OK && !(r->figures.ratio > 0)) {
        fputs(VERB ": the clock says that nothing took time: a larger corpus is needed\n", stderr);
        return PROG_FAILED;
    }
    return status;
}

// --- recording ---

static int record(const struct arguments *a, struct gate_report *r)
{
    static struct baseline next;
    if (r->baseline) {
        next = *r->baseline;
        if (!gate_may_replace(&r->verdict) && !a->lower) {
            fprintf(stderr,
                    VERB ": %s stays as it is: %s; --lower --why TEXT records it all the same\n",
                    a->baseline,
                    r->verdict.end == GATE_UNLIKE ? "it is for something else"
                                                  : "a figure is worse than the recorded one");
            return r->verdict.end == GATE_UNLIKE ? LAB_UNLIKE : LAB_ABOVE;
        }
    } else {
        next = (struct baseline){.tolerance = BASELINE_TOLERANCE};
    }
    next.terms = r->terms;
    next.figures = r->figures;
    next.runs = r->runs;
    if (a->tolerance) {
        next.tolerance = a->tolerance / 100.0;
    }
    struct baseline_entry entry = {.figures = r->figures};
    number_time(entry.date, clock_realtime_ns());
    memcpy(entry.date + sizeof "2024-01-01T00:00:00" - 1, "Z", 2); // seconds will do
    snprintf(entry.why, sizeof entry.why, "%s", a->why ? a->why : "");
    baseline_remember(&next, &entry);
    char *text = baseline_text(&next);
    int error = lab_write_file(a->baseline, text, strlen(text));
    memory_free(text);
    if (error) {
        fprintf(stderr, VERB ": %s cannot be written: %s\n", a->baseline, strerror(error));
        return PROG_FAILED;
    }
    r->is_recorded = true;
    return PROG_OK;
}

static void put_text(struct output *out, const void *context)
{
    lab_gate_text(out, context);
}

static void put_json(struct output *out, const void *context)
{
    lab_gate_json(out, context);
}

static int show(const struct arguments *a, const struct gate_report *r)
{
    const struct lab_shown shown = {put_text, put_json, r};
    return lab_show(VERB, a->json, &shown);
}

static int status_of(const struct gate_report *r)
{
    if (!r->baseline || r->is_recorded) {
        return PROG_OK;
    }
    switch (r->verdict.end) {
    case GATE_GOOD:
    case GATE_STALE:
        return PROG_OK;
    case GATE_ABOVE:
        return LAB_ABOVE;
    case GATE_UNLIKE:
        return LAB_UNLIKE;
    }
    return PROG_FAILED;
}

// With a corpus that is there.
static int judge(const struct arguments *a, const char *corpus, struct gate_report *r)
{
    double *seconds = memory_alloc(2 * (size_t)a->runs * sizeof *seconds);
    const struct baseline_figures NOTHING = {1, 1};
    int status = PROG_OK;
    if (r->baseline) {
        r->verdict = gate_judge(r->baseline, &r->terms, &NOTHING);
    }
    if (a->record || r->verdict.end != GATE_UNLIKE) {
        status = measure(a, corpus, r, seconds);
        if (status == PROG_OK && r->baseline) {
            r->verdict = gate_judge(r->baseline, &r->terms, &r->figures);
        }
    }
    int recorded = status == PROG_OK && a->record ? record(a, r) : PROG_OK;
    if (status == PROG_OK) {
        status = show(a, r);
    }
    memory_free(seconds);
    return status != PROG_OK ? status : recorded != PROG_OK ? recorded : status_of(r);
}

int lab_gate(int argc, char **argv)
{
    static struct baseline old;
    struct arguments a;
    struct corpus corpus = {.is_temporary = false};
    bool is_there = false;
    int status = read_arguments(&a, argc, argv);
    if (status != PROG_OK || a.help) {
        return a.help && status == PROG_OK ? prog_print(HELP) : status;
    }
    status = read_baseline(a.baseline, &old, &is_there);
    if (status == PROG_OK && !is_there && !a.record) {
        fprintf(stderr, VERB ": there is no baseline %s: --record makes one\n", a.baseline);
        status = PROG_FAILED;
    }
    if (status != PROG_OK) {
        return status;
    }
    interrupt_catch();
    struct gate_report r = {
        .program = a.program, .baseline_path = a.baseline, .baseline = is_there ? &old : NULL};
    status = find_corpus(&corpus, &a, r.baseline, &r.terms);
    if (status == PROG_OK) {
        status = find_terms(&a, r.baseline, &corpus, &r.terms);
    }
    if (status == PROG_OK) {
        status = judge(&a, corpus.path, &r);
    }
    drop_corpus(&corpus);
    return status;
}
