// Reading a verb's command line by a table of its options, with the same sentences for every verb.
//
// Comes in: argv, argv[0] being the verb. Goes out: the caller's variables, filled as the rows say.
// Long options may be shortened while they stay unique, "--" ends them, operands may stand between
// them (getopt_long).
#ifndef SIDETONE_PROG_OPTIONS_H
#define SIDETONE_PROG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,    // *(bool *)to becomes true
    OPTION_CHOICE,  // *(int *)to becomes `value`: the last of several wins
    OPTION_U32,     // a whole number up to `value`, into *(uint32_t *)to
    OPTION_U64,     // likewise, into *(uint64_t *)to
    OPTION_TEXT,    // *(const char **)to points into argv
    OPTION_OPERAND, // its value is an operand, in its place
    OPTION_IGNORED, // accepted, nothing else
};

struct option_row {
    const char *name; // without the dashes; NULL: only the letter
    char letter;      // 0: none
    enum option_kind kind;
    void *to;
    uint64_t value;
};

// Rows of one verb. Not smaller: `read` has a dozen. Not larger: a help text should fit on a
// screen.
#define OPTION_ROWS_MAX 32

struct option_table {
    const char *verb;      // "sidetone read": begins each sentence
    const char *help;      // what lists the options: "sidetone help read"
    const char **operands; // room for argc of them; NULL: the verb takes none
    size_t *operand_count; // added to
    const struct option_row *rows;
    size_t count;
};

// Returns PROG_OK, or PROG_USAGE after one sentence on standard error.
int options_read(const struct option_table *t, int argc, char **argv);

#endif
