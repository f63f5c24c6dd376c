// Bytes written as hexadecimal digits, for tables of packets.
#ifndef SIDETONE_TESTS_HEX_H
#define SIDETONE_TESTS_HEX_H

#include <assert.h>
#include <stdint.h>

struct hex_bytes {
    uint8_t p[1024];
    uint32_t n;
};

static inline int hex_digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

// Hexadecimal digits, blanks between them or not.
static inline struct hex_bytes hex(const char *text)
{
    struct hex_bytes b = {.n = 0};
    for (; *text != '\0'; text++) {
        if (*text != ' ') {
            assert(b.n < sizeof b.p);
            b.p[b.n++] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
            text++;
        }
    }
    return b;
}

#endif
