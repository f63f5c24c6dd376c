// An announcement: an offer or answer in a call named an address for media. It travels from the bin
// of the call to the bin of the media endpoint and is folded there in capture order, between the
// packets.
#ifndef SIDETONE_TRACK_ANNOUNCEMENT_H
#define SIDETONE_TRACK_ANNOUNCEMENT_H

#include "track/payload_map.h"
#include "wire/packet.h"

// A call, by the bin that folds its Call-ID and its place there.
struct call_ref {
    uint32_t bin, index;
};

struct announcement {
    struct order order;
    struct endpoint endpoint; // where media is to be received
    struct call_ref call;
    uint64_t cseq;                 // of the message that carried it, and who sent it: tell a new
    bool by_caller;                // offer from the same one seen once more
    const struct payload_map *map; // owned by the call's bin, immutable
    const struct announcement *former; // of another call for this endpoint; set by the media bin
};

#endif
