// HTTP up to the upgrade to WebSocket (RFC 6455 4): heads are read, bodies passed over.
//
// A body with Content-Length is passed over by it. Any other (chunked, up to the end) is searched
// for the next line that begins a message. After a gap such a line or a WebSocket frame is
// searched, but never SIP: bodies quote it. A stream that has not upgraded after CARRIED_SEARCH_MAX
// bytes is of no interest.
#include "flow/carried_parts.h"
#include "wire/sip/chars.h"

enum http_state {
    HTTP_BORDER,
    HTTP_HEAD,
    HTTP_SEARCH, // behind a gap
};

struct head {
    bool is_upgraded;
    uint64_t body;
};

static bool is_response(struct slice line)
{
    return line.n >= 12 && memcmp(line.p, "HTTP/1.", 7) == 0;
}

bool carried_is_http(struct slice line)
{
    return is_response(line) || (line.n >= 12 && sip_char_is(line.p[0], SIP_CHAR_TOKEN) &&
                                 memcmp(line.p + line.n - 9, " HTTP/1.", 8) == 0);
}

// Binary bytes do not wait for a line end.
enum carried_verdict carried_http_line(const uint8_t *p, uint32_t n)
{
    uint32_t end = n < CARRIED_LINE_MAX ? n : CARRIED_LINE_MAX;
    uint32_t at = 0;
    while (at < end && (p[at] >= ' ' || p[at] == '\t' || p[at] == '\r') && p[0] < 0x7f) {
        at++;
    }
    if (at == n && n < CARRIED_LINE_MAX) {
        return CARRIED_MORE;
    }
    struct slice rest = slice_of((const char *)p, at < n && p[at] == '\n' ? at + 1 : 0);
    struct slice line;
    return slice_line(&rest, &line) && carried_is_http(line) ? CARRIED_YES : CARRIED_NO;
}

static bool has_word(struct slice value, struct slice word)
{
    struct slice one;
    while (value.n > 0) {
        slice_cut(value, ',', &one, &value);
        if (slice_eq_nocase(slice_trim(one), word)) {
            return true;
        }
    }
    return false;
}

static struct head read_head(struct slice head)
{
    struct slice line, name, value;
    slice_line(&head, &line);
    bool responds = is_response(line);
    struct slice status = responds ? slice_of(line.p + 9, 3) : slice_of(NULL, 0);
    struct head h = {.is_upgraded = slice_eq(status, SLICE("101"))};
    while (slice_line(&head, &line)) {
        slice_cut(line, ':', &name, &value);
        value = slice_trim(value);
        if (slice_eq_nocase(name, SLICE("Upgrade"))) {
            h.is_upgraded |= !responds && has_word(value, SLICE("websocket"));
        } else if (slice_eq_nocase(name, SLICE("Content-Length")) &&
                   !slice_u64(value, CARRIED_SEARCH_MAX, &h.body)) {
            h.body = CARRIED_SEARCH_MAX;
        }
    }
    if (slice_eq(status, SLICE("204")) || slice_eq(status, SLICE("304"))) {
        h.body = 0; // RFC 9112 6.3
    }
    return h;
}

// Takes n bytes, of which those that are not there yet are passed over.
static bool pass_over(struct carried *c, uint64_t n)
{
    if (n >= CARRIED_SEARCH_MAX - c->searched) {
        carried_become(c, CARRIED_OTHER);
        return carried_took(c, 0);
    }
    c->searched += (uint32_t)n;
    c->skip = n;
    return carried_took(c, 0);
}

static bool in_head(struct carried *c, const struct carried_view *v)
{
    uint32_t n = v->n < CARRIED_LINE_MAX ? v->n : CARRIED_LINE_MAX;
    uint32_t end = carried_head_end(c, v->p, n);
    if (end == 0 && n < CARRIED_LINE_MAX) {
        return carried_lacks(c, CARRIED_LINE_MAX, CARRIED_UNTIL_LF);
    }
    if (end == 0) {
        carried_become(c, CARRIED_OTHER);
        return carried_took(c, 0);
    }
    struct head h = read_head(slice_of((const char *)v->p, end));
    c->state = HTTP_BORDER;
    if (h.is_upgraded) {
        carried_become(c, CARRIED_WEBSOCKET);
        c->is_fresh = true;
        return carried_took(c, end);
    }
    return pass_over(c, end + h.body);
}

static bool search(struct carried *c, const struct carried_view *v)
{
    enum carried_want found;
    uint32_t pass;
    enum carried_verdict verdict =
        carried_seek(c, v->p, v->n, CARRIED_WANT_HTTP | CARRIED_WANT_WS, false, &found, &pass);
    if (verdict == CARRIED_MORE) {
        return false;
    }
    if (verdict == CARRIED_YES && found == CARRIED_WANT_HTTP) {
        c->state = HTTP_HEAD;
        return carried_took(c, 0);
    }
    if (verdict == CARRIED_YES) {
        carried_become(c, CARRIED_WEBSOCKET);
        return carried_took(c, 0);
    }
    uint32_t left = CARRIED_SEARCH_MAX - c->searched;
    pass = pass < left ? pass : left;
    c->searched += pass;
    c->odd[FLOW_TCP_SKIPPED] += pass;
    if (pass == left) {
        carried_become(c, CARRIED_OTHER);
    }
    return carried_took(c, pass);
}

bool carried_http_step(struct carried *c, const struct carried_view *v)
{
    if (c->state == HTTP_HEAD) {
        return in_head(c, v);
    }
    if (c->state == HTTP_SEARCH) {
        return search(c, v);
    }
    uint32_t n = v->n < CARRIED_LINE_MAX ? v->n : CARRIED_LINE_MAX;
    const uint8_t *lf = memchr(v->p, '\n', n);
    if (!lf && n < CARRIED_LINE_MAX) {
        return carried_lacks(c, CARRIED_LINE_MAX, CARRIED_UNTIL_LF);
    }
    struct slice rest = slice_of((const char *)v->p, lf ? (size_t)(lf - v->p) + 1 : n);
    struct slice line = slice_of(NULL, 0);
    slice_line(&rest, &line);
    if (lf && carried_is_http(line)) {
        c->state = HTTP_HEAD;
        return carried_took(c, 0);
    }
    return pass_over(c, lf ? (uint32_t)(lf - v->p) + 1 : n);
}

void carried_answers_http(struct carried *c)
{
    carried_become(c, CARRIED_HTTP);
    c->state = HTTP_SEARCH;
    c->is_at_line = true;
}

void carried_http_broken(struct carried *c, const struct carried_view *v)
{
    c->odd[FLOW_TCP_SKIPPED] += v->n;
    c->state = HTTP_SEARCH;
    c->is_at_line = true;
    c->is_in_line = false;
}
