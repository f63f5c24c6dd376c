// Reading the blocks of extended reports.
//
//      0                   1                   2                   3
//     |  block type   | type-specific |   words that follow           |
#include "wire/rtp/rtcp_xr.h"

#include "base/bytes.h"

#include <math.h>

#define SSRC_BYTES       4u
#define BLOCK_HEADER     4u
#define RLE_FIXED        8u // SSRC, first number, end
#define STATISTICS_BYTES 36u
#define VOIP_BYTES       32u

#define CHUNK_VECTOR 0x8000u // 15 numbers, one bit each: set where it came
#define CHUNK_RUN_1  0x4000u // a run of numbers that came, else of losses; its length below

#define HAS_LOST       0x80
#define HAS_DUPLICATES 0x40
#define HAS_JITTER     0x20

#define NOT_AVAILABLE 127

bool rtcp_xr_next(const struct rtcp_packet *p, struct rtcp_xr_block *b)
{
    uint32_t at = b->at > 0 ? b->at : SSRC_BYTES;
    if (p->type != RTCP_XR || p->n < BLOCK_HEADER || at > p->n - BLOCK_HEADER) {
        return false;
    }
    const uint8_t *block = p->p + at;
    uint32_t n = be16(block + 2) * 4u;
    if (n > p->n - at - BLOCK_HEADER) {
        return false;
    }
    *b = (struct rtcp_xr_block){block[0], block[1], block + BLOCK_HEADER, n, at + BLOCK_HEADER + n};
    return true;
}

// --- run lengths ---

struct runs {
    uint32_t left; // numbers that are still to come
    uint32_t run;  // losses up to here
    uint32_t lost, longest;
};

static void take_run(struct runs *r, bool came, uint32_t length)
{
    length = length < r->left ? length : r->left;
    r->left -= length;
    r->run = came ? 0 : r->run + length;
    r->lost += came ? 0 : length;
    r->longest = r->run > r->longest ? r->run : r->longest;
}

static void take_vector(struct runs *r, uint32_t chunk)
{
    for (int bit = 14; bit >= 0; bit--) {
        take_run(r, chunk >> bit & 1, 1);
    }
}

// How many of the numbers [begin, end) are multiples of 2^thinning (RFC 3611 4.1).
static uint32_t reported(uint16_t begin, uint16_t end, uint8_t thinning)
{
    uint32_t last = begin + (uint16_t)(end - begin);
    uint32_t step = 1u << thinning;
    return (last + step - 1) / step - (begin + step - 1) / step;
}

bool rtcp_xr_losses(const struct rtcp_xr_block *b, struct rtcp_xr_losses *out)
{
    if (b->type != RTCP_XR_LOSS_RLE || b->n < RLE_FIXED) {
        return false;
    }
    *out = (struct rtcp_xr_losses){
        .ssrc = be32(b->p),
        .begin = be16(b->p + 4),
        .end = be16(b->p + 6),
        .thinning = b->specific & 15,
    };
    struct runs r = {.left = reported(out->begin, out->end, out->thinning)};
    for (uint32_t at = RLE_FIXED; at < b->n && r.left > 0; at += 2) {
        uint32_t chunk = be16(b->p + at);
        if (chunk == 0) {
            break; // fills the last word
        }
        if (chunk & CHUNK_VECTOR) {
            take_vector(&r, chunk);
        } else {
            take_run(&r, chunk & CHUNK_RUN_1, chunk & (CHUNK_RUN_1 - 1));
        }
    }
    out->lost = r.lost;
    out->longest = r.longest;
    return true;
}

// --- statistics and metrics ---

bool rtcp_xr_statistics(const struct rtcp_xr_block *b, struct rtcp_xr_statistics *out)
{
    if (b->type != RTCP_XR_STATISTICS || b->n < STATISTICS_BYTES) {
        return false;
    }
    *out = (struct rtcp_xr_statistics){
        .ssrc = be32(b->p),
        .begin = be16(b->p + 4),
        .end = be16(b->p + 6),
        .has_lost = (b->specific & HAS_LOST) != 0,
        .has_duplicates = (b->specific & HAS_DUPLICATES) != 0,
        .has_jitter = (b->specific & HAS_JITTER) != 0,
        .lost = be32(b->p + 8),
        .duplicates = be32(b->p + 12),
        .jitter = be32(b->p + 24), // behind minimum and maximum
    };
    return true;
}

static double percent(uint8_t part)
{
    return 100.0 * part / 256;
}

static double level(uint8_t byte)
{
    return byte == NOT_AVAILABLE ? NAN : (int8_t)byte;
}

static double up_to(uint8_t byte, uint8_t least, uint8_t most, double unit)
{
    return byte < least || byte > most ? NAN : byte * unit;
}

// Nobody measures a delay of nothing.
static double delay_ms(uint16_t ms)
{
    return ms == 0 ? NAN : ms;
}

bool rtcp_xr_voip(const struct rtcp_xr_block *b, struct rtcp_xr_voip *out)
{
    if (b->type != RTCP_XR_VOIP || b->n < VOIP_BYTES) {
        return false;
    }
    const uint8_t *p = b->p;
    *out = (struct rtcp_xr_voip){
        .ssrc = be32(p),
        .loss_percent = percent(p[4]),
        .discard_percent = percent(p[5]),
        .burst_percent = percent(p[6]),
        .gap_percent = percent(p[7]),
        .burst_ms = be16(p + 8),
        .gap_ms = be16(p + 10),
        .round_trip_ms = delay_ms(be16(p + 12)),
        .end_system_ms = delay_ms(be16(p + 14)),
        .signal_dbm = level(p[16]),
        .noise_dbm = level(p[17]),
        .rerl_db = p[18] == NOT_AVAILABLE ? NAN : p[18],
        .gmin = p[19],
        .r_factor = up_to(p[20], 0, 100, 1),
        .external_r_factor = up_to(p[21], 0, 100, 1),
        .mos_lq = up_to(p[22], 10, 50, 0.1),
        .mos_cq = up_to(p[23], 10, 50, 0.1),
        .buffer_ms = delay_ms(be16(p + 26)),
        .buffer_max_ms = delay_ms(be16(p + 28)),
        .buffer_absolute_ms = delay_ms(be16(p + 30)),
    };
    return true;
}
