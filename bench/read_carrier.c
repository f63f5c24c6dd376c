// How fast the carrier capture is made and read: packets and bytes a second, for one core and for
// all.
//
// usage: bench_read_carrier [CALLS]. The capture is written to a temporary file first and stays in
// the page cache. Times are of a whole read, from opening the file to the finished report, without
// writing it as JSON.
#include "base/clock.h"
#include "base/slice.h"
#include "base/team.h"
#include "gen/write.h"
#include "sidetone/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 15

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_line(const char *name, int64_t *times, const struct carrier_written *size)
{
    qsort(times, ROUNDS, sizeof *times, by_value);
    double median = (double)times[ROUNDS / 2] / 1e9, best = (double)times[0] / 1e9;
    printf("%-22s %7.1f ms (%.1f) %9.2f M packets/s %7.0f MB/s\n", name, median * 1e3, best * 1e3,
           (double)size->packets / median / 1e6, (double)size->bytes / median / 1e6);
}

static int64_t make_once(const char *path, const struct carrier_options *options,
                         struct carrier_written *written)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    int64_t begin = clock_monotonic_ns();
    int error = carrier_write(fileno(file), options, NULL, written);
    int64_t took = clock_monotonic_ns() - begin;
    if (fclose(file) != 0 || error) {
        perror(path);
        exit(1);
    }
    return took;
}

static int64_t read_once(const char *path, unsigned cores, uint64_t packets)
{
    struct sidetone_read_options options = {.cores = cores};
    struct sidetone_report *report;
    int64_t begin = clock_monotonic_ns();
    int status = sidetone_read(&path, 1, &options, &report);
    int64_t took = clock_monotonic_ns() - begin;
    if (status != SIDETONE_OK || sidetone_report_capture(report)->packets != packets) {
        fprintf(stderr, "%s was not read whole\n", path);
        exit(1);
    }
    sidetone_report_free(report);
    return took;
}

int main(int argc, char **argv)
{
    struct carrier_options options = CARRIER_DEFAULTS;
    uint64_t calls;
    if (argc > 2 || (argc == 2 && !slice_u64(slice_str(argv[1]), CARRIER_CALLS_MAX, &calls))) {
        fputs("usage: bench_read_carrier [CALLS]\n", stderr);
        return 2;
    }
    if (argc == 2) {
        options.calls = (uint32_t)calls;
    }
    char path[] = "/tmp/sidetone-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) {
        perror(path);
        return 1;
    }
    close(fd);
    struct carrier_written size;
    int64_t made[ROUNDS], one[ROUNDS], all[ROUNDS];
    // Interleaved, so that a busy moment of the machine falls on all of them.
    for (int i = 0; i < ROUNDS; i++) {
        made[i] = make_once(path, &options, &size);
        one[i] = read_once(path, 1, size.packets);
        all[i] = read_once(path, 0, size.packets);
    }
    printf("carrier capture of %u calls, %llu packets, %llu bytes; median (best) of %d rounds\n",
           (unsigned)options.calls, (unsigned long long)size.packets,
           (unsigned long long)size.bytes, ROUNDS);
    print_line("gen carrier", made, &size);
    print_line("read, 1 core", one, &size);
    char name[32];
    snprintf(name, sizeof name, "read, %u cores", team_processors());
    print_line(name, all, &size);
    unlink(path);
    return 0;
}
