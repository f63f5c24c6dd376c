// The fast index of header lines against the plain one, for the unit test and the fuzz target.
#ifndef SIDETONE_TESTS_SIP_INDEX_SAME_H
#define SIDETONE_TESTS_SIP_INDEX_SAME_H

#include <string.h>

#include "wire/sip/index.h"

static inline struct sip_index sip_index_of(struct sip_message *m, const char *p, uint32_t n,
                                            uint32_t at)
{
    m->oddities = 0;
    m->has_high_bytes = false;
    m->header_count = 0;
    memset(m->first, 0xff, sizeof m->first);
    return (struct sip_index){.m = m, .p = p, .n = n, .at = at};
}

static inline bool sip_index_same_slice(struct slice a, struct slice b)
{
    return a.p == b.p && a.n == b.n;
}

// Both ways from offset `at` (1 to n) on: NULL, or what differs.
static inline const char *sip_index_difference(const char *p, uint32_t n, uint32_t at)
{
    static struct sip_message a, b;
    struct sip_index x = sip_index_of(&a, p, n, at);
    struct sip_index y = sip_index_of(&b, p, n, at);
    sip_index_plain(&x);
    sip_index_fast(&y);
    if (x.at != y.at || x.head_end != y.head_end || x.whole != y.whole) {
        return "where the headers end";
    }
    if (x.has_more_lengths != y.has_more_lengths || a.oddities != b.oddities ||
        a.has_high_bytes != b.has_high_bytes) {
        return "what was noted";
    }
    if (a.header_count != b.header_count || memcmp(a.first, b.first, sizeof a.first) != 0) {
        return "places";
    }
    for (uint32_t i = 0; i < a.header_count; i++) {
        if (a.headers[i].id != b.headers[i].id ||
            !sip_index_same_slice(a.headers[i].name, b.headers[i].name) ||
            !sip_index_same_slice(a.headers[i].value, b.headers[i].value)) {
            return "a header";
        }
    }
    return NULL;
}

#endif
