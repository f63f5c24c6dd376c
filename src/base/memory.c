// Counted allocation.
#include "base/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

// Relaxed: a statistic, ordered with nothing.
static _Atomic uint64_t calls;

static void *checked(void *p, size_t n)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    if (!p && n > 0) {
        fprintf(stderr, "sidetone: out of memory (%zu bytes were asked for)\n", n);
        exit(1);
    }
    return p;
}

void *memory_alloc(size_t n)
{
    return checked(malloc(n), n);
}

void *memory_zero(size_t n)
{
    return checked(calloc(1, n), n);
}

void *memory_resize(void *old, size_t n)
{
    return checked(realloc(old, n), n);
}

void *memory_grow(void *old, uint32_t *room, size_t item_bytes, uint32_t first)
{
    *room = *room == 0 ? first : *room > UINT32_MAX / 2 ? UINT32_MAX : *room * 2;
    return memory_resize(old, *room * item_bytes);
}

void memory_free(void *p)
{
    free(p);
}

void *memory_map(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return checked(p == MAP_FAILED ? NULL : p, n);
}

uint64_t memory_calls(void)
{
    return atomic_load_explicit(&calls, memory_order_relaxed);
}
