// IP packets: the last layers of a walk, unless they carry a tunnel. Private to wire/net.
#ifndef SIDETONE_WIRE_NET_IP_H
#define SIDETONE_WIRE_NET_IP_H

#include "wire/net/transport.h"

#define IPV4_HEADER 20u
#define IPV6_HEADER 40u

enum layer eat_ip(struct walk *w); // IPv4 or IPv6: the packet tells

// These end the walk, and fill all of the datagram but the path, or name what a tunnel carries.
enum layer eat_ipv4(struct walk *w);
enum layer eat_ipv6(struct walk *w);

// What an IP packet carries, from its extension headers on; of fragments: what was put together.
enum layer eat_ip_payload(struct walk *w, struct ip_payload c);

// Length of the extension header at c->r; 0: c->next is none. More than is there: it is cut, or
// lies. Of a fragment header nothing but the length is looked at.
uint32_t ip_extension_size(const struct ip_payload *c);

// Takes an extension header off that is there.
static inline void ip_skip_extension(struct ip_payload *c, uint32_t size)
{
    c->next = c->r.p[0];
    c->r = (struct rest){c->r.p + size, c->r.n - size};
    c->length -= size;
}

// ::ffff:a.b.c.d as two native words, as address_v4() makes it, without a call.
static inline struct address peel_v4(const uint8_t p[4])
{
    return (struct address){.hi = 0, .lo = UINT64_C(0xffff0000) | (uint64_t)le32(p) << 32};
}

#endif
