// What must hold for every session description that was read: slices lie inside the body, counts
// and enums in range, and a plain reader finds the same. Used by the unit test and by the fuzz
// target.
#ifndef SIDETONE_TESTS_SDP_INSIDE_H
#define SIDETONE_TESTS_SDP_INSIDE_H

#include "sdp_plain.h"
#include "wire/sdp/sdp.h"

static inline void sdp_check_media(const struct sdp_media *m, struct slice body)
{
    INSIDE_CHECK(slice_is_inside(m->type, body.p, body.n) && m->type.n > 0);
    INSIDE_CHECK(slice_is_inside(m->protocol, body.p, body.n));
    INSIDE_CHECK(m->direction <= SDP_INACTIVE);
    INSIDE_CHECK(m->kind <= SDP_OTHER && !(m->is_rtp && m->is_udptl));
    INSIDE_CHECK(m->format_count <= SDP_FORMATS_MAX && m->format_count <= m->format_total);
    INSIDE_CHECK(m->format_count == m->format_total || m->format_count == SDP_FORMATS_MAX);
    INSIDE_CHECK(m->rtp.port != 0 || m->rtcp.port == 0);
    INSIDE_CHECK(!m->rtcp_mux || endpoint_eq(m->rtp, m->rtcp));
    INSIDE_CHECK(m->has_address || address_eq(m->rtp.addr, (struct address){0, 0}));
    for (uint8_t i = 0; i < m->format_count; i++) {
        const struct sdp_format *f = &m->formats[i];
        INSIDE_CHECK(f->payload_type <= 127 && f->codec < CODEC_COUNT);
        INSIDE_CHECK(slice_is_inside(f->name, body.p, body.n));
        INSIDE_CHECK(slice_is_inside(f->fmtp, body.p, body.n));
    }
}

static inline int sdp_check_all(const char *p, size_t n)
{
    static struct sdp s;
    struct slice body = slice_of(p, n);
    sdp_check_plain(p, n);
    int count = sdp_parse(&s, body);
    INSIDE_CHECK(count >= -1 && count <= SDP_MEDIA_MAX);
    INSIDE_CHECK(count < 0 || s.media_count == (uint32_t)count);
    INSIDE_CHECK(s.media_count <= SDP_MEDIA_MAX && s.media_count <= s.media_total);
    INSIDE_CHECK(slice_is_inside(s.origin, p, n));
    for (uint32_t i = 0; i < s.media_count; i++) {
        sdp_check_media(&s.media[i], body);
    }
    return count;
}

#endif
