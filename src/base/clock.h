// Reading clocks: only base/ and port/ do; every other room gets its time as an argument.
#ifndef SIDETONE_BASE_CLOCK_H
#define SIDETONE_BASE_CLOCK_H

#include <stdint.h>

// Nanoseconds since some moment before the program began; never steps back.
int64_t clock_monotonic_ns(void);

// Nanoseconds since 1970 by the system's date, which may step.
int64_t clock_realtime_ns(void);

#endif
