// From a captured frame to the datagram inside it: link layers, VLAN tags, MPLS, PPPoE, IPv4, IPv6
// and its extension headers, tunnels, UDP and TCP.
//
// Comes in: a frame and its link type. Goes out: where the innermost payload stands and between
// whom it travels, or the reason why there is none. Reads only inside [frame, frame + captured). No
// allocation, no state. RFC 791, 8200, 768, 9293, 3032, 2516, 1661, IEEE 802.1Q; link types of the
// tcpdump registry. Tunnels that are opened: IP in IP (RFC 2003, 4213), GRE (2784, 2890, 2637) with
// IP, MPLS, Ethernet, PPP or ERSPAN I to III, MPLS in IP (4023), EtherIP (3378), and in UDP VXLAN
// (7348), GENEVE (8926), GTP-U (TS 29.281), Teredo (4380) and TZSP. Authentication headers (4302)
// are skipped.
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
    REASON_TUNNEL,    // a tunnel that is not opened: L2TP, source-routed GRE and the like
    REASON_TCP,       // TCP payload that is not followed
    REASON_ENCRYPTED, // ESP
    REASON_TOO_DEEP,  // more than PEEL_DEPTH_MAX headers before IP, or after it; or
                      // PEEL_TUNNELS_MAX tunnels
    REASON_COUNT,
};

// "not_ip", "not_sip_or_media", ...
const char *reason_name(enum reason r);

enum {
    NET_UDP = 17,
    NET_TCP = 6,
    NET_SCTP = 132
};

#define PEEL_VLANS_MAX 4  // tags kept, outer first, those inside a tunnel last; more are read past
#define PEEL_DEPTH_MAX 16 // headers before IP (tags, labels, PPP): more is no network that exists
// Tunnels inside each other: carriers of mobiles reach three, and what mirrors them adds two.
#define PEEL_TUNNELS_MAX 8

struct datagram {
    struct endpoint src, dst; // of the innermost packet, as all that follows
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
// (RFC 6946) are whole; this holds inside tunnels too. The link types 0 and 108 are read in both
// byte orders. Of a tunnel the innermost packet is given. A datagram to the port of a tunnel in UDP
// that does not look like one stays a datagram: SIP and RTP may use any port.
enum reason peel(uint32_t linktype, const uint8_t *frame, uint32_t captured, struct datagram *out);

#endif
