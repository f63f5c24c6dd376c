// `sidetone read`: captures in, a report out.
#include "sidetone/read.h"

#include "base/clock.h"
#include "base/duration.h"
#include "base/memory.h"
#include "prog/interrupt.h"
#include "prog/options.h"
#include "prog/prog.h"
#include "prog/read_stats.h"
#include "prog/terminal.h"
#include "show/message_json.h"
#include "show/message_text.h"
#include "show/progress.h"
#include "show/report_json.h"
#include "show/report_text.h"
#include "show/text_put.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define VERB "sidetone read"

// Threads beyond this are a typing error.
#define CORES_MAX 1024

// The longest jitter buffer that can be asked for: nobody waits longer for an answer.
#define BUFFER_MAX_NS INT64_C(10000000000)

// Columns of a line where no terminal says otherwise.
#define WIDTH_DEFAULT 120
#define WIDTH_MIN     80
#define WIDTH_MAX     200

static const char HELP[] =
    "usage: sidetone read [OPTIONS] FILE|DIRECTORY|- ...\n"
    "\n"
    "Reads captures (pcap and pcapng, also compressed by gzip, zstd or lz4) and shows every\n"
    "call and media stream, what went wrong and why. Several inputs are one capture in time\n"
    "order; a directory stands for the files in it, '-' is standard input.\n"
    "\n"
    "What is shown:\n"
    "  --all             every call and stream in capture order, not only the 20 that\n"
    "                    deserve attention most; with --stats every row of each list\n"
    "  --json            one JSON object instead of a report for people\n"
    "  --messages        every SIP message, one a line (with --json: one object a line)\n"
    "  --headers         with --messages: all header fields too\n"
    "  --stats           one page about the service instead of single calls: answer ratios,\n"
    "                    delays, rates, methods, response codes, addresses, codecs\n"
    "  --group-by FIELD  with --stats: its numbers for each group of calls; FIELD is one of\n"
    "                    src, dst, from_host, to_host, from_user, to_user, user_agent,\n"
    "                    method, kind, state, final_code, transport, codec, ended_by,\n"
    "                    minute, hour, prefix:N (first N digits of the called number)\n"
    "  --csv, --markdown with --stats: as CSV with a header row, as Markdown tables\n"
    "\n"
    "How it is judged:\n"
    "  --jitter-buffer D packets later than this count as discarded, and as lost for the MOS:\n"
    "                    0ms to 10s (60ms), or adaptive\n"
    "  --strict-legs     only legs of a conversation that headers or bodies prove, none by\n"
    "                    number and time\n"
    "\n"
    "How it runs:\n"
    "  --cores N         threads to use (all); the output is the same for every N\n"
    "  --color, --no-color\n"
    "                    colours always or never (on terminals, unless NO_COLOR is set)\n"
    "  --quiet           no progress line (also --no-progress)\n"
    "  -I FILE           an input, as other tools name it\n"
    "  -N                no interface: accepted, since nothing else is done\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  sidetone read trunk.pcap\n"
    "  sidetone read --all /var/captures/\n"
    "  sidetone read --json trunk.pcap | jq '.calls[] | select(.state == \"failed\") | .call_id'\n"
    "  sidetone read --stats --group-by dst trunk.pcap\n"
    "  tcpdump -c 1000 -w - udp port 5060 | sidetone read --messages -\n"
    "\n"
    "Exit status: 0 all was read; 1 something could not be read whole or written (what\n"
    "could be is reported); 2 usage; 130 interrupted by Ctrl-C (with the report so far).\n";

enum colour {
    COLOUR_AUTO,
    COLOUR_ALWAYS,
    COLOUR_NEVER
};

struct arguments {
    const char **paths; // as many as argc has room for
    size_t path_count;
    uint32_t cores, chunk_bytes;
    bool json, messages, headers, all, quiet, help;
    bool stats, csv, markdown, strict_legs;
    const char *group_by;
    struct sidetone_stats_options stats_options;
    int colour; // enum colour
    const char *jitter_buffer;
    int64_t jitter_buffer_ns; // as in struct sidetone_read_options
};

// --- arguments ---

// The words of --stats, and what they cannot stand beside.
static int check_stats(struct arguments *a)
{
    const char *first = a->group_by ? "--group-by" : a->csv ? "--csv" : "--markdown";
    if (!a->stats && (a->group_by || a->csv || a->markdown)) {
        fprintf(stderr, VERB ": %s goes with --stats: add it\n", first);
        return PROG_USAGE;
    }
    if (a->stats && a->messages) {
        fputs(VERB ": --stats and --messages are two outputs: choose one\n", stderr);
        return PROG_USAGE;
    }
    if (a->json + a->csv + a->markdown > 1) {
        fputs(VERB ": --json, --csv and --markdown are three outputs: choose one\n", stderr);
        return PROG_USAGE;
    }
    return read_stats_group_by(VERB, a->group_by, &a->stats_options);
}

static int check_jitter_buffer(struct arguments *a)
{
    if (!a->jitter_buffer) {
        return PROG_OK;
    }
    if (strcmp(a->jitter_buffer, "adaptive") == 0) {
        a->jitter_buffer_ns = SIDETONE_BUFFER_ADAPTIVE;
        return PROG_OK;
    }
    if (!duration_read(slice_str(a->jitter_buffer), BUFFER_MAX_NS, &a->jitter_buffer_ns)) {
        fprintf(stderr,
                VERB ": --jitter-buffer wants a duration from 0ms to 10s, as 60ms, or adaptive, "
                     "not '%s'\n",
                a->jitter_buffer);
        return PROG_USAGE;
    }
    if (a->jitter_buffer_ns == 0) {
        a->jitter_buffer_ns = 1; // 0 would ask the library for its default
    }
    return PROG_OK;
}

// What cannot work together or at all.
static int check_arguments(struct arguments *a)
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
    int status = check_jitter_buffer(a);
    return status != PROG_OK ? status : check_stats(a);
}

// --chunk-bytes is for tests and stands in no help text: every value gives the same report.
static int read_arguments(struct arguments *a, int argc, char **argv)
{
    const struct option_row rows[] = {
        {"json", 0, OPTION_FLAG, &a->json, 0},
        {"messages", 0, OPTION_FLAG, &a->messages, 0},
        {"headers", 0, OPTION_FLAG, &a->headers, 0},
        {"stats", 0, OPTION_FLAG, &a->stats, 0},
        {"group-by", 0, OPTION_TEXT, &a->group_by, 0},
        {"csv", 0, OPTION_FLAG, &a->csv, 0},
        {"markdown", 0, OPTION_FLAG, &a->markdown, 0},
        {"all", 0, OPTION_FLAG, &a->all, 0},
        {"strict-legs", 0, OPTION_FLAG, &a->strict_legs, 0},
        {"cores", 0, OPTION_U32, &a->cores, CORES_MAX},
        {"jitter-buffer", 0, OPTION_TEXT, &a->jitter_buffer, 0},
        {"color", 0, OPTION_CHOICE, &a->colour, COLOUR_ALWAYS},
        {"no-color", 0, OPTION_CHOICE, &a->colour, COLOUR_NEVER},
        {"quiet", 0, OPTION_FLAG, &a->quiet, 0},
        {"no-progress", 0, OPTION_FLAG, &a->quiet, 0},
        {NULL, 'I', OPTION_OPERAND, NULL, 0},
        {NULL, 'N', OPTION_IGNORED, NULL, 0},
        {"chunk-bytes", 0, OPTION_U32, &a->chunk_bytes, UINT32_MAX},
        {"help", 'h', OPTION_FLAG, &a->help, 0},
    };
    const struct option_table table = {
        .verb = VERB,
        .help = "sidetone help read",
        .operands = a->paths,
        .operand_count = &a->path_count,
        .rows = rows,
        .count = sizeof rows / sizeof *rows,
    };
    int status = options_read(&table, argc, argv);
    return status != PROG_OK || a->help ? status : check_arguments(a);
}

// --- reading ---

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
        interrupt_raise(); // nobody reads any more
    }
}

static void on_progress(void *context, const struct sidetone_progress *at)
{
    struct run *run = context;
    if (run->shows_progress) {
        struct progress_at now = {
            .doing = "reading",
            .packets = at->packets,
            .bytes = at->bytes_read,
            .bytes_total = at->bytes_total,
        };
        progress_update(&run->progress, &now, clock_monotonic_ns());
    }
    if (run->arguments->messages) {
        output_flush(run->out); // who follows a live pipe wants to see them now
    }
}

static unsigned line_width(void)
{
    unsigned columns = terminal_columns(WIDTH_DEFAULT);
    return columns < WIDTH_MIN ? WIDTH_MIN : columns > WIDTH_MAX ? WIDTH_MAX : columns;
}

static bool wants_colour(const struct arguments *a)
{
    return a->colour == COLOUR_AUTO ? terminal_colour() : a->colour == COLOUR_ALWAYS;
}

static enum stats_door stats_door(const struct arguments *a)
{
    return a->json ? STATS_JSON : a->csv ? STATS_CSV : a->markdown ? STATS_MARKDOWN : STATS_TEXT;
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
        .cores = a->cores,
    };
    if (a->stats) {
        read_stats_write(run->out, report, &a->stats_options, stats_door(a), &text);
    } else if (a->json && a->messages) {
        report_json_capture_line(run->out, report);
    } else if (a->json) {
        report_json(run->out, report);
    } else if (a->messages) {
        report_text_capture(run->out, report, &text);
    } else {
        report_text(run->out, report, &text);
    }
}

// On standard error, one sentence each; not where the report with the same sentences stands on
// the same terminal.
static void say_warnings(const struct run *run, const struct sidetone_report *report)
{
    static struct output err; // too large for the stack
    const struct sidetone_capture *capture = sidetone_report_capture(report);
    bool is_for_people = !run->arguments->json && !run->arguments->csv && !run->arguments->markdown;
    if (is_for_people && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)) {
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
    if (capture->interrupted || *interrupt_flag()) {
        return PROG_INTERRUPTED;
    }
    return read_status == SIDETONE_OK && capture->complete ? PROG_OK : PROG_FAILED;
}

static int run_read(const struct arguments *a)
{
    static struct output out; // too large for the stack
    // Never freed: the process ends next, and giving back each of ten thousand pages by itself
    // takes as long as a tenth of reading them in. Static, so that nobody takes it for lost.
    static struct sidetone_report *report;
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
        .without_headers = !a->headers,
        .context = &run,
        .stop = interrupt_flag(),
        .strict_legs = a->strict_legs,
        .jitter_buffer_ns = a->jitter_buffer_ns,
        .chunk_bytes = a->chunk_bytes,
    };
    interrupt_catch();
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
