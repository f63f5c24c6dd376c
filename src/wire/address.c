// Reading and writing of addresses.
#include "wire/address.h"

#include <arpa/inet.h>
#include <stdio.h>

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

bool address_parse(struct slice text, struct address *out)
{
    char buffer[INET6_ADDRSTRLEN];
    uint8_t bytes[16];
    if (text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']') {
        text = slice_of(text.p + 1, text.n - 2);
    }
    if (text.n == 0 || text.n >= sizeof buffer) {
        return false;
    }
    memcpy(buffer, text.p, text.n);
    buffer[text.n] = '\0';
    if (strlen(buffer) != text.n) {
        return false;
    }
    if (inet_pton(AF_INET, buffer, bytes) == 1) {
        *out = address_v4(bytes);
        return true;
    }
    if (inet_pton(AF_INET6, buffer, bytes) == 1) {
        *out = address_v6(bytes);
        return true;
    }
    return false;
}

size_t address_text(struct address a, char *out)
{
    uint8_t all[16];
    to_bytes(a, all);
    if (address_is_v4(a)) {
        inet_ntop(AF_INET, all + 12, out, ENDPOINT_TEXT_BYTES);
    } else {
        inet_ntop(AF_INET6, all, out, ENDPOINT_TEXT_BYTES);
    }
    return strlen(out);
}

size_t endpoint_text(struct endpoint e, char *out)
{
    char text[ENDPOINT_TEXT_BYTES];
    address_text(e.addr, text);
    const char *form = address_is_v4(e.addr) ? "%s:%u" : "[%s]:%u";
    return (size_t)snprintf(out, ENDPOINT_TEXT_BYTES, form, text, (unsigned)e.port);
}
