// The loudness of G.711 in steps of 32 samples: inline, for those who are compiled for AVX2 and
// have asked the processor. Private to level.c and the walk over ordinary packets.
//
// Budget: 40 instructions for 160 samples of mu-law, 45 of A-law. Proof: as in level.h.
#ifndef SIDETONE_WIRE_RTP_LEVEL_AVX2_H
#define SIDETONE_WIRE_RTP_LEVEL_AVX2_H

#include "wire/rtp/level.h"

#ifdef __x86_64__
#define LEVEL_HAS_AVX2 1

#include <immintrin.h>

#define LEVEL_AVX2 __attribute__((target("avx2"), always_inline)) static inline

// LEVEL_CODE_MAX less the code, of each of 32 samples.
LEVEL_AVX2 __m256i level_quiet(enum level_law law, const uint8_t *p)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
    if (law == LEVEL_A_LAW) {
        bytes = _mm256_xor_si256(bytes, _mm256_set1_epi8(0x55 ^ 0x7f));
    }
    return _mm256_and_si256(bytes, _mm256_set1_epi8(0x7f));
}

// The smallest byte. The minimum of two bytes stands in the lower one of each word, below 0.
LEVEL_AVX2 uint32_t level_smallest(__m256i bytes)
{
    __m128i all = _mm_min_epu8(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    all = _mm_minpos_epu16(_mm_min_epu8(all, _mm_srli_epi16(all, 8)));
    return (uint32_t)_mm_cvtsi128_si32(all) & 0xff;
}

// Of four sums, which stand in 64 bits each.
LEVEL_AVX2 uint32_t level_total(__m256i sums)
{
    __m128i both = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    both = _mm_add_epi32(both, _mm_unpackhi_epi64(both, both));
    return (uint32_t)_mm_cvtsi128_si32(both);
}

// What most packets have: 20 ms.
#define LEVEL_USUAL_N 160u

// level_pack() of the level of LEVEL_USUAL_N samples. False where some are at the limit, which
// level_measure() counts. Two codes fit into one byte, so that two are summed at once.
LEVEL_AVX2 bool level_of_usual(enum level_law law, const uint8_t *p, uint32_t *packed)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i a = level_quiet(law, p), b = level_quiet(law, p + 32), c = level_quiet(law, p + 64),
            d = level_quiet(law, p + 96), e = level_quiet(law, p + 128);
    __m256i least = _mm256_min_epu8(_mm256_min_epu8(a, b), _mm256_min_epu8(c, d));
    least = _mm256_min_epu8(least, e);
    __m256i sums = _mm256_add_epi32(_mm256_sad_epu8(_mm256_add_epi8(a, b), zero),
                                    _mm256_sad_epu8(_mm256_add_epi8(c, d), zero));
    sums = _mm256_add_epi32(sums, _mm256_sad_epu8(e, zero));
    uint32_t min = level_smallest(least);
    uint32_t sum = LEVEL_CODE_MAX * LEVEL_USUAL_N - level_total(sums);
    // (2 sum + n / 2) / n; 52429 / 2^22 is 1/80, exact below 2^16. Left to the compiler it becomes
    // a division by the length that the caller has compared.
    uint32_t mean_twice = (sum + LEVEL_USUAL_N / 4) * 52429u >> 22;
    *packed = mean_twice << 8 | (LEVEL_CODE_MAX - min);
    return __builtin_expect(min != 0, 1);
}

#endif

#endif
