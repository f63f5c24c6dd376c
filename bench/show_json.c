// What does one SIP message cost as a line of JSON, and what do numbers cost?
//
// Prints the median and the best of several rounds in nanoseconds, and the bytes written. The
// output is thrown away a buffer at a time.
#include "base/clock.h"
#include "show/json_writer.h"
#include "show/message_json.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 15
#define TIMES  100000

static struct output out;
static uint64_t written;

static int throw_away(void *context, const char *p, size_t n)
{
    (void)context;
    (void)p;
    written += n;
    return 0;
}

#define TEXT(literal) ((struct sidetone_text){(literal), sizeof(literal) - 1})

static const struct sidetone_packet PACKETS[] = {{0, 12345}};
static const struct sidetone_text NAMES[] = {{"Via", 3}, {"From", 4}, {"To", 2}, {"Call-ID", 7}};
static const struct sidetone_text VALUES[] = {
    {"SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK74bf9;rport", 53},
    {"\"Alice\" <sip:alice@atlanta.example.com>;tag=9fxced76sl", 54},
    {"\"Bob\" <sip:bob@biloxi.example.com>", 34},
    {"3848276298220188511@atlanta.example.com", 39},
};

static struct sidetone_message invite(void)
{
    return (struct sidetone_message){
        .time_ns = INT64_C(1700000000123456789),
        .src = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 10}, 5060},
        .dst = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 20}, 5060},
        .transport = "UDP",
        .is_request = true,
        .method = TEXT("INVITE"),
        .uri = TEXT("sip:bob@biloxi.example.com"),
        .call_id = TEXT("3848276298220188511@atlanta.example.com"),
        .cseq = TEXT("1 INVITE"),
        .from = TEXT("sip:alice@atlanta.example.com"),
        .to = TEXT("sip:bob@biloxi.example.com"),
        .from_tag = TEXT("9fxced76sl"),
        .branch = TEXT("z9hG4bK74bf9"),
        .length = 450,
        .packets = PACKETS,
        .packet_count = 1,
        .header_names = NAMES,
        .header_values = VALUES,
        .header_count = 4,
    };
}

static void plain(void)
{
    struct sidetone_message m = invite();
    message_json(&out, &m, false);
}

static void with_headers(void)
{
    struct sidetone_message m = invite();
    message_json(&out, &m, true);
}

static void decimals(void)
{
    struct json j;
    json_init(&j, &out);
    json_open(&j, '[');
    json_decimal(&j, 1.0 / 3, 6);
    json_decimal(&j, 4.409, 3);
    json_ms(&j, INT64_C(40000500));
    json_time(&j, INT64_C(1700000000123456789));
    json_close(&j, ']');
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*work)(void))
{
    double rounds[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        written = 0;
        int64_t begin = clock_monotonic_ns();
        for (int i = 0; i < TIMES; i++) {
            work();
        }
        output_flush(&out);
        rounds[r] = (double)(clock_monotonic_ns() - begin) / TIMES;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, by_value);
    double bytes = (double)written / TIMES;
    printf("%-24s median %7.1f ns, best %7.1f ns, %5.0f bytes, %5.2f GB/s\n", name,
           rounds[ROUNDS / 2], rounds[0], bytes, bytes / rounds[0]);
}

int main(void)
{
    output_init(&out, throw_away, NULL);
    measure("message", plain);
    measure("message with headers", with_headers);
    measure("four numbers", decimals);
    return 0;
}
