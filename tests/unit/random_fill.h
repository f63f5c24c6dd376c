// Random numbers and bytes for tests, from base/random.
#ifndef SIDETONE_TESTS_RANDOM_FILL_H
#define SIDETONE_TESTS_RANDOM_FILL_H

#include "base/random.h"

#include <stdio.h>
#include <string.h>

// The seed is printed, so that a failure can be run again.
static inline void random_seeded(struct random *r, uint64_t seed)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    random_init(r, seed);
}

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
