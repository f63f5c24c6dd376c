// Threads that wait for tasks, by a lock and two conditions: a round of tasks takes milliseconds,
// waking microseconds.
#include "base/team.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define TEAM_MAX 256

struct team {
    pthread_mutex_t lock;
    pthread_cond_t begun, done;
    pthread_t threads[TEAM_MAX];
    unsigned thread_count;
    // under the lock
    unsigned long round;
    unsigned busy;
    bool ends;
    void (*work)(void *context, unsigned task);
    void *context;
    unsigned count;
    // Relaxed: only hands out numbers; the lock orders everything else.
    _Atomic unsigned next;
};

static void work_off(struct team *t, void (*work)(void *, unsigned), void *context, unsigned count)
{
    for (;;) {
        unsigned task = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (task >= count) {
            return;
        }
        work(context, task);
    }
}

static void *thread_main(void *arg)
{
    struct team *t = arg;
    unsigned long seen = 0;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->round == seen && !t->ends) {
            pthread_cond_wait(&t->begun, &t->lock);
        }
        if (t->ends) {
            break;
        }
        seen = t->round;
        void (*work)(void *, unsigned) = t->work;
        void *context = t->context;
        unsigned count = t->count;
        pthread_mutex_unlock(&t->lock);
        work_off(t, work, context, count);
        pthread_mutex_lock(&t->lock);
        if (--t->busy == 0) {
            pthread_cond_signal(&t->done);
        }
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

struct team *team_new(unsigned size)
{
    struct team *t = memory_zero(sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->done, NULL);
    while (t->thread_count + 1 < size && t->thread_count < TEAM_MAX &&
           pthread_create(&t->threads[t->thread_count], NULL, thread_main, t) == 0) {
        t->thread_count++;
    }
    return t;
}

void team_run(struct team *t, unsigned count, void (*work)(void *context, unsigned task),
              void *context)
{
    if (t->thread_count == 0) {
        for (unsigned task = 0; task < count; task++) {
            work(context, task);
        }
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->work = work;
    t->context = context;
    t->count = count;
    t->busy = t->thread_count;
    t->round++;
    atomic_store_explicit(&t->next, 0, memory_order_relaxed);
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
    work_off(t, work, context, count);
    pthread_mutex_lock(&t->lock);
    while (t->busy > 0) {
        pthread_cond_wait(&t->done, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

void team_free(struct team *t)
{
    pthread_mutex_lock(&t->lock);
    t->ends = true;
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
