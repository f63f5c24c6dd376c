// The carrier capture: the traffic of a busy trunk between two session border controllers, as
// packets in time order.
//
// Comes in: a seed and numbers. Goes out: Ethernet frames with their times, one for each call of
// carrier_next. Each call is INVITE, 100, 180, 200, ACK, BYE, 200, with G.711 mu-law both ways at
// 20 ms: the callee's from its answer on, the caller's from the ACK on, both until shortly before
// the BYE. Calls run in `concurrency` lines: a line places its next call some milliseconds after
// its last one is over. Call-IDs and pairs of media endpoints come from pools, used by one call at
// a time, the longest idle first: a Call-ID comes back with new tags, a pair with the same SSRCs,
// and its sequence numbers and timestamps start at the same values again
// (docs/decisions/0003-restarted-numbers.md).
//
// Signalling over TCP goes through one connection for each line, opened before the first call.
//
// The same options give the same bytes on every machine. Memory: some 200 bytes for each line,
// 4 for each member of a pool. RFC 3261, RFC 8866, RFC 3550, RFC 3551.
#ifndef SIDETONE_GEN_CARRIER_H
#define SIDETONE_GEN_CARRIER_H

#include "base/random.h"
#include "gen/frame.h"

// Room that carrier_next needs for one frame: an Ethernet frame with a tag, without its checksum.
#define CARRIER_FRAME_BYTES 1518

// Largest values of the options. Calls and packets: the capture would have some 10^14 bytes. Lines
// and pools: some GB of memory; more than any trunk carries.
#define CARRIER_CALLS_MAX       1000000000u
#define CARRIER_RTP_MAX         10000000u
#define CARRIER_CONCURRENCY_MAX 1000000u
#define CARRIER_POOL_MAX        1000000000u
#define CARRIER_VLAN_MAX        4094u // IEEE 802.1Q: 4095 is reserved

// Connections of signalling over TCP: more lines share them. Not larger: each takes a port.
#define CARRIER_CONNECTIONS_MAX 40000u

// Years that the capture may last. Not smaller: no reason to. Not larger: it begins in 2024, and
// the seconds of pcap end in 2106.
#define CARRIER_YEARS_MAX 50

struct carrier_options {
    uint64_t seed;
    uint32_t calls;
    uint32_t rtp_per_call; // packets of both directions together
    uint32_t call_ids;     // pool of Call-IDs; 0: one for each call
    uint32_t stream_pairs; // pool of pairs of media endpoints; 0: one for each call
    uint32_t concurrency;  // calls in progress at once
    struct frame_shape shape;
    bool trunk; // media of all calls between the same two addresses
    bool tcp;   // signalling
};

// What `sidetone gen carrier` makes without arguments: 535,000 packets.
#define CARRIER_DEFAULTS                                                                           \
    ((struct carrier_options){.seed = 1,                                                           \
                              .calls = 5000,                                                       \
                              .rtp_per_call = 100,                                                 \
                              .call_ids = 100,                                                     \
                              .stream_pairs = 100,                                                 \
                              .concurrency = 100})

struct carrier;

// What is wrong with options.
enum carrier_fault {
    CARRIER_GOOD,
    CARRIER_CALLS_RANGE,       // none, or above CARRIER_CALLS_MAX
    CARRIER_RTP_RANGE,         // above CARRIER_RTP_MAX
    CARRIER_CONCURRENCY_RANGE, // none, or above CARRIER_CONCURRENCY_MAX
    CARRIER_POOL_RANGE,        // a pool above CARRIER_POOL_MAX
    CARRIER_VLAN_RANGE,        // above CARRIER_VLAN_MAX
    CARRIER_CALL_IDS_FEW,      // fewer than calls in progress at once, which cannot share one
    CARRIER_PAIRS_FEW,         // likewise
    CARRIER_TOO_LONG,          // the capture would last longer than CARRIER_YEARS_MAX
};

// The first fault of the options, or CARRIER_GOOD.
enum carrier_fault carrier_check(const struct carrier_options *options);

// The options must have passed carrier_check. Free with carrier_free.
struct carrier *carrier_new(const struct carrier_options *options);
void carrier_free(struct carrier *c);

// Packets that carrier_next will make.
uint64_t carrier_total(const struct carrier_options *options);

// Writes the next frame to `out` (CARRIER_FRAME_BYTES) and its time (nanoseconds since 1970, whole
// microseconds, never before the frame before it). Returns the frame's length, 0 when all is made.
size_t carrier_next(struct carrier *c, uint8_t *out, int64_t *time_ns);

#endif
