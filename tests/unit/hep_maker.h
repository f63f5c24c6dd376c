// HEP version 3 envelopes for tests, chunk by chunk.
#ifndef SIDETONE_TESTS_HEP_MAKER_H
#define SIDETONE_TESTS_HEP_MAKER_H

#include "capture.h"

#define SIP_TEXT "OPTIONS sip:bob@ex.com SIP/2.0\r\nCall-ID: c@x\r\n\r\n"

static inline void hep_chunk_of(struct bytes *b, uint16_t vendor, uint16_t type, const void *p,
                                size_t n)
{
    put_be16(bytes_grow(b, 2), vendor);
    put_be16(bytes_grow(b, 2), type);
    put_be16(bytes_grow(b, 2), (uint16_t)(6 + n));
    bytes_put(b, p, n);
}

static inline void hep_chunk(struct bytes *b, uint16_t type, const void *p, size_t n)
{
    hep_chunk_of(b, 0, type, p, n);
}

// A number in network order.
static inline void hep_chunk_u(struct bytes *b, uint16_t type, uint64_t v, size_t n)
{
    uint8_t p[8];
    put_be32(p, (uint32_t)(v >> 32));
    put_be32(p + 4, (uint32_t)v);
    hep_chunk(b, type, p + 8 - n, n);
}

static inline void hep_begin(struct bytes *b)
{
    bytes_put(b, "HEP3\0\0", 6);
}

static inline void hep_settle(struct bytes *b)
{
    put_be16(b->p + 4, (uint16_t)b->n);
}

// The chunks of an ordinary envelope.
#define CHUNK(type, literal)                                                                       \
    {                                                                                              \
        (type), (literal), sizeof(literal) - 1                                                     \
    }
static const struct {
    uint16_t type;
    const char *p;
    size_t n;
} USUAL[] = {
    CHUNK(0x01, "\2"),
    CHUNK(0x02, "\21"),
    CHUNK(0x03, "\xc0\0\2\x0a"),
    CHUNK(0x04, "\xc0\0\2\x14"),
    CHUNK(0x07, "\x13\xc4"),
    CHUNK(0x08, "\x13\xce"),
    CHUNK(0x09, "\x65\x53\xf1\0"),
    CHUNK(0x0a, "\0\1\xe2\x40"),
    CHUNK(0x0b, "\1"),
    CHUNK(0x0c, "\0\0\7\xd1"),
    CHUNK(0x0e, "key"),
    CHUNK(0x0f, SIP_TEXT),
    CHUNK(0x11, "call@x"),
    CHUNK(0x13, "node7"),
};
#define USUAL_CHUNKS (sizeof USUAL / sizeof *USUAL)

static inline void hep_usual_chunk(struct bytes *b, size_t i)
{
    hep_chunk(b, USUAL[i].type, USUAL[i].p, USUAL[i].n);
}

static inline void hep_usual_envelope(struct bytes *b)
{
    hep_begin(b);
    for (size_t i = 0; i < USUAL_CHUNKS; i++) {
        hep_usual_chunk(b, i);
    }
    hep_settle(b);
}

#endif
