// The packet that an ICMP error quotes: whose it was, and the first bytes of its payload.
//
// RFC 792, 1812 4.3.2.3, 4443 2.4. Hosts quote at least the IP header and 8 bytes, which is a whole
// UDP header and the ports of TCP.
#include "wire/net/ip.h"

#include <stddef.h>

// Both families need so many bytes of the transport header: what every host quotes.
#define QUOTED_MIN 8u

static bool quoted_v4(struct rest r, struct ip_payload *c, struct datagram *out)
{
    if (r.n < IPV4_HEADER) {
        return false;
    }
    uint32_t header = (uint32_t)(r.p[0] & 15) * 4;
    if (header < IPV4_HEADER || header > r.n || (be16(r.p + 6) & 0x1fff) != 0) {
        return false;
    }
    uint32_t length = be16(r.p + 2);
    if (length < header + QUOTED_MIN) {
        length = r.n; // some hosts quote the length as their code left it
    }
    *c = (struct ip_payload){
        .r = {r.p + header, (r.n < length ? r.n : length) - header},
        .length = length - header,
        .next = r.p[9],
    };
    out->src.addr = peel_v4(r.p + 12);
    out->dst.addr = peel_v4(r.p + 16);
    out->ip_id = be16(r.p + 4);
    out->ttl = r.p[8];
    return true;
}

static bool quoted_v6(struct rest r, struct ip_payload *c, struct datagram *out)
{
    if (r.n < IPV6_HEADER) {
        return false;
    }
    uint32_t there = r.n - IPV6_HEADER;
    uint32_t length = be16(r.p + 4);
    if (length < QUOTED_MIN) {
        length = there;
    }
    *c = (struct ip_payload){
        .r = {r.p + IPV6_HEADER, there < length ? there : length},
        .length = length,
        .next = r.p[6],
        .is_v6 = true,
    };
    out->src.addr = address_v6(r.p + 8);
    out->dst.addr = address_v6(r.p + 24);
    out->ip_id = be16(r.p + 2);
    out->ttl = r.p[7];
    return true;
}

// Walks over extension headers to the transport. A first piece is as good as the whole.
static bool quoted_extensions(struct ip_payload *c)
{
    for (int depth = 0; depth < PEEL_DEPTH_MAX; depth++) {
        uint32_t size = ip_extension_size(c);
        if (size == 0) {
            return true;
        }
        if (size > c->r.n || (c->next == IP_FRAGMENT && (be16(c->r.p + 2) & 0xfff8) != 0)) {
            return false;
        }
        ip_skip_extension(c, size);
    }
    return false;
}

// Of a header that may be cut.
static void quoted_tcp(const struct ip_payload *c, struct datagram *out)
{
    uint32_t header = c->r.n > 12 ? (uint32_t)(c->r.p[12] >> 4) * 4 : TCP_HEADER;
    header = header < TCP_HEADER ? TCP_HEADER : header;
    uint32_t there = header < c->r.n ? header : c->r.n;
    out->payload = c->r.p + there;
    out->payload_n = c->r.n - there;
    out->payload_length = header < c->length ? c->length - header : 0;
    out->checksum = c->r.n >= 18 ? be16(c->r.p + 16) : 0;
}

bool peel_quoted(const struct datagram *icmp, struct datagram *out)
{
    struct rest r = {icmp->payload, icmp->payload_n};
    uint8_t version = r.n > 0 ? r.p[0] >> 4 : 0;
    struct ip_payload c;
    memset(out, 0, offsetof(struct datagram, path));
    bool is_ip = (version == 4 && quoted_v4(r, &c, out)) || (version == 6 && quoted_v6(r, &c, out));
    if (!is_ip || !quoted_extensions(&c) || c.r.n < QUOTED_MIN) {
        return false;
    }
    if (c.next == NET_TCP) {
        quoted_tcp(&c, out);
    } else if (c.next != NET_UDP || transport_udp(c.r, c.length, out) != REASON_NONE) {
        return false;
    }
    transport_ports(c.r.p, c.next, out);
    out->tunnels = icmp->tunnels;
    path_set(&out->path, &icmp->path);
    return true;
}
