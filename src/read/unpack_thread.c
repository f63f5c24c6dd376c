// The ring between a decompressing thread and the reader, by a lock and two conditions: taken once
// for pieces of many kilobytes.
#include "read/unpack_thread.h"

#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

// Made in a step: one block of zstd.
#define PIECE_BYTES 131072u
// How often a thread that waits for its input looks whether it should end.
#define WAIT_MS 100

struct unpack_thread {
    pthread_t thread;
    struct unpack_file file; // the thread's
    uint8_t *piece;          // the thread's
    uint8_t *ring;           // parts in use are the reader's, the rest the thread's
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    // under the lock
    uint64_t put, taken; // bytes since the start
    uint64_t bytes_read;
    enum unpack_end end;
    int read_errno;
    bool ends;
};

// Tells how far the input is, and hands on what was made, waiting for room. Returns false to end.
static bool publish(struct unpack_thread *t, const uint8_t *made, size_t n)
{
    pthread_mutex_lock(&t->lock);
    while (n > 0 && !t->ends) {
        size_t at = (size_t)(t->put % UNPACK_RING_BYTES);
        size_t room = UNPACK_RING_BYTES - (size_t)(t->put - t->taken);
        room = room < UNPACK_RING_BYTES - at ? room : UNPACK_RING_BYTES - at;
        room = room < n ? room : n;
        if (room == 0) {
            pthread_cond_wait(&t->emptied, &t->lock);
            continue;
        }
        memcpy(t->ring + at, made, room);
        t->put += room;
        made += room;
        n -= room;
        pthread_cond_signal(&t->filled);
    }
    t->bytes_read = t->file.bytes_read;
    t->end = t->file.end;
    t->read_errno = t->file.read_errno;
    pthread_cond_signal(&t->filled);
    bool is_over = t->ends || t->end != UNPACK_GOES_ON;
    pthread_mutex_unlock(&t->lock);
    return !is_over;
}

// Nothing to read yet? Files are always readable.
static bool must_wait(const struct unpack_file *f)
{
    struct pollfd p = {.fd = f->fd, .events = POLLIN};
    return f->is_hungry && poll(&p, 1, WAIT_MS) <= 0;
}

// Steps always have the same room, whatever the reader has taken: what is lost of a damaged file
// must not depend on him.
static void *thread_main(void *arg)
{
    struct unpack_thread *t = arg;
    struct unpack_file *f = &t->file;
    size_t made = 0;
    do {
        made = must_wait(f) ? 0 : unpack_file_step(f, t->piece, PIECE_BYTES);
    } while (publish(t, t->piece, made));
    return NULL;
}

struct unpack_thread *unpack_thread_new(int fd, enum unpack_kind kind, const uint8_t *head,
                                        size_t n)
{
    struct unpack_thread *t = memory_zero(sizeof *t);
    pthread_condattr_t monotonic;
    unpack_file_init(&t->file, fd, kind, head, n);
    t->piece = memory_alloc(PIECE_BYTES);
    t->ring = memory_alloc(UNPACK_RING_BYTES);
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&t->filled, &monotonic);
    pthread_cond_init(&t->emptied, NULL);
    pthread_condattr_destroy(&monotonic);
    int error = pthread_create(&t->thread, NULL, thread_main, t);
    if (error != 0) {
        t->ends = true;
        t->thread = pthread_self();
        unpack_thread_free(t);
        errno = error;
        return NULL;
    }
    return t;
}

void unpack_thread_free(struct unpack_thread *t)
{
    if (!t) {
        return;
    }
    if (!pthread_equal(t->thread, pthread_self())) { // else it never began
        pthread_mutex_lock(&t->lock);
        t->ends = true;
        pthread_cond_signal(&t->emptied);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
    }
    pthread_cond_destroy(&t->filled);
    pthread_cond_destroy(&t->emptied);
    pthread_mutex_destroy(&t->lock);
    unpack_file_fini(&t->file);
    memory_free(t->ring);
    memory_free(t->piece);
    memory_free(t);
}

// Waits until something is there or nothing comes any more. With the lock held.
static void wait_filled(struct unpack_thread *t, int timeout_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)timeout_ms * 1000000;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    int error = 0;
    while (t->put == t->taken && t->end == UNPACK_GOES_ON && error == 0) {
        error = pthread_cond_timedwait(&t->filled, &t->lock, &until);
    }
}

size_t unpack_thread_read(struct unpack_thread *t, uint8_t *to, size_t n, int timeout_ms,
                          enum unpack_end *end, uint64_t *bytes_read)
{
    pthread_mutex_lock(&t->lock);
    if (t->put == t->taken && t->end == UNPACK_GOES_ON && timeout_ms > 0) {
        wait_filled(t, timeout_ms);
    }
    size_t there = (size_t)(t->put - t->taken);
    size_t at = (size_t)(t->taken % UNPACK_RING_BYTES);
    *end = there == 0 ? t->end : UNPACK_GOES_ON;
    *bytes_read = t->bytes_read;
    int read_errno = t->read_errno;
    pthread_mutex_unlock(&t->lock);
    size_t have = there < n ? there : n;
    size_t first = have < UNPACK_RING_BYTES - at ? have : UNPACK_RING_BYTES - at;
    memcpy(to, t->ring + at, first);
    memcpy(to + first, t->ring, have - first);
    pthread_mutex_lock(&t->lock);
    t->taken += have;
    pthread_cond_signal(&t->emptied);
    pthread_mutex_unlock(&t->lock);
    if (*end == UNPACK_READ_ERROR) {
        errno = read_errno;
    }
    return have;
}
