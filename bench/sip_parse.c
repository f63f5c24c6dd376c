// How long does one SIP message take? Eight kinds of them, in steps: telling that it is SIP,
// reading its start line, indexing its lines (plain and fast), the whole parse, the values that
// every element must read, and the judge; then the same message by other parsers, if they are
// there.
//
// Prints the median of several rounds in nanoseconds a message, and at the end messages a second
// of one core over all kinds (by the best rounds too: on a busy machine medians are its
// neighbours'), and how many times longer the others take. `bench_sip_parse STEP TIMES` runs one
// step that often on each kind and prints nothing: for counts of instructions.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sip_peers.h"
#include "sip_texts.h"
#include "wire/sip/index.h"
#include "wire/sip/sip.h"
#include "wire/sip/start.h"

#define ROUNDS 101
#define MEDIAN (ROUNDS / 2)
#define BEST   0
#define TIMES  2000 // short rounds: most of them run undisturbed on a busy machine

static uint64_t seen; // keeps the compiler from dropping the work

static struct sip_message message;

static void refuse(const char *p, size_t n)
{
    (void)p;
    static char rtp[172] = {(char)0x80, 0x00, 0x12, 0x34};
    seen += sip_looks_like(rtp, n < sizeof rtp ? n : sizeof rtp);
}

static void looks_like(const char *p, size_t n)
{
    seen += sip_looks_like(p, n);
}

static void start_line(const char *p, size_t n)
{
    struct sip_start start;
    seen += sip_start_read(&start, p, n) + start.next;
}

static void index_by(void (*index)(struct sip_index *), const char *p, size_t n)
{
    const char *lf = memchr(p, '\n', n);
    struct sip_index x = {.m = &message, .p = p, .n = (uint32_t)n, .at = (uint32_t)(lf - p) + 1};
    message.header_count = 0;
    memset(message.first, 0xff, sizeof message.first);
    index(&x);
    seen += x.at;
}

static void index_plain(const char *p, size_t n)
{
    index_by(sip_index_plain, p, n);
}

static void index_lines(const char *p, size_t n)
{
    index_by(sip_index_lines, p, n);
}

static void parse(const char *p, size_t n)
{
    seen += (uint64_t)sip_parse(&message, p, n, SIP_DATAGRAM, false) + message.header_count;
}

static size_t address(enum sip_header_id id)
{
    struct sip_name_addr a;
    struct sip_uri uri;
    if (!sip_name_addr(sip_value(&message, id), &a) || !sip_uri(a.uri, &uri)) {
        return 0;
    }
    return a.tag.n + uri.host.n;
}

// The topmost Via, From, To, Call-ID, CSeq, Max-Forwards, Contact and the URIs in them; the parse
// has decoded Content-Length.
static void parse_and_decode(const char *p, size_t n)
{
    struct sip_via via;
    struct sip_cseq cseq;
    struct sip_uri uri;
    struct slice top;
    uint64_t hops = 0;
    parse(p, n);
    struct slice vias = sip_value(&message, SIP_H_VIA);
    sip_list_next(&vias, &top);
    sip_via(top, &via);
    sip_cseq(sip_value(&message, SIP_H_CSEQ), &cseq);
    slice_u64(sip_value(&message, SIP_H_MAX_FORWARDS), UINT8_MAX, &hops);
    if (message.is_request) {
        seen += sip_uri(message.uri, &uri) + uri.host.n;
    }
    seen += via.branch.n + cseq.number + hops + sip_value(&message, SIP_H_CALL_ID).n;
    seen += address(SIP_H_FROM) + address(SIP_H_TO) + address(SIP_H_CONTACT);
}

static void parse_and_judge(const char *p, size_t n)
{
    parse(p, n);
    sip_judge(&message);
    seen += message.oddities;
}

static const struct {
    const char *name;
    void (*work)(const char *, size_t);
} STEPS[] = {
    {"refuse", refuse},
    {"looks_like", looks_like},
    {"start", start_line},
    {"plain", index_plain},
    {"index", index_lines},
    {"parse", parse},
    {"+decode", parse_and_decode},
    {"+judge", parse_and_judge},
};

#define STEP_COUNT (sizeof STEPS / sizeof *STEPS)
#define DECODE     6 // the step that the others are compared with

static double ns[TEXT_COUNT][STEP_COUNT + SIP_PEERS][ROUNDS];

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Of the rounds, by place: 0 is the best.
static double round_at(size_t text, size_t step, size_t place)
{
    qsort(ns[text][step], ROUNDS, sizeof(double), by_value);
    return ns[text][step][place];
}

static double time_step(size_t step, struct slice s, int times)
{
    int64_t start = clock_monotonic_ns();
    for (int i = 0; i < times; i++) {
        STEPS[step].work(s.p, s.n);
    }
    return (double)(clock_monotonic_ns() - start) / times;
}

// Returns a time below zero where the peer refuses the message.
static double time_peer(const struct sip_peer *peer, struct slice s, int times)
{
    bool good = true;
    peer->begin(s.p, s.n);
    int64_t start = clock_monotonic_ns();
    for (int i = 0; i < times; i++) {
        good &= peer->parse(s.p, s.n) == 0;
    }
    double took = (double)(clock_monotonic_ns() - start) / times;
    peer->end();
    return good ? took : -1;
}

// All steps in turn, so that noise hits them alike.
static void measure(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t t = 0; t < TEXT_COUNT; t++) {
            for (size_t s = 0; s < STEP_COUNT; s++) {
                ns[t][s][round] = time_step(s, TEXTS[t].text, TIMES);
            }
            for (size_t s = 0; s < SIP_PEERS; s++) {
                if (SIP_PEER[s].is_there) {
                    ns[t][STEP_COUNT + s][round] =
                        time_peer(&SIP_PEER[s], TEXTS[t].text, TIMES / 20);
                }
            }
        }
    }
}

static void print_table(void)
{
    printf("ns a message, median of %d rounds\n%-13s %5s", ROUNDS, "", "bytes");
    for (size_t s = 0; s < STEP_COUNT; s++) {
        printf(" %10s", STEPS[s].name);
    }
    for (size_t s = 0; s < SIP_PEERS; s++) {
        printf(" %10s", SIP_PEER[s].name);
    }
    printf("\n");
    for (size_t t = 0; t < TEXT_COUNT; t++) {
        printf("%-13s %5zu", TEXTS[t].name, TEXTS[t].text.n);
        for (size_t s = 0; s < STEP_COUNT; s++) {
            printf(" %10.1f", round_at(t, s, MEDIAN));
        }
        for (size_t s = 0; s < SIP_PEERS; s++) {
            double m = SIP_PEER[s].is_there ? round_at(t, STEP_COUNT + s, MEDIAN) : 0;
            if (m > 0) {
                printf(" %10.1f", m);
            } else {
                printf(" %10s", m < 0 ? "refuses" : "-");
            }
        }
        printf("\n");
    }
}

// Of all kinds, one of each.
static double total(size_t step, size_t place)
{
    double sum = 0;
    for (size_t t = 0; t < TEXT_COUNT; t++) {
        sum += round_at(t, step, place);
    }
    return sum;
}

static void print_speed(const char *name, size_t step)
{
    printf("%-10s %8.2f M messages/s (best %.2f)", name, 1e3 * TEXT_COUNT / total(step, MEDIAN),
           1e3 * TEXT_COUNT / total(step, BEST));
}

static void print_sums(void)
{
    printf("\n");
    for (size_t s = 0; s < STEP_COUNT; s++) {
        print_speed(STEPS[s].name, s);
        printf("\n");
    }
    for (size_t s = 0; s < SIP_PEERS; s++) {
        size_t step = STEP_COUNT + s;
        if (SIP_PEER[s].is_there) {
            print_speed(SIP_PEER[s].name, step);
            printf(", takes %.1f (%.1f) times as long as %s\n",
                   total(step, MEDIAN) / total(DECODE, MEDIAN),
                   total(step, BEST) / total(DECODE, BEST), STEPS[DECODE].name);
        } else {
            printf("%-10s is not there (./dev bench installs it)\n", SIP_PEER[s].name);
        }
    }
}

static int run_step(const char *name, int times)
{
    for (size_t s = 0; s < STEP_COUNT; s++) {
        if (strcmp(STEPS[s].name, name) == 0) {
            for (size_t t = 0; t < TEXT_COUNT; t++) {
                time_step(s, TEXTS[t].text, times);
            }
            return 0;
        }
    }
    fprintf(stderr, "no step is called '%s'\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        return run_step(argv[1], (int)strtol(argv[2], NULL, 10));
    }
    measure();
    print_table();
    print_sums();
    return seen == 0;
}
