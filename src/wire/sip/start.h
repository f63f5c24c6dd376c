// The start line of a SIP message: finding it, and reading its parts (RFC 3261 7.1, 7.2).
#ifndef SIDETONE_WIRE_SIP_START_H
#define SIDETONE_WIRE_SIP_START_H

#include "wire/sip/sip.h"

struct sip_start {
    size_t offset; // of its first byte: CRLFs and blanks before it are skipped
    size_t next;   // of the line after it; n where it is the last
    bool whole;    // it ends by LF; else the bytes end first
    bool is_request;
    uint16_t code;
    struct slice method, uri, version, reason;
    uint64_t oddities;
};

// Returns false where no start line is. Without an LF it is accepted when the bytes end in or
// behind its "SIP/".
bool sip_start_read(struct sip_start *s, const char *p, size_t n);

// The same by the way for all lines, which is the reference for that of the ordinary ones.
bool sip_start_read_any(struct sip_start *s, const char *p, size_t n);

// Could these bytes be the beginning of a start line whose end is not there yet? For streams.
bool sip_start_is_possible(const char *p, size_t n);

#endif
