// One SIP message as a line for people.
#ifndef SIDETONE_SHOW_MESSAGE_TEXT_H
#define SIDETONE_SHOW_MESSAGE_TEXT_H

#include "show/output.h"
#include "sidetone/read.h"

// "22:13:20.000  192.0.2.1:5060 → 192.0.2.2:5060  UDP  INVITE sip:bob@example.com  c1@x". `width`
// (columns of the terminal) decides how much of the start line is shown; the Call-ID behind it has
// up to 100 columns of its own, so a line may be longer. with_headers adds the header lines below,
// indented.
void message_text(struct output *out, const struct sidetone_message *m, bool with_headers,
                  unsigned width);

#endif
