// Reads session descriptions line by line (RFC 8866; RFC 3605 rtcp, RFC 5761 rtcp-mux, RFC 4568
// crypto, RFC 8122 fingerprint, RFC 8839 ICE).
//
// Lines that make no sense are skipped: what can be found of the media is worth more than a
// refusal.
//
// Budget: one pass, six instructions a byte of an ordinary offer. Borders are sought 16 bytes at a
// time, names compared as one word. Proof: tests/unit/sdp_plain.h reads the same word by word, and
// both are compared on any bytes.
#include "wire/sdp/sdp.h"

#include <stddef.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct reading {
    struct sdp *s;
    const char *end; // of the body: up to here bytes may be looked at
    // The one that attributes belong to; NULL: the session, or a media line that is not kept.
    struct sdp_media *media;
    uint64_t offered[2]; // its payload types that are kept, a bit for each
    bool in_media;
    bool has_version;
    // Session level, inherited by each media line.
    struct address address;
    bool has_address, encrypted, ice;
    enum sdp_direction direction;
    uint8_t places[128]; // of the payload types that are offered
};

// A line, or what is left of one.
struct rest {
    const char *at, *end;
};

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The first of two characters in [at, end), or end.
static inline const char *seek(const struct reading *r, const char *at, const char *end, char a,
                               char b)
{
#ifdef __SSE2__
    while (r->end - at >= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        __m128i is_a = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(a));
        __m128i is_b = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b));
        unsigned found = (unsigned)_mm_movemask_epi8(_mm_or_si128(is_a, is_b));
        at += found ? __builtin_ctz(found) : 16;
        if (found || at >= end) {
            return at < end ? at : end;
        }
    }
#endif
    while (at < end && *at != a && *at != b) {
        at++;
    }
    return at < end ? at : end;
}

static inline void skip_blanks(struct rest *rest)
{
    while (rest->at < rest->end && is_blank(*rest->at)) {
        rest->at++;
    }
}

static inline struct slice next_word(const struct reading *r, struct rest *rest)
{
    skip_blanks(rest);
    const char *from = rest->at;
    rest->at = seek(r, from, rest->end, ' ', '\t');
    return slice_of(from, (size_t)(rest->at - from));
}

// Decimal digits, as far as they go. False: there are none, or it exceeds `max` (below 2^32).
static inline bool read_digits(struct rest *rest, uint64_t max, uint64_t *out)
{
    const char *at = rest->at;
    uint64_t value = 0;
    while (at < rest->end && is_digit(*at) && value <= max) {
        value = value * 10 + (uint64_t)(*at++ - '0');
    }
    bool ok = at > rest->at && value <= max;
    rest->at = at;
    *out = value;
    return ok;
}

// The next word, which is a number; false: it is none. Then the rest means nothing.
static inline bool next_number(struct rest *rest, uint64_t max, uint64_t *out)
{
    skip_blanks(rest);
    return read_digits(rest, max, out) && (rest->at == rest->end || is_blank(*rest->at));
}

// --- names ---

// First and last four bytes of a text of four or more: all of it up to eight.
static inline uint64_t text_key(const char *p, size_t n)
{
    uint32_t first, last;
    memcpy(&first, p, 4);
    memcpy(&last, p + n - 4, 4);
    return (uint64_t)last << 32 | first;
}

// ascii_lower() of eight bytes at once.
static inline uint64_t lower_key(uint64_t key)
{
    const uint64_t ONES = UINT64_C(0x0101010101010101);
    uint64_t low = key & ONES * 0x7f;
    uint64_t from_a = low + ONES * (0x80 - 'A');
    uint64_t beyond_z = low + ONES * (0x7f - 'Z');
    return key | ((from_a & ~beyond_z & ~key & ONES * 0x80) >> 2);
}

// A name that is looked up without case; shorter than four bytes is none that is known.
struct name {
    struct slice text;
    uint64_t key;
};

static inline struct name name_of(struct slice text)
{
    return (struct name){text, text.n >= 4 ? lower_key(text_key(text.p, text.n)) : 0};
}

static inline bool is_name(const struct name *name, struct slice known)
{
    return name->text.n == known.n && name->key == text_key(known.p, known.n) &&
           (known.n <= 8 || slice_eq_nocase(name->text, known));
}

static bool contains(struct slice s, struct slice part)
{
    for (size_t i = 0; i + part.n <= s.n; i++) {
        if (slice_eq_nocase(slice_of(s.p + i, part.n), part)) {
            return true;
        }
    }
    return false;
}

// --- media lines ---

static inline struct sdp_format *find_format(const struct reading *r, uint64_t payload_type)
{
    bool is_offered = (r->offered[payload_type >> 6] >> (payload_type & 63) & 1) != 0;
    return is_offered ? &r->media->formats[r->places[payload_type]] : NULL;
}

static inline void add_format(struct reading *r, uint8_t payload_type)
{
    struct sdp_media *m = r->media;
    if (find_format(r, payload_type)) {
        return;
    }
    m->format_total++;
    if (m->format_count == SDP_FORMATS_MAX) {
        return;
    }
    r->offered[payload_type >> 6] |= UINT64_C(1) << (payload_type & 63);
    r->places[payload_type] = m->format_count;
    struct sdp_format *f = &m->formats[m->format_count++];
    *f = (struct sdp_format){.payload_type = payload_type};
    f->codec = codec_by_payload_type(payload_type, &f->clock_hz);
}

static void read_formats(struct reading *r, struct rest rest)
{
    while (rest.at < rest.end) {
        uint64_t number;
        if (next_number(&rest, 127, &number)) {
            add_format(r, (uint8_t)number);
        } else {
            rest.at = seek(r, rest.at, rest.end, ' ', '\t');
        }
    }
}

static enum sdp_kind kind_of(struct slice type)
{
    struct name name = name_of(type);
    if (is_name(&name, SLICE("audio"))) {
        return SDP_AUDIO;
    }
    if (is_name(&name, SLICE("video"))) {
        return SDP_VIDEO;
    }
    if (is_name(&name, SLICE("text"))) {
        return SDP_TEXT;
    }
    return is_name(&name, SLICE("image")) ? SDP_IMAGE : SDP_OTHER;
}

static void read_protocol(struct sdp_media *m, bool is_encrypted)
{
    bool is_usual = slice_eq(m->protocol, SLICE("RTP/AVP"));
    m->is_rtp = is_usual || contains(m->protocol, SLICE("RTP/"));
    m->is_udptl = !is_usual && slice_eq_nocase(m->protocol, SLICE("udptl"));
    m->encrypted = is_encrypted || (!is_usual && contains(m->protocol, SLICE("SAVP")));
}

// "audio 49170/2 RTP/AVP 0 8 101"
static void read_media_line(struct reading *r, struct rest rest)
{
    uint64_t number;
    struct slice type = next_word(r, &rest);
    r->in_media = true;
    r->media = NULL;
    skip_blanks(&rest);
    bool has_port = read_digits(&rest, 65535, &number) &&
                    (rest.at == rest.end || is_blank(*rest.at) || *rest.at == '/');
    if (type.n == 0 || !has_port) {
        return;
    }
    r->s->media_total++;
    if (r->s->media_count == SDP_MEDIA_MAX) {
        return;
    }
    struct sdp_media *m = r->media = &r->s->media[r->s->media_count++];
    memset(m, 0, offsetof(struct sdp_media, formats)); // the rest as far as format_count says
    r->offered[0] = r->offered[1] = 0;
    rest.at = seek(r, rest.at, rest.end, ' ', '\t');
    m->type = type;
    m->protocol = next_word(r, &rest);
    m->rtp.port = (uint16_t)number;
    m->rtp.addr = r->address;
    m->has_address = r->has_address;
    m->direction = r->direction;
    m->ice = r->ice;
    m->kind = kind_of(type);
    read_protocol(m, r->encrypted);
    if (m->is_rtp) {
        read_formats(r, rest);
    }
}

// --- attributes ---

// The number between the slash at the beginning of a rest and the next slash; false: there is none.
static bool read_part(const struct reading *r, struct rest *rest, uint64_t max, uint64_t *out)
{
    if (rest->at == rest->end) {
        return false;
    }
    rest->at++;
    bool ok = read_digits(rest, max, out);
    const char *slash = seek(r, rest->at, rest->end, '/', '/');
    ok = ok && slash == rest->at;
    rest->at = slash;
    return ok;
}

// "96 opus/48000/2"
static void read_rtpmap(struct reading *r, struct rest rest)
{
    uint64_t number;
    struct sdp_format *f = next_number(&rest, 127, &number) ? find_format(r, number) : NULL;
    if (!f) {
        return; // a map for a payload type that the media line does not offer
    }
    struct slice word = next_word(r, &rest);
    struct rest map = {word.p, word.p + word.n};
    const char *slash = seek(r, map.at, map.end, '/', '/');
    if (slash == map.at) {
        return;
    }
    f->name = slice_of(map.at, (size_t)(slash - map.at));
    f->codec = codec_by_name(f->name);
    map.at = slash;
    f->clock_hz = read_part(r, &map, UINT32_MAX, &number) ? (uint32_t)number : f->clock_hz;
    bool has_channels = read_part(r, &map, UINT8_MAX, &number) && map.at == map.end;
    f->channels = has_channels ? (uint8_t)number : 0;
}

static void read_fmtp(struct reading *r, struct rest rest)
{
    uint64_t number;
    struct sdp_format *f = next_number(&rest, 127, &number) ? find_format(r, number) : NULL;
    if (f) {
        f->fmtp = slice_trim(slice_of(rest.at, (size_t)(rest.end - rest.at)));
    }
}

// "IN IP4 224.2.1.1/127/3": the text of the address without the TTL and count of multicast.
static struct slice address_word(const struct reading *r, struct rest rest)
{
    if (rest.end - rest.at > 7 && memcmp(rest.at, "IN IP4 ", 7) == 0) {
        rest.at += 7;
    } else {
        next_word(r, &rest); // "IN"
        // "IP4" or "IP6": the address tells its family by itself, and senders mix them up.
        next_word(r, &rest);
    }
    struct slice text, tail;
    slice_cut(next_word(r, &rest), '/', &text, &tail);
    return text;
}

// "53020" or "53020 IN IP4 126.16.64.4" (RFC 3605 2.1)
static void read_rtcp(struct reading *r, struct rest rest)
{
    uint64_t number;
    struct address address;
    if (!next_number(&rest, 65535, &number)) {
        return;
    }
    r->media->rtcp.port = (uint16_t)number;
    if (address_parse(address_word(r, rest), &address)) {
        r->media->rtcp.addr = address;
    }
}

// "20", or "20.0" from some.
static void read_ptime(struct sdp_media *m, struct rest rest)
{
    struct slice value = slice_trim(slice_of(rest.at, (size_t)(rest.end - rest.at)));
    struct rest digits = {value.p, value.p + value.n};
    uint64_t number;
    if (read_digits(&digits, UINT16_MAX, &number) &&
        (digits.at == digits.end || *digits.at == '.')) {
        m->ptime_ms = (uint16_t)number;
    }
}

static bool read_direction(const struct name *name, enum sdp_direction *out)
{
    if (is_name(name, SLICE("sendrecv"))) {
        *out = SDP_SENDRECV;
    } else if (is_name(name, SLICE("sendonly"))) {
        *out = SDP_SENDONLY;
    } else if (is_name(name, SLICE("recvonly"))) {
        *out = SDP_RECVONLY;
    } else if (is_name(name, SLICE("inactive"))) {
        *out = SDP_INACTIVE;
    } else {
        return false;
    }
    return true;
}

// Attributes that have a meaning at both levels.
static void read_common(struct reading *r, const struct name *name)
{
    if (read_direction(name, r->media ? &r->media->direction : &r->direction)) {
        return;
    }
    if (is_name(name, SLICE("crypto")) || is_name(name, SLICE("fingerprint"))) {
        *(r->media ? &r->media->encrypted : &r->encrypted) = true;
    } else if (is_name(name, SLICE("ice-ufrag")) || is_name(name, SLICE("candidate"))) {
        *(r->media ? &r->media->ice : &r->ice) = true;
    }
}

static void read_attribute(struct reading *r, struct rest rest)
{
    if (r->in_media && !r->media) {
        return;
    }
    const char *colon = seek(r, rest.at, rest.end, ':', ':');
    struct name name = name_of(slice_trim(slice_of(rest.at, (size_t)(colon - rest.at))));
    rest.at = colon < rest.end ? colon + 1 : rest.end;
    if (!r->media) {
        read_common(r, &name);
    } else if (is_name(&name, SLICE("rtpmap"))) {
        read_rtpmap(r, rest);
    } else if (is_name(&name, SLICE("fmtp"))) {
        read_fmtp(r, rest);
    } else if (is_name(&name, SLICE("ptime"))) {
        read_ptime(r->media, rest);
    } else if (is_name(&name, SLICE("rtcp"))) {
        read_rtcp(r, rest);
    } else if (is_name(&name, SLICE("rtcp-mux"))) {
        r->media->rtcp_mux = true;
    } else {
        read_common(r, &name);
    }
}

// --- other lines ---

static void read_connection(struct reading *r, struct rest rest)
{
    struct address address = {0};
    struct slice text = address_word(r, rest);
    if (text.n == 0) {
        return;
    }
    bool ok = address_parse(text, &address);
    if (!r->in_media) {
        r->address = address;
        r->has_address = ok;
    } else if (r->media) { // a name hides the session's address too
        r->media->rtp.addr = address;
        r->media->has_address = ok;
    }
}

static inline void read_line(struct reading *r, const char *line, const char *end)
{
    if (end - line < 2 || line[1] != '=') {
        return;
    }
    struct rest value = {line + 2, end};
    switch (line[0]) {
    case 'v':
        r->has_version = true;
        break;
    case 'o':
        if (r->s->origin.n == 0) {
            r->s->origin = slice_trim(slice_of(value.at, (size_t)(end - value.at)));
        }
        break;
    case 'c':
        read_connection(r, value);
        break;
    case 'm':
        read_media_line(r, value);
        break;
    case 'a':
        read_attribute(r, value);
        break;
    default:
        break;
    }
}

// What depends on several lines: RTCP's endpoint and hold by address.
static void finish_media(struct sdp_media *m)
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

int sdp_parse(struct sdp *s, struct slice body)
{
    struct reading r;
    memset(&r, 0, offsetof(struct reading, places));
    r.s = s;
    r.direction = SDP_SENDRECV;
    s->origin = slice_of(NULL, 0);
    s->media_count = s->media_total = 0;
    r.end = slice_skip(body, body.n).p;
    for (const char *line = body.p; line < r.end;) {
        const char *end = seek(&r, line, r.end, '\n', '\n');
        const char *next = end < r.end ? end + 1 : end;
        while (end > line && end[-1] == '\r') {
            end--; // more than one, or that of a last line without LF
        }
        read_line(&r, line, end);
        line = next;
    }
    for (uint32_t i = 0; i < s->media_count; i++) {
        finish_media(&s->media[i]);
    }
    return r.has_version || s->media_total > 0 ? (int)s->media_count : -1;
}
