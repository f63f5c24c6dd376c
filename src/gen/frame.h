// Builds the Ethernet, VLAN, IP, UDP and TCP headers of a generated packet, with correct lengths
// and checksums.
//
// RFC 894, IEEE 802.1Q, RFC 791, RFC 8200, RFC 768, RFC 9293, checksums RFC 1071.
#ifndef SIDETONE_GEN_FRAME_H
#define SIDETONE_GEN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_HEADERS_BYTES 42 // of UDP in a plain frame: Ethernet 14, IPv4 20, UDP 8

// How the packets of a capture travel.
struct frame_shape {
    uint16_t vlan; // 802.1Q identifier, 0: no tag
    bool is_v6;
};

// The last 32 bits of a generated IPv6 address are those of the IPv4 address in its place; what
// stands before them is 2001:db8::/96 (RFC 3849).
#define FRAME_V6_PREFIX "2001:db8::"

// Between whom a packet travels. Addresses in host order.
struct frame_path {
    uint32_t src, dst;
    uint16_t src_port, dst_port;
    uint8_t ttl;
    uint8_t dscp;
};

enum {
    FRAME_SYN = 2,
    FRAME_PUSH = 8,
    FRAME_ACK = 16
};

struct frame_segment {
    uint32_t sequence, acknowledged;
    uint8_t flags;
};

size_t frame_headers_bytes(const struct frame_shape *shape, bool is_tcp);

// Writes the headers in front of the payload, which already stands at
// out + frame_headers_bytes(); all together at most an Ethernet frame. `tcp` NULL: UDP. Returns the
// frame's length.
size_t frame_write(uint8_t *out, const struct frame_shape *shape, const struct frame_path *path,
                   uint16_t ip_id, const struct frame_segment *tcp, size_t payload_n);

#endif
