// Reading and writing of integers in bytes of the wire.
//
// Reads: a position inside [p, end). Callers check the length first; these only assemble bytes, so
// that no struct is ever laid over a packet and no alignment is assumed.
#ifndef SIDETONE_BASE_BYTES_H
#define SIDETONE_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be24(const uint8_t *p)
{
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t be32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return __builtin_bswap32(v);
}

static inline uint64_t be64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}

static inline uint16_t le16(const uint8_t *p)
{
    return (uint16_t)(p[1] << 8 | p[0]);
}

static inline uint32_t le32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static inline uint64_t le64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

static inline void put_be16(uint8_t *p, uint16_t v)
{
    v = __builtin_bswap16(v);
    memcpy(p, &v, 2);
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
    v = __builtin_bswap32(v);
    memcpy(p, &v, 4);
}

static inline void put_le16(uint8_t *p, uint16_t v)
{
    memcpy(p, &v, 2);
}

static inline void put_le32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, 4);
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Sidetone is built for little-endian machines only: see base/bytes.h"
#endif

#endif
