// Blocks for arenas that grow, cut from regions of 2 MiB that the system may back with one large
// page each: a capture's calls and streams take thousands of small pages else, and each costs a
// fault when it is first touched and a look into the page tables when its neighbours were not.
//
// A region lives as long as one of its blocks. Any thread may take and give blocks.
#ifndef SIDETONE_BASE_REGION_H
#define SIDETONE_BASE_REGION_H

#include <stdbool.h>
#include <stddef.h>

// The size of a large page, and of a region.
#define REGION_BYTES ((size_t)2 << 20)

// Largest block. Not smaller: arenas take 64 KiB at a time. Not larger: what is left at the end of
// a region is lost.
#define REGION_BLOCK_MAX (REGION_BYTES / 16)

// Does it serve this size? Not under AddressSanitizer, which would see no leaks.
bool region_serves(size_t n);

// A block of n bytes, aligned to a cache line, not zeroed. Out of memory ends the program with a
// sentence.
void *region_take(size_t n);
void region_give(void *block);

#endif
