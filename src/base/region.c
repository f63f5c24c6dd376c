// Regions: each begins with its head, blocks follow one behind the other.
#include "base/region.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#define ALIGNMENT 64

struct region {
    size_t used;   // bytes from the beginning on, with this head
    size_t blocks; // that are in use
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region *newest; // where blocks are cut; NULL: none

bool region_serves(size_t n)
{
#ifdef __SANITIZE_ADDRESS__
    (void)n;
    return false;
#else
    return n <= REGION_BLOCK_MAX;
#endif
}

// A region at a multiple of its size, cut from a mapping of twice as much.
static struct region *region_new(void)
{
    char *map = memory_map(2 * REGION_BYTES);
    size_t before = (size_t)(-(uintptr_t)map & (REGION_BYTES - 1));
    char *at = map + before;
    if (before > 0) {
        munmap(map, before);
    }
    munmap(at + REGION_BYTES, REGION_BYTES - before);
    madvise(at, REGION_BYTES, MADV_HUGEPAGE); // small pages do as well, slower
    struct region *r = (struct region *)(void *)at;
    r->used = ALIGNMENT;
    r->blocks = 0;
    return r;
}

void *region_take(size_t n)
{
    size_t size = (n + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    pthread_mutex_lock(&lock);
    if (!newest || newest->used + size > REGION_BYTES) {
        newest = region_new();
    }
    struct region *r = newest;
    void *block = (char *)r + r->used;
    r->used += size;
    r->blocks++;
    pthread_mutex_unlock(&lock);
    return block;
}

void region_give(void *block)
{
    struct region *r = (struct region *)((uintptr_t)block & ~(uintptr_t)(REGION_BYTES - 1));
    pthread_mutex_lock(&lock);
    bool is_empty = --r->blocks == 0;
    newest = is_empty && r == newest ? NULL : newest;
    pthread_mutex_unlock(&lock);
    if (is_empty) {
        munmap(r, REGION_BYTES);
    }
}
