// Tunnels in UDP: which layer their payload is, and where it begins.
//
// VXLAN (RFC 7348), GENEVE (RFC 8926), GTP-U (3GPP TS 29.281), Teredo (RFC 4380), TZSP. A port
// alone proves nothing, and SIP or RTP may use any of them: a tunnel in UDP is entered only where
// its own header and the first bytes inside are as they must be.
#include "wire/net/layers.h"
#include "wire/net/tunnel.h"

#define ETHERTYPE_BRIDGED 0x6558 // a whole Ethernet frame

// Each open_...() takes its header off *r, which is what was captured of `length` bytes, says the
// number of the tunnel, and names what stands there then; LAYER_END where it is not that tunnel
// after all.

static enum layer ip_at(struct rest r)
{
    uint8_t version = r.n > 0 ? r.p[0] >> 4 : 0;
    if (version == 4 && r.n >= 20 && (r.p[0] & 15) >= 5) {
        return LAYER_IPV4;
    }
    return version == 6 && r.n >= 40 ? LAYER_IPV6 : LAYER_END;
}

// A frame of a type that we follow, and an IP packet where its type says so.
static enum layer ethernet_at(struct rest r)
{
    if (r.n < 14 || be16(r.p + 12) < ETHERTYPE_MIN) {
        return LAYER_END;
    }
    struct rest inside = {r.p + 14, r.n - 14};
    struct walk probe = {.r = inside};
    enum layer layer = layer_by_ethertype(&probe, be16(r.p + 12));
    if (layer == LAYER_IPV4 || layer == LAYER_IPV6) {
        return ip_at(inside) == layer ? LAYER_ETHERNET : LAYER_END;
    }
    return layer == LAYER_END ? LAYER_END : LAYER_ETHERNET;
}

static bool take(struct rest *r, uint32_t n)
{
    if (r->n < n) {
        return false;
    }
    *r = (struct rest){r->p + n, r->n - n};
    return true;
}

// flags 08 (1), reserved (3), network (3), reserved (1)
static enum layer open_vxlan(struct rest *r, uint32_t length, uint32_t *id)
{
    (void)length;
    const uint8_t *p = r->p;
    bool is_vxlan = take(r, 8) && be32(p) == 0x08000000 && p[7] == 0;
    *id = is_vxlan ? be24(p + 4) : 0;
    return is_vxlan ? ethernet_at(*r) : LAYER_END;
}

// version 0 (2 bits), length of options in words (6), flags (2), reserved (6), type (2), network
// (3), reserved (1), options
static enum layer open_geneve(struct rest *r, uint32_t length, uint32_t *id)
{
    (void)length;
    const uint8_t *p = r->p;
    if (!take(r, 8) || p[0] >> 6 != 0 || (p[1] & 0x3f) != 0 || p[7] != 0 ||
        !take(r, (uint32_t)(p[0] & 0x3f) * 4)) {
        return LAYER_END;
    }
    *id = be24(p + 4);
    uint16_t type = be16(p + 2);
    if (type == ETHERTYPE_BRIDGED) {
        return ethernet_at(*r);
    }
    if (type < ETHERTYPE_MIN) {
        return LAYER_END;
    }
    struct walk probe = {.r = *r};
    enum layer layer = layer_by_ethertype(&probe, type);
    return layer == LAYER_IPV4 || layer == LAYER_IPV6 ? (ip_at(*r) == layer ? layer : LAYER_END)
                                                      : layer;
}

// version 1 (3 bits), GTP (1), reserved (1), E, S, PN; type 255: a packet (1), length of all after
// the first 8 bytes (2), tunnel (4). With any of E, S, PN: sequence (2), N-PDU (1), next extension
// (1). An extension: its length in words (1), contents, next extension (1). TS 29.281 5.1, 5.2.
static enum layer open_gtp(struct rest *r, uint32_t length, uint32_t *id)
{
    enum {
        GTP_PACKET = 255,
        GTP_EXTENSION = 0x04,
        GTP_OPTIONAL = 0x07,
        EXTENSIONS_MAX = 8, // seven kinds are known, and each stands there once
    };
    const uint8_t *p = r->p;
    if (!take(r, 8) || p[0] >> 3 != 6 || p[1] != GTP_PACKET || be16(p + 2) + 8u > length) {
        return LAYER_END;
    }
    *id = be32(p + 4);
    r->n = r->n < be16(p + 2) ? r->n : be16(p + 2);
    if ((p[0] & GTP_OPTIONAL) == 0) {
        return ip_at(*r);
    }
    if (!take(r, 4)) {
        return LAYER_END;
    }
    uint8_t next = p[0] & GTP_EXTENSION ? p[11] : 0;
    for (int i = 0; next != 0; i++) {
        uint32_t size = r->n > 0 ? r->p[0] * 4u : 0;
        if (i == EXTENSIONS_MAX || size == 0 || !take(r, size)) {
            return LAYER_END;
        }
        next = r->p[-1];
    }
    return ip_at(*r);
}

// version 1, type 0 or 1: a packet received or to be sent, what it is (2), 1: Ethernet; then tags:
// kind (1), length (1), contents; 0 is padding and 1 the end, both without a length
static enum layer open_tzsp(struct rest *r, uint32_t length, uint32_t *id)
{
    (void)length;
    (void)id;
    enum {
        TAG_PADDING = 0,
        TAG_END = 1,
        TAGS_MAX = 64, // a dozen kinds are in use
    };
    const uint8_t *p = r->p;
    if (!take(r, 4) || p[0] != 1 || p[1] > 1 || be16(p + 2) != 1) {
        return LAYER_END;
    }
    for (int i = 0; i < TAGS_MAX && r->n >= 2; i++) {
        uint8_t tag = r->p[0];
        if (!take(r, tag == TAG_PADDING || tag == TAG_END ? 1 : 2u + r->p[1])) {
            return LAYER_END;
        }
        if (tag == TAG_END) {
            return ethernet_at(*r);
        }
    }
    return LAYER_END;
}

// An IPv6 packet; before it, perhaps, an authentication (0001, lengths of two fields, 9 more bytes)
// and an origin (0000, port, address). Teredo's own prefix, 2001::/32, is on one side at least.
static enum layer open_teredo(struct rest *r, uint32_t length, uint32_t *id)
{
    (void)id;
    uint32_t all = r->n;
    if (r->n >= 4 && be16(r->p) == 1 && !take(r, 13u + r->p[2] + r->p[3])) {
        return LAYER_END;
    }
    if (r->n >= 8 && be16(r->p) == 0) {
        take(r, 8);
    }
    if (ip_at(*r) != LAYER_IPV6 || be16(r->p + 4) + 40u != length - (all - r->n)) {
        return LAYER_END;
    }
    return be32(r->p + 8) == 0x20010000 || be32(r->p + 24) == 0x20010000 ? LAYER_IPV6 : LAYER_END;
}

enum {
    PORT_GTP = 2152,
    PORT_TEREDO = 3544,
    PORT_VXLAN = 4789,
    PORT_GENEVE = 6081,
    PORT_VXLAN_LINUX = 8472, // Linux's own before there was a number
    PORT_TZSP = 37008,
};

struct opener {
    enum layer (*look)(struct rest *r, uint32_t length, uint32_t *id);
    enum path_kind kind;
};

static const struct opener GTP = {open_gtp, PATH_GTP};
static const struct opener TEREDO = {open_teredo, PATH_TEREDO};
static const struct opener VXLAN = {open_vxlan, PATH_VXLAN};
static const struct opener GENEVE = {open_geneve, PATH_GENEVE};
static const struct opener TZSP = {open_tzsp, PATH_TZSP};

// Tunnels are told by the port that they are sent to; a Teredo server answers from its own.
static const struct opener *opener_by_port(uint16_t src, uint16_t dst)
{
    switch (dst) { // a number of the wire
    case PORT_GTP:
        return &GTP;
    case PORT_TEREDO:
        return &TEREDO;
    case PORT_VXLAN:
    case PORT_VXLAN_LINUX:
        return &VXLAN;
    case PORT_GENEVE:
        return &GENEVE;
    case PORT_TZSP:
        return &TZSP;
    }
    return src == PORT_TEREDO ? &TEREDO : NULL;
}

__attribute__((cold, noinline)) bool tunnel_is_port(uint16_t src, uint16_t dst)
{
    return opener_by_port(src, dst) != NULL;
}

enum layer tunnel_in_udp(struct walk *w)
{
    const struct opener *opener = opener_by_port(w->out->src.port, w->out->dst.port);
    struct rest r = {w->out->payload, w->out->payload_n};
    uint32_t id = 0;
    enum layer inside = opener ? opener->look(&r, w->out->payload_length, &id) : LAYER_END;
    if (inside == LAYER_END) {
        return walk_end(w, REASON_NONE);
    }
    w->r = r;
    inside = tunnel_enter(w, inside);
    path_add(&w->out->path, opener->kind, id);
    return inside;
}
