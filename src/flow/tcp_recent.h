// Of one direction of TCP: what is remembered of the segments that came last, to tell copies made
// by the capture, and of the bytes delivered last, to tell bytes sent again that differ.
#ifndef SIDETONE_FLOW_TCP_RECENT_H
#define SIDETONE_FLOW_TCP_RECENT_H

#include "flow/tcp.h"

// Segments remembered. Not smaller: a copy from another interface may come some segments later. Not
// larger: each direction of each connection keeps them, until it is made slim, and every segment is
// compared with all.
#define TCP_RECENT 8u
// Delivered bytes remembered. Not smaller: a segment of Ethernet that is sent again, alone or with
// what follows. Not larger: each direction that has carried bytes keeps them, until it is made
// slim. A power of 2.
#define TCP_WINDOW 2048u
// Room of a window at first; it doubles with what is delivered. Not smaller: most keep-alives and
// answers need no second one. Not larger: most connections of a scan carry some bytes once. A power
// of 2.
#define TCP_WINDOW_FIRST 256u

struct tcp_recent {
    uint64_t frame[TCP_RECENT];
    int64_t time_ns[TCP_RECENT];
    uint32_t sequence[TCP_RECENT], length[TCP_RECENT];
};

// Nothing is remembered.
struct tcp_recent *tcp_recent_new(void);

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
    uint64_t from;   // what stands before this position is not remembered
    uint32_t room;   // a power of 2; below TCP_WINDOW: all from there on is remembered
    uint8_t bytes[]; // by position modulo room
};

// Remembers n bytes at a position, behind all others. *w is made, or made larger, where it is to
// be.
void tcp_window_keep(struct tcp_window **w, uint64_t at, const uint8_t *p, uint64_t n);

// Do n bytes at a position differ from those remembered? All before `next` have been kept.
bool tcp_window_differs(const struct tcp_window *w, uint64_t next, uint64_t at, const uint8_t *p,
                        uint64_t n);

#endif
