// WebSocket: the header of one frame, and its masking (RFC 6455 5.2, 5.3).
//
// Comes in: the bytes of a stream from a frame on. Goes out: what the header says and where the
// payload begins. Owns nothing; the payload is unmasked into the caller's memory.
#ifndef SIDETONE_WIRE_WS_FRAME_H
#define SIDETONE_WIRE_WS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ws_opcode {
    WS_CONTINUATION = 0,
    WS_TEXT = 1,
    WS_BINARY = 2,
    WS_CLOSE = 8,
    WS_PING = 9,
    WS_PONG = 10,
};

// Bytes of the longest header.
#define WS_HEADER_MAX 14

struct ws_frame {
    uint64_t length; // of the payload
    uint32_t mask;   // as its four bytes stand in memory; 0 where there is none
    uint8_t opcode;  // enum ws_opcode
    uint8_t rsv;     // the three reserved bits: not 0 only where an extension was agreed upon
    bool is_final, is_masked;
    bool is_padded; // the length would fit into fewer bytes, which senders must not do
};

// Reads the header at p. Returns its length; 0: more bytes are needed; -1: no frame begins so
// (reserved opcode, a control frame that is fragmented or longer than 125 bytes, a length of 2^63
// or more). *f means nothing after 0 and -1.
int ws_frame_read(struct ws_frame *f, const uint8_t *p, size_t n);

static inline bool ws_is_control(const struct ws_frame *f)
{
    return f->opcode >= WS_CLOSE;
}

// Writes n bytes of the payload without the mask to `to`; the first of them is the payload's byte
// 0. `to` is not `from`.
void ws_unmask(uint8_t *restrict to, const uint8_t *restrict from, size_t n, uint32_t mask);

#endif
