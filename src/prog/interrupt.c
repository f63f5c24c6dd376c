// Ctrl-C, the same for every verb.
#include "prog/interrupt.h"

#include <signal.h>
#include <stddef.h>

// Set by the signal handler; written by one thread or its handler, looked at between pieces of
// work, so nothing but its own value depends on it.
static volatile bool stop;

static void on_signal(int number)
{
    (void)number;
    stop = true;
}

void interrupt_catch(void)
{
    // The second signal finds the default action again.
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

const volatile bool *interrupt_flag(void)
{
    return &stop;
}

void interrupt_raise(void)
{
    stop = true;
}
