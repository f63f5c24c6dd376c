// Finds a body part by its type in multipart bodies (RFC 2046 5.1, RFC 5621).
//
// Walks without recursion: one frame for each open multipart. Line ends may be LF alone; a part
// whose end delimiter is missing ends with what holds it.
#include "wire/sip/chars.h"
#include "wire/sip/sip.h"

// Multiparts inside each other. Not smaller: SIP-I and SIPREC put a multipart/related into a
// multipart/mixed. Not larger: no sender does it, and each level is another pass over the bytes.
#define DEPTH_MAX 3

struct level {
    struct slice rest; // behind the delimiter line of the last part taken
    struct slice boundary;
};

struct part {
    struct slice type; // the value of Content-Type
    struct slice content;
};

enum delimiter {
    NO_DELIMITER,
    PART_DELIMITER,
    END_DELIMITER
};

static enum delimiter delimiter_of(struct slice line, struct slice boundary)
{
    if (line.n < boundary.n + 2 || line.p[0] != '-' || line.p[1] != '-' ||
        memcmp(line.p + 2, boundary.p, boundary.n) != 0) {
        return NO_DELIMITER;
    }
    struct slice tail = slice_skip(line, boundary.n + 2);
    bool ends = tail.n >= 2 && tail.p[0] == '-' && tail.p[1] == '-';
    tail = slice_skip(tail, ends ? 2 : 0);
    if (!sip_chars_are(tail, SIP_CHAR_LWS)) {
        return NO_DELIMITER;
    }
    return ends ? END_DELIMITER : PART_DELIMITER;
}

// Cuts the line end off that belongs to the delimiter.
static struct slice without_line_end(const char *from, const char *to)
{
    if (to > from && to[-1] == '\n') {
        to--;
        if (to > from && to[-1] == '\r') {
            to--;
        }
    }
    return slice_of(from, (size_t)(to - from));
}

// Everything up to the next delimiter; l->rest is behind that line then.
static struct slice take_until_delimiter(struct level *l, enum delimiter *kind)
{
    const char *from = l->rest.p;
    struct slice line = slice_of(from, 0);
    const char *at = from;
    while (slice_line(&l->rest, &line)) {
        *kind = delimiter_of(line, l->boundary);
        if (*kind != NO_DELIMITER) {
            return without_line_end(from, line.p);
        }
        at = l->rest.p;
    }
    *kind = END_DELIMITER;
    return slice_of(from, (size_t)(at - from));
}

// Splits a part into the value of its Content-Type and its content.
static void read_part(struct slice bytes, struct part *out)
{
    struct slice line;
    bool continues = false;
    *out = (struct part){.type = SLICE("text/plain")}; // RFC 2046 5.1
    while (slice_line(&bytes, &line) && line.n > 0) {
        struct slice name, value;
        if (sip_char_is(line.p[0], SIP_CHAR_BLANK)) {
            if (continues) {
                out->type.n = (size_t)(line.p + line.n - out->type.p);
            }
            continue;
        }
        bool has_colon = slice_cut(line, ':', &name, &value);
        continues = has_colon && sip_header_by_name(slice_trim(name)) == SIP_H_CONTENT_TYPE;
        if (continues) {
            out->type = value;
        }
    }
    out->type = slice_trim(out->type);
    out->content = bytes;
}

// Takes the next word of a media type, up to '/', ';' or the end, blanks around it cut.
static struct slice media_word(struct slice *rest)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] != '/' && rest->p[n] != ';') {
        n++;
    }
    struct slice word = slice_trim(slice_of(rest->p, n));
    *rest = slice_skip(*rest, n);
    return word;
}

static bool media_type_is(struct slice value, struct slice type)
{
    struct slice want, want_sub;
    slice_cut(type, '/', &want, &want_sub);
    if (!slice_eq_nocase(media_word(&value), want) || value.n == 0 || value.p[0] != '/') {
        return false;
    }
    value = slice_skip(value, 1);
    return slice_eq_nocase(media_word(&value), want_sub);
}

// The boundary of a multipart type; false where the type is no multipart or has none.
static bool boundary_of(struct slice type, struct slice *boundary)
{
    struct slice rest = type;
    bool found = false;
    if (!slice_eq_nocase(media_word(&rest), SLICE("multipart"))) {
        return false;
    }
    struct slice params = slice_skip(type, slice_find(type, ';'));
    *boundary = sip_param(params, SLICE("boundary"), &found);
    return found && boundary->n > 0;
}

static bool find_in_multipart(struct slice body, struct slice boundary, struct slice type,
                              struct slice *out)
{
    struct level levels[DEPTH_MAX];
    enum delimiter kind = NO_DELIMITER;
    int depth = 1;
    levels[0] = (struct level){body, boundary};
    take_until_delimiter(&levels[0], &kind); // the preamble
    bool more[DEPTH_MAX] = {kind == PART_DELIMITER};
    while (depth > 0) {
        struct level *l = &levels[depth - 1];
        struct part part;
        if (!more[depth - 1]) {
            depth--;
            continue;
        }
        read_part(take_until_delimiter(l, &kind), &part);
        more[depth - 1] = kind == PART_DELIMITER;
        if (media_type_is(part.type, type)) {
            *out = part.content;
            return true;
        }
        struct slice inner;
        if (depth < DEPTH_MAX && boundary_of(part.type, &inner)) {
            levels[depth] = (struct level){part.content, inner};
            take_until_delimiter(&levels[depth], &kind);
            more[depth++] = kind == PART_DELIMITER;
        }
    }
    return false;
}

bool sip_body_part(const struct sip_message *m, struct slice type, struct slice *out)
{
    struct slice value = sip_value(m, SIP_H_CONTENT_TYPE);
    struct slice boundary;
    *out = slice_of(NULL, 0);
    if (m->body.n == 0) {
        return false;
    }
    // A body without a type breaks RFC 3261 20.15; a session description says what it is by itself.
    bool is_sdp = value.n == 0 && m->body.n > 2 && memcmp(m->body.p, "v=", 2) == 0 &&
                  slice_eq_nocase(type, SLICE("application/sdp"));
    // Written as it is asked for, nearly always.
    if (is_sdp || slice_eq(value, type) || media_type_is(value, type)) {
        *out = m->body;
        return true;
    }
    return boundary_of(value, &boundary) && find_in_multipart(m->body, boundary, type, out);
}
