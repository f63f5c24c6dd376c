// Ethernet, IPv4 and UDP headers.
#include "gen/frame.h"

#include "base/bytes.h"

#include <assert.h>

#define IP  14 // offsets in the frame
#define UDP 34

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
static void put_ethernet(uint8_t *p, const struct frame_path *path)
{
    const uint8_t side = path->src < path->dst ? 1 : 2;
    static const uint8_t prefix[5] = {0x02, 0x00, 0x5e, 0x00, 0x53};
    memcpy(p, prefix, 5);
    p[5] = (uint8_t)(3 - side);
    memcpy(p + 6, prefix, 5);
    p[11] = side;
    put_be16(p + 12, 0x0800);
}

size_t frame_udp(uint8_t *out, const struct frame_path *path, uint16_t ip_id, size_t payload_n)
{
    assert(payload_n <= 1472);
    uint16_t udp_n = (uint16_t)(8 + payload_n);
    put_ethernet(out, path);

    uint8_t *ip = out + IP;
    ip[0] = 0x45;
    ip[1] = (uint8_t)(path->dscp << 2);
    put_be16(ip + 2, (uint16_t)(20 + udp_n));
    put_be16(ip + 4, ip_id);
    put_be16(ip + 6, 0x4000); // do not fragment
    ip[8] = path->ttl;
    ip[9] = 17; // UDP
    put_be16(ip + 10, 0);
    put_be32(ip + 12, path->src);
    put_be32(ip + 16, path->dst);
    put_le16(ip + 10, fold(sum_words(ip, 20, 0)));

    uint8_t *udp = out + UDP;
    put_be16(udp, path->src_port);
    put_be16(udp + 2, path->dst_port);
    put_be16(udp + 4, udp_n);
    put_be16(udp + 6, 0);
    // Pseudo header: addresses, protocol and length (RFC 768).
    uint64_t sum = sum_words(ip + 12, 8, (uint64_t)17 << 8);
    sum += __builtin_bswap16(udp_n);
    uint16_t checksum = fold(sum_words(udp, udp_n, sum));
    put_le16(udp + 6, checksum ? checksum : 0xffff); // 0 would mean: no checksum
    return (size_t)UDP + udp_n;
}
