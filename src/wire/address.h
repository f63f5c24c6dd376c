// Addresses and endpoints as they travel through every room: 16 bytes for both families.
//
// IPv4 is kept as ::ffff:a.b.c.d, so that comparing and hashing never ask for the family.
#ifndef SIDETONE_WIRE_ADDRESS_H
#define SIDETONE_WIRE_ADDRESS_H

#include "base/hash.h"
#include "base/slice.h"

struct address {
    // The 16 bytes as they stand in memory (network order), read as two native words.
    uint64_t hi, lo;
};

struct endpoint {
    struct address addr;
    uint16_t port; // host order; 0 where there is none
};

// Longest text of endpoint_text with its NUL: "[ffff:...]:65535".
#define ENDPOINT_TEXT_BYTES 56

struct address address_v4(const uint8_t bytes[4]);
struct address address_v6(const uint8_t bytes[16]);
bool address_is_v4(struct address a);
bool address_is_zero(struct address a); // 0.0.0.0, :: or never set

static inline bool address_eq(struct address a, struct address b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

static inline bool endpoint_eq(struct endpoint a, struct endpoint b)
{
    return address_eq(a.addr, b.addr) && a.port == b.port;
}

static inline uint64_t endpoint_hash(struct endpoint e, uint64_t seed)
{
    // The port has a step of its own: what is only folded into the address can be undone by
    // choosing the address.
    return hash_mix(hash_mix(e.addr.hi ^ seed, e.addr.lo ^ seed), e.port ^ seed);
}

// Reads "192.0.2.1" or "2001:db8::1" (also in brackets). Returns false where it is neither.
bool address_parse(struct slice text, struct address *out);

// "192.0.2.1" / "2001:db8::1"; returns the length. `out` holds ENDPOINT_TEXT_BYTES.
size_t address_text(struct address a, char *out);

// "192.0.2.10:5060" / "[2001:db8::1]:5060".
size_t endpoint_text(struct endpoint e, char *out);

#endif
