// A thread that decompresses ahead of its reader into a ring: decompressing is most of the work of
// reading a compressed capture, and cannot be divided.
//
// Owns its thread, the ring and the decompressor, not the descriptor. A reader that does not come
// stops it when the ring is full: however much a file decompresses to, no more than the ring of it
// is there.
#ifndef SIDETONE_READ_UNPACK_THREAD_H
#define SIDETONE_READ_UNPACK_THREAD_H

#include "read/unpack_file.h"

// Not smaller: the thread goes on while a window of chunks is decoded. Not larger: it should stay
// in the cache of the processor.
#define UNPACK_RING_BYTES (1u << 20)

struct unpack_thread;

// Takes over the file. NULL: the system gives no thread (errno says why), and the file is still the
// caller's.
struct unpack_thread *unpack_thread_new(const struct unpack_file *file);

// Ends the thread, also in the middle or waiting for its input: within a tenth of a second.
void unpack_thread_free(struct unpack_thread *t);

// Takes up to n bytes of what is there, waiting at most timeout_ms for the first. Returns the
// count; 0 with *end other than UNPACK_GOES_ON is the end (errno is set for UNPACK_READ_ERROR).
// *bytes_read: compressed bytes so far. One reader.
size_t unpack_thread_read(struct unpack_thread *t, uint8_t *to, size_t n, int timeout_ms,
                          enum unpack_end *end, uint64_t *bytes_read);

#endif
