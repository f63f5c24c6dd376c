// The plain way from a frame to its datagram: layer by layer. Private to wire/net.
#ifndef SIDETONE_WIRE_NET_WALK_H
#define SIDETONE_WIRE_NET_WALK_H

#include "wire/net/peel.h"

// Right for every frame, also for the ordinary ones: the reference of peel(), and what it does for
// frames out of the ordinary.
enum reason peel_layers(uint32_t linktype, const uint8_t *frame, uint32_t captured,
                        struct datagram *out);

#endif
