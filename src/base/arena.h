// An arena hands out memory that is released all at once: one arena for each lifetime (run, chunk,
// call, scratch).
//
// Owner: whoever called arena_init. Not thread-safe: an arena belongs to one thread at a time.
// Under AddressSanitizer the gaps between allocations are poisoned.
#ifndef SIDETONE_BASE_ARENA_H
#define SIDETONE_BASE_ARENA_H

#include "base/slice.h"

struct arena_block;

struct arena {
    struct arena_block *blocks; // newest first
    char *at, *end;             // free part of the newest block
    size_t block_bytes;
    size_t total_bytes; // reserved from the system
};

// `block_bytes`: size of a block; larger requests get a block of their own.
void arena_init(struct arena *a, size_t block_bytes);
void arena_fini(struct arena *a);

// Forgets all allocations and keeps the newest block for reuse.
void arena_reset(struct arena *a);

// Zeroed memory aligned to 16 bytes. Out of memory ends the program with a sentence: nothing above
// could go on.
void *arena_alloc(struct arena *a, size_t n);

// The same aligned to a cache line.
#define ARENA_LINE 64
void *arena_lines(struct arena *a, size_t n);

// Unaligned, not zeroed: for text.
char *arena_bytes(struct arena *a, size_t n);

// Copies s; the result is NUL-terminated beyond its n bytes.
struct slice arena_slice(struct arena *a, struct slice s);

#define ARENA_NEW(arena, type)      ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(n)))

#endif
