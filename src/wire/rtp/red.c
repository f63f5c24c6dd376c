// Reading the block headers of RFC 2198.
//
//      0                   1                   2                   3
//     |1|   block PT  |  timestamp offset         |   block length    |   a redundant block
//     |0|   block PT  |                                                   the primary one, the last
//
// The data of the blocks follows in the same order; that of the primary one takes what is left.
#include "wire/rtp/red.h"

#include "base/bytes.h"

#define BLOCK_HEADER 4u
#define IS_REDUNDANT 0x80u

// The headers of the chain: bytes that they take, or 0. `length`: bytes of data that they claim.
static inline uint32_t walk(const uint8_t *p, uint32_t n, struct red *out, uint32_t *length)
{
    uint32_t at = 0;
    out->count = 0;
    *length = 0;
    while (at < n && (p[at] & IS_REDUNDANT)) {
        if (n - at < BLOCK_HEADER || out->count == RED_BLOCKS_MAX) {
            return 0;
        }
        uint32_t header = be32(p + at);
        struct red_block *b = &out->blocks[out->count++];
        b->payload_type = header >> 24 & 0x7f;
        b->timestamp_offset = header >> 10 & 0x3fff;
        b->length = header & 0x3ff;
        *length += b->length;
        at += BLOCK_HEADER;
    }
    if (at == n) {
        return 0; // no primary header
    }
    out->primary_type = p[at];
    return at + 1;
}

uint32_t red_parse(const uint8_t *p, uint32_t n, struct red *out)
{
    if (n > UINT16_MAX) {
        return 0; // no datagram holds it
    }
    uint32_t length;
    uint32_t headers = walk(p, n, out, &length);
    if (headers == 0 || length > n - headers) {
        return 0;
    }
    uint32_t at = headers;
    for (unsigned i = 0; i < out->count; i++) {
        out->blocks[i].at = (uint16_t)at;
        at += out->blocks[i].length;
    }
    out->primary_at = (uint16_t)at;
    return headers;
}

static uint32_t event_of(const uint8_t *p, uint32_t n)
{
    return n >= 4 && n % 4 == 0 && p[0] <= RED_EVENT_MAX ? p[0] : RED_NO_EVENT;
}

static uint32_t first_bytes(const uint8_t *p, uint32_t n)
{
    uint32_t head = 0;
    for (uint32_t i = 0; i < 4; i++) {
        head = head << 8 | (i < n ? p[i] : 0u);
    }
    return head;
}

uint32_t red_summary(const uint8_t *p, uint32_t n)
{
    if (n == 0 || !(p[0] & IS_REDUNDANT)) {
        return first_bytes(p, n);
    }
    struct red red;
    if (red_parse(p, n, &red) == 0) {
        return IS_REDUNDANT << 24;
    }
    uint32_t offset = 0;
    for (unsigned i = 0; i < red.count; i++) {
        offset = red.blocks[i].timestamp_offset > offset ? red.blocks[i].timestamp_offset : offset;
    }
    uint32_t event = event_of(p + red.primary_at, n - red.primary_at);
    return (IS_REDUNDANT | red.primary_type) << 24 | event << 19 | (uint32_t)red.count << 14 |
           offset;
}

struct red_said red_said(uint32_t summary, uint32_t payload_n)
{
    uint8_t blocks = summary >> 14 & 31;
    bool has_blocks = summary >> 31;
    struct red_said said = {.is_chain = has_blocks ? blocks > 0 : payload_n > 0,
                            .primary_type = summary >> 24 & 0x7f,
                            .event = RED_NO_EVENT};
    if (has_blocks) {
        said.blocks = blocks;
        said.timestamp_offset = summary & 0x3fff;
        said.event = summary >> 19 & 31;
    } else if (payload_n >= 5 && payload_n % 4 == 1 && (summary >> 16 & 0xff) <= RED_EVENT_MAX) {
        said.event = summary >> 16 & 0xff;
    }
    return said;
}
