// The layers between a frame and its datagram, one after the other: what peel() does for frames out
// of the ordinary.
//
// Comes in: a frame. Goes out: as peel(). Private to wire/net.
#ifndef SIDETONE_WIRE_NET_LAYERS_H
#define SIDETONE_WIRE_NET_LAYERS_H

#include "base/bytes.h"
#include "wire/net/peel.h"

// What is left of a frame while its headers are taken off.
struct rest {
    const uint8_t *p;
    uint32_t n;
};

// Ethernet types from here on; below, the field is a length (IEEE 802.3).
#define ETHERTYPE_MIN 0x0600

enum layer {
    LAYER_END, // walk.reason says how the walk ended
    LAYER_ETHERNET,
    LAYER_VLAN, // at the tag's control information
    LAYER_BACKBONE,
    LAYER_LLC,
    LAYER_NLPID,
    LAYER_MPLS,
    LAYER_PPPOE,
    LAYER_PPP,
    LAYER_PPP_HDLC,
    LAYER_CISCO_HDLC,
    LAYER_FRAME_RELAY,
    LAYER_FAMILY, // BSD loopback: an address family before the packet
    LAYER_SLL,
    LAYER_SLL2,
    LAYER_PFLOG,
    LAYER_NFLOG,
    LAYER_PPI,
    LAYER_PKTAP,
    LAYER_IP, // IPv4 or IPv6 by its first four bits
    LAYER_IPV4,
    LAYER_IPV6,
    LAYER_COUNT,
};

struct walk {
    struct rest r;
    struct datagram *out;
    enum reason reason;
};

static inline enum layer walk_end(struct walk *w, enum reason reason)
{
    w->reason = reason;
    return LAYER_END;
}

// Callers have checked that n bytes are there.
static inline void walk_skip(struct walk *w, uint32_t n)
{
    w->r = (struct rest){w->r.p + n, w->r.n - n};
}

// Takes n bytes off and goes on with `next`; n may come from the frame.
static inline enum layer walk_take(struct walk *w, uint32_t n, enum layer next)
{
    if (w->r.n < n) {
        return walk_end(w, REASON_TRUNCATED);
    }
    walk_skip(w, n);
    return next;
}

// The layer that an Ethernet type announces; one below 0600 is a length, and LLC follows.
enum layer layer_by_ethertype(struct walk *w, uint16_t type);

// Takes off `header` bytes and what the link type puts before its first layer, and names that
// layer.
enum layer layer_by_link(struct walk *w, uint32_t header, uint32_t linktype);

// Layers that only link types have, each by its header (links.c).
enum layer eat_family(struct walk *w);
enum layer eat_sll(struct walk *w);
enum layer eat_sll2(struct walk *w);
enum layer eat_pflog(struct walk *w);
enum layer eat_nflog(struct walk *w);
enum layer eat_ppi(struct walk *w);
enum layer eat_pktap(struct walk *w);

// The plain way, right for every frame, also for the ordinary ones: the reference of peel().
enum reason peel_layers(uint32_t linktype, const uint8_t *frame, uint32_t captured,
                        struct datagram *out);

// An IPv4 or IPv6 packet at r, with its transport header. Fills all of *out but the VLAN tags.
enum reason peel_ipv4(struct rest r, struct datagram *out);
enum reason peel_ipv6(struct rest r, struct datagram *out);

// ::ffff:a.b.c.d as two native words, as address_v4() makes it, without a call.
static inline struct address peel_v4(const uint8_t p[4])
{
    return (struct address){.hi = 0, .lo = UINT64_C(0xffff0000) | (uint64_t)le32(p) << 32};
}

#endif
