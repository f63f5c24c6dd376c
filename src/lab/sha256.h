// SHA-256 of files and folders, by OpenSSL's EVP.
//
// libcrypto is loaded when the first hash is wished, in a process of its own (lab/aside.h): neither
// the start of the program nor the memory of what is measured pays for it. Files are read, not
// mapped.
//
// The hash of a folder is that of the list that `LC_ALL=C sha256sum *` prints there: for each
// regular file whose name does not begin with a point, in the order of their bytes, a line "digits
// name" with two blanks between.
#ifndef SIDETONE_LAB_SHA256_H
#define SIDETONE_LAB_SHA256_H

#include <stdbool.h>
#include <stdint.h>

#define SHA256_HEX_BYTES 65 // with its NUL

enum sha256_end {
    SHA256_KNOWN,
    SHA256_NO_LIBRARY, // libcrypto is not installed, or has not what is needed
    SHA256_UNREADABLE, // `error` is the errno
    SHA256_INTERRUPTED,
};

struct sha256 {
    enum sha256_end end;
    int error;
    uint64_t files, bytes; // that were hashed
    char hex[SHA256_HEX_BYTES];
};

// Of a file, or of a folder. `stop`: NULL, or true as soon as it shall end.
struct sha256 sha256_of_path(const char *path, const volatile bool *stop);

// "libcrypto is not installed" and the like; NULL where it is known.
const char *sha256_why_not(const struct sha256 *s);

#endif
