// Whether two ways of peeling a frame found the same. Used by unit tests and by the fuzz target.
#ifndef SIDETONE_TESTS_DATAGRAM_SAME_H
#define SIDETONE_TESTS_DATAGRAM_SAME_H

#include "wire/net/peel.h"

// Does peel() fill the datagram when it returns this?
static inline bool datagram_is_filled(enum reason reason)
{
    return reason == REASON_NONE || reason == REASON_FRAGMENT_INCOMPLETE;
}

// Of two that peel() filled with the same reason: all fields that mean something then.
static inline bool datagram_is_same(enum reason reason, const struct datagram *a,
                                    const struct datagram *b)
{
    bool is_same = endpoint_eq(a->src, b->src) && endpoint_eq(a->dst, b->dst) &&
                   a->transport == b->transport && a->payload == b->payload &&
                   a->payload_n == b->payload_n && a->payload_length == b->payload_length &&
                   a->ip_id == b->ip_id && a->checksum == b->checksum && a->ttl == b->ttl &&
                   a->protocol == b->protocol && a->tunnels == b->tunnels &&
                   path_eq(&a->path, &b->path);
    if (is_same && reason == REASON_FRAGMENT_INCOMPLETE) {
        is_same = a->more_fragments == b->more_fragments && a->fragment_id == b->fragment_id &&
                  a->fragment_offset == b->fragment_offset;
    } else if (is_same && a->protocol == NET_ICMP) {
        is_same = a->icmp_type == b->icmp_type && a->icmp_code == b->icmp_code;
    }
    return is_same;
}

#endif
