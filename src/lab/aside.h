// A piece of work in a process of its own, so that what it needs (a library, a capture in memory)
// does not count as memory of ours: see lab/child.h.
//
// Comes in: a function. Goes out: the bytes of its answer. The process is a copy of this one, which
// must have one thread; it ends with its work, and with us.
#ifndef SIDETONE_LAB_ASIDE_H
#define SIDETONE_LAB_ASIDE_H

#include <stdbool.h>
#include <stddef.h>

// Calls work(context, answer) there; what it left in the n bytes of `answer` is copied back here.
// Returns false, with `answer` untouched, where it did not get that far: it crashed, no process
// could be made (errno), or *stop (NULL: never) became true by a signal, and it was killed.
bool aside_run(void (*work)(void *context, void *answer), void *context, void *answer, size_t n,
               const volatile bool *stop);

#endif
