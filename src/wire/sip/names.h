// From the name of a header field to its number, inline for the parser.
//
// The hash of length, first and last letter is free of collisions over the table (a test walks it),
// but for names that are equal in all three. The name that it gives is compared without case, 16
// bytes at once where so many can be read; the way for fewer bytes is the reference.
#ifndef SIDETONE_WIRE_SIP_NAMES_H
#define SIDETONE_WIRE_SIP_NAMES_H

#include "base/bytes.h"
#include "wire/sip/sip.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define SIP_HEADER_NAME_MAX 19

// Bytes that sip_header_find may read from the beginning of a name on, however short it is.
#define SIP_HEADER_NAME_ROOM 16

struct sip_header_name {
    char lower[SIP_HEADER_NAME_MAX + 1];
    uint8_t n;
    uint8_t id;
};

extern const struct sip_header_name SIP_HEADER_NAMES[];
extern const uint8_t SIP_HEADER_SLOTS[256]; // index into SIP_HEADER_NAMES plus one; 0 is a hole

static inline unsigned sip_header_hash(struct slice name)
{
    unsigned first = (uint8_t)name.p[0] | 0x20u;
    unsigned last = (uint8_t)name.p[name.n - 1] | 0x20u;
    return ((unsigned)name.n * 1u + first * 7u + last * 195u) % 256u;
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

// Is the name, as long as that of h, that of h?
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

// The same; SIP_HEADER_NAME_ROOM bytes can be read.
static inline bool sip_header_is_with_room(const char *text, const struct sip_header_name *h)
{
    __m128i want = _mm_loadu_si128((const __m128i *)(const void *)h->lower);
    __m128i fold = _mm_srli_epi16(_mm_and_si128(want, _mm_set1_epi8(0x40)), 1);
    __m128i have = _mm_loadu_si128((const __m128i *)(const void *)text);
    unsigned equal = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(have, fold), want));
    unsigned wanted = (1u << h->n) - 1; // of the 16 at most
    return (~equal & wanted & 0xffff) == 0 &&
           (h->n <= 16 || sip_eq4_nocase(text + h->n - 4, h->lower + h->n - 4));
}

#else

static inline bool sip_header_is_with_room(const char *text, const struct sip_header_name *h)
{
    return sip_header_is(text, h);
}

#endif

// What sip_header_by_name does where the name has no entry of its own: compact forms, and the two
// names that the hash cannot part.
enum sip_header_id sip_header_find_rare(struct slice name);

// As sip_header_by_name. `has_room`: SIP_HEADER_NAME_ROOM bytes can be read from name.p on.
static inline enum sip_header_id sip_header_find(struct slice name, bool has_room)
{
    if (name.n < 2 || name.n > SIP_HEADER_NAME_MAX) {
        return sip_header_find_rare(name);
    }
    unsigned slot = SIP_HEADER_SLOTS[sip_header_hash(name)];
    if (slot == 0) {
        return SIP_H_OTHER;
    }
    const struct sip_header_name *h = &SIP_HEADER_NAMES[slot - 1];
    if (h->n == name.n &&
        (has_room ? sip_header_is_with_room(name.p, h) : sip_header_is(name.p, h))) {
        return (enum sip_header_id)h->id;
    }
    return h->id == SIP_H_RTP_RXSTAT ? sip_header_find_rare(name) : SIP_H_OTHER;
}

#endif
