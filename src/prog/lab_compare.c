// `sidetone lab compare`: other programs on the same capture, in turns.
#include "show/lab_compare.h"
#include "base/memory.h"
#include "lab/compare.h"
#include "lab/identity.h"
#include "prog/interrupt.h"
#include "prog/lab_parts.h"
#include "prog/prog.h"
#include "prog/terminal.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERB "sidetone lab compare"

#define RUNS         5
#define TIME_LIMIT_S 120
// Output of a program that facts are read from. Not smaller: the reports of 100,000 streams. Not
// larger: it is held in memory. What is cut tells nothing.
#define FACT_BYTES_MAX (256u << 20)

static const char HELP[] =
    "usage: sidetone lab compare [OPTIONS] CORPUS\n"
    "\n"
    "Reads a capture with sidetone and with every program on PATH that it knows (sngrep, tshark,\n"
    "sipgrep, sipnab, voipmonitor, pcapsipdump), in turns and with the same number of processors,\n"
    "and shows their times and memory beside what each of them makes of the capture.\n"
    "\n"
    "  --cores LIST        numbers of cores to measure with (1,2)\n"
    "  --runs N            runs of each program (5)\n"
    "  --time-limit N      seconds that one run may take (120)\n"
    "  --json FILE         write the result as JSON too; '-': to standard output, alone\n"
    "  --help              this text\n"
    "\n"
    "Exit status: 0 measured, 1 sidetone itself failed, 2 usage, 130 interrupted. A program that\n"
    "fails or takes too long is left out, and named.\n";

struct arguments {
    const char *corpus, *json, *cores_text;
    uint32_t runs, time_limit_s;
    bool help;
};

// A program with its commands, as far as it is there.
struct tool {
    char path[PATH_MAX];
    struct command command, fact_command;
};

struct compare {
    struct arguments arguments;
    struct compare_report report;
    struct tool tools[COMPARE_PEERS];
    char folder[32]; // for what some write
};

// --- arguments ---

static int read_arguments(struct compare *c, int argc, char **argv)
{
    const char *operand = NULL;
    size_t count;
    struct arguments *a = &c->arguments;
    a->runs = RUNS;
    a->time_limit_s = TIME_LIMIT_S;
    const struct option_row rows[] = {
        {"cores", 0, OPTION_TEXT, &a->cores_text, 0},
        {"runs", 0, OPTION_U32, &a->runs, SERIES_RUNS_MAX},
        {"time-limit", 0, OPTION_U32, &a->time_limit_s, 86400},
        {"json", 0, OPTION_TEXT, &a->json, 0},
        {"help", 'h', OPTION_FLAG, &a->help, 0},
    };
    struct option_table table = {
        .verb = VERB, .help = VERB " --help", .rows = rows, .count = sizeof rows / sizeof *rows};
    int status = lab_options(&table, argc, argv, &operand, 1, &count);
    a->corpus = operand;
    if (status != PROG_OK || a->help) {
        return status;
    }
    if (!a->corpus || a->runs == 0 || a->time_limit_s == 0) {
        fprintf(stderr, VERB ": %s; " VERB " --help tells more\n",
                !a->corpus ? "it wants one capture" : "--runs and --time-limit are at least 1");
        return PROG_USAGE;
    }
    const char *cores = a->cores_text ? a->cores_text : child_cpus_allowed() > 1 ? "1,2" : "1";
    c->report.core_count =
        lab_read_cores(cores, child_cpus_allowed(), c->report.cores, COMPARE_CORES_MAX);
    if (c->report.core_count == 0) {
        fprintf(stderr,
                VERB ": --cores wants numbers from 1 to %" PRIu32 ", at most %d of them, such as "
                     "1,2\n",
                child_cpus_allowed(), COMPARE_CORES_MAX);
        return PROG_USAGE;
    }
    return PROG_OK;
}

// --- programs ---

// `words` of the table with everything in its place.
static void make_command(struct command *out, const char *words, const struct command_value *values,
                         size_t count)
{
    struct command split;
    struct command_trouble trouble;
    if (!command_split(&split, words, &trouble) ||
        !command_fill(out, &split, values, count, &trouble)) {
        abort(); // the table of compare.c is wrong
    }
    command_fini(&split);
}

static void make_commands(struct compare *c, size_t peer, uint32_t cores)
{
    struct tool *t = &c->tools[peer];
    char number[16];
    snprintf(number, sizeof number, "%" PRIu32, cores);
    const struct command_value values[] = {{"program", t->path},
                                           {"corpus", c->arguments.corpus},
                                           {"cores", number},
                                           {"folder", c->folder}};
    const size_t COUNT = sizeof values / sizeof *values;
    make_command(&t->command, compare_peers[peer].words, values, COUNT);
    if (compare_peers[peer].fact_words) {
        make_command(&t->fact_command, compare_peers[peer].fact_words, values, COUNT);
    }
}

static void drop_commands(struct tool *t)
{
    command_fini(&t->command);
    command_fini(&t->fact_command);
    t->command = t->fact_command = (struct command){0};
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    return at->level > 0 ? remove(path) : 0;
}

static void empty_folder(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

// --- measuring ---

// Why a run gave nothing, for the line that says so.
static void tell_why(struct compare_cell *cell, const struct child_result *r, uint32_t limit_s)
{
    switch (r->end) {
    case CHILD_EXITED:
        snprintf(cell->why, sizeof cell->why, "it failed with exit status %d", r->status);
        break;
    case CHILD_SIGNALLED:
        snprintf(cell->why, sizeof cell->why, "it was killed by signal %d", r->status);
        break;
    case CHILD_TIMED_OUT:
        snprintf(cell->why, sizeof cell->why, "no end within %" PRIu32 " s", limit_s);
        break;
    case CHILD_INTERRUPTED:
        snprintf(cell->why, sizeof cell->why, "interrupted");
        break;
    }
}

static double median_of(const struct series *s, size_t arm, enum series_measure measure,
                        double *room)
{
    series_values(s, arm, measure, room);
    return figures_median(room, s->runs);
}

// `peers`: of each arm. Ourselves are arm 0 where we are among them.
static void take(struct compare *c, uint32_t at, const struct series *s, const size_t *peers)
{
    double *ours = memory_alloc(2 * (size_t)s->runs * sizeof *ours), *room = ours + s->runs;
    for (size_t arm = 0; arm < s->arm_count; arm++) {
        struct compare_cell *cell = &c->report.lines[peers[arm]].cells[at];
        cell->is_measured = true;
        cell->cpu_s = median_of(s, arm, SERIES_CPU, room);
        cell->peak_bytes = (uint64_t)median_of(s, arm, SERIES_PEAK, room);
        cell->peak_is_bound = series_peak_is_bound(s, arm);
        cell->wall_s = median_of(s, arm, SERIES_WALL, arm == 0 ? ours : room);
        cell->times = figures_ratio(ours, arm == 0 ? ours : room, s->runs, FIGURES_SEED);
    }
    memory_free(ours);
}

// One number of cores: again without a program that failed, until all that are left did not.
static int measure(struct compare *c, uint32_t at)
{
    const struct arguments *a = &c->arguments;
    for (;;) {
        struct series_arm arms[COMPARE_PEERS];
        size_t peers[COMPARE_PEERS], count = 0;
        for (size_t p = 0; p < COMPARE_PEERS; p++) {
            if (c->report.lines[p].is_there && !c->report.lines[p].cells[at].why[0]) {
                peers[count] = p;
                arms[count++] = (struct series_arm){.name = compare_peers[p].name,
                                                    .command = &c->tools[p].command,
                                                    .cpus = c->report.cores[at],
                                                    .any_status = compare_peers[p].any_status};
            }
        }
        const struct lab_runs runs = {.count = a->runs, .time_limit_s = a->time_limit_s};
        struct series s;
        enum series_end end = lab_series_run(&s, arms, count, &runs);
        struct compare_cell *cell = &c->report.lines[peers[s.at.arm]].cells[at];
        int status = PROG_OK;
        if (end == SERIES_DONE) {
            take(c, at, &s, peers);
        } else if (end == SERIES_INTERRUPTED || peers[s.at.arm] == 0) {
            status = lab_series_status(VERB, &s);
        } else if (end == SERIES_NOT_STARTED) {
            snprintf(cell->why, sizeof cell->why, "it cannot be started: %s", strerror(s.error));
        } else {
            tell_why(cell, &s.failed, a->time_limit_s);
        }
        series_fini(&s);
        empty_folder(c->folder);
        if (end == SERIES_DONE || status != PROG_OK) {
            return status;
        }
    }
}

static void find_facts(struct compare *c, size_t peer)
{
    const struct child_options options = {.out_bytes = FACT_BYTES_MAX,
                                          .time_limit_ns =
                                              c->arguments.time_limit_s * INT64_C(1000000000),
                                          .stop = interrupt_flag()};
    struct compare_facts *facts = &c->report.lines[peer].facts;
    struct child_result r;
    *facts = compare_facts_none();
    if (!c->report.lines[peer].is_there || !compare_peers[peer].fact_words ||
        child_run(&c->tools[peer].fact_command, &options, &r) != 0) {
        return;
    }
    if (r.end == CHILD_EXITED && r.status == 0 && !r.out_is_cut) {
        compare_peers[peer].read(facts, r.out);
    }
    child_fini(&r);
}

static int compare_all(struct compare *c)
{
    int status = PROG_OK;
    for (uint32_t at = 0; at < c->report.core_count && status == PROG_OK; at++) {
        for (size_t p = 0; p < COMPARE_PEERS; p++) {
            drop_commands(&c->tools[p]);
            if (c->report.lines[p].is_there) {
                make_commands(c, p, c->report.cores[at]);
            }
        }
        status = measure(c, at);
    }
    // Afterwards: what they say is held in memory, and the kernel counts our memory as that of what
    // we start.
    for (size_t p = 0; p < COMPARE_PEERS && status == PROG_OK; p++) {
        find_facts(c, p);
        status = *interrupt_flag() ? PROG_INTERRUPTED : PROG_OK;
    }
    for (size_t p = 0; p < COMPARE_PEERS; p++) {
        drop_commands(&c->tools[p]);
    }
    return status;
}

static void put_text(struct output *out, const void *context)
{
    lab_compare_text(out, context, terminal_colour(), lab_columns());
}

static void put_json(struct output *out, const void *context)
{
    lab_compare_json(out, context);
}

int lab_compare(int argc, char **argv)
{
    static struct compare c;
    struct stat st;
    int status = read_arguments(&c, argc, argv);
    if (status != PROG_OK || c.arguments.help) {
        return c.arguments.help && status == PROG_OK ? prog_print(HELP) : status;
    }
    if (stat(c.arguments.corpus, &st) != 0 || !S_ISREG(st.st_mode)) {
        fprintf(stderr, VERB ": %s is no file that can be read again and again\n",
                c.arguments.corpus);
        return PROG_FAILED;
    }
    c.report.corpus = c.arguments.corpus;
    c.report.corpus_bytes = (uint64_t)st.st_size;
    c.report.runs = c.arguments.runs;
    if (!lab_self(VERB, c.tools[0].path)) {
        return PROG_FAILED;
    }
    c.report.lines[0].is_there = true;
    for (size_t p = 1; p < COMPARE_PEERS; p++) {
        c.report.lines[p].is_there = identity_find(compare_peers[p].name, c.tools[p].path);
    }
    snprintf(c.folder, sizeof c.folder, "/tmp/sidetone-compare-XXXXXX");
    if (!mkdtemp(c.folder)) {
        fprintf(stderr, VERB ": no folder can be made in /tmp: %s\n", strerror(errno));
        return PROG_FAILED;
    }
    interrupt_catch();
    status = compare_all(&c);
    empty_folder(c.folder);
    rmdir(c.folder);
    const struct lab_shown shown = {put_text, put_json, &c.report};
    return status == PROG_OK ? lab_show(VERB, c.arguments.json, &shown) : status;
}
