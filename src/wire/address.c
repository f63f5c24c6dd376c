// Reading and writing of addresses.
#include "wire/address.h"

#include <arpa/inet.h>

static const uint8_t MAPPED[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct address address_v6(const uint8_t bytes[16])
{
    struct address a;
    memcpy(&a.hi, bytes, 8);
    memcpy(&a.lo, bytes + 8, 8);
    return a;
}

struct address address_v4(const uint8_t bytes[4])
{
    uint8_t all[16];
    memcpy(all, MAPPED, 12);
    memcpy(all + 12, bytes, 4);
    return address_v6(all);
}

static void to_bytes(struct address a, uint8_t out[16])
{
    memcpy(out, &a.hi, 8);
    memcpy(out + 8, &a.lo, 8);
}

bool address_is_v4(struct address a)
{
    uint8_t all[16];
    to_bytes(a, all);
    return memcmp(all, MAPPED, 12) == 0;
}

bool address_is_zero(struct address a)
{
    uint8_t all[16];
    to_bytes(a, all);
    if (memcmp(all, MAPPED, 12) == 0) {
        return memcmp(all + 12, "\0\0\0\0", 4) == 0;
    }
    return a.hi == 0 && a.lo == 0;
}

// "192.0.2.1": four numbers of at most 255 without zeros before them, as inet_pton() has it. By
// hand: every session description names one.
static bool parse_v4(struct slice text, struct address *out)
{
    uint8_t bytes[4];
    size_t at = 0;
    for (int i = 0; i < 4; i++) {
        size_t from = at;
        unsigned value = 0;
        for (; at < text.n && at - from < 3 && text.p[at] >= '0' && text.p[at] <= '9'; at++) {
            value = value * 10 + (unsigned)(text.p[at] - '0');
        }
        if (at == from || value > 255 || (at - from > 1 && text.p[from] == '0')) {
            return false;
        }
        bytes[i] = (uint8_t)value;
        if (i < 3 && (at == text.n || text.p[at++] != '.')) {
            return false;
        }
    }
    if (at < text.n) {
        return false;
    }
    *out = address_v4(bytes);
    return true;
}

bool address_parse(struct slice text, struct address *out)
{
    char buffer[INET6_ADDRSTRLEN];
    uint8_t bytes[16];
    if (text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']') {
        text = slice_of(text.p + 1, text.n - 2);
    }
    if (parse_v4(text, out)) {
        return true;
    }
    if (text.n == 0 || text.n >= sizeof buffer) {
        return false;
    }
    memcpy(buffer, text.p, text.n);
    buffer[text.n] = '\0';
    if (strlen(buffer) != text.n) {
        return false;
    }
    if (inet_pton(AF_INET6, buffer, bytes) == 1) {
        *out = address_v6(bytes);
        return true;
    }
    return false;
}

// Decimal digits of a number below 100,000. Text is written by hand: every message of a listing has
// two endpoints.
static size_t put_decimal(char *out, uint32_t value)
{
    size_t n = value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : value < 10000 ? 4 : 5;
    for (size_t at = n; at > 0; value /= 10) {
        out[--at] = (char)('0' + value % 10);
    }
    return n;
}

// "192.0.2.1" without a NUL.
static size_t put_v4(char *out, const uint8_t bytes[4])
{
    size_t n = put_decimal(out, bytes[0]);
    for (size_t i = 1; i < 4; i++) {
        out[n++] = '.';
        n += put_decimal(out + n, bytes[i]);
    }
    return n;
}

static size_t put_address(char *out, const uint8_t all[16], bool is_v4)
{
    if (is_v4) {
        return put_v4(out, all + 12);
    }
    inet_ntop(AF_INET6, all, out, ENDPOINT_TEXT_BYTES - 1); // RFC 5952; a bracket stands before it
    return strlen(out);
}

size_t address_text(struct address a, char *out)
{
    uint8_t all[16];
    to_bytes(a, all);
    size_t n = put_address(out, all, memcmp(all, MAPPED, 12) == 0);
    out[n] = '\0';
    return n;
}

size_t endpoint_text(struct endpoint e, char *out)
{
    uint8_t all[16];
    to_bytes(e.addr, all);
    bool is_v4 = memcmp(all, MAPPED, 12) == 0;
    size_t n = 0;
    if (!is_v4) {
        out[n++] = '[';
    }
    n += put_address(out + n, all, is_v4);
    if (!is_v4) {
        out[n++] = ']';
    }
    out[n++] = ':';
    n += put_decimal(out + n, e.port);
    out[n] = '\0';
    return n;
}
