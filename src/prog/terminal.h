// What standard output is: how wide, and whether it shows colours.
#ifndef SIDETONE_PROG_TERMINAL_H
#define SIDETONE_PROG_TERMINAL_H

#include <stdbool.h>

// Columns of a line; `otherwise` where it is no terminal, or one that does not tell.
unsigned terminal_columns(unsigned otherwise);

// A terminal that shows colours, and nobody set NO_COLOR.
bool terminal_colour(void);

#endif
