// The one loop around write(2).
#ifndef SIDETONE_BASE_WRITE_ALL_H
#define SIDETONE_BASE_WRITE_ALL_H

#include <stddef.h>

// Writes all n bytes, however many calls that takes. Returns 0, or ERR_WRITE (errno says why; never
// 0) after some of them. Blocks where `fd` does; EAGAIN is an error.
int write_all(int fd, const void *bytes, size_t n);

#endif
