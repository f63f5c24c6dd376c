// Character classes of RFC 3261 25.1: one lookup a byte, or 16 bytes at a time.
#ifndef SIDETONE_WIRE_SIP_CHARS_H
#define SIDETONE_WIRE_SIP_CHARS_H

#include "base/bytes.h"
#include "base/slice.h"

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

enum sip_char_class {
    SIP_CHAR_TOKEN = 1, // token
    SIP_CHAR_DIGIT = 2,
    SIP_CHAR_HEX = 4,
    SIP_CHAR_URI = 8,    // reserved, unreserved, "%" and the brackets of an IPv6 reference
    SIP_CHAR_BLANK = 16, // SP, HTAB
    SIP_CHAR_LWS = 32,   // SP, HTAB and the CR and LF of a fold
    SIP_CHAR_HOST = 64,  // letters, digits, "-", "." ("_" too: names of hosts have it in practice)
    SIP_CHAR_USER = 128, // user and password: unreserved, user-unreserved and "%"
};

extern const uint8_t SIP_CHARS[256];

static inline bool sip_char_is(char c, unsigned classes)
{
    return (SIP_CHARS[(uint8_t)c] & classes) != 0;
}

// Is every byte of s in one of these classes? True for the empty slice. The reference.
static inline bool sip_chars_are_plain(struct slice s, unsigned classes)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!sip_char_is(s.p[i], classes)) {
            return false;
        }
    }
    return true;
}

// Length of the run at the beginning of s in these classes.
static inline size_t sip_chars_span(struct slice s, unsigned classes)
{
    size_t i = 0;
    while (i < s.n && sip_char_is(s.p[i], classes)) {
        i++;
    }
    return i;
}

#if defined(__SSSE3__)

extern const uint8_t SIP_CHAR_ROWS[8][16];

// The row for lookups of all these classes at once.
static inline __m128i sip_char_row(unsigned classes)
{
    __m128i row = _mm_setzero_si128();
    for (; classes != 0; classes &= classes - 1) {
        const uint8_t *one = SIP_CHAR_ROWS[__builtin_ctz(classes)];
        row = _mm_or_si128(row, _mm_loadu_si128((const __m128i *)(const void *)one));
    }
    return row;
}

// Bit i: byte i is in none of the classes. A byte above 0x7f looks up zero in both tables.
static inline unsigned sip_chars_out(__m128i bytes, __m128i row)
{
    const __m128i bit = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
    __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(0x0f));
    __m128i in = _mm_and_si128(_mm_shuffle_epi8(row, bytes), _mm_shuffle_epi8(bit, high));
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(in, _mm_setzero_si128()));
}

// The same as the plain one. Loads overlap at the end rather than leave the slice.
static inline bool sip_chars_are(struct slice s, unsigned classes)
{
    const uint8_t *p = (const uint8_t *)s.p;
    if (s.n < 4) {
        return sip_chars_are_plain(s, classes);
    }
    __m128i row = sip_char_row(classes);
    if (s.n < 8) {
        uint64_t both = (uint64_t)le32(p + s.n - 4) << 32 | le32(p);
        return (sip_chars_out(_mm_cvtsi64_si128((int64_t)both), row) & 0xff) == 0;
    }
    if (s.n < 16) {
        __m128i both = _mm_set_epi64x((int64_t)le64(p + s.n - 8), (int64_t)le64(p));
        return sip_chars_out(both, row) == 0;
    }
    unsigned out = 0;
    for (size_t i = 0; i + 16 < s.n && out == 0; i += 16) {
        out = sip_chars_out(_mm_loadu_si128((const __m128i *)(const void *)(p + i)), row);
    }
    const __m128i *last = (const __m128i *)(const void *)(p + s.n - 16);
    return (out | sip_chars_out(_mm_loadu_si128(last), row)) == 0;
}

// Length of the run at the beginning of the 16 bytes at p.
static inline size_t sip_chars_span_16(const char *p, unsigned classes)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    return (size_t)__builtin_ctz(sip_chars_out(bytes, sip_char_row(classes)) | 1u << 16);
}

#else

static inline size_t sip_chars_span_16(const char *p, unsigned classes)
{
    return sip_chars_span(slice_of(p, 16), classes);
}

static inline bool sip_chars_are(struct slice s, unsigned classes)
{
    return sip_chars_are_plain(s, classes);
}

#endif

static inline bool sip_is_token(struct slice s)
{
    return s.n > 0 && sip_chars_are(s, SIP_CHAR_TOKEN);
}

#endif
