// One SIP message as a line for people.
#ifndef SIDETONE_SHOW_MESSAGE_TEXT_H
#define SIDETONE_SHOW_MESSAGE_TEXT_H

#include "show/output.h"
#include "sidetone/read.h"

// "22:13:20.000  192.0.2.1:5060 -> 192.0.2.2:5060  UDP  INVITE sip:bob@example.com  c1@x" in at
// most `width` columns (at least 80) where the addresses allow it; with_headers adds the header
// lines below, indented.
void message_text(struct output *out, const struct sidetone_message *m, bool with_headers,
                  unsigned width);

#endif
