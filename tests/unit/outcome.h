// What reading gave: for tests that look at single facts of a report.
#ifndef SIDETONE_TESTS_OUTCOME_H
#define SIDETONE_TESTS_OUTCOME_H

#include "capture.h"
#include "sidetone/read.h"

struct outcome {
    int status;
    struct sidetone_report *report;
    const struct sidetone_capture *capture;
};

static inline struct outcome read_paths(const char *const *paths, size_t count)
{
    struct outcome o;
    struct sidetone_read_options options = {.cores = 2};
    o.status = sidetone_read(paths, count, &options, &o.report);
    o.capture = sidetone_report_capture(o.report);
    return o;
}

static inline struct outcome read_bytes(const void *p, size_t n)
{
    struct capture_file file = capture_file(p, n);
    const char *path = file.path;
    struct outcome o = read_paths(&path, 1);
    capture_file_close(&file);
    return o;
}

static inline bool warns(const struct sidetone_capture *c, const char *words)
{
    for (size_t i = 0; i < c->warning_count; i++) {
        if (memmem(c->warnings[i].p, c->warnings[i].n, words, strlen(words))) {
            return true;
        }
    }
    return false;
}

#endif
