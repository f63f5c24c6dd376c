// What a Reason says of timers (RFC 3326).
#include "wire/sip/sip.h"

static bool has_word(struct slice text, struct slice word)
{
    for (size_t i = 0; i + word.n <= text.n; i++) {
        if (slice_eq_nocase(slice_of(text.p + i, word.n), word)) {
            return true;
        }
    }
    return false;
}

static bool is_said(struct slice text)
{
    return has_word(text, SLICE("session")) &&
           (has_word(text, SLICE("timer")) || has_word(text, SLICE("expire")) ||
            has_word(text, SLICE("timeout")) || has_word(text, SLICE("timed out")));
}

// Reason: SIP;cause=408;text="Session expired". Q.850 has 102, "recovery on timer expiry".
static enum sip_lapse lapse_of(struct slice value)
{
    bool found;
    struct slice protocol, params;
    slice_cut(value, ';', &protocol, &params);
    struct slice cause = sip_param(params, SLICE("cause"), &found);
    bool is_sip = slice_eq_nocase(slice_trim(protocol), SLICE("SIP"));
    if (is_said(sip_param(params, SLICE("text"), &found))) {
        return SIP_LAPSE_SAID;
    }
    return slice_eq(cause, is_sip ? SLICE("408") : SLICE("102")) ? SIP_LAPSE_CODE : SIP_LAPSE_NONE;
}

enum sip_lapse sip_lapse(const struct sip_message *m)
{
    enum sip_lapse most = SIP_LAPSE_NONE;
    for (int i = sip_next(m, SIP_H_REASON, -1); i >= 0; i = sip_next(m, SIP_H_REASON, i)) {
        struct slice rest = m->headers[i].value, value;
        while (sip_list_next(&rest, &value)) {
            enum sip_lapse lapse = lapse_of(value);
            most = lapse > most ? lapse : most;
        }
    }
    return most;
}
