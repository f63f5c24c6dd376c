// Runs of characters of one set, found 16 at a time.
//
// A set of ASCII characters is 16 bytes: byte `l` has bit `h` for each character h << 4 | l of the
// set. One shuffle looks all low halves up, another turns the high halves into the bit that must be
// there; what is above 0x7f becomes zero by itself (SSSE3, part of x86-64-v2; elsewhere byte by
// byte). A run of up to 15 costs some 15 instructions, where a lookup for each byte costs 4 of
// them. tests/unit/sip_span.c builds the sets again from chars.h and holds every run against that.
#ifndef SIDETONE_WIRE_SIP_SPAN_H
#define SIDETONE_WIRE_SIP_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

// Bytes behind the end of a value that must be there to be read.
#define SIP_SPAN_ROOM 16

struct sip_set {
    uint8_t rows[16];
};

// clang-format off
#define SIP_SET(name, ...) static const struct sip_set SIP_SET_##name = {{__VA_ARGS__}}
SIP_SET(TOKEN, 0xe8, 0xfc, 0xf8, 0xf8, 0xf8, 0xfc, 0xf8, 0xfc, 0xf8, 0xf8, 0xf4, 0x54, 0x50, 0x54, 0xd4, 0x70);
// Tokens and the blanks between them.
SIP_SET(WORDS, 0xec, 0xfc, 0xf8, 0xf8, 0xf8, 0xfc, 0xf8, 0xfc, 0xf8, 0xf8, 0xf4, 0x54, 0x50, 0x54, 0xd4, 0x70);
// Users without escapes.
SIP_SET(USER, 0xa8, 0xfc, 0xf8, 0xf8, 0xfc, 0xf8, 0xfc, 0xfc, 0xfc, 0xfc, 0xf4, 0x5c, 0x54, 0x5c, 0xd4, 0x7c);
SIP_SET(HOST, 0xa8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf0, 0x50, 0x50, 0x54, 0x54, 0x70);
// Inside the brackets of an IPv6 reference.
SIP_SET(IPV6, 0x08, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x08, 0x08, 0x08, 0x08, 0x00, 0x00, 0x00, 0x04, 0x00);
// Parameters of a URI: what a URI may have, without escapes, "?" and "@".
SIP_SET(URI_PARAMS, 0xa8, 0xfc, 0xf8, 0xf8, 0xfc, 0xf8, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7c, 0x54, 0x7c, 0xd4, 0x74);
// Values of parameters as senders write them: what is visible, but no '"', "<", ">", "," and ";".
SIP_SET(VALUE, 0xf8, 0xfc, 0xf8, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xf4, 0xf0, 0xfc, 0xf4, 0x7c);
#undef SIP_SET
// clang-format on

// How many of the 16 bytes at p, from the first on, are in the set.
static inline unsigned sip_span_16(const char *p, const struct sip_set *set)
{
#if defined(__SSSE3__)
    const __m128i rows = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i known = _mm_loadu_si128((const __m128i *)(const void *)set->rows);
    __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(15));
    __m128i in = _mm_and_si128(_mm_shuffle_epi8(known, bytes), _mm_shuffle_epi8(rows, high));
    int out = _mm_movemask_epi8(_mm_cmpeq_epi8(in, _mm_setzero_si128()));
    return (unsigned)__builtin_ctz((unsigned)out | 1u << 16);
#else
    unsigned n = 0;
    while (n < 16 && (uint8_t)p[n] < 0x80 && (set->rows[p[n] & 15] >> (p[n] >> 4) & 1) != 0) {
        n++;
    }
    return n;
#endif
}

// How many of the 16 bytes at p stand before the first '"' or backslash.
static inline unsigned sip_span_quoted_16(const char *p)
{
#if defined(__SSSE3__)
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(stop) | 1u << 16);
#else
    unsigned n = 0;
    while (n < 16 && p[n] != '"' && p[n] != '\\') {
        n++;
    }
    return n;
#endif
}

// Are these eight bytes all from blank to "~"? No sum of bytes below 0x80 reaches the next one.
static inline bool sip_is_visible_8(const char *p)
{
    uint64_t eight = le64((const uint8_t *)p);
    uint64_t good = ~eight & (eight + 0x6060606060606060) & ~(eight + 0x0101010101010101);
    return (good & 0x8080808080808080) == 0x8080808080808080;
}

// Are the n bytes at p, 8 or more, all from blank to "~"?
static inline bool sip_is_visible(const char *p, size_t n)
{
    if (n < 16) {
        return sip_is_visible_8(p) && sip_is_visible_8(p + n - 8);
    }
#if defined(__SSSE3__)
    const __m128i blank = _mm_set1_epi8(' ');
    const __m128i one = _mm_set1_epi8(1); // 0x7f becomes the lowest of all, as 0x80 and above are
    const char *last = p + n - 16;
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)last);
    __m128i good = _mm_cmpgt_epi8(_mm_add_epi8(bytes, one), blank);
    for (; p < last; p += 16) {
        bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        good = _mm_and_si128(good, _mm_cmpgt_epi8(_mm_add_epi8(bytes, one), blank));
    }
    return _mm_movemask_epi8(good) == 0xffff;
#else
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        good &= (uint8_t)p[i] >= ' ' && (uint8_t)p[i] < 0x7f;
    }
    return good;
#endif
}

// Moves *at behind the run; false where it goes on behind `end`. SIP_SPAN_ROOM bytes must be there
// behind `end`.
static inline bool sip_span(const char **at, const char *end, const struct sip_set *set)
{
    const char *p = *at;
    unsigned n = 16;
    while (n == 16 && p <= end) {
        n = sip_span_16(p, set);
        p += n;
    }
    *at = p;
    return p <= end;
}

// The same up to the first '"' or backslash.
static inline bool sip_span_quoted(const char **at, const char *end)
{
    const char *p = *at;
    unsigned n = 16;
    while (n == 16 && p <= end) {
        n = sip_span_quoted_16(p);
        p += n;
    }
    *at = p;
    return p <= end;
}

#endif
