// IP packets with their transport header: the last layers of a walk, unless they carry a tunnel.
// Private to wire/net.
#ifndef SIDETONE_WIRE_NET_IP_H
#define SIDETONE_WIRE_NET_IP_H

#include "wire/net/walk_state.h"

enum layer eat_ip(struct walk *w); // IPv4 or IPv6: the packet tells

// These end the walk, and fill all of the datagram but the VLAN tags, or name what a tunnel
// carries.
enum layer eat_ipv4(struct walk *w);
enum layer eat_ipv6(struct walk *w);

// ::ffff:a.b.c.d as two native words, as address_v4() makes it, without a call.
static inline struct address peel_v4(const uint8_t p[4])
{
    return (struct address){.hi = 0, .lo = UINT64_C(0xffff0000) | (uint64_t)le32(p) << 32};
}

#endif
