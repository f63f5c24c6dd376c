// What the decoders and the judge share: quotes, and finding separators outside of them.
#ifndef SIDETONE_WIRE_SIP_VALUE_H
#define SIDETONE_WIRE_SIP_VALUE_H

#include "wire/sip/sip.h"

// Index behind the quoted string that begins at s.p[at]; *closed tells whether its end quote is
// there (else s.n).
size_t sip_skip_quoted(struct slice s, size_t at, bool *closed);

// Index of the first `stop` outside quotes and, with `brackets`, outside "<...>"; s.n where there
// is none.
size_t sip_find_bare(struct slice s, char stop, bool brackets);

// Takes the next ";name=value" off *params (the empty piece before the first ";" is one too). The
// value's quotes are cut; it is empty where there is none. Returns false at the end.
bool sip_param_next(struct slice *params, struct slice *name, struct slice *value);

// Length of the scheme before the ':' at the beginning (RFC 3986 3.1); 0 where none is.
size_t sip_scheme_length(struct slice text);

// Sets the bit of an oddity in the oddities of a message, or of what becomes one.
static inline void sip_note(uint64_t *oddities, enum sip_oddity o)
{
    *oddities |= (uint64_t)1 << o;
}

// Is header `i` the one in which the snaplen cut the message? Then nothing about its value is the
// sender's fault.
bool sip_header_is_cut(const struct sip_message *m, int i);

#endif
