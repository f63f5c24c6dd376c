// Fuzz target of udptl_read(): the first byte says how much of the datagram snaplen took. What must
// hold is in tests/unit/udptl_inside.h; here also: what is whole is never read from less of it.
#include "../unit/udptl_inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n == 0) {
        return 0;
    }
    struct udptl u, less;
    const uint8_t *p = bytes + 1;
    uint32_t there = (uint32_t)n - 1;
    udptl_check(&u, p, there, there + bytes[0]);
    if (udptl_check(&u, p, there, there)) {
        for (uint32_t k = 0; k < there && k < 64; k++) {
            UDPTL_MUST(!udptl_check(&less, p, k, k));
            UDPTL_MUST(!udptl_check(&less, p, k, there) || less.type == u.type);
        }
    }
    return 0;
}
