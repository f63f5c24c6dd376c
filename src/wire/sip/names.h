// From the name of a header field to its number, inline for the parser.
//
// The hash of length, first and last letter is free of collisions over the table (a test walks it),
// but for names that are equal in all three. The name that it gives is compared without case, 16
// bytes at once where so many can be read; sip_header_by_name has the way for fewer, and is the
// reference.
#ifndef SIDETONE_WIRE_SIP_NAMES_H
#define SIDETONE_WIRE_SIP_NAMES_H

#include "base/bytes.h"
#include "wire/sip/sip.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define SIP_HEADER_NAME_MAX 19
#define SIP_HEADER_FACTOR   74855u // found by tools/header_slots.py

// Bytes that sip_header_is_with_room may read from the beginning of a name on, however short it is.
#define SIP_HEADER_NAME_ROOM 16

struct sip_header_name {
    char lower[SIP_HEADER_NAME_MAX + 1];
    uint16_t first_16; // a bit for each byte of the name, of the first 16
    uint8_t n;
    uint8_t id;
};

extern const struct sip_header_name SIP_HEADER_NAMES[]; // the first is none, as long as no name
extern const uint8_t SIP_HEADER_SLOTS[256];             // index into SIP_HEADER_NAMES

static inline unsigned sip_header_hash(struct slice name)
{
    unsigned first = (uint8_t)name.p[0];
    unsigned last = (uint8_t)(name.p + name.n)[-1];
    return ((first | last << 8 | 0x2020u) * SIP_HEADER_FACTOR >> 16) + (unsigned)name.n;
}

// The only entry that may be this name, but for those that the hash cannot part; for no name, too,
// if a byte stands before it.
static inline const struct sip_header_name *sip_header_candidate(struct slice name)
{
    return &SIP_HEADER_NAMES[SIP_HEADER_SLOTS[sip_header_hash(name) % 256]];
}

// slice_eq for words: without a call for those of 3 to 16 bytes.
static inline bool sip_eq_word(struct slice a, struct slice b)
{
    const uint8_t *x = (const uint8_t *)a.p;
    const uint8_t *y = (const uint8_t *)b.p;
    size_t n = a.n;
    if (n != b.n) {
        return false;
    }
    if (n >= 4 && n < 8) {
        return le32(x) == le32(y) && le32(x + n - 4) == le32(y + n - 4);
    }
    if (n == 3) {
        return le16(x) == le16(y) && x[2] == y[2];
    }
    return n >= 8 && n <= 16 ? le64(x) == le64(y) && le64(x + n - 8) == le64(y + n - 8)
                             : slice_eq(a, b);
}

// Folds to lower case only where the known name has a letter (0x61 to 0x7a, the only bytes of it
// with bit 6), so that no other byte can pass for one.
static inline bool sip_eq8_nocase(const char *text, const char *lower)
{
    uint64_t want = le64((const uint8_t *)lower);
    uint64_t fold = (want & 0x4040404040404040u) >> 1;
    return (le64((const uint8_t *)text) | fold) == want;
}

static inline bool sip_eq4_nocase(const char *text, const char *lower)
{
    uint32_t want = le32((const uint8_t *)lower);
    uint32_t fold = (want & 0x40404040u) >> 1;
    return (le32((const uint8_t *)text) | fold) == want;
}

// Is the name, as long as that of h, that of h? The entry that is none has a length too, which a
// name of a stranger may have: it is no name.
static inline bool sip_header_is(const char *text, const struct sip_header_name *h)
{
    size_t n = h->n;
    if (n >= 8) {
        return sip_eq8_nocase(text, h->lower) && sip_eq8_nocase(text + n - 8, h->lower + n - 8) &&
               (n <= 16 || sip_eq8_nocase(text + 8, h->lower + 8));
    }
    if (n >= 4) {
        return sip_eq4_nocase(text, h->lower) && sip_eq4_nocase(text + n - 4, h->lower + n - 4);
    }
    return slice_eq_nocase(slice_of(text, n), slice_of(h->lower, n));
}

#if defined(__SSE2__)

// The same; SIP_HEADER_NAME_ROOM bytes can be read. `letters` are 16 bytes of 0x40, the bit that
// says where a known name has a letter. The entry that is none has a length too, which a stranger
// may give a name: it is nobody's.
static inline bool sip_header_is_with_room(const char *text, const struct sip_header_name *h,
                                           __m128i letters)
{
    __m128i want = _mm_loadu_si128((const __m128i *)(const void *)h->lower);
    __m128i fold = _mm_srli_epi16(_mm_and_si128(want, letters), 1);
    __m128i have = _mm_loadu_si128((const __m128i *)(const void *)text);
    unsigned equal = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(have, fold), want));
    return (equal & h->first_16) == h->first_16 &&
           (h->n <= 16 ||
            (h->n <= SIP_HEADER_NAME_MAX && sip_eq4_nocase(text + h->n - 4, h->lower + h->n - 4)));
}

#endif

#endif
