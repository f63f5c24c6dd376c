// The program: one function for each verb of the command line, and what verbs share.
//
// Comes in: arguments, argv[0] being the verb. Goes out: an exit status. Verbs wire rooms together
// and speak to the user; they compute nothing themselves.
#ifndef SIDETONE_PROG_PROG_H
#define SIDETONE_PROG_PROG_H

#include <stdbool.h>
#include <stddef.h>

// Exit status of every verb.
enum prog_status {
    PROG_OK = 0,
    PROG_FAILED = 1, // something failed or could not be read whole; what could be is reported
    PROG_USAGE = 2,  // the command line makes no sense
    PROG_INTERRUPTED = 130,
};

int prog_read(int argc, char **argv);
int prog_gen(int argc, char **argv);
int prog_lab(int argc, char **argv);

// `sidetone --version`.
int prog_version(void);

// Writes text to standard output; PROG_OK, or PROG_FAILED after a sentence.
int prog_print(const char *text);

// Says on standard error that standard output failed with this errno (nothing for a reader that
// went away); returns PROG_FAILED.
int prog_output_failed(const char *verb, int error);

#endif
