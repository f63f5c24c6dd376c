// Durations as people type them: a number and its unit, "300ms", "1.5s", "5m".
#ifndef SIDETONE_BASE_DURATION_H
#define SIDETONE_BASE_DURATION_H

#include "base/slice.h"

// Reads all of s: digits, perhaps a point and up to six digits, then ms, s, m or h. Returns false
// where s is anything else (a number without a unit too) or more than `max_ns`; *out is left alone
// then. What is less than a nanosecond is cut off.
bool duration_read(struct slice s, int64_t max_ns, int64_t *out);

#endif
