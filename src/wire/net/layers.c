// Link layers, tags and labels: everything that may stand before an IP packet.
//
// A frame is walked layer by layer. Each layer has one function in EAT: it takes its header off the
// rest of the frame and names the layer that stands there now, or ends the walk with a reason.
// There is no recursion; a walk takes at most PEEL_DEPTH_MAX steps, so that nobody can build a
// frame that costs more than a frame. Registry of link types: tcpdump.org; IEEE 802.1Q, 802.1ah;
// RFC 1661, 1662, 1547, 2516, 3032, 4385, 1042, 2427.
#include "wire/net/layers.h"

enum layer {
    LAYER_END, // walk.reason says how the walk ended
    LAYER_ETHERNET,
    LAYER_VLAN, // at the tag's control information
    LAYER_BACKBONE,
    LAYER_LLC,
    LAYER_NLPID,
    LAYER_MPLS,
    LAYER_PPPOE,
    LAYER_PPP,
    LAYER_PPP_HDLC,
    LAYER_CISCO_HDLC,
    LAYER_FRAME_RELAY,
    LAYER_FAMILY, // BSD loopback: an address family before the packet
    LAYER_SLL,
    LAYER_SLL2,
    LAYER_PFLOG,
    LAYER_NFLOG,
    LAYER_PPI,
    LAYER_PKTAP,
    LAYER_IP, // IPv4 or IPv6 by its first four bits
    LAYER_IPV4,
    LAYER_IPV6,
    LAYER_COUNT,
};

enum ethertype {
    ETHERTYPE_MIN = 0x0600, // below: a length, LLC follows (IEEE 802.3)
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

struct link {
    uint32_t linktype;
    const char *name;
    enum layer layer;
    uint8_t skip; // bytes before that layer that tell nothing we need
};

static const struct link LINKS[] = {
    {0, "NULL", LAYER_FAMILY, 0},
    {1, "ETHERNET", LAYER_ETHERNET, 0},
    {9, "PPP", LAYER_PPP, 0},
    {12, "RAW", LAYER_IP, 0}, // 12 and 14: what the systems themselves call it; such files exist
    {14, "RAW", LAYER_IP, 0},
    {50, "PPP_HDLC", LAYER_PPP_HDLC, 0},
    {51, "PPP_ETHER", LAYER_PPPOE, 0},
    {100, "ATM_RFC1483", LAYER_LLC, 0},
    {101, "RAW", LAYER_IP, 0},
    {104, "C_HDLC", LAYER_CISCO_HDLC, 0},
    {107, "FRELAY", LAYER_FRAME_RELAY, 0},
    {108, "LOOP", LAYER_FAMILY, 0},
    {109, "ENC", LAYER_IP, 12}, // family, SPI, flags
    {113, "LINUX_SLL", LAYER_SLL, 0},
    {117, "PFLOG", LAYER_PFLOG, 0},
    {166, "PPP_PPPD", LAYER_PPP, 1}, // the address byte tells the direction there
    {192, "PPI", LAYER_PPI, 0},
    {204, "PPP_WITH_DIR", LAYER_PPP, 1},
    {219, "MPLS", LAYER_MPLS, 0},
    {226, "IPNET", LAYER_IP, 24},
    {228, "IPV4", LAYER_IPV4, 0},
    {229, "IPV6", LAYER_IPV6, 0},
    {239, "NFLOG", LAYER_NFLOG, 0},
    {240, "NETANALYZER", LAYER_ETHERNET, 4},
    {241, "NETANALYZER_TRANSPARENT", LAYER_ETHERNET, 12},
    {258, "PKTAP", LAYER_PKTAP, 0},
    {276, "LINUX_SLL2", LAYER_SLL2, 0},
};

struct walk {
    struct rest r;
    struct datagram *out;
    enum reason reason;
};

static enum layer end(struct walk *w, enum reason reason)
{
    w->reason = reason;
    return LAYER_END;
}

// Callers have checked that n bytes are there.
static void skip(struct walk *w, uint32_t n)
{
    w->r = (struct rest){w->r.p + n, w->r.n - n};
}

// Takes n bytes off and goes on with `next`; n may come from the frame.
static enum layer take(struct walk *w, uint32_t n, enum layer next)
{
    if (w->r.n < n) {
        return end(w, REASON_TRUNCATED);
    }
    skip(w, n);
    return next;
}

static enum layer by_ethertype(struct walk *w, uint16_t type)
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
        return end(w, REASON_NOT_IP);
    }
    if (type < w->r.n) {
        w->r.n = type; // padding of a short frame
    }
    return LAYER_LLC;
}

// MAC, MAC, type
static enum layer eat_ethernet(struct walk *w)
{
    if (w->r.n < 14) {
        return end(w, REASON_TRUNCATED);
    }
    uint16_t type = be16(w->r.p + 12);
    skip(w, 14);
    return by_ethertype(w, type);
}

// control information (priority, VLAN id), type
static enum layer eat_vlan(struct walk *w)
{
    if (w->r.n < 4) {
        return end(w, REASON_TRUNCATED);
    }
    if (w->out->vlan_count < PEEL_VLANS_MAX) {
        w->out->vlan[w->out->vlan_count++] = be16(w->r.p) & 0x0fff;
    }
    uint16_t type = be16(w->r.p + 2);
    skip(w, 4);
    return by_ethertype(w, type);
}

// 802.1ah: control information with the service id, then the customer's whole frame
static enum layer eat_backbone(struct walk *w)
{
    return take(w, 4, LAYER_ETHERNET);
}

// DSAP, SSAP, control; with AA AA 03 (SNAP): organisation (3), type (2)
static enum layer eat_llc(struct walk *w)
{
    if (w->r.n < 3) {
        return end(w, REASON_TRUNCATED);
    }
    uint32_t head = be24(w->r.p);
    if (head == 0x060603) { // IP has a service access point of its own, hardly used
        return take(w, 3, LAYER_IP);
    }
    if (head == 0xfefe03) {
        return take(w, 3, LAYER_NLPID);
    }
    if (head != 0xaaaa03) {
        return end(w, REASON_NOT_IP);
    }
    if (w->r.n < 8) {
        return end(w, REASON_TRUNCATED);
    }
    uint32_t organisation = be24(w->r.p + 3);
    uint16_t type = be16(w->r.p + 6);
    skip(w, 8);
    // 00-00-F8: the bridge tunnel, for types that would not survive translation
    if ((organisation != 0 && organisation != 0x0000f8) || type < ETHERTYPE_MIN) {
        return end(w, REASON_NOT_IP);
    }
    return by_ethertype(w, type);
}

// One byte that names the network protocol; 80 is followed by organisation and type as in SNAP (RFC
// 2427)
static enum layer eat_nlpid(struct walk *w)
{
    if (w->r.n < 1) {
        return end(w, REASON_TRUNCATED);
    }
    switch (w->r.p[0]) {
    case 0xcc:
        return take(w, 1, LAYER_IPV4);
    case 0x8e:
        return take(w, 1, LAYER_IPV6);
    case 0xcf:
        return take(w, 1, LAYER_PPP);
    case 0x80:
        break;
    default:
        return end(w, REASON_NOT_IP);
    }
    if (w->r.n < 6) {
        return end(w, REASON_TRUNCATED);
    }
    uint32_t organisation = be24(w->r.p + 1);
    uint16_t type = be16(w->r.p + 4);
    skip(w, 6);
    if (organisation != 0 || type < ETHERTYPE_MIN) {
        return end(w, REASON_NOT_IP);
    }
    return by_ethertype(w, type);
}

// Does an Ethernet frame with a type that we follow stand `at` bytes on?
static bool is_ethernet(const struct walk *w, uint32_t at)
{
    if (w->r.n < at + 14) {
        return false;
    }
    struct walk probe = *w;
    return by_ethertype(&probe, be16(w->r.p + at + 12)) != LAYER_END &&
           be16(w->r.p + at + 12) >= ETHERTYPE_MIN;
}

// label (20 bits), traffic class (3), bottom of stack (1), time to live (8); RFC 3032
static enum layer eat_mpls(struct walk *w)
{
    if (w->r.n < 4) {
        return end(w, REASON_TRUNCATED);
    }
    bool is_bottom = w->r.p[2] & 1;
    skip(w, 4);
    if (!is_bottom) {
        return LAYER_MPLS;
    }
    if (w->r.n < 1) {
        return end(w, REASON_TRUNCATED);
    }
    // Nothing says what the labels carry. IP is told by its version; a pseudowire of Ethernet has a
    // control word that begins with 0 (RFC 4385), or none: then a known type at its place decides.
    uint8_t nibble = w->r.p[0] >> 4;
    if (nibble == 4) {
        return LAYER_IPV4;
    }
    if (nibble == 6) {
        return LAYER_IPV6;
    }
    if (nibble == 0 && is_ethernet(w, 4)) {
        return take(w, 4, LAYER_ETHERNET);
    }
    return is_ethernet(w, 0) ? LAYER_ETHERNET : end(w, REASON_NOT_IP);
}

// version and type (0x11), code (0 in a session), session id (2), length (2), PPP protocol; RFC
// 2516
static enum layer eat_pppoe(struct walk *w)
{
    if (w->r.n < 6) {
        return end(w, REASON_TRUNCATED);
    }
    uint8_t version = w->r.p[0];
    uint8_t code = w->r.p[1];
    skip(w, 6);
    return version == 0x11 && code == 0 ? LAYER_PPP : end(w, REASON_NOT_IP);
}

// FF 03 if it is not compressed away, protocol of two bytes or, odd, of one; RFC 1661 2, 6.5, 6.6
static enum layer eat_ppp(struct walk *w)
{
    if (w->r.n >= 2 && w->r.p[0] == 0xff && w->r.p[1] == 0x03) {
        skip(w, 2);
    } else if (w->r.n >= 1 && w->r.p[0] == 0x03) {
        skip(w, 1); // what is left of it where the first byte tells the direction
    }
    if (w->r.n < 2) {
        return end(w, REASON_TRUNCATED);
    }
    bool is_short = w->r.p[0] & 1;
    uint16_t protocol = is_short ? w->r.p[0] : be16(w->r.p);
    skip(w, is_short ? 1 : 2);
    switch (protocol) { // bytes of the wire
    case 0x0021:
        return LAYER_IPV4;
    case 0x0057:
        return LAYER_IPV6;
    case 0x0281:
    case 0x0283:
        return LAYER_MPLS;
    }
    return end(w, REASON_NOT_IP);
}

// Point-to-point lines of either make: Cisco's framing begins with 0F or 8F (RFC 1547 4.3.1)
static enum layer eat_ppp_hdlc(struct walk *w)
{
    bool is_cisco = w->r.n >= 1 && (w->r.p[0] == 0x0f || w->r.p[0] == 0x8f);
    return is_cisco ? LAYER_CISCO_HDLC : LAYER_PPP;
}

// address, control (0), type
static enum layer eat_cisco_hdlc(struct walk *w)
{
    if (w->r.n < 4) {
        return end(w, REASON_TRUNCATED);
    }
    uint16_t type = be16(w->r.p + 2);
    skip(w, 4);
    return type < ETHERTYPE_MIN ? end(w, REASON_NOT_IP) : by_ethertype(w, type);
}

// address (2 to 4 bytes, the last one odd), control 03, padding if any, NLPID; RFC 2427
static enum layer eat_frame_relay(struct walk *w)
{
    uint32_t at = 0;
    while (at < 4 && at < w->r.n && !(w->r.p[at] & 1)) {
        at++;
    }
    if (w->r.n < at + 3) {
        return end(w, REASON_TRUNCATED);
    }
    if (at == 4 || w->r.p[at + 1] != 0x03) {
        return end(w, REASON_NOT_IP);
    }
    return take(w, at + (w->r.p[at + 2] == 0 ? 3 : 2), LAYER_NLPID);
}

// Address family, in the byte order of whoever wrote the file (NULL) or the network's (LOOP). A
// family is a small number, so the order shows, whatever the file promises.
static enum layer eat_family(struct walk *w)
{
    if (w->r.n < 4) {
        return end(w, REASON_TRUNCATED);
    }
    uint32_t family = be32(w->r.p);
    if (family > 0xffff) {
        family = le32(w->r.p);
    }
    skip(w, 4);
    switch (family) { // a number of the file
    case 2:
        return LAYER_IPV4;
    case 10: // Linux
    case 23: // Windows
    case 24: // NetBSD, OpenBSD
    case 28: // FreeBSD
    case 30: // macOS
        return LAYER_IPV6;
    }
    return end(w, REASON_NOT_IP);
}

// Linux "any" device: the type is an Ethernet type, or a small number for other kinds of frames
static enum layer by_sll(struct walk *w, uint32_t header, uint16_t hardware, uint16_t type)
{
    skip(w, header);
    if (hardware == 824) { // netlink: the type is a netlink family
        return end(w, REASON_NOT_IP);
    }
    if (type == 4) {
        return LAYER_LLC;
    }
    return type < ETHERTYPE_MIN ? end(w, REASON_NOT_IP) : by_ethertype(w, type);
}

// direction (2), hardware (2), address length (2), address (8), type (2)
static enum layer eat_sll(struct walk *w)
{
    if (w->r.n < 16) {
        return end(w, REASON_TRUNCATED);
    }
    return by_sll(w, 16, be16(w->r.p + 2), be16(w->r.p + 14));
}

// type (2), 0 (2), interface (4), hardware (2), direction (1), address length (1), address (8)
static enum layer eat_sll2(struct walk *w)
{
    if (w->r.n < 20) {
        return end(w, REASON_TRUNCATED);
    }
    return by_sll(w, 20, be16(w->r.p + 8), be16(w->r.p));
}

// The header's own length, without its padding to 4 bytes, comes first
static enum layer eat_pflog(struct walk *w)
{
    if (w->r.n < 4) {
        return end(w, REASON_TRUNCATED);
    }
    return take(w, ((uint32_t)w->r.p[0] + 3) & ~3u, LAYER_IP);
}

// family (1), version (1), group (2), then values: length with its head (2), type (2), bytes padded
// to 4. Lengths are in the order of the machine that wrote them; a type is a small number.
static enum layer eat_nflog(struct walk *w)
{
    enum {
        NFLOG_PAYLOAD = 9,
        VALUES_MAX = 64
    }; // netfilter knows about 20 types
    if (w->r.n < 4) {
        return end(w, REASON_TRUNCATED);
    }
    skip(w, 4);
    for (int i = 0; i < VALUES_MAX && w->r.n >= 4; i++) {
        bool is_big = le16(w->r.p + 2) > 0xff;
        uint32_t length = is_big ? be16(w->r.p) : le16(w->r.p);
        uint32_t type = is_big ? be16(w->r.p + 2) : le16(w->r.p + 2);
        if (length < 4) {
            return end(w, REASON_TRUNCATED);
        }
        if (type == NFLOG_PAYLOAD) {
            return take(w, 4, LAYER_IP);
        }
        if (take(w, (length + 3) & ~3u, LAYER_NFLOG) == LAYER_END) {
            return LAYER_END;
        }
    }
    return end(w, REASON_NOT_IP);
}

static const struct link *find_link(uint32_t linktype)
{
    for (size_t i = 0; i < sizeof LINKS / sizeof LINKS[0]; i++) {
        if (LINKS[i].linktype == linktype) {
            return &LINKS[i];
        }
    }
    return NULL;
}

static enum layer by_link(struct walk *w, uint32_t header, uint32_t linktype)
{
    const struct link *link = find_link(linktype);
    if (link == NULL) {
        return end(w, REASON_UNKNOWN_LINKTYPE);
    }
    return take(w, header, link->layer) == LAYER_END ? LAYER_END : take(w, link->skip, link->layer);
}

// version, flags, length of all before the frame (2, little-endian), its link type (4)
static enum layer eat_ppi(struct walk *w)
{
    if (w->r.n < 8) {
        return end(w, REASON_TRUNCATED);
    }
    uint32_t header = le16(w->r.p + 2);
    return header < 8 ? end(w, REASON_TRUNCATED) : by_link(w, header, le32(w->r.p + 4));
}

// Darwin: length of the header (4), kind (4), link type of the frame (4), all little-endian, and
// much more
static enum layer eat_pktap(struct walk *w)
{
    if (w->r.n < 12) {
        return end(w, REASON_TRUNCATED);
    }
    uint32_t header = le32(w->r.p);
    return header < 12 ? end(w, REASON_TRUNCATED) : by_link(w, header, le32(w->r.p + 8));
}

static enum layer eat_ip(struct walk *w)
{
    if (w->r.n < 1) {
        return end(w, REASON_TRUNCATED);
    }
    uint8_t version = w->r.p[0] >> 4;
    if (version == 4) {
        return LAYER_IPV4;
    }
    return version == 6 ? LAYER_IPV6 : end(w, REASON_NOT_IP);
}

static enum layer eat_ipv4(struct walk *w)
{
    return end(w, peel_ipv4(w->r, w->out));
}

static enum layer eat_ipv6(struct walk *w)
{
    return end(w, peel_ipv6(w->r, w->out));
}

static enum layer (*const EAT[LAYER_COUNT])(struct walk *w) = {
    [LAYER_ETHERNET] = eat_ethernet,
    [LAYER_VLAN] = eat_vlan,
    [LAYER_BACKBONE] = eat_backbone,
    [LAYER_LLC] = eat_llc,
    [LAYER_NLPID] = eat_nlpid,
    [LAYER_MPLS] = eat_mpls,
    [LAYER_PPPOE] = eat_pppoe,
    [LAYER_PPP] = eat_ppp,
    [LAYER_PPP_HDLC] = eat_ppp_hdlc,
    [LAYER_CISCO_HDLC] = eat_cisco_hdlc,
    [LAYER_FRAME_RELAY] = eat_frame_relay,
    [LAYER_FAMILY] = eat_family,
    [LAYER_SLL] = eat_sll,
    [LAYER_SLL2] = eat_sll2,
    [LAYER_PFLOG] = eat_pflog,
    [LAYER_NFLOG] = eat_nflog,
    [LAYER_PPI] = eat_ppi,
    [LAYER_PKTAP] = eat_pktap,
    [LAYER_IP] = eat_ip,
    [LAYER_IPV4] = eat_ipv4,
    [LAYER_IPV6] = eat_ipv6,
};

enum reason peel_layers(uint32_t linktype, const uint8_t *frame, uint32_t captured,
                        struct datagram *out)
{
    *out = (struct datagram){0};
    struct walk w = {.r = {frame, captured}, .out = out};
    enum layer layer = by_link(&w, 0, linktype);
    for (int depth = 0; layer != LAYER_END; depth++) {
        if (depth == PEEL_DEPTH_MAX) {
            return REASON_TOO_DEEP;
        }
        layer = EAT[layer](&w);
    }
    return w.reason;
}

const char *linktype_name(uint32_t linktype)
{
    const struct link *link = find_link(linktype);
    return link == NULL ? NULL : link->name;
}
