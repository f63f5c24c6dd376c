// RTCP extended reports (RFC 3611): the blocks of an XR packet, and those that tell how a call
// sounded.
//
// Read are loss run lengths (1), the statistics summary (6) and VoIP metrics (7); the other blocks
// (duplicate run lengths, receipt times, reference times of receivers and what answers them) are
// passed over. A value that the RFC has for "not available" becomes NaN. No allocation.
#ifndef SIDETONE_WIRE_RTP_RTCP_XR_H
#define SIDETONE_WIRE_RTP_RTCP_XR_H

#include "wire/rtp/rtcp.h"

enum {
    RTCP_XR_LOSS_RLE = 1,
    RTCP_XR_STATISTICS = 6,
    RTCP_XR_VOIP = 7,
};

// One block, whole; starts as {0}.
struct rtcp_xr_block {
    uint8_t type, specific; // type-specific bits of its header
    const uint8_t *p;       // behind its first word
    uint32_t n;             // a multiple of 4
    uint32_t at;            // of the reading
};

// False where no other block is there whole.
bool rtcp_xr_next(const struct rtcp_packet *p, struct rtcp_xr_block *b);

// Losses among the numbers that the block reports: each, or each 2^thinning-th.
struct rtcp_xr_losses {
    uint32_t ssrc;
    uint16_t begin, end; // numbers from `begin` up to `end`, not included
    uint8_t thinning;
    uint32_t lost, longest; // numbers; in a row
};

struct rtcp_xr_statistics {
    uint32_t ssrc;
    uint16_t begin, end;
    bool has_lost, has_duplicates, has_jitter;
    uint32_t lost, duplicates;
    uint32_t jitter; // mean, in units of the timestamp
};

struct rtcp_xr_voip {
    uint32_t ssrc;
    double loss_percent, discard_percent;
    double burst_percent, gap_percent; // density of losses and discards
    double burst_ms, gap_ms;           // mean length
    double round_trip_ms, end_system_ms;
    double signal_dbm, noise_dbm, rerl_db;
    double r_factor, external_r_factor;
    double mos_lq, mos_cq;
    double buffer_ms, buffer_max_ms, buffer_absolute_ms; // jitter buffer
    uint8_t gmin;
};

// Each: false where the block is of another type, or too short.
bool rtcp_xr_losses(const struct rtcp_xr_block *b, struct rtcp_xr_losses *out);
bool rtcp_xr_statistics(const struct rtcp_xr_block *b, struct rtcp_xr_statistics *out);
bool rtcp_xr_voip(const struct rtcp_xr_block *b, struct rtcp_xr_voip *out);

#endif
