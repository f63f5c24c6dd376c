// What must hold for any input: says which condition does not, and ends the process.
#ifndef SIDETONE_TESTS_INSIDE_CHECK_H
#define SIDETONE_TESTS_INSIDE_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define INSIDE_CHECK(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
