// Reading the system's clocks.
#include "base/clock.h"

#include <time.h>

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
    return now_ns(CLOCK_MONOTONIC);
}

int64_t clock_realtime_ns(void)
{
    return now_ns(CLOCK_REALTIME);
}
