// Rounds of times, and calls to be counted by others.
#include "bench.h"

#include "base/clock.h"
#include "base/slice.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 15

uint64_t bench_seen;

static void call(const struct bench *b, uint64_t times)
{
    for (uint64_t i = 0; i < times; i++) {
        b->work(b->context);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int show_times(const char *about, const struct bench *benches, size_t count)
{
    static double ns[BENCH_MAX][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) { // interleaved: noise hits them alike
        for (size_t i = 0; i < count; i++) {
            const struct bench *b = &benches[i];
            int64_t begin = clock_monotonic_ns();
            call(b, b->calls);
            ns[i][round] =
                (double)(clock_monotonic_ns() - begin) / ((double)b->calls * b->operations);
        }
    }
    printf("%s; median (best) of %d rounds\n", about, ROUNDS);
    for (size_t i = 0; i < count; i++) {
        qsort(ns[i], ROUNDS, sizeof ns[i][0], by_value);
        double median = ns[i][ROUNDS / 2];
        printf("%-36s %9.1f ns (%.1f)  %8.2f M/s\n", benches[i].name, median, ns[i][0],
               1e3 / median);
    }
    return 0;
}

static int list(const struct bench *benches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s\t%" PRIu32 "\t%" PRIu32 "\n", benches[i].name, benches[i].calls,
               benches[i].operations);
    }
    return 0;
}

int bench_main(int argc, char **argv, const char *about, const struct bench *benches, size_t count)
{
    uint64_t calls;
    assert(count <= BENCH_MAX);
    if (argc == 1) {
        return show_times(about, benches, count);
    }
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        return list(benches, count);
    }
    if (argc == 4 && strcmp(argv[1], "--count") == 0 &&
        slice_u64(slice_str(argv[3]), UINT32_MAX, &calls)) {
        for (size_t i = 0; i < count; i++) {
            if (strcmp(argv[2], benches[i].name) == 0) {
                call(&benches[i], calls);
                return 0;
            }
        }
    }
    fprintf(stderr, "usage: %s [--list | --count NAME CALLS]\n", argv[0]);
    return 2;
}
