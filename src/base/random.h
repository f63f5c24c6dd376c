// Reproducible pseudo-random numbers: the same seed gives the same numbers on every machine. Not
// for secrets.
//
// xoshiro256** by Blackman and Vigna (2018), seeded by splitmix64, both in the public domain. 32
// bytes of state that belong to one thread.
#ifndef SIDETONE_BASE_RANDOM_H
#define SIDETONE_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t s[4];
};

void random_init(struct random *r, uint64_t seed);

uint64_t random_u64(struct random *r);

// Uniform in [0, limit); limit above 0.
uint64_t random_below(struct random *r, uint64_t limit);

#endif
