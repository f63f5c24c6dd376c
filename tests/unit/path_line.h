// A whole path as one line of text, for tables of packets: "vlan 100, mpls 16".
#ifndef SIDETONE_TESTS_PATH_LINE_H
#define SIDETONE_TESTS_PATH_LINE_H

#include <string.h>

#include "wire/net/path.h"

#define PATH_LINE_BYTES ((PATH_STEP_TEXT_BYTES + 2) * PATH_STEPS_MAX)

static inline const char *path_line(const struct path *p, char out[PATH_LINE_BYTES])
{
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < p->count; i++) {
        if (i > 0) {
            memcpy(out + n, ", ", 2);
            n += 2;
        }
        n += path_step_text(&p->steps[i], out + n);
    }
    return out;
}

#endif
