// Proof that reading asks the system for memory by the call and the stream, never by the packet: a
// capture with thirty times the media takes hardly more allocations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "gen/write.h"
#include "sidetone/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct cost {
    uint64_t allocations, packets;
};

static struct cost cost_of(uint32_t rtp_per_call, unsigned cores)
{
    char path[] = "/tmp/sidetone-allocation-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    struct carrier_options options = CARRIER_DEFAULTS;
    options.calls = 50;
    options.concurrency = 10;
    options.call_ids = 0;
    options.stream_pairs = 0;
    options.rtp_per_call = rtp_per_call;
    struct carrier_written written;
    assert_int_equal(carrier_write(fd, &options, NULL, &written), 0);
    close(fd);

    struct sidetone_read_options read = {.cores = cores, .chunk_bytes = 65536};
    struct sidetone_report *report;
    const char *paths[] = {path};
    uint64_t before = memory_calls();
    assert_int_equal(sidetone_read(paths, 1, &read, &report), SIDETONE_OK);
    struct cost cost = {memory_calls() - before, sidetone_report_capture(report)->packets};
    assert_int_equal(cost.packets, written.packets);
    assert_int_equal(sidetone_report_streams(report), 100);
    sidetone_report_free(report);
    unlink(path);
    return cost;
}

static void check_cores(unsigned cores)
{
    struct cost little = cost_of(60, cores);
    struct cost much = cost_of(1800, cores);
    print_message("# %u cores: %llu packets %llu allocations, %llu packets %llu allocations\n",
                  cores, (unsigned long long)little.packets, (unsigned long long)little.allocations,
                  (unsigned long long)much.packets, (unsigned long long)much.allocations);
    // What may grow: arrays that double, chunks in flight, blocks of arenas for intervals.
    assert_true(much.allocations < little.allocations + 100);
}

static void read_of_more_media_takes_no_allocation_per_packet(void **state)
{
    (void)state;
    check_cores(1);
}

static void read_on_many_cores_takes_no_allocation_per_packet(void **state)
{
    (void)state;
    check_cores(4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_of_more_media_takes_no_allocation_per_packet),
        cmocka_unit_test(read_on_many_cores_takes_no_allocation_per_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
