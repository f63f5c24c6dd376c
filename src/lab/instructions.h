// How many instructions a program takes: the figure that a busy machine does not change.
//
// By the processor's counter (perf_event_open) where the kernel gives it: user space, the program
// with all its descendants. Else by valgrind's callgrind, which runs the program about fifty times
// slower, on one core, and counts what it and the programs that it starts collect until they end.
#ifndef SIDETONE_LAB_INSTRUCTIONS_H
#define SIDETONE_LAB_INSTRUCTIONS_H

#include "lab/child.h"

enum instructions_way {
    INSTRUCTIONS_NONE,
    INSTRUCTIONS_COUNTER,
    INSTRUCTIONS_CALLGRIND,
};

enum instructions_end {
    INSTRUCTIONS_COUNTED,
    INSTRUCTIONS_NOT_STARTED, // errno says why
    INSTRUCTIONS_FAILED,      // the program did, or nothing was said of a count
    INSTRUCTIONS_INTERRUPTED,
};

// What this host has.
enum instructions_way instructions_find(void);

// "by the processor's counter" and the like; of INSTRUCTIONS_NONE what to do.
const char *instructions_text(enum instructions_way way);

// Counts one run. `way` is not INSTRUCTIONS_NONE.
enum instructions_end instructions_count(enum instructions_way way, const struct command *c,
                                         const volatile bool *stop, uint64_t *count);

#endif
