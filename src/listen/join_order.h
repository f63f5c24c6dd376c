// Putting what lies in bins into the order of the capture, on all cores.
#ifndef SIDETONE_LISTEN_JOIN_ORDER_H
#define SIDETONE_LISTEN_JOIN_ORDER_H

#include "base/team.h"
#include "wire/packet.h"

// A call or a stream of a bin, with what it is sorted by.
struct join_item {
    struct order order;
    uint32_t part;  // after the order
    uint32_t index; // in its bin; after the part
};

struct join_order {
    struct join_item *items; // bin by bin
    size_t begin[BINS + 1];  // where each bin's begin
    uint8_t *bins;           // of each place in the order
    uint32_t *indices;       // likewise
};

// Sorts: by order, part, bin and index. counts: of each bin. `fill` writes the items of a bin, all
// but their indices, on any thread.
void join_order_make(struct join_order *o, struct team *team, const uint32_t counts[BINS],
                     void (*fill)(void *context, unsigned bin, struct join_item *items),
                     void *context);
void join_order_fini(struct join_order *o);

#endif
