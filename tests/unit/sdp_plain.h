// A reader of session descriptions as plain as can be: word by word, name by name. What
// sdp_parse() is compared with, by the unit test and by the fuzz target.
#ifndef SIDETONE_TESTS_SDP_PLAIN_H
#define SIDETONE_TESTS_SDP_PLAIN_H

#include "sip_inside.h"
#include "wire/sdp/sdp.h"

struct plain_reading {
    struct sdp *s;
    // The one that attributes belong to; NULL: the session, or a media line that is not kept.
    struct sdp_media *media;
    bool in_media;
    bool has_version;
    // Session level, inherited by each media line.
    struct address address;
    bool has_address, encrypted, ice;
    enum sdp_direction direction;
};

static bool plain_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct slice plain_next_word(struct slice *rest)
{
    size_t from = 0;
    while (from < rest->n && plain_is_blank(rest->p[from])) {
        from++;
    }
    size_t to = from;
    while (to < rest->n && !plain_is_blank(rest->p[to])) {
        to++;
    }
    struct slice word = slice_skip(slice_of(rest->p, to), from);
    *rest = slice_skip(*rest, to);
    return word;
}

static bool plain_contains(struct slice s, struct slice part)
{
    for (size_t i = 0; i + part.n <= s.n; i++) {
        if (slice_eq_nocase(slice_of(s.p + i, part.n), part)) {
            return true;
        }
    }
    return false;
}

// "IN IP4 224.2.1.1/127/3": the text of the address without the TTL and count of multicast.
static struct slice plain_address_word(struct slice rest)
{
    struct slice text, tail;
    plain_next_word(&rest); // "IN"
    // "IP4" or "IP6": the address tells its family by itself, and senders mix them up.
    plain_next_word(&rest);
    slice_cut(plain_next_word(&rest), '/', &text, &tail);
    return text;
}

static struct sdp_format *plain_find_format(struct sdp_media *m, uint64_t payload_type)
{
    for (uint8_t i = 0; i < m->format_count; i++) {
        if (m->formats[i].payload_type == payload_type) {
            return &m->formats[i];
        }
    }
    return NULL;
}

static void plain_add_format(struct sdp_media *m, struct slice word)
{
    uint64_t number = 0;
    if (!slice_u64(word, 127, &number) || plain_find_format(m, number)) {
        return;
    }
    m->format_total++;
    if (m->format_count == SDP_FORMATS_MAX) {
        return;
    }
    struct sdp_format *f = &m->formats[m->format_count++];
    *f = (struct sdp_format){.payload_type = (uint8_t)number};
    f->codec = codec_by_payload_type(f->payload_type, &f->clock_hz);
}

static enum sdp_kind plain_kind_of(struct slice type)
{
    static const struct {
        struct slice type;
        enum sdp_kind kind;
    } KINDS[] = {{{"audio", 5}, SDP_AUDIO},
                 {{"video", 5}, SDP_VIDEO},
                 {{"text", 4}, SDP_TEXT},
                 {{"image", 5}, SDP_IMAGE}};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (slice_eq_nocase(type, KINDS[i].type)) {
            return KINDS[i].kind;
        }
    }
    return SDP_OTHER;
}

// "audio 49170/2 RTP/AVP 0 8 101"
static void plain_read_media_line(struct plain_reading *r, struct slice rest)
{
    struct slice port, count;
    uint64_t number = 0;
    struct slice type = plain_next_word(&rest);
    slice_cut(plain_next_word(&rest), '/', &port, &count);
    struct slice protocol = plain_next_word(&rest);
    r->in_media = true;
    r->media = NULL;
    if (type.n == 0 || !slice_u64(port, 65535, &number)) {
        return;
    }
    r->s->media_total++;
    if (r->s->media_count == SDP_MEDIA_MAX) {
        return;
    }
    struct sdp_media *m = &r->s->media[r->s->media_count++];
    *m = (struct sdp_media){.type = type, .protocol = protocol};
    m->rtp.port = (uint16_t)number;
    m->rtp.addr = r->address;
    m->has_address = r->has_address;
    m->direction = r->direction;
    m->ice = r->ice;
    m->kind = plain_kind_of(type);
    m->is_rtp = plain_contains(protocol, SLICE("RTP/"));
    m->is_udptl = slice_eq_nocase(protocol, SLICE("udptl"));
    m->encrypted = r->encrypted || plain_contains(protocol, SLICE("SAVP"));
    r->media = m;
    while (rest.n > 0) {
        struct slice word = plain_next_word(&rest);
        if (word.n > 0 && m->is_rtp) {
            plain_add_format(m, word);
        }
    }
}

// "96 opus/48000/2"
static void plain_read_rtpmap(struct sdp_media *m, struct slice rest)
{
    uint64_t number = 0;
    uint64_t channels = 0;
    struct slice name, clock, count, tail;
    if (!slice_u64(plain_next_word(&rest), 127, &number)) {
        return;
    }
    struct sdp_format *f = plain_find_format(m, number);
    slice_cut(plain_next_word(&rest), '/', &name, &tail);
    slice_cut(tail, '/', &clock, &count);
    if (!f || name.n == 0) {
        return; // a map for a payload type that the media line does not offer
    }
    f->name = name;
    f->codec = codec_by_name(name);
    f->clock_hz = slice_u64(clock, UINT32_MAX, &number) ? (uint32_t)number : f->clock_hz;
    f->channels = slice_u64(count, UINT8_MAX, &channels) ? (uint8_t)channels : 0;
}

static void plain_read_fmtp(struct sdp_media *m, struct slice rest)
{
    uint64_t number = 0;
    if (slice_u64(plain_next_word(&rest), 127, &number)) {
        struct sdp_format *f = plain_find_format(m, number);
        if (f) {
            f->fmtp = slice_trim(rest);
        }
    }
}

// "53020" or "53020 IN IP4 126.16.64.4" (RFC 3605 2.1)
static void plain_read_rtcp(struct sdp_media *m, struct slice rest)
{
    uint64_t number = 0;
    struct address address;
    if (!slice_u64(plain_next_word(&rest), 65535, &number)) {
        return;
    }
    m->rtcp.port = (uint16_t)number;
    if (address_parse(plain_address_word(rest), &address)) {
        m->rtcp.addr = address;
    }
}

static void plain_read_ptime(struct sdp_media *m, struct slice value)
{
    struct slice whole, fraction;
    uint64_t number = 0;
    slice_cut(slice_trim(value), '.', &whole, &fraction);
    if (slice_u64(whole, UINT16_MAX, &number)) {
        m->ptime_ms = (uint16_t)number;
    }
}

static bool plain_read_direction(struct slice name, enum sdp_direction *out)
{
    static const struct {
        struct slice name;
        enum sdp_direction direction;
    } DIRECTIONS[] = {{{"sendrecv", 8}, SDP_SENDRECV},
                      {{"sendonly", 8}, SDP_SENDONLY},
                      {{"recvonly", 8}, SDP_RECVONLY},
                      {{"inactive", 8}, SDP_INACTIVE}};
    for (size_t i = 0; i < sizeof DIRECTIONS / sizeof *DIRECTIONS; i++) {
        if (slice_eq_nocase(name, DIRECTIONS[i].name)) {
            *out = DIRECTIONS[i].direction;
            return true;
        }
    }
    return false;
}

// Attributes that have a meaning at both levels. Returns false for all others.
static bool plain_read_common(struct plain_reading *r, struct slice name)
{
    enum sdp_direction *direction = r->media ? &r->media->direction : &r->direction;
    bool *encrypted = r->media ? &r->media->encrypted : &r->encrypted;
    bool *ice = r->media ? &r->media->ice : &r->ice;
    if (plain_read_direction(name, direction)) {
        return true;
    }
    if (slice_eq_nocase(name, SLICE("crypto")) || slice_eq_nocase(name, SLICE("fingerprint"))) {
        *encrypted = true;
        return true;
    }
    if (slice_eq_nocase(name, SLICE("ice-ufrag")) || slice_eq_nocase(name, SLICE("candidate"))) {
        *ice = true;
        return true;
    }
    return false;
}

static void plain_read_attribute(struct plain_reading *r, struct slice line)
{
    struct slice name, value;
    slice_cut(line, ':', &name, &value);
    name = slice_trim(name);
    if ((r->in_media && !r->media) || plain_read_common(r, name) || !r->media) {
        return;
    }
    if (slice_eq_nocase(name, SLICE("rtpmap"))) {
        plain_read_rtpmap(r->media, value);
    } else if (slice_eq_nocase(name, SLICE("fmtp"))) {
        plain_read_fmtp(r->media, value);
    } else if (slice_eq_nocase(name, SLICE("rtcp"))) {
        plain_read_rtcp(r->media, value);
    } else if (slice_eq_nocase(name, SLICE("rtcp-mux"))) {
        r->media->rtcp_mux = true;
    } else if (slice_eq_nocase(name, SLICE("ptime"))) {
        plain_read_ptime(r->media, value);
    }
}

static void plain_read_connection(struct plain_reading *r, struct slice rest)
{
    struct address address = {0};
    struct slice text = plain_address_word(rest);
    bool ok = address_parse(text, &address);
    if (text.n == 0) {
        return;
    }
    if (!r->in_media) {
        r->address = address;
        r->has_address = ok;
    } else if (r->media) { // a name hides the session's address too
        r->media->rtp.addr = address;
        r->media->has_address = ok;
    }
}

static void plain_read_line(struct plain_reading *r, struct slice line)
{
    if (line.n < 2 || line.p[1] != '=') {
        return;
    }
    struct slice value = slice_skip(line, 2);
    switch (line.p[0]) {
    case 'v':
        r->has_version = true;
        break;
    case 'o':
        r->s->origin = r->s->origin.n > 0 ? r->s->origin : slice_trim(value);
        break;
    case 'c':
        plain_read_connection(r, value);
        break;
    case 'm':
        plain_read_media_line(r, value);
        break;
    case 'a':
        plain_read_attribute(r, value);
        break;
    default:
        break;
    }
}

// What depends on several lines: RTCP's endpoint and hold by address.
static void plain_finish_media(struct sdp_media *m)
{
    // RFC 2543 B.5; with ICE it only says that no candidate is known yet (RFC 8840).
    bool is_hold = m->has_address && address_is_zero(m->rtp.addr) && !m->ice;
    if (is_hold && m->direction == SDP_SENDRECV) {
        m->direction = SDP_SENDONLY;
    }
    if (address_eq(m->rtcp.addr, (struct address){0, 0})) {
        m->rtcp.addr = m->rtp.addr;
    }
    if (m->rtcp_mux) {
        m->rtcp = m->rtp;
    } else if (m->rtcp.port == 0 && m->rtp.port > 0 && m->rtp.port < UINT16_MAX) {
        m->rtcp.port = (uint16_t)(m->rtp.port + 1);
    }
    if (m->rtp.port == 0) {
        m->rtcp.port = 0;
    }
}

static int sdp_parse_plain(struct sdp *s, struct slice body)
{
    struct plain_reading r = {.s = s, .direction = SDP_SENDRECV};
    s->origin = slice_of(NULL, 0);
    s->media_count = s->media_total = 0;
    struct slice line;
    while (slice_line(&body, &line)) {
        while (line.n > 0 && line.p[line.n - 1] == '\r') {
            line.n--; // more than one, or that of a last line without LF
        }
        plain_read_line(&r, line);
    }
    for (uint32_t i = 0; i < s->media_count; i++) {
        plain_finish_media(&s->media[i]);
    }
    return r.has_version || s->media_total > 0 ? (int)s->media_count : -1;
}

static inline bool plain_is_same_slice(struct slice a, struct slice b)
{
    return a.n == b.n && (a.n == 0 || a.p == b.p);
}

static inline void plain_check_format(const struct sdp_format *a, const struct sdp_format *b)
{
    INSIDE_CHECK(a->payload_type == b->payload_type && a->codec == b->codec);
    INSIDE_CHECK(a->clock_hz == b->clock_hz && a->channels == b->channels);
    INSIDE_CHECK(plain_is_same_slice(a->name, b->name) && plain_is_same_slice(a->fmtp, b->fmtp));
}

static inline void plain_check_media(const struct sdp_media *a, const struct sdp_media *b)
{
    INSIDE_CHECK(plain_is_same_slice(a->type, b->type));
    INSIDE_CHECK(plain_is_same_slice(a->protocol, b->protocol));
    INSIDE_CHECK(endpoint_eq(a->rtp, b->rtp) && endpoint_eq(a->rtcp, b->rtcp));
    INSIDE_CHECK(a->has_address == b->has_address && a->rtcp_mux == b->rtcp_mux);
    INSIDE_CHECK(a->encrypted == b->encrypted && a->ice == b->ice && a->kind == b->kind);
    INSIDE_CHECK(a->is_rtp == b->is_rtp && a->is_udptl == b->is_udptl);
    INSIDE_CHECK(a->direction == b->direction && a->ptime_ms == b->ptime_ms);
    INSIDE_CHECK(a->format_count == b->format_count && a->format_total == b->format_total);
    for (uint8_t i = 0; i < a->format_count; i++) {
        plain_check_format(&a->formats[i], &b->formats[i]);
    }
}

// Both readers find the same in any bytes.
static inline void sdp_check_plain(const char *p, size_t n)
{
    static struct sdp fast, plain;
    int count = sdp_parse(&fast, slice_of(p, n));
    INSIDE_CHECK(sdp_parse_plain(&plain, slice_of(p, n)) == count);
    INSIDE_CHECK(fast.media_count == plain.media_count && fast.media_total == plain.media_total);
    INSIDE_CHECK(plain_is_same_slice(fast.origin, plain.origin));
    for (uint32_t i = 0; i < fast.media_count; i++) {
        plain_check_media(&fast.media[i], &plain.media[i]);
    }
}

#endif
