// A command line as words, split as a shell would split it, but without a shell: what is measured
// is the program itself.
//
// Comes in: text such as a user types behind --a. Goes out: words for exec. Blanks separate words;
// '...' keeps everything as it stands; "..." keeps everything but \" and \\ ; outside of quotes a
// backslash keeps the character behind it. What only a shell could do (| & ; < > ( ) $ ` * ? [ and
// their like, a leading ~ or #, NAME=value in front) is refused and never passed on as text, since
// the result would be the time of something else.
#ifndef SIDETONE_LAB_COMMAND_H
#define SIDETONE_LAB_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct command {
    char **words; // `count` of them, NULL behind the last: an argv
    size_t count;
    char *bytes; // where the words stand
};

enum command_fault {
    COMMAND_GOOD,
    COMMAND_EMPTY,       // no word
    COMMAND_QUOTE_OPEN,  // `found` has no partner
    COMMAND_CUT_SHORT,   // nothing stands behind the last backslash
    COMMAND_SHELL,       // `found` outside of quotes, or $ and ` in double ones
    COMMAND_ASSIGNMENT,  // NAME=value in front of the program
    COMMAND_PLACEHOLDER, // {name} of none that is known
};

struct command_trouble {
    enum command_fault fault;
    size_t at;  // byte of the text, or index of the word for COMMAND_PLACEHOLDER
    char found; // 0: no single character is to blame
};

// What {name} in a word stands for.
struct command_value {
    const char *name, *value;
};

// Splits; the caller owns *c and calls command_fini, also after trouble. Returns false with *t
// filled.
bool command_split(struct command *c, const char *text, struct command_trouble *t);

// The words as they are given.
void command_of(struct command *c, const char *const *words, size_t count);

// Is {name} in one of the words?
bool command_has(const struct command *c, const char *name);

// A new command with each {name} of small letters, anywhere in a word, replaced by its value.
// Returns false with *t filled where the name is none of the values; *out is empty then.
bool command_fill(struct command *out, const struct command *from,
                  const struct command_value *values, size_t count, struct command_trouble *t);

void command_fini(struct command *c);

// What is wrong and what to do, for "--a: ...". Returns its length (below COMMAND_TROUBLE_BYTES,
// without the NUL that follows).
#define COMMAND_TROUBLE_BYTES 200
size_t command_trouble_text(const struct command_trouble *t, char *out);

#endif
