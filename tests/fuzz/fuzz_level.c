// Fuzz target of level_measure(): the same as its plain reference, for both laws and from the
// second byte on too.
#include "wire/rtp/level.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void measure(enum level_law law, const uint8_t *p, uint32_t n)
{
    struct level fast = level_measure(law, p, n), plain = level_measure_plain(law, p, n);
    struct level kept = level_unpack(level_pack(fast));
    MUST(memcmp(&fast, &plain, sizeof fast) == 0 && memcmp(&fast, &kept, sizeof fast) == 0);
    MUST(fast.peak <= LEVEL_CODE_MAX && fast.mean_twice <= 2 * fast.peak);
    MUST((fast.at_limit > 0) == (fast.peak == LEVEL_CODE_MAX));
    MUST(!(level_is_silent(law, fast) && level_is_clipped(fast, n)));
    double power = level_power(law, fast);
    MUST(power >= 0 && power <= 1e10);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    for (size_t from = 0; from < 2 && from < n && n - from < 65536; from++) {
        measure(LEVEL_MU_LAW, bytes + from, (uint32_t)(n - from));
        measure(LEVEL_A_LAW, bytes + from, (uint32_t)(n - from));
    }
    return 0;
}
