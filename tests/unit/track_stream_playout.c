// Tests of the virtual jitter buffer: which packets of streams with known delays come too late.
#include "stream_sender.h"

// How many of `count` packets are discarded that come in time but for one, `late_ns` late.
static uint32_t discarded_of_one_late(int64_t buffer_ns, int64_t late_ns)
{
    begin_with(buffer_ns);
    paced(10);
    delayed(late_ns);
    t.r.time_ns += late_ns > STEP_NS ? late_ns : 0; // the others keep behind it, but for this
    t.r.timestamp += late_ns > STEP_NS ? (uint32_t)(late_ns / (MS / 8)) : 0;
    paced(100);
    uint32_t discarded = stream_discarded(only_stream());
    end();
    return discarded;
}

static void stream_packet_later_than_the_buffer_is_discarded(void **state)
{
    (void)state;
    static const struct {
        int64_t buffer_ns, late_ns;
        uint32_t discarded;
    } CASES[] = {
        {0, 60 * MS, 0},
        {0, 60 * MS + 1, 1},
        {0, 0, 0},
        {1, 0, 0},
        {1, 1, 0},
        {1, 2, 1},
        {200 * MS, 200 * MS, 0},
        {200 * MS, 200 * MS + 1000, 1},
        {10000 * MS, 4000 * MS, 0},
        {STREAM_BUFFER_ADAPTIVE, 20 * MS, 0},
        {STREAM_BUFFER_ADAPTIVE, 400 * MS, 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        assert_int_equal(discarded_of_one_late(CASES[i].buffer_ns, CASES[i].late_ns),
                         CASES[i].discarded);
    }
}

static void stream_of_perfect_pace_lacks_nothing(void **state)
{
    (void)state;
    static const int64_t BUFFERS[] = {0, 1, 20 * MS, STREAM_BUFFER_ADAPTIVE};
    for (size_t i = 0; i < sizeof BUFFERS / sizeof BUFFERS[0]; i++) {
        begin_with(BUFFERS[i]);
        paced(10000);
        const struct stream *s = only_stream();
        assert_null(s->lacking);
        assert_int_equal(stream_discarded(s), 0);
        assert_true(stream_packet_ns(s) == 20e6);
        end();
    }
}

// Clocks that differ by so many parts in a million, for two hours, under 20 ms of jitter.
static void stream_with_a_drifting_clock_lacks_next_to_nothing(void **state)
{
    (void)state;
    static const int PPM[] = {200, -200, 500, -500};
    struct random rng;
    random_init(&rng, capture_seed("stream_drift", 1));
    for (size_t i = 0; i < sizeof PPM / sizeof PPM[0]; i++) {
        begin_with(0);
        for (int k = 0; k < 360000; k++) {
            delayed((int64_t)random_below(&rng, 20 * MS));
            t.r.time_ns += STEP_NS / 1000000 * PPM[i];
        }
        assert_true(stream_discarded(only_stream()) <= 5);
        end();
    }
}

static void stream_whose_delay_steps_up_lacks_16_packets(void **state)
{
    (void)state;
    static const struct {
        int64_t buffer_ns, step_ns;
        uint32_t least, most; // discarded
    } CASES[] = {
        {0, 50 * MS, 0, 0},
        {0, 100 * MS, 16, 16},
        {0, 4000 * MS, 16, 16},
        {200 * MS, 100 * MS, 0, 0},
        {200 * MS, 300 * MS, 16, 16},
        {0, -300 * MS, 0, 0},
        {STREAM_BUFFER_ADAPTIVE, 100 * MS, 1, 5},
        {STREAM_BUFFER_ADAPTIVE, 2000 * MS, 5, 16},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin_with(CASES[i].buffer_ns);
        paced(1000);
        t.r.time_ns += CASES[i].step_ns;
        paced(1000);
        const struct stream *s = only_stream();
        assert_in_range(stream_discarded(s), CASES[i].least, CASES[i].most);
        assert_int_equal(lacking(s), stream_discarded(s));
        end();
    }
}

// A link that takes less than is sent: the delay grows by a quarter of the time that goes by. What
// cannot be played is no more than what a buffer that starts again and again loses.
static void stream_whose_delay_grows_is_played_in_pieces(void **state)
{
    (void)state;
    begin_with(0);
    for (int i = 0; i < 1000; i++) {
        packet();
        step();
        t.r.time_ns += 5 * MS;
    }
    const struct stream *s = only_stream(); // 12 are within 60 ms of each anchor, 16 are not
    assert_in_range(stream_discarded(s), 500, 600);
    assert_int_equal(s->lacking->run_max, 16);
    end();
}

static void stream_is_judged_again_after_its_delay_stepped(void **state)
{
    (void)state;
    static const int64_t STEPS[] = {100 * MS, 3000 * MS, -100 * MS, -900 * MS};
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
        begin_with(0);
        paced(1000);
        t.r.time_ns += STEPS[i];
        paced(600); // more than two intervals
        const struct stream *s = t.bin.streams[0];
        uint32_t before = stream_discarded(s);
        delayed(70 * MS);
        assert_int_equal(stream_discarded(s), before + 1);
        paced(1000);
        assert_int_equal(stream_discarded(only_stream()), before + 1);
        end();
    }
}

static void stream_whose_first_packet_is_late_has_the_buffer_all_the_same(void **state)
{
    (void)state;
    static const int64_t LATE[] = {40 * MS, 500 * MS};
    for (size_t i = 0; i < sizeof LATE / sizeof LATE[0]; i++) {
        begin_with(0);
        delayed(LATE[i]);
        t.r.time_ns += LATE[i];
        for (int k = 0; k < 30; k++) { // what waited comes at once
            packet();
            t.r.sequence++;
            t.r.timestamp += 160;
        }
        t.r.time_ns += 30 * STEP_NS - LATE[i];
        paced(3000);
        delayed(61 * MS);
        assert_int_equal(stream_discarded(only_stream()), 1);
        end();
    }
}

static void stream_with_much_jitter_lacks_much(void **state)
{
    (void)state;
    static const struct {
        int64_t buffer_ns;
        uint64_t jitter_ms;
        double least, most; // share that is lacking
    } CASES[] = {
        {0, 50, 0, 0},
        {0, 100, 0.25, 0.45},
        {0, 200, 0.5, 0.75},
        {200 * MS, 200, 0, 0},
        {STREAM_BUFFER_ADAPTIVE, 200, 0, 0.02},
        {20 * MS, 50, 0.4, 0.65},
    };
    struct random rng;
    random_init(&rng, capture_seed("stream_jitter", 1));
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        static int64_t times[3000];
        begin_with(CASES[i].buffer_ns);
        struct media_record first = t.r;
        for (size_t k = 0; k < 3000; k++) {
            times[k] = (int64_t)k * STEP_NS + (int64_t)random_below(&rng, CASES[i].jitter_ms * MS);
        }
        for (size_t sent = 0; sent < 3000; sent++) { // in the order of their arrival
            size_t next = 0;
            for (size_t k = sent > 20 ? sent - 20 : 0; k < 3000 && k < sent + 20; k++) {
                bool is_left = times[k] != INT64_MAX;
                next = is_left && (times[next] == INT64_MAX || times[k] < times[next]) ? k : next;
            }
            t.r.sequence = (uint16_t)(first.sequence + next);
            t.r.timestamp = first.timestamp + (uint32_t)next * 160;
            t.r.time_ns = first.time_ns + times[next];
            packet();
            times[next] = INT64_MAX;
        }
        const struct stream *s = only_stream();
        assert_int_equal(s->unique, 3000);
        assert_int_equal(lacking(s), stream_discarded(s));
        double share = (double)stream_discarded(s) / 3000;
        if (share < CASES[i].least || share > CASES[i].most) {
            fail_msg("case %zu: %f", i, share);
        }
        end();
    }
}

static void stream_judges_neither_events_nor_comfort_noise(void **state)
{
    (void)state;
    static const uint8_t TYPES[] = {101, 13};
    for (size_t i = 0; i < sizeof TYPES; i++) {
        begin_with(0);
        paced(100);
        t.r.payload_type = TYPES[i];
        for (int k = 0; k < 20; k++) {
            delayed(150 * MS);
        }
        t.r.payload_type = 0;
        t.r.marker = true;
        paced(1);
        t.r.marker = false;
        paced(100);
        assert_int_equal(stream_discarded(only_stream()), 0);
        end();
    }
}

static void stream_of_video_or_an_unknown_clock_is_not_judged(void **state)
{
    (void)state;
    static const struct sdp_format VIDEO = {
        .payload_type = 96, .codec = CODEC_H264, .clock_hz = 90000};
    for (uint8_t pt = 96; pt < 98; pt++) { // 97: not announced
        begin_with(0);
        announce(&VIDEO, 1);
        t.r.payload_type = pt;
        for (int k = 0; k < 200; k++) {
            delayed(k % 20 == 19 ? 150 * MS : 0);
        }
        assert_int_equal(stream_discarded(only_stream()), 0);
        end();
    }
}

static void stream_after_a_silence_starts_the_buffer_again(void **state)
{
    (void)state;
    begin_with(0);
    paced(100);
    t.r.time_ns += 130 * MS; // the marker's packet is late, and those behind it as much
    t.r.marker = true;
    paced(1);
    t.r.marker = false;
    paced(100);
    assert_int_equal(stream_discarded(only_stream()), 0);
    end();
}

static void stream_that_changes_its_clock_starts_the_buffer_again(void **state)
{
    (void)state;
    static const struct sdp_format FORMATS[] = {
        {.payload_type = 0, .codec = CODEC_PCMU, .clock_hz = 8000},
        {.payload_type = 98, .codec = CODEC_AMR_WB, .clock_hz = 16000},
    };
    begin_with(0);
    announce(FORMATS, 2);
    paced(100);
    t.r.time_ns += 50 * MS; // all that follows is late, and in time
    paced(10);
    t.r.payload_type = 98;
    for (int i = 0; i < 10; i++) {
        delayed(i == 5 ? 55 * MS : 0);
        t.r.timestamp += 160;
    }
    assert_int_equal(stream_discarded(only_stream()), 0);
    end();
}

// Times from another planet: nothing overflows, and nothing is judged by them for ever.
static void stream_with_absurd_times_is_judged_again(void **state)
{
    (void)state;
    static const int64_t TIMES[] = {TIME_MAX_NS, -TIME_MAX_NS, 0, TIME_MAX_NS / 2};
    for (size_t i = 0; i < sizeof TIMES / sizeof TIMES[0]; i++) {
        begin_with(0);
        paced(10);
        int64_t time_ns = t.r.time_ns;
        for (int k = 0; k < 40; k++) {
            t.r.time_ns = k & 1 ? TIMES[i] : TIMES[3 - i];
            packet();
            t.r.sequence++;
            t.r.timestamp += 160;
        }
        t.r.time_ns = time_ns + 40 * STEP_NS;
        paced(1000);
        const struct stream *s = t.bin.streams[0];
        uint32_t before = stream_discarded(s);
        assert_true(before <= 80);
        delayed(70 * MS);
        paced(10);
        assert_int_equal(stream_discarded(only_stream()), before + 1);
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_packet_later_than_the_buffer_is_discarded),
        cmocka_unit_test(stream_of_perfect_pace_lacks_nothing),
        cmocka_unit_test(stream_with_a_drifting_clock_lacks_next_to_nothing),
        cmocka_unit_test(stream_whose_delay_steps_up_lacks_16_packets),
        cmocka_unit_test(stream_whose_delay_grows_is_played_in_pieces),
        cmocka_unit_test(stream_is_judged_again_after_its_delay_stepped),
        cmocka_unit_test(stream_whose_first_packet_is_late_has_the_buffer_all_the_same),
        cmocka_unit_test(stream_with_much_jitter_lacks_much),
        cmocka_unit_test(stream_judges_neither_events_nor_comfort_noise),
        cmocka_unit_test(stream_of_video_or_an_unknown_clock_is_not_judged),
        cmocka_unit_test(stream_after_a_silence_starts_the_buffer_again),
        cmocka_unit_test(stream_that_changes_its_clock_starts_the_buffer_again),
        cmocka_unit_test(stream_with_absurd_times_is_judged_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
