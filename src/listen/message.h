// The public view of one SIP message, made from its record while its bytes are still there.
#ifndef SIDETONE_LISTEN_MESSAGE_H
#define SIDETONE_LISTEN_MESSAGE_H

#include "sidetone/read.h"
#include "wire/packet.h"

struct message_view {
    struct sidetone_message message; // points into the rest
    struct sip_message parsed;
    struct sidetone_packet packet;
    struct sidetone_text names[SIP_INDEX_MAX], values[SIP_INDEX_MAX];
    const char *oddities[SIP_ODD_COUNT];
};

void message_view_fill(struct message_view *v, const struct sip_record *r);

struct sidetone_endpoint endpoint_view(struct endpoint e);

static inline int64_t time_view(int64_t time_ns)
{
    return time_ns == TIME_NOT_KNOWN_NS ? SIDETONE_UNKNOWN : time_ns;
}

static inline struct sidetone_text text_view(struct slice s)
{
    return (struct sidetone_text){s.p, s.n};
}

#endif
