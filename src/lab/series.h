// Several programs measured against each other: each once to warm up, then A B C A B C ... as often
// as wished, so that what the machine does meanwhile meets all of them.
//
// Comes in: arms (a name and a command). Goes out: a sample for each arm and run. The first run
// that fails ends the series: times of programs that did not do their work compare nothing.
// `struct series` owns its samples and the result of the run that failed.
#ifndef SIDETONE_LAB_SERIES_H
#define SIDETONE_LAB_SERIES_H

#include "lab/child.h"

// Arms of one series. Not smaller: 16 numbers of cores. Not larger: nobody waits for more.
#define SERIES_ARMS_MAX 32u

// Runs of each arm. Not smaller: exact intervals want hundreds. Not larger: a typing error.
#define SERIES_RUNS_MAX 10000u

struct series_arm {
    const char *name;
    const struct command *command;
    uint32_t cpus;   // as in struct child_options
    bool any_status; // an exit status other than 0 is no failure
};

// Where a series stands, told before each run.
struct series_at {
    size_t arm;
    uint32_t run;         // 0: warming up, else from 1 on
    uint32_t done, total; // runs of all arms, those to warm up among them
};

struct series_options {
    uint32_t runs;             // of each arm, at least 1
    int64_t time_limit_ns;     // of one run; 0: none
    const volatile bool *stop; // NULL, or true as soon as it shall end
    void (*before)(void *context, const struct series_at *at); // NULL: not told
    void *context;
};

struct series_sample {
    int64_t wall_ns, user_ns, system_ns;
    uint64_t peak_bytes;
    bool peak_is_ours; // as in struct child_result
};

enum series_end {
    SERIES_DONE,
    SERIES_NOT_STARTED, // the command of arm `at.arm` cannot be started: `error` is the errno
    SERIES_FAILED,      // `failed` is how its run ended, with the last words of standard error
    SERIES_INTERRUPTED,
};

struct series {
    const struct series_arm *arms; // the caller's
    size_t arm_count;
    enum series_end end;
    uint32_t runs; // whole rounds, in which each arm has a sample: all unless it ended early
    struct series_sample *samples; // round by round: see series_sample
    struct series_at at;           // the last run that was begun
    int error;
    struct child_result failed;
};

// What a sample is asked for.
enum series_measure {
    SERIES_WALL, // seconds
    SERIES_USER,
    SERIES_SYSTEM,
    SERIES_CPU,  // user and system together
    SERIES_PEAK, // bytes
    SERIES_MEASURES,
};

// Runs it all. The caller calls series_fini however it ended; `arms` must live until then. Returns
// s->end.
enum series_end series_run(struct series *s, const struct series_arm *arms, size_t arm_count,
                           const struct series_options *o);
void series_fini(struct series *s);

// The sample of an arm; `run` from 0 to s->runs - 1.
const struct series_sample *series_sample(const struct series *s, size_t arm, uint32_t run);

double series_measure(const struct series_sample *sample, enum series_measure measure);

// All samples of an arm: `out` has room for s->runs.
void series_values(const struct series *s, size_t arm, enum series_measure measure, double *out);

// Is one of the arm's peaks of memory our own, an upper bound?
bool series_peak_is_bound(const struct series *s, size_t arm);

#endif
