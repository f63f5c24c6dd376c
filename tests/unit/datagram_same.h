// Whether two ways of peeling a frame found the same. Used by the unit test and by the fuzz target.
#ifndef SIDETONE_TESTS_DATAGRAM_SAME_H
#define SIDETONE_TESTS_DATAGRAM_SAME_H

#include <string.h>

#include "wire/net/peel.h"

static inline bool datagram_is_same(const struct datagram *a, const struct datagram *b)
{
    return endpoint_eq(a->src, b->src) && endpoint_eq(a->dst, b->dst) &&
           a->transport == b->transport && a->payload == b->payload &&
           a->payload_n == b->payload_n && a->payload_length == b->payload_length &&
           a->ip_id == b->ip_id && a->checksum == b->checksum && a->ttl == b->ttl &&
           a->protocol == b->protocol && a->vlan_count == b->vlan_count &&
           memcmp(a->vlan, b->vlan, sizeof a->vlan) == 0;
}

#endif
