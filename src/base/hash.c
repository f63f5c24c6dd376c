// Hash of byte strings, eight bytes a step.
#include "base/hash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

uint64_t hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
    const uint8_t *p = bytes;
    uint64_t h = hash_mix(seed, n);
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = hash_mix(h ^ word, 0xa0761d6478bd642fu);
    }
    if (n > 0) {
        uint64_t word = 0;
        memcpy(&word, p, n);
        h = hash_mix(h ^ word, 0xe7037ed1a0b428dbu);
    }
    return h;
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
