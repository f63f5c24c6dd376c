// The program's only way to the system allocator: counted, so that a test can prove that the hot
// path makes no call.
//
// Out of memory ends the program with a sentence on standard error (exit 1): no caller could do
// better, and what was read so far cannot be reported without memory.
#ifndef SIDETONE_BASE_MEMORY_H
#define SIDETONE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// gcc says so by itself where memory is watched by AddressSanitizer, clang by a feature.
#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

// What an allocation takes beyond its bytes: the allocator's own and rounding. An estimate, and the
// same everywhere, so that limits of memory do not depend on the allocator.
#define MEMORY_OVERHEAD 16u

void *memory_alloc(size_t n);             // not zeroed
void *memory_zero(size_t n);              // zeroed
void *memory_resize(void *old, size_t n); // old may be NULL
void memory_free(void *p);

// Room for at least one more item than *room in an array that grows by doubling, from `first` items
// on.
void *memory_grow(void *old, uint32_t *room, size_t item_bytes, uint32_t first);

// Pages of the system, zeroed; given back with munmap().
void *memory_map(size_t n);

// Calls of memory_alloc, memory_zero, memory_resize and memory_map since the start, over all
// threads.
uint64_t memory_calls(void);

#endif
