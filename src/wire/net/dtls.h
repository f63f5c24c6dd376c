// DTLS records (RFC 6347 4.1, RFC 9147 4), as they are told from what shares their port (RFC 7983).
#ifndef SIDETONE_WIRE_NET_DTLS_H
#define SIDETONE_WIRE_NET_DTLS_H

#include "base/bytes.h"

#include <stdbool.h>

// type (1), version fe ff, fe fd or fe fc (2), epoch (2), sequence number (6), length (2)
enum {
    DTLS_HEADER = 13,
    DTLS_FIRST = 20, // types
    DTLS_LAST = 25,
    DTLS_MAJOR = 0xfe,
};

// n bytes are there of `length`.
static inline bool dtls_is_record(const uint8_t *p, uint32_t n, uint32_t length)
{
    return n >= DTLS_HEADER && p[0] >= DTLS_FIRST && p[0] <= DTLS_LAST && p[1] == DTLS_MAJOR &&
           (p[2] == 0xff || p[2] == 0xfd || p[2] == 0xfc) &&
           be16(p + 11) + (uint32_t)DTLS_HEADER <= length;
}

#endif
