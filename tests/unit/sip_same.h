// The short ways of usual.h and core.h against the plain decoders and the plain judge: what they
// take must be what those give. Used by the unit tests and by the fuzz target.
#ifndef SIDETONE_TESTS_SIP_SAME_H
#define SIDETONE_TESTS_SIP_SAME_H

#include "inside_check.h"
#include "wire/sip/core.h"
#include "wire/sip/judge.h"
#include "wire/sip/usual.h"
#include "wire/sip/value.h"

// The same bytes at the same place; an empty one may be anywhere.
static inline bool sip_slices_are_same(struct slice a, struct slice b)
{
    return a.n == b.n && (a.n == 0 || a.p == b.p);
}

static inline bool sip_is_one_of_list(struct slice value)
{
    struct slice rest = value;
    struct slice one;
    return sip_list_next(&rest, &one) && rest.n == 0 && sip_slices_are_same(one, value);
}

// Returns how many of the three shapes took the value.
static inline int sip_check_usual(struct slice value, const char *bytes_end)
{
    struct sip_usual u;
    struct sip_name_addr a;
    struct sip_via via;
    struct slice branch;
    bool unknown = false;
    bool found = false;
    int taken = 0;
    if (sip_usual_address(value, bytes_end, &u)) {
        INSIDE_CHECK(sip_name_addr(value, &a));
        INSIDE_CHECK(sip_slices_are_same(a.uri, u.uri) && sip_slices_are_same(a.tag, u.tag));
        struct slice expires = sip_param(a.params, SLICE("expires"), &found);
        INSIDE_CHECK(sip_slices_are_same(expires, u.expires) && found == (u.expires.p != NULL));
        INSIDE_CHECK(sip_check_address(value, &unknown) && sip_check_contact(value, &unknown));
        INSIDE_CHECK(!unknown && sip_is_one_of_list(value));
        taken++;
    }
    if (sip_usual_via(value, bytes_end, &u)) {
        INSIDE_CHECK(sip_via(value, &via) && sip_slices_are_same(via.branch, u.branch));
        INSIDE_CHECK(sip_check_via(value, &branch) && sip_slices_are_same(branch, u.branch));
        INSIDE_CHECK(sip_is_one_of_list(value));
        taken++;
    }
    if (sip_usual_uri(value, bytes_end)) {
        INSIDE_CHECK(sip_check_uri(value, false) == SIP_URI_GOOD);
        taken++;
    }
    if (sip_usual_start_line(value)) {
        INSIDE_CHECK(sip_check_utf8(value) && sip_check_controls(value));
    }
    return taken;
}

// Judges the message.
static inline void sip_check_core(struct sip_message *m)
{
    struct sip_core core, plain;
    uint64_t before = m->oddities;
    sip_core_read(&core, m);
    sip_core_read_plain(&plain, m);
    INSIDE_CHECK(sip_slices_are_same(core.from, plain.from));
    INSIDE_CHECK(sip_slices_are_same(core.from_tag, plain.from_tag));
    INSIDE_CHECK(sip_slices_are_same(core.to, plain.to));
    INSIDE_CHECK(sip_slices_are_same(core.to_tag, plain.to_tag));
    INSIDE_CHECK(sip_slices_are_same(core.branch, plain.branch));
    sip_judge_core(m, &plain);
    uint64_t want = m->oddities;
    m->oddities = before;
    sip_judge(m);
    INSIDE_CHECK(m->oddities == want);
}

#endif
