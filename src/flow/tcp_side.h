// One direction of TCP from inside: what tcp.c (which segments belong and what they mean) and
// tcp_order.c (bytes, holes and their end) share.
//
// Positions are sequence numbers in 64 bits: the low half is the number, so that nothing wraps.
#ifndef SIDETONE_FLOW_TCP_SIDE_H
#define SIDETONE_FLOW_TCP_SIDE_H

#include "flow/tcp_held.h"
#include "flow/tcp_recent.h"

// Numbers further than this ahead of what was delivered are no reordering. Not smaller: windows of
// fast hosts reach some MiB, which is what a capture may lack at once. Not larger: an injector who
// guesses numbers should hit rarely.
#define TCP_WILD (16u << 20)
// Bytes and pieces that may wait that far ahead. Not smaller: some segments from which to go on.
// Not larger: what is injected must not take the place of what is merely reordered.
#define TCP_WILD_HELD   (64u << 10)
#define TCP_WILD_PIECES 64u
// Bytes before the first ones of a direction without SYN that are still put before them. Not
// smaller: a window of some 100 KiB may be reordered. Not larger: numbers of another connection.
#define TCP_BEFORE (1u << 20)

#define TCP_NOWHERE UINT64_MAX

enum tcp_phase {
    TCP_UNSEEN, // neither SYN, bytes nor FIN: no position means anything
    TCP_WAITS,  // began without SYN in the midst of something: all is held, `next` is TCP_BEFORE
                // before the first bytes
    TCP_FLOWS,  // all before `next` was delivered or given up
};

struct tcp_side {
    uint64_t next;
    uint64_t end;              // behind the last byte: FIN or RST; TCP_NOWHERE
    uint64_t acknowledged;     // by the other side
    int64_t acknowledged_ns;   // when that went beyond `next`
    struct tcp_recent *recent; // NULL: nothing is remembered
    struct tcp_window *window; // NULL: nothing was delivered yet, or it is not remembered
    struct tcp_held *held;     // NULL: nothing waits
    uint32_t first;            // number of the first byte, in TCP_FLOWS
    uint8_t recent_at;
    uint8_t phase; // enum tcp_phase
    bool has_syn : 1, is_mid_stream : 1, is_over : 1, after_gap : 1;
    bool wild_is_doubted : 1; // bytes came in order while others waited TCP_WILD ahead
};

// One call of the interface.
struct tcp_work {
    struct tcp_side *s;
    const struct tcp_sink *sink;
    uint64_t *odd;                 // by enum flow_oddity
    const struct tcp_segment *seg; // NULL: no segment
    uint64_t lost;                 // bytes before `next` that the sink does not know to be lost yet
    bool is_new, differs;          // what the segment turned out to be
    bool mends;                    // it brings what another lacked because it was cut
};

// Delivers the bytes of w->seg, which come next, while nothing waits.
void tcp_order_next(struct tcp_work *w);

// Takes the bytes of w->seg that belong at [at, end): those that are new are delivered or held.
// NULL: known to be missing.
void tcp_order_take(struct tcp_work *w, uint64_t at, uint64_t end, const uint8_t *bytes);

// Takes the end (s->end).
void tcp_order_end(struct tcp_work *w);

// Hands on all that waits without a hole before it.
void tcp_order_drain(struct tcp_work *w);

// Gives up the first hole, and what waits behind it goes on.
void tcp_order_give_up(struct tcp_work *w);

// Gives up the holes that are too old at clock_ns, or behind which too much waits.
void tcp_order_expire(struct tcp_work *w, int64_t clock_ns);
void tcp_order_limit(struct tcp_work *w);

// Forgets what waits further ahead than TCP_WILD.
void tcp_order_drop_wild(struct tcp_side *s);

// Tells the sink of the bytes lost. Last in each call.
void tcp_order_flush(struct tcp_work *w);

#endif
