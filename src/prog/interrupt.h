// Ctrl-C, the same for every verb: the first one ends the work in good order, the second one ends
// the program at once.
#ifndef SIDETONE_PROG_INTERRUPT_H
#define SIDETONE_PROG_INTERRUPT_H

#include <stdbool.h>

// Catches SIGINT and SIGTERM from now on, once each.
void interrupt_catch(void);

// What long work looks at: true after the first signal, or after interrupt_raise. Lives for ever.
const volatile bool *interrupt_flag(void);

// Ends the work as a signal would: nobody reads its output any more.
void interrupt_raise(void);

#endif
