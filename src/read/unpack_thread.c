// The ring between a decompressing thread and the reader, by a lock and two conditions: taken once
// for pieces of many kilobytes.
#include "read/unpack_thread.h"

#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

// Room that the thread waits for before it goes on. Not smaller: each step takes the lock. Not
// larger: it should go on before the ring is empty.
#define ROOM_BYTES (UNPACK_RING_BYTES / 8)
// How often a thread that waits for its input looks whether it should end.
#define WAIT_MS 100

struct unpack_thread {
    pthread_t thread;
    struct unpack_file file; // the thread's
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

// Waits for room; returns where it begins.
static uint8_t *wait_room(struct unpack_thread *t, size_t *room)
{
    pthread_mutex_lock(&t->lock);
    while (UNPACK_RING_BYTES - (size_t)(t->put - t->taken) < ROOM_BYTES && !t->ends) {
        pthread_cond_wait(&t->emptied, &t->lock);
    }
    size_t at = (size_t)(t->put % UNPACK_RING_BYTES);
    size_t free_bytes = UNPACK_RING_BYTES - (size_t)(t->put - t->taken);
    *room = free_bytes < UNPACK_RING_BYTES - at ? free_bytes : UNPACK_RING_BYTES - at;
    bool ends = t->ends;
    pthread_mutex_unlock(&t->lock);
    return ends ? NULL : t->ring + at;
}

// Hands on what was made and tells how far the input is. Returns false to end.
static bool publish(struct unpack_thread *t, size_t made)
{
    pthread_mutex_lock(&t->lock);
    t->put += made;
    t->bytes_read = t->file.bytes_read;
    t->end = t->file.end;
    t->read_errno = t->file.read_errno;
    bool is_over = t->ends || t->end != UNPACK_GOES_ON;
    if (made > 0 || is_over) {
        pthread_cond_signal(&t->filled);
    }
    pthread_mutex_unlock(&t->lock);
    return !is_over;
}

static void *thread_main(void *arg)
{
    struct unpack_thread *t = arg;
    size_t room, made;
    uint8_t *to;
    do {
        to = wait_room(t, &room);
        bool waits = !to || unpack_file_must_wait(&t->file, WAIT_MS);
        made = waits ? 0 : unpack_file_step(&t->file, to, room);
    } while (publish(t, made));
    return NULL;
}

static void release(struct unpack_thread *t)
{
    pthread_cond_destroy(&t->filled);
    pthread_cond_destroy(&t->emptied);
    pthread_mutex_destroy(&t->lock);
    memory_free(t->ring);
    memory_free(t);
}

struct unpack_thread *unpack_thread_new(const struct unpack_file *file)
{
    struct unpack_thread *t = memory_zero(sizeof *t);
    pthread_condattr_t monotonic;
    t->file = *file;
    t->ring = memory_alloc(UNPACK_RING_BYTES);
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&t->filled, &monotonic);
    pthread_cond_init(&t->emptied, NULL);
    pthread_condattr_destroy(&monotonic);
    int error = pthread_create(&t->thread, NULL, thread_main, t);
    if (error != 0) {
        release(t);
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
    pthread_mutex_lock(&t->lock);
    t->ends = true;
    pthread_cond_signal(&t->emptied);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    unpack_file_fini(&t->file);
    release(t);
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
