// Which messages have something for a call's extras; they are few, so they are parsed once more.
#include "track/call_extras.h"

struct call_extras *call_extras_of(struct call *c, struct arena *arena)
{
    if (!c->extras) {
        c->extras = ARENA_NEW(arena, struct call_extras);
    }
    return c->extras;
}

static bool is_of_interest(const struct call *c, const struct sip_record *m)
{
    if (m->has_rtp_stat) {
        return true;
    }
    if (!m->is_request) {
        return false;
    }
    const uint32_t with_body = 1u << SIP_NOTIFY | 1u << SIP_PUBLISH | 1u << SIP_INFO;
    return (m->has_other_body && (with_body >> m->method & 1) != 0) ||
           (m->method == SIP_REFER && c->kind == KIND_CALL);
}

void call_extras_message(struct call *c, struct arena *arena, const struct sip_record *m,
                         uint8_t by, uint32_t mark)
{
    struct sip_message full;
    if (!is_of_interest(c, m) || !sip_record_parse(m, &full)) {
        return;
    }
    if (c->kind == KIND_CALL && m->is_request) {
        call_transfer_message(c, arena, m, &full, by);
        call_digits_message(c, arena, m, &full, by);
    }
    call_reports_message(c, arena, m, &full, by, mark);
}
