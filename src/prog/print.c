// Short texts to standard output, and what to say when that fails.
#include "prog/prog.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int prog_print(const char *text)
{
    size_t n = strlen(text);
    while (n > 0) {
        ssize_t took = write(STDOUT_FILENO, text, n);
        if (took < 0 && errno == EINTR) {
            continue;
        }
        if (took <= 0) {
            return prog_output_failed("sidetone", took < 0 ? errno : EIO);
        }
        text += took;
        n -= (size_t)took;
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
