// Short texts to standard output, and what to say when that fails.
#include "prog/prog.h"

#include "base/write_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int prog_print(const char *text)
{
    if (write_all(STDOUT_FILENO, text, strlen(text)) != 0) {
        return prog_output_failed("sidetone", errno);
    }
    return PROG_OK;
}

int prog_output_failed(const char *verb, int error)
{
    if (error != EPIPE) { // `sidetone ... | head` got all that it wanted
        fprintf(
            stderr,
            "%s: standard output cannot be written (%s): make room or send it elsewhere, what is "
            "there is not whole\n",
            verb, strerror(error));
    }
    return PROG_FAILED;
}
