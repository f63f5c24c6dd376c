// Work in a process of its own.
#include "lab/aside.h"

#include "base/memory.h"
#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// How often *stop is looked at: a signal that comes between a look and the wait would not wake us.
#define LOOK_MS 100

static void do_work(void (*work)(void *context, void *answer), void *context, const void *answer,
                    size_t n, int fd)
{
    void *own = memory_alloc(n);
    memcpy(own, answer, n);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work(context, own);
    _exit(write_all(fd, own, n) == 0 ? 0 : 1);
}

// Returns how many of n bytes came.
static size_t read_answer(int fd, char *to, size_t n, const volatile bool *stop)
{
    size_t have = 0;
    while (have < n && !(stop && *stop)) {
        struct pollfd news = {fd, POLLIN, 0};
        if (poll(&news, 1, LOOK_MS) <= 0) {
            continue;
        }
        ssize_t got = read(fd, to + have, n - have);
        if (got > 0) {
            have += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            break;
        }
    }
    return have;
}

bool aside_run(void (*work)(void *context, void *answer), void *context, void *answer, size_t n,
               const volatile bool *stop)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        do_work(work, context, answer, n, ends[1]);
    }
    int why = errno;
    close(ends[1]);
    bool is_whole = false;
    if (pid > 0) {
        char *copy = memory_alloc(n);
        is_whole = read_answer(ends[0], copy, n, stop) == n;
        if (is_whole) {
            memcpy(answer, copy, n);
        }
        memory_free(copy);
        kill(pid, SIGKILL); // it has nothing left to do
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    errno = why;
    return is_whole;
}
