// Hashing for in-memory tables: fast and well mixed.
//
// Without a seed the result is the same in every run: for bins, which decide only who does the
// work. A stranger can build keys that collide there. Tables whose keys a stranger chooses seed it
// with hash_secret, which nobody outside knows.
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

// Random, one value for the life of the process; 0 until hash_secret_init has been called (by any
// thread, any number of times, before the first table is made).
extern uint64_t hash_secret;
void hash_secret_init(void);

#endif
