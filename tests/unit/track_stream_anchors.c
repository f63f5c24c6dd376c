// Tests of streams that other tools count wrongly, one by one: by the numbers that they must have.
#include "stream_sender.h"

static void stream_of_perfect_pace_has_no_jitter(void **state)
{
    (void)state;
    begin(1000, 5000);
    paced(500);
    const struct stream *s = only_stream();
    COUNTS(s, 500, 500, 0, 0, 0, 0);
    assert_true(mean_ms(s) == 0 && s->jitter.max == 0);
    assert_int_equal(s->jitter.count, 499);
    assert_int_equal(s->delta_max_ns, STEP_NS);
    assert_int_equal(s->bytes, 500 * 160);
    end();
}

static void stream_whose_numbers_and_timestamps_wrap_loses_nothing(void **state)
{
    (void)state;
    static const uint16_t SEQUENCES[] = {65436, 65535, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        begin(SEQUENCES[i], 0xffffffffu - 16000);
        paced(200);
        const struct stream *s = only_stream();
        COUNTS(s, 200, 200, 0, 0, 0, 0);
        assert_true(mean_ms(s) == 0 && s->jitter.max == 0);
        end();
    }
    begin(65000, 0); // more than once around
    paced(200000);
    const struct stream *s = only_stream();
    COUNTS(s, 200000, 200000, 0, 0, 0, 0);
    assert_int_equal(stream_expected(s), 200000);
    end();
}

static void stream_whose_first_packet_is_late_begins_before_it(void **state)
{
    (void)state;
    begin(1, 160);
    packet();
    t.r.sequence = 0;
    t.r.timestamp = 0;
    packet();
    t.r.sequence = 2;
    t.r.timestamp = 320;
    paced(100);
    COUNTS(only_stream(), 102, 102, 0, 0, 1, 0);
    end();
}

static void stream_lowers_its_start_by_100_and_no_more(void **state)
{
    (void)state;
    begin(500, 80000);
    paced(50);
    earlier(50 + 100); // number 400: 100 before the first
    earlier(50 + 101 + 100);
    const struct stream *s = only_stream();
    COUNTS(s, 52, 51, 99, 0, 1, 1);
    assert_int_equal(stream_expected(s), 150);
    end();
}

static void stream_with_single_losses_and_one_burst_tells_them_apart(void **state)
{
    (void)state;
    begin(0, 0);
    for (int i = 0; i < 1000; i++) {
        bool single = i >= 500 && i % 50 == 0;
        if (!(i >= 100 && i < 110) && !single) {
            packet();
        }
        step();
    }
    const struct stream *s = only_stream();
    COUNTS(s, 980, 980, 20, 0, 0, 0);
    assert_int_equal(stream_expected(s), 1000);
    assert_int_equal(s->lacking->count, 20);
    assert_int_equal(s->lacking->runs, 11);
    assert_int_equal(s->lacking->run_max, 10);
    assert_int_equal(s->lacking->bursts, 1);
    assert_int_equal(s->lacking->burst_lacking, 10);
    assert_int_equal(s->lacking->burst_numbers, 10);
    end();
}

static void stream_bursts_end_where_16_packets_came(void **state)
{
    (void)state;
    static const struct {
        int received; // between two losses
        uint32_t bursts;
    } CASES[] = {{0, 1}, {1, 1}, {15, 1}, {16, 0}, {17, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin(0, 0);
        paced(100);
        step();
        paced((size_t)CASES[i].received);
        step();
        paced(100);
        const struct stream *s = only_stream();
        assert_int_equal(s->lacking->bursts, CASES[i].bursts);
        assert_int_equal(s->lacking->runs, CASES[i].received == 0 ? 1 : 2);
        end();
    }
}

static void stream_with_two_packets_swapped_lost_nothing(void **state)
{
    (void)state;
    begin(0, 0);
    paced(100);
    step();
    packet();
    earlier(1);
    step();
    paced(98);
    COUNTS(only_stream(), 200, 200, 0, 0, 1, 0);
    end();
}

static void stream_with_duplicates_lost_nothing_and_gained_nothing(void **state)
{
    (void)state;
    begin(0, 0);
    for (int i = 0; i < 200; i++) {
        packet();
        if (i % 20 == 7) {
            packet();
        }
        step();
    }
    COUNTS(only_stream(), 210, 200, 0, 10, 0, 0);
    end();
    begin(0, 0);
    for (int i = 0; i < 200; i++) {
        packet();
        packet();
        step();
    }
    const struct stream *s = only_stream();
    COUNTS(s, 400, 200, 0, 200, 0, 0);
    assert_int_equal(stream_extras(s)->capture_copies,
                     0); // the network's: another IP identification
    assert_true(s->jitter.max == 0);
    end();
}

static void stream_tells_copies_of_the_capture_from_those_of_the_network(void **state)
{
    (void)state;
    static const struct {
        int64_t after_ms;
        uint16_t ip_id;
        uint8_t ttl;
        uint32_t copies;
    } CASES[] = {{0, 0, 0, 1}, {50, 0, 0, 1}, {51, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin(0, 0);
        paced(5);
        packet();
        struct media_record copy = t.r;
        copy.time_ns += CASES[i].after_ms * MS;
        copy.ip_id = (uint16_t)(copy.ip_id + CASES[i].ip_id);
        copy.ttl = (uint8_t)(copy.ttl - CASES[i].ttl);
        media_bin_packet(&t.bin, &copy);
        const struct stream *s = only_stream();
        COUNTS(s, 7, 6, 0, 1, 0, 0);
        assert_int_equal(stream_extras(s)->capture_copies, CASES[i].copies);
        end();
    }
}

static void stream_with_a_burst_of_duplicates_after_a_pause_is_one_stream(void **state)
{
    (void)state;
    for (int before = 1; before < 70; before += 3) {
        begin((uint16_t)before, 0);
        paced((size_t)before);
        t.r.time_ns += 60000 * MS;
        paced(8);
        earlier(7);
        earlier(6);
        earlier(5);
        earlier(4);
        COUNTS(only_stream(), (size_t)before + 12, (size_t)before + 8, 0, 4, 0, 0);
        end();
    }
}

static void stream_that_jumps_by_more_than_3000_is_another_after_two_packets(void **state)
{
    (void)state;
    static const struct {
        uint16_t jump;
        size_t packets; // after it
        uint32_t streams, lost, late;
    } CASES[] = {{3000, 1, 1, 2999, 0}, {3000, 50, 1, 2999, 0}, {3001, 1, 1, 0, 1},
                 {3001, 2, 2, 0, 0},    {3001, 50, 2, 0, 0},    {20000, 50, 2, 0, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin(65000, 0);
        paced(100);
        t.r.sequence = (uint16_t)(t.r.sequence + CASES[i].jump - 1);
        paced(CASES[i].packets);
        media_bin_finish(&t.bin);
        assert_int_equal(t.bin.stream_count, CASES[i].streams);
        const struct stream *s = t.bin.streams[0];
        assert_int_equal(stream_lost(s), CASES[i].lost);
        assert_int_equal(stream_extras(s)->too_late, CASES[i].late);
        if (CASES[i].streams == 2) {
            COUNTS(s, 100, 100, 0, 0, 0, 0);
            COUNTS(t.bin.streams[1], CASES[i].packets, CASES[i].packets, 0, 0, 0, 0);
            assert_true(t.bin.streams[1]->restarted);
            assert_int_equal(stream_end_ns(s), CAPTURE_START_NS + 99 * STEP_NS);
        }
        end();
    }
    begin(0, 0); // a stray packet, and the stream goes on
    paced(100);
    struct media_record stray = t.r;
    stray.sequence = 30000;
    media_bin_packet(&t.bin, &stray);
    paced(100);
    stray.sequence = 30001;
    media_bin_packet(&t.bin, &stray);
    paced(100);
    COUNTS(only_stream(), 302, 300, 0, 0, 0, 2);
    end();
}

static void stream_knows_exactly_1024_numbers(void **state)
{
    (void)state;
    for (uint16_t phase = 0; phase < 64; phase++) {
        begin(phase, 0);
        paced(1);
        step();
        paced(1022); // number phase + 1 is missing; the newest is phase + 1023
        earlier(1023);
        const struct stream *s = only_stream();
        COUNTS(s, 1024, 1024, 0, 0, 1, 0);
        end();
        begin(phase, 0);
        paced(1);
        step();
        paced(1024);
        earlier(1025); // 1,024 behind the newest
        s = only_stream();
        COUNTS(s, 1026, 1025, 1, 0, 0, 1);
        end();
    }
}

static void stream_that_changes_its_ssrc_is_two(void **state)
{
    (void)state;
    begin(0, 0);
    paced(100);
    t.r.ssrc++;
    t.r.sequence = 5000;
    t.r.timestamp = 77;
    paced(100);
    media_bin_finish(&t.bin);
    assert_int_equal(t.bin.stream_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        COUNTS(t.bin.streams[i], 100, 100, 0, 0, 0, 0);
        assert_true(t.bin.streams[i]->jitter.max == 0);
    }
    end();
}

static void stream_that_changes_its_codec_has_segments(void **state)
{
    (void)state;
    begin(0, 0);
    paced(100);
    t.r.payload_type = 8;
    paced(100);
    t.r.payload_type = 0;
    paced(100);
    const struct stream *s = only_stream();
    COUNTS(s, 300, 300, 0, 0, 0, 0);
    assert_int_equal(s->segment_count, 3);
    for (const struct stream_segment *g = stream_segments(s); g; g = stream_next_segment(s, g)) {
        assert_int_equal(g->packets, 100);
    }
    assert_true(s->jitter.max == 0);
    end();
}

static void stream_that_alternates_for_ever_keeps_64_segments(void **state)
{
    (void)state;
    begin(0, 0);
    for (int i = 0; i < 10000; i++) {
        t.r.payload_type = i & 1 ? 8 : 0;
        paced(1);
    }
    const struct stream *s = only_stream();
    uint64_t sum = 0;
    for (const struct stream_segment *g = stream_segments(s); g; g = stream_next_segment(s, g)) {
        sum += g->packets;
    }
    assert_int_equal(s->segment_count, STREAM_SEGMENTS_MAX);
    assert_int_equal(sum, 10000);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_of_perfect_pace_has_no_jitter),
        cmocka_unit_test(stream_whose_numbers_and_timestamps_wrap_loses_nothing),
        cmocka_unit_test(stream_whose_first_packet_is_late_begins_before_it),
        cmocka_unit_test(stream_lowers_its_start_by_100_and_no_more),
        cmocka_unit_test(stream_with_single_losses_and_one_burst_tells_them_apart),
        cmocka_unit_test(stream_bursts_end_where_16_packets_came),
        cmocka_unit_test(stream_with_two_packets_swapped_lost_nothing),
        cmocka_unit_test(stream_with_duplicates_lost_nothing_and_gained_nothing),
        cmocka_unit_test(stream_tells_copies_of_the_capture_from_those_of_the_network),
        cmocka_unit_test(stream_with_a_burst_of_duplicates_after_a_pause_is_one_stream),
        cmocka_unit_test(stream_that_jumps_by_more_than_3000_is_another_after_two_packets),
        cmocka_unit_test(stream_knows_exactly_1024_numbers),
        cmocka_unit_test(stream_that_changes_its_ssrc_is_two),
        cmocka_unit_test(stream_that_changes_its_codec_has_segments),
        cmocka_unit_test(stream_that_alternates_for_ever_keeps_64_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
