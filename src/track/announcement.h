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

// What is kept of it, with its endpoint.
struct announcement {
    int64_t time_ns; // of the message, which may be known at the end of the capture only
    struct call_ref call;
    uint64_t cseq;                 // of the message that carried it, and who sent it: tell a new
    bool by_caller;                // offer from the same one seen once more
    uint8_t kind;                  // enum sdp_kind; SDP_IMAGE: T.38 over UDPTL, not RTP
    uint8_t direction;             // enum sdp_direction
    uint8_t line;                  // place of the media line in its body
    uint32_t branch;               // of the callee: call_branch_mark() of its tag; 0: the caller's
    const struct payload_map *map; // owned by the call's bin, immutable; NULL: UDPTL
    struct announcement *former;   // of another call for this endpoint; set by the media bin
};

// An announcement on its way.
struct media_news {
    struct order order;
    struct endpoint endpoint; // where media is to be received
    struct announcement what;
};

static inline bool announcement_is_fax(const struct announcement *a)
{
    return a->map == NULL;
}

#endif
