// An assertion about text that has no end of its own.
#ifndef SIDETONE_TESTS_SLICE_ASSERT_H
#define SIDETONE_TESTS_SLICE_ASSERT_H

#include "base/slice.h"

#include <stdio.h>

// Returns whether they are the same; else says what each is.
static inline bool slice_is(struct slice got, const char *want)
{
    bool same = slice_eq(got, slice_str(want));
    if (!same) {
        printf("# \"%.*s\" instead of \"%s\"\n", (int)got.n, got.p ? got.p : "", want);
    }
    return same;
}

#define assert_slice(got, want) assert_true(slice_is((got), (want)))

#endif
