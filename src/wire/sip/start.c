// Reads start lines, and says quickly what is none.
//
// A request is told by its end, "SIP/x.y": methods and URIs of a fuzzer may hold anything. A
// response is told by its beginning. Refusing costs the search for the first LF and a look at the
// bytes before it. Ordinary lines, with nothing odd in them, are read by a way of their own
// (read_plain), which gives what the long way gives; tests/unit/sip_start.c compares the two.
#include "wire/sip/start.h"

#include "base/bytes.h"
#include "wire/sip/chars.h"
#include "wire/sip/value.h"

// Bytes in which the first line must end. Not smaller: a datagram may hold one line of 65,507
// bytes, and it is a SIP message still. Not larger: a stream that is not SIP must be refused at
// some point.
#define START_LINE_MAX 65536

// Bytes of "SIP/x.y" in a request line. Not smaller: fuzzers write numbers of some twenty digits.
// Not larger: it is looked for from the end of every first line that ends with a digit.
#define VERSION_MAX 64

static const char SIP_SLASH[4] = {'S', 'I', 'P', '/'};

// Bytes of "SIP/" (any case) at the beginning of s: 4 for all of it.
static size_t sip_slash_span(struct slice s)
{
    size_t i = 0;
    while (i < 4 && i < s.n && (s.p[i] == SIP_SLASH[i] || s.p[i] == (SIP_SLASH[i] | 0x20))) {
        i++;
    }
    return i;
}

// "SIP/" 1*DIGIT "." 1*DIGIT, all of s. `cut`: s may end anywhere behind the slash.
static bool is_version(struct slice s, bool cut)
{
    if (sip_slash_span(s) < 4) {
        return false;
    }
    s = slice_skip(s, 4);
    size_t major = sip_chars_span(s, SIP_CHAR_DIGIT);
    if (major == s.n) {
        return cut;
    }
    s = slice_skip(s, major);
    if (major == 0 || s.p[0] != '.') {
        return false;
    }
    s = slice_skip(s, 1);
    size_t minor = sip_chars_span(s, SIP_CHAR_DIGIT);
    return minor == s.n && (minor > 0 || cut);
}

// Length of the word at the beginning of s.
static size_t word_length(struct slice s)
{
    size_t n = 0;
    while (n < s.n && !sip_char_is(s.p[n], SIP_CHAR_BLANK)) {
        n++;
    }
    return n;
}

// Takes the first word, if it is a version, off *line.
static bool take_first_version(struct sip_start *s, struct slice *line)
{
    size_t end = word_length(*line);
    s->version = slice_of(line->p, end);
    if (!is_version(s->version, !s->whole && end == line->n)) {
        return false;
    }
    *line = slice_skip(*line, end);
    return true;
}

// "SIP/2.0 200 OK", from behind the version on.
static void read_response(struct sip_start *s, struct slice rest)
{
    size_t blanks = sip_chars_span(rest, SIP_CHAR_BLANK);
    if (blanks > 1 || (blanks == 1 && rest.p[0] == '\t')) {
        sip_note(&s->oddities, SIP_ODD_BLANKS_IN_START_LINE);
    }
    rest = slice_skip(rest, blanks);
    size_t digits = word_length(rest);
    struct slice code = slice_of(rest.p, digits);
    uint64_t number = 0;
    if (slice_u64(code, 65535, &number)) {
        s->code = (uint16_t)number;
    }
    if (s->whole && (code.n != 3 || number < 100 || number > 699)) {
        sip_note(&s->oddities, SIP_ODD_STATUS_CODE);
    }
    rest = slice_skip(rest, digits);
    if (s->whole && rest.n == 0) {
        sip_note(&s->oddities, SIP_ODD_STATUS_NO_REASON);
    }
    s->reason = slice_trim(rest);
}

// Could a version end with this byte? Nearly all binary datagrams are refused here.
static bool may_end_version(char c, bool whole)
{
    return sip_char_is(c, SIP_CHAR_DIGIT) || (!whole && (c == '/' || c == '.'));
}

// Takes the last word, if it is a version, off *line and its blanks with it. Where the bytes end
// before the LF, the line must begin as a request does, too: binary payloads that happen to hold "
// SIP/" are none.
static bool take_last_version(struct sip_start *s, struct slice *line)
{
    struct slice l = *line;
    while (l.n > 0 && sip_char_is(l.p[l.n - 1], SIP_CHAR_BLANK)) {
        l.n--;
    }
    if (l.n == 0 || !may_end_version(l.p[l.n - 1], s->whole)) {
        return false;
    }
    size_t trailing = line->n - l.n;
    size_t at = l.n;
    size_t lowest = l.n > VERSION_MAX ? l.n - VERSION_MAX : 0;
    while (at > lowest && !sip_char_is(l.p[at - 1], SIP_CHAR_BLANK)) {
        at--;
    }
    s->version = slice_skip(l, at);
    if (at == lowest || !is_version(s->version, !s->whole && trailing == 0)) {
        return false;
    }
    l.n = at;
    while (l.n > 0 && sip_char_is(l.p[l.n - 1], SIP_CHAR_BLANK)) {
        l.n--;
    }
    if (trailing > 0 || at - l.n > 1) {
        sip_note(&s->oddities, SIP_ODD_BLANKS_IN_START_LINE);
    }
    *line = l;
    return s->whole || sip_is_token(slice_of(l.p, word_length(l)));
}

// "INVITE sip:bob@example.com", the version is taken off.
static void read_request(struct sip_start *s, struct slice line)
{
    size_t method = word_length(line);
    s->method = slice_of(line.p, method);
    struct slice rest = slice_skip(line, method);
    size_t blanks = sip_chars_span(rest, SIP_CHAR_BLANK);
    s->uri = slice_skip(rest, blanks);
    if (blanks > 1) {
        sip_note(&s->oddities, SIP_ODD_BLANKS_IN_START_LINE);
    }
    if (s->uri.n == 0 && slice_find(s->method, ':') < s->method.n) {
        s->uri = s->method; // the method is empty: "<blank>sip:bob@example.com SIP/2.0"
        s->method.n = 0;
    }
    if (!sip_is_token(s->method)) {
        sip_note(&s->oddities, SIP_ODD_METHOD);
    }
    if (s->uri.n == 0 || !sip_chars_are(s->uri, SIP_CHAR_URI)) {
        sip_note(&s->oddities, SIP_ODD_REQUEST_URI);
    }
}

static size_t skip_leading(const char *p, size_t n)
{
    size_t at = 0;
    while (at < n && sip_char_is(p[at], SIP_CHAR_LWS)) {
        at++;
    }
    return at;
}

// Finds the first line and its version. *rest is what stands behind the version of a response,
// before that of a request.
static bool find_version(struct sip_start *s, const char *p, size_t n, struct slice *rest)
{
    *s = (struct sip_start){.offset = skip_leading(p, n)};
    if (s->offset == n) {
        return false;
    }
    if (s->offset > 0) {
        sip_note(&s->oddities, SIP_ODD_LEADING_BYTES);
    }
    const char *begin = p + s->offset;
    size_t left = n - s->offset;
    size_t window = left < START_LINE_MAX ? left : START_LINE_MAX;
    const char *lf = memchr(begin, '\n', window);
    if (!lf && window < left) {
        return false;
    }
    s->whole = lf != NULL;
    s->next = lf ? (size_t)(lf - p) + 1 : n;
    struct slice line = slice_of(begin, lf ? (size_t)(lf - begin) : left);
    if (s->whole && line.p[line.n - 1] == '\r') {
        line.n--;
    } else if (s->whole) {
        sip_note(&s->oddities, SIP_ODD_LF_LINES);
    }
    *rest = line;
    s->is_request = sip_slash_span(line) < 4;
    return s->is_request ? take_last_version(s, rest) : take_first_version(s, rest);
}

// Not smaller: the ways for ordinary lines read 16 bytes at once. Not larger: an ordinary line and
// one header field are as long.
#define PLAIN_MIN 32

// Bytes of a line before its LF. Not smaller: "SIP/2.0 200 " CR. Not larger: the same.
#define PLAIN_LINE_MIN 13

static bool is_digit(char c)
{
    return (uint8_t)(c - '0') <= 9;
}

// "SIP/2.0 200 OK" CRLF; lf is its LF.
static bool read_plain_response(struct sip_start *s, const char *p, const char *lf)
{
    if (!is_digit(p[8]) || !is_digit(p[9]) || !is_digit(p[10]) || p[11] != ' ' || p[8] < '1' ||
        p[8] > '6') {
        return false;
    }
    s->is_request = false;
    s->code = (uint16_t)((p[8] - '0') * 100 + (p[9] - '0') * 10 + (p[10] - '0'));
    s->version = slice_of(p, 7);
    s->reason = slice_trim(slice_of(p + 12, (size_t)(lf - 1 - (p + 12))));
    s->method = s->uri = slice_of(NULL, 0);
    return true;
}

// "INVITE sip:bob@example.com SIP/2.0" CRLF; lf is its LF.
static bool read_plain_request(struct sip_start *s, const char *p, const char *lf)
{
    static const char END[8] = {' ', 'S', 'I', 'P', '/', '2', '.', '0'};
    const char *end = lf - 1 - sizeof END; // the blank behind the URI
    if (le64((const uint8_t *)end) != le64((const uint8_t *)END)) {
        return false;
    }
    size_t method = sip_chars_span_16(p, SIP_CHAR_TOKEN);
    if (method == 0 || p[method] != ' ' || p + method + 1 >= end) {
        return false;
    }
    s->is_request = true;
    s->code = 0;
    s->version = slice_of(end + 1, 7);
    s->method = slice_of(p, method);
    s->uri = slice_of(p + method + 1, (size_t)(end - (p + method + 1)));
    s->reason = slice_of(NULL, 0);
    return sip_chars_are(s->uri, SIP_CHAR_URI);
}

// Returns false where the line is not an ordinary one; *s means nothing then.
static bool read_plain(struct sip_start *s, const char *p, size_t n)
{
    static const char BEGIN[8] = {'S', 'I', 'P', '/', '2', '.', '0', ' '};
    const char *lf =
        n < PLAIN_MIN ? NULL : memchr(p, '\n', n < START_LINE_MAX ? n : START_LINE_MAX);
    if (!lf || lf - p < PLAIN_LINE_MIN || lf[-1] != '\r') {
        return false;
    }
    s->offset = 0;
    s->next = (size_t)(lf - p) + 1;
    s->whole = true;
    s->oddities = 0;
    return le64((const uint8_t *)p) == le64((const uint8_t *)BEGIN) ? read_plain_response(s, p, lf)
                                                                    : read_plain_request(s, p, lf);
}

bool sip_start_read(struct sip_start *s, const char *p, size_t n)
{
    return read_plain(s, p, n) || sip_start_read_any(s, p, n);
}

bool sip_start_read_any(struct sip_start *s, const char *p, size_t n)
{
    struct slice rest;
    if (!find_version(s, p, n, &rest)) {
        return false;
    }
    if (s->is_request) {
        read_request(s, rest);
    } else {
        read_response(s, rest);
    }
    if (s->whole && !slice_eq_nocase(s->version, SLICE("SIP/2.0"))) {
        sip_note(&s->oddities, SIP_ODD_VERSION);
    }
    return true;
}

bool sip_start_is_possible(const char *p, size_t n)
{
    size_t at = skip_leading(p, n);
    struct slice s = slice_of(p + at, n - at);
    if (s.n >= START_LINE_MAX || slice_find(s, '\n') < s.n) {
        return false;
    }
    size_t slash = sip_slash_span(s);
    if (slash == 4 || slash == s.n) {
        return true;
    }
    size_t method = sip_chars_span(s, SIP_CHAR_TOKEN);
    return method == s.n || (method > 0 && sip_char_is(s.p[method], SIP_CHAR_BLANK));
}

bool sip_looks_like(const char *p, size_t n)
{
    struct sip_start s;
    struct slice rest;
    return find_version(&s, p, n, &rest);
}
