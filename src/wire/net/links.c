// Link types: which layer a frame begins with, and the layers that only a link type has.
//
// Registry of link types: tcpdump.org.
#include "wire/net/links.h"

#include "wire/net/layers.h"
#include "wire/net/linktype.h"

struct link {
    uint32_t linktype;
    enum layer layer;
    uint8_t skip; // bytes before that layer that tell nothing we need
};

static const struct link LINKS[] = {
    {LINKTYPE_NULL, LAYER_FAMILY, 0},
    {LINKTYPE_ETHERNET, LAYER_ETHERNET, 0},
    {LINKTYPE_PPP, LAYER_PPP, 0},
    {LINKTYPE_RAW_BSD, LAYER_IP, 0},
    {LINKTYPE_RAW_OPENBSD, LAYER_IP, 0},
    {LINKTYPE_PPP_HDLC, LAYER_PPP_HDLC, 0},
    {LINKTYPE_PPP_ETHER, LAYER_PPPOE, 0},
    {LINKTYPE_ATM_RFC1483, LAYER_LLC, 0},
    {LINKTYPE_RAW, LAYER_IP, 0},
    {LINKTYPE_C_HDLC, LAYER_CISCO_HDLC, 0},
    {LINKTYPE_FRELAY, LAYER_FRAME_RELAY, 0},
    {LINKTYPE_LOOP, LAYER_FAMILY, 0},
    {LINKTYPE_ENC, LAYER_IP, 12}, // family, SPI, flags
    {LINKTYPE_LINUX_SLL, LAYER_SLL, 0},
    {LINKTYPE_PFLOG, LAYER_PFLOG, 0},
    {LINKTYPE_PPP_PPPD, LAYER_PPP, 1}, // the address byte tells the direction there
    {LINKTYPE_PPI, LAYER_PPI, 0},
    {LINKTYPE_PPP_WITH_DIR, LAYER_PPP, 1},
    {LINKTYPE_MPLS, LAYER_MPLS, 0},
    {LINKTYPE_IPNET, LAYER_IP, 24},
    {LINKTYPE_IPV4, LAYER_IPV4, 0},
    {LINKTYPE_IPV6, LAYER_IPV6, 0},
    {LINKTYPE_NFLOG, LAYER_NFLOG, 0},
    {LINKTYPE_NETANALYZER, LAYER_ETHERNET, 4},
    {LINKTYPE_NETANALYZER_TRANSPARENT, LAYER_ETHERNET, 12},
    {LINKTYPE_PKTAP, LAYER_PKTAP, 0},
    {LINKTYPE_LINUX_SLL2, LAYER_SLL2, 0},
};

// Address family, in the byte order of whoever wrote the file (NULL) or the network's (LOOP). A
// family is a small number, so the order shows, whatever the file promises.
enum layer eat_family(struct walk *w)
{
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t family = be32(w->r.p);
    if (family > 0xffff) {
        family = le32(w->r.p);
    }
    walk_skip(w, 4);
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
    return walk_end(w, REASON_NOT_IP);
}

// Linux "any" device: the type is an Ethernet type, or a small number for other kinds of frames
static enum layer by_sll(struct walk *w, uint32_t header, uint16_t hardware, uint16_t type)
{
    walk_skip(w, header);
    if (hardware == 824) { // netlink: the type is a netlink family
        return walk_end(w, REASON_NOT_IP);
    }
    if (type == 4) {
        return LAYER_LLC;
    }
    return type < ETHERTYPE_MIN ? walk_end(w, REASON_NOT_IP) : layer_by_ethertype(w, type);
}

// direction (2), hardware (2), address length (2), address (8), type (2)
enum layer eat_sll(struct walk *w)
{
    if (w->r.n < 16) {
        return walk_end(w, REASON_TRUNCATED);
    }
    return by_sll(w, 16, be16(w->r.p + 2), be16(w->r.p + 14));
}

// type (2), 0 (2), interface (4), hardware (2), direction (1), address length (1), address (8)
enum layer eat_sll2(struct walk *w)
{
    if (w->r.n < 20) {
        return walk_end(w, REASON_TRUNCATED);
    }
    return by_sll(w, 20, be16(w->r.p + 8), be16(w->r.p));
}

// The header's own length, without its padding to 4 bytes, comes first
enum layer eat_pflog(struct walk *w)
{
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    return walk_take(w, ((uint32_t)w->r.p[0] + 3) & ~3u, LAYER_IP);
}

// A value: length with its head (2), type (2), bytes padded to 4. Lengths are in the order of the
// machine that wrote them; a type is a small number, and its highest bit says that there are values
// inside.
struct nflog_value {
    uint16_t type;
    struct rest inside; // as far as it is there
    uint32_t size;      // with head and padding
};

// False: there is none, or its length lies.
static bool nflog_value(struct rest r, struct nflog_value *v)
{
    if (r.n < 4) {
        return false;
    }
    bool is_big = (le16(r.p + 2) & 0x7fff) > 0xff;
    uint32_t length = is_big ? be16(r.p) : le16(r.p);
    if (length < 4) {
        return false;
    }
    v->type = (is_big ? be16(r.p + 2) : le16(r.p + 2)) & 0x7fff;
    v->inside = (struct rest){r.p + 4, (length < r.n ? length : r.n) - 4};
    v->size = (length + 3) & ~3u;
    return true;
}

// The tag that was taken off a bridged frame: a value among others
static void note_nflog_vlan(struct walk *w, struct rest r)
{
    enum {
        NFLOG_VLAN_TAG = 2,
        VALUES_MAX = 4, // there are two
    };
    struct nflog_value v;
    for (int i = 0; i < VALUES_MAX && nflog_value(r, &v); i++) {
        if (v.type == NFLOG_VLAN_TAG && v.inside.n >= 2) {
            walk_note(w, PATH_VLAN, be16(v.inside.p) & 0x0fff);
            return;
        }
        if (!rest_take(&r, v.size)) {
            return;
        }
    }
}

// family (1), version (1), group (2), then values
enum layer eat_nflog(struct walk *w)
{
    enum {
        NFLOG_PAYLOAD = 9,
        NFLOG_VLAN = 20,
        VALUES_MAX = 64, // netfilter knows about 20 types
    };
    if (w->r.n < 4) {
        return walk_end(w, REASON_TRUNCATED);
    }
    walk_skip(w, 4);
    for (int i = 0; i < VALUES_MAX && w->r.n >= 4; i++) {
        struct nflog_value v;
        if (!nflog_value(w->r, &v)) {
            return walk_end(w, REASON_TRUNCATED);
        }
        if (v.type == NFLOG_PAYLOAD) {
            return walk_take(w, 4, LAYER_IP);
        }
        if (v.type == NFLOG_VLAN) {
            note_nflog_vlan(w, v.inside);
        }
        if (walk_take(w, v.size, LAYER_NFLOG) == LAYER_END) {
            return LAYER_END;
        }
    }
    return walk_end(w, REASON_NOT_IP);
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

enum layer layer_by_link(struct walk *w, uint32_t header, uint32_t linktype)
{
    const struct link *link = find_link(linktype);
    if (link == NULL) {
        return walk_end(w, REASON_UNKNOWN_LINKTYPE);
    }
    return walk_take(w, header, link->layer) == LAYER_END ? LAYER_END
                                                          : walk_take(w, link->skip, link->layer);
}

// version, flags, length of all before the frame (2, little-endian), its link type (4)
enum layer eat_ppi(struct walk *w)
{
    if (w->r.n < 8) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t header = le16(w->r.p + 2);
    return header < 8 ? walk_end(w, REASON_TRUNCATED) : layer_by_link(w, header, le32(w->r.p + 4));
}

// Darwin: length of the header (4), kind (4), link type of the frame (4), all little-endian, and
// much more
enum layer eat_pktap(struct walk *w)
{
    if (w->r.n < 12) {
        return walk_end(w, REASON_TRUNCATED);
    }
    uint32_t header = le32(w->r.p);
    return header < 12 ? walk_end(w, REASON_TRUNCATED) : layer_by_link(w, header, le32(w->r.p + 8));
}
