// Files, ourselves, and a line of progress.
#include "prog/lab_parts.h"

#include "base/error.h"
#include "base/write_all.h"
#include "prog/prog.h"
#include "show/text_put.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool lab_sha256(const char *verb, const char *path, char out[65])
{
    const char *const words[] = {"sha256sum", "--", path};
    const struct child_options options = {.out_bytes = 4096};
    struct command command;
    struct child_result result;
    command_of(&command, words, 3);
    int error = child_run(&command, &options, &result);
    command_fini(&command);
    // A name with odd characters is told with a backslash in front of the digits.
    struct slice said = error ? slice_str("") : result.out;
    said = said.n > 0 && said.p[0] == '\\' ? slice_skip(said, 1) : said;
    bool is_good = !error && result.end == CHILD_EXITED && result.status == 0 && said.n >= 64;
    if (is_good) {
        memcpy(out, said.p, 64);
        out[64] = 0;
    } else {
        fprintf(stderr, "%s: sha256sum does not tell what %s is: is it there, and can be read?\n",
                verb, path);
    }
    if (!error) {
        child_fini(&result);
    }
    return is_good;
}

void lab_before(void *context, const struct series_at *at)
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
