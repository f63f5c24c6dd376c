// `sidetone read`: captures in, a report out.
#include "sidetone/read.h"

#include "base/clock.h"
#include "base/memory.h"
#include "prog/prog.h"
#include "show/message_json.h"
#include "show/message_text.h"
#include "show/progress.h"
#include "show/report_json.h"
#include "show/report_text.h"
#include "show/suggest.h"
#include "show/text_put.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define VERB "sidetone read"

// Threads beyond this are a typing error.
#define CORES_MAX 1024

// Columns of a line where no terminal says otherwise.
#define WIDTH_DEFAULT 120
#define WIDTH_MIN     80
#define WIDTH_MAX     200

static const char HELP[] =
    "usage: sidetone read [OPTIONS] FILE|DIRECTORY|- ...\n"
    "\n"
    "Reads captures (pcap, pcapng) and shows every call and media stream, what went wrong\n"
    "and why. Several inputs are one capture in time order; '-' is standard input.\n"
    "\n"
    "  --json            one JSON object instead of a report for people\n"
    "  --messages        every SIP message, one a line (with --json: one object a line)\n"
    "  --headers         with --messages: all header fields too\n"
    "  --all             every call and stream in capture order, not only the 20 that\n"
    "                    deserve attention most\n"
    "  --cores N         threads to use (all); the output is the same for every N\n"
    "  --color, --no-color\n"
    "                    colours always or never (on terminals, unless NO_COLOR is set)\n"
    "  --quiet           no progress line (also --no-progress)\n"
    "  -I FILE           an input, as other tools name it\n"
    "  -N                no interface: accepted, since nothing else is done\n"
    "  --help            this text\n"
    "\n"
    "examples:\n"
    "  sidetone read trunk.pcap\n"
    "  sidetone read --all /var/captures/\n"
    "  sidetone read --json trunk.pcap | jq '.calls[] | select(.state == \"failed\") | .call_id'\n"
    "  tcpdump -c 1000 -w - udp port 5060 | sidetone read --messages -\n"
    "\n"
    "Exit status: 0 all was read; 1 something could not be read whole or written (what\n"
    "could be is reported); 2 usage; 130 interrupted by Ctrl-C (with the report so far).\n";

enum {
    OPTION_INPUT = 'I',
    OPTION_NO_INTERFACE = 'N',
    OPTION_HELP = 'h',
    OPTION_OPERAND = 1, // what getopt returns for it
    OPTION_CORES = 256,
    OPTION_JSON,
    OPTION_MESSAGES,
    OPTION_HEADERS,
    OPTION_ALL,
    OPTION_COLOUR,
    OPTION_NO_COLOUR,
    OPTION_QUIET,
    OPTION_CHUNK_BYTES,
};

// --chunk-bytes is for tests and stands in no help text: every value gives the same report.
static const struct option OPTIONS[] = {
    {"cores", required_argument, NULL, OPTION_CORES},
    {"json", no_argument, NULL, OPTION_JSON},
    {"messages", no_argument, NULL, OPTION_MESSAGES},
    {"headers", no_argument, NULL, OPTION_HEADERS},
    {"all", no_argument, NULL, OPTION_ALL},
    {"color", no_argument, NULL, OPTION_COLOUR},
    {"no-color", no_argument, NULL, OPTION_NO_COLOUR},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"no-progress", no_argument, NULL, OPTION_QUIET},
    {"chunk-bytes", required_argument, NULL, OPTION_CHUNK_BYTES},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

enum {
    OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS - 1
};

struct arguments {
    const char **paths; // as many as argc has room for
    size_t path_count;
    unsigned cores;
    size_t chunk_bytes;
    bool json, messages, headers, all, quiet, help;
    bool colour, no_colour;
};

// --- arguments ---

static int unknown_option(const char *word)
{
    const char *names[OPTION_COUNT];
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        names[i] = OPTIONS[i].name;
    }
    const char *meant = strncmp(word, "--", 2) == 0 ? suggest(word + 2, names, OPTION_COUNT) : NULL;
    if (meant) {
        fprintf(stderr, VERB ": there is no option '%s'; did you mean '--%s'?\n", word, meant);
    } else {
        fprintf(stderr, VERB ": there is no option '%s'; sidetone help read lists them\n", word);
    }
    return PROG_USAGE;
}

static int take_number(const char *option, uint64_t max, uint64_t *out)
{
    if (!slice_u64(slice_str(optarg), max, out)) {
        fprintf(stderr, VERB ": %s wants a whole number up to %llu, not '%s'\n", option,
                (unsigned long long)max, optarg);
        return PROG_USAGE;
    }
    return PROG_OK;
}

static int take_option(struct arguments *a, int option, const char *word)
{
    uint64_t number = 0;
    int status = PROG_OK;
    switch (option) {
    case OPTION_OPERAND:
    case OPTION_INPUT:
        a->paths[a->path_count++] = optarg;
        break;
    case OPTION_NO_INTERFACE:
        break;
    case OPTION_HELP:
        a->help = true;
        break;
    case OPTION_CORES:
        status = take_number("--cores", CORES_MAX, &number);
        a->cores = (unsigned)number;
        break;
    case OPTION_CHUNK_BYTES:
        status = take_number("--chunk-bytes", UINT32_MAX, &number);
        a->chunk_bytes = (size_t)number;
        break;
    case OPTION_JSON:
        a->json = true;
        break;
    case OPTION_MESSAGES:
        a->messages = true;
        break;
    case OPTION_HEADERS:
        a->headers = true;
        break;
    case OPTION_ALL:
        a->all = true;
        break;
    case OPTION_COLOUR:
        a->colour = true;
        a->no_colour = false;
        break;
    case OPTION_NO_COLOUR:
        a->no_colour = true;
        a->colour = false;
        break;
    case OPTION_QUIET:
        a->quiet = true;
        break;
    case ':':
        fprintf(stderr, VERB ": '%s' wants a value behind it\n", word);
        return PROG_USAGE;
    default: // a character of getopt_long, no enum of ours
        return unknown_option(word);
    }
    return status;
}

// What cannot work together or at all.
static int check_arguments(const struct arguments *a)
{
    if (a->path_count == 0) {
        fputs(VERB ": no input: name a capture file, a directory, or - for standard input "
                   "(sidetone help read tells more)\n",
              stderr);
        return PROG_USAGE;
    }
    if (a->headers && !a->messages) {
        fputs(VERB ": --headers goes with --messages: add it\n", stderr);
        return PROG_USAGE;
    }
    for (size_t i = 0; i < a->path_count; i++) {
        if (strcmp(a->paths[i], "-") == 0 && isatty(STDIN_FILENO)) {
            fputs(VERB ": standard input is a terminal: pipe a capture into it, "
                       "as in tcpdump -w - | sidetone read -\n",
                  stderr);
            return PROG_USAGE;
        }
    }
    return PROG_OK;
}

// The leading '-' makes getopt hand out operands in their place: inputs keep the order in which
// they were named, with -I or without.
static int read_arguments(struct arguments *a, int argc, char **argv)
{
    int option;
    opterr = 0;
    optind = 0; // GNU: start over, and read the leading '-' again
    do {
        int before = optind > 0 ? optind : 1;
        option = getopt_long(argc, argv, "-:hI:N", OPTIONS, NULL);
        // Inside a group of short flags optind stands still: the word is the one in work.
        const char *word = argv[optind > before ? optind - 1 : before < argc ? before : argc - 1];
        int status = option == -1 ? PROG_OK : take_option(a, option, word);
        if (status != PROG_OK) {
            return status;
        }
    } while (option != -1);
    while (optind < argc) { // behind "--"
        a->paths[a->path_count++] = argv[optind++];
    }
    return a->help ? PROG_OK : check_arguments(a);
}

// --- reading ---

// Set by the signal handler and when standard output is gone; the reader looks at it.
static volatile bool stop;

// The second signal finds the default action again and ends the program at once.
static void on_signal(int number)
{
    (void)number;
    stop = true;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

struct run {
    const struct arguments *arguments;
    struct output *out;
    struct progress progress;
    bool shows_progress;
    unsigned width;
};

static void on_message(void *context, const struct sidetone_message *m)
{
    struct run *run = context;
    if (run->arguments->json) {
        message_json(run->out, m, run->arguments->headers);
    } else {
        message_text(run->out, m, run->arguments->headers, run->width);
    }
    if (run->out->error != 0) {
        stop = true; // nobody reads any more
    }
}

static void on_progress(void *context, const struct sidetone_progress *at)
{
    struct run *run = context;
    if (run->shows_progress) {
        progress_update(&run->progress, at, clock_monotonic_ns());
    }
    if (run->arguments->messages) {
        output_flush(run->out); // who follows a live pipe wants to see them now
    }
}

static unsigned line_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0) {
        return WIDTH_DEFAULT;
    }
    return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col;
}

static bool wants_colour(const struct arguments *a)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (a->colour || a->no_colour) {
        return a->colour;
    }
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static void write_report(const struct run *run, const struct sidetone_report *report)
{
    const struct arguments *a = run->arguments;
    struct report_text_options text = {
        .paths = a->paths,
        .path_count = a->path_count,
        .all = a->all,
        .colour = wants_colour(a),
        .width = run->width,
    };
    if (a->json && a->messages) {
        report_json_capture_line(run->out, report);
    } else if (a->json) {
        report_json(run->out, report);
    } else if (a->messages) {
        report_text_capture(run->out, report, &text);
    } else {
        report_text(run->out, report, &text);
    }
}

// On standard error, one sentence each; not where the report with the same sentences stands on the
// same terminal.
static void say_warnings(const struct run *run, const struct sidetone_report *report)
{
    static struct output err; // too large for the stack
    const struct sidetone_capture *capture = sidetone_report_capture(report);
    if (!run->arguments->json && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)) {
        return;
    }
    output_init_fd(&err, STDERR_FILENO);
    for (size_t i = 0; i < capture->warning_count; i++) {
        OUTPUT(&err, "sidetone: ");
        put_safe(&err, text_slice(capture->warnings[i]), PUT_SAFE_COLUMNS_MAX);
        OUTPUT(&err, "\n");
    }
    output_flush(&err);
}

static int status_of(int read_status, const struct sidetone_report *report)
{
    const struct sidetone_capture *capture = sidetone_report_capture(report);
    if (capture->interrupted || stop) {
        return PROG_INTERRUPTED;
    }
    return read_status == SIDETONE_OK && capture->complete ? PROG_OK : PROG_FAILED;
}

static int run_read(const struct arguments *a)
{
    static struct output out; // too large for the stack
    struct sidetone_report *report = NULL;
    struct run run = {.arguments = a, .out = &out, .width = line_width()};
    output_init_fd(&out, STDOUT_FILENO);
    // Messages on the same terminal would be written through the line.
    run.shows_progress =
        !a->quiet && isatty(STDERR_FILENO) && !(a->messages && isatty(STDOUT_FILENO));
    progress_init(&run.progress, STDERR_FILENO, clock_monotonic_ns());
    struct sidetone_read_options options = {
        .cores = a->cores,
        .on_message = a->messages ? on_message : NULL,
        .on_progress = run.shows_progress || a->messages ? on_progress : NULL,
        .context = &run,
        .stop = &stop,
        .chunk_bytes = a->chunk_bytes,
    };
    catch_signals();
    int read_status = sidetone_read(a->paths, a->path_count, &options, &report);
    progress_clear(&run.progress);
    int status = status_of(read_status, report);
    say_warnings(&run, report);
    if (out.error == 0) {
        write_report(&run, report);
    }
    if (output_flush(&out) != 0) {
        status = prog_output_failed(VERB, out.error);
    }
    sidetone_report_free(report);
    return status;
}

int prog_read(int argc, char **argv)
{
    struct arguments a = {0};
    a.paths = memory_zero((size_t)argc * sizeof *a.paths);
    int status = read_arguments(&a, argc, argv);
    if (status == PROG_OK) {
        status = a.help ? prog_print(HELP) : run_read(&a);
    }
    memory_free(a.paths);
    return status;
}
