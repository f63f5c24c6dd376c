// Reads the headers that every message has: the usual shapes in one walk each, all others by the
// plain decoders.
#include "wire/sip/core.h"

#include "wire/sip/usual.h"
#include "wire/sip/value.h"

static struct slice plain_address(struct slice value, struct slice *tag)
{
    struct sip_name_addr a;
    bool ok = sip_name_addr(value, &a);
    *tag = a.tag;
    return ok ? a.uri : slice_of(NULL, 0);
}

static struct slice plain_branch(struct slice list)
{
    struct sip_via via = {0};
    struct slice first;
    if (sip_list_next(&list, &first)) {
        sip_via(first, &via);
    }
    return via.branch;
}

static bool read_address(struct slice value, const char *bytes_end, struct slice *uri,
                         struct slice *tag)
{
    struct sip_usual usual;
    if (sip_usual_address(value, bytes_end, &usual)) {
        *uri = usual.uri;
        *tag = usual.tag;
        return true;
    }
    *uri = plain_address(value, tag);
    return false;
}

static bool read_via(struct slice value, const char *bytes_end, struct slice *branch)
{
    struct sip_usual usual;
    if (sip_usual_via(value, bytes_end, &usual)) {
        *branch = usual.branch;
        return true;
    }
    *branch = plain_branch(value);
    return false;
}

void sip_core_read(struct sip_core *core, const struct sip_message *m)
{
    const char *end = m->raw.p + m->raw.n;
    core->bytes_end = end;
    core->from_is_usual = read_address(sip_value(m, SIP_H_FROM), end, &core->from, &core->from_tag);
    core->to_is_usual = read_address(sip_value(m, SIP_H_TO), end, &core->to, &core->to_tag);
    core->via_is_usual = read_via(sip_value(m, SIP_H_VIA), end, &core->branch);
}

void sip_core_read_plain(struct sip_core *core, const struct sip_message *m)
{
    *core = (struct sip_core){.bytes_end = m->raw.p}; // no value has room before it
    core->from = plain_address(sip_value(m, SIP_H_FROM), &core->from_tag);
    core->to = plain_address(sip_value(m, SIP_H_TO), &core->to_tag);
    core->branch = plain_branch(sip_value(m, SIP_H_VIA));
}
