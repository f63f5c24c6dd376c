// Walks a frame layer by layer.
//
// Each layer has one function in EAT: it takes its header off the rest of the frame and names the
// layer that stands there now, or ends the walk with a reason. There is no recursion; a walk takes
// at most PEEL_DEPTH_MAX steps in the frame and in each of PEEL_TUNNELS_MAX tunnels, so that nobody
// can build a frame that costs more than a frame.
#include "wire/net/walk.h"

#include "wire/net/ip.h"
#include "wire/net/l2tp.h"
#include "wire/net/layers.h"
#include "wire/net/links.h"
#include "wire/net/tunnel.h"

#include <stddef.h>

static enum layer (*const EAT[LAYER_COUNT])(struct walk *w) = {
    [LAYER_ETHERNET] = eat_ethernet,
    [LAYER_VLAN] = eat_vlan,
    [LAYER_BACKBONE] = eat_backbone,
    [LAYER_LLC] = eat_llc,
    [LAYER_NLPID] = eat_nlpid,
    [LAYER_MPLS] = eat_mpls,
    [LAYER_PPPOE] = eat_pppoe,
    [LAYER_PPP] = eat_ppp,
    [LAYER_PPP_HDLC] = eat_ppp_hdlc,
    [LAYER_CISCO_HDLC] = eat_cisco_hdlc,
    [LAYER_FRAME_RELAY] = eat_frame_relay,
    [LAYER_FAMILY] = eat_family,
    [LAYER_SLL] = eat_sll,
    [LAYER_SLL2] = eat_sll2,
    [LAYER_PFLOG] = eat_pflog,
    [LAYER_NFLOG] = eat_nflog,
    [LAYER_PPI] = eat_ppi,
    [LAYER_PKTAP] = eat_pktap,
    [LAYER_IP] = eat_ip,
    [LAYER_IPV4] = eat_ipv4,
    [LAYER_IPV6] = eat_ipv6,
    [LAYER_GRE] = eat_gre,
    [LAYER_ETHERIP] = eat_etherip,
    [LAYER_L2TP] = eat_l2tp,
};

enum layer walk_step(struct walk *w, enum layer layer)
{
    return EAT[layer](w);
}

enum layer walk_to_ip(struct walk *w, enum layer layer)
{
    for (int depth = 0; depth < PEEL_DEPTH_MAX; depth++) {
        if (layer == LAYER_END || layer == LAYER_IP || layer == LAYER_IPV4 || layer == LAYER_IPV6) {
            return layer;
        }
        layer = EAT[layer](w);
    }
    return LAYER_END;
}

static enum reason walk_on(struct walk *w, enum layer layer)
{
    while (layer != LAYER_END) {
        if (w->depth++ == PEEL_DEPTH_MAX) {
            return REASON_TOO_DEEP;
        }
        layer = EAT[layer](w); // a tunnel sets depth back
    }
    return w->reason;
}

enum reason peel_layers(uint32_t linktype, const uint8_t *frame, uint32_t captured,
                        struct datagram *out)
{
    memset(out, 0, offsetof(struct datagram, path)); // of the path, the count is enough
    out->path.count = 0;
    struct walk w = {.r = {frame, captured}, .out = out};
    enum layer layer = layer_by_link(&w, 0, linktype);
    return walk_on(&w, layer);
}

enum reason peel_defragmented(struct datagram *d, const uint8_t *payload, uint32_t n,
                              uint32_t length)
{
    struct ip_payload c = {
        .r = {payload, n < length ? n : length},
        .length = length,
        .next = d->protocol,
        .is_v6 = !address_is_v4(d->src.addr),
    };
    struct walk w = {.out = d};
    d->more_fragments = false;
    d->fragment_id = 0;
    d->fragment_offset = 0;
    enum layer layer = eat_ip_payload(&w, c);
    return walk_on(&w, layer);
}
