// SCTP packets for tests, chunk by chunk.
#ifndef SIDETONE_TESTS_SCTP_MAKER_H
#define SIDETONE_TESTS_SCTP_MAKER_H

#include "capture.h"

enum {
    E = 1, // flags of DATA: ends, begins, unordered
    B = 2,
    U = 4,
};

enum {
    DATA = 0,
    INIT = 1,
    INIT_ACK = 2,
    SACK = 3,
    ABORT = 6,
    IDATA = 64,
};

static inline void sctp_head(struct bytes *b, uint32_t tag)
{
    b->n = 0;
    bytes_put(b, "\x13\xc4\x13\xc4", 4);
    bytes_put32(b, tag, true);
    bytes_put32(b, 0, true);
}

static inline void sctp_chunk(struct bytes *b, uint8_t type, uint8_t flags, const void *p, size_t n)
{
    bytes_put(b, (uint8_t[]){type, flags}, 2);
    put_be16(bytes_grow(b, 2), (uint16_t)(4 + n));
    bytes_put(b, p, n);
    bytes_put(b, "\xee\xee\xee", -n & 3);
}

static inline void sctp_data_chunk(struct bytes *b, uint8_t flags, uint32_t tsn, uint16_t stream,
                                   const char *text)
{
    struct bytes body = {0};
    bytes_put32(&body, tsn, true);
    bytes_put32(&body, (uint32_t)stream << 16 | 7, true);
    bytes_put32(&body, 9, true);
    bytes_put(&body, text, strlen(text));
    sctp_chunk(b, DATA, flags, body.p, body.n);
    bytes_free(&body);
}

// `last`: payload protocol where the message begins, else the number of the fragment
static inline void sctp_idata_chunk(struct bytes *b, uint8_t flags, uint32_t tsn, uint16_t stream,
                                    uint32_t message, uint32_t last, const char *text)
{
    struct bytes body = {0};
    bytes_put32(&body, tsn, true);
    bytes_put32(&body, (uint32_t)stream << 16, true);
    bytes_put32(&body, message, true);
    bytes_put32(&body, last, true);
    bytes_put(&body, text, strlen(text));
    sctp_chunk(b, IDATA, flags, body.p, body.n);
    bytes_free(&body);
}

#endif
