// Builds the index of a message: start line, header fields, body, and what is odd about their
// framing.
//
// Limits: SIP_HEADERS_MAX fields, and the first one of each known name behind them;
// SIP_MESSAGE_MAX bytes.
#include "wire/sip/chars.h"
#include "wire/sip/index.h"
#include "wire/sip/names.h"
#include "wire/sip/sip.h"
#include "wire/sip/start.h"
#include "wire/sip/value.h"

// Largest Content-Length that is believed. Not smaller: a stream carries messages of any size that
// a reassembly buffer allows. Not larger: nobody waits for a body of this size, the number is wrong
// (RFC 4475 3.1.2.2).
#define CONTENT_LENGTH_MAX (64u << 20)

// Bytes that are looked at: offsets in the scan have 32 bits.
#define SIP_MESSAGE_MAX (UINT32_MAX - 64)

// Nearly every number: up to 6 digits, less than CONTENT_LENGTH_MAX. Returns false for all else.
static inline bool read_plain_length(struct slice value, uint64_t *out)
{
    uint32_t number = 0;
    size_t i = 0;
    for (; i < value.n && i < 6 && value.p[i] >= '0' && value.p[i] <= '9'; i++) {
        number = number * 10 + (uint32_t)(value.p[i] - '0');
    }
    *out = number;
    return i > 0 && i == value.n;
}

// The number in Content-Length, or -1 with its oddity.
static int64_t read_length(struct sip_message *m, struct slice value)
{
    uint64_t number = 0;
    if (slice_u64(value, CONTENT_LENGTH_MAX, &number)) {
        return (int64_t)number;
    }
    bool negative =
        value.n > 1 && value.p[0] == '-' && sip_chars_are(slice_skip(value, 1), SIP_CHAR_DIGIT);
    sip_note(&m->oddities, negative ? SIP_ODD_CONTENT_LENGTH_NEGATIVE : SIP_ODD_CONTENT_LENGTH);
    return -1;
}

// Of several lines of Content-Length all must say the same.
__attribute__((noinline, cold)) static void read_lengths(struct sip_message *m)
{
    bool is_bad = false;
    for (int i = m->first[SIP_H_CONTENT_LENGTH]; i >= 0; i = sip_next(m, SIP_H_CONTENT_LENGTH, i)) {
        if (!sip_header_is_cut(m, i)) {
            int64_t length = read_length(m, m->headers[i].value);
            bool differs = length >= 0 && m->content_length >= 0 && m->content_length != length;
            if (differs) {
                sip_note(&m->oddities, SIP_ODD_CONTENT_LENGTH_CONFLICT);
            }
            is_bad |= length < 0 || differs;
            m->content_length = length;
        }
    }
    if (is_bad) {
        m->content_length = -1;
    }
}

// The value of Content-Length is read when all lines are there, since it may be folded. `more`:
// there may be another one behind the first.
static inline void find_length(struct sip_message *m, bool more)
{
    int i = m->first[SIP_H_CONTENT_LENGTH];
    uint64_t number;
    if (i < 0) {
        return;
    }
    if (!more && !sip_is_odd(m, SIP_ODD_TRUNCATED) &&
        read_plain_length(m->headers[i].value, &number)) {
        m->content_length = (int64_t)number;
    } else {
        read_lengths(m);
    }
}

__attribute__((noinline, cold)) static void note_missing(struct sip_message *m)
{
    static const struct {
        enum sip_header_id id;
        enum sip_oddity oddity;
    } WANTED[] = {{SIP_H_VIA, SIP_ODD_MISSING_VIA},
                  {SIP_H_FROM, SIP_ODD_MISSING_FROM},
                  {SIP_H_TO, SIP_ODD_MISSING_TO},
                  {SIP_H_CALL_ID, SIP_ODD_MISSING_CALL_ID},
                  {SIP_H_CSEQ, SIP_ODD_MISSING_CSEQ}};
    for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++) {
        if (m->first[WANTED[i].id] < 0) {
            sip_note(&m->oddities, WANTED[i].oddity);
        }
    }
}

static inline void check_missing(struct sip_message *m)
{
    const int16_t *first = m->first; // one of them is -1: the bits of all are set
    if ((first[SIP_H_VIA] | first[SIP_H_FROM] | first[SIP_H_TO] | first[SIP_H_CALL_ID] |
         first[SIP_H_CSEQ]) < 0) {
        note_missing(m);
    }
}

// "1 INVITE": up to 9 digits, one blank, the method. Returns false where the value is not so plain.
static inline bool read_plain_cseq(struct slice value, struct sip_cseq *out)
{
    uint32_t number = 0;
    size_t i = 0;
    while (i < value.n && i < 9 && value.p[i] >= '0' && value.p[i] <= '9') {
        number = number * 10 + (uint32_t)(value.p[i++] - '0');
    }
    if (i == 0 || i + 1 >= value.n || value.p[i] != ' ' || (uint8_t)value.p[i + 1] <= ' ') {
        return false;
    }
    *out = (struct sip_cseq){number, slice_skip(value, i + 1)};
    return true;
}

static void check_call_id_and_cseq(struct sip_message *m)
{
    int call_id = m->first[SIP_H_CALL_ID];
    if (call_id >= 0 && m->headers[call_id].value.n == 0 && !sip_header_is_cut(m, call_id)) {
        sip_note(&m->oddities, SIP_ODD_EMPTY_CALL_ID);
    }
    if (m->first[SIP_H_CSEQ] < 0) {
        return;
    }
    struct slice value = m->headers[m->first[SIP_H_CSEQ]].value;
    struct sip_cseq cseq;
    bool has_number = read_plain_cseq(value, &cseq) || sip_cseq(value, &cseq);
    bool is_cut = sip_header_is_cut(m, m->first[SIP_H_CSEQ]);
    if (!is_cut && (!has_number || cseq.number > INT32_MAX)) {
        sip_note(&m->oddities, SIP_ODD_CSEQ_NUMBER);
    }
    if (!m->is_request) {
        m->method_text = cseq.method;
        m->method = sip_method_by_name(cseq.method);
    }
    // A method with a number of its own is the method, or a token.
    bool fits = m->is_request ? sip_eq_word(cseq.method, m->method_text)
                              : m->method != SIP_METHOD_OTHER || sip_is_token(cseq.method);
    if (!is_cut && !fits) {
        sip_note(&m->oddities, SIP_ODD_CSEQ_METHOD);
    }
}

// The length of the body, of the bytes that are there behind the headers; -1 for "not yet".
static int64_t frame_body(struct sip_message *m, uint32_t there, enum sip_framing framing,
                          bool truncated)
{
    if (framing == SIP_STREAM) {
        if (m->first[SIP_H_CONTENT_LENGTH] < 0) {
            sip_note(&m->oddities, SIP_ODD_CONTENT_LENGTH_MISSING);
        }
        int64_t want = m->content_length < 0 ? 0 : m->content_length;
        return want > there ? -1 : want;
    }
    if (m->content_length < 0 || m->content_length == there) {
        return there;
    }
    if (m->content_length > there) {
        if (!truncated) {
            sip_note(&m->oddities, SIP_ODD_CONTENT_LENGTH_LONG);
        }
        return there;
    }
    sip_note(&m->oddities, SIP_ODD_CONTENT_LENGTH_SHORT);
    return m->content_length;
}

static void begin(struct sip_message *m, const struct sip_start *s)
{
    m->head = m->body = m->raw = slice_of(NULL, 0);
    m->is_request = s->is_request;
    m->method_text = s->method;
    m->method = sip_method_by_name(s->method);
    m->uri = s->uri;
    m->version = s->version;
    m->code = s->code;
    m->reason = s->reason;
    m->content_length = -1;
    m->oddities = s->oddities;
    m->header_count = 0;
    m->has_high_bytes = false;
    memset(m->first, 0xff, sizeof m->first);
}

int64_t sip_parse(struct sip_message *m, const char *p, size_t n, enum sip_framing framing,
                  bool truncated)
{
    struct sip_start start;
    uint32_t size = n < SIP_MESSAGE_MAX ? (uint32_t)n : SIP_MESSAGE_MAX;
    bool found = sip_start_read(&start, p, size);
    if (framing == SIP_STREAM && (!found || !start.whole)) {
        return sip_start_is_possible(p, size) ? 0 : -1;
    }
    if (!found) {
        return -1;
    }
    begin(m, &start);
    struct sip_index x = {.m = m, .p = p, .n = size, .at = (uint32_t)start.next};
    sip_index_lines(&x);
    if (!x.whole && framing == SIP_STREAM) {
        return 0;
    }
    m->head = slice_of(p + start.next, x.head_end - start.next);
    if (truncated) {
        sip_note(&m->oddities, SIP_ODD_TRUNCATED);
    } else if (!x.whole) {
        sip_note(&m->oddities, SIP_ODD_HEADER_UNTERMINATED);
    }
    find_length(m, x.has_more_lengths);
    int64_t body = frame_body(m, size - x.at, framing, truncated);
    if (body < 0) {
        return 0;
    }
    if (x.whole || !truncated) {
        check_missing(m); // what the snaplen cut off is not missing
    }
    check_call_id_and_cseq(m);
    m->body = slice_of(p + x.at, (size_t)body);
    m->raw = slice_of(p + start.offset, x.at - start.offset + (size_t)body);
    return framing == SIP_STREAM ? (int64_t)x.at + body : (int64_t)n;
}
