// Reading RTCP packets.
//
//      0                   1                   2                   3
//     |V=2|P|  count  |      type     |   words that follow           |
//     |             SSRC              |   SR: NTP, RTP time, packets, octets (20 bytes)
//     report blocks of 24 bytes:
//     |             SSRC              |
//     |fraction lost|  lost in all (24 bits, signed)                  |
//     |  cycles     |  highest number |
//     |  jitter     |   LSR   |  DLSR |   32 bits each
#include "wire/rtp/rtcp.h"

#include "base/bytes.h"

#define HEADER_BYTES      4u
#define SSRC_BYTES        4u
#define SENDER_INFO_BYTES 20u
#define REPORT_BYTES      24u
#define PADDING           0x20

void rtcp_begin(struct rtcp_reader *r, const uint8_t *p, uint32_t n, uint32_t length)
{
    n = n < length ? n : length;
    *r = (struct rtcp_reader){.p = p, .n = n, .length = length};
    r->form = n >= HEADER_BYTES ? rtcp_form(p, n, length) : RTCP_NONE;
}

// Bytes of padding at the end of a packet that is there whole; 0 where the count is a lie.
static uint32_t padding_of(const uint8_t *p, uint32_t size)
{
    uint32_t count = p[size - 1];
    return count % 4 == 0 && count <= size - HEADER_BYTES ? count : 0;
}

static bool has_ssrc(const struct rtcp_packet *p)
{
    bool is_known = p->type >= RTCP_SR && p->type <= RTCP_XR;
    bool is_list = p->type == RTCP_SDES || p->type == RTCP_BYE;
    return is_known && p->n >= SSRC_BYTES && (!is_list || p->count > 0);
}

bool rtcp_next(struct rtcp_reader *r, struct rtcp_packet *out)
{
    if (r->form == RTCP_NONE || r->at + HEADER_BYTES > r->n) {
        return false;
    }
    const uint8_t *p = r->p + r->at;
    uint32_t left = r->n - r->at;
    uint32_t size = (be16(p + 2) + 1u) * 4; // at most what is left of the length: the form says so
    uint32_t there = size < left ? size : left;
    uint32_t padding = (p[0] & PADDING) && there == size ? padding_of(p, size) : 0;
    *out = (struct rtcp_packet){
        .type = p[1],
        .count = p[0] & 31,
        .is_sealed = r->form == RTCP_SEALED,
        .p = p + HEADER_BYTES,
        .n = there - HEADER_BYTES - (r->form == RTCP_SEALED ? 0 : padding),
    };
    out->has_ssrc = has_ssrc(out);
    out->ssrc = out->has_ssrc ? be32(out->p) : 0;
    r->at += size;
    if (out->is_sealed) {
        out->n = 0;
        r->form = RTCP_NONE; // what follows is encrypted
    }
    return true;
}

bool rtcp_sender_info(const struct rtcp_packet *p, struct rtcp_sender_info *out)
{
    if (p->type != RTCP_SR || p->n < SSRC_BYTES + SENDER_INFO_BYTES) {
        return false;
    }
    const uint8_t *at = p->p + SSRC_BYTES;
    *out = (struct rtcp_sender_info){be64(at), be32(at + 8), be32(at + 12), be32(at + 16)};
    return true;
}

bool rtcp_report(const struct rtcp_packet *p, uint32_t index, struct rtcp_report *out)
{
    uint32_t before = SSRC_BYTES + (p->type == RTCP_SR ? SENDER_INFO_BYTES : 0);
    if ((p->type != RTCP_SR && p->type != RTCP_RR) || index >= p->count ||
        p->n < before + (index + 1) * REPORT_BYTES) {
        return false;
    }
    const uint8_t *at = p->p + before + index * REPORT_BYTES;
    uint32_t lost = be24(at + 5);
    *out = (struct rtcp_report){
        .ssrc = be32(at),
        .fraction = at[4],
        .lost = (int32_t)lost - (lost & 0x800000u ? 0x1000000 : 0),
        .highest_sequence = be32(at + 8),
        .jitter = be32(at + 12),
        .lsr = be32(at + 16),
        .dlsr = be32(at + 20),
    };
    return true;
}

// A chunk: SSRC, items of type, length and text, a type of 0, and zeros up to a whole word.
bool rtcp_item_next(const struct rtcp_packet *p, struct rtcp_item *item)
{
    if (p->type != RTCP_SDES) {
        return false;
    }
    for (;;) {
        if (!item->is_inside) {
            if (item->chunk >= p->count || item->at + SSRC_BYTES > p->n) {
                return false;
            }
            item->ssrc = be32(p->p + item->at);
            item->at += SSRC_BYTES;
            item->chunk++;
            item->is_inside = true;
        }
        if (item->at + 2 > p->n) {
            return false; // a type of 0 in the last byte ends all, too
        }
        item->type = p->p[item->at];
        if (item->type == 0) {
            item->at = (item->at / 4 + 1) * 4;
            item->is_inside = false;
            continue;
        }
        uint32_t n = p->p[item->at + 1];
        if (n > p->n - item->at - 2) {
            return false;
        }
        item->text = slice_of((const char *)p->p + item->at + 2, n);
        item->at += 2 + n;
        return true;
    }
}

bool rtcp_bye(const struct rtcp_packet *p, uint32_t index, uint32_t *ssrc)
{
    if (p->type != RTCP_BYE || index >= p->count || p->n < (index + 1) * SSRC_BYTES) {
        return false;
    }
    *ssrc = be32(p->p + index * SSRC_BYTES);
    return true;
}

bool rtcp_feedback(const struct rtcp_packet *p, uint32_t *ssrc)
{
    if ((p->type != RTCP_RTPFB && p->type != RTCP_PSFB) || p->n < SSRC_BYTES + 4) {
        return false;
    }
    *ssrc = be32(p->p + SSRC_BYTES);
    return *ssrc != 0; // bandwidth estimates (REMB) and the like are about none
}
