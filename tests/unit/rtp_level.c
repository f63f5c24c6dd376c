// Tests of level_measure() against its plain reference, and of what levels mean.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "guard.h"
#include "wire/rtp/level.h"

#include <math.h>

static void assert_same(enum level_law law, const uint8_t *p, uint32_t n)
{
    struct level fast = level_measure(law, p, n), plain = level_measure_plain(law, p, n);
    assert_int_equal(fast.peak, plain.peak);
    assert_int_equal(fast.mean_twice, plain.mean_twice);
    assert_int_equal(fast.at_limit, plain.at_limit);
    struct level kept = level_unpack(level_pack(plain));
    assert_memory_equal(&kept, &plain, sizeof kept);
}

// Bytes of one of several kinds: any, quiet ones, loud ones, all the same.
static void fill(struct random *rng, uint8_t *p, uint32_t n, unsigned kind)
{
    uint8_t same = (uint8_t)random_u64(rng);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t v = (uint8_t)random_u64(rng);
        p[i] = kind == 0 ? v : kind == 1 ? v | 0x78 : kind == 2 ? v & 0x87 : same;
    }
}

static void level_of_all_lengths_and_alignments_is_that_of_the_reference(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("rtp_level", 1));
    uint8_t bytes[640];
    // Its end at an unmapped page: with every length, the start has every alignment.
    for (uint32_t n = 1; n <= 600; n++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            fill(&rng, bytes, n, kind);
            uint8_t *p = guard_copy(bytes, n);
            assert_same(LEVEL_MU_LAW, p, n);
            assert_same(LEVEL_A_LAW, p, n);
            guard_free(p, n);
        }
    }
    for (uint32_t n = 1; n <= 600; n++) {
        fill(&rng, bytes, sizeof bytes, n & 3);
        for (uint32_t at = 0; at < 33; at++) {
            assert_same(n & 1 ? LEVEL_MU_LAW : LEVEL_A_LAW, bytes + at, n);
        }
    }
}

static void level_of_the_largest_payload_is_that_of_the_reference(void **state)
{
    (void)state;
    static uint8_t bytes[65535];
    memset(bytes, 0x80, sizeof bytes); // all at the limit of mu-law
    assert_same(LEVEL_MU_LAW, bytes, sizeof bytes);
    assert_int_equal(level_measure(LEVEL_MU_LAW, bytes, sizeof bytes).at_limit, 255);
    memset(bytes, 0xff, sizeof bytes);
    assert_same(LEVEL_MU_LAW, bytes, sizeof bytes);
}

static void level_of_one_loud_sample_finds_it_anywhere(void **state)
{
    (void)state;
    uint8_t bytes[240];
    for (uint32_t n = 1; n <= sizeof bytes; n += n < 40 ? 1 : 40) {
        for (uint32_t at = 0; at < n; at++) {
            memset(bytes, 0xff, n);
            bytes[at] = at & 1 ? 0x80 : 0x00;
            struct level l = level_measure(LEVEL_MU_LAW, bytes, n);
            assert_int_equal(l.peak, 127);
            assert_int_equal(l.at_limit, 1);
            memset(bytes, 0xd5, n);
            bytes[at] = at & 1 ? 0xaa : 0x2a;
            l = level_measure(LEVEL_A_LAW, bytes, n);
            assert_int_equal(l.peak, 127);
            assert_int_equal(l.at_limit, 1);
        }
    }
}

// --- coding, straight from the tables ---

static uint8_t encode(enum level_law law, double x)
{
    unsigned best = 0;
    for (unsigned code = 1; code < 128; code++) {
        if (fabs(level_amplitude(law, code) - fabs(x)) <
            fabs(level_amplitude(law, best) - fabs(x))) {
            best = code;
        }
    }
    uint8_t byte = (uint8_t)(law == LEVEL_MU_LAW ? ~best & 0x7f : (best ^ 0x55) & 0x7f);
    return byte | (x >= 0 ? 0x80 : 0);
}

static void level_amplitudes_are_those_of_g711(void **state)
{
    (void)state;
    // Decoder outputs y1, y2, ... y128 of the tables, in 16 bits.
    assert_true(level_amplitude(LEVEL_MU_LAW, 0) == 0);
    assert_true(level_amplitude(LEVEL_MU_LAW, 1) == 8);
    assert_true(level_amplitude(LEVEL_MU_LAW, 16) == 132);
    assert_true(level_amplitude(LEVEL_MU_LAW, 127) == 32124);
    assert_true(level_amplitude(LEVEL_A_LAW, 0) == 8);
    assert_true(level_amplitude(LEVEL_A_LAW, 1) == 24);
    assert_true(level_amplitude(LEVEL_A_LAW, 16) == 264);
    assert_true(level_amplitude(LEVEL_A_LAW, 32) == 528);
    assert_true(level_amplitude(LEVEL_A_LAW, 127) == 32256);
    for (unsigned code = 1; code < 128; code++) {
        assert_true(level_amplitude(LEVEL_MU_LAW, code) > level_amplitude(LEVEL_MU_LAW, code - 1));
        assert_true(level_amplitude(LEVEL_A_LAW, code) > level_amplitude(LEVEL_A_LAW, code - 1));
    }
}

static double gauss(struct random *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += (double)(random_u64(rng) >> 11) / 9007199254740992.0;
    }
    return sum;
}

static double power_db(enum level_law law, struct level l)
{
    return 10 * log10(level_power(law, l)) + 20 * log10(LEVEL_STEP / 32768);
}

static void level_power_of_tones_and_noise_is_near_theirs(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("rtp_level", 2));
    for (int law = LEVEL_MU_LAW; law <= LEVEL_A_LAW; law++) {
        for (double dbov = -45; dbov <= -10; dbov += 5) {
            double rms = 32768 * pow(10, dbov / 20), sums[2] = {0, 0};
            for (int round = 0; round < 20; round++) {
                uint8_t tone[160], noise[160];
                double hz = 300 + 150 * round;
                for (int i = 0; i < 160; i++) {
                    tone[i] = encode((enum level_law)law,
                                     rms * sqrt(2) * sin(2 * 3.14159265358979 * hz * i / 8000));
                    noise[i] = encode((enum level_law)law, rms * gauss(&rng));
                }
                sums[0] +=
                    power_db((enum level_law)law, level_measure((enum level_law)law, tone, 160));
                sums[1] +=
                    power_db((enum level_law)law, level_measure((enum level_law)law, noise, 160));
            }
            assert_true(fabs(sums[0] / 20 - dbov) < 1.5);
            assert_true(fabs(sums[1] / 20 - dbov) < 1.5);
        }
    }
}

static void level_of_quiet_sound_is_silent_and_of_a_room_is_not(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("rtp_level", 3));
    for (int law = LEVEL_MU_LAW; law <= LEVEL_A_LAW; law++) {
        uint8_t bytes[160];
        memset(bytes, law == LEVEL_MU_LAW ? 0xff : 0xd5, sizeof bytes);
        assert_true(
            level_is_silent((enum level_law)law, level_measure((enum level_law)law, bytes, 160)));
        memset(bytes, law == LEVEL_MU_LAW ? 0x7f : 0x55, sizeof bytes);
        assert_true(
            level_is_silent((enum level_law)law, level_measure((enum level_law)law, bytes, 160)));
        for (double dbov = -70; dbov <= -40; dbov += 2) {
            if (dbov > -66 && dbov < -54) {
                continue; // between: may be either
            }
            for (int i = 0; i < 160; i++) {
                bytes[i] = encode((enum level_law)law, 32768 * pow(10, dbov / 20) * gauss(&rng));
            }
            struct level l = level_measure((enum level_law)law, bytes, 160);
            assert_int_equal(level_is_silent((enum level_law)law, l), dbov <= -66);
        }
        // One click in it is something to hear.
        memset(bytes, law == LEVEL_MU_LAW ? 0xff : 0xd5, sizeof bytes);
        bytes[80] = encode((enum level_law)law, 500);
        assert_false(
            level_is_silent((enum level_law)law, level_measure((enum level_law)law, bytes, 160)));
    }
}

static void level_is_clipped_for_tones_too_loud_and_not_for_ciphertext(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("rtp_level", 4));
    uint8_t bytes[480];
    for (int i = 0; i < 160; i++) {
        double x = 36700 * sin(2 * 3.14159265358979 * 440 * i / 8000); // 1 dB above
        bytes[i] = encode(LEVEL_A_LAW, x > 32767 ? 32767 : x < -32767 ? -32767 : x);
    }
    assert_true(level_is_clipped(level_measure(LEVEL_A_LAW, bytes, 160), 160));
    for (int i = 0; i < 160; i++) {
        bytes[i] = encode(LEVEL_A_LAW, 23000 * sin(2 * 3.14159265358979 * 440 * i / 8000));
    }
    assert_false(level_is_clipped(level_measure(LEVEL_A_LAW, bytes, 160), 160));
    static const uint32_t SIZES[] = {80, 160, 240, 320, 480};
    for (size_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; k++) {
        int clipped = 0;
        for (int round = 0; round < 10000; round++) {
            fill(&rng, bytes, SIZES[k], 0);
            struct level l = level_measure(LEVEL_MU_LAW, bytes, SIZES[k]);
            clipped += level_is_clipped(l, SIZES[k]);
        }
        assert_true(clipped < 50); // half a percent
    }
    memset(bytes, 0, sizeof bytes);
    assert_true(level_is_filled(level_measure(LEVEL_MU_LAW, bytes, 160)));
    bytes[3] = 0x40;
    assert_false(level_is_filled(level_measure(LEVEL_MU_LAW, bytes, 160)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_of_all_lengths_and_alignments_is_that_of_the_reference),
        cmocka_unit_test(level_of_the_largest_payload_is_that_of_the_reference),
        cmocka_unit_test(level_of_one_loud_sample_finds_it_anywhere),
        cmocka_unit_test(level_amplitudes_are_those_of_g711),
        cmocka_unit_test(level_power_of_tones_and_noise_is_near_theirs),
        cmocka_unit_test(level_of_quiet_sound_is_silent_and_of_a_room_is_not),
        cmocka_unit_test(level_is_clipped_for_tones_too_loud_and_not_for_ciphertext),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
