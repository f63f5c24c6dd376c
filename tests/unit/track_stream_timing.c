// Tests of jitter, silence, clocks and digits of streams that other tools time wrongly.
#include "stream_sender.h"

static void stream_with_comfort_noise_and_silence_has_no_jitter(void **state)
{
    (void)state;
    begin(0, 0);
    paced(50);
    t.r.payload_type = 13;
    t.r.payload_n = 1;
    packet();
    t.r.sequence++;
    t.r.time_ns += 3000 * MS;
    t.r.timestamp += 24000;
    t.r.payload_type = 0;
    t.r.payload_n = 160;
    t.r.marker = true;
    packet();
    t.r.marker = false;
    step();
    paced(49);
    const struct stream *s = only_stream();
    COUNTS(s, 101, 101, 0, 0, 0, 0);
    assert_true(s->jitter.max == 0);
    assert_int_equal(s->delta_max_ns, 3000 * MS);
    assert_int_equal(s->segment_count, 1);
    end();
}

// An RFC 4733 event: five updates and three end packets, in the pace of the audio.
static void event(uint8_t code)
{
    uint32_t timestamp = t.r.timestamp;
    t.r.payload_type = 101;
    t.r.payload_n = 4;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t duration = i < 5 ? (i + 1) * 160 : 800;
        t.r.timestamp = timestamp;
        t.r.marker = i == 0;
        t.r.head = (uint32_t)code << 24 | (i >= 5 ? 1u << 23 : 0) | 10u << 16 | duration;
        packet();
        t.r.sequence++;
        t.r.time_ns += STEP_NS;
    }
    t.r.timestamp = timestamp + 8 * 160;
    t.r.payload_type = 0;
    t.r.payload_n = 160;
    t.r.marker = false;
    paced(10);
}

static void stream_with_events_has_their_digits_and_no_jitter(void **state)
{
    (void)state;
    static const uint8_t EVENTS[] = {5, 11, 12, 0, 0};
    begin(0, 0);
    paced(50);
    for (size_t i = 0; i < sizeof EVENTS; i++) {
        event(EVENTS[i]);
    }
    const struct stream *s = only_stream();
    COUNTS(s, 140, 140, 0, 0, 0, 0);
    assert_int_equal(stream_extras(s)->digit_count, 5);
    assert_memory_equal(stream_extras(s)->digits, "5#A00", 5);
    assert_true(s->jitter.max == 0);
    end();
}

static void stream_with_more_digits_than_are_kept_counts_them(void **state)
{
    (void)state;
    begin(0, 0);
    paced(5);
    for (int i = 0; i < STREAM_DIGITS_MAX + 20; i++) {
        event((uint8_t)(i % 10));
    }
    assert_int_equal(stream_extras(only_stream())->digit_count, STREAM_DIGITS_MAX + 20);
    end();
}

static void stream_is_timed_in_the_clock_of_its_codec(void **state)
{
    (void)state;
    static const struct {
        struct sdp_format format;
        uint32_t ticks;
    } CASES[] = {
        {{.payload_type = 111, .codec = CODEC_OPUS, .clock_hz = 48000}, 960},
        {{.payload_type = 9, .codec = CODEC_G722, .clock_hz = 8000}, 160},
        {{.payload_type = 96, .codec = CODEC_AMR_WB, .clock_hz = 16000}, 320},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin(0, 0);
        announce(&CASES[i].format, 1);
        t.r.payload_type = CASES[i].format.payload_type;
        for (int k = 0; k < 200; k++) {
            packet();
            step();
            t.r.timestamp += CASES[i].ticks - 160;
        }
        const struct stream *s = only_stream();
        COUNTS(s, 200, 200, 0, 0, 0, 0);
        assert_true(s->jitter.max < 1e-3 && s->jitter.count == 199);
        end();
    }
}

static void stream_jitter_is_that_of_rfc_3550(void **state)
{
    (void)state;
    struct random rng;
    uint64_t seed = capture_seed("stream_jitter", 1);
    random_init(&rng, seed);
    begin(0, 0);
    double jitter = 0, sum = 0, max = 0;
    int64_t transit_before = 0;
    for (int i = 0; i < 5000; i++) {
        int64_t ideal_ns = t.r.time_ns;
        t.r.time_ns += (int64_t)random_below(&rng, 15 * MS);
        // A.8 in units of nanoseconds: transit = arrival - r->ts; J += (|d| - J) / 16
        int64_t transit = t.r.time_ns - (int64_t)t.r.timestamp * 125000;
        if (i > 0) {
            jitter += (fabs((double)(transit - transit_before)) - jitter) / 16;
            sum += jitter;
            max = jitter > max ? jitter : max;
        }
        transit_before = transit;
        packet();
        t.r.time_ns = ideal_ns;
        step();
    }
    const struct stream *s = only_stream();
    assert_true(fabs(mean_ms(s) - sum / 4999 / 1e6) < 1e-9);
    assert_true(fabs(s->jitter.max - max) < 1e-3);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_with_comfort_noise_and_silence_has_no_jitter),
        cmocka_unit_test(stream_with_events_has_their_digits_and_no_jitter),
        cmocka_unit_test(stream_with_more_digits_than_are_kept_counts_them),
        cmocka_unit_test(stream_is_timed_in_the_clock_of_its_codec),
        cmocka_unit_test(stream_jitter_is_that_of_rfc_3550),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
