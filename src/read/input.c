// Opening captures and recognising what they are.
#include "read/input.h"

#include "base/error.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t input_read_at(const struct input *in, uint8_t *to, size_t n, uint64_t offset)
{
    size_t have = 0;
    while (have < n) {
        ssize_t got = pread(in->fd, to + have, n - have, (off_t)(offset + have));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return ERR_READ;
        }
        if (got == 0) {
            break;
        }
        have += (size_t)got;
    }
    return (int64_t)have;
}

// How often somebody who waits for a stream looks whether he was asked to stop.
#define WAIT_MS 100

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, timeout_ms) > 0;
}

static bool is_stopped(const struct input *in)
{
    return in->stop && *in->stop;
}

// The same of what a thread decompresses; of a file all n bytes, since its writer is never slow.
static int64_t read_unpacked(struct input *in, uint8_t *to, size_t n, size_t have)
{
    while (have < n && !in->at_end) {
        int timeout_ms = have > 0 && in->is_pipe ? 0 : WAIT_MS;
        size_t got = unpack_thread_read(in->unpacking, to + have, n - have, timeout_ms,
                                        &in->unpack_end, &in->packed_bytes);
        have += got;
        if (in->unpack_end == UNPACK_READ_ERROR) {
            return have > 0 ? (int64_t)have : ERR_READ; // the error comes again
        }
        if (got == 0 && timeout_ms == 0) {
            break;
        }
        in->at_end = got == 0 && (in->unpack_end != UNPACK_GOES_ON || is_stopped(in));
    }
    return (int64_t)have;
}

int64_t input_read_on(struct input *in, uint8_t *to, size_t n)
{
    size_t have = in->head_n < n ? in->head_n : n;
    if (have > 0) {
        memcpy(to, in->head, have);
        memmove(in->head, in->head + have, in->head_n - have);
        in->head_n -= have;
    }
    if (in->unpacking) {
        return read_unpacked(in, to, n, have);
    }
    while (have < n && !in->at_end) {
        if (!is_readable(in->fd, have > 0 ? 0 : WAIT_MS)) {
            in->at_end = have == 0 && is_stopped(in);
            if (have > 0) {
                break;
            }
            continue;
        }
        ssize_t got = read(in->fd, to + have, n - have);
        if (got < 0 && errno != EINTR && errno != EAGAIN) {
            return ERR_READ;
        }
        in->at_end = got == 0;
        have += got > 0 ? (size_t)got : 0;
    }
    return (int64_t)have;
}

// The time of the first packet in the head, walking with a copy of the state.
static int64_t first_time(const struct input *in, const uint8_t *p, size_t n)
{
    struct pcapng state;
    if (in->ng) {
        pcapng_copy(&state, in->ng);
    }
    while (n > 0) {
        struct cap_record record;
        struct cap_block block;
        uint64_t size;
        enum cap_step step = cap_walk_next(&in->format, &state, p, n, &record, &size, &block);
        if (step == CAP_RECORD && record.has_time) {
            return time_bounded(record.time_ns);
        }
        if (step != CAP_RECORD && step != CAP_SKIP) {
            break;
        }
        size_t skip = size < n ? (size_t)size : n;
        p += skip;
        n -= skip;
    }
    return TIME_NOT_KNOWN_NS;
}

// Walks the section header and the interfaces that stand before anything else, so that chunks are
// read with them. Each step is taken by a copy first: a block that belongs to the records leaves
// the state alone.
static size_t walk_descriptions(struct pcapng *state, const uint8_t *p, size_t n)
{
    size_t at = 0;
    struct pcapng next;
    pcapng_copy(&next, state);
    while (at < n) {
        struct cap_record record;
        struct cap_block block;
        uint64_t size;
        if (pcapng_next(&next, p + at, n - at, &record, &size, &block) != CAP_SKIP) {
            break;
        }
        bool describes = block.kind == PCAPNG_SECTION || block.kind == PCAPNG_INTERFACE;
        if (!describes || size > n - at) {
            break;
        }
        pcapng_copy(state, &next);
        at += (size_t)size;
    }
    return at;
}

static int recognise(struct input *in, const uint8_t *p, size_t n)
{
    if (n == 0) {
        return ERR_EMPTY;
    }
    if (pcap_open(&in->format.pcap, p, n) > 0) {
        in->format.kind = CAP_PCAP;
        in->records_at = PCAP_FILE_HEADER_BYTES;
    } else if (pcapng_probe(p, n) > 0) {
        in->format.kind = CAP_PCAPNG;
        in->ng = memory_zero(sizeof *in->ng);
        in->records_at = walk_descriptions(in->ng, p, n);
    } else {
        return ERR_NOT_A_CAPTURE;
    }
    in->first_ns = first_time(in, p + in->records_at, n - (size_t)in->records_at);
    return 0;
}

// Decompresses the head of a file of which `n` bytes were read. No thread: of a thousand files that
// are opened few are read at the same time.
static int recognise_packed(struct input *in, size_t n)
{
    struct unpack_file f;
    uint8_t *out = memory_alloc(INPUT_HEAD_BYTES);
    size_t made = 0;
    unpack_file_init(&f, in->fd, in->packed, in->head, n);
    if (lseek(in->fd, (off_t)n, SEEK_SET) < 0) {
        f.end = UNPACK_READ_ERROR;
    }
    while (made < INPUT_HEAD_BYTES && f.end == UNPACK_GOES_ON) {
        made += unpack_file_step(&f, out + made, INPUT_HEAD_BYTES - made);
    }
    int error = f.end == UNPACK_READ_ERROR && made == 0 ? ERR_READ : recognise(in, out, made);
    bool is_broken = f.end == UNPACK_CUT || f.end == UNPACK_DAMAGED;
    unpack_file_fini(&f);
    memory_free(out);
    return is_broken && error != 0 ? ERR_PACKED : error;
}

// Reads the head of a file.
static int open_file(struct input *in)
{
    int64_t n = input_read_at(in, in->head, INPUT_HEAD_BYTES, 0);
    int error = n < 0 ? (int)n : 0;
    if (error == 0) {
        in->packed = unpack_probe(in->head, (size_t)n);
        in->is_stream = in->packed != UNPACK_NONE;
        error =
            in->is_stream ? recognise_packed(in, (size_t)n) : recognise(in, in->head, (size_t)n);
    }
    memory_free(in->head);
    in->head = NULL;
    if (error == 0) {
        input_close(in);
    }
    return error;
}

// Reads of a stream until the first packet's time is known, and no more than the head: its writer
// may be slow.
static int open_stream(struct input *in)
{
    size_t n = 0;
    int error = ERR_EMPTY;
    enum unpack_kind kind;
    while (n < INPUT_HEAD_BYTES && !in->at_end &&
           (error != 0 || in->first_ns == TIME_NOT_KNOWN_NS)) {
        int64_t got = input_read_on(in, in->head + n, INPUT_HEAD_BYTES - n);
        if (got < 0) {
            return ERR_READ;
        }
        n += (size_t)got;
        kind = in->unpacking ? UNPACK_NONE : unpack_probe(in->head, n);
        if (kind != UNPACK_NONE) {
            in->packed = kind;
            in->at_end = false; // that was the end of the compressed bytes
            in->unpacking = unpack_thread_new(in->fd, kind, in->head, n);
            if (!in->unpacking) {
                return ERR_READ;
            }
            n = 0;
            continue;
        }
        memory_free(in->ng);
        in->ng = NULL;
        error = recognise(in, in->head, n);
    }
    if (error != 0 && (in->unpack_end == UNPACK_CUT || in->unpack_end == UNPACK_DAMAGED)) {
        return ERR_PACKED;
    }
    if (error == 0) {
        in->head_n = n - (size_t)in->records_at;
        memmove(in->head, in->head + in->records_at, in->head_n);
    }
    return error;
}

int input_open(struct input *in, const char *path, uint32_t index, const volatile bool *stop)
{
    *in = (struct input){
        .path = path, .index = index, .fd = -1, .first_ns = TIME_NOT_KNOWN_NS, .stop = stop};
    bool is_stdin = strcmp(path, "-") == 0;
    struct stat st;
    in->fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0 || fstat(in->fd, &st) != 0) {
        return ERR_OPEN;
    }
    in->is_stream = in->is_pipe = !S_ISREG(st.st_mode) || is_stdin;
    in->size = in->is_pipe ? 0 : (uint64_t)st.st_size;
    in->head = memory_alloc(INPUT_HEAD_BYTES);
    return in->is_pipe ? open_stream(in) : open_file(in);
}

// Starts the thread of a compressed file and passes over what describes its records.
static int begin_unpacking(struct input *in)
{
    uint8_t passed[4096];
    uint64_t left = in->records_at;
    in->unpacking = unpack_thread_new(in->fd, in->packed, NULL, 0);
    if (!in->unpacking) {
        return ERR_OPEN;
    }
    while (left > 0 && !in->at_end) {
        size_t n = left < sizeof passed ? (size_t)left : sizeof passed;
        int64_t got = input_read_on(in, passed, n);
        if (got < 0) {
            return ERR_READ;
        }
        left -= (uint64_t)got;
    }
    return 0;
}

int input_reopen(struct input *in)
{
    if (in->fd < 0) {
        in->fd = open(in->path, O_RDONLY | O_CLOEXEC);
    }
    if (in->fd < 0) {
        return ERR_OPEN;
    }
    return in->packed != UNPACK_NONE && !in->unpacking ? begin_unpacking(in) : 0;
}

void input_close(struct input *in)
{
    unpack_thread_free(in->unpacking);
    in->unpacking = NULL;
    if (in->fd >= 0) {
        close(in->fd);
        in->fd = -1;
    }
}

void input_fini(struct input *in)
{
    input_close(in);
    memory_free(in->ng);
    memory_free(in->head);
}

// --- directories ---

static void path_push(struct path_list *l, char *path, bool is_listed)
{
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : 16;
        l->paths = memory_resize(l->paths, l->room * sizeof *l->paths);
        l->is_listed = memory_resize(l->is_listed, l->room * sizeof *l->is_listed);
    }
    l->paths[l->count] = path;
    l->is_listed[l->count++] = is_listed;
}

static char *join(const char *folder, const char *name)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = memory_alloc(n);
    bool has_slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/';
    snprintf(path, n, "%s%s%s", folder, has_slash ? "" : "/", name);
    return path;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int add_folder(struct path_list *l, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_shown, alphasort);
    if (count < 0) {
        return ERR_OPEN;
    }
    for (int i = 0; i < count; i++) {
        char *path = join(folder, entries[i]->d_name);
        struct stat st;
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            path_push(l, path, true);
        } else {
            memory_free(path);
        }
        free(entries[i]);
    }
    free(entries);
    return 0;
}

int path_list_add(struct path_list *l, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        return add_folder(l, path);
    }
    size_t n = strlen(path) + 1;
    path_push(l, memcpy(memory_alloc(n), path, n), false);
    return 0;
}

void path_list_fini(struct path_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        memory_free(l->paths[i]);
    }
    memory_free(l->paths);
    memory_free(l->is_listed);
}
