// Builds the index of a message: start line, header fields, body, and what is odd about their
// framing.
//
// Limits: SIP_HEADERS_MAX fields, and the first one of each known name behind them;
// SIP_MESSAGE_MAX bytes.
#include "wire/sip/chars.h"
#include "wire/sip/names.h"
#include "wire/sip/scan.h"
#include "wire/sip/sip.h"
#include "wire/sip/start.h"
#include "wire/sip/value.h"

// Lines that one call of the scanner gives. Not smaller: an ordinary message should need one call.
// Not larger: 12 bytes of stack each.
#define LINES_MAX 64

// Largest Content-Length that is believed. Not smaller: a stream carries messages of any size that
// a reassembly buffer allows. Not larger: nobody waits for a body of this size, the number is wrong
// (RFC 4475 3.1.2.2).
#define CONTENT_LENGTH_MAX (64u << 20)

// Bytes that are looked at: offsets in the scan have 32 bits.
#define SIP_MESSAGE_MAX (UINT32_MAX - 64)

struct building {
    struct sip_message *m;
    const char *p;
    uint32_t n;
    struct sip_header *last; // a folded line continues this one; NULL: one that is not indexed
    bool after_header;       // a folded line has something to continue
    unsigned lengths;        // lines of Content-Length behind the first
    bool bad_length;
};

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

static void add_length(struct building *b, struct slice value)
{
    int64_t length = read_length(b->m, value);
    if (length < 0) {
        b->bad_length = true;
    } else if (b->m->content_length >= 0 && b->m->content_length != length) {
        sip_note(&b->m->oddities, SIP_ODD_CONTENT_LENGTH_CONFLICT);
        b->bad_length = true;
    }
    b->m->content_length = length;
}

// A second one of these is odd.
static void note_second(struct building *b, enum sip_header_id id)
{
    uint64_t *odd = &b->m->oddities;
    if (id == SIP_H_FROM) {
        sip_note(odd, SIP_ODD_DUPLICATE_FROM);
    } else if (id == SIP_H_TO) {
        sip_note(odd, SIP_ODD_DUPLICATE_TO);
    } else if (id == SIP_H_CALL_ID) {
        sip_note(odd, SIP_ODD_DUPLICATE_CALL_ID);
    } else if (id == SIP_H_CSEQ) {
        sip_note(odd, SIP_ODD_DUPLICATE_CSEQ);
    } else if (id == SIP_H_MAX_FORWARDS) {
        sip_note(odd, SIP_ODD_DUPLICATE_MAX_FORWARDS);
    } else if (id == SIP_H_CONTENT_LENGTH) {
        b->lengths++;
    }
}

// Where the index is full only the first one of a known name has a place.
__attribute__((noinline, cold)) static bool has_place(struct building *b, bool first)
{
    if (b->m->header_count < (first ? SIP_INDEX_MAX : SIP_HEADERS_MAX)) {
        return true;
    }
    sip_note(&b->m->oddities, SIP_ODD_TOO_MANY_HEADERS);
    b->last = NULL;
    return false;
}

static inline void add_header(struct building *b, struct slice name, struct slice value)
{
    struct sip_message *m = b->m;
    bool has_room = (size_t)(b->p + b->n - name.p) >= SIP_HEADER_NAME_ROOM;
    enum sip_header_id id = sip_header_find(name, has_room);
    bool first = m->first[id] < 0; // of those without a number it stays so
    uint32_t count = m->header_count;
    b->after_header = true;
    if (count < SIP_HEADERS_MAX || has_place(b, first && id != SIP_H_OTHER)) {
        b->last = &m->headers[count];
        *b->last = (struct sip_header){name, value, id};
        m->header_count = count + 1;
    }
    if (id == SIP_H_OTHER) {
        if (!sip_is_token(name)) {
            sip_note(&m->oddities, SIP_ODD_HEADER_NAME);
        }
    } else if (first) {
        m->first[id] = (int16_t)count;
    } else {
        note_second(b, id);
    }
}

// A line that begins with a blank continues the value before it (RFC 3261 7.3.1).
static void fold_line(struct building *b, const struct sip_line *l)
{
    sip_note(&b->m->oddities, b->after_header ? SIP_ODD_FOLDED : SIP_ODD_HEADER_NAME);
    if (b->last) {
        const char *from = b->last->value.n > 0 ? b->last->value.p : b->p + l->start;
        b->last->value = slice_trim(slice_of(from, (size_t)(b->p + l->end - from)));
    }
}

// Any line, as it must be read.
__attribute__((noinline, cold)) static void add_odd_line(struct building *b,
                                                         const struct sip_line *l)
{
    const char *p = b->p;
    if (sip_char_is(p[l->start], SIP_CHAR_BLANK)) {
        fold_line(b, l);
    } else if (l->colon == l->end) {
        sip_note(&b->m->oddities, SIP_ODD_HEADER_NO_COLON);
        b->last = NULL;
        b->after_header = true;
    } else {
        uint32_t name_end = l->colon;
        while (name_end > l->start && sip_char_is(p[name_end - 1], SIP_CHAR_BLANK)) {
            name_end--;
        }
        add_header(b, slice_of(p + l->start, name_end - l->start),
                   slice_trim(slice_of(p + l->colon + 1, l->end - l->colon - 1)));
    }
}

// An ordinary line: "Name: value" CRLF, with one blank or none before the value. Its LF, at `end`,
// stops all looks ahead.
static inline void add_line(struct building *b, const struct sip_line *l)
{
    const char *name = b->p + l->start;
    const char *colon = b->p + l->colon;
    const char *end = b->p + l->end;
    if (l->colon == l->end || l->end == b->n || (uint8_t)*name <= ' ' ||
        (uint8_t)colon[-1] <= ' ') {
        add_odd_line(b, l); // an empty name, too: the byte before is an LF
        return;
    }
    const char *value = colon + 1;
    value += *value == ' ';
    end -= end[-1] == '\r';
    if ((uint8_t)*value <= ' ' || (uint8_t)end[-1] <= ' ') {
        add_odd_line(b, l); // empty, or more to trim
        return;
    }
    add_header(b, slice_of(name, (size_t)(colon - name)), slice_of(value, (size_t)(end - value)));
}

// Reads the header lines from offset `at` on. Returns the offset of the body; *whole: the empty
// line was there.
static uint32_t add_lines(struct building *b, uint32_t at, bool *whole)
{
    struct sip_scan scan = {.at = at};
    struct sip_line lines[LINES_MAX];
    uint32_t head_end = at;
    while (!scan.empty && !scan.end) {
        uint32_t count = sip_scan_lines(&scan, b->p, b->n, lines, LINES_MAX);
        for (uint32_t i = 0; i < count; i++) {
            add_line(b, &lines[i]);
        }
        if (count > 0) {
            head_end = lines[count - 1].end < b->n ? lines[count - 1].end + 1 : b->n;
        }
    }
    if (scan.control) {
        sip_note(&b->m->oddities, SIP_ODD_CONTROL_BYTES);
    }
    if (scan.lf_alone) {
        sip_note(&b->m->oddities, SIP_ODD_LF_LINES);
    }
    b->m->has_high_bytes = scan.high;
    b->m->head = slice_of(b->p + at, head_end - at);
    *whole = scan.empty;
    return scan.at;
}

// The value of Content-Length is read when all lines are there, since it may be folded.
static void read_lengths(struct building *b)
{
    struct sip_message *m = b->m;
    int i = m->first[SIP_H_CONTENT_LENGTH];
    for (unsigned more = b->lengths; i >= 0; more--) {
        if (!sip_header_is_cut(m, i)) {
            add_length(b, m->headers[i].value);
        }
        i = more > 0 ? sip_next(m, SIP_H_CONTENT_LENGTH, i) : -1;
    }
    if (b->bad_length) {
        m->content_length = -1;
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
    bool fits = m->is_request ? slice_eq(cseq.method, m->method_text)
                              : m->method != SIP_METHOD_OTHER || sip_is_token(cseq.method);
    if (!is_cut && !fits) {
        sip_note(&m->oddities, SIP_ODD_CSEQ_METHOD);
    }
}

// Cuts the body out of the bytes that follow the headers. Returns its length, or -1 for
// "not yet".
static int64_t frame_body(struct building *b, uint32_t at, enum sip_framing framing, bool truncated)
{
    struct sip_message *m = b->m;
    uint32_t there = b->n - at;
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
    struct building b = {.m = m, .p = p, .n = size};
    bool whole = false;
    uint32_t at = add_lines(&b, (uint32_t)start.next, &whole);
    if (!whole && framing == SIP_STREAM) {
        return 0;
    }
    if (truncated) {
        sip_note(&m->oddities, SIP_ODD_TRUNCATED);
    } else if (!whole) {
        sip_note(&m->oddities, SIP_ODD_HEADER_UNTERMINATED);
    }
    read_lengths(&b);
    int64_t body = frame_body(&b, at, framing, truncated);
    if (body < 0) {
        return 0;
    }
    if (whole || !truncated) {
        check_missing(m); // what the snaplen cut off is not missing
    }
    check_call_id_and_cseq(m);
    m->body = slice_of(p + at, (size_t)body);
    m->raw = slice_of(p + start.offset, at - start.offset + (size_t)body);
    return framing == SIP_STREAM ? (int64_t)at + body : (int64_t)n;
}
