// Input for parsers that ends at an unmapped page: a read of one byte too many ends the test.
#ifndef SIDETONE_TESTS_GUARD_H
#define SIDETONE_TESTS_GUARD_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Bytes from the start of the mapping to its unmapped page.
static inline size_t guard_room(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) / page * page;
}

// A copy of n bytes whose last one is the last of a page; the next page cannot be touched. The
// caller gives it back with guard_free(copy, n).
static inline uint8_t *guard_copy(const void *bytes, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = guard_room(n);
    uint8_t *map =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(map != MAP_FAILED);
    int denied = mprotect(map + room, page, PROT_NONE);
    assert(denied == 0);
    (void)denied;
    if (n > 0) {
        memcpy(map + room - n, bytes, n);
    }
    return map + room - n;
}

static inline void guard_free(uint8_t *copy, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = guard_room(n);
    munmap(copy + n - room, room + page);
}

#endif
