// A compressed file or pipe, read a step at a time by whoever calls.
#ifndef SIDETONE_READ_UNPACK_FILE_H
#define SIDETONE_READ_UNPACK_FILE_H

#include "read/unpack.h"

// Compressed bytes read at once.
#define UNPACK_READ_BYTES 65536u

enum unpack_end {
    UNPACK_GOES_ON,
    UNPACK_WHOLE,
    UNPACK_CUT,        // the compressed data ends inside a member or frame
    UNPACK_DAMAGED,    // it cannot be what a compressor wrote
    UNPACK_READ_ERROR, // reading failed: `read_errno`
};

struct unpack_file {
    int fd; // borrowed
    struct unpack *unpack;
    uint8_t *buffer; // UNPACK_READ_BYTES
    size_t at, n;
    uint64_t bytes_read; // compressed
    bool is_hungry;      // the next step reads
    enum unpack_end end;
    int read_errno;
};

// `head`: what of it was read already; at most UNPACK_READ_BYTES.
void unpack_file_init(struct unpack_file *f, int fd, enum unpack_kind kind, const uint8_t *head,
                      size_t n);
void unpack_file_fini(struct unpack_file *f);

// Reads if nothing else can be done, and decompresses once. Returns the bytes made, often 0;
// f->end says when there are no more.
size_t unpack_file_step(struct unpack_file *f, uint8_t *out, size_t room);

#endif
