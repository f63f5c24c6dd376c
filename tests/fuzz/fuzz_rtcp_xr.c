// Fuzz target of the reader of extended reports: the input is what stands behind the first word of
// an XR packet.
#include "../unit/rtcp_inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct rtcp_packet k = {.type = RTCP_XR, .has_ssrc = n >= 4, .n = (uint32_t)n};
    k.p = bytes;
    rtcp_check_packet(&k);
    return 0;
}
