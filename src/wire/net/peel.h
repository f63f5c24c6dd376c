// From a captured frame to the datagram inside it: link layers, VLAN tags, MPLS, PPPoE, IPv4, IPv6
// and its extension headers, UDP and TCP.
//
// Comes in: a frame and its link type. Goes out: where the innermost payload stands and between
// whom it travels, or the reason why there is none. Reads only inside [frame, frame + captured). No
// allocation, no state. RFC 791, 8200, 768, 9293, 3032, 2516, 1661, IEEE 802.1Q; link types of the
// tcpdump registry.
#ifndef SIDETONE_WIRE_NET_PEEL_H
#define SIDETONE_WIRE_NET_PEEL_H

#include "wire/address.h"

// Why a frame's payload was not analysed: the reasons of `not_analysed` in the ledger
// (docs/json.md).
enum reason {
    REASON_NONE = 0,         // there is a payload
    REASON_NOT_IP,           // ARP, LLDP, STP and the like
    REASON_NOT_SIP_OR_MEDIA, // IP, but nothing that we look for; also: other transports
    REASON_UNKNOWN_LINKTYPE,
    REASON_TRUNCATED, // headers end before the captured bytes do: snaplen, or a length that lies
    REASON_FRAGMENT_INCOMPLETE,
    REASON_TUNNEL,    // a tunnel that is not opened (IP in IP, GRE, AH, L2TP, EtherIP, MPLS in IP)
    REASON_TCP,       // TCP payload that is not followed
    REASON_ENCRYPTED, // ESP
    REASON_TOO_DEEP,  // more than PEEL_DEPTH_MAX headers before IP, or after it (IPv6)
    REASON_COUNT,
};

// "not_ip", "not_sip_or_media", ...
const char *reason_name(enum reason r);

enum {
    NET_UDP = 17,
    NET_TCP = 6,
    NET_SCTP = 132
};

#define PEEL_VLANS_MAX 4  // tags kept, outer first; more are read past
#define PEEL_DEPTH_MAX 16 // headers before IP (tags, labels, PPP): more is no network that exists

struct datagram {
    struct endpoint src, dst;
    const uint8_t *transport; // header of UDP (8 bytes), TCP (20 and options) or SCTP (12): whole
    const uint8_t *payload;  // of the UDP datagram or TCP segment; SCTP: the packet from its header
    uint32_t payload_n;      // bytes that are there (captured)
    uint32_t payload_length; // bytes that there should be (IP and UDP lengths); larger: cut short
    uint16_t ip_id;          // IPv4 identification; IPv6: low 16 bits of the flow label
    uint16_t checksum;       // of UDP or TCP, as it stands there; 0 for SCTP
    uint8_t ttl;             // or hop limit
    uint8_t protocol;        // NET_UDP, NET_TCP or NET_SCTP
    uint8_t vlan_count;
    uint16_t vlan[PEEL_VLANS_MAX];
};

// Returns REASON_NONE and fills all of *out (UDP with any payload, also empty; TCP and SCTP
// likewise), else the reason; *out means nothing then. Tolerates: IPv4 total length 0 (offload) and
// UDP length 0 (jumbo, RFC 2675: length from what is there), Ethernet padding after the IP packet
// (cut), wrong checksums (not looked at), more captured than lengths say (cut). A UDP length beyond
// the IP packet counts as cut (payload_length > payload_n); one of 1 to 7 is a lie that leaves no
// payload (REASON_TRUNCATED). Fragments, the first too, are REASON_FRAGMENT_INCOMPLETE; atomic ones
// (RFC 6946) are whole. The link types 0 and 108 are read in both byte orders.
enum reason peel(uint32_t linktype, const uint8_t *frame, uint32_t captured, struct datagram *out);

#endif
