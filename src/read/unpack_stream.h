// What a compressed input decompresses to, read in order: by a thread ahead of the reader, by the
// reader himself where enough threads run, or from a temporary file where memory is short.
//
// Inputs share limits, so that a thousand compressed files that overlap need no more than
// UNPACK_THREADS_MAX threads with their rings, UNPACK_HELD_BYTES_MAX and the state of one input.
// One reader reads all of them. What is read does not depend on the limits.
#ifndef SIDETONE_READ_UNPACK_STREAM_H
#define SIDETONE_READ_UNPACK_STREAM_H

#include "read/unpack_file.h"

// Threads of all inputs. Not smaller: as many files as are read with full chunks (SOURCES_WIDE of
// the engine) each have one. Not larger: each holds a ring, a descriptor and its library's state.
#define UNPACK_THREADS_MAX 16
// What libraries hold for files without a thread that are read in turns. Not smaller: a thousand
// gzip files need 45 MB. Not larger: of zstd and lz4 each may need megabytes, and these files
// overlap, which is rare. Beyond it a file is decompressed at once into a temporary file.
#define UNPACK_HELD_BYTES_MAX (512u << 20)

struct unpack_limits {
    unsigned threads_max; // the fields of one reading: limits and what is used of them
    uint64_t held_max;
    unsigned threads;
    uint64_t held;
    int aside_fd; // the temporary file of all inputs, which has no name any more; -1: none yet
    uint64_t aside_end;
    const volatile bool *stop; // may be NULL
};

void unpack_limits_init(struct unpack_limits *l, const volatile bool *stop);
void unpack_limits_fini(struct unpack_limits *l); // after the streams

struct unpack_stream;

// As unpack_file_init.
struct unpack_stream *unpack_stream_new(int fd, enum unpack_kind kind, const uint8_t *head,
                                        size_t n);
void unpack_stream_free(struct unpack_stream *s); // NULL is fine

// Takes up to n bytes, waiting at most timeout_ms for input. Returns the count; 0 with *end other
// than UNPACK_GOES_ON is the end (errno is set for UNPACK_READ_ERROR). *bytes_read: compressed
// bytes so far. `limits`: the same each time, or NULL: no thread, and no limit.
size_t unpack_stream_read(struct unpack_stream *s, struct unpack_limits *limits, uint8_t *to,
                          size_t n, int timeout_ms, enum unpack_end *end, uint64_t *bytes_read);

// As unpack_file_rest: false where the descriptor is needed.
bool unpack_stream_rest(struct unpack_stream *s);
void unpack_stream_resume(struct unpack_stream *s, int fd);

#endif
