// What a stream carries, told by its first bytes; and where its beginning was not captured, by the
// first thing met that could be nothing else.
//
// Tests, in this order: TLS (a ClientHello or ServerHello, else two records), HEP, RFC 4571 (two
// frames), a WebSocket frame that holds SIP, a start line of SIP or HTTP. Where one more frame or
// record must follow, the bytes wait for it; at a gap or the end one that fills all is enough.
#include "flow/carried_parts.h"

#include "base/bytes.h"
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
    enum carried_kind kind; // CARRIED_OTHER: none of them
    uint32_t need;          // CARRIED_UNKNOWN: bytes without which it makes no sense to ask again,
    bool until_lf;          // or up to the next LF
};

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
    return n >= 7 && (memcmp(p, "HTTP/1.", 7) == 0 || memcmp(p, "GET ", 4) == 0);
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
        *g = (struct guess){CARRIED_UNKNOWN, CARRIED_LINE_MAX, true};
        return;
    }
    line += has_lf;
    if (is_http(p, line)) {
        g->kind = CARRIED_HTTP;
        return;
    }
    enum carried_verdict v = after_gap                               ? carried_start(p, n, &line)
                             : sip_looks_like((const char *)p, line) ? CARRIED_YES
                                                                     : CARRIED_NO;
    if (v == CARRIED_MORE && !whole) {
        *g = (struct guess){CARRIED_UNKNOWN, 2 * CARRIED_LINE_MAX, true};
    } else if (v == CARRIED_YES) {
        g->kind = CARRIED_SIP;
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
            return (struct guess){CARRIED_UNKNOWN, n + 1, false};
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
        g = (struct guess){CARRIED_UNKNOWN, n + 1, false};
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
    if (guess(p, n, false, true).kind != CARRIED_OTHER) {
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
        carried_sip_found(c, pass);
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
    if (crlf_span(v->p, v->n) == CARRIED_CRLF_MAX) {
        return carried_crlf_step(c, v, false);
    }
    struct guess g = guess(v->p, v->n, c->after_gap, false);
    if (g.kind == CARRIED_UNKNOWN) {
        return carried_lacks(c, g.need, g.until_lf);
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
