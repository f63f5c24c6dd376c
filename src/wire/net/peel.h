// From a captured frame to the datagram inside it: link layers, VLAN tags, MPLS, PPPoE, IPv4, IPv6
// and its extension headers, tunnels, UDP and TCP.
//
// Comes in: a frame and its link type. Goes out: where the innermost payload stands and between
// whom it travels, or the reason why there is none. Reads only inside [frame, frame + captured). No
// allocation, no state. RFC 791, 8200, 768, 9293, 3032, 2516, 1661, IEEE 802.1Q; link types of the
// tcpdump registry. Tunnels that are opened: IP in IP (RFC 2003, 2004, 4213), GRE (2784, 2890,
// 2637) with IP, MPLS, Ethernet, PPP or ERSPAN I to III, MPLS in IP (4023), EtherIP (3378), L2TP
// (2661, 3931), and in UDP L2TP too, VXLAN (7348, also on other ports and with GPE), GENEVE (8926),
// GTP-U (TS 29.281), Teredo (4380) and TZSP. Authentication headers (4302) are skipped.
#ifndef SIDETONE_WIRE_NET_PEEL_H
#define SIDETONE_WIRE_NET_PEEL_H

#include "wire/net/path.h"

// Why a frame's payload was not analysed: the reasons of `not_analysed` in the ledger
// (docs/json.md).
enum reason {
    REASON_NONE = 0,         // there is a payload
    REASON_NOT_IP,           // ARP, LLDP, STP and the like
    REASON_NOT_SIP_OR_MEDIA, // IP, but nothing that we look for; also: other transports
    REASON_UNKNOWN_LINKTYPE,
    REASON_TRUNCATED, // headers end before the captured bytes do: snaplen, or a length that lies
    REASON_FRAGMENT_INCOMPLETE, // a fragment: *out says which (see struct datagram)
    REASON_TUNNEL,    // a tunnel that is not opened: compressed PPP, source-routed GRE and
                      // the like; L2TP version 3 with what does not tell itself
    REASON_ENCRYPTED, // TLS, DTLS, ESP, encrypted PPP
    REASON_TOO_DEEP,  // more than PEEL_DEPTH_MAX headers before IP, or after it; or
                      // PEEL_TUNNELS_MAX tunnels
    REASON_COUNT,
};

// "not_ip", "not_sip_or_media", ...
const char *reason_name(enum reason r);

enum {
    NET_ICMP = 1, // of both families: an error that quotes a packet; see peel_quoted
    NET_TCP = 6,
    NET_UDP = 17,
    NET_SCTP = 132
};

#define PEEL_DEPTH_MAX 16 // headers before IP (tags, labels, PPP): more is no network that exists
// Tunnels inside each other: carriers of mobiles reach three, and what mirrors them adds two.
#define PEEL_TUNNELS_MAX 8

struct datagram {
    struct endpoint src, dst; // of the innermost packet, as all that follows
    const uint8_t *transport; // header of UDP (8 bytes), TCP (20 and options) or SCTP (12): whole
    // Of the UDP datagram or TCP segment; SCTP: the packet from its header; ICMP: the packet that
    // it quotes; a fragment: the bytes behind its IP headers.
    const uint8_t *payload;
    uint32_t payload_n;      // bytes that are there (captured)
    uint32_t payload_length; // bytes that there should be (IP and UDP lengths); larger: cut short
    uint16_t ip_id;          // IPv4 identification; IPv6: low 16 bits of the flow label
    uint16_t checksum;       // of UDP or TCP, as it stands there; 0 for the others
    uint8_t ttl;             // or hop limit
    uint8_t protocol;        // NET_...; of a fragment: what stands behind the IP headers
    uint8_t tunnels;         // that the walk has entered
    uint8_t icmp_type, icmp_code;
    // Of a fragment. Its ports are 0.
    bool more_fragments;
    uint32_t fragment_id;
    uint32_t fragment_offset; // in bytes
    struct path path;
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

// Goes on where the fragments of a datagram were put together: `d` is what peel() gave for one of
// them, `payload` what stands behind the IP headers of all (n bytes of `length` are there). Returns
// as peel().
enum reason peel_defragmented(struct datagram *d, const uint8_t *payload, uint32_t n,
                              uint32_t length);

// The packet that an ICMP error quotes (RFC 792, 1812 4.3.2.3, 4443 2.4): mostly cut, at worst
// after 8 bytes of its transport header; a fragment's first piece counts as the whole. False where
// it is neither UDP nor TCP, or has no ports. Tunnels inside are not opened.
bool peel_quoted(const struct datagram *icmp, struct datagram *out);

#endif
