// The public view of one SIP message, made from its record while its bytes are still there.
#ifndef SIDETONE_LISTEN_MESSAGE_H
#define SIDETONE_LISTEN_MESSAGE_H

#include "sidetone/read.h"
#include "wire/packet.h"

struct message_view {
    struct sidetone_message message; // points into the rest
    struct sip_message parsed;
    struct sidetone_packet packet, *packets; // the only one, or a list
    uint32_t packet_room;
    struct sidetone_text path[PATH_STEPS_MAX];
    char path_text[PATH_STEPS_MAX][PATH_STEP_TEXT_BYTES];
    struct sidetone_text names[SIP_INDEX_MAX], values[SIP_INDEX_MAX];
    const char *oddities[SIP_ODD_COUNT];
};

// *v is zeroed before the first use; the list of packets in it is used again.
void message_view_fill(struct message_view *v, const struct sip_record *r, bool with_headers);
void message_view_fini(struct message_view *v);

// The texts of a path's steps, in `texts`, which `bytes` hold. Returns how many.
size_t path_view(const struct path *path, struct sidetone_text texts[PATH_STEPS_MAX],
                 char bytes[PATH_STEPS_MAX][PATH_STEP_TEXT_BYTES]);

const char *transport_name(uint8_t transport);

struct sidetone_endpoint endpoint_view(struct endpoint e);

static inline int64_t time_view(int64_t time_ns)
{
    return time_ns == TIME_NOT_KNOWN_NS ? SIDETONE_UNKNOWN : time_ns;
}

// Negative: not known.
static inline int64_t count_view(int64_t count)
{
    return count < 0 ? SIDETONE_UNKNOWN : count;
}

static inline struct sidetone_text text_view(struct slice s)
{
    return (struct sidetone_text){s.p, s.n};
}

#endif
