// xoshiro256** and its seeding.
#include "base/random.h"

#include "base/hash.h"

#include <string.h>

static uint64_t rotate(uint64_t v, int bits)
{
    return v << bits | v >> (64 - bits);
}

// splitmix64: spreads any seed, also 0, over the whole state.
static uint64_t spread(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void random_init(struct random *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        r->s[i] = spread(&seed);
    }
}

uint64_t random_u64(struct random *r)
{
    uint64_t *s = r->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

// The high half of a product is uniform up to a bias of limit / 2^64, which no test of ours could
// see.
uint64_t random_below(struct random *r, uint64_t limit)
{
    return (uint64_t)((hash_wide)random_u64(r) * limit >> 64);
}
