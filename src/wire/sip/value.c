// Decodes header values on demand: lists, parameters, addresses, CSeq. Nothing is copied but by
// sip_unfold.
#include "wire/sip/value.h"
#include "wire/sip/chars.h"
#include "wire/sip/sip.h"

struct slice sip_value(const struct sip_message *m, enum sip_header_id id)
{
    int at = id == SIP_H_OTHER ? sip_next(m, id, -1) : m->first[id];
    return at < 0 ? slice_of(NULL, 0) : m->headers[at].value;
}

int sip_next(const struct sip_message *m, enum sip_header_id id, int at)
{
    int i = at < 0 && id != SIP_H_OTHER ? m->first[id] : at + 1;
    if (i < 0) {
        return -1;
    }
    for (; i < (int)m->header_count; i++) {
        if (m->headers[i].id == id) {
            return i;
        }
    }
    return -1;
}

bool sip_header_is_cut(const struct sip_message *m, int i)
{
    return sip_is_odd(m, SIP_ODD_TRUNCATED) && i + 1 == (int)m->header_count &&
           m->head.p[m->head.n - 1] != '\n';
}

size_t sip_skip_quoted(struct slice s, size_t at, bool *closed)
{
    *closed = false;
    for (at++; at < s.n; at++) {
        if (s.p[at] == '\\') {
            at++;
        } else if (s.p[at] == '"') {
            *closed = true;
            return at + 1;
        }
    }
    return s.n;
}

// The way for values that have quotes or brackets before the first `stop`.
static size_t find_bare_slowly(struct slice s, char stop, bool brackets)
{
    size_t i = 0;
    bool inside = false;
    bool closed = false;
    while (i < s.n) {
        char c = s.p[i];
        if (c == '"' && !inside) {
            i = sip_skip_quoted(s, i, &closed);
            continue;
        }
        if (!inside && c == stop) {
            return i;
        }
        if (brackets && (c == '<' || c == '>')) {
            inside = c == '<';
        }
        i++;
    }
    return s.n;
}

size_t sip_find_bare(struct slice s, char stop, bool brackets)
{
    size_t at = slice_find(s, stop);
    if (at == s.n) {
        return at;
    }
    struct slice before = slice_of(s.p, at);
    if (slice_find(before, '"') == at && (!brackets || slice_find(before, '<') == at)) {
        return at;
    }
    return find_bare_slowly(s, stop, brackets);
}

bool sip_list_next(struct slice *rest, struct slice *value)
{
    while (rest->n > 0) {
        size_t at = sip_find_bare(*rest, ',', true);
        struct slice one = slice_trim(slice_of(rest->p, at));
        *rest = slice_skip(*rest, at < rest->n ? at + 1 : at);
        if (one.n > 0) {
            *value = one;
            return true;
        }
    }
    *value = slice_of(rest->p, 0);
    return false;
}

size_t sip_unfold(struct slice value, char *out, size_t size)
{
    size_t used = 0;
    size_t i = 0;
    while (i < value.n && used < size) {
        size_t lws = sip_chars_span(slice_skip(value, i), SIP_CHAR_LWS);
        bool fold = lws > 0 && memchr(value.p + i, '\n', lws) != NULL;
        if (fold) {
            out[used++] = ' ';
            i += lws;
        } else if (lws > 0) {
            size_t copied = lws < size - used ? lws : size - used;
            memcpy(out + used, value.p + i, copied);
            used += copied;
            i += lws;
        } else {
            out[used++] = value.p[i++];
        }
    }
    return used;
}

// Cuts one pair of quotes off.
static struct slice unquote(struct slice s)
{
    if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"') {
        return slice_of(s.p + 1, s.n - 2);
    }
    return s;
}

bool sip_param_next(struct slice *params, struct slice *name, struct slice *value)
{
    struct slice p = *params;
    size_t equals = p.n;
    size_t i = 0;
    bool closed = false;
    if (p.n == 0) {
        return false;
    }
    while (i < p.n && p.p[i] != ';') {
        if (p.p[i] == '"') {
            i = sip_skip_quoted(p, i, &closed);
            continue;
        }
        equals = p.p[i] == '=' && equals == p.n ? i : equals;
        i++;
    }
    bool has_value = equals < i;
    *name = slice_trim(slice_of(p.p, has_value ? equals : i));
    *value = has_value ? unquote(slice_trim(slice_of(p.p + equals + 1, i - equals - 1)))
                       : slice_of(p.p, 0);
    *params = slice_skip(p, i < p.n ? i + 1 : i);
    return true;
}

struct slice sip_param(struct slice params, struct slice name, bool *found)
{
    struct slice key, value;
    while (sip_param_next(&params, &key, &value)) {
        if (key.n == name.n && slice_eq_nocase(key, name)) {
            *found = true;
            return value;
        }
    }
    *found = false;
    return slice_of(NULL, 0);
}

size_t sip_scheme_length(struct slice text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] != ':') {
        char c = ascii_lower(text.p[n]);
        bool letter = c >= 'a' && c <= 'z';
        bool other = sip_char_is(c, SIP_CHAR_DIGIT) || c == '+' || c == '-' || c == '.';
        if (!letter && (n == 0 || !other)) {
            return 0;
        }
        n++;
    }
    return n < text.n ? n : 0;
}

// addr-spec without brackets: what follows a ";" belongs to the header (RFC 3261 20.10).
static void read_bare(struct slice value, struct sip_name_addr *out)
{
    size_t end = slice_find(value, ';');
    out->uri = slice_trim(slice_of(value.p, end));
    out->params = slice_skip(value, end);
}

static void read_bracketed(struct slice value, size_t at, struct sip_name_addr *out)
{
    struct slice rest = slice_skip(value, at + 1);
    size_t end = slice_find(rest, '>');
    out->uri = slice_trim(slice_of(rest.p, end));
    out->params = end < rest.n ? slice_trim(slice_skip(rest, end + 1)) : slice_skip(rest, end);
    if (out->display.p == NULL) {
        out->display = slice_trim(slice_of(value.p, at));
    }
}

bool sip_name_addr(struct slice value, struct sip_name_addr *out)
{
    bool found = false;
    *out = (struct sip_name_addr){0};
    value = slice_trim(value);
    size_t from = 0;
    if (value.n > 0 && value.p[0] == '"') {
        bool closed = false;
        from = sip_skip_quoted(value, 0, &closed);
        size_t bracket = from + slice_find(slice_skip(value, from), '<');
        if (closed && bracket < value.n) {
            out->display = slice_of(value.p + 1, from - 2);
        } else {
            from = 0; // the end quote is missing: take the bracket wherever it is
        }
    }
    size_t bracket = from + slice_find(slice_skip(value, from), '<');
    if (bracket < value.n) {
        read_bracketed(value, bracket, out);
    } else {
        read_bare(value, out);
    }
    out->tag = sip_param(out->params, SLICE("tag"), &found);
    return sip_scheme_length(out->uri) > 0;
}

// "314 INVITE": up to nine digits, one blank, a token. False says nothing.
static bool is_usual_cseq(struct slice value, struct sip_cseq *out)
{
    uint64_t number = 0;
    size_t i = 0;
    while (i < value.n && i < 9 && sip_char_is(value.p[i], SIP_CHAR_DIGIT)) {
        number = number * 10 + (uint64_t)(value.p[i++] - '0');
    }
    if (i == 0 || i + 1 >= value.n || value.p[i] != ' ') {
        return false;
    }
    *out = (struct sip_cseq){number, slice_skip(value, i + 1)};
    return !ascii_is_blank(value.p[i + 1]) && !ascii_is_blank(value.p[value.n - 1]);
}

bool sip_cseq(struct slice value, struct sip_cseq *out)
{
    if (is_usual_cseq(value, out)) {
        return true;
    }
    value = slice_trim(value);
    size_t digits = sip_chars_span(value, SIP_CHAR_DIGIT);
    *out = (struct sip_cseq){0};
    if (!slice_u64(slice_of(value.p, digits), UINT64_MAX, &out->number) && digits > 0) {
        out->number = UINT64_MAX; // more digits than any counter has
    }
    struct slice rest = slice_skip(value, digits);
    size_t blanks = sip_chars_span(rest, SIP_CHAR_LWS);
    bool is_number = digits > 0 && (blanks > 0 || rest.n == 0);
    if (!is_number) {
        out->number = 0;
        size_t word = 0; // "abc INVITE": the method is the second word where there are two
        while (word < rest.n && !sip_char_is(rest.p[word], SIP_CHAR_LWS)) {
            word++;
        }
        struct slice tail = slice_trim(slice_skip(rest, word));
        out->method = tail.n > 0 ? tail : slice_trim(rest);
        return false;
    }
    out->method = slice_trim(rest);
    return true;
}
