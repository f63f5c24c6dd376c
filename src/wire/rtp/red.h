// Redundant audio data (RFC 2198; for text RFC 4103): the chain of block headers at the beginning
// of a payload, and the summary of it that fits into a record.
#ifndef SIDETONE_WIRE_RTP_RED_H
#define SIDETONE_WIRE_RTP_RED_H

#include <stdbool.h>
#include <stdint.h>

// Redundant blocks of one packet. Not smaller: text is sent with up to 5, browsers with up to 9.
// Not larger: a stranger must not make a packet slow, and the summary has five bits for them.
#define RED_BLOCKS_MAX 16u

// A redundant block; its data lies in the payload.
struct red_block {
    uint8_t payload_type;
    uint16_t timestamp_offset; // before the timestamp of the packet, in its clock
    uint16_t at, length;       // bytes from the start of the payload
};

struct red {
    uint8_t primary_type;
    uint16_t primary_at; // bytes from the start of the payload; the rest of it is the primary's
    uint8_t count;       // of redundant blocks, oldest first as a rule
    struct red_block blocks[RED_BLOCKS_MAX];
};

// Reads the chain. `n` bytes of the payload are there. Returns how many bytes its headers take, or
// 0 where it is none: it does not end, has too many blocks, or claims more bytes than there are.
uint32_t red_parse(const uint8_t *p, uint32_t n, struct red *out);

// --- the summary of a payload (media_record.head) ---
//
//      0                   1                   2                   3
//     |1| primary PT  | event   | blocks  |  largest timestamp offset |    a chain with blocks
//     |1|      0      |    0    |    0    |             0             |    no chain, or none that
//     fits |0|    the first four bytes of the payload, 0 beyond its end    |    all other payloads
//
// The last is also a chain without redundant blocks, whose only header is one byte: 0 and its type.
// `event`: first byte of the primary block where it is 0 to RED_EVENT_MAX and the block has the
// size of RFC 4733 events, else RED_NO_EVENT.
#define RED_EVENT_MAX 16u
#define RED_NO_EVENT  31u

uint32_t red_summary(const uint8_t *p, uint32_t n);

// What a summary says, if the payload is announced to be RFC 2198.
struct red_said {
    bool is_chain;
    uint8_t primary_type, blocks;
    uint16_t timestamp_offset; // the largest; 0 without blocks
    uint8_t event;             // of the primary block, were it one of RFC 4733; RED_NO_EVENT
};

struct red_said red_said(uint32_t summary, uint32_t payload_n);

#endif
