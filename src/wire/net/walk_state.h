// The state of a walk over a frame's layers, and the steps that all of them take. Private to
// wire/net.
#ifndef SIDETONE_WIRE_NET_WALK_STATE_H
#define SIDETONE_WIRE_NET_WALK_STATE_H

#include "base/bytes.h"
#include "wire/net/peel.h"

// What is left of a frame while its headers are taken off.
struct rest {
    const uint8_t *p;
    uint32_t n;
};

static inline bool rest_take(struct rest *r, uint32_t n)
{
    if (r->n < n) {
        return false;
    }
    *r = (struct rest){r->p + n, r->n - n};
    return true;
}

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
    LAYER_GRE,
    LAYER_ETHERIP,
    LAYER_L2TP, // version 3, at its session
    LAYER_COUNT,
};

struct walk {
    struct rest r;
    struct datagram *out;
    uint32_t length; // of what the IP packet around carries, as it says; only behind IP
    enum reason reason;
    int depth; // headers since the frame or the tunnel began
};

static inline enum layer walk_end(struct walk *w, enum reason reason)
{
    w->reason = reason;
    return LAYER_END;
}

// A step of the outer path. Walks that only probe have no datagram.
static inline void walk_note(struct walk *w, enum path_kind kind, uint32_t id)
{
    if (w->out != NULL) {
        path_add(&w->out->path, kind, id);
    }
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

#endif
