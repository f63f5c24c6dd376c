// A team of threads that works off numbered tasks: for (i < count) work(context, i), on all of
// them.
//
// The caller works too, so a team of one has no thread of its own. One caller at a time.
#ifndef SIDETONE_BASE_TEAM_H
#define SIDETONE_BASE_TEAM_H

#include <stddef.h>

struct team;

// `size`: threads in all, with the caller; at least 1. Fewer where the system gives no more.
struct team *team_new(unsigned size);
void team_free(struct team *t); // NULL is fine

// Threads in all, with the caller.
unsigned team_size(const struct team *t);

// Returns when every task is done. Tasks are begun in the order of their numbers. What the tasks
// wrote can be read by the caller afterwards, and what the caller wrote before can be read by the
// tasks.
void team_run(struct team *t, unsigned count, void (*work)(void *context, unsigned task),
              void *context);

// The same while the caller does something of its own, `first`, before it works too; `first` may
// be NULL.
void team_run_beside(struct team *t, void (*first)(void *context), unsigned count,
                     void (*work)(void *context, unsigned task), void *context);

// The same for [0, count) in slices of `slice` items: work(context, begin, end), each slice once.
void team_run_slices(struct team *t, size_t count, size_t slice,
                     void (*work)(void *context, size_t begin, size_t end), void *context);

// Processors that this process may use.
unsigned team_processors(void);

#endif
