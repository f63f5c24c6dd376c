// Reading a descriptor and decompressing what it gives.
#include "read/unpack_file.h"

#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void unpack_file_init(struct unpack_file *f, int fd, enum unpack_kind kind, const uint8_t *head,
                      size_t n)
{
    *f = (struct unpack_file){
        .fd = fd, .unpack = unpack_new(kind), .n = n, .bytes_read = n, .is_hungry = n == 0};
    f->buffer = memory_alloc(UNPACK_READ_BYTES);
    if (n > 0) {
        memcpy(f->buffer, head, n);
    }
}

void unpack_file_fini(struct unpack_file *f)
{
    unpack_free(f->unpack);
    memory_free(f->buffer);
    f->unpack = NULL;
    f->buffer = NULL;
}

static void fill(struct unpack_file *f)
{
    ssize_t got = read(f->fd, f->buffer, UNPACK_READ_BYTES);
    if (got > 0) {
        f->at = 0;
        f->n = (size_t)got;
        f->bytes_read += (uint64_t)got;
        f->is_hungry = false;
    } else if (got == 0) {
        f->end = unpack_is_whole(f->unpack) ? UNPACK_WHOLE : UNPACK_CUT;
    } else if (errno != EINTR && errno != EAGAIN) {
        f->end = UNPACK_READ_ERROR;
        f->read_errno = errno;
    }
}

size_t unpack_file_step(struct unpack_file *f, uint8_t *out, size_t room)
{
    size_t used;
    size_t made;
    if (f->end == UNPACK_GOES_ON && f->is_hungry) {
        fill(f);
    }
    if (f->end != UNPACK_GOES_ON || f->is_hungry) {
        return 0;
    }
    size_t left = f->n - f->at;
    if (!unpack_step(f->unpack, f->buffer + f->at, left, &used, out, room, &made) ||
        (left > 0 && used == 0 && made == 0)) { // no library stands still, or the thread would spin
        f->end = UNPACK_DAMAGED;
    }
    f->at += used;
    f->is_hungry = f->at == f->n && made < room;
    return made;
}
