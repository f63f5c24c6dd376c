// L2TP: version 2 (RFC 2661) with PPP in it; version 3 (RFC 3931), of which no packet says what it
// carries.
#include "wire/net/l2tp.h"

#include "wire/net/fits.h"
#include "wire/net/tunnel.h"
#include "wire/net/walk.h"

// Version 2. Flags: control message, length, sequence, offset, priority; then version (4 bits),
// length (2), tunnel (2), session (2), sequence (2), expected (2), length of padding (2), padding:
// each but tunnel and session if its flag is set.
enum l2tp_flag {
    L2TP_CONTROL = 0x8000,
    L2TP_LENGTH = 0x4000,
    L2TP_SEQUENCE = 0x0800,
    L2TP_OFFSET = 0x0200,
    L2TP_RESERVED = 0x34f0,
    L2TP_VERSION = 0x000f,
};

// A packet, also one that is compressed, or a message of a protocol that belongs to PPP itself: its
// number begins with 8 or C (RFC 1661 2)
static bool is_ppp(struct rest r)
{
    struct walk probe = {.r = r};
    enum layer inside = walk_step(&probe, LAYER_PPP);
    if (inside == LAYER_IPV4 || inside == LAYER_IPV6) {
        return fits_ip(probe.r) == inside;
    }
    bool has_address = r.n >= 2 && be16(r.p) == 0xff03;
    const uint8_t *protocol = has_address ? r.p + 2 : r.p;
    bool is_own = r.n >= (has_address ? 4u : 2u) && (protocol[0] & 0x81) == 0x80 && protocol[1] & 1;
    bool is_closed = probe.reason == REASON_TUNNEL || probe.reason == REASON_ENCRYPTED;
    return inside != LAYER_END || is_own || is_closed;
}

static enum layer open_version_2(struct rest *r, uint32_t length, uint32_t *id)
{
    uint16_t flags = be16(r->p);
    rest_take(r, 2);
    if (flags & L2TP_LENGTH) {
        if (r->n < 2 || be16(r->p) > length || be16(r->p) < 2) {
            return LAYER_END;
        }
        uint32_t said = be16(r->p) - 2u; // from the flags on
        r->n = r->n < said ? r->n : said;
        rest_take(r, 2);
    }
    if (r->n < 4) {
        return LAYER_END;
    }
    *id = be32(r->p);
    rest_take(r, 4);
    if (flags & L2TP_SEQUENCE && !rest_take(r, 4)) {
        return LAYER_END;
    }
    if (flags & L2TP_OFFSET && (r->n < 2 || !rest_take(r, 2u + be16(r->p)))) {
        return LAYER_END;
    }
    return is_ppp(*r) ? LAYER_PPP : LAYER_END;
}

// Version 3, behind the session: a cookie of 0, 4 or 8 bytes, perhaps 4 bytes of flags and sequence
// number (3.2.2, 4.6), a frame. The ends of the tunnel have agreed on all that before; here what
// fits decides.
static enum layer open_session(struct rest *r, uint32_t length)
{
    static const enum layer LAYERS[] = {LAYER_ETHERNET, LAYER_PPP_HDLC, LAYER_IP};
    for (uint32_t at = 0; at <= 12 && at <= r->n; at += 4) {
        struct rest frame = {r->p + at, r->n - at};
        for (size_t i = 0; i < sizeof LAYERS / sizeof LAYERS[0]; i++) {
            if (fits_wholly(LAYERS[i], frame, length - at)) {
                *r = frame;
                return LAYERS[i];
            }
        }
    }
    return LAYER_END;
}

// flags and version (2), reserved (2), session (4)
static enum layer open_version_3(struct rest *r, uint32_t length, uint32_t *id)
{
    if (r->n < 8) {
        return LAYER_END;
    }
    *id = be32(r->p + 4);
    rest_take(r, 8);
    return *id == 0 ? LAYER_END : open_session(r, length - 8);
}

enum layer open_l2tp(struct rest *r, uint32_t length, uint32_t *id)
{
    if (r->n < 4) {
        return LAYER_END;
    }
    uint16_t flags = be16(r->p);
    if ((flags & L2TP_VERSION) == 2 && (flags & (L2TP_CONTROL | L2TP_RESERVED)) == 0) {
        return open_version_2(r, length, id);
    }
    return be32(r->p) == 0x00030000 ? open_version_3(r, length, id) : LAYER_END;
}

// session (4): 0 for control messages
enum layer eat_l2tp(struct walk *w)
{
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t session = be32(w->r.p);
    if (session == 0) {
        return walk_end(w, REASON_NOT_SIP_OR_MEDIA);
    }
    walk_skip(w, 4);
    walk_note(w, PATH_L2TP, session);
    enum layer inside = open_session(&w->r, w->length - 4);
    return inside == LAYER_END ? walk_end(w, REASON_TUNNEL) : inside;
}
