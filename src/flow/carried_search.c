// Finding beginnings in a stream: CRLFs between messages, the end of headers, WebSocket frames that
// hold SIP, and seeking the next beginning of any.
#include "flow/carried_parts.h"
#include "wire/ws/frame.h"

// Content of a WebSocket frame that is looked at when frames are searched. Not smaller: method,
// blank and scheme must fit. Not larger: it is looked at for every byte that may begin a frame.
#define PROBE_BYTES 32

bool carried_crlf_step(struct carried *c, const struct carried_view *v, bool all)
{
    uint32_t n = v->n < CARRIED_CRLF_MAX ? v->n : CARRIED_CRLF_MAX;
    uint32_t end = c->scanned;
    while (end < n && carried_is_crlf(v->p[end])) {
        end++;
    }
    if (end == v->n && end < CARRIED_CRLF_MAX && !all) {
        c->scanned = end;
        return carried_lacks(c, CARRIED_CRLF_MAX, CARRIED_UNTIL_OTHER);
    }
    struct carried_piece piece = {.kind = PIECE_KEEPALIVE};
    carried_hand_on(c, v, 0, end, &piece);
    return carried_took(c, end);
}

uint32_t carried_head_end(struct carried *c, const uint8_t *p, uint32_t n)
{
    while (c->scanned < n) {
        const uint8_t *lf = memchr(p + c->scanned, '\n', n - c->scanned);
        if (!lf) {
            c->scanned = n;
            return 0;
        }
        uint32_t line = c->line;
        uint32_t end = (uint32_t)(lf - p);
        c->scanned = c->line = end + 1;
        if (end == line || (end == line + 1 && p[line] == '\r')) {
            return end + 1;
        }
    }
    return 0;
}

// --- WebSocket ---

static bool may_begin_frame(uint8_t c)
{
    return c == (0x80 | WS_TEXT) || c == (0x80 | WS_BINARY);
}

enum carried_verdict carried_ws_begins(const uint8_t *p, uint32_t n)
{
    struct ws_frame f;
    if (n > 0 && !may_begin_frame(p[0])) {
        return CARRIED_NO;
    }
    int header = ws_frame_read(&f, p, n);
    if (header <= 0) {
        return header < 0 ? CARRIED_NO : CARRIED_MORE;
    }
    if (f.is_padded || f.length < PROBE_BYTES || f.length > CARRIED_MESSAGE_MAX) {
        return CARRIED_NO;
    }
    if (n - (uint32_t)header < PROBE_BYTES) {
        return CARRIED_MORE;
    }
    uint8_t probe[PROBE_BYTES];
    uint32_t line;
    ws_unmask(probe, p + header, PROBE_BYTES, f.mask);
    bool has_blank = memchr(probe, ' ', PROBE_BYTES) != NULL;
    return has_blank && carried_start_line(probe, PROBE_BYTES, &line) != CARRIED_NO ? CARRIED_YES
                                                                                    : CARRIED_NO;
}

// --- seeking ---

// Bytes up to the next place where what is wanted could begin; at least one.
static uint32_t next_place(const struct carried *c, const uint8_t *p, uint32_t n, int want)
{
    if ((want & CARRIED_WANT_WS) == 0) {
        n = n < CARRIED_LINE_MAX ? n : CARRIED_LINE_MAX;
        const uint8_t *lf = memchr(p, '\n', n);
        uint32_t line = lf ? (uint32_t)(lf - p) + 1 : n;
        return lf && !c->is_in_line ? carried_pass_line(p, line) : line;
    }
    uint32_t i = 1;
    while (i < n && !may_begin_frame(p[i]) &&
           ((want & ~CARRIED_WANT_WS) == 0 || p[i - 1] != '\n')) {
        i++;
    }
    return i;
}

// Does a line of what is wanted begin here?
static enum carried_verdict seek_line(const uint8_t *p, uint32_t n, int want,
                                      enum carried_want *found, uint32_t *line)
{
    if ((want & CARRIED_WANT_SIP) != 0) {
        *found = CARRIED_WANT_SIP;
        return carried_start(p, n, line);
    }
    *found = CARRIED_WANT_HTTP;
    return (want & CARRIED_WANT_HTTP) != 0 ? carried_http_line(p, n) : CARRIED_NO;
}

enum carried_verdict carried_seek(struct carried *c, const uint8_t *p, uint32_t n, int want,
                                  bool whole, enum carried_want *found, uint32_t *pass)
{
    enum carried_verdict v = CARRIED_NO;
    if (c->is_at_line || c->is_in_line) {
        v = seek_line(p, n, want, found, pass);
        if (v == CARRIED_MORE && !whole) {
            carried_lacks(c, 2 * CARRIED_LINE_MAX, CARRIED_UNTIL_LF);
            return v;
        }
    }
    if (v != CARRIED_YES && (want & CARRIED_WANT_WS) != 0) {
        *found = CARRIED_WANT_WS;
        v = carried_ws_begins(p, n);
        if (v == CARRIED_MORE && !whole) {
            carried_lacks(c, n + 1, CARRIED_UNTIL_ALL);
            return v;
        }
    }
    if (v == CARRIED_YES) {
        return v;
    }
    // A start line behind other text is known when its line is whole.
    if (want == CARRIED_WANT_SIP && !whole && n < CARRIED_LINE_MAX && !memchr(p, '\n', n)) {
        carried_lacks(c, CARRIED_LINE_MAX, CARRIED_UNTIL_LF);
        return CARRIED_MORE;
    }
    *pass = next_place(c, p, n, want);
    c->is_at_line = p[*pass - 1] == '\n';
    c->is_in_line = want == CARRIED_WANT_SIP && !c->is_at_line && *pass < CARRIED_LINE_MAX;
    return CARRIED_NO;
}
