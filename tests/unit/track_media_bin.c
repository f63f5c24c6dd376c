// Tests of the media bin: which packets make a stream, and what strangers can make grow.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "capture.h"
#include "map_of.h"
#include "track/media_bin.h"

static struct media_bin bin;
static struct arena texts;
static struct payload_map_table maps;

static int begin(void **state)
{
    (void)state;
    media_bin_init(&bin);
    arena_init(&texts, 4096);
    maps = (struct payload_map_table){.arena = &texts};
    return 0;
}

static int end(void **state)
{
    (void)state;
    media_bin_fini(&bin);
    payload_maps_fini(&maps);
    arena_fini(&texts);
    return 0;
}

static struct media_record record(uint16_t src, uint16_t dst, uint32_t ssrc, uint16_t sequence,
                                  int64_t at_ms)
{
    return (struct media_record){
        .src = {{0, 1}, src},
        .dst = {{0, 2}, dst},
        .order = order_of(CAPTURE_START_NS + at_ms * MS, 0, (uint64_t)at_ms + 1),
        .time_ns = CAPTURE_START_NS + at_ms * MS,
        .ssrc = ssrc,
        .sequence = sequence,
        .timestamp = sequence * 160u,
        .payload_n = 160,
        .ip_id = sequence,
    };
}

static void packet(uint16_t src, uint16_t dst, uint32_t ssrc, uint16_t sequence, int64_t at_ms)
{
    struct media_record r = record(src, dst, ssrc, sequence, at_ms);
    media_bin_packet(&bin, &r);
}

static void announce_codec(uint16_t port, uint32_t call, uint64_t cseq, int64_t at_ms,
                           enum codec codec)
{
    struct sdp_media media = {.format_count = 1};
    media.formats[0] = (struct sdp_format){.payload_type = 0, .codec = codec, .clock_hz = 8000};
    struct media_news a = {
        .order = order_of(CAPTURE_START_NS + at_ms * MS, 0, (uint64_t)at_ms + 1),
        .what.time_ns = CAPTURE_START_NS + at_ms * MS,
        .endpoint = {{0, 2}, port},
        .what.call = {0, call},
        .what.cseq = cseq,
        .what.map = map_of(&maps, &media),
    };
    media_bin_announce(&bin, &a);
}

static void announce(uint16_t port, uint32_t call, int64_t at_ms)
{
    announce_codec(port, call, 1, at_ms, CODEC_PCMU);
}

static void packet_that_was_announced_makes_a_stream_at_once(void **state)
{
    (void)state;
    announce(5000, 3, 0);
    packet(4000, 5000, 7, 10, 20);
    assert_int_equal(bin.stream_count, 1);
    assert_non_null(bin.streams[0]->announcement);
    assert_int_equal(bin.streams[0]->announcement->call.index, 3);
}

static void packet_that_nobody_announced_waits_for_a_second(void **state)
{
    (void)state;
    packet(4000, 5000, 7, 10, 0);
    assert_int_equal(bin.stream_count, 0);
    packet(4000, 5000, 7, 11, 20);
    assert_int_equal(bin.stream_count, 1);
    assert_int_equal(bin.streams[0]->unique, 2);
    assert_null(bin.streams[0]->announcement);
}

static void second_packet_proves_within_its_reach(void **state)
{
    (void)state;
    static const struct {
        int distance;
        bool proves;
    } CASES[] = {{1, true},
                 {-1, true},
                 {CANDIDATE_REACH, true},
                 {-CANDIDATE_REACH, true},
                 {CANDIDATE_REACH + 1, false},
                 {-CANDIDATE_REACH - 1, false},
                 {30000, false}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        uint32_t before = bin.stream_count;
        packet(4000, 5000, 100 + (uint32_t)i, 5, 0);
        packet(4000, 5000, 100 + (uint32_t)i, (uint16_t)(5 + CASES[i].distance), 20);
        assert_int_equal(bin.stream_count - before, CASES[i].proves);
    }
    // A candidate that did not prove itself is measured from its newest packet.
    uint32_t before = bin.stream_count;
    packet(4000, 5000, 200, 5, 0);
    packet(4000, 5000, 200, 20000, 20);
    packet(4000, 5000, 200, 20001, 40);
    assert_int_equal(bin.stream_count - before, 1);
    assert_int_equal(bin.streams[before]->unique, 2);
}

static void packet_before_its_announcement_is_part_of_the_stream(void **state)
{
    (void)state;
    packet(4000, 5000, 7, 10, 0);
    announce(5000, 1, 10);
    packet(4000, 5000, 7, 200, 20); // far away, but announced now
    media_bin_finish(&bin);
    assert_int_equal(bin.stream_count, 1);
    assert_int_equal(bin.streams[0]->unique, 2);
    assert_int_equal(bin.streams[0]->base_ext, 65536 + 10);
}

static void lone_packet_is_a_stream_if_it_is_announced_at_all(void **state)
{
    (void)state;
    packet(4000, 5000, 7, 10, 0);
    packet(4000, 6000, 8, 10, 0);
    announce(5000, 1, 10);
    media_bin_finish(&bin);
    assert_int_equal(bin.stream_count, 1);
    assert_int_equal(bin.streams[0]->ssrc, 7);
}

static void stream_that_runs_already_belongs_to_the_call_that_announces_it(void **state)
{
    (void)state;
    packet(4000, 5000, 7, 10, 0);
    packet(4000, 5000, 7, 11, 20);
    announce(5000, 9, 30);
    packet(4000, 5000, 7, 12, 40);
    media_bin_finish(&bin);
    assert_non_null(bin.streams[0]->announcement);
    assert_int_equal(bin.streams[0]->announcement->call.index, 9);
    assert_non_null(bin.streams[0]->map);
}

static void stream_stays_with_the_call_that_it_began_in(void **state)
{
    (void)state;
    announce(5000, 1, 0);
    packet(4000, 5000, 7, 10, 20);
    announce(5000, 2, 30);
    packet(4000, 5000, 7, 11, 40);
    packet(4000, 5000, 8, 1, 60);
    assert_int_equal(bin.stream_count, 2);
    assert_int_equal(bin.streams[0]->announcement->call.index, 1);
    assert_int_equal(bin.streams[1]->announcement->call.index, 2);
}

static void stream_that_is_idle_is_told_of_no_announcement(void **state)
{
    (void)state;
    announce_codec(5000, 1, 1, 0, CODEC_PCMU);
    packet(4000, 5000, 7, 10, 20);
    packet(4000, 5000, 8, 10, 70000);
    announce_codec(5000, 2, 1, 70010, CODEC_PCMA);
    assert_ptr_not_equal(bin.streams[0]->map, bin.streams[1]->map);
    struct media_endpoint **at = bin.endpoints;
    while (!*at) {
        at++;
    }
    assert_int_equal((*at)->streams, 2); // the second
    assert_int_equal(bin.streams[1]->next_of_endpoint, 0);
}

static void bin_keeps_streams_of_other_sources_and_ssrcs_apart(void **state)
{
    (void)state;
    announce(5000, 1, 0);
    for (uint16_t i = 0; i < 2000; i++) {
        for (uint16_t sequence = 0; sequence < 3; sequence++) {
            packet((uint16_t)(1000 + i), 5000, i % 7, sequence, 20 + sequence);
        }
    }
    media_bin_finish(&bin);
    assert_int_equal(bin.stream_count, 2000);
    for (uint32_t i = 0; i < 2000; i++) {
        assert_int_equal(bin.streams[i]->unique, 3);
        assert_int_equal(stream_src(bin.streams[i]).port, 1000 + i);
    }
}

static void random_datagrams_make_no_stream_and_no_memory(void **state)
{
    (void)state;
    struct random rng;
    uint64_t seed = capture_seed("media_bin_noise", 1);
    random_init(&rng, seed);
    uint64_t calls = 0;
    for (int i = 0; i < 1000000; i++) {
        if (i == 1000) {
            calls = memory_calls();
        }
        struct media_record r = record((uint16_t)random_u64(&rng), (uint16_t)random_u64(&rng),
                                       (uint32_t)random_u64(&rng), (uint16_t)random_u64(&rng), i);
        r.payload_type = (uint8_t)random_below(&rng, 128);
        media_bin_packet(&bin, &r);
    }
    assert_int_equal(bin.stream_count, 0);
    assert_int_equal(bin.arena.total_bytes, 0);
    assert_true(memory_calls() - calls <= 10); // doublings
    assert_true(bin.candidate_sets <= CANDIDATE_SETS_MAX);
    assert_true(bin.evicted >= 1000000 - CANDIDATE_SETS_MAX * CANDIDATE_WAYS);
}

static void random_datagrams_of_one_flow_make_no_stream(void **state)
{
    (void)state;
    struct random rng;
    uint64_t seed = capture_seed("media_bin_flow", 1);
    random_init(&rng, seed);
    // One SSRC, numbers at random: one in a thousand follows the one before by chance.
    for (int i = 0; i < 200; i++) {
        packet(4000, 5000, 7, (uint16_t)random_u64(&rng), i);
    }
    media_bin_finish(&bin);
    assert_true(bin.stream_count <= 1);
    assert_true(bin.stream_count == 0 || bin.streams[0]->unique < 200);
}

// A trunk without its signalling: the streams to one port all begin in one bin, at once.
static void streams_that_begin_together_are_all_found(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 50; round++) {
        for (uint32_t i = 0; i < 2000; i++) {
            packet(4000, 5000, i, (uint16_t)round, round * 20);
        }
    }
    assert_int_equal(bin.stream_count, 2000);
}

static void candidates_are_forgotten_oldest_first(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CANDIDATE_SETS_MAX * CANDIDATE_WAYS * 2; i++) {
        packet(4000, 5000, i, 10, i);
    }
    assert_true(bin.evicted > 0);
    uint32_t newest = CANDIDATE_SETS_MAX * CANDIDATE_WAYS * 2 - 1;
    packet(4000, 5000, newest, 11, newest + 1);
    assert_int_equal(bin.stream_count, 1);
    packet(4000, 5000, 0, 11, newest + 2); // forgotten long ago
    assert_int_equal(bin.stream_count, 1);
}

static void announcements_again_and_again_need_no_memory(void **state)
{
    (void)state;
    announce(5000, 1, 0);
    packet(4000, 5000, 7, 10, 20);
    for (int i = 0; i < 1000; i++) {
        announce_codec(5000, 1, (uint64_t)i, 30 + i, CODEC_PCMU);
    }
    size_t before = bin.arena.total_bytes;
    for (int i = 0; i < 10000; i++) {
        announce_codec(5000, 1, (uint64_t)i, 2000 + i, CODEC_PCMU);
    }
    assert_int_equal(bin.arena.total_bytes, before);
}

// A message that is known at the end of the capture only (order_at_end): its place in time counts.
static void announcement_that_is_known_late_finds_its_stream(void **state)
{
    (void)state;
    announce(6000, 5, 200000);
    for (uint16_t i = 0; i < 10; i++) {
        packet(4000, 5000, 7, i, 100 + i * 20);
    }
    for (uint16_t i = 0; i < 10; i++) {
        packet(4000, 6000, 8, i, 200100 + i * 20);
    }
    struct sdp_media media = {.format_count = 1};
    media.formats[0] = (struct sdp_format){.codec = CODEC_PCMU, .clock_hz = 8000};
    struct media_news a = {
        .order = order_at_end(order_of(CAPTURE_START_NS, 0, 1)),
        .what.time_ns = CAPTURE_START_NS,
        .endpoint = {{0, 2}, 5000},
        .what.call = {0, 3},
        .what.map = map_of(&maps, &media),
    };
    media_bin_announce(&bin, &a);
    assert_int_equal(bin.streams[0]->announcement->call.index, 3);
    assert_non_null(bin.streams[0]->map);
    // Where a call had announced something by then, the stream stays its own.
    a.endpoint.port = 6000;
    media_bin_announce(&bin, &a);
    assert_int_equal(bin.streams[1]->announcement->call.index, 5);
    assert_null(stream_extras(bin.streams[1])->later);
    struct endpoint e = {{0, 2}, 6000};
    int64_t at_ns = CAPTURE_START_NS + 200000 * MS;
    assert_int_equal(media_bin_announced(&bin, e, false, at_ns)->call.index, 5);
    assert_int_equal(media_bin_announced(&bin, e, false, at_ns - 1)->call.index, 3);
    assert_null(media_bin_announced(&bin, e, true, at_ns));
}

// An ICMP error that quotes a packet to port 5000.
static void error(uint16_t src, bool is_known, int64_t at_ms)
{
    struct icmp_quote quote = {.type = 3, .code = 3, .is_known = is_known};
    struct media_record r = record(src, 5000, 0, 0, at_ms);
    r.kind = MEDIA_QUOTED;
    r.quote = &quote;
    media_bin_packet(&bin, &r);
}

static void icmp_error_goes_to_the_newest_stream_between_its_endpoints(void **state)
{
    (void)state;
    announce(5000, 3, 0);
    error(4000, false, 1); // before any stream
    packet(4000, 5000, 7, 10, 20);
    packet(4002, 5000, 8, 10, 30);
    error(4000, true, 40); // of a call
    assert_true(stream_extras(bin.streams[0])->icmp.at == 0);
    error(4000, false, 50);
    packet(4000, 5000, 9, 10, 60);
    error(4000, false, 70);
    error(4000, false, 80); // the first one is shown
    error(4004, false, 90);
    assert_int_equal(bin.stream_count, 3);
    assert_true(stream_extras(bin.streams[0])->icmp.at == order_of(0, 0, 51).at);
    assert_true(stream_extras(bin.streams[1])->icmp.at == 0);
    assert_true(stream_extras(bin.streams[2])->icmp.at == order_of(0, 0, 71).at);
    assert_int_equal(bin.unknown_quotes, 2);
}

// As many as these would take hours, did each error look at each stream.
static void icmp_errors_cost_the_same_however_many_streams_there_are(void **state)
{
    (void)state;
    enum {
        MANY = 200000
    };
    announce(5000, 3, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        packet(4000, 5000, i, 10, i + 1);
        error(4002, false, i + 1);
    }
    assert_int_equal(bin.stream_count, MANY);
    assert_int_equal(bin.unknown_quotes, MANY);
    assert_int_equal(bin.flows.count, 1);
}

#define BIN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BIN_TEST(packet_that_was_announced_makes_a_stream_at_once),
        BIN_TEST(packet_that_nobody_announced_waits_for_a_second),
        BIN_TEST(second_packet_proves_within_its_reach),
        BIN_TEST(packet_before_its_announcement_is_part_of_the_stream),
        BIN_TEST(lone_packet_is_a_stream_if_it_is_announced_at_all),
        BIN_TEST(stream_that_runs_already_belongs_to_the_call_that_announces_it),
        BIN_TEST(stream_stays_with_the_call_that_it_began_in),
        BIN_TEST(stream_that_is_idle_is_told_of_no_announcement),
        BIN_TEST(bin_keeps_streams_of_other_sources_and_ssrcs_apart),
        BIN_TEST(random_datagrams_make_no_stream_and_no_memory),
        BIN_TEST(random_datagrams_of_one_flow_make_no_stream),
        BIN_TEST(streams_that_begin_together_are_all_found),
        BIN_TEST(candidates_are_forgotten_oldest_first),
        BIN_TEST(announcements_again_and_again_need_no_memory),
        BIN_TEST(announcement_that_is_known_late_finds_its_stream),
        BIN_TEST(icmp_error_goes_to_the_newest_stream_between_its_endpoints),
        BIN_TEST(icmp_errors_cost_the_same_however_many_streams_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
