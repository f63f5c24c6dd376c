// Runs one program to its end.
#include "lab/child.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// How long a program may take to end after an interrupt. Not shorter: it may have a report to
// write. Not longer: somebody waits.
#define GRACE_NS INT64_C(2000000000)

// Bytes that are read after its end. Not less: the largest pipe that an unprivileged program can
// ask for. Not more: a descendant outside of its group may write for ever.
#define LAST_BYTES (1u << 20)

// How far a peak may be above ours and still be ours. Not less: the kernel adds up what each
// processor counted, and what is pending there is up to some 100 pages. Not more: programs that
// need little more than we do should be told apart.
#define PEAK_SLACK_BYTES (512u * 1024)

// One of its outputs: the read end of a pipe, and what is kept of it.
struct ear {
    int fd, far_fd; // -1: none
    char *kept;
    size_t n, room;
    bool keeps_last, is_cut;
};

struct run {
    const struct child_options *options;
    struct child_result *result;
    struct ear out, err;
    sigset_t old_mask;
    pid_t pid;
    int pidfd;
    int64_t started_ns;
    int64_t deadline_ns; // 0: none
    bool killed;
};

// --- its outputs ---

static bool ear_open(struct ear *e, size_t room, bool keeps_last)
{
    int ends[2];
    *e = (struct ear){.fd = -1, .far_fd = -1, .room = room, .keeps_last = keeps_last};
    if (room == 0) {
        return true;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    e->fd = ends[0];
    e->far_fd = ends[1];
    fcntl(e->fd, F_SETFL, O_NONBLOCK);
    e->kept = memory_alloc(room);
    return true;
}

static void close_if_open(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void ear_keep(struct ear *e, const char *p, size_t n)
{
    size_t left = e->room - e->n;
    if (n > left) {
        e->is_cut = true;
        if (!e->keeps_last) {
            n = left;
        } else if (n >= e->room) {
            p += n - e->room;
            n = e->room;
            e->n = 0;
        } else {
            size_t drop = n - left;
            memmove(e->kept, e->kept + drop, e->n - drop);
            e->n -= drop;
        }
    }
    memcpy(e->kept + e->n, p, n);
    e->n += n;
}

// Reads what is there, at most about `limit` bytes.
static void ear_drain(struct ear *e, size_t limit)
{
    char piece[4096];
    for (size_t total = 0; e->fd >= 0 && total < limit;) {
        ssize_t got = read(e->fd, piece, sizeof piece);
        if (got > 0) {
            ear_keep(e, piece, (size_t)got);
            total += (size_t)got;
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            close_if_open(&e->fd);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

// --- its start ---

static void add_output(posix_spawn_file_actions_t *actions, const struct ear *e, int fd)
{
    if (e->far_fd >= 0) {
        posix_spawn_file_actions_adddup2(actions, e->far_fd, fd);
    } else {
        posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_WRONLY, 0);
    }
}

// Returns 0 or an errno.
static int spawn(struct run *run, const struct command *c)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    add_output(&actions, &run->out, STDOUT_FILENO);
    add_output(&actions, &run->err, STDERR_FILENO);
    // Signals that we ignore would be ignored by it too.
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &run->old_mask);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    run->started_ns = clock_monotonic_ns();
    int error = posix_spawnp(&run->pid, c->words[0], &actions, &attributes, c->words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int count_cpus(const cpu_set_t *set)
{
    return CPU_COUNT(set);
}

// Starts it on the first `cpus` of our processors: it inherits what we may use at that moment.
static int spawn_bound(struct run *run, const struct command *c)
{
    cpu_set_t ours, bound;
    uint32_t wanted = run->options->cpus;
    if (wanted == 0 || sched_getaffinity(0, sizeof ours, &ours) != 0 ||
        (uint32_t)count_cpus(&ours) <= wanted) {
        return spawn(run, c);
    }
    CPU_ZERO(&bound);
    for (int cpu = 0; cpu < CPU_SETSIZE && wanted > 0; cpu++) {
        if (CPU_ISSET(cpu, &ours)) {
            CPU_SET(cpu, &bound);
            wanted--;
        }
    }
    sched_setaffinity(0, sizeof bound, &bound);
    int error = spawn(run, c);
    sched_setaffinity(0, sizeof ours, &ours);
    return error;
}

// --- its end ---

static bool is_stopped(const struct run *run)
{
    return run->options->stop && *run->options->stop;
}

// Ends it where it has to end now.
static void end_if_due(struct run *run)
{
    struct child_result *r = run->result;
    int64_t now_ns = clock_monotonic_ns();
    if (r->end == CHILD_EXITED && is_stopped(run)) {
        r->end = CHILD_INTERRUPTED;
        run->deadline_ns = now_ns + GRACE_NS;
        kill(-run->pid, SIGINT);
    } else if (run->deadline_ns > 0 && now_ns >= run->deadline_ns && !run->killed) {
        if (r->end == CHILD_EXITED) {
            r->end = CHILD_TIMED_OUT;
        }
        run->killed = true;
        kill(-run->pid, SIGKILL);
    }
}

// Waits until something happens: its end, words of it, a signal of ours, its deadline. Signals that
// were held back come through only here, so that none falls between a look at *stop and the wait.
// Returns whether it ended.
static bool wait_for_news(struct run *run)
{
    struct pollfd fds[] = {
        {run->pidfd, POLLIN, 0}, {run->out.fd, POLLIN, 0}, {run->err.fd, POLLIN, 0}};
    struct timespec left, *timeout = NULL;
    if (run->deadline_ns > 0 && !run->killed) {
        int64_t ns = run->deadline_ns - clock_monotonic_ns();
        ns = ns > 0 ? ns : 0;
        left = (struct timespec){ns / 1000000000, ns % 1000000000};
        timeout = &left;
    }
    if (ppoll(fds, sizeof fds / sizeof *fds, timeout, &run->old_mask) <= 0) {
        return false;
    }
    if (fds[0].revents != 0) {
        run->result->wall_ns = clock_monotonic_ns() - run->started_ns;
        return true;
    }
    ear_drain(&run->out, LAST_BYTES);
    ear_drain(&run->err, LAST_BYTES);
    return false;
}

static int64_t ns_of(struct timeval t)
{
    return t.tv_sec * INT64_C(1000000000) + t.tv_usec * INT64_C(1000);
}

// The peak of our own memory, which a program inherits; 0 where the kernel does not say.
static uint64_t own_peak_bytes(void)
{
    char text[4096];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;
    uint64_t kb = 0;
    close_if_open(&fd);
    struct slice rest = slice_of(text, n > 0 ? (size_t)n : 0), line, name, value;
    while (slice_line(&rest, &line)) {
        if (slice_cut(line, ':', &name, &value) && slice_eq(name, SLICE("VmHWM"))) {
            value = slice_trim(value);
            slice_u64(slice_of(value.p, slice_find(value, ' ')), UINT64_MAX / 1024, &kb);
        }
    }
    return kb * 1024;
}

// Takes leave of it: only now is its number free for another process.
static void reap(struct run *run)
{
    struct child_result *r = run->result;
    struct rusage usage = {0};
    int status = 0;
    kill(-run->pid, SIGKILL); // what it left behind; it itself is past that
    while (wait4(run->pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    if (r->end == CHILD_EXITED && WIFSIGNALED(status)) {
        r->end = CHILD_SIGNALLED;
    }
    r->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    r->user_ns = ns_of(usage.ru_utime);
    r->system_ns = ns_of(usage.ru_stime);
    r->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    r->peak_is_ours = r->peak_bytes <= own_peak_bytes() + PEAK_SLACK_BYTES;
}

static void hand_over(struct ear *e, struct slice *text, bool *is_cut)
{
    ear_drain(e, LAST_BYTES);
    *text = slice_of(e->kept, e->n);
    *is_cut = e->is_cut;
    e->kept = NULL;
}

static void ear_close(struct ear *e)
{
    close_if_open(&e->fd);
    close_if_open(&e->far_fd);
    memory_free(e->kept);
}

// Returns 0 or an errno.
static int run_it(struct run *run, const struct command *c)
{
    int error = spawn_bound(run, c);
    close_if_open(&run->out.far_fd);
    close_if_open(&run->err.far_fd);
    if (error != 0) {
        return error;
    }
    run->pidfd = pidfd_open(run->pid, 0);
    if (run->pidfd < 0) { // a kernel before 5.3
        error = errno;
        reap(run);
        return error;
    }
    if (run->options->time_limit_ns > 0) {
        run->deadline_ns = run->started_ns + run->options->time_limit_ns;
    }
    do {
        end_if_due(run);
    } while (!wait_for_news(run));
    close(run->pidfd);
    reap(run);
    return 0;
}

int child_run(const struct command *c, const struct child_options *o, struct child_result *r)
{
    struct run run = {.options = o, .result = r, .pidfd = -1};
    sigset_t held;
    int error = 0;
    *r = (struct child_result){.end = CHILD_EXITED};
    bool has_ears = ear_open(&run.out, o->out_bytes, false);
    has_ears = ear_open(&run.err, o->err_bytes, true) && has_ears;
    if (!has_ears) {
        error = errno;
    } else {
        sigemptyset(&held);
        sigaddset(&held, SIGINT);
        sigaddset(&held, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &held, &run.old_mask);
        error = run_it(&run, c);
        pthread_sigmask(SIG_SETMASK, &run.old_mask, NULL);
    }
    if (error == 0) {
        hand_over(&run.out, &r->out, &r->out_is_cut);
        hand_over(&run.err, &r->err, &r->err_is_cut);
    }
    ear_close(&run.out);
    ear_close(&run.err);
    errno = error;
    return error == 0 ? 0 : ERR_OPEN;
}

void child_fini(struct child_result *r)
{
    memory_free((char *)(uintptr_t)r->out.p);
    memory_free((char *)(uintptr_t)r->err.p);
    *r = (struct child_result){0};
}

uint32_t child_cpus_allowed(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)count_cpus(&set)
                                                       : child_cpus_online();
}

uint32_t child_cpus_online(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}
