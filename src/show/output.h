// Buffered bytes on their way out: what every form of a report is written to.
//
// Comes in: pieces of text. Goes out: whole buffers of 64 KiB to a sink (a file descriptor, or
// memory in tests), one call each. The first error is kept and everything after it is dropped, so
// that writers need not look at every step: they ask once, at the end. Owned by one thread.
#ifndef SIDETONE_SHOW_OUTPUT_H
#define SIDETONE_SHOW_OUTPUT_H

#include "base/slice.h"

#define OUTPUT_BYTES 65536

// Takes n bytes; returns 0 or the errno of what went wrong.
typedef int output_sink(void *context, const char *p, size_t n);

struct output {
    output_sink *sink;
    void *context;
    int fd;    // of output_init_fd; else -1
    int error; // errno of the first failure, 0 while all is well
    size_t n;
    char buffer[OUTPUT_BYTES];
};

void output_init(struct output *o, output_sink *sink, void *context);
void output_init_fd(struct output *o, int fd);

// Hands what is buffered to the sink. Returns o->error.
int output_flush(struct output *o);

void output_bytes_slow(struct output *o, const char *p, size_t n);

static inline void output_bytes(struct output *o, const char *p, size_t n)
{
    if (n <= OUTPUT_BYTES - o->n) {
        memcpy(o->buffer + o->n, p, n);
        o->n += n;
    } else {
        output_bytes_slow(o, p, n);
    }
}

static inline void output_slice(struct output *o, struct slice s)
{
    if (s.n > 0) {
        output_bytes(o, s.p, s.n);
    }
}

// Room for n bytes (at most OUTPUT_BYTES) to write in place; output_took says how many were
// written.
static inline char *output_room(struct output *o, size_t n)
{
    if (n > OUTPUT_BYTES - o->n) {
        output_flush(o);
    }
    return o->buffer + o->n;
}

static inline void output_took(struct output *o, size_t n)
{
    o->n += n;
}

#define OUTPUT(o, literal) output_bytes((o), (literal), sizeof(literal) - 1)

#endif
