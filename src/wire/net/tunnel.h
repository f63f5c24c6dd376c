// Tunnels: where the payload of one begins, and which layer it is. Private to wire/net.
#ifndef SIDETONE_WIRE_NET_TUNNEL_H
#define SIDETONE_WIRE_NET_TUNNEL_H

#include "wire/net/walk_state.h"

// Goes on with `next` inside a tunnel, or ends the walk where there were PEEL_TUNNELS_MAX before.
enum layer tunnel_enter(struct walk *w, enum layer next);

enum layer eat_gre(struct walk *w);
enum layer eat_etherip(struct walk *w);

// The datagram in w->out has the port of a tunnel, perhaps, and its payload looks like one,
// perhaps: enters it, or ends the walk with the datagram.
enum layer tunnel_in_udp(struct walk *w);

// A payload of UDP that begins so is no tunnel, whatever its ports: RTP and RTCP begin with the bit
// set, every tunnel of tunnel_udp.c without. It spares nearly all datagrams the look at their
// ports.
static inline bool tunnel_is_never(uint8_t first_byte)
{
    return (first_byte & 0x80) != 0;
}

// Is there a tunnel that uses one of these ports?
bool tunnel_is_port(uint16_t src, uint16_t dst);

#endif
