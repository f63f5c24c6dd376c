// Opening captures and recognising what they are.
#include "read/input.h"

#include "base/error.h"
#include "base/memory.h"
#include "read/input_packed.h"

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

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, timeout_ms) > 0;
}

bool input_is_stopped(const struct input *in)
{
    return in->stop && *in->stop;
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
        return packed_read(in, to, n, have);
    }
    while (have < n && !in->at_end) {
        if (!is_readable(in->fd, have > 0 ? 0 : INPUT_WAIT_MS)) {
            in->at_end = have == 0 && input_is_stopped(in);
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

// A head that shows no capture may begin a compression that is not read.
static int recognise_plain(struct input *in, const uint8_t *p, size_t n)
{
    int error = recognise(in, p, n);
    in->why = error == ERR_NOT_A_CAPTURE ? unpack_refused(p, n) : NULL;
    return in->why ? ERR_PACKED : error;
}

// No thread: of a thousand files that are opened few are read at the same time.
static int recognise_packed(struct input *in, size_t n)
{
    uint8_t *out = memory_alloc(INPUT_HEAD_BYTES);
    int64_t made = packed_head(in, n, out);
    int error = made < 0 ? (int)made : recognise(in, out, (size_t)made);
    memory_free(out);
    error = packed_error(in, error);
    in->unpack_end = UNPACK_GOES_ON; // that was of the head
    return error;
}

// Reads the head of a file.
static int open_file(struct input *in)
{
    int64_t n = input_read_at(in, in->head, INPUT_HEAD_BYTES, 0);
    int error = n < 0 ? (int)n : 0;
    if (error == 0) {
        in->packed = unpack_probe(in->head, (size_t)n);
        in->is_stream = in->packed != UNPACK_NONE;
        error = in->is_stream ? recognise_packed(in, (size_t)n)
                              : recognise_plain(in, in->head, (size_t)n);
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
            in->unpacking = unpack_stream_new(in->fd, kind, in->head, n);
            n = 0;
            continue;
        }
        memory_free(in->ng);
        in->ng = NULL;
        error = in->unpacking ? recognise(in, in->head, n) : recognise_plain(in, in->head, n);
    }
    if (error != 0) {
        return in->unpacking ? packed_error(in, error) : error;
    }
    in->head_n = n - (size_t)in->records_at;
    memmove(in->head, in->head + in->records_at, in->head_n);
    return 0;
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

int input_reopen(struct input *in)
{
    bool was_open = in->fd >= 0;
    if (!was_open) {
        in->fd = open(in->path, O_RDONLY | O_CLOEXEC);
    }
    if (in->fd < 0) {
        return ERR_OPEN;
    }
    return was_open || in->packed == UNPACK_NONE ? 0 : packed_reopen(in);
}

void input_rest(struct input *in)
{
    bool can = !in->is_pipe && (!in->unpacking || unpack_stream_rest(in->unpacking));
    if (in->fd >= 0 && can) {
        close(in->fd);
        in->fd = -1;
    }
}

void input_close(struct input *in)
{
    unpack_stream_free(in->unpacking);
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
