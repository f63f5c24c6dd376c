// Fuzz target of the reader of RTCP: the first byte says how much of the datagram snaplen took;
// what is handed out lies inside, and what has packets is what rtp_classify() calls RTCP.
#include "../unit/rtcp_inside.h"
#include "wire/rtp/rtp.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n == 0) {
        return 0;
    }
    const uint8_t *p = bytes + 1;
    uint32_t there = (uint32_t)n - 1;
    uint32_t length = there + bytes[0];
    struct rtp_header h;
    uint32_t packets = rtcp_walk(p, there, length);
    INSIDE_CHECK((rtp_classify(p, there, length, &h) == RTP_CONTROL) == (packets > 0));
    return 0;
}
