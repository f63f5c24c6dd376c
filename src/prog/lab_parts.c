// Files, ourselves, and a line of progress.
#include "prog/lab_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/write_all.h"
#include "prog/interrupt.h"
#include "prog/prog.h"
#include "prog/terminal.h"
#include "show/text_put.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Columns of a line that goes to no terminal.
#define PIPE_COLUMNS 160

bool lab_self(const char *verb, char out[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (n <= 0) {
        fprintf(stderr, "%s: this program does not find itself in /proc: %s\n", verb,
                strerror(errno));
        return false;
    }
    out[n] = 0;
    return true;
}

bool lab_sha256(const char *verb, const char *path, char out[SHA256_HEX_BYTES])
{
    struct sha256 sha = sha256_of_path(path, interrupt_flag());
    if (sha.end != SHA256_KNOWN) {
        fprintf(stderr, "%s: the SHA-256 of %s is %s\n", verb, path, sha256_why_not(&sha));
        return false;
    }
    memcpy(out, sha.hex, SHA256_HEX_BYTES);
    return true;
}

// For struct series_options: shows on a terminal what is run. `context`: the arms.
static void lab_before(void *context, const struct series_at *at)
{
    const struct series_arm *arms = context;
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%" PRIu32 " of %" PRIu32 "  %s", at->done + 1, at->total,
                arms[at->arm].name);
    }
}

void lab_after(void)
{
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
}

// The last line that a program said, safe for a terminal.
static void say_last_words(struct slice said)
{
    static struct output out;
    said = slice_trim(said);
    for (size_t i = said.n; i > 0; i--) {
        if (said.p[i - 1] == '\n') {
            said = slice_skip(said, i);
            break;
        }
    }
    if (said.n == 0) {
        return;
    }
    output_init_fd(&out, STDERR_FILENO);
    OUTPUT(&out, "  it said: ");
    put_safe(&out, said, 200);
    OUTPUT(&out, "\n");
    output_flush(&out);
}

int lab_series_status(const char *verb, const struct series *s)
{
    const char *name = s->arms[s->at.arm].name;
    switch (s->end) {
    case SERIES_DONE:
        return PROG_OK;
    case SERIES_INTERRUPTED:
        fprintf(stderr, "%s: interrupted\n", verb);
        return PROG_INTERRUPTED;
    case SERIES_NOT_STARTED:
        fprintf(stderr, "%s: %s cannot be started: %s\n", verb, name, strerror(s->error));
        return PROG_FAILED;
    case SERIES_FAILED:
        break;
    }
    const struct child_result *r = &s->failed;
    switch (r->end) {
    case CHILD_EXITED:
        fprintf(stderr, "%s: %s failed with exit status %d\n", verb, name, r->status);
        break;
    case CHILD_SIGNALLED:
        fprintf(stderr, "%s: %s was killed by signal %d\n", verb, name, r->status);
        break;
    case CHILD_TIMED_OUT:
        fprintf(stderr, "%s: %s did not end within its time limit\n", verb, name);
        break;
    case CHILD_INTERRUPTED:
        break;
    }
    say_last_words(r->err);
    return PROG_FAILED;
}

enum series_end lab_series_run(struct series *s, const struct series_arm *arms, size_t count,
                               const struct lab_runs *runs)
{
    const struct series_options options = {.runs = runs->count,
                                           .time_limit_ns =
                                               runs->time_limit_s * INT64_C(1000000000),
                                           .stop = interrupt_flag(),
                                           .before = runs->quiet ? NULL : lab_before,
                                           .context = (void *)(uintptr_t)arms};
    enum series_end end = series_run(s, arms, count, &options);
    if (!runs->quiet) {
        lab_after();
    }
    return end;
}

int lab_options(struct option_table *t, int argc, char **argv, const char **operands, size_t wanted,
                size_t *count)
{
    const char **all = memory_zero((size_t)argc * sizeof *all);
    *count = 0;
    t->operands = all;
    t->operand_count = count;
    int status = options_read(t, argc, argv);
    for (size_t i = 0; i < wanted && *count == wanted; i++) {
        operands[i] = all[i];
    }
    memory_free(all);
    return status;
}

uint32_t lab_read_cores(const char *text, uint32_t max, uint32_t *cores, uint32_t room)
{
    struct slice rest = slice_str(text), number;
    uint32_t count = 0;
    bool more = true;
    while (more && count < room) {
        uint64_t value;
        more = slice_cut(rest, ',', &number, &rest);
        if (!slice_u64(number, max, &value) || value == 0) {
            return 0;
        }
        cores[count++] = (uint32_t)value;
    }
    return more ? 0 : count;
}

bool lab_command(const char *verb, const char *option, const char *text, struct command *c)
{
    char why[COMMAND_TROUBLE_BYTES];
    struct command_trouble trouble;
    if (command_split(c, text, &trouble)) {
        return true;
    }
    command_trouble_text(&trouble, why);
    fprintf(stderr, "%s: %s: %s\n", verb, option, why);
    return false;
}

unsigned lab_columns(void)
{
    return terminal_columns(PIPE_COLUMNS);
}

bool lab_can_write(const char *verb, const char *path)
{
    if (strcmp(path, "-") == 0) {
        return true;
    }
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            unlink(path);
        }
    }
    if (fd < 0 && errno != ENXIO) { // a FIFO that nobody reads yet
        fprintf(stderr, "%s: %s cannot be written: %s\n", verb, path, strerror(errno));
        return false;
    }
    if (fd >= 0) {
        close(fd);
    }
    return true;
}

int lab_show(const char *verb, const char *json_path, const struct lab_shown *shown)
{
    static struct output out;
    if (!json_path || strcmp(json_path, "-") != 0) {
        output_init_fd(&out, STDOUT_FILENO);
        shown->text(&out, shown->context);
        int error = output_flush(&out);
        if (error) {
            return prog_output_failed(verb, error);
        }
    }
    return json_path ? lab_write_json(verb, json_path, shown->json, shown->context) : PROG_OK;
}

int lab_write_file(const char *path, const char *text, size_t n)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary) {
        return ENAMETOOLONG;
    }
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    bool is_whole = fchmod(fd, 0644) == 0 && write_all(fd, text, n) == 0 && fsync(fd) == 0;
    int error = is_whole ? 0 : errno;
    if (close(fd) != 0 && !error) {
        error = errno;
    }
    if (!error && rename(temporary, path) != 0) {
        error = errno;
    }
    if (error) {
        unlink(temporary);
    }
    return error;
}

int lab_write_json(const char *verb, const char *path,
                   void (*write)(struct output *out, const void *context), const void *context)
{
    static struct output out;
    bool is_standard = strcmp(path, "-") == 0;
    int fd =
        is_standard ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0) {
        output_init_fd(&out, fd);
        write(&out, context);
        error = output_flush(&out);
    }
    if (is_standard) {
        return error ? prog_output_failed(verb, error) : PROG_OK;
    }
    if (fd >= 0 && close(fd) != 0 && !error) {
        error = errno;
    }
    if (error) {
        fprintf(stderr, "%s: %s cannot be written: %s\n", verb, path, strerror(error));
    }
    return error ? PROG_FAILED : PROG_OK;
}
