// What every message has, taken apart once: for the judge, and for the record of the message.
#ifndef SIDETONE_WIRE_SIP_CORE_H
#define SIDETONE_WIRE_SIP_CORE_H

#include "wire/sip/sip.h"

struct sip_core {
    // As the decoders of sip.h give them, of the first header of each kind.
    struct slice from, from_tag, to, to_tag; // URIs and tags
    struct slice branch;                     // of the topmost Via
    // Of the usual shape (wire/sip/usual.h), all of the header: the judge would find nothing.
    bool from_is_usual, to_is_usual, via_is_usual;
    // How far the judge may read to find that more values are usual.
    const char *bytes_end;
};

void sip_core_read(struct sip_core *core, const struct sip_message *m);

// The same by the plain decoders only: the judge goes the long way then. For the test.
void sip_core_read_plain(struct sip_core *core, const struct sip_message *m);

// As sip_judge, which reads the core itself.
void sip_judge_core(struct sip_message *m, const struct sip_core *core);

#endif
