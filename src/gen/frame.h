// Builds the Ethernet, IPv4 and UDP headers of a generated packet, with correct lengths and
// checksums.
//
// RFC 894, RFC 791, RFC 768, checksums RFC 1071.
#ifndef SIDETONE_GEN_FRAME_H
#define SIDETONE_GEN_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_HEADERS_BYTES 42 // Ethernet 14, IPv4 20, UDP 8

// Between whom a datagram travels. Addresses in host order.
struct frame_path {
    uint32_t src, dst;
    uint16_t src_port, dst_port;
    uint8_t ttl;
    uint8_t dscp;
};

// Writes the headers in front of the payload, which already stands at out + FRAME_HEADERS_BYTES;
// payload_n at most 1,472 (one Ethernet frame). Returns the frame's length.
size_t frame_udp(uint8_t *out, const struct frame_path *path, uint16_t ip_id, size_t payload_n);

#endif
