// Counting instructions.
#include "lab/instructions.h"

#include "base/memory.h"
#include "lab/identity.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of valgrind's words, which stand at the end. Not smaller: every process of a program has its own.
// Not larger: it is held in memory.
#define WORDS_BYTES (256u * 1024)

#define COLLECTED "Collected :"

// --- the processor's counter ---

// Begins with the next program that a child of ours executes; ours is not counted. Returns a
// descriptor or -1.
static int open_counter(void)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .enable_on_exec = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// --- both ---

enum instructions_way instructions_find(void)
{
    char path[PATH_MAX];
    int fd = open_counter();
    if (fd >= 0) {
        close(fd);
        return INSTRUCTIONS_COUNTER;
    }
    return identity_find("valgrind", path) ? INSTRUCTIONS_CALLGRIND : INSTRUCTIONS_NONE;
}

const char *instructions_text(enum instructions_way way)
{
    switch (way) {
    case INSTRUCTIONS_NONE:
        return "this host gives no counter of its processor (perf_event_open), and valgrind is not "
               "installed: install it, or do without --instructions";
    case INSTRUCTIONS_COUNTER:
        return "by the processor's counter";
    case INSTRUCTIONS_CALLGRIND:
        return "by callgrind";
    }
    return "";
}

// The sum of "==123== Collected : 456" over all processes. Returns false where there is none.
static bool sum_collected(struct slice rest, uint64_t *sum)
{
    struct slice line;
    bool found = false;
    *sum = 0;
    while (slice_line(&rest, &line)) {
        const char *at = line.n > 2 && memcmp(line.p, "==", 2) == 0
                             ? memmem(line.p, line.n, COLLECTED, sizeof COLLECTED - 1)
                             : NULL;
        uint64_t count;
        if (at) {
            size_t skip = (size_t)(at - line.p) + sizeof COLLECTED - 1;
            if (slice_u64(slice_trim(slice_skip(line, skip)), UINT64_MAX, &count)) {
                *sum += count;
                found = true;
            }
        }
    }
    return found;
}

static enum instructions_end end_of(const struct child_result *r)
{
    return r->end == CHILD_INTERRUPTED                ? INSTRUCTIONS_INTERRUPTED
           : r->end == CHILD_EXITED && r->status == 0 ? INSTRUCTIONS_COUNTED
                                                      : INSTRUCTIONS_FAILED;
}

static enum instructions_end by_counter(const struct command *c, const volatile bool *stop,
                                        uint64_t *count)
{
    const struct child_options options = {.stop = stop};
    struct child_result r;
    int fd = open_counter();
    if (fd < 0 || child_run(c, &options, &r) != 0) {
        int why = errno;
        if (fd >= 0) {
            close(fd);
        }
        errno = why;
        return INSTRUCTIONS_NOT_STARTED;
    }
    enum instructions_end end = end_of(&r);
    bool is_read = read(fd, count, sizeof *count) == (ssize_t)sizeof *count && *count > 0;
    close(fd);
    child_fini(&r);
    return end == INSTRUCTIONS_COUNTED && !is_read ? INSTRUCTIONS_FAILED : end;
}

static enum instructions_end by_callgrind(const struct command *c, const volatile bool *stop,
                                          uint64_t *count)
{
    static const char *const FRONT[] = {"valgrind", "--tool=callgrind", "--trace-children=yes",
                                        "--callgrind-out-file=/dev/null"};
    const size_t front = sizeof FRONT / sizeof *FRONT;
    const struct child_options options = {.err_bytes = WORDS_BYTES, .stop = stop};
    struct command whole;
    struct child_result r;
    const char **words = memory_alloc((front + c->count) * sizeof *words);
    memcpy(words, FRONT, sizeof FRONT);
    memcpy(words + front, c->words, c->count * sizeof *words);
    command_of(&whole, words, front + c->count);
    memory_free(words);
    int error = child_run(&whole, &options, &r);
    command_fini(&whole);
    if (error != 0) {
        return INSTRUCTIONS_NOT_STARTED;
    }
    enum instructions_end end = end_of(&r);
    if (end == INSTRUCTIONS_COUNTED && !sum_collected(r.err, count)) {
        end = INSTRUCTIONS_FAILED;
    }
    child_fini(&r);
    return end;
}

enum instructions_end instructions_count(enum instructions_way way, const struct command *c,
                                         const volatile bool *stop, uint64_t *count)
{
    return way == INSTRUCTIONS_COUNTER ? by_counter(c, stop, count) : by_callgrind(c, stop, count);
}
