// Addresses of the public report as text.
#ifndef SIDETONE_SHOW_ENDPOINT_H
#define SIDETONE_SHOW_ENDPOINT_H

#include "sidetone/report.h"

// Bytes that always suffice: "[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]:65535".
#define ENDPOINT_SHOW_BYTES 56

// "192.0.2.10:5060", "[2001:db8::1]:5060" (RFC 5952). Returns the length; no NUL. Written by hand
// for IPv4, because every message of a listing has two.
size_t endpoint_show(char *out, const struct sidetone_endpoint *e);

#endif
