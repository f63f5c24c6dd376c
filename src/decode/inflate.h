// Compressed payloads of HEP envelopes (chunk 0x0010): the registry says "gzip/inflate", and
// senders write zlib, gzip and bare deflate.
//
// Comes in: the whole payload. Goes out: what is in it, in an arena. Memory and time are bounded by
// the caller's `max`, whatever the payload says about itself.
#ifndef SIDETONE_DECODE_INFLATE_H
#define SIDETONE_DECODE_INFLATE_H

#include "base/arena.h"

// Bytes of a payload. Not smaller: a message over TCP may have as many (CARRIED_MESSAGE_MAX). Not
// larger: an envelope has at most 64 kB, and a sender may send any number of them.
#define HEP_INFLATED_MAX ((size_t)1 << 20)
// How many times its size a payload may unfold to. Not smaller: messages that repeat themselves
// shrink to a twentieth. Not larger: all payloads of a chunk stay in memory until it is folded, and
// deflate can do a thousand.
#define HEP_INFLATED_RATIO 32

// Unfolds a zlib (RFC 1950), gzip (RFC 1952) or bare deflate (RFC 1951) stream into `a`. What
// stands behind its end is ignored. False, with *out empty and nothing taken from the arena: it is
// damaged, cut, or gives more than `max` bytes.
bool inflate_into(struct arena *a, struct slice in, size_t max, struct slice *out);

#endif
