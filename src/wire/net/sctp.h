// SCTP packets: their DATA chunks (RFC 9260 3.3.1), and I-DATA chunks (RFC 8260 2.1).
//
// Comes in: a packet from its common header (12 bytes). Goes out: its DATA chunks, one by one, with
// the bits that say where a message begins and ends. Owns nothing, copies nothing.
#ifndef SIDETONE_WIRE_NET_SCTP_H
#define SIDETONE_WIRE_NET_SCTP_H

#include <stdbool.h>
#include <stdint.h>

struct sctp_data {
    uint32_t tsn, ppid;
    uint16_t stream, ssn;
    bool begins, ends, unordered;
    bool is_cut; // the capture kept less than the chunk's length
    // I-DATA: the fragments of a message have numbers of their own, from 0; ssn means nothing, and
    // ppid only where the message begins.
    bool is_interleaved;
    uint32_t message, fragment;
    const uint8_t *bytes;
    uint32_t n; // at least 1
};

struct sctp_walk {
    const uint8_t *at;
    uint32_t left;
    uint32_t tag;           // verification tag
    bool has_init, has_end; // an INIT or INIT ACK; an ABORT or SHUTDOWN COMPLETE was passed
};

// False: too short to be one.
bool sctp_begin(struct sctp_walk *w, const uint8_t *packet, uint32_t n);

// The next DATA chunk; others are passed over. False: no more.
bool sctp_next(struct sctp_walk *w, struct sctp_data *out);

#endif
