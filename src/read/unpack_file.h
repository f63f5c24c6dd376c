// A compressed file or pipe, read a step at a time by whoever calls.
#ifndef SIDETONE_READ_UNPACK_FILE_H
#define SIDETONE_READ_UNPACK_FILE_H

#include "read/unpack.h"

// Compressed bytes read at once. Not smaller: each costs a system call. Not larger: every file that
// is being read has such a buffer.
#define UNPACK_READ_BYTES 65536u

struct unpack_file {
    int fd; // borrowed
    struct unpack *unpack;
    uint8_t *buffer; // UNPACK_READ_BYTES; NULL while it rests
    size_t at, n;
    uint64_t bytes_read; // compressed
    bool is_hungry;      // the next step reads
    bool is_ending;      // there is nothing more to read
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

// Would the next step wait longer than this for its input? Files are always readable.
bool unpack_file_must_wait(const struct unpack_file *f, int timeout_ms);

// Gives up the buffer and the descriptor of a file (not of a pipe), which the caller may close;
// before the next step unpack_file_resume gives another one. False: it cannot be read again.
bool unpack_file_rest(struct unpack_file *f);
void unpack_file_resume(struct unpack_file *f, int fd);

#endif
