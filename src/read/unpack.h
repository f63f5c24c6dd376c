// Decompressing gzip, zstd and lz4 by one interface: bytes in, bytes out, a step at a time.
//
// Comes in: compressed bytes in pieces of any size. Goes out: what they decompress to, the same for
// all pieces and rooms, also before damage. Several members or frames are one content; frames to be
// skipped are skipped; what follows the last gzip member and begins no other is ignored, as gzip
// does. RFC 1952, RFC 8878, the LZ4 frame format. No I/O.
#ifndef SIDETONE_READ_UNPACK_H
#define SIDETONE_READ_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The largest window of zstd, as a power of two: 128 MiB. Not smaller: it is what `zstd -d` takes
// without being asked to, and what --ultra -22 writes. Not larger: a file that somebody else made
// would decide that 2 GiB of memory are used.
#define UNPACK_WINDOW_LOG 27
#define UNPACK_WINDOW_TEXT                                                                         \
    "its zstd window is larger than 128 MiB; decompress it first (zstd -d --long=31)"

enum unpack_kind {
    UNPACK_NONE, // not compressed, as far as we know
    UNPACK_GZIP,
    UNPACK_ZSTD,
    UNPACK_LZ4,
    UNPACK_SKIPPABLE // a frame to be skipped, of zstd or lz4: what follows says of which
};

// How compressed data ends.
enum unpack_end {
    UNPACK_GOES_ON,
    UNPACK_WHOLE,
    UNPACK_TRAILED,    // whole, and what follows the last member is something else
    UNPACK_CUT,        // it ends inside a member or frame
    UNPACK_DAMAGED,    // it cannot be what a compressor wrote
    UNPACK_WINDOW,     // zstd: needs a larger window than UNPACK_WINDOW_LOG
    UNPACK_READ_ERROR, // reading it failed
};

// What the first bytes begin.
enum unpack_kind unpack_probe(const uint8_t *p, size_t n);

// What to do about a compression that is recognised and not read, a sentence; NULL: none of these.
const char *unpack_refused(const uint8_t *p, size_t n);

struct unpack;

// Not for UNPACK_NONE.
struct unpack *unpack_new(enum unpack_kind kind);
void unpack_free(struct unpack *u); // NULL is fine

// Takes some of the input and gives some output: *used of n bytes, *made of room (more than 0).
// False: no further step may be made, unpack_verdict says why; what has been made is good.
// With less made than room, and all input used, nothing is left inside until unpack_ends.
bool unpack_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                 size_t room, size_t *made);

// No more input comes: further steps with n = 0 give what a last, incomplete piece has.
void unpack_ends(struct unpack *u);

// What it would mean that the input ends here, or why a step returned false; never UNPACK_GOES_ON.
enum unpack_end unpack_verdict(const struct unpack *u);

// Memory that the library holds for it, about: the window or block and its tables.
size_t unpack_bytes(const struct unpack *u);

#endif
