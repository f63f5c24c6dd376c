// Arena allocation in blocks from the system allocator.
#include "base/arena.h"

#include "base/memory.h"
#include "base/region.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define RED_ZONE       16
#define POISON(p, n)   __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define RED_ZONE       0
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

// An arena that stays small takes little: its first block is this part of the others. What grows
// beyond takes blocks of regions.
#define FIRST_BLOCK_SHARE 8

struct arena_block {
    struct arena_block *next;
    size_t n : 63;
    size_t is_of_region : 1;
    char bytes[] __attribute__((aligned(16)));
};

void arena_init(struct arena *a, size_t block_bytes)
{
    *a = (struct arena){.block_bytes = block_bytes};
}

static void use_block(struct arena *a, struct arena_block *block)
{
    a->at = block->bytes;
    a->end = block->bytes + block->n;
    POISON(block->bytes, block->n);
}

static void block_free(struct arena_block *block)
{
    UNPOISON(block->bytes, block->n);
    if (block->is_of_region) {
        region_give(block);
    } else {
        memory_free(block);
    }
}

void arena_fini(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;
        block_free(a->blocks);
        a->blocks = next;
    }
    arena_init(a, a->block_bytes);
}

void arena_reset(struct arena *a)
{
    struct arena_block *keep = a->blocks;
    if (!keep) {
        return;
    }
    while (keep->next) {
        struct arena_block *old = keep->next;
        keep->next = old->next;
        a->total_bytes -= old->n;
        block_free(old);
    }
    use_block(a, keep);
}

// A block with room for `n` bytes at least.
static struct arena_block *block_new(struct arena *a, size_t n)
{
    size_t usual = a->blocks ? a->block_bytes : a->block_bytes / FIRST_BLOCK_SHARE;
    size_t size = n > usual ? n : usual;
    bool is_of_region = a->blocks && region_serves(sizeof(struct arena_block) + size);
    struct arena_block *block =
        is_of_region ? region_take(sizeof *block + size) : memory_alloc(sizeof *block + size);
    block->n = size & (SIZE_MAX >> 1);
    block->is_of_region = is_of_region;
    return block;
}

static void *take(struct arena *a, size_t n, size_t align)
{
    uintptr_t at = ((uintptr_t)a->at + (align - 1)) & ~(uintptr_t)(align - 1);
    if (!a->blocks || at + n + RED_ZONE > (uintptr_t)a->end) {
        struct arena_block *block = block_new(a, n + RED_ZONE + align);
        block->next = a->blocks;
        a->blocks = block;
        a->total_bytes += block->n;
        use_block(a, block);
        at = ((uintptr_t)a->at + (align - 1)) & ~(uintptr_t)(align - 1);
    }
    a->at = (char *)at + n + RED_ZONE;
    UNPOISON((void *)at, n);
    return (void *)at;
}

void *arena_alloc(struct arena *a, size_t n)
{
    return memset(take(a, n, 16), 0, n);
}

void *arena_lines(struct arena *a, size_t n)
{
    return memset(take(a, n, ARENA_LINE), 0, n);
}

char *arena_bytes(struct arena *a, size_t n)
{
    return take(a, n, 1);
}

struct slice arena_slice(struct arena *a, struct slice s)
{
    char *copy = arena_bytes(a, s.n + 1);
    if (s.n > 0) {
        memcpy(copy, s.p, s.n);
    }
    copy[s.n] = '\0';
    return slice_of(copy, s.n);
}
