// The names of methods, header fields and oddities, and the way from a name to its number.
//
// Compact forms are of RFC 3261 20 and the registry.
#include "wire/sip/names.h"

static const struct slice METHODS[SIP_METHOD_COUNT] = {
    [SIP_METHOD_OTHER] = {"", 0},
#define METHOD(name) [SIP_##name] = {#name, sizeof(#name) - 1}
    METHOD(INVITE),
    METHOD(ACK),
    METHOD(BYE),
    METHOD(CANCEL),
    METHOD(REGISTER),
    METHOD(OPTIONS),
    METHOD(PRACK),
    METHOD(SUBSCRIBE),
    METHOD(NOTIFY),
    METHOD(PUBLISH),
    METHOD(INFO),
    METHOD(REFER),
    METHOD(MESSAGE),
    METHOD(UPDATE),
#undef METHOD
};

static enum sip_method method_candidate(struct slice t)
{
    switch (t.p[0]) {
    case 'I':
        return t.n == 6 ? SIP_INVITE : SIP_INFO;
    case 'A':
        return SIP_ACK;
    case 'B':
        return SIP_BYE;
    case 'C':
        return SIP_CANCEL;
    case 'R':
        return t.n == 8 ? SIP_REGISTER : SIP_REFER;
    case 'O':
        return SIP_OPTIONS;
    case 'P':
        return t.n == 5 ? SIP_PRACK : SIP_PUBLISH;
    case 'S':
        return SIP_SUBSCRIBE;
    case 'N':
        return SIP_NOTIFY;
    case 'M':
        return SIP_MESSAGE;
    case 'U':
        return SIP_UPDATE;
    default:
        return SIP_METHOD_OTHER;
    }
}

enum sip_method sip_method_by_name(struct slice token)
{
    if (token.n < 3 || token.n > 9) {
        return SIP_METHOD_OTHER;
    }
    enum sip_method m = method_candidate(token);
    return sip_eq_word(token, METHODS[m]) ? m : SIP_METHOD_OTHER;
}

const char *sip_method_name(enum sip_method m)
{
    return METHODS[m].p;
}

// clang-format off
const struct sip_header_name SIP_HEADER_NAMES[] = {
// The length of the longest is below the bits of an int: none is shifted out.
#define HEADER(text, id) {text, ((1u << (sizeof(text) - 1)) - 1) & 0xffff, sizeof(text) - 1, SIP_H_##id}
    {"", 0, UINT8_MAX, SIP_H_OTHER},
    HEADER("via", VIA), HEADER("from", FROM), HEADER("to", TO), HEADER("call-id", CALL_ID),
    HEADER("cseq", CSEQ), HEADER("max-forwards", MAX_FORWARDS), HEADER("contact", CONTACT),
    HEADER("content-length", CONTENT_LENGTH), HEADER("content-type", CONTENT_TYPE),
    HEADER("content-encoding", CONTENT_ENCODING), HEADER("expires", EXPIRES),
    HEADER("min-expires", MIN_EXPIRES), HEADER("record-route", RECORD_ROUTE),
    HEADER("route", ROUTE), HEADER("user-agent", USER_AGENT), HEADER("server", SERVER),
    HEADER("supported", SUPPORTED), HEADER("require", REQUIRE),
    HEADER("proxy-require", PROXY_REQUIRE), HEADER("unsupported", UNSUPPORTED),
    HEADER("allow", ALLOW), HEADER("accept", ACCEPT), HEADER("event", EVENT),
    HEADER("allow-events", ALLOW_EVENTS), HEADER("subscription-state", SUBSCRIPTION_STATE),
    HEADER("refer-to", REFER_TO), HEADER("referred-by", REFERRED_BY),
    HEADER("replaces", REPLACES), HEADER("session-expires", SESSION_EXPIRES),
    HEADER("min-se", MIN_SE), HEADER("rseq", RSEQ), HEADER("rack", RACK),
    HEADER("reason", REASON), HEADER("retry-after", RETRY_AFTER), HEADER("warning", WARNING),
    HEADER("www-authenticate", WWW_AUTHENTICATE),
    HEADER("proxy-authenticate", PROXY_AUTHENTICATE), HEADER("authorization", AUTHORIZATION),
    HEADER("proxy-authorization", PROXY_AUTHORIZATION), HEADER("subject", SUBJECT),
    HEADER("date", DATE), HEADER("timestamp", TIMESTAMP), HEADER("diversion", DIVERSION),
    HEADER("history-info", HISTORY_INFO), HEADER("p-asserted-identity", P_ASSERTED_IDENTITY),
    HEADER("session-id", SESSION_ID), HEADER("x-call-id", X_CALL_ID),
    HEADER("x-cid", X_CALL_ID), HEADER("x-rtp-stat", X_RTP_STAT), HEADER("p-rtp-stat", P_RTP_STAT),
    HEADER("rtp-rxstat", RTP_RXSTAT), HEADER("rtp-txstat", RTP_TXSTAT),
#undef HEADER
};

// By sip_header_hash. Made by tools/header_slots.py.
const uint8_t SIP_HEADER_SLOTS[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 50, 40, 51, 0, 0, 0, 15, 0,
    0, 49, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 43,
    38, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 33, 0, 0, 0,
    0, 0, 0, 0, 35, 0, 0, 39, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 44, 0, 0, 0, 3,
    0, 0, 26, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 21,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 42, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 31, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 16,
    0, 27, 0, 34, 17, 46, 48, 45, 20, 0, 47, 0, 0, 0, 0, 0,
    0, 0, 41, 0, 11, 24, 0, 0, 0, 9, 0, 0, 0, 0, 0, 30,
    0, 12, 6, 14, 28, 18, 0, 0, 0, 19, 13, 0, 29, 0, 37, 0,
    0, 25, 0, 22, 36, 0, 7, 23, 2, 0, 0, 0, 0, 0, 0, 0,
};

// clang-format on

static const uint8_t COMPACT[26] = {
    ['c' - 'a'] = SIP_H_CONTENT_TYPE, ['e' - 'a'] = SIP_H_CONTENT_ENCODING,
    ['f' - 'a'] = SIP_H_FROM,         ['i' - 'a'] = SIP_H_CALL_ID,
    ['k' - 'a'] = SIP_H_SUPPORTED,    ['l' - 'a'] = SIP_H_CONTENT_LENGTH,
    ['m' - 'a'] = SIP_H_CONTACT,      ['o' - 'a'] = SIP_H_EVENT,
    ['r' - 'a'] = SIP_H_REFER_TO,     ['s' - 'a'] = SIP_H_SUBJECT,
    ['t' - 'a'] = SIP_H_TO,           ['u' - 'a'] = SIP_H_ALLOW_EVENTS,
    ['v' - 'a'] = SIP_H_VIA,          ['x' - 'a'] = SIP_H_SESSION_EXPIRES,
    ['b' - 'a'] = SIP_H_REFERRED_BY,
};

enum sip_header_id sip_header_by_name(struct slice name)
{
    if (name.n < 2 || name.n > SIP_HEADER_NAME_MAX) {
        char c = name.n == 1 ? ascii_lower(name.p[0]) : 0;
        return c >= 'a' && c <= 'z' ? (enum sip_header_id)COMPACT[c - 'a'] : SIP_H_OTHER;
    }
    const struct sip_header_name *h = sip_header_candidate(name);
    if (h->n == name.n && sip_header_is(name.p, h)) {
        return (enum sip_header_id)h->id;
    }
    return h->id == SIP_H_RTP_RXSTAT && slice_eq_nocase(name, SLICE("rtp-txstat"))
               ? SIP_H_RTP_TXSTAT
               : SIP_H_OTHER; // the only two names that the hash cannot part
}

// What the ledger and the report call them.
static const char *const ODDITIES[SIP_ODD_COUNT] = {
    [SIP_ODD_LF_LINES] = "sip.line.lf",
    [SIP_ODD_FOLDED] = "sip.line.folded",
    [SIP_ODD_BLANKS_IN_START_LINE] = "sip.start_line.blanks",
    [SIP_ODD_LEADING_BYTES] = "sip.start_line.leading_bytes",
    [SIP_ODD_VERSION] = "sip.start_line.version",
    [SIP_ODD_METHOD] = "sip.start_line.method",
    [SIP_ODD_REQUEST_URI] = "sip.start_line.uri",
    [SIP_ODD_STATUS_CODE] = "sip.start_line.status_code",
    [SIP_ODD_STATUS_NO_REASON] = "sip.start_line.no_reason",
    [SIP_ODD_HEADER_NO_COLON] = "sip.header.no_colon",
    [SIP_ODD_HEADER_NAME] = "sip.header.name",
    [SIP_ODD_HEADER_UNTERMINATED] = "sip.header.unterminated",
    [SIP_ODD_TOO_MANY_HEADERS] = "sip.header.too_many",
    [SIP_ODD_MISSING_VIA] = "sip.via.missing",
    [SIP_ODD_MISSING_FROM] = "sip.from.missing",
    [SIP_ODD_MISSING_TO] = "sip.to.missing",
    [SIP_ODD_MISSING_CALL_ID] = "sip.call_id.missing",
    [SIP_ODD_MISSING_CSEQ] = "sip.cseq.missing",
    [SIP_ODD_DUPLICATE_FROM] = "sip.from.duplicate",
    [SIP_ODD_DUPLICATE_TO] = "sip.to.duplicate",
    [SIP_ODD_DUPLICATE_CALL_ID] = "sip.call_id.duplicate",
    [SIP_ODD_DUPLICATE_CSEQ] = "sip.cseq.duplicate",
    [SIP_ODD_DUPLICATE_MAX_FORWARDS] = "sip.max_forwards.duplicate",
    [SIP_ODD_EMPTY_CALL_ID] = "sip.call_id.empty",
    [SIP_ODD_CSEQ_NUMBER] = "sip.cseq.number",
    [SIP_ODD_CSEQ_METHOD] = "sip.cseq.method",
    [SIP_ODD_VIA] = "sip.via.malformed",
    [SIP_ODD_VIA_NO_BRANCH] = "sip.via.no_branch",
    [SIP_ODD_FROM] = "sip.from.malformed",
    [SIP_ODD_TO] = "sip.to.malformed",
    [SIP_ODD_CONTACT] = "sip.contact.malformed",
    [SIP_ODD_MAX_FORWARDS] = "sip.max_forwards.range",
    [SIP_ODD_EXPIRES] = "sip.expires.range",
    [SIP_ODD_CONTENT_LENGTH] = "sip.content_length.malformed",
    [SIP_ODD_CONTENT_LENGTH_NEGATIVE] = "sip.content_length.negative",
    [SIP_ODD_CONTENT_LENGTH_CONFLICT] = "sip.content_length.conflict",
    [SIP_ODD_CONTENT_LENGTH_SHORT] = "sip.content_length.short",
    [SIP_ODD_CONTENT_LENGTH_LONG] = "sip.content_length.long",
    [SIP_ODD_CONTENT_LENGTH_MISSING] = "sip.content_length.missing",
    [SIP_ODD_CONTROL_BYTES] = "sip.header.control_bytes",
    [SIP_ODD_NOT_UTF8] = "sip.header.not_utf8",
    [SIP_ODD_WARNING] = "sip.warning.malformed",
    [SIP_ODD_DATE] = "sip.date.malformed",
    [SIP_ODD_AUTH] = "sip.auth.malformed",
    [SIP_ODD_UNKNOWN_SCHEME] = "sip.uri.scheme",
    [SIP_ODD_RETRY_AFTER] = "sip.retry_after.range",
    [SIP_ODD_TRUNCATED] = "sip.truncated",
};

const char *sip_oddity_name(enum sip_oddity o)
{
    return ODDITIES[o];
}
