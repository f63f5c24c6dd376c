// Addresses of the public report as text.
#include "show/endpoint.h"

#include "show/number.h"
#include "wire/address.h"

#include <string.h>

static const uint8_t MAPPED[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

size_t endpoint_show(char *out, const struct sidetone_endpoint *e)
{
    if (memcmp(e->address, MAPPED, sizeof MAPPED) != 0) {
        return endpoint_text((struct endpoint){address_v6(e->address), e->port}, out);
    }
    size_t n = 0;
    for (unsigned i = 12; i < 16; i++) {
        n += number_u64(out + n, e->address[i]);
        out[n++] = i < 15 ? '.' : ':';
    }
    return n + number_u64(out + n, e->port);
}
