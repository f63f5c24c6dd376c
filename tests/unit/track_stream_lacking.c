// Tests of what a listener lacks: runs, bursts and gaps, also of packets that come late, and the
// packets that show them.
#include "stream_sender.h"

static void stream_packet_far_behind_is_discarded_by_any_buffer(void **state)
{
    (void)state;
    static const struct {
        uint16_t behind;
        uint32_t discarded;
    } CASES[] = {{2, 0}, {64, 0}, {65, 1}, {1000, 1}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin_with(10000 * MS);
        paced(5);
        step(); // this one comes later
        paced(CASES[i].behind - 1u);
        earlier(CASES[i].behind); // 1 less behind the newest
        paced(200);
        const struct stream *s = only_stream();
        COUNTS(s, 205u + CASES[i].behind, 205u + CASES[i].behind, 0, 0, 1, 0);
        assert_int_equal(stream_discarded(s), CASES[i].discarded);
        assert_int_equal(lacking(s), CASES[i].discarded);
        assert_int_equal(stream_gaps(s)->list[0].missing, 0);
        end();
    }
}

static void stream_burst_goes_on_before_the_first_packet(void **state)
{
    (void)state;
    begin_with(0);
    t.r.sequence = 500;
    packet(); // the first
    step();
    step();       // 501 is lost
    paced(198);   // up to 699
    earlier(202); // number 498, much too late; 499 is lost
    const struct stream *s = only_stream();
    COUNTS(s, 200, 200, 2, 0, 1, 0);
    assert_int_equal(stream_discarded(s), 1);
    assert_int_equal(s->lacking->count, 3);
    assert_int_equal(s->lacking->runs, 2);
    assert_int_equal(s->lacking->run_max, 2);
    assert_int_equal(s->lacking->bursts, 1);
    assert_int_equal(s->lacking->burst_lacking, 3);
    assert_int_equal(s->lacking->burst_numbers, 4); // 498 to 501
    assert_int_equal(s->lacking->burst_first, s->base_ext);
    end();
}

static void stream_gaps_that_were_filled_make_room_for_others(void **state)
{
    (void)state;
    begin_with(0);
    for (int i = 0; i < 100; i++) { // the packets are only swapped
        step();
        packet();
        earlier(1);
        step();
    }
    step(); // and one is lost
    int64_t lost_ns = t.r.time_ns;
    paced(10);
    const struct stream *s = only_stream();
    assert_int_equal(stream_gaps(s)->count, 1);
    assert_int_equal(stream_gaps(s)->list[0].to_ns, lost_ns);
    assert_int_equal(stream_gaps(s)->list[0].missing, 1);
    end();
}

static void stream_gap_is_as_long_as_its_packets_play(void **state)
{
    (void)state;
    static const struct {
        unsigned lost, late;
        int64_t gap_ms;
    } CASES[] = {{0, 0, 0}, {1, 0, 20}, {50, 0, 1000}, {10, 5, 300}, {0, 5, 100}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin_with(0);
        t.r.order.at = 1;
        paced(100);
        for (unsigned k = 0; k < CASES[i].lost; k++) {
            step();
        }
        for (unsigned k = 0; k < CASES[i].late; k++) {
            t.r.order.at = 2;
            delayed((int64_t)(5 - k) * STEP_NS + 61 * MS); // all at once
        }
        t.r.time_ns += CASES[i].late ? 61 * MS : 0;
        t.r.timestamp += CASES[i].late ? 61 * 8 : 0;
        t.r.order.at = 3;
        paced(1);
        t.r.order.at = 4;
        paced(100);
        const struct stream *s = only_stream();
        assert_int_equal(stream_discarded(s), CASES[i].late);
        assert_int_equal(lacking(s), CASES[i].lost + CASES[i].late);
        if (CASES[i].late == 0) { // else the mean time of a packet has a pause in it
            assert_int_equal(stream_gap_max_ns(s), CASES[i].gap_ms * MS);
        }
        if (CASES[i].gap_ms > 0) {
            assert_int_equal(s->lacking->run_max, CASES[i].lost + CASES[i].late);
            assert_int_equal(s->lacking->run_max_at, 3);
        }
        end();
    }
}

static void stream_run_is_ended_by_a_packet_that_comes_just_before_it_leaves(void **state)
{
    (void)state;
    begin_with(10000 * MS);
    t.r.order.at = 1;
    paced(5);
    step();
    step();
    step();
    paced(63);
    t.r.order.at = 2;
    earlier(64); // the last of the three, 63 behind the newest
    t.r.order.at = 3;
    paced(100);
    const struct stream *s = only_stream();
    COUNTS(s, 169, 169, 2, 0, 1, 0);
    assert_int_equal(stream_discarded(s), 0);
    assert_int_equal(s->lacking->run_max, 2);
    assert_int_equal(s->lacking->run_max_at, 2);
    end();
}

// Numbers before the first packet that turn out to be another stream's.
static void stream_takes_back_what_was_played_before_its_first_packet(void **state)
{
    (void)state;
    begin_with(10000 * MS);
    t.r.sequence = 500;
    packet();
    step();
    earlier(3); // 498
    paced(50);
    t.r.time_ns += 2000 * MS;
    earlier(53); // 498 again, 499, 500: the numbers start again
    assert_int_equal(t.bin.streams[0]->unique, 52);
    earlier(52);
    assert_int_equal(t.bin.streams[0]->unique, 53);
    earlier(51);
    media_bin_finish(&t.bin);
    assert_int_equal(t.bin.stream_count, 2);
    const struct stream *s = t.bin.streams[0];
    COUNTS(s, 52, 52, 1, 0, 1, 0);
    assert_int_equal(stream_discarded(s), 0);
    assert_int_equal(s->lacking->count, 1);
    assert_int_equal(s->lacking->runs, 1);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_packet_far_behind_is_discarded_by_any_buffer),
        cmocka_unit_test(stream_burst_goes_on_before_the_first_packet),
        cmocka_unit_test(stream_gaps_that_were_filled_make_room_for_others),
        cmocka_unit_test(stream_gap_is_as_long_as_its_packets_play),
        cmocka_unit_test(stream_run_is_ended_by_a_packet_that_comes_just_before_it_leaves),
        cmocka_unit_test(stream_takes_back_what_was_played_before_its_first_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
