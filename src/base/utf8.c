// Decoding of UTF-8.
#include "base/utf8.h"

size_t utf8_next(const char *p, size_t n, uint32_t *code)
{
    const uint8_t *b = (const uint8_t *)p;
    uint8_t lead = b[0], low = 0x80, high = 0xbf;
    size_t want;
    uint32_t value;
    *code = UTF8_INVALID;
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    if (lead < 0xc2 || lead > 0xf4) {
        return 1;
    }
    if (lead < 0xe0) {
        want = 2;
        value = lead & 0x1f;
    } else if (lead < 0xf0) {
        want = 3;
        value = lead & 0x0f;
        low = lead == 0xe0 ? 0xa0 : 0x80;  // no overlong forms
        high = lead == 0xed ? 0x9f : 0xbf; // no surrogates
    } else {
        want = 4;
        value = lead & 0x07;
        low = lead == 0xf0 ? 0x90 : 0x80;
        high = lead == 0xf4 ? 0x8f : 0xbf; // nothing beyond U+10FFFF
    }
    for (size_t i = 1; i < want; i++) {
        if (i >= n || b[i] < low || b[i] > high) {
            return i;
        }
        value = value << 6 | (b[i] & 0x3f);
        low = 0x80;
        high = 0xbf;
    }
    *code = value;
    return want;
}
