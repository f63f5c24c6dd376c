// IPv4, and IPv6 with its extension headers; fragments of both.
//
// RFC 791, 8200, 6946; authentication headers (RFC 4302) are skipped. Minimal encapsulation (RFC
// 2004) is a tunnel without a second IP header, and so belongs here.
#include "wire/net/ip.h"

#include "wire/net/tunnel.h"

uint32_t ip_extension_size(const struct ip_payload *c)
{
    if (!c->is_v6 && c->next != IP_AH) {
        return 0; // the one extension header that IPv4 has
    }
    switch (c->next) { // a byte of the wire
    case IP_HOP_BY_HOP:
    case IP_ROUTING:
    case IP_DESTINATION:
    case IP_MOBILITY:
    case IP_HIP:
    case IP_SHIM6:
        return c->r.n < 8 ? UINT32_MAX : 8 + (uint32_t)c->r.p[1] * 8;
    case IP_FRAGMENT:
        return 8;
    case IP_AH: // in words of 4 bytes; the fixed fields alone are 12
        return c->r.n < 12 || c->r.p[1] == 0 ? UINT32_MAX : 8 + (uint32_t)c->r.p[1] * 4;
    }
    return 0; // not one of ours: the transport, or what we do not know
}

static enum layer end_fragment(struct walk *w, const struct ip_payload *c, uint32_t id,
                               uint32_t offset, bool more)
{
    struct datagram *out = w->out;
    out->src.port = 0;
    out->dst.port = 0;
    out->transport = c->r.p;
    out->payload = c->r.p;
    out->payload_n = c->r.n;
    out->payload_length = c->length;
    out->checksum = 0;
    out->protocol = c->next;
    out->fragment_id = id;
    out->fragment_offset = offset;
    out->more_fragments = more;
    return walk_end(w, REASON_FRAGMENT_INCOMPLETE);
}

// RFC 2004 3.1: protocol (1), a source follows (1 bit), reserved (7), checksum (2), destination
// (4), source (4). The tunnel has put its own addresses and this protocol into the packet's header;
// all else of it is as it was.
static bool enter_minimal(struct walk *w, struct ip_payload *c)
{
    uint32_t header = c->r.n >= 8 && c->r.p[1] & 0x80 ? 12 : 8;
    if (c->r.n < header) {
        walk_end(w, REASON_TRUNCATED);
        return false;
    }
    if (tunnel_enter(w, LAYER_IPV4) == LAYER_END) {
        return false;
    }
    w->out->dst.addr = peel_v4(c->r.p + 4);
    if (header == 12) {
        w->out->src.addr = peel_v4(c->r.p + 8);
    }
    ip_skip_extension(c, header);
    return true;
}

enum layer eat_ip_payload(struct walk *w, struct ip_payload c)
{
    for (int depth = 0; depth < PEEL_DEPTH_MAX; depth++) {
        if (c.next == IP_MOBILE && !c.is_v6) {
            if (!enter_minimal(w, &c)) {
                return LAYER_END;
            }
            continue;
        }
        uint32_t size = ip_extension_size(&c);
        if (size == 0) {
            return eat_transport(w, &c);
        }
        if (size > c.r.n) {
            return walk_end(w, REASON_TRUNCATED);
        }
        const uint8_t *header = c.r.p;
        bool is_fragment = c.next == IP_FRAGMENT && (be16(header + 2) & 0xfff9) != 0;
        ip_skip_extension(&c, size);
        if (is_fragment) { // an offset, or more fragments: not atomic
            uint16_t place = be16(header + 2);
            return end_fragment(w, &c, be32(header + 4), place & 0xfff8, place & 1);
        }
    }
    return walk_end(w, REASON_TOO_DEEP);
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
    uint32_t header = (uint32_t)(ip[0] & 15) * 4;
    uint32_t length = be16(ip + 2);
    if (length == 0) {
        length = r.n; // the network card would have filled it in: segmentation offload
    }
    if (header < IPV4_HEADER || header > length || header > r.n) {
        return walk_end(w, REASON_TRUNCATED);
    }
    struct ip_payload c = {
        .r = {ip + header, (r.n < length ? r.n : length) - header},
        .length = length - header,
        .next = ip[9],
    };
    w->out->src.addr = peel_v4(ip + 12);
    w->out->dst.addr = peel_v4(ip + 16);
    w->out->ip_id = be16(ip + 4);
    w->out->ttl = ip[8];
    uint16_t place = be16(ip + 6);
    if ((place & 0x3fff) != 0) { // more fragments, or an offset
        return end_fragment(w, &c, be16(ip + 4), (place & 0x1fffu) * 8, (place & 0x2000) != 0);
    }
    return eat_ip_payload(w, c);
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
    uint32_t there = r.n - IPV6_HEADER;
    uint32_t length = be16(ip + 4);
    if (length == 0) {
        length = there; // a jumbogram (RFC 2675) or segmentation offload
    }
    struct ip_payload c = {
        .r = {ip + IPV6_HEADER, there < length ? there : length},
        .length = length,
        .next = ip[6],
        .is_v6 = true,
    };
    w->out->src.addr = address_v6(ip + 8);
    w->out->dst.addr = address_v6(ip + 24);
    w->out->ip_id = be16(ip + 2);
    w->out->ttl = ip[7];
    return eat_ip_payload(w, c);
}
