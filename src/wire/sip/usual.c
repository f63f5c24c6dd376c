// Walks over values of the usual shape: runs of characters, and what must stand between them.
//
// `at` is at most `end` behind every run, and few single bytes stand between two runs, so that no
// byte further than SIP_SPAN_ROOM behind the end is read; a value is taken only where the walk ends
// at its end.
#include "wire/sip/usual.h"

#include "base/bytes.h"
#include "wire/sip/span.h"

static bool has_room(struct slice value, const char *bytes_end)
{
    return value.n > 0 && bytes_end - (value.p + value.n) >= SIP_SPAN_ROOM;
}

static uint32_t four(const char *p)
{
    return le32((const uint8_t *)p);
}

// ":5060", one to five digits; nothing is a port too.
static bool take_port(const char **at)
{
    const char *p = *at;
    if (*p != ':') {
        return true;
    }
    const char *first = ++p;
    uint32_t port = 0;
    for (unsigned digit = (uint8_t)*p - '0'; digit <= 9 && p < first + 5;
         digit = (uint8_t)*p - '0') {
        port = port * 10 + digit;
        p++;
    }
    *at = p;
    return port - 1 < 65535;
}

static bool take_host_port(const char **at, const char *end)
{
    const char *first = *at;
    if (*first == '[') {
        first = ++*at;
        if (!sip_span(at, end, &SIP_SET_IPV6) || *at == first || **at != ']') {
            return false;
        }
        ++*at;
    } else if (!sip_span(at, end, &SIP_SET_HOST) || *at == first) {
        return false;
    }
    return take_port(at);
}

static bool take_uri(const char **at, const char *end)
{
    static const char SCHEME[4] = {'s', 'i', 'p', ':'};
    if (four(*at) != four(SCHEME)) {
        return false;
    }
    const char *first = *at += 4;
    if (!sip_span(at, end, &SIP_SET_USER)) {
        return false;
    }
    bool has_user = **at == '@' && *at > first;
    *at = has_user ? *at + 1 : first;
    if (!take_host_port(at, end)) {
        return false;
    }
    return **at != ';' || sip_span(at, end, &SIP_SET_URI_PARAMS);
}

// Names are tokens: 0x20 makes no other byte of a token one of these letters.
static void keep_param(struct sip_usual *out, const char *name, size_t n, struct slice value)
{
    const uint32_t lower = 0x20202020;
    if (n == 3 && ((four(name) | lower) & 0xffffff) == (four("tag") & 0xffffff)) {
        out->tag = out->tag.p ? out->tag : value;
    } else if (n == 6 && (four(name) | lower) == four("branch") &&
               (four(name + 2) | lower) == four("anch")) {
        out->branch = out->branch.n > 0 ? out->branch : value;
    } else if (n == 7 && (four(name) | lower) == four("expi") &&
               (four(name + 3) | lower) == four("ires")) {
        out->expires = out->expires.p ? out->expires : value;
    }
}

static bool take_quoted(const char **at, const char *end, struct slice *inside)
{
    const char *first = ++*at;
    if (!sip_span_quoted(at, end) || **at != '"') {
        return false;
    }
    *inside = slice_of(first, (size_t)(*at - first));
    ++*at;
    return true;
}

// All parameters up to the end.
static bool take_params(const char *at, const char *end, struct sip_usual *out)
{
    while (at != end) {
        const char *name = at + 1;
        if (*at != ';') {
            return false;
        }
        at = name;
        if (!sip_span(&at, end, &SIP_SET_TOKEN) || at == name) {
            return false;
        }
        size_t name_n = (size_t)(at - name);
        struct slice value = slice_of(name, 0);
        if (*at == '=' && at[1] == '"') {
            at++;
            if (!take_quoted(&at, end, &value)) {
                return false;
            }
        } else if (*at == '=') {
            value.p = ++at;
            if (!sip_span(&at, end, &SIP_SET_VALUE) || at == value.p) {
                return false;
            }
            value.n = (size_t)(at - value.p);
        }
        keep_param(out, name, name_n, value);
    }
    return true;
}

// A display name, up to the bracket.
static bool take_display(const char **at, const char *end)
{
    struct slice text;
    if (**at == '"') {
        if (!take_quoted(at, end, &text)) {
            return false;
        }
        *at += **at == ' ';
    } else if (**at != '<' && !sip_span(at, end, &SIP_SET_WORDS)) {
        return false;
    }
    return **at == '<';
}

bool sip_usual_address(struct slice value, const char *bytes_end, struct sip_usual *out)
{
    *out = (struct sip_usual){0};
    if (!has_room(value, bytes_end)) {
        return false;
    }
    const char *at = value.p;
    const char *end = value.p + value.n;
    if (!take_display(&at, end)) {
        return false;
    }
    const char *uri = ++at;
    if (at > end || !take_uri(&at, end) || *at != '>') {
        return false;
    }
    out->uri = slice_of(uri, (size_t)(at - uri));
    return take_params(at + 1, end, out);
}

bool sip_usual_via(struct slice value, const char *bytes_end, struct sip_usual *out)
{
    static const char PROTOCOL[8] = {'S', 'I', 'P', '/', '2', '.', '0', '/'};
    *out = (struct sip_usual){0};
    if (!has_room(value, bytes_end)) {
        return false;
    }
    const char *at = value.p;
    const char *end = value.p + value.n;
    if (le64((const uint8_t *)at) != le64((const uint8_t *)PROTOCOL)) {
        return false;
    }
    const char *transport = at += 8;
    if (!sip_span(&at, end, &SIP_SET_TOKEN) || at == transport || *at != ' ') {
        return false;
    }
    at++;
    return take_host_port(&at, end) && take_params(at, end, out);
}

bool sip_usual_uri(struct slice uri, const char *bytes_end)
{
    if (!has_room(uri, bytes_end)) {
        return false;
    }
    const char *at = uri.p;
    const char *end = uri.p + uri.n;
    return take_uri(&at, end) && at == end;
}

bool sip_usual_start_line(struct slice line)
{
    return line.n >= 8 + 2 && line.p[line.n - 2] == '\r' && line.p[line.n - 1] == '\n' &&
           sip_is_visible(line.p, line.n - 2);
}
