// Decoding of UTF-8 that never trusts (RFC 3629 4).
#ifndef SIDETONE_BASE_UTF8_H
#define SIDETONE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID 0xffffffffu

// Decodes the code point at p (n > 0 bytes are there). Returns its bytes. Where the bytes are no
// UTF-8 (overlong, surrogate, beyond U+10FFFF, cut) *code is UTF8_INVALID and the result is the
// length of the part that one U+FFFD replaces (Unicode 3.9, maximal subpart).
size_t utf8_next(const char *p, size_t n, uint32_t *code);

#endif
