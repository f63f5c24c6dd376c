// UTF-8 on a terminal: widths of characters, and text that is safe to print.
#ifndef SIDETONE_SHOW_UTF8_H
#define SIDETONE_SHOW_UTF8_H

#include "base/utf8.h"

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
