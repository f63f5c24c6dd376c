// SIP messages: one parser for all rooms (RFC 3261, 4475, 5118).
//
// Comes in: the bytes of one datagram, or of a stream from a start line on. Goes out: `struct
// sip_message`, an index of slices into those bytes; values are decoded on demand by the functions
// below. Owns nothing, allocates nothing, copies nothing; the message is valid as long as the bytes
// are. Odd messages parse as far as they make sense, and each oddity is named. Any length of any
// element is accepted up to the limits named here.
//
// Budget: one pass over the bytes for line ends and header names (AVX2; the plain version is the
// reference), then only the values that are asked for. Proof: bench/sip_parse.
#ifndef SIDETONE_WIRE_SIP_SIP_H
#define SIDETONE_WIRE_SIP_SIP_H

#include "base/slice.h"

// Header lines of one message that are indexed. Not smaller: chains of proxies make some hundred
// lines. Not larger: the index lives on the stack. More are counted (SIP_ODD_TOO_MANY_HEADERS) and
// stay readable in `head`; only the first of each known name has a place behind them, so that a
// flood of other lines cannot hide a Call-ID.
#define SIP_HEADERS_MAX 256

enum sip_method {
    SIP_METHOD_OTHER, // any other token: see sip_message.method_text
    SIP_INVITE,
    SIP_ACK,
    SIP_BYE,
    SIP_CANCEL,
    SIP_REGISTER,
    SIP_OPTIONS,
    SIP_PRACK,
    SIP_SUBSCRIBE,
    SIP_NOTIFY,
    SIP_PUBLISH,
    SIP_INFO,
    SIP_REFER,
    SIP_MESSAGE,
    SIP_UPDATE,
    SIP_METHOD_COUNT,
};

enum sip_header_id {
    SIP_H_OTHER,
    SIP_H_VIA,
    SIP_H_FROM,
    SIP_H_TO,
    SIP_H_CALL_ID,
    SIP_H_CSEQ,
    SIP_H_MAX_FORWARDS,
    SIP_H_CONTACT,
    SIP_H_CONTENT_LENGTH,
    SIP_H_CONTENT_TYPE,
    SIP_H_CONTENT_ENCODING,
    SIP_H_EXPIRES,
    SIP_H_MIN_EXPIRES,
    SIP_H_RECORD_ROUTE,
    SIP_H_ROUTE,
    SIP_H_USER_AGENT,
    SIP_H_SERVER,
    SIP_H_SUPPORTED,
    SIP_H_REQUIRE,
    SIP_H_PROXY_REQUIRE,
    SIP_H_UNSUPPORTED,
    SIP_H_ALLOW,
    SIP_H_ACCEPT,
    SIP_H_EVENT,
    SIP_H_ALLOW_EVENTS,
    SIP_H_SUBSCRIPTION_STATE,
    SIP_H_REFER_TO,
    SIP_H_REFERRED_BY,
    SIP_H_REPLACES,
    SIP_H_SESSION_EXPIRES,
    SIP_H_MIN_SE,
    SIP_H_RSEQ,
    SIP_H_RACK,
    SIP_H_REASON,
    SIP_H_RETRY_AFTER,
    SIP_H_WARNING,
    SIP_H_WWW_AUTHENTICATE,
    SIP_H_PROXY_AUTHENTICATE,
    SIP_H_AUTHORIZATION,
    SIP_H_PROXY_AUTHORIZATION,
    SIP_H_SUBJECT,
    SIP_H_DATE,
    SIP_H_TIMESTAMP,
    SIP_H_DIVERSION,
    SIP_H_HISTORY_INFO,
    SIP_H_P_ASSERTED_IDENTITY,
    SIP_H_SESSION_ID,
    SIP_H_X_CALL_ID,  // X-Call-ID and X-CID: the leg link that B2BUAs write
    SIP_H_X_RTP_STAT, // what endpoints write of the media into BYE and its 200
                      // (wire/sip/rtp_stat.h)
    SIP_H_P_RTP_STAT,
    SIP_H_RTP_RXSTAT,
    SIP_H_RTP_TXSTAT,
    SIP_H_COUNT,
};

// Places of the index.
#define SIP_INDEX_MAX (SIP_HEADERS_MAX + SIP_H_COUNT)

// What is odd about a message. Bits of sip_message.oddities by position.
enum sip_oddity {
    SIP_ODD_LF_LINES,             // a line ended by LF alone
    SIP_ODD_FOLDED,               // a folded header line (obsolete, legal)
    SIP_ODD_BLANKS_IN_START_LINE, // more than one blank, or blanks at its end
    SIP_ODD_LEADING_BYTES,        // CRLF or blanks before the start line
    SIP_ODD_VERSION,              // another version than SIP/2.0
    SIP_ODD_METHOD,               // the method is no token
    SIP_ODD_REQUEST_URI,          // "<...>", blanks or bytes that no URI may have
    SIP_ODD_STATUS_CODE,          // not three digits of 100 to 699
    SIP_ODD_STATUS_NO_REASON,     // "SIP/2.0 200" without the blank
    SIP_ODD_HEADER_NO_COLON,
    SIP_ODD_HEADER_NAME,         // the name is empty or no token
    SIP_ODD_HEADER_UNTERMINATED, // the headers end without an empty line
    SIP_ODD_TOO_MANY_HEADERS,
    SIP_ODD_MISSING_VIA,
    SIP_ODD_MISSING_FROM,
    SIP_ODD_MISSING_TO,
    SIP_ODD_MISSING_CALL_ID,
    SIP_ODD_MISSING_CSEQ,
    SIP_ODD_DUPLICATE_FROM,
    SIP_ODD_DUPLICATE_TO,
    SIP_ODD_DUPLICATE_CALL_ID,
    SIP_ODD_DUPLICATE_CSEQ,
    SIP_ODD_DUPLICATE_MAX_FORWARDS,
    SIP_ODD_EMPTY_CALL_ID,
    SIP_ODD_CSEQ_NUMBER,   // not a number, or above 2^31-1
    SIP_ODD_CSEQ_METHOD,   // is not the request's method
    SIP_ODD_VIA,           // the topmost Via makes no sense
    SIP_ODD_VIA_NO_BRANCH, // or an empty one, or the cookie alone
    SIP_ODD_FROM,          // unbalanced quotes or brackets, no URI
    SIP_ODD_TO,
    SIP_ODD_CONTACT,
    SIP_ODD_MAX_FORWARDS,   // not 0 to 255
    SIP_ODD_EXPIRES,        // not a number of at most 2^32-1
    SIP_ODD_CONTENT_LENGTH, // not a number, or absurd
    SIP_ODD_CONTENT_LENGTH_NEGATIVE,
    SIP_ODD_CONTENT_LENGTH_CONFLICT, // several, different
    SIP_ODD_CONTENT_LENGTH_SHORT,    // smaller than the datagram's body: trailing bytes
    SIP_ODD_CONTENT_LENGTH_LONG,     // larger than what is there
    SIP_ODD_CONTENT_LENGTH_MISSING,  // on a stream
    // NUL or other control bytes in the headers. Also where they are legal: behind a backslash in a
    // quoted string (RFC 4475 3.1.1.2), since lines are scanned without looking into quotes.
    SIP_ODD_CONTROL_BYTES,
    SIP_ODD_NOT_UTF8,
    SIP_ODD_WARNING,        // an empty or malformed Warning
    SIP_ODD_DATE,           // a Date that is not GMT or no date
    SIP_ODD_AUTH,           // unreadable credentials or challenge
    SIP_ODD_UNKNOWN_SCHEME, // none of sip, sips, tel ... in Request-URI, From, To or Contact
    SIP_ODD_RETRY_AFTER,    // not a number of at most 2^32-1
    SIP_ODD_TRUNCATED,      // cut by snaplen
    SIP_ODD_COUNT,
};

// "sip.line.lf", "sip.content_length.negative", ...
const char *sip_oddity_name(enum sip_oddity o);

struct sip_header {
    struct slice name; // as written, without blanks before the colon
    // Blanks trimmed; a folded value still has its line ends inside (see sip_unfold).
    struct slice value;
    enum sip_header_id id;
};

struct sip_message {
    struct slice raw;  // from the start line to the end of the body
    struct slice head; // the header lines without the start line
    struct slice body;
    bool is_request;
    enum sip_method method;   // of a request; of a response: of its CSeq
    struct slice method_text; // likewise
    struct slice uri;         // Request-URI as written
    struct slice version;
    uint16_t code; // of a response; 0 where it is no number
    struct slice reason;
    int64_t content_length;     // -1: none that can be used
    bool has_high_bytes;        // above 0x7f in the header lines: sip_judge looks closer then
    uint64_t oddities;          // bit n: enum sip_oddity n
    uint32_t header_count;      // indexed below
    int16_t first[SIP_H_COUNT]; // index of the first header with this id, -1 for none
    struct sip_header headers[SIP_INDEX_MAX];
};

static inline bool sip_is_odd(const struct sip_message *m, enum sip_oddity o)
{
    return (m->oddities >> o & 1) != 0;
}

// Does a SIP start line begin here (leading CRLFs and blanks allowed)? Fast refusal for everything
// else; needs the whole first line, or at least "SIP/" after it begins. False for RTP, STUN, DNS,
// HTTP, RTSP.
bool sip_looks_like(const char *p, size_t n);

enum sip_framing {
    SIP_DATAGRAM, // the message ends with the datagram
    SIP_STREAM,   // the message ends by Content-Length
};

// Parses one message. Returns the bytes that it takes (with leading CRLFs and, in a datagram, all
// of n), 0 for "not yet" (SIP_STREAM only), -1 for "no SIP message begins here"; *m means nothing
// after these two. `truncated`: the datagram was cut by snaplen.
int64_t sip_parse(struct sip_message *m, const char *p, size_t n, enum sip_framing framing,
                  bool truncated);

// Checks the values that sip_parse does not look at (URIs, Via, auth, dates, UTF-8 ...) and adds
// their oddities: everything that RFC 4475 and RFC 5118 want refused is odd after this.
void sip_judge(struct sip_message *m);

// Would an element refuse this message for its syntax, with 400 or 505, or drop it if it is a
// response? True also where the RFCs let an element be liberal. Asks the oddities, so call
// sip_judge first. What a layer above must refuse (420, 415, 416, 483 ...) is not syntax.
bool sip_is_refused(const struct sip_message *m);

// The value of the first header with this id, or an empty slice.
struct slice sip_value(const struct sip_message *m, enum sip_header_id id);

// Index of the next header with this id after `at` (start with -1); -1 when there is none.
int sip_next(const struct sip_message *m, enum sip_header_id id, int at);

// Takes the next value of a comma-separated list (commas in quotes and angle brackets do not count)
// off *rest. Returns false at the end.
bool sip_list_next(struct slice *rest, struct slice *value);

// Copies a value into out with folds as one blank each; returns its length (at most size).
size_t sip_unfold(struct slice value, char *out, size_t size);

struct sip_name_addr {
    struct slice display; // without quotes, escapes still inside
    struct slice uri;     // without angle brackets
    struct slice params;  // after the URI: ";tag=..."
    struct slice tag;
};

// Reads From, To, Contact, Route ... Returns false where no URI can be found (the rest is filled as
// far as possible).
bool sip_name_addr(struct slice value, struct sip_name_addr *out);

// The value of ;name=value in a parameter list (quotes cut); *found tells a parameter without value
// from none.
struct slice sip_param(struct slice params, struct slice name, bool *found);

struct sip_uri {
    struct slice scheme, user, password, host, params, headers; // host without brackets for IPv6
    uint16_t port;                                              // 0: none
};
bool sip_uri(struct slice text, struct sip_uri *out);

struct sip_via {
    struct slice protocol;  // "SIP/2.0"
    struct slice transport; // "UDP"
    struct slice host;      // without brackets
    uint16_t port;          // 0: none
    struct slice params, branch, received;
    bool has_rport;
};
bool sip_via(struct slice value, struct sip_via *out); // one value: take it off the list first

struct sip_cseq {
    uint64_t number;
    struct slice method;
};

// Returns false where there is no number (the method is filled where there is one).
bool sip_cseq(struct slice value, struct sip_cseq *out);

enum sip_method sip_method_by_name(struct slice token); // case matters (RFC 3261 7.1)
const char *sip_method_name(enum sip_method m);
enum sip_header_id sip_header_by_name(struct slice name); // compact forms too; case does not matter

// Does a Reason of the message (RFC 3326) say that its session timer ran out (RFC 4028)?
enum sip_lapse {
    SIP_LAPSE_NONE,
    SIP_LAPSE_CODE, // only a code that other timers have too
    SIP_LAPSE_SAID,
};
enum sip_lapse sip_lapse(const struct sip_message *m);

// The first body part of this type ("application/sdp") at any depth up to 3 of multipart bodies
// (RFC 2046), or the body itself. Returns false where there is none.
bool sip_body_part(const struct sip_message *m, struct slice type, struct slice *out);

#endif
