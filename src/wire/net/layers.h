// Tags, labels and line framings: the layers that may stand between a link type and an IP packet.
//
// Each function takes its header off the rest of the frame and names the layer that stands there
// then, or ends the walk with a reason. Private to wire/net.
#ifndef SIDETONE_WIRE_NET_LAYERS_H
#define SIDETONE_WIRE_NET_LAYERS_H

#include "wire/net/walk_state.h"

// Ethernet types from here on; below, the field is a length (IEEE 802.3).
#define ETHERTYPE_MIN 0x0600

// The layer that an Ethernet type announces; one below 0600 is a length, and LLC follows.
enum layer layer_by_ethertype(struct walk *w, uint16_t type);

enum layer eat_ethernet(struct walk *w);
enum layer eat_vlan(struct walk *w);
enum layer eat_backbone(struct walk *w);
enum layer eat_llc(struct walk *w);
enum layer eat_nlpid(struct walk *w);
enum layer eat_mpls(struct walk *w);
enum layer eat_pppoe(struct walk *w);
enum layer eat_ppp(struct walk *w);
enum layer eat_ppp_hdlc(struct walk *w);
enum layer eat_cisco_hdlc(struct walk *w);
enum layer eat_frame_relay(struct walk *w);

#endif
