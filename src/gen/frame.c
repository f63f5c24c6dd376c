// Ethernet, IP, UDP and TCP headers.
#include "gen/frame.h"

#include "base/bytes.h"

#include <assert.h>
#include <string.h>

#define ETHERNET_BYTES 14
#define TAG_BYTES      4
#define IPV4_BYTES     20
#define IPV6_BYTES     40
#define UDP_BYTES      8
#define TCP_BYTES      20
#define FRAME_MAX      1518 // without the checksum, with a tag

#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17

// Sums 16-bit words in the machine's order: the ones' complement sum does not depend on it (RFC
// 1071 2.B), so the result is stored as it is.
static uint64_t sum_words(const uint8_t *p, size_t n, uint64_t sum)
{
    for (; n >= 4; p += 4, n -= 4) {
        sum += le32(p);
    }
    if (n >= 2) {
        sum += le16(p);
        p += 2;
        n -= 2;
    }
    return n > 0 ? sum + *p : sum;
}

static uint16_t fold(uint64_t sum)
{
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

// Locally administered addresses (IEEE 802 bit 1), one for each side of the tap: who sends decides.
// Returns its length.
static size_t put_ethernet(uint8_t *p, const struct frame_shape *shape,
                           const struct frame_path *path)
{
    const uint8_t side = path->src < path->dst ? 1 : 2;
    static const uint8_t prefix[5] = {0x02, 0x00, 0x5e, 0x00, 0x53};
    memcpy(p, prefix, 5);
    p[5] = (uint8_t)(3 - side);
    memcpy(p + 6, prefix, 5);
    p[11] = side;
    size_t at = 12;
    if (shape->vlan) {
        put_be16(p + at, 0x8100);
        put_be16(p + at + 2, shape->vlan);
        at += TAG_BYTES;
    }
    put_be16(p + at, shape->is_v6 ? 0x86dd : 0x0800);
    return at + 2;
}

static void put_ipv4(uint8_t *ip, const struct frame_path *path, uint16_t ip_id, uint8_t protocol,
                     size_t n)
{
    ip[0] = 0x45;
    ip[1] = (uint8_t)(path->dscp << 2);
    put_be16(ip + 2, (uint16_t)(IPV4_BYTES + n));
    put_be16(ip + 4, ip_id);
    put_be16(ip + 6, 0x4000); // do not fragment
    ip[8] = path->ttl;
    ip[9] = protocol;
    put_be16(ip + 10, 0);
    put_be32(ip + 12, path->src);
    put_be32(ip + 16, path->dst);
    put_le16(ip + 10, fold(sum_words(ip, IPV4_BYTES, 0)));
}

static void put_ipv6_address(uint8_t *out, uint32_t host)
{
    static const uint8_t prefix[12] = {0x20, 0x01, 0x0d, 0xb8};
    memcpy(out, prefix, sizeof prefix);
    put_be32(out + sizeof prefix, host);
}

static void put_ipv6(uint8_t *ip, const struct frame_path *path, uint8_t protocol, size_t n)
{
    put_be32(ip, 6u << 28 | (uint32_t)path->dscp << 22);
    put_be16(ip + 4, (uint16_t)n);
    ip[6] = protocol;
    ip[7] = path->ttl;
    put_ipv6_address(ip + 8, path->src);
    put_ipv6_address(ip + 24, path->dst);
}

// Checksum of UDP or TCP with n bytes, whose field is 0. The pseudo header is addresses, protocol
// and length (RFC 768, RFC 9293 3.1, RFC 8200 8.1).
static uint16_t transport_checksum(const uint8_t *addresses, size_t addresses_n, uint8_t protocol,
                                   const uint8_t *transport, size_t n)
{
    uint64_t sum = sum_words(addresses, addresses_n, (uint64_t)protocol << 8);
    sum += __builtin_bswap16((uint16_t)n);
    return fold(sum_words(transport, n, sum));
}

static void put_udp(uint8_t *udp, const struct frame_path *path, size_t n)
{
    put_be16(udp, path->src_port);
    put_be16(udp + 2, path->dst_port);
    put_be16(udp + 4, (uint16_t)n);
    put_be16(udp + 6, 0);
}

static void put_tcp(uint8_t *tcp, const struct frame_path *path, const struct frame_segment *s)
{
    put_be16(tcp, path->src_port);
    put_be16(tcp + 2, path->dst_port);
    put_be32(tcp + 4, s->sequence);
    put_be32(tcp + 8, s->acknowledged);
    tcp[12] = TCP_BYTES / 4 << 4;
    tcp[13] = s->flags;
    put_be16(tcp + 14, 0xffff); // window
    put_be32(tcp + 16, 0);      // checksum, urgent pointer
}

size_t frame_headers_bytes(const struct frame_shape *shape, bool is_tcp)
{
    return ETHERNET_BYTES + (shape->vlan ? TAG_BYTES : 0u) +
           (shape->is_v6 ? IPV6_BYTES : IPV4_BYTES) + (is_tcp ? TCP_BYTES : UDP_BYTES);
}

size_t frame_write(uint8_t *out, const struct frame_shape *shape, const struct frame_path *path,
                   uint16_t ip_id, const struct frame_segment *tcp, size_t payload_n)
{
    size_t headers_n = frame_headers_bytes(shape, tcp != NULL);
    assert(headers_n + payload_n <= FRAME_MAX);
    uint8_t protocol = tcp ? PROTOCOL_TCP : PROTOCOL_UDP;
    size_t n = payload_n + (tcp ? TCP_BYTES : UDP_BYTES);
    uint8_t *ip = out + put_ethernet(out, shape, path);
    uint8_t *transport = ip + (shape->is_v6 ? IPV6_BYTES : IPV4_BYTES);
    if (shape->is_v6) {
        put_ipv6(ip, path, protocol, n);
    } else {
        put_ipv4(ip, path, ip_id, protocol, n);
    }
    if (tcp) {
        put_tcp(transport, path, tcp);
    } else {
        put_udp(transport, path, n);
    }
    const uint8_t *addresses = ip + (shape->is_v6 ? 8 : 12);
    uint16_t checksum =
        transport_checksum(addresses, (size_t)(transport - addresses), protocol, transport, n);
    // UDP: 0 would mean that there is none.
    put_le16(transport + (tcp ? 16 : 6), checksum || tcp ? checksum : 0xffff);
    return headers_n + payload_n;
}
