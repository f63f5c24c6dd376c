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
