// Random bytes for tests, from base/random.
#ifndef SIDETONE_TESTS_RANDOM_FILL_H
#define SIDETONE_TESTS_RANDOM_FILL_H

#include "base/random.h"

#include <string.h>

static inline void random_fill(struct random *r, void *out, size_t n)
{
    uint8_t *at = out;
    for (; n >= 8; at += 8, n -= 8) {
        uint64_t v = random_u64(r);
        memcpy(at, &v, 8);
    }
    if (n > 0) {
        uint64_t v = random_u64(r);
        memcpy(at, &v, n);
    }
}

#endif
