// `sidetone lab ab`: two programs against each other.
#include "show/lab_ab.h"

#include "prog/interrupt.h"
#include "prog/lab_parts.h"
#include "prog/prog.h"
#include "prog/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB "sidetone lab ab"

#define RUNS 15

static const char HELP[] =
    "usage: sidetone lab ab --a 'COMMAND' --b 'COMMAND' [OPTIONS]\n"
    "\n"
    "Runs two programs in turns and says which of them needs less time and memory, and whether\n"
    "that is certain: the ratios of the pairs of runs, and an interval for their median.\n"
    "\n"
    "  --a, --b 'COMMAND'    what is run; no shell reads it (write sh -c '...' for one)\n"
    "  --control 'COMMAND'   run this beside a and beside b too, in each round: where it differs\n"
    "                        from itself, the machine moved, and nothing is said of a and b\n"
    "  --runs N              rounds, after one to warm up (15)\n"
    "  --instructions        count the instructions of one run of each too: by the processor\n"
    "                        where it lets itself be asked, else by valgrind (slow)\n"
    "  --seed N              of the resamples that give the intervals (1)\n"
    "  --json FILE           write the result, with every run, as JSON too; '-': to standard\n"
    "                        output, alone\n"
    "  --quiet               no progress line\n"
    "  --help                this text\n"
    "\n"
    "Example:\n"
    "  sidetone lab ab --a 'old/sidetone read t.pcap' --b 'new/sidetone read t.pcap' \\\n"
    "      --control 'old/sidetone read t.pcap'\n"
    "\n"
    "Exit status: 0 measured, whatever the verdict; 1 a program failed or something could not be\n"
    "written; 2 usage; 130 interrupted (with the whole rounds so far).\n";

struct arguments {
    const char *commands[AB_PROGRAMS], *json;
    uint64_t seed;
    uint32_t runs;
    bool instructions, quiet, help;
};

struct ab {
    struct arguments arguments;
    struct command commands[AB_PROGRAMS];
    struct series_arm arms[AB_CONTROL_B + 1];
    size_t arm_count;
    struct ab_report report;
};

static const char *const OPTIONS[AB_PROGRAMS] = {"--a", "--b", "--control"};
static const char *const NAMES[AB_PROGRAMS] = {"a", "b", "control"};

// --- arguments ---

static int check_arguments(struct ab *ab)
{
    const struct arguments *a = &ab->arguments;
    if (!a->commands[AB_PROGRAM_A] || !a->commands[AB_PROGRAM_B] || a->runs == 0) {
        fprintf(stderr, VERB ": %s; " VERB " --help tells more\n",
                a->runs == 0 ? "--runs is at least 1" : "it wants --a 'COMMAND' and --b 'COMMAND'");
        return PROG_USAGE;
    }
    for (int i = 0; i < AB_PROGRAMS; i++) {
        if (a->commands[i] && !lab_command(VERB, OPTIONS[i], a->commands[i], &ab->commands[i])) {
            return PROG_USAGE;
        }
    }
    return PROG_OK;
}

static int read_arguments(struct ab *ab, int argc, char **argv)
{
    struct arguments *a = &ab->arguments;
    *a = (struct arguments){.runs = RUNS, .seed = FIGURES_SEED};
    const struct option_row rows[] = {
        {"a", 0, OPTION_TEXT, &a->commands[AB_PROGRAM_A], 0},
        {"b", 0, OPTION_TEXT, &a->commands[AB_PROGRAM_B], 0},
        {"control", 0, OPTION_TEXT, &a->commands[AB_PROGRAM_CONTROL], 0},
        {"runs", 0, OPTION_U32, &a->runs, SERIES_RUNS_MAX},
        {"instructions", 0, OPTION_FLAG, &a->instructions, 0},
        {"seed", 0, OPTION_U64, &a->seed, UINT64_MAX},
        {"json", 0, OPTION_TEXT, &a->json, 0},
        {"quiet", 0, OPTION_FLAG, &a->quiet, 0},
        {"help", 'h', OPTION_FLAG, &a->help, 0},
    };
    const struct option_table table = {
        .verb = VERB, .help = VERB " --help", .rows = rows, .count = sizeof rows / sizeof *rows};
    int status = options_read(&table, argc, argv);
    return status != PROG_OK || a->help ? status : check_arguments(ab);
}

// --- measuring ---

static bool has_control(const struct ab *ab)
{
    return ab->arguments.commands[AB_PROGRAM_CONTROL] != NULL;
}

static void add_arm(struct ab *ab, enum ab_program program)
{
    ab->arms[ab->arm_count++] =
        (struct series_arm){.name = NAMES[program], .command = &ab->commands[program]};
}

// The order that lab/ab.h wants.
static void make_arms(struct ab *ab)
{
    add_arm(ab, AB_PROGRAM_A);
    if (has_control(ab)) {
        add_arm(ab, AB_PROGRAM_CONTROL);
    }
    add_arm(ab, AB_PROGRAM_B);
    if (has_control(ab)) {
        add_arm(ab, AB_PROGRAM_CONTROL);
    }
}

static int identify(struct ab *ab)
{
    for (int i = 0; i < AB_PROGRAMS; i++) {
        if (!ab->arguments.commands[i]) {
            continue;
        }
        struct identity_program *p = &ab->report.programs[i];
        identity_of_program(p, ab->commands[i].words[0], interrupt_flag());
        if (p->path[0] == '\0') {
            fprintf(stderr, VERB ": %s: %s is no program that can be run\n", OPTIONS[i],
                    ab->commands[i].words[0]);
            return PROG_FAILED;
        }
    }
    identity_of_machine(&ab->report.machine);
    return PROG_OK;
}

static bool shows_progress(const struct ab *ab)
{
    return !ab->arguments.quiet && isatty(STDERR_FILENO);
}

static int count_one(struct ab *ab, enum ab_program program)
{
    struct ab_report *r = &ab->report;
    if (shows_progress(ab)) {
        fprintf(stderr, "\rcounting the instructions of %s", NAMES[program]);
    }
    enum instructions_end end = instructions_count(r->instructions, &ab->commands[program],
                                                   interrupt_flag(), &r->counts[program]);
    int error = errno;
    if (shows_progress(ab)) {
        lab_after();
    }
    switch (end) {
    case INSTRUCTIONS_COUNTED:
        return PROG_OK;
    case INSTRUCTIONS_INTERRUPTED:
        return PROG_INTERRUPTED;
    case INSTRUCTIONS_NOT_STARTED:
        fprintf(stderr, VERB ": the instructions of %s cannot be counted: %s\n", NAMES[program],
                strerror(error));
        return PROG_FAILED;
    case INSTRUCTIONS_FAILED:
        break;
    }
    fprintf(stderr, VERB ": %s failed when its instructions were counted %s\n", NAMES[program],
            instructions_text(r->instructions));
    return PROG_FAILED;
}

// After the series, so that the slow runs disturb none of the others. What fails here takes nothing
// from what was measured.
static int count_instructions(struct ab *ab)
{
    int status = count_one(ab, AB_PROGRAM_A);
    status = status == PROG_OK ? count_one(ab, AB_PROGRAM_B) : status;
    if (status != PROG_OK) {
        ab->report.instructions = INSTRUCTIONS_NONE;
    }
    return status;
}

static void put_text(struct output *out, const void *context)
{
    lab_ab_text(out, context, terminal_colour(), lab_columns());
}

static void put_json(struct output *out, const void *context)
{
    lab_ab_json(out, context);
}

static int show(struct ab *ab, const struct series *s, int status)
{
    struct ab_result result = ab_judge(s, ab->arguments.seed);
    ab->report.series = s;
    ab->report.result = &result;
    ab->report.runs_wanted = ab->arguments.runs;
    if (ab->report.instructions != INSTRUCTIONS_NONE) {
        if (status == PROG_OK) {
            status = count_instructions(ab);
        } else {
            ab->report.instructions = INSTRUCTIONS_NONE;
        }
    }
    const struct lab_shown shown = {put_text, put_json, &ab->report};
    int shown_status = lab_show(VERB, ab->arguments.json, &shown);
    return shown_status != PROG_OK ? shown_status : status;
}

static int measure(struct ab *ab)
{
    const struct lab_runs runs = {.count = ab->arguments.runs, .quiet = ab->arguments.quiet};
    struct series s;
    enum series_end end = lab_series_run(&s, ab->arms, ab->arm_count, &runs);
    int status = lab_series_status(VERB, &s);
    if (end == SERIES_DONE || (end == SERIES_INTERRUPTED && s.runs > 0)) {
        status = show(ab, &s, status);
    }
    series_fini(&s);
    return status;
}

static int run(struct ab *ab)
{
    const struct arguments *a = &ab->arguments;
    if (a->json && !lab_can_write(VERB, a->json)) {
        return PROG_FAILED;
    }
    if (a->instructions) {
        ab->report.instructions = instructions_find();
        if (ab->report.instructions == INSTRUCTIONS_NONE) {
            fprintf(stderr, VERB ": --instructions: %s\n", instructions_text(INSTRUCTIONS_NONE));
            return PROG_FAILED;
        }
    }
    interrupt_catch();
    int status = identify(ab);
    if (status != PROG_OK) {
        return status;
    }
    make_arms(ab);
    return measure(ab);
}

int lab_ab(int argc, char **argv)
{
    static struct ab ab;
    int status = read_arguments(&ab, argc, argv);
    if (status == PROG_OK) {
        status = ab.arguments.help ? prog_print(HELP) : run(&ab);
    }
    for (int i = 0; i < AB_PROGRAMS; i++) {
        command_fini(&ab.commands[i]);
    }
    return status;
}
