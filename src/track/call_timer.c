// The session timer (RFC 4028): what was agreed, and whether it ran out.
#include "track/call_extras.h"

#define SECOND_NS INT64_C(1000000000)

// How late a BYE still is one for the lapse. Not smaller: timers of endpoints are some seconds
// slow, and the BYE may be sent again. Not larger: a person hangs up at any time.
#define LAPSE_SLACK_NS (10 * SECOND_NS)

// Intervals that are believed: some senders mean milliseconds or "never".
#define INTERVAL_MAX_S (7u * 24 * 3600)

// The first 2xx that is seen of a transaction counts; at another hop a proxy may have added the
// interval (RFC 4028 8.2).
void call_timer_refresh(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by)
{
    if (m->session_expires_s == 0 && (!c->extras || c->extras->timer.interval_ns == 0)) {
        return;
    }
    struct call_timer *t = &call_extras_of(c, arena)->timer;
    bool is_same = t->interval_ns > 0 && t->cseq == m->cseq && t->by == by;
    if (is_same) {
        return;
    }
    bool is_sound = m->session_expires_s <= INTERVAL_MAX_S;
    t->interval_ns = is_sound ? m->session_expires_s * SECOND_NS : 0;
    t->since_ns = m->time_ns;
    t->at = m->order.at;
    t->cseq = m->cseq;
    t->by = by;
}

void call_timer_bye(struct call *c, struct arena *arena, const struct sip_record *m)
{
    bool has_timer = c->extras && c->extras->timer.interval_ns > 0;
    bool is_said = m->lapse == SIP_LAPSE_SAID || (m->lapse == SIP_LAPSE_CODE && has_timer);
    if (is_said || has_timer) {
        struct call_timer *t = &call_extras_of(c, arena)->timer;
        t->is_said = is_said;
        t->bye_at = m->order.at;
    }
}

enum call_lapse call_timer_lapse(const struct call *c, int64_t now_ns)
{
    if (!c->extras || !(c->facts & FACT_ANSWERED)) {
        return LAPSE_NONE;
    }
    const struct call_timer *t = &c->extras->timer;
    if (t->is_said) {
        return LAPSE_BYE;
    }
    if (t->interval_ns == 0 || t->since_ns <= TIME_NOT_KNOWN_NS) {
        return LAPSE_NONE;
    }
    int64_t early_ns = t->interval_ns / 3 < 32 * SECOND_NS ? t->interval_ns / 3 : 32 * SECOND_NS;
    bool has_bye = c->bye_ns != TIME_NOT_SEEN;
    int64_t age_ns = (has_bye ? c->bye_ns : now_ns) - t->since_ns;
    if (has_bye) {
        return age_ns >= t->interval_ns - early_ns && age_ns <= t->interval_ns + LAPSE_SLACK_NS
                   ? LAPSE_BYE
                   : LAPSE_NONE;
    }
    return age_ns > t->interval_ns + LAPSE_SLACK_NS ? LAPSE_NO_BYE : LAPSE_NONE;
}
