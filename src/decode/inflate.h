// Inflating a compressed payload into memory of an arena.
#ifndef SIDETONE_DECODE_INFLATE_H
#define SIDETONE_DECODE_INFLATE_H

#include "base/arena.h"

// zlib, gzip or raw deflate. False where it is damaged or would take more than `max` bytes.
bool inflate_into(struct arena *a, struct slice in, size_t max, struct slice *out);

#endif
