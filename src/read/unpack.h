// Decompressing gzip, zstd and lz4 by one interface: bytes in, bytes out, a step at a time.
//
// Comes in: compressed bytes in pieces of any size. Goes out: what they decompress to. Before
// damage in zstd or lz4 the last block may be lost, depending on the pieces: who wants the same
// each time gives the same pieces and the same room. Several members or frames are one content;
// frames to be skipped are skipped. RFC 1952, RFC 8878, the LZ4 frame format. No I/O.
#ifndef SIDETONE_READ_UNPACK_H
#define SIDETONE_READ_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unpack_kind {
    UNPACK_NONE, // not compressed, as far as we know
    UNPACK_GZIP,
    UNPACK_ZSTD,
    UNPACK_LZ4
};

// What the first bytes begin.
enum unpack_kind unpack_probe(const uint8_t *p, size_t n);

struct unpack;

// Not for UNPACK_NONE.
struct unpack *unpack_new(enum unpack_kind kind);
void unpack_free(struct unpack *u); // NULL is fine

// Takes some of the input and gives some output: *used of n bytes, *made of room (more than 0).
// What has been made is good also where it returns false: damaged, and no further step may be made.
// With less made than room, and all input used, nothing is left inside.
bool unpack_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                 size_t room, size_t *made);

// May the input end here: is the last member or frame whole?
bool unpack_is_whole(const struct unpack *u);

#endif
