// From a frame to its datagram: the ordinary frame here in one straight line, all others through
// the layers of walk.c.
//
// The ordinary frame is Ethernet with at most one 802.1Q tag (or bare, or of Linux's "any" device),
// IPv4 without options or fragmentation, UDP, all captured:
//
//     0            12     14 (18 with a tag)            34         42
//     MAC, MAC     type   IPv4 (20 bytes)               UDP (8)    payload
//
// Budget: one bounds check for the headers and one for the lengths, 43 bytes touched; instructions
// (callgrind, gcc 12 -O3): 68 for RTP, 80 with a tag, 73 for SIP. Proof: bench/peel, where the
// layers take some four times as long. tests/unit/net_peel.c holds this way against peel_layers on
// random bytes.
#include "wire/net/peel.h"

#include "base/bytes.h"
#include "wire/net/ip.h"
#include "wire/net/linktype.h"
#include "wire/net/tunnel.h"
#include "wire/net/walk.h"

// Ethernet types 0800 and 8100 and hardware type 824, read without turning them round.
#define SWAPPED_IPV4    0x0008
#define SWAPPED_VLAN    0x0081
#define SWAPPED_NETLINK 0x3803

#define SLL_HEADER     16u
#define SLL2_HEADER    20u
#define IP_UDP_HEADERS 28u

// All headers with one tag and two bytes of payload; a frame on the wire is never shorter than this
// (60 bytes without its check sequence).
#define ORDINARY_MIN (14u + 4u + IP_UDP_HEADERS + 2u)

// The IPv4 packet at ip, of which n bytes are there (30 or more). False: it is not an ordinary one.
// Fields are written one by one: that is half the instructions of a literal of the whole struct.
static inline bool peel_ordinary(const uint8_t *ip, uint32_t n, struct datagram *out)
{
    const uint8_t *udp = ip + 20;
    uint32_t total = be16(ip + 2);
    uint32_t length = be16(udp + 4);
    if (ip[0] != 0x45 || ip[9] != NET_UDP || (le16(ip + 6) & 0xff3f) != 0 || length < 8 ||
        length + 20 != total || total > n) {
        return false;
    }
    out->src.addr = peel_v4(ip + 12);
    out->src.port = be16(udp);
    out->dst.addr = peel_v4(ip + 16);
    out->dst.port = be16(udp + 2);
    out->transport = udp;
    out->payload = udp + 8;
    out->payload_n = length - 8;
    out->payload_length = length - 8;
    out->ip_id = be16(ip + 4);
    out->checksum = be16(udp + 6);
    out->ttl = ip[8];
    out->protocol = NET_UDP;
    out->tunnels = 0;
    out->path.count = 0; // the steps behind it are not touched
    return true;
}

// Not in the straight line, which keeps nothing over a call: that is how this costs others least.
static __attribute__((cold, noinline)) enum reason
peel_doubtful(uint32_t linktype, const uint8_t *frame, uint32_t captured, struct datagram *out)
{
    bool may_be = tunnel_may_be(out->payload[0], out->src.port, out->dst.port);
    return may_be ? peel_layers(linktype, frame, captured, out) : REASON_NONE;
}

// The ordinary datagram is filled; unless it is a tunnel, that is all.
static inline enum reason finish(uint32_t linktype, const uint8_t *frame, uint32_t captured,
                                 struct datagram *out)
{
    return tunnel_is_never(out->payload) ? REASON_NONE
                                         : peel_doubtful(linktype, frame, captured, out);
}

// The same packet without Ethernet: bare, or from Linux's "any" device.
static bool peel_ordinary_other(uint32_t linktype, const uint8_t *frame, uint32_t captured,
                                struct datagram *out)
{
    uint32_t at = 0;
    bool is_ipv4 = captured >= SLL2_HEADER + IP_UDP_HEADERS + 2;
    switch (linktype) { // a number of the file
    case LINKTYPE_RAW:
        break;
    case LINKTYPE_LINUX_SLL:
        at = SLL_HEADER;
        is_ipv4 = is_ipv4 && le16(frame + 14) == SWAPPED_IPV4 && le16(frame + 2) != SWAPPED_NETLINK;
        break;
    case LINKTYPE_LINUX_SLL2:
        at = SLL2_HEADER;
        is_ipv4 = is_ipv4 && le16(frame) == SWAPPED_IPV4 && le16(frame + 8) != SWAPPED_NETLINK;
        break;
    default:
        return false;
    }
    return is_ipv4 && peel_ordinary(frame + at, captured - at, out);
}

enum reason peel(uint32_t linktype, const uint8_t *frame, uint32_t captured, struct datagram *out)
{
    if (__builtin_expect(linktype == LINKTYPE_ETHERNET && captured >= ORDINARY_MIN, 1)) {
        uint16_t type = le16(frame + 12);
        if (type == SWAPPED_IPV4) {
            if (peel_ordinary(frame + 14, captured - 14, out)) {
                return finish(linktype, frame, captured, out);
            }
        } else if (type == SWAPPED_VLAN && le16(frame + 16) == SWAPPED_IPV4 &&
                   peel_ordinary(frame + 18, captured - 18, out)) {
            out->path.count = 1;
            out->path.steps[0] =
                (struct path_step){.kind = PATH_VLAN, .id = be16(frame + 14) & 0x0fff};
            return finish(linktype, frame, captured, out);
        }
    } else if (peel_ordinary_other(linktype, frame, captured, out)) {
        return finish(linktype, frame, captured, out);
    }
    return peel_layers(linktype, frame, captured, out);
}

const char *reason_name(enum reason r)
{
    switch (r) {
    case REASON_NONE:
        return "none";
    case REASON_NOT_IP:
        return "not_ip";
    case REASON_NOT_SIP_OR_MEDIA:
        return "not_sip_or_media";
    case REASON_UNKNOWN_LINKTYPE:
        return "unknown_linktype";
    case REASON_TRUNCATED:
        return "truncated";
    case REASON_FRAGMENT_INCOMPLETE:
        return "fragment_incomplete";
    case REASON_TUNNEL:
        return "tunnel";
    case REASON_ENCRYPTED:
        return "encrypted";
    case REASON_TOO_DEEP:
        return "tunnel_too_deep";
    case REASON_COUNT:
        break;
    }
    return "unknown";
}
