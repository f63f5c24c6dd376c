// Addresses, Via and URIs of the usual shape: judged and taken apart in one walk.
//
// What these functions take, the judge finds nothing in, and the decoders of value.h and uri.c give
// the same parts of. What they do not take may be good or bad: the plain functions tell. Some nine
// in ten values of the captures of other projects are taken. Budget: some 240 instructions a value
// of 60 bytes, where decoding and judging it the plain way took 1,200 for an address and 2,100 for
// a Via (callgrind, gcc 12 -O3). tests/unit/sip_usual.c and sip_same.h hold them against the plain
// functions.
#ifndef SIDETONE_WIRE_SIP_USUAL_H
#define SIDETONE_WIRE_SIP_USUAL_H

#include "base/slice.h"

struct sip_usual {
    struct slice uri; // of an address, without brackets
    // Of the parameters, quotes cut: the first tag and expires (p is NULL where there is none), the
    // first branch that is not empty.
    struct slice tag, branch, expires;
};

// `bytes_end`: how far bytes may be read. Values that end closer to it than SIP_SPAN_ROOM are not
// taken. `value` is trimmed.

// [display-name] "<sip:" [user "@"] host [":" port] [";" parameters] ">" *(";" name ["=" value]):
// From, To, a Contact of one address.
bool sip_usual_address(struct slice value, const char *bytes_end, struct sip_usual *out);

// "SIP/2.0/" transport SP host [":" port] *(";" name ["=" value]): one value.
bool sip_usual_via(struct slice value, const char *bytes_end, struct sip_usual *out);

// "sip:" [user "@"] host [":" port] [";" parameters].
bool sip_usual_uri(struct slice uri, const char *bytes_end);

// A start line with its CRLF that has no control bytes and none above 0x7e.
bool sip_usual_start_line(struct slice line);

#endif
