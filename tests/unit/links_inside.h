// What must hold for every value of a header that ties dialogs together, whatever its bytes are.
// Used by the unit test and by the fuzz target.
#ifndef SIDETONE_TESTS_LINKS_INSIDE_H
#define SIDETONE_TESTS_LINKS_INSIDE_H

#include "sip_inside.h"
#include "wire/sip/links.h"

static inline bool links_is_nil(const uint8_t id[SIP_UUID_BYTES])
{
    static const uint8_t nil[SIP_UUID_BYTES];
    return memcmp(id, nil, sizeof nil) == 0;
}

static inline void links_check_session(struct slice value)
{
    struct sip_session_id id;
    bool ok = sip_session_id(value, &id);
    INSIDE_CHECK(ok || (!id.has_local && !id.has_remote));
    INSIDE_CHECK(id.has_local == !links_is_nil(id.local));
    INSIDE_CHECK(id.has_remote == !links_is_nil(id.remote));
}

static inline void links_check_dialog(struct slice value)
{
    struct sip_dialog_name d;
    bool ok = sip_dialog_name(value, &d);
    INSIDE_CHECK(ok == (d.call_id.n > 0));
    INSIDE_CHECK(slice_is_inside(d.call_id, value.p, value.n));
    INSIDE_CHECK(slice_is_inside(d.to_tag, value.p, value.n));
    INSIDE_CHECK(slice_is_inside(d.from_tag, value.p, value.n));
    INSIDE_CHECK(slice_find(d.call_id, ';') == d.call_id.n);
}

static inline void links_check_diversions(struct slice value)
{
    struct slice rest = value, uri;
    size_t count = 0;
    while (sip_diversion_next(&rest, &uri)) {
        INSIDE_CHECK(slice_is_inside(uri, value.p, value.n) && uri.n > 0);
        INSIDE_CHECK(slice_find(uri, '?') == uri.n);
        INSIDE_CHECK(++count <= value.n);
    }
    INSIDE_CHECK(rest.n == 0);
}

// With each room up to that of the whole value: what fits is the same, what does not is nothing.
static inline void links_check_uri_header(struct slice value)
{
    char whole[256], part[256];
    size_t n = sip_uri_header(value, SLICE("Replaces"), whole, sizeof whole);
    INSIDE_CHECK(n <= sizeof whole && n <= value.n);
    for (size_t room = 0; room <= n; room++) {
        size_t got = sip_uri_header(value, SLICE("replaces"), part, room);
        INSIDE_CHECK(room < n ? got == 0 : got == n && memcmp(whole, part, n) == 0);
    }
}

static inline void links_check_number(struct slice value)
{
    char digits[SIP_NUMBER_DIGITS_MAX];
    size_t n = sip_number(value, digits);
    INSIDE_CHECK(n <= SIP_NUMBER_DIGITS_MAX && n <= value.n);
    for (size_t i = 0; i < n; i++) {
        INSIDE_CHECK(digits[i] >= '0' && digits[i] <= '9');
    }
}

static inline void links_check_all(const char *p, size_t n)
{
    struct slice value = slice_of(p, n);
    links_check_session(value);
    links_check_dialog(value);
    links_check_diversions(value);
    links_check_uri_header(value);
    links_check_number(value);
}

#endif
