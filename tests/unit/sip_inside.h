// What must hold for every message that was parsed, whatever the bytes were: all slices lie inside
// the input, indexes and flags agree. Used by the unit tests and by the fuzz target.
#ifndef SIDETONE_TESTS_SIP_INSIDE_H
#define SIDETONE_TESTS_SIP_INSIDE_H

#include "sip_same.h"
#include "wire/sip/sip.h"

// An empty slice may point anywhere inside, or nowhere.
static inline bool slice_is_inside(struct slice s, const char *p, size_t n)
{
    if (s.p == NULL) {
        return s.n == 0;
    }
    return s.p >= p && s.p <= p + n && s.n <= (size_t)(p + n - s.p);
}

static inline void sip_check_index(const struct sip_message *m, const char *p, size_t n)
{
    const struct slice all[] = {m->raw, m->head,    m->body,  m->method_text,
                                m->uri, m->version, m->reason};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        INSIDE_CHECK(slice_is_inside(all[i], p, n));
    }
    INSIDE_CHECK(m->header_count <= SIP_INDEX_MAX);
    INSIDE_CHECK(m->content_length >= -1);
    INSIDE_CHECK(m->oddities >> SIP_ODD_COUNT == 0);
    INSIDE_CHECK(m->raw.n >= m->head.n + m->body.n);
    int16_t first[SIP_H_COUNT];
    memset(first, 0xff, sizeof first);
    for (uint32_t i = 0; i < m->header_count; i++) {
        const struct sip_header *h = &m->headers[i];
        INSIDE_CHECK(slice_is_inside(h->name, m->head.p, m->head.n));
        INSIDE_CHECK(slice_is_inside(h->value, m->head.p, m->head.n));
        INSIDE_CHECK(h->id < SIP_H_COUNT && h->id == sip_header_by_name(h->name));
        if (h->id != SIP_H_OTHER && first[h->id] < 0) {
            first[h->id] = (int16_t)i;
        }
    }
    INSIDE_CHECK(memcmp(first, m->first, sizeof first) == 0);
}

static inline void sip_check_address_inside(struct slice value)
{
    struct sip_name_addr a;
    struct sip_uri u;
    sip_name_addr(value, &a);
    const struct slice parts[] = {a.display, a.uri, a.params, a.tag};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        INSIDE_CHECK(slice_is_inside(parts[i], value.p, value.n));
    }
    sip_uri(a.uri, &u);
    const struct slice more[] = {u.scheme, u.user, u.password, u.host, u.params, u.headers};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        INSIDE_CHECK(slice_is_inside(more[i], a.uri.p, a.uri.n));
    }
}

static inline void sip_check_via_inside(struct slice value)
{
    struct sip_via v;
    struct sip_cseq c;
    sip_via(value, &v);
    sip_cseq(value, &c);
    const struct slice parts[] = {v.protocol, v.transport, v.host,  v.params,
                                  v.branch,   v.received,  c.method};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        INSIDE_CHECK(slice_is_inside(parts[i], value.p, value.n));
    }
}

// Runs every decoder over every value, whether it fits or not.
static inline void sip_check_values(const struct sip_message *m)
{
    char copy[64];
    for (uint32_t i = 0; i < m->header_count; i++) {
        struct slice rest = m->headers[i].value;
        struct slice one;
        size_t pieces = 0;
        while (sip_list_next(&rest, &one)) {
            INSIDE_CHECK(one.n > 0 && slice_is_inside(one, m->head.p, m->head.n));
            sip_check_address_inside(one);
            sip_check_via_inside(one);
            sip_check_usual(one, m->raw.p + m->raw.n);
            pieces++;
        }
        INSIDE_CHECK(rest.n == 0 && pieces <= m->headers[i].value.n);
        sip_check_address_inside(m->headers[i].value);
        sip_check_via_inside(m->headers[i].value);
        sip_check_usual(m->headers[i].value, m->raw.p + m->raw.n);
        INSIDE_CHECK(sip_unfold(m->headers[i].value, copy, sizeof copy) <= sizeof copy);
    }
}

// Everything that can be asked about `n` bytes: parses, decodes, judges. Returns what sip_parse
// returned.
static inline int64_t sip_check_all(const char *p, size_t n, enum sip_framing framing,
                                    bool truncated)
{
    static struct sip_message m;
    struct slice part = {0};
    bool looks = sip_looks_like(p, n);
    int64_t taken = sip_parse(&m, p, n, framing, truncated);
    INSIDE_CHECK(taken >= -1 && taken <= (int64_t)n);
    if (framing == SIP_DATAGRAM) {
        INSIDE_CHECK(looks ? taken == (int64_t)n : taken == -1);
    } else {
        INSIDE_CHECK(looks || taken <= 0);
    }
    if (taken <= 0) {
        return taken;
    }
    sip_check_index(&m, p, n);
    INSIDE_CHECK(m.raw.p + m.raw.n <= p + taken);
    sip_check_values(&m);
    uint64_t before = m.oddities;
    sip_check_core(&m);
    INSIDE_CHECK((m.oddities & before) == before && m.oddities >> SIP_ODD_COUNT == 0);
    INSIDE_CHECK(sip_lapse(&m) <= SIP_LAPSE_SAID);
    if (sip_body_part(&m, SLICE("application/sdp"), &part)) {
        INSIDE_CHECK(slice_is_inside(part, m.body.p, m.body.n));
    }
    return taken;
}

#endif
