// Are two start lines the same? For the unit test and the fuzz target.
#ifndef SIDETONE_TESTS_SIP_START_SAME_H
#define SIDETONE_TESTS_SIP_START_SAME_H

#include "wire/sip/start.h"

static inline bool sip_start_same_slice(struct slice a, struct slice b)
{
    return a.n == b.n && (a.p == b.p || a.n == 0);
}

static inline bool sip_start_same(const struct sip_start *a, const struct sip_start *b)
{
    return a->offset == b->offset && a->next == b->next && a->whole == b->whole &&
           a->is_request == b->is_request && a->code == b->code && a->oddities == b->oddities &&
           sip_start_same_slice(a->method, b->method) && sip_start_same_slice(a->uri, b->uri) &&
           sip_start_same_slice(a->version, b->version) &&
           sip_start_same_slice(a->reason, b->reason);
}

#endif
