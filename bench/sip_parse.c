// How long does one SIP message take? An INVITE of about 450 bytes without body, in steps: telling
// that it is SIP, finding its lines (plain and fast), the whole index, the values a tracker needs,
// and the judge.
//
// Prints the median and the best of several rounds in nanoseconds a message, and messages a second
// of one core.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wire/sip/scan.h"
#include "wire/sip/sip.h"

#define ROUNDS 15
#define TIMES  200000

static const char INVITE[] = "INVITE sip:bob@biloxi.example.com SIP/2.0\r\n"
                             "Via: SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK74bf9;rport\r\n"
                             "Max-Forwards: 70\r\n"
                             "From: \"Alice\" <sip:alice@atlanta.example.com>;tag=9fxced76sl\r\n"
                             "To: \"Bob\" <sip:bob@biloxi.example.com>\r\n"
                             "Call-ID: 3848276298220188511@atlanta.example.com\r\n"
                             "CSeq: 1 INVITE\r\n"
                             "Contact: <sip:alice@192.0.2.10:5060>\r\n"
                             "Allow: INVITE, ACK, CANCEL, BYE, OPTIONS\r\n"
                             "Supported: timer, 100rel\r\n"
                             "User-Agent: bench/1.0\r\n"
                             "Content-Length: 0\r\n"
                             "\r\n";

static uint64_t seen; // keeps the compiler from dropping the work

static void looks_like(const char *p, size_t n)
{
    seen += sip_looks_like(p, n);
}

static void refuse(const char *p, size_t n)
{
    (void)p;
    static char rtp[172] = {(char)0x80, 0x00, 0x12, 0x34};
    seen += sip_looks_like(rtp, n < sizeof rtp ? n : sizeof rtp);
}

static void scan_plain(const char *p, size_t n)
{
    struct sip_scan s = {0};
    struct sip_line lines[64];
    seen += sip_scan_plain(&s, p, (uint32_t)n, lines, 64);
}

static void scan_fast(const char *p, size_t n)
{
    struct sip_scan s = {0};
    struct sip_line lines[64];
    seen += sip_scan_has_fast() ? sip_scan_fast(&s, p, (uint32_t)n, lines, 64) : 0;
}

static struct sip_message message;

static void parse(const char *p, size_t n)
{
    seen += (uint64_t)sip_parse(&message, p, n, SIP_DATAGRAM, false) + message.header_count;
}

// What a tracker reads of every message: tags, branch, CSeq, Call-ID.
static void parse_and_decode(const char *p, size_t n)
{
    struct sip_name_addr from, to;
    struct sip_via via;
    struct sip_cseq cseq;
    parse(p, n);
    struct slice vias = sip_value(&message, SIP_H_VIA);
    struct slice top;
    sip_list_next(&vias, &top);
    sip_via(top, &via);
    sip_name_addr(sip_value(&message, SIP_H_FROM), &from);
    sip_name_addr(sip_value(&message, SIP_H_TO), &to);
    sip_cseq(sip_value(&message, SIP_H_CSEQ), &cseq);
    seen +=
        via.branch.n + from.tag.n + to.tag.n + cseq.number + sip_value(&message, SIP_H_CALL_ID).n;
}

static void parse_and_judge(const char *p, size_t n)
{
    parse(p, n);
    sip_judge(&message);
    seen += message.oddities;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*work)(const char *, size_t);
    } STEPS[] = {
        {"looks_like, RTP of 172 bytes", refuse},
        {"looks_like, INVITE", looks_like},
        {"scan, plain", scan_plain},
        {"scan, fast", scan_fast},
        {"parse", parse},
        {"parse and decode", parse_and_decode},
        {"parse and judge", parse_and_judge},
    };
    size_t steps = sizeof STEPS / sizeof *STEPS;
    static double ns[sizeof STEPS / sizeof *STEPS][ROUNDS];
    size_t n = sizeof INVITE - 1;
    for (int round = 0; round < ROUNDS; round++) { // steps interleaved: noise hits them alike
        for (size_t s = 0; s < steps; s++) {
            double start = now_ns();
            for (int i = 0; i < TIMES; i++) {
                STEPS[s].work(INVITE, n);
            }
            ns[s][round] = (now_ns() - start) / TIMES;
        }
    }
    printf("INVITE of %zu bytes; median (best) of %d rounds\n", n, ROUNDS);
    for (size_t s = 0; s < steps; s++) {
        qsort(ns[s], ROUNDS, sizeof ns[s][0], by_value);
        double median = ns[s][ROUNDS / 2];
        printf("%-30s %8.1f ns (%.1f)  %6.2f M/s\n", STEPS[s].name, median, ns[s][0], 1e3 / median);
    }
    return seen == 0;
}
