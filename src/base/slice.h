// A slice is a borrowed piece of bytes: it never owns, and no NUL is assumed after it.
//
// Passed by value everywhere. The empty slice has n == 0; p may be NULL then.
#ifndef SIDETONE_BASE_SLICE_H
#define SIDETONE_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
    const char *p;
    size_t n;
};

#define SLICE(literal) ((struct slice){(literal), sizeof(literal) - 1})

static inline struct slice slice_of(const char *p, size_t n)
{
    return (struct slice){p, n};
}

// Borrows a NUL-terminated string.
static inline struct slice slice_str(const char *text)
{
    return (struct slice){text, text ? strlen(text) : 0};
}

static inline bool slice_eq(struct slice a, struct slice b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

// Compares letters of ASCII without case, other bytes exactly.
bool slice_eq_nocase(struct slice a, struct slice b);

static inline bool ascii_is_blank(char c)
{
    // One bit for each of them: most bytes are above a blank, and one comparison says no.
    const uint64_t blanks = UINT64_C(1) << ' ' | 1 << '\t' | 1 << '\r' | 1 << '\n';
    return (uint8_t)c <= ' ' && (blanks >> c & 1) != 0;
}

// Cuts blanks and tabs, CR and LF off both ends. Inline: values are short and many.
static inline struct slice slice_trim(struct slice s)
{
    while (s.n > 0 && ascii_is_blank(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n > 0 && ascii_is_blank(s.p[s.n - 1])) {
        s.n--;
    }
    return s;
}

// What follows the first n bytes; n is at most s.n. (No bytes of a slice without an address:
// nothing may be added to it.)
static inline struct slice slice_skip(struct slice s, size_t n)
{
    return n == 0 ? s : slice_of(s.p + n, s.n - n);
}

// Splits at the first `c`: *head is what stands before it, *tail what stands after. Returns false
// (head = s, tail empty) where there is no `c`.
bool slice_cut(struct slice s, char c, struct slice *head, struct slice *tail);

// Takes a line off *rest, without its LF or CRLF; a last line may have none. Returns false where
// nothing is left.
bool slice_line(struct slice *rest, struct slice *line);

// Index of the first `c`, or s.n.
size_t slice_find(struct slice s, char c);

// Reads decimal digits only, all of s. Returns false where s is empty, has another byte, or exceeds
// `max`.
bool slice_u64(struct slice s, uint64_t max, uint64_t *out);

#endif
