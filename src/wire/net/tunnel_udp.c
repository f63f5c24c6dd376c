// Tunnels in UDP: which layer their payload is, and where it begins.
//
// VXLAN (RFC 7348; group policy; GPE), GENEVE (RFC 8926), GTP-U (3GPP TS 29.281), Teredo (RFC
// 4380), TZSP; L2TP: l2tp.c. A port alone proves nothing, and SIP or RTP may use any of them: a
// tunnel in UDP is entered only where its own header and the first bytes inside are as they must
// be. VXLAN, which people run on many ports, is looked for on all: there the packet inside must fit
// wholly.
#include "wire/net/fits.h"
#include "wire/net/l2tp.h"
#include "wire/net/layers.h"
#include "wire/net/tunnel.h"

#define ETHERTYPE_BRIDGED 0x6558 // a whole Ethernet frame
#define VXLAN_FIRST       0x08   // byte of a header without a group
#define VXLAN_FIRST_GROUP 0x88

// Each open_...() takes its header off *r, which is what was captured of `length` bytes, says the
// number of the tunnel, and names what stands there then; LAYER_END where it is not that tunnel
// after all.

// flags (2), group (2), network (3), reserved (1). 08: there is a network; 80: there is a group
// (draft-smith-vxlan-group-policy), with 0040 (do not learn) and 0008 (applied)
static enum layer open_vxlan(struct rest *r, uint32_t length, uint32_t *id)
{
    (void)length;
    enum {
        VXLAN_NETWORK = 0x0800,
        VXLAN_GROUP = 0x8000,
        VXLAN_GROUP_FLAGS = 0x0048,
    };
    const uint8_t *p = r->p;
    if (!rest_take(r, 8) || p[7] != 0) {
        return LAYER_END;
    }
    uint16_t flags = be16(p);
    bool is_plain = be32(p) == VXLAN_NETWORK << 16;
    bool has_group = (flags & ~VXLAN_GROUP_FLAGS) == (VXLAN_NETWORK | VXLAN_GROUP);
    *id = be24(p + 4);
    return is_plain || has_group ? fits_ethernet(*r) : LAYER_END;
}

// The same on a port of its own choice: no group, and the packet inside must fit.
static enum layer open_vxlan_elsewhere(struct rest *r, uint32_t length, uint32_t *id)
{
    enum layer inside = open_vxlan(r, length, id);
    return inside != LAYER_END && fits_wholly(inside, *r, length - 8) ? inside : LAYER_END;
}

// What an IP packet or frame must look like at *r, by the layer that a header announces.
static enum layer announced(struct rest r, enum layer layer)
{
    if (layer == LAYER_IPV4 || layer == LAYER_IPV6) {
        return fits_ip(r) == layer ? layer : LAYER_END;
    }
    return layer == LAYER_ETHERNET ? fits_ethernet(r) : layer;
}

// flags 08, and 04 where the fourth byte says what follows (1, 2: IP, 3: Ethernet, 5: MPLS), 01 for
// maintenance, 02 for copies; reserved (2), what follows (1), network (3), reserved (1);
// draft-ietf-nvo3-vxlan-gpe
static enum layer open_vxlan_gpe(struct rest *r, uint32_t length, uint32_t *id)
{
    (void)length;
    static const enum layer LAYERS[] = {LAYER_END,      LAYER_IPV4, LAYER_IPV6,
                                        LAYER_ETHERNET, LAYER_END,  LAYER_MPLS};
    const uint8_t *p = r->p;
    if (!rest_take(r, 8) || (p[0] & ~0x07) != VXLAN_FIRST || be16(p + 1) != 0 || p[7] != 0) {
        return LAYER_END;
    }
    *id = be24(p + 4);
    if (!(p[0] & 0x04)) {
        return p[3] == 0 ? fits_ethernet(*r) : LAYER_END;
    }
    return p[3] < sizeof LAYERS / sizeof LAYERS[0] ? announced(*r, LAYERS[p[3]]) : LAYER_END;
}

// version 0 (2 bits), length of options in words (6), flags (2), reserved (6), type (2), network
// (3), reserved (1), options
static enum layer open_geneve(struct rest *r, uint32_t length, uint32_t *id)
{
    (void)length;
    const uint8_t *p = r->p;
    if (!rest_take(r, 8) || p[0] >> 6 != 0 || (p[1] & 0x3f) != 0 || p[7] != 0 ||
        !rest_take(r, (uint32_t)(p[0] & 0x3f) * 4)) {
        return LAYER_END;
    }
    *id = be24(p + 4);
    uint16_t type = be16(p + 2);
    if (type == ETHERTYPE_BRIDGED) {
        return fits_ethernet(*r);
    }
    if (type < ETHERTYPE_MIN) {
        return LAYER_END;
    }
    struct walk probe = {.r = *r};
    return announced(*r, layer_by_ethertype(&probe, type));
}

// What a mobile sends: IP, or, where it bridges, Ethernet or PPP. Nothing says which; a frame that
// fits wholly is none of the others by chance, while a MAC address may well begin like IP.
static enum layer gtp_inside(struct rest r, uint32_t length)
{
    static const enum layer LAYERS[] = {LAYER_IP, LAYER_ETHERNET, LAYER_PPP};
    for (size_t i = 0; i < sizeof LAYERS / sizeof LAYERS[0]; i++) {
        if (fits_wholly(LAYERS[i], r, length)) {
            return LAYERS[i];
        }
    }
    return fits_ip(r);
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
    if (!rest_take(r, 8) || p[0] >> 3 != 6 || p[1] != GTP_PACKET || be16(p + 2) + 8u > length) {
        return LAYER_END;
    }
    *id = be32(p + 4);
    r->n = r->n < be16(p + 2) ? r->n : be16(p + 2);
    if ((p[0] & GTP_OPTIONAL) == 0) {
        return gtp_inside(*r, be16(p + 2));
    }
    if (!rest_take(r, 4)) {
        return LAYER_END;
    }
    uint8_t next = p[0] & GTP_EXTENSION ? p[11] : 0;
    for (int i = 0; next != 0; i++) {
        uint32_t size = r->n > 0 ? r->p[0] * 4u : 0;
        if (i == EXTENSIONS_MAX || size == 0 || !rest_take(r, size)) {
            return LAYER_END;
        }
        next = r->p[-1];
    }
    return gtp_inside(*r, be16(p + 2) - (uint32_t)(r->p - p - 8));
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
    if (!rest_take(r, 4) || p[0] != 1 || p[1] > 1 || be16(p + 2) != 1) {
        return LAYER_END;
    }
    for (int i = 0; i < TAGS_MAX && r->n >= 2; i++) {
        uint8_t tag = r->p[0];
        if (!rest_take(r, tag == TAG_PADDING || tag == TAG_END ? 1 : 2u + r->p[1])) {
            return LAYER_END;
        }
        if (tag == TAG_END) {
            return fits_ethernet(*r);
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
    if (r->n >= 4 && be16(r->p) == 1 && !rest_take(r, 13u + r->p[2] + r->p[3])) {
        return LAYER_END;
    }
    if (r->n >= 8 && be16(r->p) == 0) {
        rest_take(r, 8);
    }
    if (fits_ip(*r) != LAYER_IPV6 || be16(r->p + 4) + 40u != length - (all - r->n)) {
        return LAYER_END;
    }
    return be32(r->p + 8) == 0x20010000 || be32(r->p + 24) == 0x20010000 ? LAYER_IPV6 : LAYER_END;
}

enum {
    PORT_L2TP = 1701,
    PORT_GTP = 2152,
    PORT_TEREDO = 3544,
    PORT_VXLAN = 4789,
    PORT_VXLAN_GPE = 4790,
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
static const struct opener L2TP = {open_l2tp, PATH_L2TP};
static const struct opener VXLAN = {open_vxlan, PATH_VXLAN};
static const struct opener VXLAN_GPE = {open_vxlan_gpe, PATH_VXLAN};
static const struct opener VXLAN_ELSEWHERE = {open_vxlan_elsewhere, PATH_VXLAN};
static const struct opener GENEVE = {open_geneve, PATH_GENEVE};
static const struct opener TZSP = {open_tzsp, PATH_TZSP};

// Tunnels are told by the port that they are sent to; who answers a Teredo client or an L2TP peer
// does so from that port.
static const struct opener *opener_by_port(uint16_t src, uint16_t dst)
{
    switch (dst) { // a number of the wire
    case PORT_L2TP:
        return &L2TP;
    case PORT_GTP:
        return &GTP;
    case PORT_TEREDO:
        return &TEREDO;
    case PORT_VXLAN:
    case PORT_VXLAN_LINUX:
        return &VXLAN;
    case PORT_VXLAN_GPE:
        return &VXLAN_GPE;
    case PORT_GENEVE:
        return &GENEVE;
    case PORT_TZSP:
        return &TZSP;
    }
    return src == PORT_TEREDO ? &TEREDO : src == PORT_L2TP ? &L2TP : NULL;
}

// Of tunnels only VXLAN with a group has the highest bit of the first byte set, as RTP does.
__attribute__((cold, noinline)) bool tunnel_may_be(uint8_t first_byte, uint16_t src, uint16_t dst)
{
    if (first_byte > VXLAN_FIRST_GROUP) {
        return false;
    }
    return first_byte == VXLAN_FIRST || opener_by_port(src, dst) != NULL;
}

// Goes on inside, where the payload in w->out is that tunnel.
static bool enter_by(const struct opener *opener, struct walk *w, enum layer *inside)
{
    struct rest r = {w->out->payload, w->out->payload_n};
    uint32_t id = 0;
    *inside = opener->look(&r, w->out->payload_length, &id);
    if (*inside == LAYER_END) {
        return false;
    }
    w->r = r;
    *inside = tunnel_enter(w, *inside);
    walk_note(w, opener->kind, id);
    return true;
}

enum layer tunnel_in_udp(struct walk *w)
{
    const struct datagram *d = w->out;
    const struct opener *opener = opener_by_port(d->src.port, d->dst.port);
    bool may_be_vxlan = d->payload_n > 0 && d->payload[0] == VXLAN_FIRST;
    enum layer inside;
    if ((opener != NULL && enter_by(opener, w, &inside)) ||
        (may_be_vxlan && enter_by(&VXLAN_ELSEWHERE, w, &inside))) {
        return inside;
    }
    return walk_end(w, REASON_NONE);
}
