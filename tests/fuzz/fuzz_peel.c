// Fuzz target of peel(): the first byte chooses the link type, the rest is the frame. The payload
// lies inside it, and the short way gives what the plain one gives; what ICMP quotes lies inside
// too, and a fragment taken for the whole is walked on.
#include "../unit/datagram_same.h"
#include "wire/net/peel.h"
#include "wire/net/walk.h"

#include <stdlib.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

static const uint32_t LINKTYPES[] = {1,   0,   9,   12,  14,  50,  51,  100, 101, 104,
                                     107, 108, 109, 113, 117, 166, 192, 204, 219, 226,
                                     228, 229, 239, 240, 241, 258, 276, 105};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void must_lie_inside(enum reason reason, const struct datagram *d, const uint8_t *p,
                            uint32_t n)
{
    MUST(d->transport >= p && d->payload >= d->transport && d->payload <= p + n);
    MUST(d->payload_n <= (size_t)(p + n - d->payload));
    MUST(d->payload_length >= d->payload_n);
    MUST(d->tunnels <= PEEL_TUNNELS_MAX && d->path.count <= PATH_STEPS_MAX);
    MUST(reason != REASON_NONE || d->protocol == NET_UDP || d->protocol == NET_TCP ||
         d->protocol == NET_SCTP || d->protocol == NET_ICMP);
}

static void must_quote_inside(const struct datagram *icmp)
{
    struct datagram quoted;
    if (peel_quoted(icmp, &quoted)) {
        must_lie_inside(REASON_NONE, &quoted, icmp->payload, icmp->payload_n);
        MUST(quoted.protocol == NET_UDP || quoted.protocol == NET_TCP);
        MUST(path_eq(&quoted.path, &icmp->path));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n == 0) {
        return 0;
    }
    uint32_t linktype = LINKTYPES[bytes[0] % (sizeof LINKTYPES / sizeof LINKTYPES[0])];
    const uint8_t *frame = bytes + 1;
    uint32_t captured = (uint32_t)n - 1;
    struct datagram d, plain;
    enum reason reason = peel(linktype, frame, captured, &d);
    MUST(reason == peel_layers(linktype, frame, captured, &plain));
    MUST(reason >= REASON_NONE && reason < REASON_COUNT);
    if (!datagram_is_filled(reason)) {
        return 0;
    }
    MUST(datagram_is_same(reason, &d, &plain));
    must_lie_inside(reason, &d, frame, captured);
    // Ends: each turn takes a header off.
    while (reason == REASON_FRAGMENT_INCOMPLETE) {
        reason = peel_defragmented(&d, d.payload, d.payload_n, d.payload_length);
        if (datagram_is_filled(reason)) {
            must_lie_inside(reason, &d, frame, captured);
        }
    }
    if (reason == REASON_NONE && d.protocol == NET_ICMP) {
        must_quote_inside(&d);
    }
    return 0;
}
