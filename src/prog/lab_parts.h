// What the words of `sidetone lab` that need a corpus share: its identity, ourselves as a program
// to run, and a line that says what is run.
#ifndef SIDETONE_PROG_LAB_PARTS_H
#define SIDETONE_PROG_LAB_PARTS_H

#include "lab/series.h"
#include "show/output.h"

#include <limits.h>

// Each gets argv with its own word as argv[0], and returns an exit status.
int lab_gate(int argc, char **argv);
int lab_compare(int argc, char **argv);
int lab_floor(int argc, char **argv);

// Exit statuses of `sidetone lab gate` beside enum prog_status.
enum {
    LAB_ABOVE = 3,  // slower or larger than the baseline allows
    LAB_UNLIKE = 4, // the baseline holds for something else
};

// The path of this program. Returns false after a sentence.
bool lab_self(const char *verb, char out[PATH_MAX]);

// SHA-256 of a file in small hexadecimal digits, with a NUL. Returns false after a sentence.
bool lab_sha256(const char *verb, const char *path, char out[65]);

// For struct series_options: shows on a terminal what is run. `context`: the arms.
void lab_before(void *context, const struct series_at *at);
// Takes that line away.
void lab_after(void);

// Says why a series did not end well, and returns the exit status; PROG_OK where it did.
int lab_series_status(const char *verb, const struct series *s);

// Writes `path` whole: a temporary file beside it, then a rename. Returns 0, or the errno.
int lab_write_file(const char *path, const char *text, size_t n);

// Writes what `write` puts out to the file that --json names ("-": standard output). Returns an
// exit status, after a sentence where it is not PROG_OK.
int lab_write_json(const char *verb, const char *path,
                   void (*write)(struct output *out, const void *context), const void *context);

#endif
