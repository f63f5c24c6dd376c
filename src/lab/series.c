// Runs several programs in turns.
#include "lab/series.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>

// Of the standard error of each run: what a sentence about its failure can quote.
#define ERR_BYTES 2048u

static enum series_end end_of(const struct series_arm *arm, const struct child_result *r)
{
    switch (r->end) {
    case CHILD_EXITED:
        return r->status == 0 || arm->any_status ? SERIES_DONE : SERIES_FAILED;
    case CHILD_INTERRUPTED:
        return SERIES_INTERRUPTED;
    case CHILD_SIGNALLED:
    case CHILD_TIMED_OUT:
        break;
    }
    return SERIES_FAILED;
}

static enum series_end run_once(struct series *s, const struct series_options *o,
                                struct series_sample *sample)
{
    const struct series_arm *arm = &s->arms[s->at.arm];
    const struct child_options options = {
        .cpus = arm->cpus,
        .time_limit_ns = o->time_limit_ns,
        .err_bytes = ERR_BYTES,
        .stop = o->stop,
    };
    struct child_result r;
    if (o->before) {
        o->before(o->context, &s->at);
    }
    if (child_run(arm->command, &options, &r) != 0) {
        s->error = errno;
        return SERIES_NOT_STARTED;
    }
    enum series_end end = end_of(arm, &r);
    s->at.done++;
    *sample = (struct series_sample){
        .wall_ns = r.wall_ns,
        .user_ns = r.user_ns,
        .system_ns = r.system_ns,
        .peak_bytes = r.peak_bytes,
        .peak_is_ours = r.peak_is_ours,
    };
    if (end == SERIES_FAILED) {
        s->failed = r; // and owns what it said
    } else {
        child_fini(&r);
    }
    return end;
}

enum series_end series_run(struct series *s, const struct series_arm *arms, size_t arm_count,
                           const struct series_options *o)
{
    assert(arm_count > 0 && arm_count <= SERIES_ARMS_MAX && o->runs > 0);
    struct series_sample warm[SERIES_ARMS_MAX];
    *s = (struct series){.arms = arms, .arm_count = arm_count};
    s->samples = memory_zero(arm_count * o->runs * sizeof *s->samples);
    s->at.total = (uint32_t)arm_count * (o->runs + 1);
    for (uint32_t round = 0; round <= o->runs; round++) {
        struct series_sample *samples = round == 0 ? warm : s->samples + (round - 1) * arm_count;
        for (size_t arm = 0; arm < arm_count; arm++) {
            s->at.arm = arm;
            s->at.run = round;
            s->end = o->stop && *o->stop ? SERIES_INTERRUPTED : run_once(s, o, &samples[arm]);
            if (s->end != SERIES_DONE) {
                return s->end;
            }
        }
        s->runs = round;
    }
    return s->end;
}

void series_fini(struct series *s)
{
    memory_free(s->samples);
    child_fini(&s->failed);
    *s = (struct series){0};
}

const struct series_sample *series_sample(const struct series *s, size_t arm, uint32_t run)
{
    assert(arm < s->arm_count && run < s->runs);
    return &s->samples[run * s->arm_count + arm];
}

double series_measure(const struct series_sample *sample, enum series_measure measure)
{
    switch (measure) {
    case SERIES_WALL:
        return (double)sample->wall_ns / 1e9;
    case SERIES_USER:
        return (double)sample->user_ns / 1e9;
    case SERIES_SYSTEM:
        return (double)sample->system_ns / 1e9;
    case SERIES_CPU:
        return (double)(sample->user_ns + sample->system_ns) / 1e9;
    case SERIES_PEAK:
        return (double)sample->peak_bytes;
    case SERIES_MEASURES:
        break;
    }
    return 0;
}

void series_values(const struct series *s, size_t arm, enum series_measure measure, double *out)
{
    for (uint32_t run = 0; run < s->runs; run++) {
        out[run] = series_measure(series_sample(s, arm, run), measure);
    }
}

bool series_peak_is_bound(const struct series *s, size_t arm)
{
    for (uint32_t run = 0; run < s->runs; run++) {
        if (series_sample(s, arm, run)->peak_is_ours) {
            return true;
        }
    }
    return false;
}
