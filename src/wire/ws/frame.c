// Reads headers of WebSocket frames and takes masks off.
//
//     |F|RSV|opcode |M| length 7    |  126: 16 bits follow, 127: 64 bits; with M four bytes of mask
//
// Unmasking goes by words of eight bytes: the mask repeats every four.
#include "wire/ws/frame.h"

#include "base/bytes.h"

#define LENGTH_IS_16       126
#define LENGTH_IS_64       127
#define CONTROL_LENGTH_MAX 125 // RFC 6455 5.5

static bool is_opcode(uint8_t opcode)
{
    return opcode <= WS_BINARY || (opcode >= WS_CLOSE && opcode <= WS_PONG);
}

static uint64_t read_length(const uint8_t *p, uint8_t length7)
{
    return length7 == LENGTH_IS_16 ? be16(p) : length7 == LENGTH_IS_64 ? be64(p) : length7;
}

int ws_frame_read(struct ws_frame *f, const uint8_t *p, size_t n)
{
    if (n < 1) {
        return 0;
    }
    *f = (struct ws_frame){
        .opcode = p[0] & 15, .rsv = p[0] >> 4 & 7, .is_final = (p[0] & 0x80) != 0};
    if (!is_opcode(f->opcode) || (ws_is_control(f) && !f->is_final)) {
        return -1;
    }
    if (n < 2) {
        return 0;
    }
    uint8_t length7 = p[1] & 0x7f;
    if (ws_is_control(f) && length7 > CONTROL_LENGTH_MAX) {
        return -1;
    }
    f->is_masked = (p[1] & 0x80) != 0;
    size_t mask_at = length7 == LENGTH_IS_16 ? 4 : length7 == LENGTH_IS_64 ? 10 : 2;
    if (length7 == LENGTH_IS_64 && n > 2 && (p[2] & 0x80) != 0) {
        return -1;
    }
    size_t header = mask_at + (f->is_masked ? 4 : 0);
    if (n < header) {
        return 0;
    }
    f->length = read_length(p + 2, length7);
    f->is_padded = (length7 == LENGTH_IS_16 && f->length < LENGTH_IS_16) ||
                   (length7 == LENGTH_IS_64 && f->length <= UINT16_MAX);
    if (f->is_masked) {
        memcpy(&f->mask, p + mask_at, sizeof f->mask);
    }
    return (int)header;
}

void ws_unmask(uint8_t *restrict to, const uint8_t *restrict from, size_t n, uint32_t mask)
{
    uint64_t twice = (uint64_t)mask << 32 | mask;
    size_t at = 0;
    for (; n - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, from + at, 8);
        word ^= twice;
        memcpy(to + at, &word, 8);
    }
    for (; at < n; at++) {
        to[at] = from[at] ^ (uint8_t)(mask >> (at % 4 * 8));
    }
}
