// Judges a whole message: which of its values break the grammar, and whether an element would
// refuse it for that (RFC 3261 8.2, 16.3, 18.3, 25.1; RFC 4475; RFC 5118).
#include "wire/sip/judge.h"

#include "wire/sip/chars.h"
#include "wire/sip/core.h"
#include "wire/sip/usual.h"
#include "wire/sip/value.h"

#define BIT(name) ((uint64_t)1 << SIP_ODD_##name)

// Not here: what RFC 4475 lets pass with a default in its place (Max-Forwards, Expires,
// Retry-After, Warning, Date, a branch that is the cookie alone), what is legal but unusual, and
// schemes (416 is the answer of a higher layer).
static const uint64_t REFUSED =
    BIT(BLANKS_IN_START_LINE) | BIT(VERSION) | BIT(METHOD) | BIT(REQUEST_URI) | BIT(STATUS_CODE) |
    BIT(HEADER_NO_COLON) | BIT(HEADER_NAME) | BIT(MISSING_VIA) | BIT(MISSING_FROM) |
    BIT(MISSING_TO) | BIT(MISSING_CALL_ID) | BIT(MISSING_CSEQ) | BIT(DUPLICATE_FROM) |
    BIT(DUPLICATE_TO) | BIT(DUPLICATE_CALL_ID) | BIT(DUPLICATE_CSEQ) | BIT(DUPLICATE_MAX_FORWARDS) |
    BIT(EMPTY_CALL_ID) | BIT(CSEQ_NUMBER) | BIT(CSEQ_METHOD) | BIT(VIA) | BIT(FROM) | BIT(TO) |
    BIT(CONTACT) | BIT(CONTENT_LENGTH) | BIT(CONTENT_LENGTH_NEGATIVE) |
    BIT(CONTENT_LENGTH_CONFLICT) | BIT(CONTENT_LENGTH_LONG) | BIT(CONTENT_LENGTH_MISSING) |
    BIT(AUTH);

bool sip_is_refused(const struct sip_message *m)
{
    return (m->oddities & REFUSED) != 0;
}

static void odd_if(struct sip_message *m, bool is, enum sip_oddity o)
{
    if (is) {
        sip_note(&m->oddities, o);
    }
}

static void judge_request_uri(struct sip_message *m, const struct sip_core *core)
{
    if (m->is_request && !sip_is_odd(m, SIP_ODD_REQUEST_URI) &&
        !sip_usual_uri(m->uri, core->bytes_end)) {
        enum sip_uri_verdict verdict = sip_check_uri(m->uri, false);
        odd_if(m, verdict == SIP_URI_BAD, SIP_ODD_REQUEST_URI);
        odd_if(m, verdict == SIP_URI_UNKNOWN_SCHEME, SIP_ODD_UNKNOWN_SCHEME);
    }
}

// The index of the first header with this id where its value can be judged, else -1.
static int first_whole(const struct sip_message *m, enum sip_header_id id)
{
    int i = m->first[id];
    return i >= 0 && !sip_header_is_cut(m, i) ? i : -1;
}

static void judge_via(struct sip_message *m, const struct sip_core *core)
{
    struct slice branch = core->branch;
    int i = first_whole(m, SIP_H_VIA);
    if (i >= 0) {
        bool good = core->via_is_usual || sip_check_via(m->headers[i].value, &branch);
        bool cookie_alone = branch.n == 7 && slice_eq_nocase(branch, SLICE("z9hG4bK"));
        odd_if(m, !good, SIP_ODD_VIA);
        odd_if(m, branch.n == 0 || cookie_alone, SIP_ODD_VIA_NO_BRANCH);
    }
}

static void judge_address(struct sip_message *m, enum sip_header_id id, enum sip_oddity o)
{
    bool unknown = false;
    int i = first_whole(m, id);
    if (i >= 0) {
        odd_if(m, !sip_check_address(m->headers[i].value, &unknown), o);
        odd_if(m, unknown, SIP_ODD_UNKNOWN_SCHEME);
    }
}

static void judge_contact(struct sip_message *m, struct slice value, const char *bytes_end)
{
    struct sip_usual usual;
    bool unknown = false;
    if (sip_usual_address(value, bytes_end, &usual)) {
        odd_if(m, usual.expires.p && !sip_check_number(usual.expires, UINT32_MAX), SIP_ODD_EXPIRES);
        return;
    }
    odd_if(m, !sip_check_contact(value, &unknown), SIP_ODD_CONTACT);
    odd_if(m, unknown, SIP_ODD_UNKNOWN_SCHEME);
    bool has_params = slice_find(value, '=') < value.n;
    odd_if(m, has_params && !sip_check_contact_expires(value), SIP_ODD_EXPIRES);
}

static void judge_addresses(struct sip_message *m, const struct sip_core *core)
{
    if (!core->from_is_usual) {
        judge_address(m, SIP_H_FROM, SIP_ODD_FROM);
    }
    if (!core->to_is_usual) {
        judge_address(m, SIP_H_TO, SIP_ODD_TO);
    }
    for (int i = m->first[SIP_H_CONTACT]; i >= 0; i = sip_next(m, SIP_H_CONTACT, i)) {
        if (!sip_header_is_cut(m, i)) {
            judge_contact(m, m->headers[i].value, core->bytes_end);
        }
    }
}

static bool is_uint32(struct slice value)
{
    return sip_check_number(value, UINT32_MAX);
}

static bool is_hops(struct slice value)
{
    return sip_check_number(value, UINT8_MAX);
}

// One check for every header with this id.
static void judge_each(struct sip_message *m, enum sip_header_id id, bool (*check)(struct slice),
                       enum sip_oddity o)
{
    for (int i = m->first[id]; i >= 0; i = sip_next(m, id, i)) {
        odd_if(m, !sip_header_is_cut(m, i) && !check(m->headers[i].value), o);
    }
}

// Nearly always there is one, and the lines behind it need not be asked.
static void judge_max_forwards(struct sip_message *m)
{
    if (sip_is_odd(m, SIP_ODD_DUPLICATE_MAX_FORWARDS)) {
        judge_each(m, SIP_H_MAX_FORWARDS, is_hops, SIP_ODD_MAX_FORWARDS);
        return;
    }
    int i = first_whole(m, SIP_H_MAX_FORWARDS);
    odd_if(m, i >= 0 && !is_hops(m->headers[i].value), SIP_ODD_MAX_FORWARDS);
}

// The header lines without one in which the snaplen cut: it may have cut a character.
static struct slice whole_lines(const struct sip_message *m)
{
    struct slice lines = m->head;
    while (sip_is_odd(m, SIP_ODD_TRUNCATED) && lines.n > 0 && lines.p[lines.n - 1] != '\n') {
        lines.n--;
    }
    return lines;
}

// The scan has looked at the bytes of the header lines; those of the start line are left.
static void judge_bytes(struct sip_message *m)
{
    struct slice start_line = {m->raw.p, (size_t)(m->head.p - m->raw.p)};
    if (!m->has_high_bytes && sip_usual_start_line(start_line)) {
        return;
    }
    bool good =
        sip_check_utf8(start_line) && (!m->has_high_bytes || sip_check_utf8(whole_lines(m)));
    odd_if(m, !good, SIP_ODD_NOT_UTF8);
    odd_if(m, !sip_check_controls(start_line), SIP_ODD_CONTROL_BYTES);
}

// No header of these is in most messages: no index of them is 0 or above then.
static bool has_seldom(const struct sip_message *m)
{
    const int16_t *first = m->first;
    return (first[SIP_H_EXPIRES] & first[SIP_H_RETRY_AFTER] & first[SIP_H_WARNING] &
            first[SIP_H_DATE] & first[SIP_H_AUTHORIZATION] & first[SIP_H_PROXY_AUTHORIZATION] &
            first[SIP_H_WWW_AUTHENTICATE] & first[SIP_H_PROXY_AUTHENTICATE]) >= 0;
}

static void judge_seldom(struct sip_message *m)
{
    judge_each(m, SIP_H_EXPIRES, is_uint32, SIP_ODD_EXPIRES);
    judge_each(m, SIP_H_RETRY_AFTER, sip_check_retry_after, SIP_ODD_RETRY_AFTER);
    judge_each(m, SIP_H_WARNING, sip_check_warning, SIP_ODD_WARNING);
    judge_each(m, SIP_H_DATE, sip_check_date, SIP_ODD_DATE);
    judge_each(m, SIP_H_AUTHORIZATION, sip_check_credentials, SIP_ODD_AUTH);
    judge_each(m, SIP_H_PROXY_AUTHORIZATION, sip_check_credentials, SIP_ODD_AUTH);
    judge_each(m, SIP_H_WWW_AUTHENTICATE, sip_check_credentials, SIP_ODD_AUTH);
    judge_each(m, SIP_H_PROXY_AUTHENTICATE, sip_check_credentials, SIP_ODD_AUTH);
}

void sip_judge_core(struct sip_message *m, const struct sip_core *core)
{
    judge_request_uri(m, core);
    judge_via(m, core);
    judge_addresses(m, core);
    judge_max_forwards(m);
    if (has_seldom(m)) {
        judge_seldom(m);
    }
    judge_bytes(m);
}

void sip_judge(struct sip_message *m)
{
    struct sip_core core;
    sip_core_read(&core, m);
    sip_judge_core(m, &core);
}
