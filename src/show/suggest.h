// Guesses which word was meant when a user mistypes a verb or an option.
#ifndef SIDETONE_SHOW_SUGGEST_H
#define SIDETONE_SHOW_SUGGEST_H

#include <stddef.h>

// The candidate that is nearest to `word`, or NULL where none is within two edits (one for words of
// less than four letters).
const char *suggest(const char *word, const char *const *candidates, size_t count);

#endif
