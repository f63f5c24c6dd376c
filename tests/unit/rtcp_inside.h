// Everything that the readers of RTCP hand out of some bytes, and that all of it lies inside them.
#ifndef SIDETONE_TESTS_RTCP_INSIDE_H
#define SIDETONE_TESTS_RTCP_INSIDE_H

#include "inside_check.h"
#include "wire/rtp/rtcp_xr.h"

#include <math.h>
#include <stdlib.h>

static inline bool rtcp_is_inside(const void *part, size_t part_n, const uint8_t *p, size_t n)
{
    const uint8_t *at = part;
    return part_n == 0 || (at >= p && part_n <= n && (size_t)(at - p) <= n - part_n);
}

static inline void rtcp_check_texts(const struct rtcp_packet *k)
{
    struct rtcp_item item = {0};
    uint32_t items = 0;
    while (rtcp_item_next(k, &item)) {
        INSIDE_CHECK(item.type != 0 && item.chunk <= k->count);
        INSIDE_CHECK(rtcp_is_inside(item.text.p, item.text.n, k->p, k->n));
        INSIDE_CHECK(++items <= k->n / 2);
    }
}

static inline bool rtcp_is_between(double value, double least, double most)
{
    return isnan(value) || (value >= least && value <= most);
}

static inline void rtcp_check_voip(const struct rtcp_xr_voip *v)
{
    const double percents[] = {v->loss_percent, v->discard_percent, v->burst_percent,
                               v->gap_percent};
    const double times[] = {v->burst_ms,  v->gap_ms,        v->round_trip_ms,     v->end_system_ms,
                            v->buffer_ms, v->buffer_max_ms, v->buffer_absolute_ms};
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        INSIDE_CHECK(percents[i] >= 0 && percents[i] < 100);
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        INSIDE_CHECK(rtcp_is_between(times[i], 0, UINT16_MAX));
    }
    INSIDE_CHECK(rtcp_is_between(v->signal_dbm, -128, 126) &&
                 rtcp_is_between(v->noise_dbm, -128, 126) && rtcp_is_between(v->rerl_db, 0, 255));
    INSIDE_CHECK(rtcp_is_between(v->r_factor, 0, 100) &&
                 rtcp_is_between(v->external_r_factor, 0, 100));
    INSIDE_CHECK(rtcp_is_between(v->mos_lq, 1, 5) && rtcp_is_between(v->mos_cq, 1, 5));
}

static inline void rtcp_check_blocks(const struct rtcp_packet *k)
{
    struct rtcp_xr_block b = {0};
    uint32_t before = 0;
    while (rtcp_xr_next(k, &b)) {
        struct rtcp_xr_losses losses;
        struct rtcp_xr_statistics statistics;
        struct rtcp_xr_voip voip;
        INSIDE_CHECK(rtcp_is_inside(b.p, b.n, k->p, k->n) && b.n % 4 == 0);
        INSIDE_CHECK(b.at > before && b.at <= k->n);
        before = b.at;
        if (rtcp_xr_losses(&b, &losses)) {
            uint32_t numbers = (uint16_t)(losses.end - losses.begin);
            INSIDE_CHECK(losses.lost <= numbers && losses.longest <= losses.lost);
            INSIDE_CHECK((losses.lost == 0) == (losses.longest == 0));
            INSIDE_CHECK(losses.lost <= (numbers >> losses.thinning) + 1);
        }
        if (rtcp_xr_statistics(&b, &statistics)) {
            INSIDE_CHECK(b.type == RTCP_XR_STATISTICS);
        }
        if (rtcp_xr_voip(&b, &voip)) {
            rtcp_check_voip(&voip);
        }
    }
}

static inline void rtcp_check_packet(const struct rtcp_packet *k)
{
    struct rtcp_sender_info info;
    struct rtcp_report report;
    uint32_t ssrc;
    uint32_t i;
    bool has_info = rtcp_sender_info(k, &info);
    INSIDE_CHECK(!has_info || (k->type == RTCP_SR && k->n >= 24));
    for (i = 0; rtcp_report(k, i, &report); i++) {
        INSIDE_CHECK(report.lost >= -0x800000 && report.lost <= 0x7fffff);
    }
    INSIDE_CHECK(i <= k->count && i * 24 <= k->n);
    for (i = 0; rtcp_bye(k, i, &ssrc); i++) {
    }
    INSIDE_CHECK(i <= k->count && i * 4 <= k->n);
    INSIDE_CHECK(!rtcp_feedback(k, &ssrc) || ssrc != 0);
    INSIDE_CHECK(!k->has_ssrc || k->is_sealed || k->n >= 4);
    rtcp_check_texts(k);
    rtcp_check_blocks(k);
}

// Returns the number of packets.
static inline uint32_t rtcp_walk(const uint8_t *p, uint32_t n, uint32_t length)
{
    struct rtcp_reader r;
    struct rtcp_packet k;
    uint32_t packets = 0;
    rtcp_begin(&r, p, n, length);
    while (rtcp_next(&r, &k)) {
        packets++;
        INSIDE_CHECK(rtcp_is_inside(k.p, k.n, p, n) && k.count < 32);
        INSIDE_CHECK(!k.is_sealed || (packets == 1 && k.n == 0));
        rtcp_check_packet(&k);
    }
    INSIDE_CHECK(packets <= n / 4);
    return packets;
}

#endif
