// The plain way from a frame to its datagram: layer by layer. Private to wire/net.
#ifndef SIDETONE_WIRE_NET_WALK_H
#define SIDETONE_WIRE_NET_WALK_H

#include "wire/net/walk_state.h"

// Right for every frame, also for the ordinary ones: the reference of peel(), and what it does for
// frames out of the ordinary.
enum reason peel_layers(uint32_t linktype, const uint8_t *frame, uint32_t captured,
                        struct datagram *out);

// Takes the header of `layer` off.
enum layer walk_step(struct walk *w, enum layer layer);

// Takes off what stands before an IP packet: LAYER_IP, LAYER_IPV4 or LAYER_IPV6 stands at w->r
// then, or LAYER_END: there is none.
enum layer walk_to_ip(struct walk *w, enum layer layer);

#endif
