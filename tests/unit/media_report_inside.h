// What must hold for every report of an endpoint, digit and address of record that was read: slices
// lie inside the text, numbers in their ranges. Used by the unit test and by the fuzz target.
#ifndef SIDETONE_TESTS_MEDIA_REPORT_INSIDE_H
#define SIDETONE_TESTS_MEDIA_REPORT_INSIDE_H

#include "sip_inside.h"
#include "wire/sip/aor.h"
#include "wire/sip/dtmf_info.h"
#include "wire/sip/rtp_stat.h"
#include "wire/sip/vq_report.h"

#include <math.h>

static inline bool measure_is_sound(double value, double max)
{
    return isnan(value) || (value >= 0 && value <= max);
}

// `codec_inside`: else it may be one of our own names.
static inline void media_report_check(const struct media_report *r, struct slice text,
                                      bool codec_inside)
{
    const struct slice all[] = {r->local_ip, r->local_port, r->remote_ip, r->remote_port};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        INSIDE_CHECK(slice_is_inside(all[i], text.p, text.n));
    }
    INSIDE_CHECK(!codec_inside || slice_is_inside(r->codec, text.p, text.n));
    INSIDE_CHECK(r->ssrc >= -1 && r->ssrc <= UINT32_MAX);
    INSIDE_CHECK(r->packets_sent >= -1 && r->packets_received >= -1 && r->packets_lost >= -1);
    INSIDE_CHECK(measure_is_sound(r->loss_percent, 100));
    INSIDE_CHECK(measure_is_sound(r->discard_percent, 100));
    INSIDE_CHECK(measure_is_sound(r->jitter_ms, 4294967295.0 * 1000));
    INSIDE_CHECK(measure_is_sound(r->round_trip_ms, 65535));
    INSIDE_CHECK(measure_is_sound(r->one_way_ms, 65535));
    INSIDE_CHECK(measure_is_sound(r->end_system_ms, 65535));
    INSIDE_CHECK(measure_is_sound(r->mos_lq, 5) && !(r->mos_lq < 1));
    INSIDE_CHECK(measure_is_sound(r->mos_cq, 5) && !(r->mos_cq < 1));
    INSIDE_CHECK(measure_is_sound(r->r_factor, 120));
}

static inline void aor_check(struct slice text)
{
    char room[SIP_AOR_BYTES], again[SIP_AOR_BYTES];
    struct slice aor = sip_aor(text, room);
    INSIDE_CHECK(slice_is_inside(aor, text.p, text.n) || slice_is_inside(aor, room, sizeof room));
    if (aor.p == room) { // in its one form already
        INSIDE_CHECK(slice_eq(sip_aor(aor, again), aor));
    }
}

// Runs every reader over the bytes.
static inline void media_report_check_all(const char *p, size_t n)
{
    struct slice text = slice_of(p, n);
    struct vq_report vq;
    struct media_report r;
    vq_report_read(&vq, text);
    INSIDE_CHECK(slice_is_inside(vq.call_id, p, n) && slice_is_inside(vq.local_id, p, n));
    media_report_check(&vq.local, text, false);
    media_report_check(&vq.remote, text, false);
    for (int format = RTP_STAT_X; format <= RTP_STAT_TX; format++) {
        rtp_stat_read(&r, (enum rtp_stat_format)format, text);
        media_report_check(&r, text, true);
    }
    char digit = dtmf_info_digit(text);
    INSIDE_CHECK(digit == '\0' || strchr("0123456789*#ABCD!", digit));
    aor_check(text);
}

#endif
