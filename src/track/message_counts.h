// How many SIP messages of which method and status there were: one for each call bin.
//
// Comes in: messages without capture copies, with the fold's word whether each is a retransmission.
// Goes out: counters, added up over the bins. 12 KB; a message touches two of its lines.
#ifndef SIDETONE_TRACK_MESSAGE_COUNTS_H
#define SIDETONE_TRACK_MESSAGE_COUNTS_H

#include "wire/packet.h"

#define MESSAGE_CODES 700 // RFC 3261 7.2 knows 100 to 699

struct message_count {
    uint64_t messages;        // with retransmissions
    uint64_t retransmissions; // of these
};

struct message_counts {
    struct message_count requests[SIP_METHOD_COUNT];
    struct message_count responses[SIP_METHOD_COUNT]; // by the method of their CSeq
    struct message_count codes[MESSAGE_CODES];        // 0: without a status that is known
};

static inline void message_count(struct message_count *c, bool is_again)
{
    c->messages++;
    c->retransmissions += is_again;
}

static inline void message_counts_message(struct message_counts *c, const struct sip_record *m,
                                          bool is_again)
{
    if (m->is_request) {
        message_count(&c->requests[m->method], is_again);
    } else {
        message_count(&c->responses[m->method], is_again);
        message_count(&c->codes[m->code < MESSAGE_CODES ? m->code : 0], is_again);
    }
}

#endif
