// How long does a packet take from its record into its stream? One stream alone, and many that take
// turns packet by packet, where each packet finds its stream in memory far away.
//
// Streams are G.711 with 20 ms packets in order, all of one bin; records are folded in runs of so
// many as a chunk gives a bin. Prints the median and the best of several rounds in nanoseconds a
// packet, and the bytes that a stream takes.
#include "base/clock.h"
#include "base/hash.h"
#include "track/media_bin.h"
#include "wire/rtp/level.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS  9
#define PACKETS 400000u
#define RUN     64u // records of a batch for one bin
#define STEP_NS INT64_C(20000000)

static struct media_record record_of(uint32_t packet, uint32_t streams)
{
    uint32_t stream = packet % streams;
    uint32_t number = packet / streams;
    return (struct media_record){
        .order = {STEP_NS * number, packet + 1},
        .time_ns = STEP_NS * number,
        .src = {{0, 1}, (uint16_t)(stream % 50000)},
        .dst = {{0, 2}, 5000},
        .ssrc = stream,
        .timestamp = number * 160,
        .head = level_pack((struct level){.peak = 60, .mean_twice = 70}),
        .sequence = (uint16_t)number,
        .payload_n = 160,
        .ip_id = (uint16_t)packet,
        .ttl = 64,
    };
}

// As a call of static payload types says it.
static void announce(struct media_bin *b)
{
    static const struct payload_map NO_TYPES;
    struct media_news news = {.endpoint = {{0, 2}, 5000}, .what = {.map = &NO_TYPES}};
    media_bin_announce(b, &news);
}

// Nanoseconds a packet, once every stream is there.
static double fold(uint32_t streams, size_t *bytes)
{
    struct media_bin b;
    struct media_record records[RUN];
    uint32_t sorted[RUN];
    int64_t spent_ns = 0;
    uint32_t warm_up = streams * 8;
    media_bin_init(&b);
    announce(&b);
    for (uint32_t i = 0; i < RUN; i++) {
        sorted[i] = i;
    }
    for (uint32_t packet = 0; packet < warm_up + PACKETS; packet += RUN) {
        for (uint32_t i = 0; i < RUN; i++) {
            records[i] = record_of(packet + i, streams);
        }
        const struct media_run run = {records, sorted, RUN};
        int64_t begin_ns = clock_monotonic_ns();
        media_bin_run(&b, &run);
        spent_ns += packet < warm_up ? 0 : clock_monotonic_ns() - begin_ns;
    }
    *bytes = (b.arena.total_bytes + b.lines.total_bytes) / streams;
    media_bin_fini(&b);
    return (double)spent_ns / PACKETS;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static const uint32_t STREAMS[] = {1, 64, 4096, 65536};
    enum {
        COUNT = sizeof STREAMS / sizeof *STREAMS
    };
    static double ns[COUNT][ROUNDS];
    static size_t bytes[COUNT];
    hash_secret_init();
    for (int round = 0; round < ROUNDS; round++) { // interleaved: noise hits them alike
        for (size_t i = 0; i < COUNT; i++) {
            ns[i][round] = fold(STREAMS[i], &bytes[i]);
        }
    }
    printf("%u packets in order; median (best) of %d rounds\n", PACKETS, ROUNDS);
    for (size_t i = 0; i < COUNT; i++) {
        qsort(ns[i], ROUNDS, sizeof ns[i][0], by_value);
        printf("%6u streams %8.1f ns (%.1f)  %6zu bytes a stream\n", STREAMS[i], ns[i][ROUNDS / 2],
               ns[i][0], bytes[i]);
    }
    return 0;
}
