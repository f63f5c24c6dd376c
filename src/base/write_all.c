// Writing whole buffers to a file descriptor.
#include "base/write_all.h"

#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int write_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0) {
        ssize_t took = write(fd, at, n);
        if (took < 0 && errno == EINTR) {
            continue;
        }
        if (took < 0 && errno == EAGAIN) { // somebody else made it non-blocking
            struct pollfd p = {.fd = fd, .events = POLLOUT};
            poll(&p, 1, -1);
            continue;
        }
        if (took <= 0) {
            errno = took < 0 ? errno : EIO;
            return ERR_WRITE;
        }
        at += took;
        n -= (size_t)took;
    }
    return 0;
}
