// UTF-8 as it comes from the wire: decoding that never trusts, widths on a terminal, and text that
// is safe to print there.
#ifndef SIDETONE_SHOW_UTF8_H
#define SIDETONE_SHOW_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID 0xffffffffu

// Decodes the code point at p (n > 0 bytes are there). Returns its bytes. Where the bytes are no
// UTF-8 (overlong, surrogate, beyond U+10FFFF, cut) *code is UTF8_INVALID and the result is the
// length of the part that one U+FFFD replaces (Unicode 3.9, maximal subpart).
size_t utf8_next(const char *p, size_t n, uint32_t *code);

// Columns of a code point on a terminal: 0 (combining), 1 or 2; -1 where it must not be sent to one
// (controls, direction overrides, invisible characters).
int utf8_columns(uint32_t code);

// Bytes that always suffice for `columns` columns of utf8_safe.
#define UTF8_SAFE_BYTES(columns) ((columns)*12 + 16)

// Text as a terminal may show it, in at most `columns` columns: bytes that are not printable become
// \xNN, and a text that is too long loses its middle to an ellipsis. Returns the bytes written;
// *used is the columns that they take.
size_t utf8_safe(char *out, const char *p, size_t n, unsigned columns, unsigned *used);

#endif
