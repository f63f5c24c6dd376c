// What stands behind the IP headers: UDP, TCP, SCTP and ICMP end a walk, tunnels go on. Private to
// wire/net.
#ifndef SIDETONE_WIRE_NET_TRANSPORT_H
#define SIDETONE_WIRE_NET_TRANSPORT_H

#include "wire/net/walk_state.h"

#define UDP_HEADER 8u
#define TCP_HEADER 20u

// Numbers of IANA's protocol registry: transports, tunnels and IPv6 extension headers share it.
enum ip_protocol {
    IP_HOP_BY_HOP = 0,
    IP_ICMP = 1,
    IP_IPV4 = 4,
    IP_IPV6 = 41,
    IP_ROUTING = 43,
    IP_FRAGMENT = 44,
    IP_GRE = 47,
    IP_ESP = 50,
    IP_AH = 51,
    IP_MOBILE = 55, // minimal encapsulation, RFC 2004: see ip.c
    IP_ICMPV6 = 58,
    IP_DESTINATION = 60,
    IP_IPIP = 94,
    IP_ETHERIP = 97,
    IP_ENCAP = 98,
    IP_L2TP = 115,
    IP_MOBILITY = 135,
    IP_MPLS = 137,
    IP_HIP = 139,
    IP_SHIM6 = 140,
};

// What an IP packet carries.
struct ip_payload {
    struct rest r;   // what was captured of it, cut to length
    uint32_t length; // that IP says: r.n or more
    uint8_t next;    // protocol, or IPv6's next header
    bool is_v6;
};

// The addresses of the packet are in w->out. Ends the walk, and fills what is left of the datagram
// but the path, or names the layer that a tunnel carries.
enum layer eat_transport(struct walk *w, const struct ip_payload *c);

// The UDP header at r; `length` as IP says it.
enum reason transport_udp(struct rest r, uint32_t length, struct datagram *out);

// Protocol and ports of a header that is there.
void transport_ports(const uint8_t *header, uint8_t protocol, struct datagram *out);

#endif
