// SIP on a stream: messages one after the other by Content-Length, CRLFs between them.
//
// A message that is whole in the window is parsed once. One that is not: its line ends are looked
// at once each until the empty line is there, its headers are parsed for Content-Length, and it is
// parsed when so many bytes are there. Nothing is looked at again for each segment.
//
// A Content-Length may be a lie that would swallow the messages behind it. So where it says more
// than CARRIED_MESSAGE_MAX, or the body is SDP, which never holds such a line, a start line with a
// header field after it inside the body ends the message there, as incomplete. So it does among the
// headers of a message whose empty line was forgotten.
#include "flow/carried_parts.h"
#include "wire/sip/chars.h"

enum sip_state {
    SIP_BORDER, // a message or CRLFs begin here
    SIP_HEAD,   // its start line is there
    SIP_BODY,   // its headers are
    SIP_LONG,   // in what follows of a message that was cut at the limit
    SIP_SEARCH, // for the next start line
};

static void begin_head(struct carried *c, uint32_t line)
{
    c->state = SIP_HEAD;
    c->scanned = c->line = line;
}

void carried_sip_found(struct carried *c, const uint8_t *p, uint32_t line)
{
    if (carried_glued(p, line) > 0) {
        c->state = SIP_BORDER;
    } else {
        begin_head(c, line);
    }
}

static void search_from(struct carried *c, bool is_at_line)
{
    c->state = SIP_SEARCH;
    c->is_at_line = is_at_line;
    c->is_in_line = false;
}

static void hand_on(struct carried *c, const struct carried_view *v, struct sip_message *m,
                    bool is_incomplete)
{
    struct carried_piece piece = {.kind = PIECE_SIP, .is_incomplete = is_incomplete, .sip = m};
    uint32_t begin = (uint32_t)(m->raw.p - (const char *)v->p);
    carried_hand_on(c, v, begin, begin + (uint32_t)m->raw.n, &piece);
}

// Hands on the first n bytes as a message of which bytes are missing.
static void hand_on_cut(struct carried *c, const struct carried_view *v, uint32_t n,
                        enum flow_oddity why)
{
    struct sip_message m;
    if (sip_parse(&m, (const char *)v->p, n, SIP_DATAGRAM, true) > 0) {
        hand_on(c, v, &m, true);
        c->odd[why]++;
    } else {
        c->odd[FLOW_TCP_SKIPPED] += n;
    }
}

// After a message: where its Content-Length could not be used nobody knows where its body ends.
static void after(struct carried *c, const struct sip_message *m)
{
    const uint64_t unusable = (uint64_t)1 << SIP_ODD_CONTENT_LENGTH |
                              (uint64_t)1 << SIP_ODD_CONTENT_LENGTH_NEGATIVE |
                              (uint64_t)1 << SIP_ODD_CONTENT_LENGTH_CONFLICT;
    c->state = SIP_BORDER;
    if ((m->oddities & unusable) != 0) {
        search_from(c, true);
    }
}

static bool is_sdp(const struct sip_message *m)
{
    struct slice type = sip_value(m, SIP_H_CONTENT_TYPE);
    return type.n >= 15 && slice_eq_nocase(slice_of(type.p, 15), SLICE("application/sdp"));
}

// Does "SIP/" stand in the body of SDP? Its slashes are few.
static bool may_lie(const struct sip_message *m)
{
    if (m->body.n == 0) {
        return false;
    }
    const char *p = m->body.p;
    const char *end = p + m->body.n;
    while ((p = memchr(p, '/', (size_t)(end - p))) != NULL) {
        if (p - m->body.p >= 3 && slice_eq_nocase(slice_of(p - 3, 3), SLICE("SIP"))) {
            return is_sdp(m);
        }
        p++;
    }
    return false;
}

// A line among the headers that is none: it may be a start line.
static bool has_strange_line(const struct sip_message *m)
{
    return sip_is_odd(m, SIP_ODD_HEADER_NAME) || sip_is_odd(m, SIP_ODD_HEADER_NO_COLON);
}

// Most messages end here. Returns false where the slow way must look.
static bool whole_message(struct carried *c, const struct carried_view *v)
{
    struct sip_message m;
    int64_t taken = sip_parse(&m, (const char *)v->p, v->n, SIP_STREAM, false);
    if (taken <= 0 || taken > CARRIED_MESSAGE_MAX || may_lie(&m) || has_strange_line(&m) ||
        (m.is_request && m.method == SIP_METHOD_OTHER &&
         (!sip_is_token(m.method_text) || carried_glued(v->p, v->n) > 0))) {
        return false;
    }
    after(c, &m); // before it is handed on: the one who takes it may change it
    hand_on(c, v, &m, false);
    c->used = (uint32_t)taken;
    return true;
}

static bool at_border(struct carried *c, const struct carried_view *v)
{
    if (carried_is_crlf(v->p[0])) {
        return carried_crlf_step(c, v, false);
    }
    if (sip_char_is((char)v->p[0], SIP_CHAR_BLANK)) {
        c->odd[FLOW_TCP_SKIPPED]++;
        return carried_took(c, 1);
    }
    if (whole_message(c, v)) {
        return true;
    }
    enum carried_verdict verdict = carried_begins_right(v->p, v->n);
    uint32_t n = v->n < CARRIED_LINE_MAX ? v->n : CARRIED_LINE_MAX;
    const uint8_t *lf = verdict == CARRIED_NO ? NULL : memchr(v->p, '\n', n);
    if (verdict != CARRIED_NO && !lf && n < CARRIED_LINE_MAX) {
        return carried_lacks(c, CARRIED_LINE_MAX, CARRIED_UNTIL_LF);
    }
    uint32_t line = lf ? (uint32_t)(lf - v->p) + 1 : 0;
    if (verdict == CARRIED_YES && lf && sip_looks_like((const char *)v->p, line)) {
        uint32_t glued = carried_glued(v->p, line);
        if (glued > 0) {
            c->odd[FLOW_TCP_SKIPPED] += glued;
            return carried_took(c, glued);
        }
        begin_head(c, line);
    } else {
        search_from(c, true);
    }
    return carried_took(c, 0);
}

// Looks at the header lines of the first n bytes. Returns the offset behind the empty line, or of a
// start line before it; 0 where neither is there yet (`whole`: and will not be).
static uint32_t scan_head(struct carried *c, const uint8_t *p, uint32_t n, bool whole,
                          bool *is_start)
{
    uint32_t line;
    while (c->line < n) {
        if (c->scanned == c->line) {
            enum carried_verdict v = carried_start(p + c->line, n - c->line, &line);
            *is_start = v == CARRIED_YES;
            if (*is_start || (v == CARRIED_MORE && !whole)) {
                return *is_start ? c->line : 0;
            }
        }
        const uint8_t *lf = memchr(p + c->scanned, '\n', n - c->scanned);
        c->scanned = lf ? (uint32_t)(lf - p) + 1 : n;
        if (!lf) {
            return 0;
        }
        uint32_t length = c->scanned - 1 - c->line;
        bool is_empty = length == 0 || (length == 1 && p[c->line] == '\r');
        c->line = c->scanned;
        if (is_empty) {
            return c->scanned;
        }
    }
    return 0;
}

static bool in_head(struct carried *c, const struct carried_view *v)
{
    bool whole = v->n >= CARRIED_MESSAGE_MAX;
    uint32_t n = whole ? CARRIED_MESSAGE_MAX : v->n;
    bool is_start = false;
    uint32_t head = scan_head(c, v->p, n, whole, &is_start);
    if (head == 0 && !whole) {
        return carried_lacks(c, CARRIED_MESSAGE_MAX, CARRIED_UNTIL_LF);
    }
    if (head == 0) {
        hand_on_cut(c, v, n, FLOW_MESSAGE_TOO_LONG);
        search_from(c, v->p[n - 1] == '\n');
        return carried_took(c, n);
    }
    if (is_start) {
        hand_on_cut(c, v, head, FLOW_MESSAGE_INCOMPLETE);
        c->state = SIP_BORDER;
        return carried_took(c, head);
    }
    if (whole_message(c, v)) {
        return true; // its body came with the rest of its headers
    }
    struct sip_message m;
    int64_t taken = sip_parse(&m, (const char *)v->p, head, SIP_DATAGRAM, false);
    int64_t body = taken > 0 && m.content_length > 0 ? m.content_length : 0;
    c->length = head + (uint64_t)body;
    c->lies = body > 0 && (c->length > CARRIED_MESSAGE_MAX || is_sdp(&m));
    c->state = SIP_BODY;
    return carried_took(c, 0);
}

// A start line inside the first `n` of the `end` bytes of the message: its offset, or 0.
static uint32_t find_start(struct carried *c, const uint8_t *p, uint32_t n, uint32_t end)
{
    while (c->line < n) {
        uint32_t line;
        enum carried_verdict v = carried_start(p + c->line, n - c->line, &line);
        if (v == CARRIED_YES) {
            return c->line;
        }
        if (v == CARRIED_MORE && n < end) {
            return 0;
        }
        const uint8_t *lf = memchr(p + c->scanned, '\n', n - c->scanned);
        c->scanned = lf ? (uint32_t)(lf - p) + 1 : n;
        if (!lf) {
            return 0;
        }
        c->line = c->scanned;
    }
    return 0;
}

static bool in_body(struct carried *c, const struct carried_view *v)
{
    bool is_long = c->length > CARRIED_MESSAGE_MAX;
    uint32_t end = is_long ? CARRIED_MESSAGE_MAX : (uint32_t)c->length;
    enum flow_oddity why = is_long ? FLOW_MESSAGE_TOO_LONG : FLOW_MESSAGE_INCOMPLETE;
    uint32_t start = c->lies ? find_start(c, v->p, v->n < end ? v->n : end, end) : 0;
    if (start > 0) {
        hand_on_cut(c, v, start, why);
        c->state = SIP_BORDER;
        return carried_took(c, start);
    }
    if (v->n < end) {
        return carried_lacks(c, end, c->lies ? CARRIED_UNTIL_LF : CARRIED_UNTIL_ALL);
    }
    struct sip_message m;
    if (is_long) {
        hand_on_cut(c, v, end, why);
        c->length -= end;
        search_from(c, v->p[end - 1] == '\n');
        c->state = SIP_LONG;
    } else if (sip_parse(&m, (const char *)v->p, end, SIP_STREAM, false) == end) {
        after(c, &m);
        hand_on(c, v, &m, false);
    } else {
        assert(false); // the headers gave this length a moment ago
        search_from(c, true);
    }
    return carried_took(c, end);
}

// Passes over the rest of a message that is too long, by its length; a start line ends it before.
static bool in_rest(struct carried *c, const struct carried_view *v)
{
    bool whole = c->length <= v->n;
    uint32_t n = whole ? (uint32_t)c->length : v->n;
    enum carried_want found;
    uint32_t pass;
    enum carried_verdict verdict = carried_seek(c, v->p, n, CARRIED_WANT_SIP, whole, &found, &pass);
    if (verdict == CARRIED_MORE) {
        // What is left of the message may be less than what a start line may take.
        c->need = c->length < c->need ? (uint32_t)c->length : c->need;
        return false;
    }
    if (verdict == CARRIED_YES) {
        carried_sip_found(c, v->p, pass);
        return carried_took(c, 0);
    }
    c->length -= pass;
    c->odd[FLOW_TCP_SKIPPED] += pass;
    if (c->length == 0) {
        c->state = SIP_BORDER;
    }
    return carried_took(c, pass);
}

static bool search(struct carried *c, const struct carried_view *v)
{
    enum carried_want found;
    uint32_t pass;
    enum carried_verdict verdict =
        carried_seek(c, v->p, v->n, CARRIED_WANT_SIP, false, &found, &pass);
    if (verdict == CARRIED_YES) {
        carried_sip_found(c, v->p, pass);
        return carried_took(c, 0);
    }
    if (verdict == CARRIED_NO) {
        c->odd[FLOW_TCP_SKIPPED] += pass;
        return carried_took(c, pass);
    }
    return false;
}

bool carried_sip_step(struct carried *c, const struct carried_view *v)
{
    switch ((enum sip_state)c->state) {
    case SIP_BORDER:
        return at_border(c, v);
    case SIP_HEAD:
        return in_head(c, v);
    case SIP_BODY:
        return in_body(c, v);
    case SIP_LONG:
        return in_rest(c, v);
    case SIP_SEARCH:
        break;
    }
    return search(c, v);
}

void carried_sip_broken(struct carried *c, const struct carried_view *v, uint64_t gap)
{
    enum sip_state state = c->state;
    search_from(c, true);
    bool is_known = state == SIP_BODY || state == SIP_LONG;
    if (is_known && carried_skip_rest(c, v->n, c->length, gap)) {
        c->state = SIP_BORDER;
        if (c->skip > 0 && c->lies) {
            c->length = c->skip;
            c->skip = 0;
            c->state = SIP_LONG;
        }
    }
    if (v->n == 0) {
        return;
    }
    if (state == SIP_HEAD || state == SIP_BODY) {
        hand_on_cut(c, v, v->n, FLOW_MESSAGE_INCOMPLETE);
    } else if (state == SIP_BORDER && carried_is_crlf(v->p[0])) {
        carried_crlf_step(c, v, true);
    } else if (state == SIP_BORDER) {
        hand_on_cut(c, v, v->n, FLOW_MESSAGE_INCOMPLETE);
    } else if (state == SIP_SEARCH) {
        c->odd[FLOW_TCP_SKIPPED] += v->n;
    }
}
