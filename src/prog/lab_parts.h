// What the words of `sidetone lab` that need a corpus share: its identity, ourselves as a program
// to run, and a line that says what is run.
#ifndef SIDETONE_PROG_LAB_PARTS_H
#define SIDETONE_PROG_LAB_PARTS_H

#include "lab/series.h"
#include "lab/sha256.h"
#include "prog/options.h"
#include "show/output.h"

#include <limits.h>

// Each gets argv with its own word as argv[0], and returns an exit status.
int lab_gate(int argc, char **argv);
int lab_compare(int argc, char **argv);
int lab_floor(int argc, char **argv);
int lab_scale(int argc, char **argv);
int lab_ab(int argc, char **argv);

// Exit statuses of `sidetone lab gate` beside enum prog_status.
enum {
    LAB_ABOVE = 3,  // slower or larger than the baseline allows
    LAB_UNLIKE = 4, // the baseline holds for something else
};

// The path of this program. Returns false after a sentence.
bool lab_self(const char *verb, char out[PATH_MAX]);

// SHA-256 of a file in small hexadecimal digits, with a NUL. Returns false after a sentence.
bool lab_sha256(const char *verb, const char *path, char out[SHA256_HEX_BYTES]);

// Takes the line away that a terminal shows of what is being done.
void lab_after(void);

// How arms are run: `quiet` without a line on a terminal.
struct lab_runs {
    uint32_t count;        // of each arm
    uint32_t time_limit_s; // of one run; 0: none
    bool quiet;
};

// As series_run, until Ctrl-C.
enum series_end lab_series_run(struct series *s, const struct series_arm *arms, size_t count,
                               const struct lab_runs *runs);

// Says why a series did not end well, and returns the exit status; PROG_OK where it did.
int lab_series_status(const char *verb, const struct series *s);

// Reads "1,2,4": `room` numbers at most, each from 1 to `max`. Returns how many, 0 where the text
// is anything else.
uint32_t lab_read_cores(const char *text, uint32_t max, uint32_t *cores, uint32_t room);

// Splits a command line of the user's; `option` begins the sentence where it makes no sense, and
// false is returned. The caller calls command_fini in any case.
bool lab_command(const char *verb, const char *option, const char *text, struct command *c);

// As options_read, for a word that wants so many operands: they are filled where *count, which it
// sets, is what is wanted.
int lab_options(struct option_table *t, int argc, char **argv, const char **operands, size_t wanted,
                size_t *count);

// Columns of a line of standard output.
unsigned lab_columns(void);

// Can the file that --json names be written? Asked before work that takes long; false after a
// sentence. A file that was not there is not left behind.
bool lab_can_write(const char *verb, const char *path);

// Shows a result: `text` on standard output, or, with a path of --json, `json` there ("-": alone on
// standard output). Returns an exit status.
struct lab_shown {
    void (*text)(struct output *out, const void *context);
    void (*json)(struct output *out, const void *context);
    const void *context;
};
int lab_show(const char *verb, const char *json_path, const struct lab_shown *shown);

// Writes `path` whole: a temporary file beside it, then a rename. Returns 0, or the errno.
int lab_write_file(const char *path, const char *text, size_t n);

// Writes what `write` puts out to the file that --json names ("-": standard output). Returns an
// exit status, after a sentence where it is not PROG_OK.
int lab_write_json(const char *verb, const char *path,
                   void (*write)(struct output *out, const void *context), const void *context);

#endif
