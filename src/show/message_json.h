// One SIP message as one line of JSON (docs/json.md, "Messages").
#ifndef SIDETONE_SHOW_MESSAGE_JSON_H
#define SIDETONE_SHOW_MESSAGE_JSON_H

#include "show/output.h"
#include "sidetone/read.h"

// `with_headers` adds "headers": [[name, value], ...], as written and in order.
void message_json(struct output *out, const struct sidetone_message *m, bool with_headers);

#endif
