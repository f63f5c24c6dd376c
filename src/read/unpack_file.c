// Reading a descriptor and decompressing what it gives.
#include "read/unpack_file.h"

#include "base/memory.h"

#include <errno.h>
#include <poll.h>
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
    } else if (got == 0 && !f->is_ending) {
        unpack_ends(f->unpack);
        f->is_ending = true;
        f->is_hungry = false; // a last step without input
    } else if (got == 0) {
        f->end = unpack_verdict(f->unpack);
    } else if (errno != EINTR && errno != EAGAIN) {
        f->end = UNPACK_READ_ERROR;
        f->read_errno = errno;
    }
}

size_t unpack_file_step(struct unpack_file *f, uint8_t *out, size_t room)
{
    size_t used;
    size_t made;
    if (!f->buffer) {
        f->buffer = memory_alloc(UNPACK_READ_BYTES);
    }
    if (f->end == UNPACK_GOES_ON && f->is_hungry) {
        fill(f);
    }
    if (f->end != UNPACK_GOES_ON || f->is_hungry) {
        return 0;
    }
    size_t left = f->n - f->at;
    if (!unpack_step(f->unpack, f->buffer + f->at, left, &used, out, room, &made)) {
        f->end = unpack_verdict(f->unpack);
    } else if (left > 0 && used == 0 && made == 0) {
        f->end = UNPACK_DAMAGED; // no library stands still, or we would spin
    }
    f->at += used;
    f->is_hungry = f->at == f->n && made < room;
    return made;
}

bool unpack_file_must_wait(const struct unpack_file *f, int timeout_ms)
{
    struct pollfd p = {.fd = f->fd, .events = POLLIN};
    return f->end == UNPACK_GOES_ON && f->is_hungry && poll(&p, 1, timeout_ms) <= 0;
}

bool unpack_file_rest(struct unpack_file *f)
{
    uint64_t taken = f->bytes_read - (f->n - f->at);
    if (lseek(f->fd, (off_t)taken, SEEK_SET) < 0) {
        return false;
    }
    memory_free(f->buffer);
    f->buffer = NULL;
    f->bytes_read = taken;
    f->at = f->n = 0;
    return true;
}

void unpack_file_resume(struct unpack_file *f, int fd)
{
    f->fd = fd;
    if (lseek(fd, (off_t)f->bytes_read, SEEK_SET) < 0) {
        f->end = UNPACK_READ_ERROR;
        f->read_errno = errno;
    }
}
