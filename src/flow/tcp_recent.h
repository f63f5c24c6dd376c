// Of one direction of TCP: what is remembered of the segments that came last, to tell copies made
// by the capture, and of the bytes delivered last, to tell bytes sent again that differ.
#ifndef SIDETONE_FLOW_TCP_RECENT_H
#define SIDETONE_FLOW_TCP_RECENT_H

#include "flow/tcp.h"

// Time between a frame and its copy: as for other packets (docs/json.md).
#define TCP_COPY_NS INT64_C(50000000)
// Segments remembered. Not smaller: a copy from another interface may come some segments later. Not
// larger: each direction of each connection keeps them, and every segment is compared with all.
#define TCP_RECENT 8u
// Delivered bytes remembered. Not smaller: a segment of Ethernet that is sent again, alone or with
// what follows. Not larger: each direction that has carried bytes keeps them. A power of 2.
#define TCP_WINDOW 2048u

struct tcp_recent {
    uint64_t frame[TCP_RECENT];
    int64_t time_ns[TCP_RECENT];
    uint32_t sequence[TCP_RECENT], length[TCP_RECENT];
};

// Nothing is remembered.
void tcp_recent_init(struct tcp_recent *r);

// Is it a copy of one that is remembered?
bool tcp_recent_has(const struct tcp_recent *r, const struct tcp_segment *seg);

// Remembers it at a place below TCP_RECENT.
static inline void tcp_recent_note(struct tcp_recent *r, uint32_t place,
                                   const struct tcp_segment *seg)
{
    r->frame[place] = seg->frame;
    r->time_ns[place] = seg->from.time_ns;
    r->sequence[place] = seg->sequence;
    r->length[place] = seg->length;
}

struct tcp_window {
    uint64_t from; // what stands before this position is not remembered
    uint8_t bytes[TCP_WINDOW];
};

// Remembers n bytes at a position.
void tcp_window_keep(struct tcp_window *w, uint64_t at, const uint8_t *p, uint64_t n);

// Do n bytes at a position differ from those remembered? All before `next` have been kept.
bool tcp_window_differs(const struct tcp_window *w, uint64_t next, uint64_t at, const uint8_t *p,
                        uint64_t n);

#endif
