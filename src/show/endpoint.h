// Endpoints of the public report as text: wire/address.h has the one form.
#ifndef SIDETONE_SHOW_ENDPOINT_H
#define SIDETONE_SHOW_ENDPOINT_H

#include "sidetone/report.h"
#include "wire/address.h"

// "192.0.2.10:5060", "[2001:db8::1]:5060". `out` holds ENDPOINT_TEXT_BYTES. Returns the length.
static inline size_t endpoint_show(char *out, const struct sidetone_endpoint *e)
{
    return endpoint_text((struct endpoint){address_v6(e->address), e->port}, out);
}

#endif
