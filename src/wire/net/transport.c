// What stands behind the IP headers: UDP, TCP, SCTP and errors of ICMP end a walk, tunnels go on.
//
// Three lengths are held against each other: what was captured, what IP says, what UDP says. The
// payload is what all three cover; the datagram counts as cut where fewer bytes were captured than
// IP and UDP promise. RFC 768, 9293, 9260, 792, 4443, 4884. IP in IP (RFC 2003, 4213) and MPLS in
// IP (RFC 4023) need no header of their own; other tunnels: tunnel.c.
#include "wire/net/transport.h"

#include "wire/net/fits.h"
#include "wire/net/tunnel.h"

#define SCTP_HEADER 12u
#define ICMP_HEADER 8u

enum reason transport_udp(struct rest r, uint32_t length, struct datagram *out)
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

void transport_ports(const uint8_t *header, uint8_t protocol, struct datagram *out)
{
    out->transport = header;
    out->protocol = protocol;
    out->src.port = be16(header);
    out->dst.port = be16(header + 2);
}

// --- ICMP: type, code, checksum (2), 4 bytes of which the type decides, the packet quoted ---

// Errors, and where RFC 4884 says how long the quoted packet is: the place of that byte, and what
// it counts in.
static const struct icmp_error {
    uint8_t protocol, type;
    uint8_t length_at; // 0: nowhere
    uint8_t unit;
} ICMP_ERRORS[] = {
    {IP_ICMP, 3, 5, 4},   // destination unreachable
    {IP_ICMP, 4, 0, 0},   // source quench
    {IP_ICMP, 5, 0, 0},   // redirect
    {IP_ICMP, 11, 5, 4},  // time exceeded
    {IP_ICMP, 12, 5, 4},  // parameter problem
    {IP_ICMPV6, 1, 4, 8}, // destination unreachable
    {IP_ICMPV6, 2, 0, 0}, // packet too big
    {IP_ICMPV6, 3, 4, 8}, // time exceeded
    {IP_ICMPV6, 4, 0, 0}, // parameter problem
};

static const struct icmp_error *find_icmp_error(uint8_t protocol, uint8_t type)
{
    for (size_t i = 0; i < sizeof ICMP_ERRORS / sizeof ICMP_ERRORS[0]; i++) {
        if (ICMP_ERRORS[i].protocol == protocol && ICMP_ERRORS[i].type == type) {
            return &ICMP_ERRORS[i];
        }
    }
    return NULL;
}

static enum layer eat_icmp(struct walk *w, const struct ip_payload *c)
{
    struct datagram *out = w->out;
    if (c->r.n < 1) {
        return walk_end(w, REASON_TRUNCATED);
    }
    const struct icmp_error *error = find_icmp_error(c->next, c->r.p[0]);
    if (error == NULL) {
        return walk_end(w, REASON_NOT_SIP_OR_MEDIA);
    }
    if (c->r.n < ICMP_HEADER) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t quoted = c->length - ICMP_HEADER;
    uint32_t said = error->length_at ? (uint32_t)c->r.p[error->length_at] * error->unit : 0;
    if (said != 0 && said < quoted) { // extensions stand behind it
        quoted = said;
    }
    uint32_t there = c->r.n - ICMP_HEADER;
    out->transport = c->r.p;
    out->protocol = NET_ICMP;
    out->src.port = 0;
    out->dst.port = 0;
    out->checksum = 0;
    out->icmp_type = c->r.p[0];
    out->icmp_code = c->r.p[1];
    out->payload = c->r.p + ICMP_HEADER;
    out->payload_length = quoted;
    out->payload_n = there < quoted ? there : quoted;
    return walk_end(w, REASON_NONE);
}

enum layer eat_transport(struct walk *w, const struct ip_payload *c)
{
    enum reason reason = REASON_NOT_SIP_OR_MEDIA;
    struct datagram *out = w->out;
    w->r = c->r;
    w->length = c->length;
    switch (c->next) { // a byte of the wire
    case NET_UDP:
        reason = transport_udp(c->r, c->length, out);
        break;
    case NET_TCP:
        reason = peel_tcp(c->r, c->length, out);
        break;
    case NET_SCTP:
        reason = peel_sctp(c->r, c->length, out);
        break;
    case IP_ICMP:
    case IP_ICMPV6: // each has a meaning in its own family only
        return (c->next == IP_ICMPV6) == c->is_v6 ? eat_icmp(w, c)
                                                  : walk_end(w, REASON_NOT_SIP_OR_MEDIA);
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
    case IP_L2TP:
        return tunnel_enter(w, LAYER_L2TP);
    case IP_IPIP:
    case IP_ENCAP: // RFC 1241 has a header of its own there, but others have none
        return fits_wholly(LAYER_IP, c->r, c->length) ? tunnel_enter(w, LAYER_IP)
                                                      : walk_end(w, REASON_TUNNEL);
    }
    if (reason != REASON_NONE) {
        return walk_end(w, reason);
    }
    transport_ports(c->r.p, c->next, out);
    return c->next == NET_UDP ? tunnel_in_udp(w) : walk_end(w, REASON_NONE);
}
