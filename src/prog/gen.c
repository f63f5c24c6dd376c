// `sidetone gen`: makes captures out of a seed and numbers.
#include "base/clock.h"
#include "base/error.h"
#include "gen/write.h"
#include "prog/interrupt.h"
#include "prog/options.h"
#include "prog/prog.h"
#include "show/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERB "sidetone gen carrier"

static const char HELP[] =
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
    "  --trunk             media of all calls between the same two addresses\n"
    "  --ipv6              IPv6 instead of IPv4\n"
    "  --vlan N            frames have an 802.1Q tag with this identifier, 1 to 4094\n"
    "  --tcp               signalling over TCP, one connection for each call at once\n"
    "  --pcapng            a pcapng file instead of pcap\n"
    "  --quiet             no progress line\n"
    "  --help              this text\n"
    "\n"
    "A pool must not be smaller than the concurrency.\n"
    "Exit status: 0 written, 1 could not be written, 2 usage, 130 interrupted.\n";

struct arguments {
    struct carrier_options options;
    const char *out;
    uint32_t vlan;
    bool pcapng, quiet, help;
};

// --- arguments ---

static int refuse(const struct carrier_options *o)
{
    switch (carrier_check(o)) {
    case CARRIER_GOOD:
        return PROG_OK;
    case CARRIER_CALLS_RANGE:
        fprintf(stderr, VERB ": --calls is from 1 to %u\n", CARRIER_CALLS_MAX);
        break;
    case CARRIER_RTP_RANGE:
        fprintf(stderr, VERB ": --rtp-per-call is at most %u\n", CARRIER_RTP_MAX);
        break;
    case CARRIER_CONCURRENCY_RANGE:
        fprintf(stderr, VERB ": --concurrency is from 1 to %u\n", CARRIER_CONCURRENCY_MAX);
        break;
    case CARRIER_POOL_RANGE:
        fprintf(stderr, VERB ": --call-ids and --stream-pairs are at most %u\n", CARRIER_POOL_MAX);
        break;
    case CARRIER_VLAN_RANGE:
        fprintf(stderr, VERB ": --vlan is at most %u\n", CARRIER_VLAN_MAX);
        break;
    case CARRIER_CALL_IDS_FEW:
        fputs(VERB ": --call-ids is smaller than --concurrency: calls in progress at once cannot "
                   "share a Call-ID (0 gives each call its own)\n",
              stderr);
        break;
    case CARRIER_PAIRS_FEW:
        fputs(VERB ": --stream-pairs is smaller than --concurrency: calls in progress at once "
                   "cannot share media endpoints (0 gives each call its own)\n",
              stderr);
        break;
    case CARRIER_TOO_LONG:
        fprintf(stderr,
                VERB ": the capture would last more than %d years: more --concurrency, fewer "
                     "--calls or less media\n",
                CARRIER_YEARS_MAX);
        break;
    }
    return PROG_USAGE;
}

static int read_arguments(struct arguments *a, int argc, char **argv)
{
    *a = (struct arguments){.options = CARRIER_DEFAULTS};
    struct carrier_options *o = &a->options;
    const struct option_row rows[] = {
        {"out", 0, OPTION_TEXT, &a->out, 0},
        {"calls", 0, OPTION_U32, &o->calls, CARRIER_CALLS_MAX},
        {"rtp-per-call", 0, OPTION_U32, &o->rtp_per_call, CARRIER_RTP_MAX},
        {"concurrency", 0, OPTION_U32, &o->concurrency, CARRIER_CONCURRENCY_MAX},
        {"call-ids", 0, OPTION_U32, &o->call_ids, CARRIER_POOL_MAX},
        {"stream-pairs", 0, OPTION_U32, &o->stream_pairs, CARRIER_POOL_MAX},
        {"seed", 0, OPTION_U64, &o->seed, UINT64_MAX},
        {"trunk", 0, OPTION_FLAG, &o->trunk, 0},
        {"ipv6", 0, OPTION_FLAG, &o->shape.is_v6, 0},
        {"vlan", 0, OPTION_U32, &a->vlan, CARRIER_VLAN_MAX},
        {"tcp", 0, OPTION_FLAG, &o->tcp, 0},
        {"pcapng", 0, OPTION_FLAG, &a->pcapng, 0},
        {"quiet", 0, OPTION_FLAG, &a->quiet, 0},
        {"help", 'h', OPTION_FLAG, &a->help, 0},
    };
    const struct option_table table = {.verb = VERB,
                                       .help = "sidetone help gen",
                                       .rows = rows,
                                       .count = sizeof rows / sizeof *rows};
    int status = options_read(&table, argc, argv);
    if (status != PROG_OK || a->help) {
        return status;
    }
    o->shape.vlan = (uint16_t)a->vlan;
    status = refuse(o);
    if (status == PROG_OK && !a->out) {
        fputs(VERB ": --out FILE is missing; sidetone help gen tells more\n", stderr);
        return PROG_USAGE;
    }
    return status;
}

// --- writing ---

struct meter {
    struct progress progress;
    uint64_t packets_total;
};

static void on_progress(void *context, const struct carrier_written *so_far)
{
    struct meter *m = context;
    struct progress_at at = {
        .doing = "writing",
        .packets = so_far->packets,
        .packets_total = m->packets_total,
        .bytes = so_far->bytes,
    };
    progress_update(&m->progress, &at, clock_monotonic_ns());
}

static int open_output(const char *path)
{
    if (strcmp(path, "-") == 0) {
        if (isatty(STDOUT_FILENO)) {
            fputs(VERB ": a capture is no text for a terminal: --out FILE, or a pipe behind it\n",
                  stderr);
            return -1;
        }
        return STDOUT_FILENO;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        fprintf(stderr, VERB ": %s cannot be written: %s\n", path, strerror(errno));
    }
    return fd;
}

static bool is_regular(int fd)
{
    struct stat st;
    return fd != STDOUT_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

// Writes and closes. Returns 0 or an error with errno.
static int write_and_close(const struct arguments *a, int fd, struct carrier_written *written)
{
    struct meter meter = {.packets_total = carrier_total(&a->options)};
    progress_init(&meter.progress, STDERR_FILENO, clock_monotonic_ns());
    struct carrier_watch watch = {
        .progress = !a->quiet && isatty(STDERR_FILENO) ? on_progress : NULL,
        .context = &meter,
        .stop = interrupt_flag(),
        .format = a->pcapng ? CARRIER_PCAPNG : CARRIER_PCAP,
    };
    int error = carrier_write(fd, &a->options, &watch, written);
    int why = errno;
    progress_clear(&meter.progress);
    if (fd != STDOUT_FILENO && close(fd) != 0 && error != ERR_WRITE) {
        error = ERR_WRITE; // some file systems tell a full disk only here
        why = errno;
    }
    errno = why;
    return error;
}

static int write_capture(const struct arguments *a, int fd)
{
    struct carrier_written written;
    bool regular = is_regular(fd);
    int error = write_and_close(a, fd, &written);
    int why = errno;
    if (error == ERR_WRITE && fd == STDOUT_FILENO) {
        return prog_output_failed(VERB, why);
    }
    if (error == ERR_WRITE) {
        fprintf(stderr, VERB ": %s cannot be written: %s\n", a->out, strerror(why));
        if (regular) {
            unlink(a->out); // it ends inside a record; devices and pipes stay
        }
        return PROG_FAILED;
    }
    if (error == ERR_INTERRUPTED) {
        fprintf(stderr, VERB ": interrupted; %s holds %" PRIu64 " of %" PRIu64 " packets\n", a->out,
                written.packets, carrier_total(&a->options));
        return PROG_INTERRUPTED;
    }
    fprintf(stderr, "%s: %" PRIu32 " calls, %" PRIu64 " packets, %" PRIu64 " bytes\n", a->out,
            a->options.calls, written.packets, written.bytes);
    return PROG_OK;
}

static int gen_carrier(int argc, char **argv)
{
    struct arguments a;
    int status = read_arguments(&a, argc, argv);
    if (status != PROG_OK || a.help) {
        return a.help && status == PROG_OK ? prog_print(HELP) : status;
    }
    int fd = open_output(a.out);
    if (fd < 0) {
        return strcmp(a.out, "-") == 0 ? PROG_USAGE : PROG_FAILED;
    }
    interrupt_catch();
    return write_capture(&a, fd);
}

int prog_gen(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : NULL;
    if (what && strcmp(what, "carrier") == 0) {
        return gen_carrier(argc - 1, argv + 1);
    }
    if (what && (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0)) {
        return prog_print(HELP);
    }
    fprintf(stderr,
            "sidetone gen: %s%s%s makes: sidetone gen carrier; sidetone help gen tells more\n",
            what ? "'" : "", what ? what : "", what ? "' is nothing it can make; it" : "it");
    return PROG_USAGE;
}
