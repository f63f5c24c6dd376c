// Tests of what payloads tell of a stream: redundant data, repair, video.
#include "stream_sender.h"

#include "wire/rtp/red.h"

enum {
    PT_OPUS = 111,
    PT_RED = 63,
    PT_TEXT = 98,
    PT_TEXT_RED = 100,
    PT_EVENT = 101,
    PT_RTX = 97,
    PT_FEC = 117,
    PT_VIDEO = 96,
};

static const struct sdp_format FORMATS[] = {
    {.payload_type = 0, .codec = CODEC_PCMU, .clock_hz = 8000},
    {.payload_type = 8, .codec = CODEC_PCMA, .clock_hz = 8000},
    {.payload_type = 13, .codec = CODEC_CN, .clock_hz = 8000},
    {.payload_type = PT_OPUS, .codec = CODEC_OPUS, .clock_hz = 48000},
    {.payload_type = PT_RED, .codec = CODEC_RED, .clock_hz = 48000},
    {.payload_type = PT_TEXT, .codec = CODEC_T140, .clock_hz = 1000},
    {.payload_type = PT_TEXT_RED, .codec = CODEC_RED, .clock_hz = 1000},
    {.payload_type = PT_EVENT, .codec = CODEC_EVENT, .clock_hz = 48000},
    {.payload_type = PT_RTX, .codec = CODEC_RTX, .clock_hz = 90000},
    {.payload_type = PT_FEC, .codec = CODEC_FEC, .clock_hz = 90000},
    {.payload_type = PT_VIDEO, .codec = CODEC_H264, .clock_hz = 90000},
};

static void begin_type(uint8_t payload_type)
{
    begin(65530, 0xffffff00); // both wrap soon
    announce(FORMATS, sizeof FORMATS / sizeof FORMATS[0]);
    t.r.payload_type = payload_type;
}

// --- redundant data ---

// A packet of RFC 2198 with blocks of `distances` packets before it, in steps of `ticks`.
static void red_packet(uint8_t primary, uint32_t ticks, unsigned blocks, unsigned farthest)
{
    uint8_t p[128];
    uint32_t n = 0;
    for (unsigned i = 0; i < blocks; i++) {
        put_be32(p + n, 0x80000000u | (uint32_t)primary << 24 | (farthest - i) * ticks << 10 | 1);
        n += 4;
    }
    p[n++] = primary;
    memset(p + n, 0x77, blocks + 10);
    n += blocks + 10;
    t.r.head = red_summary(p, n);
    t.r.payload_n = (uint16_t)n;
    packet();
}

static void next(uint32_t ticks)
{
    t.r.sequence++;
    t.r.timestamp += ticks;
    t.r.time_ns += STEP_NS;
}

// `lost`: a mask of packets that never come, from the second one on.
static const struct stream *red_stream(unsigned blocks, unsigned farthest, uint64_t lost)
{
    begin_type(PT_RED);
    for (unsigned i = 0; i < 100; i++) {
        if (i >= 64 || !(lost >> i & 1)) {
            red_packet(PT_OPUS, 960, blocks, farthest);
        }
        next(960);
    }
    return only_stream();
}

static void stream_of_redundant_data_counts_as_its_primary_type(void **state)
{
    (void)state;
    const struct stream *s = red_stream(1, 1, 0);
    COUNTS(s, 100, 100, 0, 0, 0, 0);
    assert_int_equal(stream_extras(s)->redundant, 100);
    assert_int_equal(stream_extras(s)->recovered, 0);
    assert_int_equal(s->segment_count, 1);
    assert_int_equal(stream_segments(s)->payload_type, PT_OPUS);
    assert_int_equal(stream_segments(s)->packets, 100);
    assert_int_equal(s->jitter.count, 99);
    assert_true(s->jitter.max < 1e-3);
    assert_true(stream_has_type(s, PT_RED));
    assert_true(stream_has_type(s, PT_OPUS));
    end();
}

static void stream_counts_lost_numbers_that_redundant_data_carried(void **state)
{
    (void)state;
    static const struct {
        unsigned blocks, farthest;
        uint64_t lost;
        unsigned recovered;
        unsigned lacking; // what did not come within 60 ms
    } CASES[] = {
        {1, 1, 1u << 10, 1, 0},            // a packet carries the one before
        {1, 1, 3u << 10, 1, 1},            // of two, the second
        {2, 2, 3u << 10, 2, 0},            // two carry both, each once
        {2, 2, 7u << 10, 2, 1},            // of three, two
        {1, 2, 1u << 10, 1, 0},            // the one before the last
        {1, 2, 3u << 10, 2, 0},            // so both are carried
        {1, 2, 15u << 10, 2, 2},           // of four, the last two
        {2, 3, 7u << 10, 3, 0},            // numbers 3 and 2 before: three packets bring all
        {1, 4, 1u << 10, 1, 1},            // 80 ms later
        {0, 0, 1u << 10, 0, 1},            // the primary alone
        {16, 16, 0xffffu << 10, 16, 13},   // as far as can be
        {1, 1, 1u << 10 | 1u << 20, 2, 0}, // again
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct stream *s = red_stream(CASES[i].blocks, CASES[i].farthest, CASES[i].lost);
        unsigned lost = (unsigned)__builtin_popcountll(CASES[i].lost);
        COUNTS(s, 100 - lost, 100 - lost, lost, 0, 0, 0);
        assert_int_equal(stream_extras(s)->recovered, CASES[i].recovered);
        assert_int_equal(s->lacking->count, CASES[i].lacking);
        assert_int_equal(stream_extras(s)->redundant, CASES[i].blocks > 0 ? 100 - lost : 0);
        end();
    }
}

static void stream_recovered_tells_which_numbers(void **state)
{
    (void)state;
    const struct stream *s = red_stream(1, 1, 3u << 10);
    assert_false(stream_recovered(s, s->first_ext + 10));
    assert_true(stream_recovered(s, s->first_ext + 11));
    assert_false(stream_recovered(s, s->max_ext + 1));
    assert_false(stream_recovered(s, 0));
    end();
}

static void stream_with_a_packet_that_comes_late_no_longer_counts_it_as_recovered(void **state)
{
    (void)state;
    begin_type(PT_RED);
    for (unsigned i = 0; i < 50; i++) {
        if (i != 10) {
            red_packet(PT_OPUS, 960, 1, 1);
        }
        if (i == 12) { // number 10 comes after 12; it carries 9
            struct media_record now = t.r;
            t.r.sequence -= 2;
            t.r.timestamp -= 2 * 960;
            red_packet(PT_OPUS, 960, 1, 1);
            t.r = now;
        }
        next(960);
    }
    const struct stream *s = only_stream();
    COUNTS(s, 50, 50, 0, 0, 1, 0);
    assert_int_equal(stream_extras(s)->recovered, 0);
    assert_int_equal(stream_extras(s)->redundant, 50);
    assert_int_equal(stream_segments(s)->packets, 50);
    end();
}

// How many numbers a listener lacks where one of 600 is lost and its data come so many packets
// later, with one that is delayed.
static uint64_t lacking_of_one_lost(int64_t buffer_ns, unsigned lost, unsigned later,
                                    int64_t delay_ns)
{
    begin_with(buffer_ns);
    announce(FORMATS, sizeof FORMATS / sizeof FORMATS[0]);
    t.r.payload_type = PT_RED;
    for (unsigned i = 0; i < 600; i++) {
        int64_t delayed_ns = i == lost + later ? delay_ns : 0;
        t.r.time_ns += delayed_ns;
        if (i != lost) {
            red_packet(PT_OPUS, 960, 1, later);
        }
        t.r.time_ns -= delayed_ns;
        next(960);
    }
    const struct stream *s = only_stream();
    assert_int_equal(stream_extras(s)->recovered, 1);
    assert_int_equal(stream_discarded(s), 0);
    uint64_t lacking = s->lacking->count;
    assert_int_equal(s->lacking->runs, lacking);
    end();
    return lacking;
}

static void stream_plays_redundant_data_that_come_in_time_wherever_they_are(void **state)
{
    (void)state;
    static const struct {
        int64_t buffer_ns;
        unsigned later;
        int64_t delay_ns;
        uint64_t lacking;
    } CASES[] = {
        {0, 1, 0, 0},
        {0, 3, 0, 0}, // 60 ms
        {0, 4, 0, 1},
        {0, 2, 19 * MS, 0},
        {0, 3, 1 * MS, 1},
        {1, 1, 0, 1}, // no buffer
        {200 * MS, 10, 0, 0},
        {200 * MS, 10, 1 * MS, 1},
        {10000 * MS, 63, 0, 0},
        {STREAM_BUFFER_ADAPTIVE, 1, 0, 0},
        {STREAM_BUFFER_ADAPTIVE, 8, 0, 1},
    };
    // In the first interval, at both sides of the end of one, and in the last.
    static const unsigned LOST[] = {2, 100, 200, 248, 249, 250, 251, 400, 530};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        for (size_t k = 0; k < sizeof LOST / sizeof LOST[0]; k++) {
            uint64_t lacking =
                lacking_of_one_lost(CASES[i].buffer_ns, LOST[k], CASES[i].later, CASES[i].delay_ns);
            if (lacking != CASES[i].lacking) {
                fail_msg("case %zu, number %u: %d lacking", i, LOST[k], (int)lacking);
            }
        }
    }
}

static void stream_of_text_counts_the_packets_before_whatever_their_times(void **state)
{
    (void)state;
    begin_type(PT_TEXT_RED);
    for (unsigned i = 0; i < 40; i++) {
        if (i != 10 && i != 20 && i != 21 && i != 22) {
            red_packet(PT_TEXT, i % 3 * 100, 2, 2);
        }
        next(300 + i % 5 * 100);
    }
    const struct stream *s = only_stream();
    COUNTS(s, 36, 36, 4, 0, 0, 0);
    assert_int_equal(stream_extras(s)->recovered, 3);
    assert_int_equal(stream_segments(s)->payload_type, PT_TEXT);
    end();
}

static void stream_of_events_as_redundant_data_has_their_digits(void **state)
{
    (void)state;
    begin_type(PT_RED);
    for (int digit = 1; digit <= 3; digit++) {
        for (int i = 0; i < 6; i++) {
            uint8_t p[16] = {PT_EVENT, (uint8_t)digit, 10, 3, 0x20};
            t.r.payload_type = PT_RED;
            t.r.head = red_summary(p, 5);
            t.r.payload_n = 5;
            if (i > 2) { // with the event before as redundant data
                put_be32(p, 0x80000000u | (uint32_t)PT_EVENT << 24 | 960 << 10 | 4);
                p[4] = PT_EVENT;
                memcpy(p + 5, "\x09\x0a\x03\x20", 4);
                p[9] = (uint8_t)digit;
                memcpy(p + 10, "\x0a\x03\x20", 3);
                t.r.head = red_summary(p, 13);
                t.r.payload_n = 13;
            }
            packet();
            t.r.sequence++;
            t.r.time_ns += STEP_NS;
        }
        t.r.timestamp += 6 * 960;
    }
    const struct stream *s = only_stream();
    assert_int_equal(stream_extras(s)->digit_count, 3);
    assert_memory_equal(stream_extras(s)->digits, "123", 3);
    assert_int_equal(s->jitter.count, 0);
    end();
}

static void stream_with_broken_chains_times_nothing_by_them(void **state)
{
    (void)state;
    begin_type(PT_RED);
    for (unsigned i = 0; i < 50; i++) {
        if (i % 2 == 0) {
            red_packet(PT_OPUS, 960, 1, 1);
        } else {
            t.r.head = 0x80000000; // a chain that lies
            packet();
        }
        next(960);
    }
    const struct stream *s = only_stream();
    COUNTS(s, 50, 50, 0, 0, 0, 0);
    assert_int_equal(stream_extras(s)->redundant, 25);
    assert_int_equal(stream_segments(s)->packets, 25);
    assert_true(s->jitter.max < 1e-3);
    end();
}

static void stream_with_a_direct_packet_of_the_primary_type_goes_on(void **state)
{
    (void)state;
    begin_type(PT_RED);
    for (unsigned i = 0; i < 60; i++) {
        t.r.payload_type = i % 3 == 0 ? PT_OPUS : PT_RED;
        if (i % 3 == 0) {
            t.r.head = 0x78000000;
            packet();
        } else {
            red_packet(PT_OPUS, 960, 1, 1);
        }
        next(960);
    }
    const struct stream *s = only_stream();
    assert_int_equal(stream_extras(s)->redundant, 40);
    assert_int_equal(s->segment_count, 1);
    assert_int_equal(stream_segments(s)->packets, 60);
    assert_true(s->jitter.max < 1e-3);
    end();
}

// --- repair ---

static void stream_with_error_correction_among_its_media_counts_it_as_repair(void **state)
{
    (void)state;
    begin_type(PT_VIDEO);
    for (unsigned i = 0; i < 100; i++) {
        t.r.payload_type = i % 5 == 4 ? PT_FEC : PT_VIDEO;
        t.r.payload_n = 1000;
        t.r.head = 0x41000000;
        packet();
        t.r.sequence++;
        if (i % 5 == 4) {
            t.r.timestamp += 3600;
            t.r.time_ns += 40 * MS;
        }
    }
    const struct stream *s = only_stream();
    COUNTS(s, 100, 100, 0, 0, 0, 0);
    assert_int_equal(stream_extras(s)->repair, 20);
    assert_int_equal(s->segment_count, 1);
    assert_int_equal(stream_segments(s)->payload_type, PT_VIDEO);
    assert_int_equal(stream_segments(s)->packets, 80);
    assert_true(s->jitter.max < 1e-3);
    end();
}

static void stream_of_retransmissions_alone_is_no_media(void **state)
{
    (void)state;
    begin_type(PT_RTX);
    for (unsigned i = 0; i < 20; i++) {
        packet();
        if (i == 10) { // the order of two is changed
            t.r.sequence += 2;
            packet();
            t.r.sequence--;
            packet();
            t.r.sequence++;
        }
        t.r.sequence++;
        t.r.time_ns += (i * 7 % 5) * 100 * MS;
        t.r.timestamp += i * 977;
    }
    const struct stream *s = only_stream();
    COUNTS(s, 22, 22, 0, 0, 1, 0);
    assert_int_equal(stream_extras(s)->repair, 22);
    assert_int_equal(s->segment_count, 0);
    assert_int_equal(s->jitter.count, 0);
    end();
}

// --- video ---

// Frames of three packets each: 1 ms between the packets of a frame, the marker at its last one.
static void stream_of_video_has_the_jitter_of_all_its_packets(void **state)
{
    (void)state;
    begin_type(PT_VIDEO);
    double now = 0, sum = 0, max = 0;
    int64_t count = 0;
    for (unsigned frame = 0; frame < 200; frame++) {
        // 25 frames a second, but a pause of 10 frames now and then, as when nothing moves.
        int64_t wait_ms = frame % 20 == 19 ? 400 : 40;
        for (unsigned i = 0; i < 3; i++) {
            t.r.marker = i == 2;
            t.r.payload_n = 900;
            packet();
            // RFC 3550 A.8: the difference of two packets' distances, sent and come.
            double d = frame + i == 0 ? 0 : i == 0 ? 2e6 : 1e6;
            if (frame + i > 0) {
                now += (d - now) / 16;
                sum += now;
                max = now > max ? now : max;
                count++;
            }
            t.r.sequence++;
            t.r.time_ns += i < 2 ? MS : wait_ms * MS - 2 * MS;
        }
        t.r.timestamp += (uint32_t)wait_ms * 90;
    }
    const struct stream *s = only_stream();
    COUNTS(s, 600, 600, 0, 0, 0, 0);
    assert_int_equal(s->jitter.count, count);
    assert_true(fabs(s->jitter.sum - sum) < 1);
    assert_true(fabs(s->jitter.max - max) < 1);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_of_redundant_data_counts_as_its_primary_type),
        cmocka_unit_test(stream_counts_lost_numbers_that_redundant_data_carried),
        cmocka_unit_test(stream_recovered_tells_which_numbers),
        cmocka_unit_test(stream_with_a_packet_that_comes_late_no_longer_counts_it_as_recovered),
        cmocka_unit_test(stream_plays_redundant_data_that_come_in_time_wherever_they_are),
        cmocka_unit_test(stream_of_text_counts_the_packets_before_whatever_their_times),
        cmocka_unit_test(stream_of_events_as_redundant_data_has_their_digits),
        cmocka_unit_test(stream_with_broken_chains_times_nothing_by_them),
        cmocka_unit_test(stream_with_a_direct_packet_of_the_primary_type_goes_on),
        cmocka_unit_test(stream_with_error_correction_among_its_media_counts_it_as_repair),
        cmocka_unit_test(stream_of_retransmissions_alone_is_no_media),
        cmocka_unit_test(stream_of_video_has_the_jitter_of_all_its_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
