// Fuzz target of peel(): the first byte chooses the link type, the rest is the frame; the payload
// lies inside it, and the short way gives what the plain one gives.
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
    if (reason != REASON_NONE) {
        return 0;
    }
    MUST(datagram_is_same(&d, &plain));
    MUST(d.transport >= frame && d.payload >= d.transport && d.payload <= frame + captured);
    MUST(d.payload_n <= (size_t)(frame + captured - d.payload));
    MUST(d.payload_length >= d.payload_n);
    MUST(d.vlan_count <= PEEL_VLANS_MAX);
    MUST(d.protocol == NET_UDP || d.protocol == NET_TCP || d.protocol == NET_SCTP);
    return 0;
}
