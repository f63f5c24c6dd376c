// Tags, labels and line framings: everything that may stand between a link type and an IP packet.
//
// IEEE 802.1Q, 802.1ah; RFC 1661, 1662, 1547, 2516, 3032, 4385, 1042, 2427.
#include "wire/net/layers.h"

enum ethertype {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_VLAN = 0x8100,
    ETHERTYPE_IPV6 = 0x86dd,
    ETHERTYPE_MPLS = 0x8847,
    ETHERTYPE_MPLS_MULTICAST = 0x8848,
    ETHERTYPE_PPPOE_SESSION = 0x8864,
    ETHERTYPE_VLAN_SERVICE = 0x88a8,
    ETHERTYPE_BACKBONE = 0x88e7,
    ETHERTYPE_VLAN_OLD = 0x9100, // three that were in use before 802.1ad
    ETHERTYPE_VLAN_OLDER = 0x9200,
    ETHERTYPE_VLAN_OLDEST = 0x9300,
};

enum layer layer_by_ethertype(struct walk *w, uint16_t type)
{
    switch (type) { // two bytes of the wire
    case ETHERTYPE_IPV4:
        return LAYER_IPV4;
    case ETHERTYPE_IPV6:
        return LAYER_IPV6;
    case ETHERTYPE_VLAN:
    case ETHERTYPE_VLAN_SERVICE:
    case ETHERTYPE_VLAN_OLD:
    case ETHERTYPE_VLAN_OLDER:
    case ETHERTYPE_VLAN_OLDEST:
        return LAYER_VLAN;
    case ETHERTYPE_MPLS:
    case ETHERTYPE_MPLS_MULTICAST:
        return LAYER_MPLS;
    case ETHERTYPE_PPPOE_SESSION:
        return LAYER_PPPOE;
    case ETHERTYPE_BACKBONE:
        return LAYER_BACKBONE;
    }
    if (type >= ETHERTYPE_MIN) {
        return walk_end(w, REASON_NOT_IP);
    }
    if (type < w->r.n) {
        w->r.n = type; // padding of a short frame
    }
    return LAYER_LLC;
}

// MAC, MAC, type
enum layer eat_ethernet(struct walk *w)
{
    if (w->r.n < 14) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint16_t type = be16(w->r.p + 12);
    walk_skip(w, 14);
    return layer_by_ethertype(w, type);
}

// control information (priority, VLAN id), type
enum layer eat_vlan(struct walk *w)
{
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    walk_note(w, PATH_VLAN, be16(w->r.p) & 0x0fff);
    uint16_t type = be16(w->r.p + 2);
    walk_skip(w, 4);
    return layer_by_ethertype(w, type);
}

// 802.1ah: flags (1), service id (3), then the customer's whole frame
enum layer eat_backbone(struct walk *w)
{
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    walk_note(w, PATH_BACKBONE, be24(w->r.p + 1));
    return walk_take(w, 4, LAYER_ETHERNET);
}

// DSAP, SSAP, control; with AA AA 03 (SNAP): organisation (3), type (2)
enum layer eat_llc(struct walk *w)
{
    if (w->r.n < 3) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t head = be24(w->r.p);
    if (head == 0x060603) { // IP has a service access point of its own, hardly used
        return walk_take(w, 3, LAYER_IP);
    }
    if (head == 0xfefe03) {
        return walk_take(w, 3, LAYER_NLPID);
    }
    if (head != 0xaaaa03) {
        return walk_end(w, REASON_NOT_IP);
    }
    if (w->r.n < 8) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t organisation = be24(w->r.p + 3);
    uint16_t type = be16(w->r.p + 6);
    walk_skip(w, 8);
    // 00-00-F8: the bridge tunnel, for types that would not survive translation
    if ((organisation != 0 && organisation != 0x0000f8) || type < ETHERTYPE_MIN) {
        return walk_end(w, REASON_NOT_IP);
    }
    return layer_by_ethertype(w, type);
}

// One byte that names the network protocol; 80 is followed by organisation and type as in SNAP (RFC
// 2427)
enum layer eat_nlpid(struct walk *w)
{
    if (w->r.n < 1) {
        return walk_end(w, REASON_TRUNCATED);
    }
    switch (w->r.p[0]) {
    case 0xcc:
        return walk_take(w, 1, LAYER_IPV4);
    case 0x8e:
        return walk_take(w, 1, LAYER_IPV6);
    case 0xcf:
        return walk_take(w, 1, LAYER_PPP);
    case 0x80:
        break;
    default:
        return walk_end(w, REASON_NOT_IP);
    }
    if (w->r.n < 6) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t organisation = be24(w->r.p + 1);
    uint16_t type = be16(w->r.p + 4);
    walk_skip(w, 6);
    if (organisation != 0 || type < ETHERTYPE_MIN) {
        return walk_end(w, REASON_NOT_IP);
    }
    return layer_by_ethertype(w, type);
}

// Does an Ethernet frame with a type that we follow stand `at` bytes on?
static bool is_ethernet(const struct walk *w, uint32_t at)
{
    if (w->r.n < at + 14) {
        return false;
    }
    struct walk probe = *w;
    return layer_by_ethertype(&probe, be16(w->r.p + at + 12)) != LAYER_END &&
           be16(w->r.p + at + 12) >= ETHERTYPE_MIN;
}

// label (20 bits), traffic class (3), bottom of stack (1), time to live (8); RFC 3032
enum layer eat_mpls(struct walk *w)
{
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    bool is_bottom = w->r.p[2] & 1;
    walk_note(w, PATH_MPLS, be24(w->r.p) >> 4);
    walk_skip(w, 4);
    if (!is_bottom) {
        return LAYER_MPLS;
    }
    if (w->r.n < 1) {
        return walk_end(w, REASON_TRUNCATED);
    }
    // Nothing says what the labels carry. IP is told by its version; a pseudowire of Ethernet has a
    // control word that begins with 16 zero bits (RFC 4448 4.6), or none; then a known type at its
    // place decides.
    uint8_t nibble = w->r.p[0] >> 4;
    if (nibble == 4) {
        return LAYER_IPV4;
    }
    if (nibble == 6) {
        return LAYER_IPV6;
    }
    if (is_ethernet(w, 4) && be16(w->r.p) == 0) {
        return walk_take(w, 4, LAYER_ETHERNET);
    }
    return is_ethernet(w, 0) ? LAYER_ETHERNET : walk_end(w, REASON_NOT_IP);
}

// version and type (0x11), code (0 in a session), session id (2), length (2), PPP protocol; RFC
// 2516
enum layer eat_pppoe(struct walk *w)
{
    if (w->r.n < 6) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint8_t version = w->r.p[0];
    uint8_t code = w->r.p[1];
    walk_note(w, PATH_PPPOE, be16(w->r.p + 2));
    walk_skip(w, 6);
    return version == 0x11 && code == 0 ? LAYER_PPP : walk_end(w, REASON_NOT_IP);
}

// FF 03 if it is not compressed away, protocol of two bytes or, odd, of one; RFC 1661 2, 6.5, 6.6
enum layer eat_ppp(struct walk *w)
{
    if (w->r.n >= 2 && w->r.p[0] == 0xff && w->r.p[1] == 0x03) {
        walk_skip(w, 2);
    } else if (w->r.n >= 1 && w->r.p[0] == 0x03) {
        walk_skip(w, 1); // what is left of it where the first byte tells the direction
    }
    if (w->r.n < 2) {
        return walk_end(w, REASON_TRUNCATED);
    }
    bool is_short = w->r.p[0] & 1;
    uint16_t protocol = is_short ? w->r.p[0] : be16(w->r.p);
    walk_skip(w, is_short ? 1 : 2);
    switch (protocol) { // bytes of the wire
    case 0x0021:
        return LAYER_IPV4;
    case 0x0057:
        return LAYER_IPV6;
    case 0x0281:
    case 0x0283:
        return LAYER_MPLS;
    case 0x003d: // a piece of a packet, RFC 1990
    case 0x00fb: // compressed or encrypted, RFC 1962, 3078
    case 0x00fd:
        return walk_end(w, REASON_TUNNEL);
    case 0x0053: // RFC 1968
    case 0x0055:
        return walk_end(w, REASON_ENCRYPTED);
    }
    return walk_end(w, REASON_NOT_IP);
}

// Point-to-point lines of either make: Cisco's framing begins with 0F or 8F (RFC 1547 4.3.1)
enum layer eat_ppp_hdlc(struct walk *w)
{
    bool is_cisco = w->r.n >= 1 && (w->r.p[0] == 0x0f || w->r.p[0] == 0x8f);
    return is_cisco ? LAYER_CISCO_HDLC : LAYER_PPP;
}

// address, control (0), type
enum layer eat_cisco_hdlc(struct walk *w)
{
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint16_t type = be16(w->r.p + 2);
    walk_skip(w, 4);
    return type < ETHERTYPE_MIN ? walk_end(w, REASON_NOT_IP) : layer_by_ethertype(w, type);
}

// address (2 to 4 bytes, the last one odd), control 03, padding if any, NLPID; RFC 2427
enum layer eat_frame_relay(struct walk *w)
{
    uint32_t at = 0;
    while (at < 4 && at < w->r.n && !(w->r.p[at] & 1)) {
        at++;
    }
    if (w->r.n < at + 3) {
        return walk_end(w, REASON_TRUNCATED);
    }
    if (at == 4 || w->r.p[at + 1] != 0x03) {
        return walk_end(w, REASON_NOT_IP);
    }
    return walk_take(w, at + (w->r.p[at + 2] == 0 ? 3 : 2), LAYER_NLPID);
}
