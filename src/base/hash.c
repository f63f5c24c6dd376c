// Hash of byte strings: 16 bytes a product, two products that do not wait for each other at a time.
//
// Both factors of each product hold something that comes of the seed: who does not know it can
// neither make one of them zero, which would forget all that came before, nor undo a step.
#include "base/hash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "base/bytes.h"

static inline uint64_t step(uint64_t h, uint64_t key, uint64_t a, uint64_t b)
{
    hash_wide product = (hash_wide)(h ^ a) * (key ^ b);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t step_16(uint64_t h, uint64_t key, const uint8_t *p)
{
    return step(h, key, le64(p), le64(p + 8));
}

// Up to 16 bytes; those that two reads share count twice, which `n` in the hash makes up for.
static inline uint64_t step_short(uint64_t h, uint64_t key, const uint8_t *p, size_t n)
{
    if (n >= 8) {
        return step(h, key, le64(p), le64(p + n - 8));
    }
    if (n >= 4) {
        return step(h, key, le32(p), le32(p + n - 4));
    }
    uint64_t few = n == 0 ? 0 : (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
    return step(h, key, few, 0);
}

uint64_t hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
    const uint8_t *p = bytes;
    uint64_t h = hash_mix(seed, n);
    uint64_t key = hash_mix(h, 0xa0761d6478bd642fu);
    if (n <= 16) {
        return step_short(h, key, p, n);
    }
    if (n > 32) {
        uint64_t g = h + key;
        for (; n > 32; n -= 32, p += 32) {
            h = step_16(h, key, p);
            g = step_16(g, key, p + 16);
        }
        h = hash_mix(h, g);
    }
    if (n > 16) {
        h = step_16(h, key, p);
    }
    return step_16(h, key, p + n - 16); // some of them again
}

uint64_t hash_secret;

static void choose_secret(void)
{
    uint64_t bytes = 0;
    if (getrandom(&bytes, sizeof bytes, GRND_NONBLOCK) != (ssize_t)sizeof bytes) {
        bytes = (uint64_t)(uintptr_t)&bytes; // early in the boot: at least not the same everywhere
    }
    hash_secret = hash_mix(bytes, 0x9fb21c651e98df25u);
}

void hash_secret_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose_secret);
}
