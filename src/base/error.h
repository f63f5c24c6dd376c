// The one list of errors: what a function returns, negative, when our world failed.
//
// Odd input is not an error (see the oddity lists of wire/), and a bug of ours is an assertion.
#ifndef SIDETONE_BASE_ERROR_H
#define SIDETONE_BASE_ERROR_H

enum error {
    ERR_NONE = 0,
    ERR_OPEN = -2,          // a file or directory cannot be opened; errno says why
    ERR_READ = -3,          // reading failed; errno says why
    ERR_WRITE = -4,         // writing failed; errno says why
    ERR_NOT_A_CAPTURE = -5, // the first bytes are no capture format that we read
    ERR_EMPTY = -6,         // no bytes at all
    ERR_INTERRUPTED = -9,
    ERR_PACKED =
        -10, // compressed, and cut or damaged before it shows a capture, or in a way not read
};

// A short English text; never NULL.
const char *error_text(int code);

#endif
