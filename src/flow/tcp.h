// One direction of a TCP connection: segments in capture order become bytes in the order of their
// sequence numbers (RFC 9293, RFC 1982 for the arithmetic).
//
// Comes in: segments, reordered, sent again, overlapping, over the wrap of the numbers, with holes.
// Goes out, through the sink: every byte once, in order, with the frame that it came in first; gaps
// where bytes will not come any more. Of bytes that came twice the first count. In order and
// without a hole nothing is copied: the sink sees the caller's bytes. Not thread-safe.
//
// A hole is given up when the other side has acknowledged what lies in it and TCP_LATE_NS of
// capture time have passed since bytes behind it came (the capture lost them); or after
// TCP_HOLE_NS; or when more than TCP_HELD_MAX bytes wait behind it; or at the end. A direction
// whose beginning was not captured (no SYN) begins at its first segment that carries bytes; where
// those do not begin a message (the owner says so with `starts_well` false) it is treated as if a
// hole of unknown size stood before them, so that earlier segments that come late are still put
// before them.
#ifndef SIDETONE_FLOW_TCP_H
#define SIDETONE_FLOW_TCP_H

#include "decode/oddity.h"
#include "wire/packet.h"

#include <stdbool.h>
#include <stddef.h>

// Not smaller: where a capture has several interfaces or queues, an acknowledgement may stand
// before the segment that it is for. Not larger: what was acknowledged is not sent again, and all
// behind the hole waits.
#define TCP_LATE_NS INT64_C(200000000)
// Not smaller: what was lost is sent again after one second, and once more two seconds later (RFC
// 6298 2, 5). Not larger: all behind the hole waits.
#define TCP_HOLE_NS INT64_C(3000000000)
// Not smaller: a message of CARRIED_MESSAGE_MAX, and what follows it. Not larger: four directions
// that hold as much fill the memory of their bin (STREAM_BYTES_MAX).
#define TCP_HELD_MAX (2u << 20)

enum tcp_flag {
    TCP_FIN = 0x01,
    TCP_SYN = 0x02,
    TCP_RST = 0x04,
    TCP_ACK = 0x10,
};

struct tcp_segment {
    uint32_t sequence, acknowledgement;
    uint8_t flags; // enum tcp_flag
    const uint8_t *bytes;
    uint32_t n;      // captured
    uint32_t length; // on the wire; larger than n: cut by the snap length, the rest is a hole that
                     // is known to stay one
    struct packet_ref from;
    int64_t clock_ns; // running time of the capture: never steps back
    // Equal for copies made by the capture: identification, TTL, checksum.
    uint64_t frame;
};

// Reads the header of a segment; false where it is too short to be one.
bool tcp_segment_read(struct tcp_segment *s, const uint8_t *transport, const uint8_t *payload,
                      uint32_t n, uint32_t length);

struct tcp_sink {
    void *context;
    // n > 0 bytes, valid during the call; is_borrowed: they are the segment's own, and as long
    // valid as those.
    void (*bytes)(void *context, const uint8_t *p, uint32_t n, struct packet_ref from,
                  bool is_borrowed);
    // n bytes will not come; 0: it is not known how many.
    void (*gap)(void *context, uint64_t n);
};

struct tcp_side; // opaque

struct tcp_side *tcp_side_new(void);
void tcp_side_free(struct tcp_side *s);

enum tcp_result {
    TCP_NEWS,     // brought bytes, or SYN or FIN, that were not seen before
    TCP_AGAIN,    // retransmitted: nothing new
    TCP_COPY,     // a capture duplicate of a recent segment (same frame within 50 ms)
    TCP_NO_BYTES, // an acknowledgement or the like
    TCP_OTHER, // belongs to another connection with the same ports (a SYN with another number, or
               // numbers far outside after the end): the owner closes this one and begins anew
};

// Takes one segment. `starts_well`: asked only for the first bytes of a direction without a SYN.
enum tcp_result tcp_side_segment(struct tcp_side *s, const struct tcp_segment *seg,
                                 bool starts_well, const struct tcp_sink *sink,
                                 uint64_t odd[FLOW_ODD_COUNT]);

// The other side has acknowledged everything before `acknowledgement`.
void tcp_side_acknowledged(struct tcp_side *s, uint32_t acknowledgement, int64_t clock_ns,
                           const struct tcp_sink *sink, uint64_t odd[FLOW_ODD_COUNT]);

// Time goes on: gives up holes that are too old.
void tcp_side_tick(struct tcp_side *s, int64_t clock_ns, const struct tcp_sink *sink,
                   uint64_t odd[FLOW_ODD_COUNT]);

// Nothing more will come: holes are given up, all bytes are handed on.
void tcp_side_finish(struct tcp_side *s, const struct tcp_sink *sink, uint64_t odd[FLOW_ODD_COUNT]);

// Number of the byte behind those that were handed on or given up.
uint32_t tcp_side_next(const struct tcp_side *s);

bool tcp_side_has_begun(const struct tcp_side *s); // a SYN or bytes were seen
bool tcp_side_is_over(const struct tcp_side *s);   // FIN (all bytes before it delivered) or RST
size_t tcp_side_held(const struct tcp_side *s);    // bytes that wait behind holes
size_t tcp_side_memory(const struct tcp_side *s);  // all bytes that it takes, MEMORY_OVERHEAD too

// Gives back what only tells copies and conflicts: the segments that came last are not known any
// more, nor the bytes that were delivered. What is delivered stays the same.
void tcp_side_slim(struct tcp_side *s);

#endif
