// An address of record, in the form in which two of them can be compared byte by byte.
#ifndef SIDETONE_WIRE_SIP_AOR_H
#define SIDETONE_WIRE_SIP_AOR_H

#include "base/slice.h"

// Bytes that an address of record is compared by. Not smaller: users and hosts of real networks
// stay below. Not larger: it lives on the stack. Longer ones are compared as they are written.
#define SIP_AOR_BYTES 256

// What makes `uri` an address of record: scheme and host in lower case, the user with what is
// escaped without need unescaped, the port only where it is not the scheme's own; no password, no
// parameters (RFC 3261 10.3, 19.1.4). The result is in `room`, or is `uri` itself.
struct slice sip_aor(struct slice uri, char room[SIP_AOR_BYTES]);

#endif
