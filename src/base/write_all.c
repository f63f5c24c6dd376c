// Writing whole buffers to a file descriptor.
#include "base/write_all.h"

#include "base/error.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t took = write(fd, p, n);
        if (took < 0 && errno == EINTR) {
            continue;
        }
        if (took <= 0) {
            errno = took < 0 ? errno : EIO;
            return ERR_WRITE;
        }
        p += took;
        n -= (size_t)took;
    }
    return 0;
}
