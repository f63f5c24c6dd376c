// Tunnels in IP: which layer their payload is, and where it begins.
//
// GRE (RFC 2784, 2890; 2637 for version 1) and what travels in it, ERSPAN (draft-foschiano-erspan)
// among it; EtherIP (RFC 3378). Tunnels in UDP: tunnel_udp.c.
#include "wire/net/tunnel.h"

#include "wire/net/layers.h"

enum layer tunnel_enter(struct walk *w, enum layer next)
{
    if (w->out->tunnels == PEEL_TUNNELS_MAX) {
        return walk_end(w, REASON_TOO_DEEP);
    }
    w->out->tunnels++;
    path_add_between(&w->out->path, PATH_IP, 0, w->out->src.addr, w->out->dst.addr);
    w->depth = 0; // what stands before IP is counted anew
    return next;
}

enum gre {
    GRE_CHECKSUM = 0x8000,
    GRE_ROUTING = 0x4000, // RFC 1701, given up by RFC 2784
    GRE_KEY = 0x2000,
    GRE_SEQUENCE = 0x1000,
    GRE_ACKNOWLEDGEMENT = 0x0080, // version 1
    GRE_VERSION = 0x0007,
};

enum gre_type {
    GRE_ETHERNET = 0x6558,
    GRE_PPP = 0x880b,
    GRE_ERSPAN = 0x88be, // I and II
    GRE_ERSPAN_3 = 0x22eb,
};

// Type I has no header
static enum layer eat_erspan_1(struct walk *w)
{
    walk_note(w, PATH_ERSPAN, 0);
    return LAYER_ETHERNET;
}

// II: version 1 (4 bits), VLAN (12), class (3), what became of the tag (2), cut (1), session (10),
// index (32). What became of the tag: 0 there was none, 1 and 2 it was taken off, 3 it is there.
static enum layer eat_erspan_2(struct walk *w)
{
    if (w->r.n < 8) {
        return walk_end(w, REASON_TRUNCATED);
    }
    if (w->r.p[0] >> 4 != 1) {
        return walk_end(w, REASON_TUNNEL);
    }
    uint8_t tag = w->r.p[2] >> 3 & 3;
    walk_note(w, PATH_ERSPAN, be16(w->r.p + 2) & 0x03ff);
    if (tag == 1 || tag == 2) {
        walk_note(w, PATH_VLAN, be16(w->r.p) & 0x0fff);
    }
    return walk_take(w, 8, LAYER_ETHERNET);
}

// III: version 2 (4), VLAN (12), class and others (6), session (10), time (32), group (16), P (1),
// kind of frame (5), hardware (6), direction (1), granularity (2), O (1): 8 more bytes follow
static enum layer eat_erspan_3(struct walk *w)
{
    if (w->r.n < 12) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint8_t kind = w->r.p[10] >> 2 & 31;
    if (w->r.p[0] >> 4 != 2 || (kind != 0 && kind != 2)) {
        return walk_end(w, REASON_TUNNEL);
    }
    walk_note(w, PATH_ERSPAN, be16(w->r.p + 2) & 0x03ff);
    return walk_take(w, w->r.p[11] & 1 ? 20 : 12, kind == 0 ? LAYER_ETHERNET : LAYER_IP);
}

// flags and version (2), type (2), checksum (4), key (4), sequence (4): each if its flag is set
static enum layer eat_gre_0(struct walk *w, uint16_t flags, uint16_t type)
{
    uint32_t header = 4;
    header += flags & GRE_CHECKSUM ? 4 : 0;
    header += flags & GRE_KEY ? 4 : 0;
    header += flags & GRE_SEQUENCE ? 4 : 0;
    if (w->r.n < header) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t key_at = flags & GRE_CHECKSUM ? 8 : 4;
    walk_note(w, PATH_GRE, flags & GRE_KEY ? be32(w->r.p + key_at) : 0);
    walk_skip(w, header);
    switch (type) { // two bytes of the wire
    case GRE_ETHERNET:
        return LAYER_ETHERNET;
    case GRE_PPP:
        return LAYER_PPP;
    case GRE_ERSPAN: // I has no header, and is told by the lack of a sequence number
        return flags & GRE_SEQUENCE ? eat_erspan_2(w) : eat_erspan_1(w);
    case GRE_ERSPAN_3:
        return eat_erspan_3(w);
    }
    return type < ETHERTYPE_MIN ? walk_end(w, REASON_NOT_IP) : layer_by_ethertype(w, type);
}

// RFC 2637 4.1: flags and version (2), type (2), length of the payload (2), call (2), sequence (4),
// acknowledgement (4); without a sequence number it only acknowledges
static enum layer eat_gre_1(struct walk *w, uint16_t flags, uint16_t type)
{
    if (type != GRE_PPP || !(flags & GRE_KEY)) {
        return walk_end(w, REASON_TUNNEL);
    }
    if (!(flags & GRE_SEQUENCE)) {
        return walk_end(w, REASON_NOT_SIP_OR_MEDIA);
    }
    uint32_t header = flags & GRE_ACKNOWLEDGEMENT ? 16 : 12;
    if (w->r.n < header) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t length = be16(w->r.p + 4);
    walk_note(w, PATH_GRE, be16(w->r.p + 6));
    walk_skip(w, header);
    w->r.n = w->r.n < length ? w->r.n : length;
    return LAYER_PPP;
}

enum layer eat_gre(struct walk *w)
{
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint16_t flags = be16(w->r.p);
    uint16_t type = be16(w->r.p + 2);
    unsigned version = flags & GRE_VERSION;
    if (version > 1 || flags & GRE_ROUTING) {
        return walk_end(w, REASON_TUNNEL);
    }
    return version == 1 ? eat_gre_1(w, flags, type) : eat_gre_0(w, flags, type);
}

// version 3 (4 bits), reserved (12)
enum layer eat_etherip(struct walk *w)
{
    if (w->r.n < 2) {
        return walk_end(w, REASON_TRUNCATED);
    }
    if (w->r.p[0] >> 4 != 3) {
        return walk_end(w, REASON_TUNNEL);
    }
    walk_note(w, PATH_ETHERIP, 0);
    return walk_take(w, 2, LAYER_ETHERNET);
}
