// Streams of frames that begin with their length: HEP version 3 envelopes, and RTP, RTCP, STUN and
// DTLS in the framing of RFC 4571 (RFC 7983 tells them apart).
//
// Where the bytes at a frame's place can be none, or after a gap that ends nobody knows where, the
// stream is searched: for "HEP3" with a length, or for two RTP packets one after the other.
#include "flow/carried_parts.h"

#include "base/bytes.h"
#include "wire/hep/hep.h"
#include "wire/net/dtls.h"
#include "wire/rtp/rtp.h"

// Frames of RFC 4571 that a stream is recognised by. Not smaller: a packet of video fills an
// Ethernet frame, a jumbo frame at most. Not larger: the first byte of text is above it.
#define RTP_GUESS_MAX 8191

enum framed_state {
    FRAMED_BORDER,
    FRAMED_SEARCH,
};

enum framing {
    HEP_HEADER = 6,   // "HEP3" and 16 bits of length, which counts them
    RTP_LENGTH = 2,   // 16 bits, which do not count themselves
    STUN_HEADER = 20, // RFC 8489 5
};

#define STUN_COOKIE 0x2112a442u

static bool is_stun(const uint8_t *p, uint32_t n)
{
    return n >= STUN_HEADER && p[0] < 4 && be32(p + 4) == STUN_COOKIE &&
           be16(p + 2) == n - STUN_HEADER;
}

static bool is_packet(const uint8_t *p, uint32_t n)
{
    if (p[0] >> 6 != 2) {
        return is_stun(p, n) || dtls_is_record(p, n, n);
    }
    struct rtp_header h;
    enum rtp_class class = rtp_classify(p, n, n, &h);
    return class == RTP_CONTROL ||
           (class == RTP_MEDIA && h.payload_n > 0 && (h.payload_type < 64 || h.payload_type >= 96));
}

// Refuses most of what is none by the first bytes that are there.
static bool may_be_packet(const uint8_t *p, uint32_t n)
{
    if (n < 2) {
        return n == 0 || p[0] >> 6 == 2 || p[0] < 4 || (p[0] >= DTLS_FIRST && p[0] <= DTLS_LAST);
    }
    if (p[0] >> 6 == 2) {
        // RFC 3551 6: assigned or dynamic; 64 to 95 are left free for RTCP (RFC 5761 4).
        uint8_t type = p[1] & 0x7f;
        return type < 64 || type >= 96 || p[1] >= 192;
    }
    if (p[0] < 4) {
        return n < 8 || be32(p + 4) == STUN_COOKIE;
    }
    return p[0] >= DTLS_FIRST && p[0] <= DTLS_LAST && p[1] == DTLS_MAJOR;
}

// One frame; *total: its bytes, or as many as are needed to tell.
static enum carried_verdict is_frame(const uint8_t *p, uint32_t n, uint32_t *total)
{
    *total = RTP_LENGTH + 1;
    if (n < *total) {
        return n > 0 && p[0] > RTP_GUESS_MAX >> 8 ? CARRIED_NO : CARRIED_MORE;
    }
    uint32_t length = be16(p);
    if (length < 8 || length > RTP_GUESS_MAX || !may_be_packet(p + RTP_LENGTH, n - RTP_LENGTH)) {
        return CARRIED_NO;
    }
    *total = RTP_LENGTH + length;
    if (n < *total) {
        return CARRIED_MORE;
    }
    return is_packet(p + RTP_LENGTH, length) ? CARRIED_YES : CARRIED_NO;
}

enum carried_verdict carried_rtp_begins(const uint8_t *p, uint32_t n, bool whole, uint32_t *need)
{
    uint32_t total;
    enum carried_verdict v = is_frame(p, n, need);
    if (v != CARRIED_YES) {
        return v == CARRIED_MORE && whole ? CARRIED_NO : v;
    }
    uint32_t at = *need;
    v = is_frame(p + at, n - at, &total);
    *need = at + total;
    // At the end one frame is enough, and so is the beginning of another.
    return v == CARRIED_MORE && whole ? CARRIED_YES : v;
}

// Can RFC 7983 put this first byte anywhere?
static bool is_demultiplexed(uint8_t first)
{
    return first < 4 || (first >= 16 && first < 80) || (first >= 128 && first < 192);
}

static enum carried_verdict begins(struct carried *c, const uint8_t *p, uint32_t n, bool whole)
{
    uint32_t need = n + 1;
    enum carried_verdict v;
    if (c->kind == CARRIED_RTP) {
        v = carried_rtp_begins(p, n, whole, &need);
    } else {
        int64_t length = hep_stream_length(p, n);
        v = length > 0 ? CARRIED_YES : length < 0 || whole ? CARRIED_NO : CARRIED_MORE;
    }
    if (v == CARRIED_MORE) {
        carried_lacks(c, need, CARRIED_UNTIL_ALL);
    }
    return v;
}

// Passes over what begins no frame. `whole`: no byte follows.
static enum carried_verdict search(struct carried *c, const struct carried_view *v, bool whole)
{
    uint32_t at = 0;
    enum carried_verdict verdict = CARRIED_NO;
    while (at < v->n && (verdict = begins(c, v->p + at, v->n - at, whole)) == CARRIED_NO) {
        at++;
    }
    c->odd[FLOW_TCP_SKIPPED] += at;
    c->used = at;
    if (verdict == CARRIED_YES) {
        c->state = FRAMED_BORDER;
    }
    return verdict;
}

static bool search_step(struct carried *c, const struct carried_view *v)
{
    return search(c, v, false) != CARRIED_MORE || c->used > 0;
}

// Hands on a frame of `total` bytes, of which `header` are its framing, when it is there.
static bool take(struct carried *c, const struct carried_view *v, uint32_t header, uint32_t total,
                 bool is_cut)
{
    if (v->n < total && !is_cut) {
        return carried_lacks(c, total, CARRIED_UNTIL_ALL);
    }
    uint32_t end = v->n < total ? v->n : total;
    struct carried_piece piece = {.kind = c->kind == CARRIED_HEP ? PIECE_HEP : PIECE_PACKET,
                                  .is_incomplete = is_cut};
    if (end > header) {
        carried_hand_on(c, v, header, end, &piece);
    }
    return carried_took(c, end);
}

bool carried_hep_step(struct carried *c, const struct carried_view *v)
{
    if (c->state == FRAMED_SEARCH) {
        return search_step(c, v);
    }
    int64_t length = hep_stream_length(v->p, v->n);
    if (length > 0) {
        return take(c, v, 0, (uint32_t)length, false);
    }
    if (length == 0) {
        return carried_lacks(c, HEP_HEADER, CARRIED_UNTIL_ALL);
    }
    c->odd[FLOW_HEP_LENGTH]++;
    c->state = FRAMED_SEARCH;
    return carried_took(c, 0);
}

bool carried_rtp_step(struct carried *c, const struct carried_view *v)
{
    if (c->state == FRAMED_SEARCH) {
        return search_step(c, v);
    }
    if (v->n < RTP_LENGTH) {
        return carried_lacks(c, RTP_LENGTH, CARRIED_UNTIL_ALL);
    }
    uint32_t total = RTP_LENGTH + be16(v->p);
    if (v->n > RTP_LENGTH && total > RTP_LENGTH && !is_demultiplexed(v->p[RTP_LENGTH])) {
        c->state = FRAMED_SEARCH;
        return carried_took(c, 0);
    }
    return take(c, v, RTP_LENGTH, total, false);
}

void carried_framed_broken(struct carried *c, struct carried_view *v, uint64_t gap)
{
    // What waited for a second frame will not see it.
    while (c->state == FRAMED_SEARCH && v->n > 0) {
        search(c, v, true);
        carried_advance(c, v, c->used);
        carried_run(c, v);
    }
    bool is_searching = c->state == FRAMED_SEARCH;
    c->state = FRAMED_SEARCH;
    bool is_hep = c->kind == CARRIED_HEP;
    uint32_t header = is_hep ? HEP_HEADER : RTP_LENGTH;
    if (is_searching || v->n < header) {
        return;
    }
    uint32_t total = is_hep ? be16(v->p + 4) : header + be16(v->p);
    if (carried_skip_rest(c, v->n, total, gap)) {
        c->state = FRAMED_BORDER;
    }
    take(c, v, is_hep ? 0 : header, total, true);
}
