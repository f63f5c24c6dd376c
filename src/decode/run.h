// Decoding many packets in a row, as long as they are ordinary ones.
//
// Ordinary: RTP version 2 without contributing sources, extension or padding, in UDP, all captured,
// over IPv4 without options or fragmentation or over IPv6 without extension headers, in Ethernet
// with at most one 802.1Q tag; in a pcap file of our byte order, or in enhanced packet blocks of
// pcapng with an ordinary unit of time. What a capture of calls mostly has takes one straight way
// from the bytes of the file to its record; everything else is left to decode_frame(), which gives
// the same for these.
#ifndef SIDETONE_DECODE_RUN_H
#define SIDETONE_DECODE_RUN_H

#include "decode/records.h"
#include "wire/cap/walk.h"

struct run {
    const uint8_t *at;   // the next record
    const uint8_t *stop; // records of the run begin before it
    const uint8_t *end;  // of the bytes that are there
    int64_t running_ns;  // largest time so far: no packet of the run is before it
    uint64_t packets;    // so far: the place of the next one in its chunk
    uint64_t bytes;      // on the wire, so far
};

// Moves *run behind the ordinary packets that stand there; mostly some, perhaps none. `state` as in
// cap_walk_next; it stays as it is.
void decode_run(struct records *r, const struct cap_format *f, const struct pcapng *state,
                struct run *run);

// The same without what only newer processors have: the reference.
void decode_run_plain(struct records *r, const struct cap_format *f, const struct pcapng *state,
                      struct run *run);

#endif
