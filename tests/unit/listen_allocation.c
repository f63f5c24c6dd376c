// Proof that reading asks the system for memory by the call, the stream and the connection, never
// by the packet: a capture with thirty times the media, or the messages of a connection, takes
// hardly more allocations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "flow_traffic.h"
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

// --- TCP ---

// A message in each segment, in order, with an acknowledgement.
static struct cost cost_of_tcp(uint32_t messages, unsigned cores, uint16_t vlan)
{
    struct flow_frames f = {0};
    struct flow_tcp t = {.way = {.a = 1, .b = 2, .a_port = 40000, .b_port = 5060, .vlan = vlan},
                         .time_ns = CAPTURE_START_NS};
    struct bytes b = {0};
    char text[300];
    tcp_send(&f, &t, 0, t.time_ns, TCP_SYN, t.next[0]++, NULL, 0);
    for (uint32_t i = 0; i < messages; i++, t.time_ns += MS) {
        int n = snprintf(text, sizeof text,
                         "INFO sip:b@x SIP/2.0\r\nVia: SIP/2.0/TCP h;branch=z9hG4bK%u\r\n"
                         "From: <sip:a@x>;tag=f\r\nTo: <sip:b@x>;tag=t\r\nCall-ID: c@x\r\n"
                         "CSeq: %u INFO\r\nContent-Length: 0\r\n\r\n",
                         i, i + 1);
        tcp_send(&f, &t, 0, t.time_ns, TCP_ACK, t.next[0], (const uint8_t *)text, (size_t)n);
        t.next[0] += (uint32_t)n;
        tcp_send(&f, &t, 1, t.time_ns + 1000, TCP_ACK, t.next[1], NULL, 0);
    }
    flow_pcap(&f, &b);
    struct capture_file file = capture_file(b.p, b.n);
    const char *path = file.path;
    struct sidetone_read_options read = {.cores = cores, .chunk_bytes = 65536};
    struct sidetone_report *report;
    uint64_t before = memory_calls();
    assert_int_equal(sidetone_read(&path, 1, &read, &report), SIDETONE_OK);
    struct cost cost = {memory_calls() - before, f.n};
    const struct sidetone_capture *c = sidetone_report_capture(report);
    assert_int_equal(c->analysed, 1 + 2 * messages);
    assert_int_equal(c->sip_messages, messages);
    assert_int_equal(c->oddity_count, 0);
    sidetone_report_free(report);
    capture_file_close(&file);
    bytes_free(&b);
    flow_frames_free(&f);
    return cost;
}

static void check_tcp(unsigned cores, uint16_t vlan)
{
    struct cost little = cost_of_tcp(6000, cores, vlan);
    struct cost much = cost_of_tcp(30000, cores, vlan);
    print_message("# TCP, %u cores: %llu packets %llu allocations, %llu packets %llu allocations\n",
                  cores, (unsigned long long)little.packets, (unsigned long long)little.allocations,
                  (unsigned long long)much.packets, (unsigned long long)much.allocations);
    assert_true(much.allocations < little.allocations + 50);
}

static void read_of_more_messages_of_a_connection_takes_no_allocation_per_packet(void **state)
{
    (void)state;
    check_tcp(1, 0);
    check_tcp(1, 100);
    check_tcp(4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_of_more_media_takes_no_allocation_per_packet),
        cmocka_unit_test(read_on_many_cores_takes_no_allocation_per_packet),
        cmocka_unit_test(read_of_more_messages_of_a_connection_takes_no_allocation_per_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
