// Start lines of SIP in a stream: what is one, and what is one behind other text.
//
// While searching, a start line counts only when the name of a header field and a colon follow:
// bodies hold lines that look like one (message/sipfrag, RFC 3420), but seldom both.
#include "flow/carried_parts.h"
#include "wire/sip/chars.h"

struct cursor {
    const char *p;
    uint32_t at, n;
};

// A run of at least one byte in these classes, then `then`.
static enum carried_verdict take_word(struct cursor *s, unsigned classes, char then)
{
    uint32_t begin = s->at;
    while (s->at < s->n && sip_char_is(s->p[s->at], classes)) {
        s->at++;
    }
    if (s->at == s->n) {
        return CARRIED_MORE;
    }
    return s->at > begin && s->p[s->at++] == then ? CARRIED_YES : CARRIED_NO;
}

// What no blank and no control byte is, then a blank. (URIs are sent with bytes that none may
// have.)
static enum carried_verdict take_uri(struct cursor *s)
{
    uint32_t begin = s->at;
    if (s->at < s->n && s->p[s->at] == ':') {
        return CARRIED_NO;
    }
    while (s->at < s->n && (uint8_t)s->p[s->at] > ' ' && s->p[s->at] != 0x7f) {
        s->at++;
    }
    if (s->at == s->n) {
        return CARRIED_MORE;
    }
    return s->at > begin && s->p[s->at++] == ' ' ? CARRIED_YES : CARRIED_NO;
}

// "SIP/" in any case.
static enum carried_verdict take_sip(struct cursor *s)
{
    for (uint32_t i = 0; i < 4; i++, s->at++) {
        if (s->at == s->n) {
            return CARRIED_MORE;
        }
        if (ascii_lower(s->p[s->at]) != "sip/"[i]) {
            return CARRIED_NO;
        }
    }
    return CARRIED_YES;
}

static enum carried_verdict take_line_end(struct cursor *s)
{
    if (s->at < s->n && s->p[s->at] == '\r') {
        s->at++;
    }
    if (s->at == s->n) {
        return CARRIED_MORE;
    }
    return s->p[s->at++] == '\n' ? CARRIED_YES : CARRIED_NO;
}

// ".0 200 OK" CRLF, or without the reason.
static enum carried_verdict take_status(struct cursor *s)
{
    enum carried_verdict v = take_word(s, SIP_CHAR_DIGIT, ' ');
    uint32_t end = s->at + 3;
    for (; v == CARRIED_YES && s->at < end; s->at++) {
        if (s->at == s->n) {
            return CARRIED_MORE;
        }
        v = sip_char_is(s->p[s->at], SIP_CHAR_DIGIT) ? CARRIED_YES : CARRIED_NO;
    }
    if (v != CARRIED_YES) {
        return v;
    }
    if (s->at < s->n && s->p[s->at] != ' ') {
        return take_line_end(s);
    }
    const char *lf = memchr(s->p + s->at, '\n', s->n - s->at);
    s->at = lf ? (uint32_t)(lf - s->p) + 1 : s->n;
    return lf ? CARRIED_YES : CARRIED_MORE;
}

// "sip:bob@example.com SIP/2.0" CRLF
static enum carried_verdict take_target(struct cursor *s)
{
    enum carried_verdict v = take_uri(s);
    v = v == CARRIED_YES ? take_sip(s) : v;
    v = v == CARRIED_YES ? take_word(s, SIP_CHAR_DIGIT, '.') : v;
    if (v != CARRIED_YES) {
        return v;
    }
    uint32_t minor = s->at;
    while (s->at < s->n && sip_char_is(s->p[s->at], SIP_CHAR_DIGIT)) {
        s->at++;
    }
    return s->at == minor && s->at < s->n ? CARRIED_NO : take_line_end(s);
}

static enum carried_verdict start_line(struct cursor *s)
{
    struct cursor request = *s;
    enum carried_verdict v = take_sip(s);
    if (v == CARRIED_YES) {
        v = take_word(s, SIP_CHAR_DIGIT, '.');
        return v == CARRIED_YES ? take_status(s) : v;
    }
    if (v == CARRIED_MORE) {
        return v;
    }
    *s = request;
    v = take_word(s, SIP_CHAR_TOKEN, ' ');
    return v == CARRIED_YES ? take_target(s) : v;
}

// As carried_start_line, but the parser may think otherwise.
static enum carried_verdict looks_like_start(const uint8_t *p, uint32_t n, uint32_t *line)
{
    struct cursor s = {(const char *)p, 0, n < CARRIED_LINE_MAX ? n : CARRIED_LINE_MAX};
    enum carried_verdict v = start_line(&s);
    if (v == CARRIED_MORE && n >= CARRIED_LINE_MAX) {
        return CARRIED_NO;
    }
    *line = s.at;
    return v;
}

enum carried_verdict carried_start_line(const uint8_t *p, uint32_t n, uint32_t *line)
{
    enum carried_verdict v = looks_like_start(p, n, line);
    return v == CARRIED_YES && !sip_looks_like((const char *)p, *line) ? CARRIED_NO : v;
}

enum carried_verdict carried_start(const uint8_t *p, uint32_t n, uint32_t *line)
{
    enum carried_verdict v = looks_like_start(p, n, line);
    if (v != CARRIED_YES) {
        return v;
    }
    uint32_t left = n - *line;
    struct cursor s = {(const char *)p + *line, 0,
                       left < CARRIED_LINE_MAX ? left : CARRIED_LINE_MAX};
    while (s.at < s.n && sip_char_is(s.p[s.at], SIP_CHAR_TOKEN)) {
        s.at++;
    }
    uint32_t name = s.at;
    while (s.at < s.n && sip_char_is(s.p[s.at], SIP_CHAR_BLANK)) {
        s.at++;
    }
    if (s.at == s.n) {
        return left >= CARRIED_LINE_MAX ? CARRIED_NO : CARRIED_MORE;
    }
    return name > 0 && s.p[s.at] == ':' && sip_looks_like((const char *)p, *line) ? CARRIED_YES
                                                                                  : CARRIED_NO;
}

enum carried_verdict carried_begins_right(const uint8_t *p, uint32_t n)
{
    struct slice s = slice_of((const char *)p, n);
    size_t token = sip_chars_span(s, SIP_CHAR_TOKEN);
    if (token == n) {
        return n < CARRIED_LINE_MAX ? CARRIED_MORE : CARRIED_NO;
    }
    if (token > 0 && sip_char_is(s.p[token], SIP_CHAR_BLANK)) {
        return CARRIED_YES;
    }
    return token == 3 && s.p[3] == '/' && slice_eq_nocase(slice_of(s.p, 3), SLICE("SIP"))
               ? CARRIED_YES
               : CARRIED_NO;
}

// --- start lines behind other text ---
//
// A body whose length nobody knows may end without a line end: then the next start line stands
// behind its last words. There it is told by its end, and only by methods that are known.

#define METHOD_BYTES_MAX 9 // SUBSCRIBE

// The longest known method that the word in p[0, end) ends with, as its offset; `end`: none.
static uint32_t method_before(const char *p, uint32_t end)
{
    uint32_t found = end;
    for (uint32_t n = 3; n <= METHOD_BYTES_MAX && n <= end; n++) {
        if (sip_method_by_name(slice_of(p + end - n, n)) != SIP_METHOD_OTHER) {
            found = end - n;
        }
    }
    return found;
}

// Text that speaks of a start line has a blank before it; the end of a body has none.
static bool is_glued(const char *p, uint32_t at)
{
    return at > 0 && !sip_char_is(p[at - 1], SIP_CHAR_BLANK);
}

// A request in a line of n bytes, as the offset of its method; 0: none, or at the beginning.
static uint32_t request_inside(const char *p, uint32_t n)
{
    const char *version = memrchr(p, ' ', n);
    uint32_t at = version ? (uint32_t)(version - p) : 0;
    struct cursor s = {p, at + 1, n};
    const char *uri = at > 0 && take_sip(&s) == CARRIED_YES ? memrchr(p, ' ', at) : NULL;
    uint32_t end = uri ? (uint32_t)(uri - p) : 0;
    uint32_t method = method_before(p, end);
    return method < end && is_glued(p, method) ? method : 0;
}

// Likewise a response.
static uint32_t response_inside(const char *p, uint32_t n)
{
    struct cursor s = {p, 0, n};
    const char *slash = p;
    while ((slash = memchr(slash, '/', (size_t)(p + n - slash))) != NULL) {
        uint32_t at = (uint32_t)(slash - p);
        s.at = at >= 3 ? at - 3 : n;
        if (at > 3 && is_glued(p, at - 3) && take_sip(&s) == CARRIED_YES &&
            take_word(&s, SIP_CHAR_DIGIT, '.') == CARRIED_YES &&
            take_word(&s, SIP_CHAR_DIGIT, ' ') == CARRIED_YES) {
            return at - 3;
        }
        slash++;
    }
    return 0;
}

uint32_t carried_glued(const uint8_t *p, uint32_t n)
{
    const uint8_t *lf = memchr(p, '\n', n < CARRIED_LINE_MAX ? n : CARRIED_LINE_MAX);
    uint32_t line = lf ? (uint32_t)(lf - p) : 0;
    line -= line > 0 && p[line - 1] == '\r';
    struct slice first = slice_of((const char *)p, line);
    struct slice word = slice_of(first.p, sip_chars_span(first, SIP_CHAR_TOKEN));
    if (word.n == line || !sip_char_is(first.p[word.n], SIP_CHAR_BLANK) ||
        sip_method_by_name(word) != SIP_METHOD_OTHER) {
        return 0;
    }
    uint32_t at = request_inside(first.p, line);
    for (uint32_t i = 0; i < at; i++) {
        if (p[i] < 'A' || p[i] > 'Z') {
            return at;
        }
    }
    return 0;
}

uint32_t carried_pass_line(const uint8_t *p, uint32_t line)
{
    uint32_t n = line;
    while (n > 0 && carried_is_crlf(p[n - 1])) {
        n--;
    }
    uint32_t inside = request_inside((const char *)p, n);
    inside = inside > 0 ? inside : response_inside((const char *)p, n);
    return inside > 0 ? inside : line;
}
