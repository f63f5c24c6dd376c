// Digits that INFO requests carry, of both sides in order.
#include "track/call_extras.h"
#include "wire/sip/dtmf_info.h"

static char digit_of(const struct sip_message *full)
{
    static const struct slice TYPES[] = {
        {"application/dtmf-relay", sizeof "application/dtmf-relay" - 1},
        {"application/dtmf", sizeof "application/dtmf" - 1},
        {"audio/telephone-event", sizeof "audio/telephone-event" - 1},
    };
    struct slice body;
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (sip_body_part(full, TYPES[i], &body)) {
            return dtmf_info_digit(body);
        }
    }
    return '\0';
}

void call_digits_message(struct call *c, struct arena *arena, const struct sip_record *m,
                         const struct sip_message *full, uint8_t by)
{
    char digit = m->method == SIP_INFO ? digit_of(full) : '\0';
    if (digit == '\0') {
        return;
    }
    struct call_extras *x = call_extras_of(c, arena);
    if (!x->digits) {
        x->digits = ARENA_NEW(arena, struct call_digits);
    }
    struct call_digits *d = x->digits;
    uint64_t *newest = &d->cseq[by == BY_CALLEE];
    if (m->cseq < *newest) {
        return; // the same at another hop, or one that was overtaken and is there already
    }
    *newest = m->cseq < UINT64_MAX ? m->cseq + 1 : m->cseq;
    d->newest_by = by;
    if (d->count < CALL_DIGITS_MAX) {
        d->text[d->count++] = digit;
    }
}

// A challenge asks for the same request once more, with another CSeq.
void call_digits_refused(struct call *c, const struct sip_record *m, uint8_t by)
{
    struct call_digits *d = c->extras ? c->extras->digits : NULL;
    if (d && d->count > 0 && d->newest_by == by && d->cseq[by == BY_CALLEE] == m->cseq + 1) {
        d->count--;
        d->newest_by = 0;
    }
}
