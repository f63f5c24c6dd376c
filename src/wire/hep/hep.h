// HEP, the Homer encapsulation protocol: a captured packet in an envelope (versions 1, 2 and 3).
//
// Comes in: the bytes of a UDP datagram, or of a TCP stream from an envelope on. Goes out: between
// whom the packet inside travelled, when, what it is, and where its payload stands. Chunks of
// version 3 stand in any order; unknown ones and those of other vendors are passed over by their
// length. Owns nothing, copies nothing.
#ifndef SIDETONE_WIRE_HEP_HEP_H
#define SIDETONE_WIRE_HEP_HEP_H

#include "wire/address.h"

enum hep_type { // of the payload, chunk 0x000b
    HEP_SIP = 1,
    HEP_RTP = 4,
    HEP_RTCP = 5, // mostly as JSON
    HEP_LOG = 100,
};

enum hep_oddity {       // bits
    HEP_ODD_LENGTH = 1, // of a chunk or of the envelope does not fit; what made sense is used
};

struct hep {
    uint8_t version;  // 1, 2, 3
    uint8_t protocol; // of IP: 17 UDP, 6 TCP, 132 SCTP ...; 0: not said
    uint8_t type;     // enum hep_type and others of the registry; versions 1 and 2: HEP_SIP
    bool has_time, is_compressed;
    uint8_t oddities;
    int64_t time_ns;
    struct endpoint src, dst;
    uint32_t agent; // capture id; 0: none
    struct slice payload, correlation_id, node;
};

// How many bytes a HEP version 3 envelope takes of the stream; 0: more are needed to tell; -1: it
// is none.
int64_t hep_stream_length(const uint8_t *p, size_t n);

// True: *out is filled; the payload may be empty. False: it is no HEP. A version 1 or 2 envelope
// has no mark of its own: it is one only where every field of its header fits and what follows
// begins a SIP message.
bool hep_read(struct hep *out, const uint8_t *p, size_t n);

#endif
