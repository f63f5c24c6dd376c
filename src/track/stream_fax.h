// What a stream of T.38 over UDPTL has beside its numbers: redundancy, indicators, data.
//
// Comes in: each packet that its stream has taken, in capture order. Goes out: how errors are
// corrected, what was lost and came back with a later packet, the indicators as they changed.
// Memory: 240 bytes a fax.
#ifndef SIDETONE_TRACK_STREAM_FAX_H
#define SIDETONE_TRACK_STREAM_FAX_H

#include "track/stream.h"

// Changes of the indicator that are kept. Not smaller: a fax of ten pages has some twenty. Not
// larger: a stranger who changes it with each packet must not grow memory. Later ones are not kept.
#define FAX_INDICATORS_MAX 32

// Numbers back that parity is followed. Not smaller: senders cover some twenty. Not larger: each
// packet costs so many steps.
#define FAX_PARITY_REACH_MAX 128

// Packets in a row, from a number near 0 on, that prove a fax which no call announced. Not smaller:
// UDPTL has no mark of its own, so a protocol with a counter in front may look so for a while. Not
// larger: the shortest fax, a called station that answers and is hung up on, has some more.
#define FAX_PROOF_PACKETS 10
#define FAX_PROOF_START   16 // the first number is below this

struct stream_fax {
    // Numbers of the stream's window that are lost, but whose content came with a later packet; up
    // to `known_ext` the bits mean something.
    uint64_t came_later[STREAM_WINDOW_WORDS];
    uint64_t known_ext;
    uint64_t data_packets;
    uint32_t recovered;
    uint32_t run, run_max; // numbers in a row
    uint8_t recovery;      // enum udptl_recovery, the first that was seen
    uint8_t indicator_count;
    uint8_t indicators[FAX_INDICATORS_MAX];
};

// `is_new`: r was counted as unique.
void stream_fax_packet(struct stream *s, const struct media_record *r, bool is_new);

// Is it a fax though no call announced one?
bool stream_fax_is_proven(const struct stream *s);

#endif
