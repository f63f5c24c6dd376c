// Measuring G.711 by the codes of its samples.
//
// A byte of mu-law holds the complement of its code; one of A-law has every other bit inverted
// (G.711 tables 1 and 2). The uppermost bit is the sign.
#include "wire/rtp/level.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#ifdef __SSE4_1__
#include <smmintrin.h>
#endif
#endif

static inline uint8_t code_of(enum level_law law, uint8_t byte)
{
    return (law == LEVEL_MU_LAW ? ~byte : byte ^ 0x55) & 0x7f;
}

static inline struct level level_of(uint32_t peak, uint32_t sum, uint32_t n, uint32_t at_limit)
{
    return (struct level){
        .peak = (uint8_t)peak,
        .mean_twice = (uint8_t)((sum * 2 + n / 2) / n),
        .at_limit = (uint8_t)(at_limit < 255 ? at_limit : 255),
    };
}

__attribute__((noinline)) struct level level_measure_plain(enum level_law law, const uint8_t *p,
                                                           uint32_t n)
{
    uint32_t peak = 0, at_limit = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t code = code_of(law, p[i]);
        peak = code > peak ? code : peak;
        sum += code;
        at_limit += code == LEVEL_CODE_MAX;
    }
    return level_of(peak, sum, n, at_limit);
}

#ifdef __SSE2__

// LEVEL_CODE_MAX less the code, of each of 16 samples.
static inline __m128i quiet_at(enum level_law law, const uint8_t *p)
{
    __m128i bytes;
    memcpy(&bytes, p, sizeof bytes);
    if (law == LEVEL_A_LAW) {
        bytes = _mm_xor_si128(bytes, _mm_set1_epi8(0x55 ^ 0x7f));
    }
    return _mm_and_si128(bytes, _mm_set1_epi8(0x7f));
}

// Of the last n % 16 samples, n >= 16; those in front of them, which were seen before, count as
// code 0.
static inline __m128i quiet_rest(enum level_law law, const uint8_t *p, uint32_t n)
{
    static const uint8_t SEEN[32] = {0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f,
                                     0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
    __m128i seen;
    memcpy(&seen, SEEN + n % 16, sizeof seen);
    return _mm_or_si128(quiet_at(law, p + n - 16), seen);
}

static inline uint32_t smallest(__m128i bytes)
{
    bytes = _mm_min_epu8(bytes, _mm_srli_epi16(bytes, 8)); // in the lower one of two
#ifdef __SSE4_1__
    bytes = _mm_minpos_epu16(_mm_and_si128(bytes, _mm_set1_epi16(0xff)));
#else
    bytes = _mm_min_epu8(bytes, _mm_srli_si128(bytes, 8));
    bytes = _mm_min_epu8(bytes, _mm_srli_epi64(bytes, 32));
    bytes = _mm_min_epu8(bytes, _mm_srli_epi64(bytes, 16));
#endif
    return (uint32_t)_mm_cvtsi128_si32(bytes) & 0xff;
}

// As level_of where samples are at the limit: they are counted.
static __attribute__((noinline)) struct level measure_loud(enum level_law law, const uint8_t *p,
                                                           uint32_t n, uint32_t sum)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n && count < 255; i++) {
        count += code_of(law, p[i]) == LEVEL_CODE_MAX;
    }
    return level_of(LEVEL_CODE_MAX, sum, n, count);
}

// Two times 16 a round: two codes fit into one byte, so both are summed at once.
static inline __attribute__((always_inline)) struct level measure(enum level_law law,
                                                                  const uint8_t *p, uint32_t n)
{
    __m128i zero = _mm_setzero_si128(), sums = zero, least = _mm_set1_epi8(0x7f);
    const uint8_t *at = p, *end = p + n / 32 * 32;
    for (; at < end; at += 32) {
        __m128i a = quiet_at(law, at), b = quiet_at(law, at + 16);
        least = _mm_min_epu8(least, a);
        least = _mm_min_epu8(least, b);
        sums = _mm_add_epi32(sums, _mm_sad_epu8(_mm_add_epi8(a, b), zero));
    }
    if (n % 32 != 0) {
        __m128i a = n & 16 ? quiet_at(law, at) : _mm_set1_epi8(0x7f);
        __m128i b = quiet_rest(law, p, n);
        least = _mm_min_epu8(least, _mm_min_epu8(a, b));
        sums = _mm_add_epi32(sums, _mm_sad_epu8(_mm_add_epi8(a, b), zero));
    }
    sums = _mm_add_epi32(sums, _mm_srli_si128(sums, 8));
    uint32_t quiet = (uint32_t)_mm_cvtsi128_si32(sums), looked_at = (n + 31) / 32 * 32;
    uint32_t sum = LEVEL_CODE_MAX * looked_at - quiet, min = smallest(least);
    if (__builtin_expect(min == 0, 0)) {
        return measure_loud(law, p, n, sum);
    }
    return level_of(LEVEL_CODE_MAX - min, sum, n, 0);
}

// What most packets have: 20 ms. Known to the compiler, it is straight code.
#define USUAL_N 160u

static __attribute__((noinline)) struct level measure_any(enum level_law law, const uint8_t *p,
                                                          uint32_t n)
{
    if (n < 16) {
        return level_measure_plain(law, p, n);
    }
    return law == LEVEL_MU_LAW ? measure(LEVEL_MU_LAW, p, n) : measure(LEVEL_A_LAW, p, n);
}

struct level level_measure(enum level_law law, const uint8_t *p, uint32_t n)
{
    if (__builtin_expect(n != USUAL_N, 0)) {
        return measure_any(law, p, n);
    }
    return law == LEVEL_MU_LAW ? measure(LEVEL_MU_LAW, p, USUAL_N)
                               : measure(LEVEL_A_LAW, p, USUAL_N);
}

#else

struct level level_measure(enum level_law law, const uint8_t *p, uint32_t n)
{
    return level_measure_plain(law, p, n);
}

#endif

double level_amplitude(enum level_law law, unsigned code)
{
    return level_steps(law, 2 * code) * LEVEL_STEP;
}

// Mean square over the square of the amplitude of the mean code, by how far the peak is above the
// mean, in steps of 8 codes (3 dB): measured on tones, pairs of them, Gaussian and Laplacian noise,
// and pulses through a resonance as in a voice, at -45 to -15 dBov.
const double LEVEL_FACTORS[16] = {1.5, 1.7, 2.3, 2.75, 3.3, 4.4, 5.8, 7,
                                  9,   10,  10,  10,   10,  10,  10,  10};
