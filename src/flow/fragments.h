// Putting IP fragments together (RFC 791 3.2, RFC 8200 4.5, RFC 5722, RFC 6946 is peeled before).
//
// Comes in: fragments in capture order, in any order of their offsets, again and again,
// overlapping. Goes out: a datagram when the last missing piece has come, or what there is of it
// when it will not come any more. Of bytes that came twice the first ones count (IPv4); an IPv6
// datagram with an overlap that is no exact copy of a fragment is dropped as a whole. A datagram is
// told by addresses, protocol, identification, family and outer path. Owns copies of the bytes:
// nothing is borrowed from the chunks. Memory is bounded by FRAGMENT_BYTES_MAX. Not thread-safe:
// one for each bin.
#ifndef SIDETONE_FLOW_FRAGMENTS_H
#define SIDETONE_FLOW_FRAGMENTS_H

#include "decode/oddity.h"
#include "wire/packet.h"

// Capture time after which a datagram is given up, from its first fragment. Not smaller: hosts wait
// 15 s (RFC 791) to 60 s (RFC 8200). Not larger: identifications are used again after some minutes.
#define FRAGMENT_TIMEOUT_NS INT64_C(30000000000)
// Time after completion within which a fragment is a copy, no new datagram. Not smaller: a copy may
// have taken a longer way than the datagram. Not larger: a busy sender has used its 65,536
// identifications up and begins again.
#define FRAGMENT_COPY_NS INT64_C(1000000000)
// Bytes that one struct fragments may hold, with all its bookkeeping. Not smaller: 40 datagrams of
// full size at the same time, or 2,700 that are short. Not larger: there are 32 bins.
#define FRAGMENT_BYTES_MAX (4u << 20)

struct fragments; // opaque

struct defragmented {
    struct piece_record head; // of the first one that came; path and payload mean nothing
    const struct path *path;  // NULL: none; kept by the room
    const uint8_t *bytes;     // from offset 0 on: of a whole datagram all, else up to the first gap
    uint32_t n;               // bytes there
    uint32_t length;          // of the whole datagram, where its last fragment is known, else n
    bool is_whole;            // n may still be less than length: cut by the capture's snap length
    const struct packet_ref *packets; // the frames that it came in, copies too, in capture order
    uint32_t packet_count;
    struct packet_ref begin; // the one with the first byte, if that came
    bool is_dropped;         // IPv6 overlap: n is 0
};

struct fragments *fragments_new(void);
void fragments_free(struct fragments *f);

enum fragment_result {
    FRAGMENT_KEPT,    // more are needed
    FRAGMENT_WHOLE,   // *out is the datagram, valid until the next call
    FRAGMENT_COPY,    // of one whose datagram is complete: to be accounted as that one
    FRAGMENT_DROPPED, // makes no sense (overlong, empty), or one too many of its datagram, or
                      // nobody takes what is given up: accounted as fragment_incomplete
};

// Takes one fragment. Counts oddities into odd[]. The owner calls fragments_give_up before it with
// the fragment's order.time_ns until there is none: what is too old is never mixed with what is new
// in any case, but only giving up frees its memory.
enum fragment_result fragments_add(struct fragments *f, const struct piece_record *r,
                                   uint64_t odd[FLOW_ODD_COUNT], struct defragmented *out);

// Of a copy (FRAGMENT_COPY): what fragments_settle was told for its datagram.
int fragments_copy_verdict(const struct fragments *f);

// Remembers for the datagram given last (FRAGMENT_WHOLE) what became of it, for its copies.
void fragments_settle(struct fragments *f, int verdict);

// Gives up one datagram that is too old at `now_ns` (capture time), or any where now_ns is
// INT64_MAX, the oldest first; or one of those that memory was taken from. False: there is none.
// *out is valid until the next call. Counts FLOW_FRAGMENT_INCOMPLETE or FLOW_FRAGMENT_FORGOTTEN;
// not the former for one that was dropped, which FLOW_FRAGMENT_OVERLAP_V6 has counted.
bool fragments_give_up(struct fragments *f, int64_t now_ns, uint64_t odd[FLOW_ODD_COUNT],
                       struct defragmented *out);

#endif
