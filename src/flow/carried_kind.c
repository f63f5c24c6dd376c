// What a stream carries, told by its first bytes; and where its beginning was not captured, by the
// first thing met that could be nothing else.
//
// Tests, in this order: TLS (a ClientHello or ServerHello, else two records), HEP, RFC 4571 (two
// frames), a WebSocket frame that holds SIP, a start line of SIP or HTTP. Where one more frame or
// record must follow, the bytes wait for it; at a gap or the end one that fills all is enough.
//
// A direction that is known from its beginning and begins with a line of any other text is of no
// interest: mail, logs and the like quote SIP. What a proxy puts in front is passed over.
#include "flow/carried_parts.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "wire/hep/hep.h"

enum unknown_state {
    UNKNOWN_BEGIN, // nothing was passed over
    UNKNOWN_SEARCH,
};

enum tls {
    TLS_CHANGE_CIPHER_SPEC = 20,
    TLS_HANDSHAKE = 22,
    TLS_APPLICATION = 23,
    TLS_RECORD_HEADER = 5,
    TLS_HELLO_HEADER = 11,  // of the record; type, length and version of the message
    TLS_LENGTH_MAX = 16640, // RFC 8446 5.2
    TLS_CLIENT_HELLO = 1,
    TLS_SERVER_HELLO = 2,
};

// What has been found out so far.
struct guess {
    enum carried_kind kind;   // CARRIED_OTHER: none of them
    bool is_foreign;          // and whole text, so that nothing need be searched in it
    enum carried_until until; // CARRIED_UNKNOWN: as in carried_lacks
    uint32_t need;
};

// --- what a proxy puts in front of a stream ---

enum proxy { // PROXY protocol of HAProxy
    PROXY_LINE_MAX = 107,
    PROXY_SIGNATURE = 12,
    PROXY_HEADER = 16, // then as many bytes as the last two of it say
    PROXY_VERSION = 2, // in the upper half of the byte behind the signature
};

static bool begins_like(const uint8_t *p, uint32_t n, struct slice text)
{
    return memcmp(p, text.p, n < text.n ? n : text.n) == 0;
}

// "PROXY TCP4 192.0.2.1 192.0.2.2 4000 5060" CRLF
static enum carried_verdict is_proxy_line(const uint8_t *p, uint32_t n, uint32_t *length)
{
    if (!begins_like(p, n, SLICE("PROXY TCP")) && !begins_like(p, n, SLICE("PROXY UNKNOWN"))) {
        return CARRIED_NO;
    }
    uint32_t most = n < PROXY_LINE_MAX ? n : PROXY_LINE_MAX;
    const uint8_t *lf = memchr(p, '\n', most);
    *length = lf ? (uint32_t)(lf - p) + 1 : PROXY_LINE_MAX;
    if (!lf) {
        return most < PROXY_LINE_MAX ? CARRIED_MORE : CARRIED_NO;
    }
    return lf[-1] == '\r' ? CARRIED_YES : CARRIED_NO;
}

// Its bytes, or how many are needed to tell.
static enum carried_verdict is_proxy(const uint8_t *p, uint32_t n, uint32_t *length)
{
    if (!begins_like(p, n, slice_of("\r\n\r\n\0\r\nQUIT\n", PROXY_SIGNATURE))) {
        return is_proxy_line(p, n, length);
    }
    *length = PROXY_HEADER;
    if (n < PROXY_HEADER) {
        return n > PROXY_SIGNATURE && p[PROXY_SIGNATURE] >> 4 != PROXY_VERSION ? CARRIED_NO
                                                                               : CARRIED_MORE;
    }
    *length += be16(p + PROXY_HEADER - 2);
    return p[PROXY_SIGNATURE] >> 4 == PROXY_VERSION ? CARRIED_YES : CARRIED_NO;
}

// --- first bytes ---

static enum carried_verdict is_record(const uint8_t *p, uint32_t n)
{
    if ((n > 0 && (p[0] < TLS_CHANGE_CIPHER_SPEC || p[0] > TLS_APPLICATION)) ||
        (n > 1 && p[1] != 3) || (n > 2 && p[2] > 4)) {
        return CARRIED_NO;
    }
    if (n < TLS_RECORD_HEADER) {
        return CARRIED_MORE;
    }
    uint32_t length = be16(p + 3);
    return length > 0 && length <= TLS_LENGTH_MAX ? CARRIED_YES : CARRIED_NO;
}

static bool is_hello(const uint8_t *p)
{
    return p[0] == TLS_HANDSHAKE && (p[5] == TLS_CLIENT_HELLO || p[5] == TLS_SERVER_HELLO) &&
           p[6] == 0 && p[9] == 3;
}

static enum carried_verdict is_tls(const uint8_t *p, uint32_t n, bool whole, uint32_t *need)
{
    enum carried_verdict v = is_record(p, n);
    if (v != CARRIED_YES) {
        *need = TLS_RECORD_HEADER;
        return v == CARRIED_MORE && whole ? CARRIED_NO : v;
    }
    *need = TLS_HELLO_HEADER;
    if (n < *need) {
        return whole ? CARRIED_YES : CARRIED_MORE;
    }
    uint32_t next = TLS_RECORD_HEADER + be16(p + 3);
    if (is_hello(p)) {
        return CARRIED_YES;
    }
    *need = next + TLS_RECORD_HEADER;
    v = n > next ? is_record(p + next, n - next) : CARRIED_MORE;
    return v == CARRIED_MORE && whole ? CARRIED_YES : v;
}

static enum carried_verdict is_hep(const uint8_t *p, uint32_t n, bool whole, uint32_t *need)
{
    int64_t length = hep_stream_length(p, n);
    *need = n + 1;
    return length < 0 || (length == 0 && whole) ? CARRIED_NO
           : length > 0                         ? CARRIED_YES
                                                : CARRIED_MORE;
}

static bool is_http(const uint8_t *p, uint32_t n)
{
    struct slice rest = slice_of((const char *)p, n);
    struct slice line;
    return slice_line(&rest, &line) &&
           (carried_is_http(line) || (n > 4 && memcmp(p, "GET ", 4) == 0));
}

// Text as a whole line that begins with no blank, of no other bytes than UTF-8.
static bool is_text(const uint8_t *p, uint32_t n)
{
    uint32_t code = *p;
    for (uint32_t i = 0; i < n && code != UTF8_INVALID;) {
        i += (uint32_t)utf8_next((const char *)p + i, n - i, &code);
    }
    return code != UTF8_INVALID && *p > ' ';
}

// Text before what looks like a start line: {"sip":"INVITE sip:b@x SIP/2.0
static bool is_quoted(const uint8_t *p, uint32_t n)
{
    return *p != ' ' && *p != '\t' && carried_begins_right(p, n) != CARRIED_YES;
}

// A first line of SIP or HTTP. Text only: a control byte in it says that it is neither.
static void guess_text(struct guess *g, const uint8_t *p, uint32_t n, bool after_gap, bool whole)
{
    uint32_t line = 0;
    uint32_t end = n < CARRIED_LINE_MAX ? n : CARRIED_LINE_MAX;
    while (line < end && (p[line] >= ' ' || p[line] == '\t' || p[line] == '\r')) {
        line++;
    }
    if (p[0] >= 0x7f || line == CARRIED_LINE_MAX || (line < n && p[line] != '\n')) {
        return;
    }
    bool has_lf = line < n;
    if (!has_lf && !whole) {
        *g = (struct guess){CARRIED_UNKNOWN, false, CARRIED_UNTIL_LF, CARRIED_LINE_MAX};
        return;
    }
    line += has_lf;
    uint32_t first = line;
    if (is_http(p, line)) {
        g->kind = CARRIED_HTTP;
        return;
    }
    enum carried_verdict v = after_gap ? carried_start(p, n, &line)
                             : sip_looks_like((const char *)p, line) && !is_quoted(p, line)
                                 ? CARRIED_YES
                                 : CARRIED_NO;
    if (v == CARRIED_MORE && !whole) {
        *g = (struct guess){CARRIED_UNKNOWN, false, CARRIED_UNTIL_LF, 2 * CARRIED_LINE_MAX};
    } else if (v == CARRIED_YES) {
        g->kind = CARRIED_SIP;
    } else {
        g->is_foreign = !after_gap && has_lf && is_text(p, first);
    }
}

// CRLFs at the beginning, as many as one keep-alive piece takes.
static uint32_t crlf_span(const uint8_t *p, uint32_t n)
{
    return carried_crlf_span(p, n < CARRIED_CRLF_MAX ? n : CARRIED_CRLF_MAX);
}

// `whole`: no byte follows. CARRIED_UNKNOWN only without it, or where all are CRLFs.
static struct guess guess(const uint8_t *p, uint32_t n, bool after_gap, bool whole)
{
    struct guess g = {.kind = CARRIED_OTHER};
    uint32_t crlf = crlf_span(p, n);
    if (crlf > 0) {
        if (crlf == n) {
            return (struct guess){CARRIED_UNKNOWN, false, CARRIED_UNTIL_OTHER, CARRIED_CRLF_MAX};
        }
        guess_text(&g, p + crlf, n - crlf, after_gap, whole);
        g.need += crlf;
        return g;
    }
    static const struct {
        enum carried_kind kind;
        enum carried_verdict (*test)(const uint8_t *p, uint32_t n, bool whole, uint32_t *need);
    } TESTS[] = {{CARRIED_TLS, is_tls}, {CARRIED_HEP, is_hep}, {CARRIED_RTP, carried_rtp_begins}};
    for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++) {
        enum carried_verdict v = TESTS[i].test(p, n, whole, &g.need);
        if (v != CARRIED_NO) {
            g.kind = v == CARRIED_YES ? TESTS[i].kind : CARRIED_UNKNOWN;
            return g;
        }
    }
    enum carried_verdict ws = carried_ws_begins(p, n);
    if (ws == CARRIED_YES) {
        g.kind = CARRIED_WEBSOCKET;
    } else if (ws == CARRIED_MORE && !whole) {
        g = (struct guess){CARRIED_UNKNOWN, false, CARRIED_UNTIL_ALL, n + 1};
    } else {
        guess_text(&g, p, n, after_gap, whole);
    }
    return g;
}

bool carried_starts_well(const uint8_t *p, uint32_t n)
{
    if (n == 0) {
        return false;
    }
    uint32_t proxy;
    if (guess(p, n, false, true).kind != CARRIED_OTHER || is_proxy(p, n, &proxy) != CARRIED_NO) {
        return true;
    }
    uint32_t crlf = crlf_span(p, n);
    p += crlf;
    n -= crlf;
    uint32_t line;
    uint32_t http = n < 7 ? n : 7;
    return carried_start_line(p, n, &line) == CARRIED_MORE || memcmp(p, "HTTP/1.", http) == 0 ||
           memcmp(p, "GET ", n < 4 ? n : 4) == 0;
}

// Bytes in which nothing was found.
static void pass_over(struct carried *c, uint32_t n)
{
    c->searched += n;
    if (c->searched >= CARRIED_SEARCH_MAX) {
        carried_become(c, CARRIED_OTHER);
    }
}

static bool search(struct carried *c, const struct carried_view *v)
{
    enum carried_want found;
    uint32_t pass;
    enum carried_verdict verdict =
        carried_seek(c, v->p, v->n, CARRIED_WANT_SIP | CARRIED_WANT_WS, false, &found, &pass);
    if (verdict == CARRIED_MORE) {
        return false;
    }
    if (verdict == CARRIED_NO) {
        uint32_t left = CARRIED_SEARCH_MAX - c->searched;
        pass = pass < left ? pass : left;
        pass_over(c, pass);
        return carried_took(c, pass);
    }
    c->odd[FLOW_TCP_SKIPPED] += c->searched;
    if (found == CARRIED_WANT_SIP) {
        carried_become(c, CARRIED_SIP);
        carried_sip_found(c, v->p, pass);
    } else {
        carried_become(c, CARRIED_WEBSOCKET);
    }
    return carried_took(c, 0);
}

bool carried_unknown_step(struct carried *c, const struct carried_view *v)
{
    if (c->state == UNKNOWN_SEARCH) {
        return search(c, v);
    }
    uint32_t proxy;
    enum carried_verdict verdict =
        c->at > 0 || c->after_gap ? CARRIED_NO : is_proxy(v->p, v->n, &proxy);
    if (verdict == CARRIED_YES) {
        c->skip = proxy;
        return carried_took(c, 0);
    }
    if (verdict == CARRIED_MORE) {
        bool is_line = v->p[0] == 'P';
        return carried_lacks(c, is_line ? proxy : v->n + 1,
                             is_line ? CARRIED_UNTIL_LF : CARRIED_UNTIL_ALL);
    }
    if (crlf_span(v->p, v->n) == CARRIED_CRLF_MAX) {
        return carried_crlf_step(c, v, false);
    }
    struct guess g = guess(v->p, v->n, c->after_gap, false);
    if (g.kind == CARRIED_UNKNOWN) {
        return carried_lacks(c, g.need, g.until);
    }
    if (g.is_foreign) {
        carried_become(c, CARRIED_OTHER);
        return carried_took(c, 0);
    }
    if (g.kind == CARRIED_OTHER) {
        c->state = UNKNOWN_SEARCH;
        c->is_at_line = true;
        return carried_took(c, 0);
    }
    carried_become(c, g.kind);
    c->odd[FLOW_TCP_SKIPPED] += g.kind == CARRIED_TLS || g.kind == CARRIED_HTTP ? 0 : c->searched;
    return carried_took(c, 0);
}

void carried_unknown_broken(struct carried *c, struct carried_view *v, uint64_t gap)
{
    bool searching = c->state == UNKNOWN_SEARCH;
    c->state = UNKNOWN_BEGIN;
    if (v->n > 0 && !searching) {
        struct guess g = guess(v->p, v->n, c->after_gap, true);
        if (g.kind == CARRIED_UNKNOWN) {
            carried_crlf_step(c, v, true);
            v->n = 0;
        } else if (g.kind != CARRIED_OTHER) {
            carried_become(c, g.kind);
            carried_run(c, v);
            carried_broken(c, v, gap);
            return;
        }
    }
    c->after_gap = true;
    pass_over(c, v->n);
}
