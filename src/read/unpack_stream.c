// Which way a compressed input is read.
#include "read/unpack_stream.h"

#include "base/memory.h"
#include "read/unpack_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Decompressed at once into the temporary file.
#define ASIDE_BYTES 131072u

struct unpack_stream {
    struct unpack_file file;      // without a thread
    struct unpack_thread *thread; // has taken over the file
    struct unpack_limits *limits; // of the last reading
    uint64_t held;                // counted in limits->held
    bool is_file;                 // can be put aside: its end does not depend on a writer
    bool is_aside;                // what is left is in the temporary file, up to aside_end
    bool refused;                 // the system gave no thread: it is not asked again
    uint64_t aside_at, aside_end;
};

void unpack_limits_init(struct unpack_limits *l, const volatile bool *stop)
{
    *l = (struct unpack_limits){.threads_max = UNPACK_THREADS_MAX,
                                .held_max = UNPACK_HELD_BYTES_MAX,
                                .aside_fd = -1,
                                .stop = stop};
}

void unpack_limits_fini(struct unpack_limits *l)
{
    if (l->aside_fd >= 0) {
        close(l->aside_fd);
        l->aside_fd = -1;
    }
}

struct unpack_stream *unpack_stream_new(int fd, enum unpack_kind kind, const uint8_t *head,
                                        size_t n)
{
    struct unpack_stream *s = memory_zero(sizeof *s);
    struct stat st;
    unpack_file_init(&s->file, fd, kind, head, n);
    s->is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    return s;
}

static void count_held(struct unpack_stream *s, uint64_t held)
{
    s->limits->held = s->limits->held - s->held + held;
    s->held = held;
}

void unpack_stream_free(struct unpack_stream *s)
{
    if (!s) {
        return;
    }
    if (s->thread) {
        unpack_thread_free(s->thread);
        s->limits->threads--;
    } else {
        unpack_file_fini(&s->file);
    }
    if (s->limits) {
        count_held(s, 0);
    }
    memory_free(s);
}

static void take_thread(struct unpack_stream *s)
{
    if (s->limits->threads >= s->limits->threads_max || s->refused || s->is_aside ||
        s->file.end != UNPACK_GOES_ON) {
        return;
    }
    s->thread = unpack_thread_new(&s->file);
    s->refused = !s->thread;
    if (s->thread) {
        s->limits->threads++;
        count_held(s, 0);
    }
}

// --- putting aside ---

// A file that nobody else sees and that is gone when it is closed.
static int aside_open(void)
{
    const char *folder = secure_getenv("TMPDIR");
    folder = folder && folder[0] != '\0' ? folder : "/tmp";
    size_t n = strlen(folder) + sizeof "/sidetone-XXXXXX";
    char *path = memory_alloc(n);
    snprintf(path, n, "%s/sidetone-XXXXXX", folder);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    memory_free(path);
    return fd;
}

static bool aside_write(struct unpack_limits *l, const uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t put = pwrite(l->aside_fd, p, n, (off_t)l->aside_end);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return false;
        }
        p += put;
        n -= (size_t)put;
        l->aside_end += (uint64_t)put;
    }
    return true;
}

// Decompresses all that is left, so that the library's state can go. Each file is decompressed once
// only, whatever the order of reading.
static void put_aside(struct unpack_stream *s)
{
    struct unpack_limits *l = s->limits;
    struct unpack_file *f = &s->file;
    l->aside_fd = l->aside_fd < 0 ? aside_open() : l->aside_fd;
    if (l->aside_fd < 0) {
        f->end = UNPACK_READ_ERROR;
        f->read_errno = errno;
    }
    uint8_t *piece = memory_alloc(ASIDE_BYTES);
    s->is_aside = true;
    s->aside_at = l->aside_end;
    while (f->end == UNPACK_GOES_ON && !(l->stop && *l->stop)) {
        size_t made = unpack_file_step(f, piece, ASIDE_BYTES);
        if (!aside_write(l, piece, made)) {
            f->end = UNPACK_READ_ERROR;
            f->read_errno = errno;
        }
    }
    s->aside_end = l->aside_end;
    memory_free(piece);
    unpack_file_fini(f);
    count_held(s, 0);
}

static size_t read_aside(struct unpack_stream *s, uint8_t *to, size_t n)
{
    uint64_t left = s->aside_end - s->aside_at;
    size_t want = left < n ? (size_t)left : n;
    ssize_t got = want > 0 ? pread(s->limits->aside_fd, to, want, (off_t)s->aside_at) : 0;
    if (want > 0 && got <= 0 && !(got < 0 && errno == EINTR)) {
        s->file.end = UNPACK_READ_ERROR;
        s->file.read_errno = got < 0 ? errno : EIO;
        s->aside_at = s->aside_end;
    }
    got = got > 0 ? got : 0;
    s->aside_at += (uint64_t)got;
    return (size_t)got;
}

// --- reading ---

static size_t read_direct(struct unpack_stream *s, uint8_t *to, size_t n, int timeout_ms)
{
    if (s->is_aside) {
        return read_aside(s, to, n);
    }
    if (unpack_file_must_wait(&s->file, timeout_ms)) {
        return 0;
    }
    size_t made = unpack_file_step(&s->file, to, n);
    if (s->limits) {
        count_held(s, unpack_bytes(s->file.unpack));
        if (s->limits->held > s->limits->held_max && s->is_file) {
            put_aside(s);
        }
    }
    return made;
}

size_t unpack_stream_read(struct unpack_stream *s, struct unpack_limits *limits, uint8_t *to,
                          size_t n, int timeout_ms, enum unpack_end *end, uint64_t *bytes_read)
{
    s->limits = limits;
    if (limits && !s->thread) {
        take_thread(s);
    }
    if (s->thread) {
        return unpack_thread_read(s->thread, to, n, timeout_ms, end, bytes_read);
    }
    size_t made = read_direct(s, to, n, timeout_ms);
    *end = made == 0 && s->aside_at == s->aside_end ? s->file.end : UNPACK_GOES_ON;
    *bytes_read = s->file.bytes_read;
    if (*end == UNPACK_READ_ERROR) {
        errno = s->file.read_errno;
    }
    return made;
}

bool unpack_stream_rest(struct unpack_stream *s)
{
    return s->is_aside || (!s->thread && unpack_file_rest(&s->file));
}

void unpack_stream_resume(struct unpack_stream *s, int fd)
{
    if (!s->is_aside) {
        unpack_file_resume(&s->file, fd);
    }
}
