// IPv4, IPv6 with its extension headers, and the transport header inside.
//
// Three lengths are held against each other: what was captured, what IP says, what UDP says. The
// payload is what all three cover; the datagram counts as cut where fewer bytes were captured than
// IP and UDP promise. RFC 791, 8200, 768, 9293, 9260, 6946; authentication headers (RFC 4302) are
// skipped. IP in IP (RFC 2003, 4213) and MPLS in IP (RFC 4023) need no header of their own; other
// tunnels: tunnel.c.
#include "wire/net/ip.h"

#include "wire/net/tunnel.h"

#define IPV4_HEADER 20u
#define IPV6_HEADER 40u
#define UDP_HEADER  8u
#define TCP_HEADER  20u
#define SCTP_HEADER 12u

// Numbers of IANA's protocol registry: transports, tunnels and IPv6 extension headers share it.
enum ip_protocol {
    IP_HOP_BY_HOP = 0,
    IP_IPV4 = 4,
    IP_IPV6 = 41,
    IP_ROUTING = 43,
    IP_FRAGMENT = 44,
    IP_GRE = 47,
    IP_ESP = 50,
    IP_AH = 51,
    IP_MOBILE = 55, // minimal encapsulation, RFC 2004
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

static enum reason peel_udp(struct rest r, uint32_t length, struct datagram *out)
{
    if (r.n < UDP_HEADER) {
        return REASON_TRUNCATED;
    }
    uint32_t said = be16(r.p + 4);
    if (said == 0) {
        said = length; // jumbo (RFC 2675) or segmentation offload: the length is IP's
    }
    if (said < UDP_HEADER) {
        return REASON_TRUNCATED;
    }
    out->payload = r.p + UDP_HEADER;
    out->payload_length = said - UDP_HEADER;
    out->payload_n = (r.n < said ? r.n : said) - UDP_HEADER;
    out->checksum = be16(r.p + 6);
    return REASON_NONE;
}

static enum reason peel_tcp(struct rest r, uint32_t length, struct datagram *out)
{
    if (r.n < TCP_HEADER) {
        return REASON_TRUNCATED;
    }
    uint32_t header = (uint32_t)(r.p[12] >> 4) * 4;
    if (header < TCP_HEADER || header > r.n) {
        return REASON_TRUNCATED;
    }
    out->payload = r.p + header;
    out->payload_length = length - header;
    out->payload_n = r.n - header;
    out->checksum = be16(r.p + 16);
    return REASON_NONE;
}

static enum reason peel_sctp(struct rest r, uint32_t length, struct datagram *out)
{
    if (r.n < SCTP_HEADER) {
        return REASON_TRUNCATED;
    }
    out->payload = r.p;
    out->payload_length = length;
    out->payload_n = r.n;
    out->checksum = 0; // 32 bits wide there, and never looked at
    return REASON_NONE;
}

// `r` is what was captured of the IP payload, cut to `length`, which is what IP says: r.n <=
// length.
static enum layer eat_transport(struct walk *w, uint8_t protocol, struct rest r, uint32_t length)
{
    enum reason reason = REASON_NOT_SIP_OR_MEDIA;
    struct datagram *out = w->out;
    w->r = r;
    switch (protocol) { // a byte of the wire
    case NET_UDP:
        reason = peel_udp(r, length, out);
        break;
    case NET_TCP:
        reason = peel_tcp(r, length, out);
        break;
    case NET_SCTP:
        reason = peel_sctp(r, length, out);
        break;
    case IP_ESP:
        return walk_end(w, REASON_ENCRYPTED);
    case IP_IPV4:
        return tunnel_enter(w, LAYER_IPV4);
    case IP_IPV6:
        return tunnel_enter(w, LAYER_IPV6);
    case IP_GRE:
        return tunnel_enter(w, LAYER_GRE);
    case IP_ETHERIP:
        return tunnel_enter(w, LAYER_ETHERIP);
    case IP_MPLS:
        return tunnel_enter(w, LAYER_MPLS);
    case IP_MOBILE:
    case IP_IPIP:
    case IP_ENCAP:
    case IP_L2TP:
        return walk_end(w, REASON_TUNNEL);
    }
    if (reason == REASON_NONE) {
        out->transport = r.p;
        out->protocol = protocol;
        out->src.port = be16(r.p);
        out->dst.port = be16(r.p + 2);
    }
    return reason == REASON_NONE && protocol == NET_UDP ? tunnel_in_udp(w) : walk_end(w, reason);
}

// Walks over the extension headers at *r (*length by IP's word). REASON_NONE: *next is what stands
// at *r now.
static enum reason peel_extensions(struct rest *r, uint32_t *length, uint8_t *next)
{
    for (int depth = 0; depth < PEEL_DEPTH_MAX; depth++) {
        uint32_t size = 8;
        switch (*next) { // a byte of the wire
        case IP_HOP_BY_HOP:
        case IP_ROUTING:
        case IP_DESTINATION:
        case IP_MOBILITY:
        case IP_HIP:
        case IP_SHIM6:
            if (r->n < 8) {
                return REASON_TRUNCATED;
            }
            size += (uint32_t)r->p[1] * 8;
            break;
        case IP_AH: // in words of 4 bytes; the fixed fields alone are 12
            if (r->n < 12 || r->p[1] == 0) {
                return REASON_TRUNCATED;
            }
            size += (uint32_t)r->p[1] * 4;
            break;
        case IP_FRAGMENT:
            if (r->n < 8) {
                return REASON_TRUNCATED;
            }
            if ((be16(r->p + 2) & 0xfff9) != 0) { // an offset, or more fragments: not atomic
                return REASON_FRAGMENT_INCOMPLETE;
            }
            break;
        default: // not one of ours: the transport, or what we do not know
            return REASON_NONE;
        }
        if (size > r->n) {
            return REASON_TRUNCATED;
        }
        *next = r->p[0];
        *r = (struct rest){r->p + size, r->n - size};
        *length -= size;
    }
    return REASON_TOO_DEEP;
}

enum layer eat_ip(struct walk *w)
{
    if (w->r.n < 1) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint8_t version = w->r.p[0] >> 4;
    if (version == 4) {
        return LAYER_IPV4;
    }
    return version == 6 ? LAYER_IPV6 : walk_end(w, REASON_NOT_IP);
}

enum layer eat_ipv4(struct walk *w)
{
    struct rest r = w->r;
    if (r.n < IPV4_HEADER) {
        return walk_end(w, REASON_TRUNCATED);
    }
    if (r.p[0] >> 4 != 4) {
        return walk_end(w, REASON_NOT_IP);
    }
    const uint8_t *ip = r.p;
    uint8_t next = ip[9];
    uint32_t header = (uint32_t)(ip[0] & 15) * 4;
    uint32_t length = be16(ip + 2);
    if (length == 0) {
        length = r.n; // the network card would have filled it in: segmentation offload
    }
    if (header < IPV4_HEADER || header > length || header > r.n) {
        return walk_end(w, REASON_TRUNCATED);
    }
    if ((be16(ip + 6) & 0x3fff) != 0) { // more fragments, or an offset
        return walk_end(w, REASON_FRAGMENT_INCOMPLETE);
    }
    r = (struct rest){ip + header, (r.n < length ? r.n : length) - header};
    length -= header;
    if (next == IP_AH) { // the one extension header that IPv4 has
        enum reason reason = peel_extensions(&r, &length, &next);
        if (reason != REASON_NONE) {
            return walk_end(w, reason);
        }
    }
    w->out->src.addr = peel_v4(ip + 12);
    w->out->dst.addr = peel_v4(ip + 16);
    w->out->ip_id = be16(ip + 4);
    w->out->ttl = ip[8];
    return eat_transport(w, next, r, length);
}

enum layer eat_ipv6(struct walk *w)
{
    struct rest r = w->r;
    if (r.n < IPV6_HEADER) {
        return walk_end(w, REASON_TRUNCATED);
    }
    if (r.p[0] >> 4 != 6) {
        return walk_end(w, REASON_NOT_IP);
    }
    const uint8_t *ip = r.p;
    uint8_t next = ip[6];
    uint32_t there = r.n - IPV6_HEADER;
    uint32_t length = be16(ip + 4);
    if (length == 0) {
        length = there; // a jumbogram (RFC 2675) or segmentation offload
    }
    r = (struct rest){ip + IPV6_HEADER, there < length ? there : length};
    enum reason reason = peel_extensions(&r, &length, &next);
    if (reason != REASON_NONE) {
        return walk_end(w, reason);
    }
    w->out->src.addr = address_v6(ip + 8);
    w->out->dst.addr = address_v6(ip + 24);
    w->out->ip_id = be16(ip + 2);
    w->out->ttl = ip[7];
    return eat_transport(w, next, r, length);
}
