// The hops of a call (call_hops.c).
#ifndef SIDETONE_TRACK_CALL_HOPS_H
#define SIDETONE_TRACK_CALL_HOPS_H

#include "track/call.h"

// One message of the call. `mark`: equal for the same message at every hop.
void call_hops_message(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by,
                       uint32_t mark);

// What the element before a hop needed to hand messages on to it; NULL: nothing was seen on both
// sides of it.
struct call_hop_delay {
    int64_t sum_ns, max_ns;
    uint32_t count;
};
const struct call_hop_delay *call_hop_delay(const struct call *c, const struct call_hop *h);

// The hops from the caller's side to the callee's as far as they meet, else as they appeared.
// Returns how many.
size_t call_hops_in_order(const struct call *c, const struct call_hop *out[CALL_HOPS_MAX]);

#endif
