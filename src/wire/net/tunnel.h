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

// A payload of UDP that begins so (with these two bytes; where there are fewer, what stands behind
// it) is no tunnel, whatever its ports. RTP and RTCP begin with 80 to 87, but for packets with a
// header extension or many contributing sources; SIP begins with a capital letter, as L2TP may, but
// that has its version, 2, in the second byte.
static inline bool tunnel_is_never(const uint8_t p[2])
{
    bool is_rtp = (int8_t)p[0] < (int8_t)0x88;
    return __builtin_expect(is_rtp, 1) || ((uint8_t)(p[0] - 'A') < 26 && p[1] != 2);
}

// May there be a tunnel, by the first byte of the payload and the ports?
bool tunnel_may_be(uint8_t first_byte, uint16_t src, uint16_t dst);

#endif
