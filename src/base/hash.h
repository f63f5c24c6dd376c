// Hashing for in-memory tables: fast, well mixed, the same in every run (so that reports are
// reproducible).
//
// Not for secrets: a sender who knows the function can build collisions, so every table that a
// stranger can fill is either bounded or falls back to comparing in chains of bounded length.
#ifndef SIDETONE_BASE_HASH_H
#define SIDETONE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 hash_wide;

// Folds the 128-bit product: every bit of a and b reaches every bit of the result.
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    hash_wide product = (hash_wide)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes(const void *bytes, size_t n, uint64_t seed);

#endif
