// Does an IP packet stand there? For tunnels whose header does not say what they carry, or not
// surely. Private to wire/net.
#ifndef SIDETONE_WIRE_NET_FITS_H
#define SIDETONE_WIRE_NET_FITS_H

#include "wire/net/walk_state.h"

// By its first bytes: LAYER_IPV4, LAYER_IPV6 or LAYER_END.
enum layer fits_ip(struct rest r);

// A frame of a type that we follow, and an IP packet where its type says so: LAYER_ETHERNET or
// LAYER_END.
enum layer fits_ethernet(struct rest r);

// Is it, beyond doubt, `layer`: tags and labels that we follow, and then an IP packet that ends
// where the `length` bytes do of which r was captured? An Ethernet frame may be filled up to its
// least size behind it.
bool fits_wholly(enum layer layer, struct rest r, uint32_t length);

#endif
