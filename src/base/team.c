// Threads that wait for tasks: first by looking again and again, then asleep.
//
// A round of tasks takes some hundred microseconds and the next one begins some ten later; to be
// woken takes fifty. So who waits looks for a while before it sleeps, but only where every thread
// has a processor: else it would keep the one that it waits for from working.
#include "base/team.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define TEAM_MAX 256
// Looks before sleeping, each some 20 to 50 ns. Not fewer: what one thread does between two rounds
// takes as long. Not more: a processor that only looks is lost to others.
#define LOOKS 2000

struct team {
    pthread_mutex_t lock;
    pthread_cond_t begun, done;
    pthread_t threads[TEAM_MAX];
    unsigned thread_count;
    unsigned looks; // 0 where processors are fewer than threads
    // Written by the caller between rounds; published by `round`.
    void (*work)(void *context, unsigned task);
    void *context;
    unsigned count;
    // Release by the caller, acquire by the threads: what was written before a round. Changed under
    // the lock, so that nobody falls asleep over it.
    _Atomic unsigned long round;
    _Atomic bool ends; // as `round`
    // Threads that have not finished the round. Release by them, acquire by the caller: what the
    // tasks wrote.
    _Atomic unsigned busy;
    // Relaxed: only hands out numbers; `round` and `busy` order everything else.
    _Atomic unsigned next;
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void work_off(struct team *t)
{
    for (;;) {
        unsigned task = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (task >= t->count) {
            return;
        }
        t->work(t->context, task);
    }
}

static bool is_called(struct team *t, unsigned long seen)
{
    return atomic_load_explicit(&t->round, memory_order_acquire) != seen ||
           atomic_load_explicit(&t->ends, memory_order_acquire);
}

static void wait_for_round(struct team *t, unsigned long seen)
{
    for (unsigned i = 0; i < t->looks; i++) {
        if (is_called(t, seen)) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&t->lock);
    while (!is_called(t, seen)) {
        pthread_cond_wait(&t->begun, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

static void *thread_main(void *arg)
{
    struct team *t = arg;
    for (unsigned long seen = 0;; seen++) { // the caller waits for every thread in every round
        wait_for_round(t, seen);
        if (atomic_load_explicit(&t->ends, memory_order_acquire)) {
            return NULL;
        }
        work_off(t);
        if (atomic_fetch_sub_explicit(&t->busy, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&t->lock);
            pthread_cond_signal(&t->done);
            pthread_mutex_unlock(&t->lock);
        }
    }
}

struct team *team_new(unsigned size)
{
    struct team *t = memory_zero(sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->done, NULL);
    t->looks = size <= team_processors() ? LOOKS : 0;
    while (t->thread_count + 1 < size && t->thread_count < TEAM_MAX &&
           pthread_create(&t->threads[t->thread_count], NULL, thread_main, t) == 0) {
        t->thread_count++;
    }
    return t;
}

unsigned team_size(const struct team *t)
{
    return t->thread_count + 1;
}

static void wait_for_others(struct team *t)
{
    for (unsigned i = 0; i < t->looks; i++) {
        if (atomic_load_explicit(&t->busy, memory_order_acquire) == 0) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&t->lock);
    while (atomic_load_explicit(&t->busy, memory_order_acquire) > 0) {
        pthread_cond_wait(&t->done, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

void team_run_beside(struct team *t, void (*first)(void *context), unsigned count,
                     void (*work)(void *context, unsigned task), void *context)
{
    bool is_alone = t->thread_count == 0 || count + (first != NULL) <= 1;
    if (!is_alone) {
        t->work = work;
        t->context = context;
        t->count = count;
        atomic_store_explicit(&t->next, 0, memory_order_relaxed);
        atomic_store_explicit(&t->busy, t->thread_count, memory_order_relaxed);
        pthread_mutex_lock(&t->lock);
        atomic_fetch_add_explicit(&t->round, 1, memory_order_release);
        pthread_cond_broadcast(&t->begun);
        pthread_mutex_unlock(&t->lock);
    }
    if (first) {
        first(context);
    }
    if (!is_alone) {
        work_off(t);
        wait_for_others(t);
        return;
    }
    for (unsigned task = 0; task < count; task++) {
        work(context, task);
    }
}

void team_run(struct team *t, unsigned count, void (*work)(void *context, unsigned task),
              void *context)
{
    team_run_beside(t, NULL, count, work, context);
}

struct slices {
    size_t count, slice;
    void (*work)(void *context, size_t begin, size_t end);
    void *context;
};

static void work_slice(void *context, unsigned task)
{
    const struct slices *s = context;
    size_t begin = task * s->slice;
    size_t end = s->count - begin < s->slice ? s->count : begin + s->slice;
    s->work(s->context, begin, end);
}

void team_run_slices(struct team *t, size_t count, size_t slice,
                     void (*work)(void *context, size_t begin, size_t end), void *context)
{
    struct slices s = {count, slice, work, context};
    team_run(t, (unsigned)((count + slice - 1) / slice), work_slice, &s);
}

void team_free(struct team *t)
{
    if (!t) {
        return;
    }
    pthread_mutex_lock(&t->lock);
    atomic_store_explicit(&t->ends, true, memory_order_release);
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
    for (unsigned i = 0; i < t->thread_count; i++) {
        pthread_join(t->threads[i], NULL);
    }
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->begun);
    pthread_cond_destroy(&t->done);
    memory_free(t);
}

unsigned team_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (unsigned)count : 1;
}
