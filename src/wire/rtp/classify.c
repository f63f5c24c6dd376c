// Telling RTP, RTCP and others apart, and reading RTP headers.
//
//      0                   1                   2                   3
//     |V=2|P|X|  CC   |M|     PT      |       sequence number         |   RTP (RFC 3550 5.1)
//     |V=2|P|   RC    |      PT       |             length            |   RTCP (RFC 3550 6.4)
//
// The second byte of RTCP is 192 to 223, which an RTP packet with the marker and type 64 to 95 has
// too (RFC 5761 4): there the structure decides, since a compound of RTCP packets fills its
// datagram to the byte.
#include "wire/rtp/rtp.h"

#include "base/bytes.h"
#include "wire/rtp/rtcp.h"

#define RTP_FIXED       12u
#define RTCP_HEADER     4u
#define RTCP_TYPE_FIRST 192
#define RTCP_TYPE_LAST  223

#define PADDING   0x20
#define EXTENSION 0x10

static bool is_rtcp_type(uint8_t second)
{
    return second >= RTCP_TYPE_FIRST && second <= RTCP_TYPE_LAST;
}

// What follows the first packet of an SRTCP compound of one: the index and a tag of 80 bits (RFC
// 3711 3.4), or a tag of 128 bits and the index (RFC 7714 9.2; others that seal RTCP with an AEAD
// have the same size).
#define SRTCP_TRAILER_HMAC 14u
#define SRTCP_TRAILER_AEAD 20u

// What SRTCP leaves readable of a compound (RFC 3711 3.4), in the `size` bytes that its first
// packet claims: a sender or receiver report of the size that its count of blocks demands, with
// more after it; or any packet of a known type, alone (RFC 5506), with just the trailer after it.
// The chance of other bytes to look so is 1 in 2^21.
static bool is_encrypted(const uint8_t *p, uint32_t size, uint32_t length)
{
    if (size != (be16(p + 2) + 1u) * 4) {
        return false; // not the first packet alone
    }
    if (p[1] == RTCP_SR || p[1] == RTCP_RR) {
        uint32_t blocks = (p[0] & 31u) * 24;
        uint32_t fixed = p[1] == RTCP_SR ? 28 : 8;
        return size == fixed + blocks && size + 4 <= length;
    }
    uint32_t trailer = length - size;
    return p[1] > RTCP_RR && p[1] <= RTCP_XR && size >= 8 &&
           (trailer == SRTCP_TRAILER_HMAC || trailer == SRTCP_TRAILER_AEAD);
}

// Walks a compound (RFC 3550 A.2), also one of reduced size, which may begin with any type (RFC
// 5506). What snaplen cut away is taken to be right; only, what can be read fills words.
__attribute__((noinline)) enum rtcp_form rtcp_form(const uint8_t *p, uint32_t n, uint32_t length)
{
    uint32_t at = 0;
    bool has_padding = false;
    while (at < length) {
        if (at + RTCP_HEADER > n) {
            bool is_cut = n < length && at > 0;
            return !is_cut ? RTCP_NONE : length % 4 == 0 ? RTCP_READABLE : RTCP_SEALED;
        }
        uint32_t size = (be16(p + at + 2) + 1u) * 4;
        if (has_padding || p[at] >> 6 != 2 || !is_rtcp_type(p[at + 1]) || size > length - at) {
            return at > 0 && is_encrypted(p, at, length) ? RTCP_SEALED : RTCP_NONE;
        }
        has_padding = p[at] & PADDING; // allowed on the last packet only
        at += size;
    }
    return RTCP_READABLE;
}

// Bytes of padding at the end, or UINT32_MAX where the count makes no sense. Not known where the
// end is cut away.
static uint32_t read_padding(const uint8_t *p, uint32_t n, uint32_t length, uint32_t header)
{
    if (n < length) {
        return 0;
    }
    uint32_t count = p[length - 1];
    return count == 0 || count > length - header ? UINT32_MAX : count;
}

enum rtp_class rtp_classify(const uint8_t *p, uint32_t n, uint32_t length, struct rtp_header *h)
{
    if (n > length) {
        n = length;
    }
    if (n < RTCP_HEADER || p[0] >> 6 != 2) {
        return RTP_NOT;
    }
    if (__builtin_expect(is_rtcp_type(p[1]), 0) && rtcp_form(p, n, length) != RTCP_NONE) {
        return RTP_CONTROL;
    }
    if (n < RTP_FIXED) {
        return RTP_NOT;
    }
    uint32_t header = RTP_FIXED + (p[0] & 15u) * 4;
    if (p[0] & EXTENSION) {
        header += 4;
        if (header <= n) {
            header += be16(p + header - 2) * 4u;
        }
    }
    if (header > length || header > UINT16_MAX) {
        return RTP_BROKEN;
    }
    uint32_t padding = 0;
    if (__builtin_expect(p[0] & PADDING, 0)) {
        padding = read_padding(p, n, length, header);
        if (padding == UINT32_MAX) {
            return RTP_BROKEN;
        }
    }
    uint32_t payload = n > header ? n - header - padding : 0;
    // One by one: fewer instructions than a literal of the whole struct.
    h->ssrc = be32(p + 8);
    h->timestamp = be32(p + 4);
    h->sequence = be16(p + 2);
    h->payload_type = p[1] & 0x7f;
    h->marker = p[1] >> 7;
    h->header_n = (uint16_t)header;
    h->payload_n = (uint16_t)(payload < UINT16_MAX ? payload : UINT16_MAX);
    return RTP_MEDIA;
}

char dtmf_digit(uint8_t event)
{
    static const char DIGITS[] = "0123456789*#ABCD!"; // RFC 4733 3.2
    return event < sizeof DIGITS - 1 ? DIGITS[event] : 0;
}
