// `sidetone gen`: makes captures out of a seed and numbers.
#include "base/error.h"
#include "base/slice.h"
#include "gen/write.h"
#include "prog/prog.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help_text[] =
    "usage: sidetone gen carrier --out FILE [OPTIONS]\n"
    "\n"
    "Writes the capture of a busy trunk: complete calls (INVITE, 100, 180, 200, ACK, BYE, 200)\n"
    "with G.711 mu-law both ways at 20 ms. The same arguments give the same bytes.\n"
    "\n"
    "  --out FILE          where to write; '-' is standard output\n"
    "  --calls N           calls (5000)\n"
    "  --rtp-per-call N    RTP packets of a call, both directions together (100)\n"
    "  --concurrency N     calls in progress at once (100)\n"
    "  --call-ids N        Call-IDs that the calls share, 0: one for each call (100)\n"
    "  --stream-pairs N    pairs of media addresses and SSRCs that the calls share,\n"
    "                      0: one for each call (100)\n"
    "  --seed N            any number (1)\n"
    "  --help              this text\n"
    "\n"
    "A pool must not be smaller than the concurrency.\n"
    "Exit status: 0 written, 1 could not be written, 2 usage, 130 interrupted.\n";

// Set by the signal handler, read between buffers.
static volatile bool stop;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    stop = true;
}

struct arguments {
    struct carrier_options options;
    const char *out;
};

static int usage(const char *sentence)
{
    fprintf(stderr, "sidetone gen carrier: %s (--help tells more)\n", sentence);
    return PROG_USAGE;
}

static int bad_number(const char *option, const char *text, uint64_t max)
{
    fprintf(stderr, "sidetone gen carrier: --%s wants a whole number up to %" PRIu64 ", not '%s'\n",
            option, max, text);
    return PROG_USAGE;
}

static const struct option long_options[] = {
    {"calls", required_argument, NULL, 'c'},
    {"rtp-per-call", required_argument, NULL, 'r'},
    {"call-ids", required_argument, NULL, 'i'},
    {"stream-pairs", required_argument, NULL, 'p'},
    {"concurrency", required_argument, NULL, 'n'},
    {"seed", required_argument, NULL, 's'},
    {"out", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

// Where the number of an option goes; NULL: the option takes none.
static uint32_t *number_of(struct carrier_options *o, int option)
{
    switch (option) {
    case 'c':
        return &o->calls;
    case 'r':
        return &o->rtp_per_call;
    case 'i':
        return &o->call_ids;
    case 'p':
        return &o->stream_pairs;
    case 'n':
        return &o->concurrency;
    default: // a character of getopt_long, no enum of ours
        return NULL;
    }
}

// Returns -1 to go on, else the exit status.
static int take_option(struct arguments *a, int option, const char *name)
{
    uint64_t value;
    uint32_t *number = number_of(&a->options, option);
    if (number) {
        if (!slice_u64(slice_str(optarg), UINT32_MAX, &value)) {
            return bad_number(name, optarg, UINT32_MAX);
        }
        *number = (uint32_t)value;
    } else if (option == 's') {
        if (!slice_u64(slice_str(optarg), UINT64_MAX, &a->options.seed)) {
            return bad_number(name, optarg, UINT64_MAX);
        }
    } else if (option == 'o') {
        a->out = optarg;
    } else if (option == 'h') {
        return prog_print(help_text);
    } else {
        return PROG_USAGE; // getopt_long has said what is wrong
    }
    return -1;
}

static int read_arguments(struct arguments *a, int argc, char **argv)
{
    *a = (struct arguments){.options = CARRIER_DEFAULTS};
    static char name[] = "sidetone gen carrier"; // what getopt_long calls us
    argv[0] = name;
    optind = 1;
    int option, index = 0;
    while ((option = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        int status = take_option(a, option, long_options[index].name);
        if (status >= 0) {
            return status;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "sidetone gen carrier: '%s' is not understood (--help tells more)\n",
                argv[optind]);
        return PROG_USAGE;
    }
    const char *wrong = carrier_check(&a->options);
    if (wrong) {
        return usage(wrong);
    }
    if (!a->out) {
        return usage("--out FILE is missing");
    }
    return -1;
}

// A line that is written over again, on terminals only.
struct meter {
    uint64_t total;
    unsigned percent;
};

static void show_progress(void *context, const struct carrier_written *so_far)
{
    struct meter *m = context;
    unsigned percent = (unsigned)(so_far->packets * 100 / m->total);
    if (percent != m->percent) {
        m->percent = percent;
        fprintf(stderr, "\r%3u %%  %" PRIu64 " packets, %" PRIu64 " MB", percent, so_far->packets,
                so_far->bytes / 1000000);
    }
}

static int open_output(const char *path)
{
    if (strcmp(path, "-") == 0) {
        if (isatty(STDOUT_FILENO)) {
            usage("a capture is no text for a terminal: --out FILE, or a pipe behind it");
            return -1;
        }
        return STDOUT_FILENO;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        fprintf(stderr, "sidetone gen carrier: %s cannot be written: %s\n", path, strerror(errno));
    }
    return fd;
}

static bool is_regular(int fd)
{
    struct stat st;
    return fd != STDOUT_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static int write_capture(const struct arguments *a, int fd)
{
    bool terminal = isatty(STDERR_FILENO);
    bool regular = is_regular(fd);
    struct meter meter = {.total = carrier_total(&a->options)};
    struct carrier_watch watch = {
        .progress = terminal ? show_progress : NULL,
        .context = &meter,
        .stop = &stop,
    };
    struct carrier_written written;
    int error = carrier_write(fd, &a->options, &watch, &written);
    int why = errno;
    if (error != ERR_WRITE && fd != STDOUT_FILENO && close(fd) != 0) {
        error = ERR_WRITE; // some file systems tell a full disk only here
        why = errno;
    }
    if (terminal) {
        fputs("\r\033[K", stderr);
    }
    if (error == ERR_WRITE && fd == STDOUT_FILENO) {
        return prog_output_failed("sidetone gen carrier", why);
    }
    if (error == ERR_WRITE) {
        fprintf(stderr, "sidetone gen carrier: %s cannot be written: %s\n", a->out, strerror(why));
        if (regular) {
            unlink(a->out); // it ends inside a record; devices and pipes stay
        }
        return PROG_FAILED;
    }
    if (error == ERR_INTERRUPTED) {
        fprintf(stderr,
                "sidetone gen carrier: interrupted; %s holds %" PRIu64 " of %" PRIu64 " packets\n",
                a->out, written.packets, meter.total);
        return PROG_INTERRUPTED;
    }
    fprintf(stderr, "%s: %" PRIu32 " calls, %" PRIu64 " packets, %" PRIu64 " bytes\n", a->out,
            a->options.calls, written.packets, written.bytes);
    return PROG_OK;
}

int prog_gen(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : NULL;
    if (what && (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0)) {
        return prog_print(help_text);
    }
    if (!what || strcmp(what, "carrier") != 0) {
        fprintf(stderr, "sidetone gen: %s%s%s makes: sidetone gen carrier (--help tells more)\n",
                what ? "'" : "", what ? what : "", what ? "' is nothing it can make; it" : "it");
        return PROG_USAGE;
    }
    struct arguments a;
    int status = read_arguments(&a, argc - 1, argv + 1);
    if (status >= 0) {
        return status;
    }
    int fd = open_output(a.out);
    if (fd < 0) {
        return strcmp(a.out, "-") == 0 ? PROG_USAGE : PROG_FAILED;
    }
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return write_capture(&a, fd);
}
