// Buffered bytes on their way out.
#include "show/output.h"

#include "base/write_all.h"

#include <errno.h>

static int to_fd(void *context, const char *p, size_t n)
{
    const struct output *o = context;
    return write_all(o->fd, p, n) == 0 ? 0 : errno;
}

void output_init(struct output *o, output_sink *sink, void *context)
{
    o->sink = sink;
    o->context = context;
    o->fd = -1;
    o->error = 0;
    o->n = 0;
}

void output_init_fd(struct output *o, int fd)
{
    output_init(o, to_fd, o);
    o->fd = fd;
}

int output_flush(struct output *o)
{
    if (o->n > 0 && o->error == 0) {
        o->error = o->sink(o->context, o->buffer, o->n);
    }
    o->n = 0;
    return o->error;
}

// Fills the buffer to its last byte before it is handed on, so that every call but the last is of
// full size.
void output_bytes_slow(struct output *o, const char *p, size_t n)
{
    while (n > 0) {
        size_t part = OUTPUT_BYTES - o->n;
        if (part > n) {
            part = n;
        }
        memcpy(o->buffer + o->n, p, part);
        o->n += part;
        p += part;
        n -= part;
        if (o->n == OUTPUT_BYTES) {
            output_flush(o);
        }
    }
}
