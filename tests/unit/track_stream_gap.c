// Tests of the first gaps of a stream: when and how much is missing, and what comes after all.
#include "stream_sender.h"

static uint64_t missing_of(const struct stream *s)
{
    uint64_t all = 0;
    for (uint32_t i = 0; stream_gaps(s) && i < stream_gaps(s)->count; i++) {
        all += stream_gaps(s)->list[i].missing;
    }
    return all;
}

static void gap_stands_between_the_packets_around_it(void **state)
{
    (void)state;
    begin(65530, 0);
    paced(10); // beyond the border of the numbers
    for (int i = 0; i < 3; i++) {
        step();
    }
    paced(10);
    const struct stream *s = only_stream();
    assert_int_equal(stream_gaps(s)->count, 1);
    const struct stream_gap *g = &stream_gaps(s)->list[0];
    assert_int_equal(g->from_ns, CAPTURE_START_NS + 9 * STEP_NS);
    assert_int_equal(g->to_ns, CAPTURE_START_NS + 13 * STEP_NS);
    assert_int_equal(g->first_ext, 65536u + 65530 + 10);
    assert_int_equal(g->length, 3);
    assert_int_equal(g->missing, 3);
    end();
}

static void gap_that_is_filled_leaves_its_place(void **state)
{
    (void)state;
    begin(100, 0);
    paced(5);
    for (int i = 0; i < 40; i++) { // swapped neighbours
        step();
        packet();
        earlier(1);
        step();
    }
    step(); // and one that is lost
    paced(5);
    const struct stream *s = only_stream();
    assert_int_equal(stream_lost(s), 1);
    assert_int_equal(stream_gaps(s)->count, 1);
    assert_int_equal(stream_gaps(s)->list[0].missing, 1);
    end();
}

static void stream_without_loss_has_no_gaps(void **state)
{
    (void)state;
    begin(100, 0);
    paced(2000);
    assert_null(stream_gaps(only_stream()));
    end();
}

static void gaps_beyond_the_first_ones_are_not_kept(void **state)
{
    (void)state;
    begin(100, 0);
    for (int i = 0; i < 3 * STREAM_GAPS_MAX; i++) {
        paced(3);
        step();
    }
    paced(3);
    const struct stream *s = only_stream();
    assert_int_equal(stream_lost(s), 3 * STREAM_GAPS_MAX);
    assert_int_equal(stream_gaps(s)->count, STREAM_GAPS_MAX);
    assert_int_equal(missing_of(s), STREAM_GAPS_MAX);
    assert_int_equal(stream_gaps(s)->list[0].first_ext, 65536u + 103);
    end();
}

// Numbers that start again take packets back that had filled a gap.
static void gap_of_a_stream_that_restarts_is_whole_again(void **state)
{
    (void)state;
    begin(100, 160000);
    paced(3);
    t.r.sequence = (uint16_t)(t.r.sequence + 1); // 103 is missing
    paced(200);
    t.r.time_ns += 2000 * MS;
    t.r.sequence = 102; // again from 102: a repeat, then the number that was missing, then more
    t.r.timestamp = 1000;
    paced(50);
    media_bin_finish(&t.bin);
    assert_int_equal(t.bin.stream_count, 2);
    const struct stream *s = t.bin.streams[0];
    assert_int_equal(stream_lost(s), 1);
    assert_int_equal(missing_of(s), 1);
    end();
}

// Loss and reordering at random: what the gaps lack is what the stream lost, while all are kept.
static void gaps_of_random_streams_lack_what_was_lost(void **state)
{
    (void)state;
    const uint64_t SEED = 75;
    print_message("# SEED=%llu\n", (unsigned long long)SEED);
    struct random rng;
    random_init(&rng, SEED);
    unsigned compared = 0;
    for (int round = 0; round < 2000; round++) {
        begin((uint16_t)random_u64(&rng), 0);
        paced(2);
        for (int i = 0; i < 60; i++) {
            uint64_t dice = random_below(&rng, 20);
            uint32_t skip = dice == 0 ? 1 + (uint32_t)random_below(&rng, 5) : 0;
            for (uint32_t k = 0; k < skip; k++) {
                step();
            }
            packet();
            for (uint32_t k = 1; k <= skip && random_below(&rng, 2) == 0; k++) {
                earlier((uint16_t)k); // some come after all, the last one first
            }
            step();
        }
        const struct stream *s = only_stream();
        if (!stream_gaps(s) || stream_gaps(s)->count < STREAM_GAPS_MAX) {
            assert_int_equal(missing_of(s), stream_lost(s));
            compared++;
        }
        end();
    }
    assert_true(compared > 1900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gap_stands_between_the_packets_around_it),
        cmocka_unit_test(gap_that_is_filled_leaves_its_place),
        cmocka_unit_test(stream_without_loss_has_no_gaps),
        cmocka_unit_test(gaps_beyond_the_first_ones_are_not_kept),
        cmocka_unit_test(gap_of_a_stream_that_restarts_is_whole_again),
        cmocka_unit_test(gaps_of_random_streams_lack_what_was_lost),
    };
    return cmocka_run_group_tests_name("track_stream_gap", tests, NULL, NULL);
}
