// RTCP packets for tests, one after the other into a compound.
#ifndef SIDETONE_TESTS_RTCP_MAKER_H
#define SIDETONE_TESTS_RTCP_MAKER_H

#include "capture.h"
#include "wire/rtp/rtcp_xr.h"

// The NTP time of a time of the capture, middle 32 bits of which are LSR.
static inline uint64_t rtcp_ntp(int64_t time_ns)
{
    uint64_t seconds = (uint64_t)(time_ns / 1000000000) + 2208988800u;
    uint64_t rest = (uint64_t)(time_ns % 1000000000);
    return seconds << 32 | (rest << 32) / 1000000000u;
}

static inline uint32_t rtcp_lsr(int64_t time_ns)
{
    return (uint32_t)(rtcp_ntp(time_ns) >> 16);
}

static inline void rtcp_head(struct bytes *b, uint8_t type, size_t count, size_t words)
{
    uint8_t *at = bytes_grow(b, 4);
    at[0] = (uint8_t)(0x80 | count);
    at[1] = type;
    put_be16(at + 2, (uint16_t)words);
}

static inline void rtcp_blocks(struct bytes *b, const struct rtcp_report *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes_put32(b, blocks[i].ssrc, true);
        bytes_put32(b, (uint32_t)blocks[i].fraction << 24 | ((uint32_t)blocks[i].lost & 0xffffff),
                    true);
        bytes_put32(b, blocks[i].highest_sequence, true);
        bytes_put32(b, blocks[i].jitter, true);
        bytes_put32(b, blocks[i].lsr, true);
        bytes_put32(b, blocks[i].dlsr, true);
    }
}

static inline void rtcp_put_sr(struct bytes *b, uint32_t ssrc, uint64_t ntp, uint32_t packets,
                               const struct rtcp_report *blocks, size_t count)
{
    rtcp_head(b, RTCP_SR, count, 6 + 6 * count);
    bytes_put32(b, ssrc, true);
    bytes_put32(b, (uint32_t)(ntp >> 32), true);
    bytes_put32(b, (uint32_t)ntp, true);
    bytes_put32(b, 0, true);
    bytes_put32(b, packets, true);
    bytes_put32(b, packets * 160, true);
    rtcp_blocks(b, blocks, count);
}

static inline void rtcp_put_rr(struct bytes *b, uint32_t ssrc, const struct rtcp_report *blocks,
                               size_t count)
{
    rtcp_head(b, RTCP_RR, count, 1 + 6 * count);
    bytes_put32(b, ssrc, true);
    rtcp_blocks(b, blocks, count);
}

static inline void rtcp_put_cname(struct bytes *b, uint32_t ssrc, const char *text)
{
    size_t n = strlen(text);
    size_t words = (4 + 2 + n + 1 + 3) / 4;
    rtcp_head(b, RTCP_SDES, 1, words);
    bytes_put32(b, ssrc, true);
    uint8_t *at = bytes_grow(b, words * 4 - 4);
    memset(at, 0, words * 4 - 4);
    at[0] = RTCP_ITEM_CNAME;
    at[1] = (uint8_t)n;
    memcpy(at + 2, text, n);
}

static inline void rtcp_put_bye(struct bytes *b, uint32_t ssrc)
{
    rtcp_head(b, RTCP_BYE, 1, 1);
    bytes_put32(b, ssrc, true);
}

static inline void rtcp_put_feedback(struct bytes *b, uint32_t ssrc, uint32_t about)
{
    rtcp_head(b, RTCP_PSFB, 1, 2);
    bytes_put32(b, ssrc, true);
    bytes_put32(b, about, true);
}

// A statistics summary and VoIP metrics.
static inline void rtcp_put_xr(struct bytes *b, uint32_t ssrc, uint32_t about, uint32_t lost)
{
    rtcp_head(b, RTCP_XR, 0, 1 + 10 + 9);
    bytes_put32(b, ssrc, true);
    bytes_put32(b, 0x06e00009, true);
    bytes_put32(b, about, true);
    bytes_put32(b, 100, true);
    bytes_put32(b, lost, true);
    for (uint32_t i = 1; i < 7; i++) {
        bytes_put32(b, i * 10, true); // copies 10; jitter: least 20, most 30, mean 40
    }
    bytes_put32(b, 0x07000008, true);
    bytes_put32(b, about, true);
    bytes_put32(b, lost << 24, true);
    for (uint32_t i = 0; i < 6; i++) {
        bytes_put32(b, 0x28282828, true);
    }
}

// SRTCP: nobody can read what follows the SSRC.
static inline void rtcp_put_sealed(struct bytes *b, uint8_t type, uint32_t ssrc)
{
    size_t n = type == RTCP_SR ? 20 : 0;
    rtcp_head(b, type, 0, 1 + n / 4);
    bytes_put32(b, ssrc, true);
    memset(bytes_grow(b, n + 14 + 32), 0x5b, n + 14 + 32);
}

#endif
