// Runs one program to its end and says what it took.
//
// Comes in: a command, and what it may take. Goes out: how it ended, its times, its peak of memory,
// and what it said. No shell stands between. The program is the leader of its own process group,
// its standard input is /dev/null; what it leaves behind in its group is killed when it ends, so
// that no run disturbs the next. Times and memory are the kernel's (wait4): of the program and of
// those descendants that it waited for; memory is the peak of the largest one of them.
//
// The kernel counts the memory of a program from the fork on: its peak is never below that of ours
// at that moment. So whoever measures must be small: no capture read, no library loaded, before
// child_run.
#ifndef SIDETONE_LAB_CHILD_H
#define SIDETONE_LAB_CHILD_H

#include "base/slice.h"
#include "lab/command.h"

struct child_options {
    uint32_t cpus;             // how many of our processors it may use; 0: all
    int64_t time_limit_ns;     // after which its group is killed; 0: none
    size_t out_bytes;          // how much of its standard output is kept, from the first byte on;
                               // 0: it goes to /dev/null, as a program that is measured wants it
    size_t err_bytes;          // how much of its standard error is kept, the last bytes
    const volatile bool *stop; // NULL, or true as soon as it shall end (set by a signal handler)
};

enum child_end {
    CHILD_EXITED,      // by itself: `status` is its exit status
    CHILD_SIGNALLED,   // killed by somebody else: `status` is the signal
    CHILD_TIMED_OUT,   // killed after its time limit
    CHILD_INTERRUPTED, // *stop became true, and it was ended: by SIGINT, or 2 s later by SIGKILL
};

struct child_result {
    enum child_end end;
    int status;
    int64_t wall_ns; // from before its start to the notice of its end
    int64_t user_ns, system_ns;
    uint64_t peak_bytes;
    bool peak_is_ours; // it needed less than we did, and `peak_bytes` is our peak: an upper bound
    bool out_is_cut, err_is_cut; // it said more than was kept
    struct slice out, err;       // owned: child_fini
};

// Returns 0 with *r filled, whatever the program did; or ERR_OPEN where it could not be started
// (errno says why), *r being empty then. One thread at a time: signal mask and processors of the
// caller are changed for a moment.
int child_run(const struct command *c, const struct child_options *o, struct child_result *r);

void child_fini(struct child_result *r);

// Processors that this process may use, and that the machine has online.
uint32_t child_cpus_allowed(void);
uint32_t child_cpus_online(void);

#endif
