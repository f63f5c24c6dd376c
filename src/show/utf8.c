// Text from the wire on a terminal: widths, and what is safe to print.
#include "show/utf8.h"

#include <stdbool.h>
#include <string.h>

// Marks that may follow one another on one base character. Not smaller: Vietnamese and Hebrew need
// two. Not larger: the bytes of a column are bounded by it, and stacks of marks spill over lines.
#define MARKS_MAX 2

struct range {
    uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count && code >= ranges[i].first; i++) {
        if (code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

// Blocks that hold only combining marks, ascending (Unicode general categories Mn and Me).
static const struct range MARKS[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x06d6, 0x06dc}, {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d},
    {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
    {0x20d0, 0x20f0}, {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};

// Wide and full-width blocks (Unicode East Asian Width W and F), and emoji.
static const struct range WIDE[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

// What a sender could use to make a line say something else than its bytes: direction marks and
// overrides, invisible joiners, line separators, tags.
static const struct range HIDDEN[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x061c, 0x061c},
    {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
};

int utf8_columns(uint32_t code)
{
    if (code >= 0x20 && code < 0x7f) {
        return 1;
    }
    if (code > 0x10ffff || in_ranges(HIDDEN, sizeof HIDDEN / sizeof *HIDDEN, code)) {
        return -1;
    }
    if (in_ranges(MARKS, sizeof MARKS / sizeof *MARKS, code)) {
        return 0;
    }
    return in_ranges(WIDE, sizeof WIDE / sizeof *WIDE, code) ? 2 : 1;
}

// The next piece that is shown or cut as a whole: a character, or the escapes of its bytes.
struct piece {
    size_t bytes; // of the input
    unsigned columns;
    bool escaped, mark;
};

static struct piece next_piece(const char *p, size_t n)
{
    uint32_t code;
    struct piece piece = {.bytes = utf8_next(p, n, &code)};
    int columns = utf8_columns(code);
    if (columns < 0) {
        piece.bytes = 1; // one byte at a time: the columns of a piece stay small
        piece.escaped = true;
        piece.columns = 4;
    } else {
        piece.columns = (unsigned)columns;
        piece.mark = columns == 0;
    }
    return piece;
}

static size_t put_piece(char *out, const char *p, struct piece piece)
{
    if (!piece.escaped) {
        memcpy(out, p, piece.bytes);
        return piece.bytes;
    }
    uint8_t byte = (uint8_t)*p;
    out[0] = '\\';
    out[1] = 'x';
    out[2] = "0123456789ABCDEF"[byte >> 4];
    out[3] = "0123456789ABCDEF"[byte & 15];
    return 4;
}

static size_t total_columns(const char *p, size_t n)
{
    size_t total = 0;
    while (n > 0) {
        struct piece piece = next_piece(p, n);
        total += piece.columns;
        p += piece.bytes;
        n -= piece.bytes;
    }
    return total;
}

size_t utf8_safe(char *out, const char *p, size_t n, unsigned columns, unsigned *used)
{
    size_t left = total_columns(p, n), written = 0;
    bool cut = left > columns, in_head = true;
    unsigned tail = columns > 0 ? (columns - 1) / 2 : 0;
    unsigned head = cut && columns > 0 ? columns - 1 - tail : columns;
    unsigned marks = 0;
    *used = 0;
    while (n > 0) {
        struct piece piece = next_piece(p, n);
        if (in_head && cut && *used + piece.columns > head) {
            in_head = false;
            if (columns > 0) {
                memcpy(out + written, "\xe2\x80\xa6", 3); // the ellipsis
                written += 3;
                *used += 1;
            }
        }
        marks = piece.mark ? marks + 1 : 0;
        if ((in_head || left <= tail) && marks <= MARKS_MAX) {
            written += put_piece(out + written, p, piece);
            *used += piece.columns;
        }
        left -= piece.columns;
        p += piece.bytes;
        n -= piece.bytes;
    }
    return written;
}
