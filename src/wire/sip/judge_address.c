// Checks of URIs, addresses with parameters, and Via against the grammar of RFC 3261 25.1.
#include "wire/sip/chars.h"
#include "wire/sip/judge.h"
#include "wire/sip/value.h"

// Every "%" is followed by two hex digits.
static bool escapes_are_whole(struct slice s)
{
    size_t at = slice_find(s, '%');
    while (at < s.n) {
        if (s.n - at < 3 || !sip_char_is(s.p[at + 1], SIP_CHAR_HEX) ||
            !sip_char_is(s.p[at + 2], SIP_CHAR_HEX)) {
            return false;
        }
        s = slice_skip(s, at + 3);
        at = slice_find(s, '%');
    }
    return true;
}

// A name, an IPv4 address, or the inside of an IPv6 reference. Three colons before an IPv4 part are
// let through: the grammar of RFC 3261 made senders write them (RFC 5118 4.10).
static bool host_is_good(struct slice host)
{
    if (slice_find(host, ':') == host.n) {
        return host.n > 0 && sip_chars_are(host, SIP_CHAR_HOST);
    }
    for (size_t i = 0; i < host.n; i++) {
        if (!sip_char_is(host.p[i], SIP_CHAR_HEX) && host.p[i] != ':' && host.p[i] != '.') {
            return false;
        }
    }
    return true;
}

static bool scheme_is_known(struct slice scheme)
{
    static const struct slice KNOWN[] = {{"sip", 3},  {"sips", 4}, {"tel", 3},    {"urn", 3},
                                         {"im", 2},   {"pres", 4}, {"mailto", 6}, {"fax", 3},
                                         {"h323", 4}, {"cid", 3},  {"modem", 5}};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        if (slice_eq_nocase(scheme, KNOWN[i])) {
            return true;
        }
    }
    return false;
}

enum sip_uri_verdict sip_check_uri(struct slice text, bool headers_allowed)
{
    struct sip_uri uri;
    if (!sip_chars_are(text, SIP_CHAR_URI) || !escapes_are_whole(text)) {
        return SIP_URI_BAD;
    }
    bool good = sip_uri(text, &uri);
    if (!scheme_is_known(uri.scheme)) {
        return uri.scheme.n > 0 ? SIP_URI_UNKNOWN_SCHEME : SIP_URI_BAD;
    }
    if (slice_eq_nocase(uri.scheme, SLICE("sip")) || slice_eq_nocase(uri.scheme, SLICE("sips"))) {
        good = good && host_is_good(uri.host) && sip_chars_are(uri.user, SIP_CHAR_USER) &&
               sip_chars_are(uri.password, SIP_CHAR_USER) &&
               (uri.headers.n == 0 || headers_allowed);
    }
    return good ? SIP_URI_GOOD : SIP_URI_BAD;
}

// token [ "=" ( token / host / quoted-string ) ]. Unquoted values may hold what senders put there
// (":", "/", "@").
static bool param_is_good(struct slice param)
{
    struct slice name, value;
    bool closed = false;
    bool has_value = slice_cut(param, '=', &name, &value);
    value = slice_trim(value);
    if (!sip_is_token(slice_trim(name))) {
        return false;
    }
    if (!has_value) {
        return true;
    }
    if (value.n > 0 && value.p[0] == '"') {
        return sip_skip_quoted(value, 0, &closed) == value.n && closed;
    }
    for (size_t i = 0; i < value.n; i++) {
        char c = value.p[i];
        if (c == '"' || c == '<' || c == '>' || c == ',' || sip_char_is(c, SIP_CHAR_LWS)) {
            return false;
        }
    }
    return value.n > 0;
}

bool sip_check_params(struct slice params)
{
    params = slice_trim(params);
    if (params.n > 0 && params.p[0] != ';') {
        return false;
    }
    while (params.n > 0) {
        params = slice_skip(params, 1);
        size_t end = sip_find_bare(params, ';', false);
        struct slice one = slice_trim(slice_of(params.p, end));
        if (!param_is_good(one)) {
            return false;
        }
        params = slice_skip(params, end);
    }
    return true;
}

// display-name: one quoted string, or tokens with blanks between them (baddn of RFC 4475 3.1.2.15
// has a comma).
static bool display_is_good(struct slice text)
{
    bool closed = false;
    text = slice_trim(text);
    if (text.n > 0 && text.p[0] == '"') {
        return sip_skip_quoted(text, 0, &closed) == text.n && closed;
    }
    return sip_chars_are(text, SIP_CHAR_TOKEN | SIP_CHAR_LWS);
}

// Index of the "<" that begins the URI, behind a quoted display name; value.n where there is none.
static size_t find_bracket(struct slice value)
{
    bool closed = false;
    size_t from = value.n > 0 && value.p[0] == '"' ? sip_skip_quoted(value, 0, &closed) : 0;
    return from + slice_find(slice_skip(value, from), '<');
}

bool sip_check_address(struct slice value, bool *unknown_scheme)
{
    struct slice uri, params;
    bool good = true;
    bool bracketed = false;
    value = slice_trim(value);
    size_t at = find_bracket(value);
    if (at < value.n) {
        struct slice rest = slice_skip(value, at + 1);
        size_t end = slice_find(rest, '>');
        good = end < rest.n && display_is_good(slice_of(value.p, at));
        bracketed = true;
        uri = slice_of(rest.p, end); // blanks inside the brackets are for sip_check_uri to refuse
        params = slice_skip(rest, end < rest.n ? end + 1 : end);
    } else {
        // Without brackets a "?" or "," may not stand in the URI, and ";" ends it (RFC 3261 20).
        size_t end = slice_find(value, ';');
        uri = slice_trim(slice_of(value.p, end));
        params = slice_skip(value, end);
        good = slice_find(uri, ',') == uri.n;
    }
    enum sip_uri_verdict verdict = sip_check_uri(uri, bracketed);
    *unknown_scheme |= verdict == SIP_URI_UNKNOWN_SCHEME;
    return good && verdict != SIP_URI_BAD && sip_check_params(params);
}

bool sip_check_contact(struct slice value, bool *unknown_scheme)
{
    value = slice_trim(value);
    if (slice_eq(value, SLICE("*"))) {
        return true;
    }
    bool more = true;
    while (more) {
        size_t end = sip_find_bare(value, ',', true);
        if (!sip_check_address(slice_of(value.p, end), unknown_scheme)) {
            return false;
        }
        more = end < value.n;
        value = slice_skip(value, more ? end + 1 : end);
    }
    return true;
}

static bool via_is_good(struct slice value, struct slice *branch)
{
    struct sip_via via;
    bool good = sip_via(value, &via);
    *branch = via.branch;
    return good && host_is_good(via.host) && sip_check_params(via.params);
}

bool sip_check_via(struct slice value, struct slice *branch)
{
    bool first = true;
    bool more = true;
    bool good = true;
    while (more) {
        struct slice other;
        size_t end = sip_find_bare(value, ',', false);
        good &= via_is_good(slice_of(value.p, end), first ? branch : &other);
        first = false;
        more = end < value.n;
        value = slice_skip(value, more ? end + 1 : end);
    }
    return good;
}
