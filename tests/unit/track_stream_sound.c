// Tests of the sound of G.711 in a stream, and of SRTP that is seen by its look.
#include "stream_sender.h"

#include "wire/rtp/level.h"

enum {
    PT_OPUS = 111,
    PT_G729 = 18,
    PT_GSM = 3,
    PT_PCMA_DYNAMIC = 105,
};

static const struct sdp_format FORMATS[] = {
    {.payload_type = 0, .codec = CODEC_PCMU, .clock_hz = 8000},
    {.payload_type = 8, .codec = CODEC_PCMA, .clock_hz = 8000},
    {.payload_type = 9, .codec = CODEC_G722, .clock_hz = 8000},
    {.payload_type = 13, .codec = CODEC_CN, .clock_hz = 8000},
    {.payload_type = PT_OPUS, .codec = CODEC_OPUS, .clock_hz = 48000},
    {.payload_type = PT_G729, .codec = CODEC_G729, .clock_hz = 8000},
    {.payload_type = PT_GSM, .codec = CODEC_GSM, .clock_hz = 8000},
    {.payload_type = PT_PCMA_DYNAMIC, .codec = CODEC_PCMA, .clock_hz = 8000},
};

static void begin_type(uint8_t payload_type)
{
    begin(65530, 0xffffff00); // both wrap soon
    announce(FORMATS, sizeof FORMATS / sizeof FORMATS[0]);
    t.r.payload_type = payload_type;
}

// --- sound ---

// A packet of sound in which all samples have this code.
static void sound(unsigned code, unsigned at_limit)
{
    t.r.head = level_pack((struct level){.peak = at_limit > 0 ? 127 : (uint8_t)code,
                                         .mean_twice = (uint8_t)(2 * code),
                                         .at_limit = (uint8_t)at_limit});
    packet();
    step();
}

static void stream_of_sound_has_its_silence_and_peak(void **state)
{
    (void)state;
    begin_type(0);
    for (unsigned i = 0; i < 1000; i++) {
        bool quiet = (i >= 100 && i < 600) || i >= 900;
        sound(quiet ? 1 : 60 + i % 3, 0);
    }
    struct stream_sound heard = stream_sound_so_far(only_stream());
    assert_int_equal(stream_judged(&heard), 1000);
    assert_int_equal(heard.silent, 600);
    assert_int_equal(heard.peak[LEVEL_MU_LAW], 62);
    assert_int_equal(heard.clipped, 0);
    assert_int_equal(stream_silence_ns(&heard), 500 * STEP_NS);
    end();
}

static void stream_with_losses_in_a_silence_has_one_silence(void **state)
{
    (void)state;
    begin_type(8);
    for (unsigned i = 0; i < 300; i++) {
        if (i % 10 > 2) {
            sound(0, 0);
        } else {
            step();
        }
    }
    sound(50, 0);
    struct stream_sound heard = stream_sound_so_far(only_stream());
    assert_int_equal(heard.silent, 210);
    assert_int_equal(stream_silence_ns(&heard), 297 * STEP_NS);
    end();
}

static void stream_with_pauses_of_the_sender_adds_no_silence_for_them(void **state)
{
    (void)state;
    begin_type(0);
    for (unsigned i = 0; i < 10; i++) {
        t.r.payload_type = 0;
        for (unsigned k = 0; k < 20; k++) {
            sound(0, 0);
        }
        t.r.payload_type = 13;
        t.r.payload_n = 1;
        t.r.head = 0;
        packet();
        t.r.sequence++;
        t.r.timestamp += 40000;
        t.r.time_ns += 5000 * MS;
        t.r.payload_n = 160;
    }
    struct stream_sound heard = stream_sound_so_far(only_stream());
    assert_int_equal(heard.silent, 200);
    assert_int_equal(stream_silence_ns(&heard), 20 * STEP_NS);
    end();
}

static void stream_with_clipped_packets_counts_them(void **state)
{
    (void)state;
    begin_type(0);
    for (unsigned i = 0; i < 200; i++) {
        sound(80, i % 10 == 3 ? 8 : i % 10 == 4 ? 7 : 0);
    }
    t.r.head = level_pack((struct level){127, 254, 160}); // filled by an anonymiser
    packet();
    step();
    t.r.payload_n = 0; // nothing in it
    packet();
    struct stream_sound heard = stream_sound_so_far(only_stream());
    assert_int_equal(stream_judged(&heard), 200);
    assert_int_equal(heard.clipped, 20);
    end();
}

static void stream_of_types_that_decoding_does_not_measure_is_not_judged(void **state)
{
    (void)state;
    static const uint8_t TYPES[] = {PT_PCMA_DYNAMIC, 9, PT_G729, PT_OPUS};
    for (size_t i = 0; i < sizeof TYPES; i++) {
        begin_type(TYPES[i]);
        t.r.head = 0x7fffffff;
        paced(50);
        struct stream_sound heard = stream_sound_so_far(only_stream());
        assert_int_equal(stream_judged(&heard), 0);
        end();
    }
}

// --- SRTP by its look ---

static const struct look_row {
    const char *what;
    uint8_t payload_type;
    uint32_t ticks;
    uint16_t bytes;
    bool encrypted;
} LOOKS[] = {
    {"PCMU", 0, 160, 160, false},
    {"PCMU, 80 bits", 0, 160, 170, true},
    {"PCMU, 32 bits", 0, 160, 164, true},
    {"PCMU, AEAD", 0, 160, 176, true},
    {"PCMU, 8 bytes more", 0, 160, 168, false},
    {"PCMU, less", 0, 160, 150, false},
    {"PCMU of 30 ms in 20 ms", 0, 160, 240, false},
    {"PCMA", 8, 240, 250, true},
    {"G.722", 9, 160, 170, true},
    {"G.722 counted in 16 kHz", 9, 320, 160, false},
    {"PCMA of a dynamic type", PT_PCMA_DYNAMIC, 160, 170, true},
    {"G.729", PT_G729, 160, 20, false},
    {"G.729, 80 bits", PT_G729, 160, 30, true},
    {"G.729, 32 bits", PT_G729, 240, 34, true},
    {"GSM", PT_GSM, 160, 33, false},
    {"GSM, 80 bits", PT_GSM, 160, 43, true},
    {"opus", PT_OPUS, 960, 970, false},
};

static void look_packets(const struct look_row *row, size_t count)
{
    uint32_t hz = row->payload_type == PT_OPUS ? 48000 : 8000;
    for (size_t i = 0; i < count; i++) {
        t.r.payload_n = row->bytes;
        packet();
        t.r.sequence++;
        t.r.timestamp += row->ticks;
        t.r.time_ns += (int64_t)row->ticks * 1000000000 / hz;
    }
}

static void stream_that_is_longer_by_a_tag_is_encrypted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LOOKS / sizeof LOOKS[0]; i++) {
        begin_type(LOOKS[i].payload_type);
        look_packets(&LOOKS[i], 60);
        const struct stream *s = only_stream();
        if (stream_encrypted(s) != LOOKS[i].encrypted) {
            print_error("%s\n", LOOKS[i].what);
        }
        assert_int_equal(stream_encrypted(s), LOOKS[i].encrypted);
        end();
    }
}

static void stream_is_encrypted_by_its_look_after_the_proof_alone(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        begin_type(0);
        look_packets(&LOOKS[1], STREAM_LOOK_PROOF + (size_t)more); // the first has no step
        assert_int_equal(stream_encrypted(only_stream()), more);
        end();
    }
    begin_type(0); // a plain packet between: no packet after packet
    for (int i = 0; i < 20; i++) {
        look_packets(&LOOKS[1], STREAM_LOOK_PROOF - 1);
        look_packets(&LOOKS[0], 1);
    }
    assert_false(stream_encrypted(only_stream()));
    end();
}

static void stream_with_wrong_timestamps_is_not_taken_for_encrypted(void **state)
{
    (void)state;
    begin_type(PT_G729);
    for (int i = 0; i < 100; i++) { // 30 ms of sound, counted as 20
        t.r.payload_n = 30;
        packet();
        t.r.sequence++;
        t.r.timestamp += 160;
        t.r.time_ns += 30 * MS;
    }
    assert_false(stream_encrypted(only_stream()));
    end();
}

static void stream_of_g729_with_silence_descriptors_is_seen_to_be_encrypted(void **state)
{
    (void)state;
    begin_type(PT_G729);
    for (int i = 0; i < 40; i++) {
        look_packets(&LOOKS[12], 5);
        t.r.payload_n = i & 1 ? 12 : 22; // a descriptor alone, or behind a frame
        packet();
        t.r.sequence++;
        t.r.timestamp += 160;
        t.r.time_ns += STEP_NS;
    }
    assert_true(stream_encrypted(only_stream()));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_of_sound_has_its_silence_and_peak),
        cmocka_unit_test(stream_with_losses_in_a_silence_has_one_silence),
        cmocka_unit_test(stream_with_pauses_of_the_sender_adds_no_silence_for_them),
        cmocka_unit_test(stream_with_clipped_packets_counts_them),
        cmocka_unit_test(stream_of_types_that_decoding_does_not_measure_is_not_judged),
        cmocka_unit_test(stream_that_is_longer_by_a_tag_is_encrypted),
        cmocka_unit_test(stream_is_encrypted_by_its_look_after_the_proof_alone),
        cmocka_unit_test(stream_with_wrong_timestamps_is_not_taken_for_encrypted),
        cmocka_unit_test(stream_of_g729_with_silence_descriptors_is_seen_to_be_encrypted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
