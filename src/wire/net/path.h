// The outer path of a packet: what stands around its innermost IP packet, outermost first.
//
// Tunnels and VLANs use the same private addresses over and over, so the path is part of the key of
// whatever lasts longer than a packet (fragments, TCP streams); and people want to see on which
// wire they are.
#ifndef SIDETONE_WIRE_NET_PATH_H
#define SIDETONE_WIRE_NET_PATH_H

#include "base/arena.h"
#include "wire/address.h"

enum path_kind {
    PATH_VLAN,     // id: VLAN, 12 bits
    PATH_BACKBONE, // IEEE 802.1ah; id: service, 24 bits
    PATH_MPLS,     // id: label
    PATH_PPPOE,    // id: session
    PATH_IP,       // src, dst: an IP packet with another one inside
    PATH_GRE,      // id: key; 0: none
    PATH_ERSPAN,   // id: session
    PATH_VXLAN,    // id: network
    PATH_GENEVE,   // id: network
    PATH_GTP,      // id: tunnel endpoint
    PATH_L2TP,     // id: tunnel << 16 | session (version 2), session (version 3)
    PATH_TEREDO,
    PATH_TZSP,
    PATH_ETHERIP,
    PATH_HEP, // id: capture agent; src, dst: of the envelope, where they are known
    PATH_KINDS,
};

struct path_step {
    uint8_t kind; // enum path_kind
    uint32_t id;
    struct address src, dst; // zero where the kind has none
};

// Steps that are kept. Not smaller: eight tunnels with an IP header each, and VLANs. Not larger: it
// lies on the stack of every packet. More are walked past.
#define PATH_STEPS_MAX 20

struct path {
    uint8_t count; // steps behind it mean nothing
    struct path_step steps[PATH_STEPS_MAX];
};

static inline void path_add(struct path *p, enum path_kind kind, uint32_t id)
{
    if (p->count < PATH_STEPS_MAX) {
        p->steps[p->count++] = (struct path_step){.kind = (uint8_t)kind, .id = id};
    }
}

// The same with addresses.
static inline void path_add_between(struct path *p, enum path_kind kind, uint32_t id,
                                    struct address src, struct address dst)
{
    if (p->count < PATH_STEPS_MAX) {
        p->steps[p->count++] =
            (struct path_step){.kind = (uint8_t)kind, .id = id, .src = src, .dst = dst};
    }
}

// Copies the steps that `from` has, which may be fewer than there is memory for.
static inline void path_set(struct path *to, const struct path *from)
{
    to->count = from->count;
    memcpy(to->steps, from->steps, from->count * sizeof *from->steps);
}

bool path_eq(const struct path *a, const struct path *b);

// 0 for an empty path.
uint64_t path_hash(const struct path *p, uint64_t seed);

// Of a path with as many steps as it has.
static inline size_t path_bytes(const struct path *p)
{
    return offsetof(struct path, steps) + p->count * sizeof *p->steps;
}

// A copy with as many steps as it has, in memory of an arena.
const struct path *path_copy(struct arena *a, const struct path *p);

// Longest text of path_step_text with its NUL.
#define PATH_STEP_TEXT_BYTES 128

// "vlan 100", "mpls 16", "ip 192.0.2.1 > 192.0.2.2", "gre", "gre 7", "vxlan 5", "gtp 0x1234abcd";
// returns the length.
size_t path_step_text(const struct path_step *s, char *out);

#endif
