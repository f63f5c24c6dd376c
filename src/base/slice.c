// Comparison, trimming and splitting of borrowed bytes.
#include "base/slice.h"

bool slice_eq_nocase(struct slice a, struct slice b)
{
    if (a.n != b.n) {
        return false;
    }
    for (size_t i = 0; i < a.n; i++) {
        if (ascii_lower(a.p[i]) != ascii_lower(b.p[i])) {
            return false;
        }
    }
    return true;
}

size_t slice_find(struct slice s, char c)
{
    const char *at = s.n > 0 ? memchr(s.p, c, s.n) : NULL;
    return at ? (size_t)(at - s.p) : s.n;
}

bool slice_cut(struct slice s, char c, struct slice *head, struct slice *tail)
{
    size_t at = slice_find(s, c);
    bool found = at < s.n;
    *head = slice_of(s.p, at);
    // Without bytes there may be no pointer either, and nothing may be added to NULL.
    *tail = found ? slice_of(s.p + at + 1, s.n - at - 1) : slice_of(s.p ? s.p + s.n : NULL, 0);
    return found;
}

bool slice_line(struct slice *rest, struct slice *line)
{
    if (rest->n == 0) {
        return false;
    }
    size_t lf = slice_find(*rest, '\n');
    bool has_lf = lf < rest->n;
    bool has_crlf = has_lf && lf > 0 && rest->p[lf - 1] == '\r';
    *line = slice_of(rest->p, has_crlf ? lf - 1 : lf);
    *rest = slice_skip(*rest, has_lf ? lf + 1 : lf);
    return true;
}

// Digits that always fit into 64 bits.
#define U64_DIGITS_SURE 19

bool slice_u64(struct slice s, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; i < s.n && i < U64_DIGITS_SURE; i++) {
        unsigned digit = (uint8_t)s.p[i] - (unsigned)'0';
        if (digit > 9) {
            return false;
        }
        value = value * 10 + digit;
    }
    for (; i < s.n; i++) { // zeros before the number, or one at the end of what fits
        unsigned digit = (uint8_t)s.p[i] - (unsigned)'0';
        if (digit > 9 || digit > max || value > (max - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (s.n == 0 || value > max) {
        return false;
    }
    *out = value;
    return true;
}
