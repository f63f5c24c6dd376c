// Opening and reading inputs that are compressed.
#ifndef SIDETONE_READ_INPUT_PACKED_H
#define SIDETONE_READ_INPUT_PACKED_H

#include "read/input.h"

// Decompresses the head of a file of which `head_n` bytes were read into in->head, into out (of
// INPUT_HEAD_BYTES). Returns the count or ERR_READ; in->unpack_end says whether that was all.
int64_t packed_head(struct input *in, size_t head_n, uint8_t *out);

// What is to be said of a compressed input (in->unpack_end) whose head, `n` decompressed bytes,
// shows no capture: the error, and in->why.
int packed_error(struct input *in, int error);

// input_read_on behind the `have` bytes that `to` has already.
int64_t packed_read(struct input *in, uint8_t *to, size_t n, size_t have);

// Opens a recognised file at in->records_at, or goes on where it rested. Returns 0 or ERR_READ.
int packed_reopen(struct input *in);

#endif
