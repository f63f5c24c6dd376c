// `sidetone lab scale`: a program on a corpus with one core, two, four ...
#include "show/lab_scale.h"

#include "lab/aside.h"
#include "prog/interrupt.h"
#include "prog/lab_parts.h"
#include "prog/prog.h"
#include "prog/terminal.h"
#include "sidetone/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB "sidetone lab scale"

#define RUNS      5
#define CORES     "1,2,4,8"
#define CORES_MAX 1024 // more is a typing error
#define COMMAND   "{program} read {corpus} --cores {cores}"

static const char HELP[] =
    "usage: sidetone lab scale [OPTIONS] PROGRAM CORPUS\n"
    "\n"
    "Runs a program on a corpus (a capture, or a folder of them) with different numbers of\n"
    "cores, in turns, and shows its times, memory, speed-up and efficiency.\n"
    "\n"
    "  --cores LIST        numbers of cores (" CORES ")\n"
    "  --runs N            runs with each of them, after one to warm up (5)\n"
    "  --command 'WORDS'   how the program is called; {program}, {corpus} and {cores} stand for\n"
    "                      those (" COMMAND ");\n"
    "                      no shell reads it\n"
    "  --packets N         packets of the corpus; else sidetone counts them\n"
    "  --json FILE         write the result, with every run, as JSON too; '-': to standard\n"
    "                      output, alone\n"
    "  --quiet             no progress line\n"
    "  --help              this text\n"
    "\n"
    "Example:\n"
    "  sidetone lab scale build/release/sidetone trunk.pcap --cores 1,2 --runs 9\n"
    "\n"
    "Exit status: 0 measured, 1 the program failed or something could not be written, 2 usage,\n"
    "130 interrupted (with the whole rounds so far).\n";

struct arguments {
    const char *program, *corpus, *cores, *command, *json;
    uint64_t packets;
    uint32_t runs;
    bool quiet, help;
};

struct scale {
    struct arguments arguments;
    struct command template;
    uint32_t cores[SERIES_ARMS_MAX], core_count;
    struct command commands[SERIES_ARMS_MAX];
    struct series_arm arms[SERIES_ARMS_MAX];
    char names[SERIES_ARMS_MAX][32];
    struct scale_report report;
};

// --- arguments ---

static int check_arguments(struct scale *s, size_t operands)
{
    const struct arguments *a = &s->arguments;
    if (operands != 2 || a->runs == 0) {
        fprintf(stderr, VERB ": %s; " VERB " --help tells more\n",
                operands != 2 ? "it wants a program and a corpus" : "--runs is at least 1");
        return PROG_USAGE;
    }
    s->core_count = lab_read_cores(a->cores, CORES_MAX, s->cores, SERIES_ARMS_MAX);
    if (s->core_count == 0) {
        fprintf(stderr,
                VERB ": --cores wants numbers from 1 to %d, at most %u of them, such as 1,2, not "
                     "'%s'\n",
                CORES_MAX, SERIES_ARMS_MAX, a->cores);
        return PROG_USAGE;
    }
    if (!lab_command(VERB, "--command", a->command, &s->template)) {
        return PROG_USAGE;
    }
    if (!command_has(&s->template, "cores")) {
        fputs(VERB ": --command has no {cores}: all runs would be the same\n", stderr);
        return PROG_USAGE;
    }
    return PROG_OK;
}

static int read_arguments(struct scale *s, int argc, char **argv)
{
    const char *operands[2];
    size_t count;
    struct arguments *a = &s->arguments;
    *a = (struct arguments){.cores = CORES, .command = COMMAND, .runs = RUNS};
    const struct option_row rows[] = {
        {"cores", 0, OPTION_TEXT, &a->cores, 0},
        {"runs", 0, OPTION_U32, &a->runs, SERIES_RUNS_MAX},
        {"command", 0, OPTION_TEXT, &a->command, 0},
        {"packets", 0, OPTION_U64, &a->packets, UINT64_MAX},
        {"json", 0, OPTION_TEXT, &a->json, 0},
        {"quiet", 0, OPTION_FLAG, &a->quiet, 0},
        {"help", 'h', OPTION_FLAG, &a->help, 0},
    };
    struct option_table table = {
        .verb = VERB, .help = VERB " --help", .rows = rows, .count = sizeof rows / sizeof *rows};
    int status = lab_options(&table, argc, argv, operands, 2, &count);
    if (count == 2) {
        a->program = operands[0];
        a->corpus = operands[1];
    }
    return status != PROG_OK || a->help ? status : check_arguments(s, count);
}

// The command of each number of cores.
static int make_arms(struct scale *s)
{
    for (uint32_t i = 0; i < s->core_count; i++) {
        char number[16], why[COMMAND_TROUBLE_BYTES];
        struct command_trouble trouble;
        snprintf(number, sizeof number, "%" PRIu32, s->cores[i]);
        const struct command_value values[] = {
            {"program", s->arguments.program}, {"corpus", s->arguments.corpus}, {"cores", number}};
        if (!command_fill(&s->commands[i], &s->template, values, sizeof values / sizeof *values,
                          &trouble)) {
            command_trouble_text(&trouble, why);
            fprintf(stderr, VERB ": --command: %s: there are {program}, {corpus}, {cores}\n", why);
            return PROG_USAGE;
        }
        snprintf(s->names[i], sizeof s->names[i], "%" PRIu32 " %s", s->cores[i],
                 s->cores[i] == 1 ? "core" : "cores");
        s->arms[i] = (struct series_arm){.name = s->names[i], .command = &s->commands[i]};
    }
    return PROG_OK;
}

// --- who they are ---

static void count_packets(void *context, void *answer)
{
    const char *path = context;
    const struct sidetone_read_options options = {0};
    struct sidetone_report *report = NULL;
    sidetone_read(&path, 1, &options, &report);
    *(uint64_t *)answer = sidetone_report_capture(report)->packets;
    sidetone_report_free(report);
}

static bool shows_progress(const struct scale *s)
{
    return !s->arguments.quiet && isatty(STDERR_FILENO);
}

// In a process of its own: what reads a capture is large for ever.
static void know_packets(struct scale *s)
{
    uint64_t *packets = &s->report.packets;
    *packets = s->arguments.packets;
    if (*packets > 0) {
        return;
    }
    if (shows_progress(s)) {
        fputs("counting packets", stderr);
    }
    aside_run(count_packets, (void *)(uintptr_t)s->arguments.corpus, packets, sizeof *packets,
              interrupt_flag());
    if (shows_progress(s)) {
        lab_after();
    }
    if (*packets == 0 && !*interrupt_flag()) {
        fprintf(stderr,
                VERB ": sidetone finds no packets in %s; --packets N says how many there are\n",
                s->arguments.corpus);
    }
}

static int identify(struct scale *s)
{
    const struct arguments *a = &s->arguments;
    struct scale_report *r = &s->report;
    identity_of_program(&r->program, a->program, interrupt_flag());
    if (r->program.path[0] == '\0') {
        fprintf(stderr, VERB ": %s is no program that can be run\n", a->program);
        return PROG_FAILED;
    }
    int error = identity_of_corpus(&r->corpus, a->corpus, interrupt_flag());
    if (error) {
        fprintf(stderr, VERB ": %s cannot be read again and again: %s\n", a->corpus,
                strerror(error));
        return PROG_FAILED;
    }
    know_packets(s);
    identity_of_machine(&r->machine);
    return *interrupt_flag() ? PROG_INTERRUPTED : PROG_OK;
}

// --- measuring ---

static void put_text(struct output *out, const void *context)
{
    lab_scale_text(out, context, terminal_colour(), lab_columns());
}

static void put_json(struct output *out, const void *context)
{
    lab_scale_json(out, context);
}

static int measure(struct scale *s)
{
    const struct lab_runs runs = {.count = s->arguments.runs, .quiet = s->arguments.quiet};
    struct series series;
    enum series_end end = lab_series_run(&series, s->arms, s->core_count, &runs);
    int status = lab_series_status(VERB, &series);
    s->report.series = &series;
    s->report.cores = s->cores;
    s->report.runs_wanted = s->arguments.runs;
    if (end == SERIES_DONE || (end == SERIES_INTERRUPTED && series.runs > 0)) {
        const struct lab_shown shown = {put_text, put_json, &s->report};
        int shown_status = lab_show(VERB, s->arguments.json, &shown);
        status = shown_status != PROG_OK ? shown_status : status;
    }
    series_fini(&series);
    return status;
}

static int run(struct scale *s)
{
    int status = make_arms(s);
    if (status == PROG_OK && s->arguments.json && !lab_can_write(VERB, s->arguments.json)) {
        status = PROG_FAILED;
    }
    if (status == PROG_OK) {
        interrupt_catch();
        status = identify(s);
        if (status == PROG_INTERRUPTED) {
            fputs(VERB ": interrupted\n", stderr);
        }
    }
    return status == PROG_OK ? measure(s) : status;
}

int lab_scale(int argc, char **argv)
{
    static struct scale s;
    int status = read_arguments(&s, argc, argv);
    if (status == PROG_OK) {
        status = s.arguments.help ? prog_print(HELP) : run(&s);
    }
    for (uint32_t i = 0; i < s.core_count; i++) {
        command_fini(&s.commands[i]);
    }
    command_fini(&s.template);
    return status;
}
