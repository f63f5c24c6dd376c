// Frames of everything that takes several packets: IPv4 and IPv6 packets, whole or in fragments of
// any order, with VLANs and tunnels around them, as a capture in time order.
#ifndef SIDETONE_TESTS_FLOW_FRAMES_H
#define SIDETONE_TESTS_FLOW_FRAMES_H

#include "capture.h"
#include "random_fill.h"

#include "wire/net/peel.h"

#define FLOW_FRAME_ROOM 2400u
#define FLOW_PARTS_MAX  64u

struct flow_frame {
    int64_t time_ns;
    uint32_t number; // keeps equal times in order
    uint32_t n;
    uint8_t *bytes;
};

struct flow_frames {
    struct random rng;
    struct flow_frame *items;
    size_t n, room;
    uint32_t id; // of the last IP packet
};

enum flow_tunnel {
    TUNNEL_NONE,
    TUNNEL_GRE,
    TUNNEL_VXLAN,
    TUNNEL_IP,
    TUNNELS,
};

// Between whom, and in what.
struct flow_way {
    bool is_v6;
    uint8_t a, b; // last bytes of the addresses
    uint16_t a_port, b_port;
    uint16_t vlan; // 0: none
    enum flow_tunnel tunnel;
    uint32_t tunnel_id;
    bool is_back; // from b to a
    // Fragments, in percent of the packets: of the packet itself, of the tunnel around it.
    uint32_t inner_fragments, outer_fragments;
};

static inline void flow_frames_free(struct flow_frames *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->items[i].bytes);
    }
    free(f->items);
}

static inline bool flow_chance(struct flow_frames *f, uint32_t percent)
{
    return random_below(&f->rng, 100) < percent;
}

static inline uint32_t flow_pick(struct flow_frames *f, uint32_t n)
{
    return (uint32_t)random_below(&f->rng, n);
}

static inline void flow_frame_add(struct flow_frames *f, int64_t time_ns, const struct bytes *b)
{
    if (f->n == f->room) {
        f->room = f->room ? f->room * 2 : 1024;
        f->items = realloc(f->items, f->room * sizeof *f->items);
        assert(f->items);
    }
    struct flow_frame *p = &f->items[f->n++];
    *p = (struct flow_frame){time_ns, (uint32_t)f->n, (uint32_t)b->n, malloc(b->n)};
    assert(p->bytes);
    memcpy(p->bytes, b->p, b->n);
}

// --- IP ---

struct ip_part {
    uint32_t id, offset;
    bool more, is_fragment;
};

static inline void ip_v4(struct bytes *out, uint8_t from, uint8_t to, uint8_t protocol,
                         const struct ip_part *part, size_t payload_n)
{
    uint8_t *h = bytes_grow(out, 20);
    memset(h, 0, 20);
    h[0] = 0x45;
    put_be16(h + 2, (uint16_t)(20 + payload_n));
    put_be16(h + 4, (uint16_t)part->id);
    put_be16(h + 6, (uint16_t)((part->more ? 0x2000 : 0) | part->offset / 8));
    h[8] = 64;
    h[9] = protocol;
    put_be32(h + 12, 0x0a000000u | from);
    put_be32(h + 16, 0x0a000000u | to);
}

static inline void ip_v6(struct bytes *out, uint8_t from, uint8_t to, uint8_t protocol,
                         const struct ip_part *part, size_t payload_n)
{
    uint8_t *h = bytes_grow(out, 40);
    memset(h, 0, 40);
    put_be32(h, 0x60000000u | (part->id & 0xffff));
    put_be16(h + 4, (uint16_t)(payload_n + (part->is_fragment ? 8 : 0)));
    h[6] = part->is_fragment ? 44 : protocol;
    h[7] = 64;
    h[8] = h[24] = 0xfd;
    h[23] = from;
    h[39] = to;
    if (part->is_fragment) {
        uint8_t *e = bytes_grow(out, 8);
        e[0] = protocol;
        e[1] = 0;
        put_be16(e + 2, (uint16_t)(part->offset | part->more));
        put_be32(e + 4, part->id);
    }
}

static inline void ip_packet(struct bytes *out, bool is_v6, uint8_t from, uint8_t to,
                             uint8_t protocol, const struct ip_part *part, const uint8_t *payload,
                             size_t n)
{
    if (is_v6) {
        ip_v6(out, from, to, protocol, part, n);
    } else {
        ip_v4(out, from, to, protocol, part, n);
    }
    bytes_put(out, payload, n);
}

struct ip_packets {
    struct bytes list[FLOW_PARTS_MAX * 2];
    size_t n;
};

// The IP packets that a payload travels in: one, or fragments of some size.
static inline void ip_cut(struct flow_frames *f, struct ip_packets *out, bool is_v6, uint8_t from,
                          uint8_t to, uint8_t protocol, const struct bytes *payload,
                          bool in_fragments)
{
    size_t step = payload->n;
    out->n = 0;
    f->id++;
    if (in_fragments && payload->n > 8) {
        step = (payload->n / (2 + flow_pick(f, 6)) + 8) & ~7u;
        step = step < 40 && payload->n > 60 ? 40 : step;
    }
    for (size_t at = 0; at < payload->n || at == 0; at += step > 0 ? step : 1) {
        size_t n = payload->n - at < step ? payload->n - at : step;
        struct ip_part part = {f->id, (uint32_t)at, at + n < payload->n, step < payload->n};
        assert(out->n < FLOW_PARTS_MAX);
        out->list[out->n] = (struct bytes){0};
        ip_packet(&out->list[out->n++], is_v6, from, to, protocol, &part, payload->p + at, n);
    }
}

static inline void ip_packets_free(struct ip_packets *p)
{
    for (size_t i = 0; i < p->n; i++) {
        bytes_free(&p->list[i]);
    }
    p->n = 0;
}

static inline void ip_swap(struct ip_packets *p, size_t a, size_t b)
{
    struct bytes moved = p->list[a];
    p->list[a] = p->list[b];
    p->list[b] = moved;
}

// What a network and a capture do to fragments: turn them round, mix, repeat, lose.
static inline void ip_disturb(struct flow_frames *f, struct ip_packets *p)
{
    uint32_t how = flow_pick(f, 10);
    if (p->n < 2) {
        return;
    }
    if (how < 2) {
        for (size_t i = 0; i < p->n / 2; i++) {
            ip_swap(p, i, p->n - 1 - i);
        }
    } else if (how < 4) {
        for (size_t i = p->n; i-- > 1;) {
            ip_swap(p, i, flow_pick(f, (uint32_t)i + 1));
        }
    } else if (how < 6) {
        size_t again = flow_pick(f, (uint32_t)p->n);
        p->list[p->n] = (struct bytes){0};
        bytes_put(&p->list[p->n], p->list[again].p, p->list[again].n);
        p->n++;
    } else if (how < 7) {
        size_t lost = flow_pick(f, (uint32_t)p->n);
        ip_swap(p, lost, p->n - 1);
        bytes_free(&p->list[--p->n]);
    }
}

// --- around it ---

static inline void in_ethernet(struct flow_frames *f, int64_t time_ns, uint16_t vlan, bool is_v6,
                               const struct bytes *packet)
{
    struct bytes b = {0};
    bytes_put(&b, "\2\0\0\0\0\1\2\0\0\0\0\2", 12);
    if (vlan != 0) {
        put_be16(bytes_grow(&b, 2), 0x8100);
        put_be16(bytes_grow(&b, 2), vlan);
    }
    put_be16(bytes_grow(&b, 2), is_v6 ? 0x86dd : 0x0800);
    bytes_put(&b, packet->p, packet->n);
    flow_frame_add(f, time_ns, &b);
    bytes_free(&b);
}

// What the tunnel puts before a packet; returns the protocol that carries it.
static inline uint8_t tunnel_head(struct bytes *b, const struct flow_way *w, size_t n)
{
    switch (w->tunnel) {
    case TUNNEL_GRE:
        bytes_put(b, w->is_v6 ? "\x20\0\x86\xdd" : "\x20\0\x08\0", 4);
        bytes_put32(b, w->tunnel_id, true);
        return 47;
    case TUNNEL_VXLAN:
        put_be16(bytes_grow(b, 2), 50000);
        put_be16(bytes_grow(b, 2), 4789);
        put_be16(bytes_grow(b, 2), (uint16_t)(8 + 8 + 14 + n));
        put_be16(bytes_grow(b, 2), 0);
        bytes_put32(b, 0x08000000, true);
        bytes_put32(b, w->tunnel_id << 8, true);
        bytes_put(b, "\2\0\0\0\0\3\2\0\0\0\0\4", 12);
        put_be16(bytes_grow(b, 2), w->is_v6 ? 0x86dd : 0x0800);
        return NET_UDP;
    case TUNNEL_IP:
        return w->is_v6 ? 41 : 4;
    case TUNNEL_NONE:
    case TUNNELS:
        break;
    }
    return 0;
}

static inline void send_around(struct flow_frames *f, const struct flow_way *w, int64_t time_ns,
                               const struct bytes *packet)
{
    struct bytes b = {0};
    struct ip_packets outer;
    if (w->tunnel == TUNNEL_NONE) {
        in_ethernet(f, time_ns, w->vlan, w->is_v6, packet);
        return;
    }
    uint8_t protocol = tunnel_head(&b, w, packet->n);
    uint8_t ends[2] = {200, (uint8_t)(w->tunnel == TUNNEL_IP ? 210 + w->tunnel_id % 2 : 201)};
    bytes_put(&b, packet->p, packet->n);
    ip_cut(f, &outer, false, ends[w->is_back], ends[!w->is_back], protocol, &b,
           flow_chance(f, w->outer_fragments));
    ip_disturb(f, &outer);
    for (size_t i = 0; i < outer.n; i++) {
        in_ethernet(f, time_ns + (int64_t)i * 100000, w->vlan, false, &outer.list[i]);
    }
    ip_packets_free(&outer);
    bytes_free(&b);
}

// One IP packet of a transport.
static inline void send_ip(struct flow_frames *f, const struct flow_way *w, int64_t time_ns,
                           uint8_t protocol, const struct bytes *payload)
{
    struct ip_packets inner;
    uint8_t from = w->is_back ? w->b : w->a;
    uint8_t to = w->is_back ? w->a : w->b;
    ip_cut(f, &inner, w->is_v6, from, to, protocol, payload, flow_chance(f, w->inner_fragments));
    ip_disturb(f, &inner);
    for (size_t i = 0; i < inner.n; i++) {
        // Pieces of several datagrams travel at the same time.
        int64_t later = i == 0 ? 0 : (int64_t)i * 300000 + flow_pick(f, 4) * MS;
        send_around(f, w, time_ns + later, &inner.list[i]);
    }
    ip_packets_free(&inner);
}

static inline void send_udp(struct flow_frames *f, const struct flow_way *w, int64_t time_ns,
                            const void *payload, size_t n)
{
    struct bytes b = {0};
    put_be16(bytes_grow(&b, 2), w->is_back ? w->b_port : w->a_port);
    put_be16(bytes_grow(&b, 2), w->is_back ? w->a_port : w->b_port);
    put_be16(bytes_grow(&b, 2), (uint16_t)(8 + n));
    put_be16(bytes_grow(&b, 2), 0);
    bytes_put(&b, payload, n);
    send_ip(f, w, time_ns, NET_UDP, &b);
    bytes_free(&b);
}

// --- captures ---

static inline int flow_frame_compare(const void *left, const void *right)
{
    const struct flow_frame *a = left;
    const struct flow_frame *b = right;
    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

// No two times are equal, so that the frames have one order in however many files they are.
static inline void flow_frames_sort(struct flow_frames *f)
{
    int64_t before_ns = INT64_MIN;
    qsort(f->items, f->n, sizeof f->items[0], flow_frame_compare);
    for (size_t i = 0; i < f->n; i++) {
        struct flow_frame *at = &f->items[i];
        at->time_ns = at->time_ns > before_ns ? at->time_ns : before_ns + 1;
        before_ns = at->time_ns;
    }
}

static inline void flow_pcap_put(struct bytes *b, const struct flow_frame *p)
{
    pcap_add(b, p->time_ns, p->bytes, p->n);
}

static inline void flow_pcap(const struct flow_frames *f, struct bytes *b)
{
    pcap_begin(b, LINK_ETHERNET);
    for (size_t i = 0; i < f->n; i++) {
        flow_pcap_put(b, &f->items[i]);
    }
}

static inline void flow_pcapng(struct flow_frames *f, struct bytes *b)
{
    for (size_t i = 0; i < f->n; i++) {
        if (i == 0 || flow_pick(f, 300) == 0) {
            ng_section(b, false);
            ng_interface(b, false, LINK_ETHERNET, 9);
        }
        if (flow_pick(f, 50) == 0) {
            ng_other(b, false, flow_pick(f, 3000));
        }
        ng_packet(b, false, 0, (uint64_t)f->items[i].time_ns, f->items[i].bytes, f->items[i].n);
    }
}

#endif
