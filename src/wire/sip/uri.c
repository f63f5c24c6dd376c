// Takes URIs and Via values apart (RFC 3261 19.1, 20.42; RFC 5118 for IPv6 references).
#include "wire/sip/chars.h"
#include "wire/sip/sip.h"
#include "wire/sip/value.h"

static bool read_port(struct slice text, uint16_t *port)
{
    uint64_t number = 0;
    if (!slice_u64(text, 65535, &number) || number == 0) {
        return false;
    }
    *port = (uint16_t)number;
    return true;
}

// "host", "host:port", "[v6]:port". Returns false where one of them makes no sense; what can be
// read is filled.
static bool read_host_port(struct slice text, struct slice *host, uint16_t *port)
{
    struct slice after;
    *port = 0;
    if (text.n > 0 && text.p[0] == '[') {
        size_t end = slice_find(text, ']');
        *host = slice_of(text.p + 1, end - 1);
        if (end == text.n) {
            return false;
        }
        after = slice_trim(slice_skip(text, end + 1));
    } else {
        size_t end = slice_find(text, ':');
        *host = slice_trim(slice_of(text.p, end));
        after = slice_skip(text, end);
    }
    if (after.n == 0) {
        return host->n > 0;
    }
    return after.p[0] == ':' && read_port(slice_trim(slice_skip(after, 1)), port) && host->n > 0;
}

static void read_user(struct slice info, struct sip_uri *out)
{
    size_t colon = slice_find(info, ':');
    out->user = slice_of(info.p, colon);
    if (colon < info.n) {
        out->password = slice_skip(info, colon + 1);
    }
}

bool sip_uri(struct slice text, struct sip_uri *out)
{
    *out = (struct sip_uri){0};
    text = slice_trim(text);
    size_t scheme = sip_scheme_length(text);
    if (scheme == 0) {
        return false;
    }
    out->scheme = slice_of(text.p, scheme);
    struct slice rest = slice_skip(text, scheme + 1);
    // The user part may hold ";" and "?", so it is cut off first (RFC 4475 3.1.1.13).
    size_t at = slice_find(rest, '@');
    bool has_user = at < rest.n;
    if (has_user) {
        read_user(slice_of(rest.p, at), out);
        rest = slice_skip(rest, at + 1);
    }
    size_t end = 0;
    while (end < rest.n && rest.p[end] != ';' && rest.p[end] != '?') {
        end++;
    }
    struct slice where = slice_of(rest.p, end);
    rest = slice_skip(rest, end);
    size_t question = slice_find(rest, '?');
    out->params = slice_of(rest.p, question);
    if (question < rest.n) {
        out->headers = slice_skip(rest, question + 1);
    }
    bool is_sip =
        slice_eq_nocase(out->scheme, SLICE("sip")) || slice_eq_nocase(out->scheme, SLICE("sips"));
    if (!is_sip && !has_user) {
        out->user = where; // tel:, urn: and all other schemes without a host
        return where.n > 0;
    }
    return read_host_port(where, &out->host, &out->port) && (!has_user || out->user.n > 0);
}

// The word behind the second slash. Returns the index behind it in `value`, 0 where it is no token.
static size_t read_transport(struct slice value, struct slice rest, struct sip_via *out)
{
    rest = slice_skip(rest, sip_chars_span(rest, SIP_CHAR_LWS));
    size_t word = sip_chars_span(rest, SIP_CHAR_TOKEN);
    out->transport = slice_of(rest.p, word);
    bool ends = word == rest.n || sip_char_is(rest.p[word], SIP_CHAR_LWS) || rest.p[word] == ';';
    return word > 0 && ends ? (size_t)(rest.p - value.p) + word : 0;
}

// "SIP / 2.0 / UDP": up to the end of the third word. Returns its length, 0 where there are no such
// three.
static size_t protocol_length(struct slice value, struct sip_via *out)
{
    struct slice name, version, rest;
    if (value.n > 8 && memcmp(value.p, "SIP/2.0/", 8) == 0) { // nearly always
        out->protocol = slice_of(value.p, 7);
        return read_transport(value, slice_skip(value, 8), out);
    }
    if (!slice_cut(value, '/', &name, &rest) || !slice_cut(rest, '/', &version, &rest)) {
        return 0;
    }
    name = slice_trim(name);
    version = slice_trim(version);
    out->protocol = slice_of(name.p, (size_t)(version.p + version.n - name.p));
    size_t length = read_transport(value, rest, out);
    return sip_is_token(name) && sip_is_token(version) ? length : 0;
}

static void read_via_params(struct sip_via *out)
{
    struct slice rest = out->params;
    struct slice name, value;
    while (sip_param_next(&rest, &name, &value)) {
        if (name.n == 6 && slice_eq_nocase(name, SLICE("branch"))) {
            out->branch = out->branch.n > 0 ? out->branch : value;
        } else if (name.n == 8 && slice_eq_nocase(name, SLICE("received"))) {
            out->received = out->received.n > 0 ? out->received : value;
        } else if (name.n == 5 && slice_eq_nocase(name, SLICE("rport"))) {
            out->has_rport = true;
        }
    }
    struct slice r = out->received;
    if (r.n >= 2 && r.p[0] == '[' && r.p[r.n - 1] == ']') {
        out->received = slice_of(r.p + 1, r.n - 2); // RFC 5118 4.5
    }
}

bool sip_via(struct slice value, struct sip_via *out)
{
    *out = (struct sip_via){0};
    value = slice_trim(value);
    size_t protocol = protocol_length(value, out);
    if (protocol == 0) {
        return false;
    }
    struct slice rest = slice_skip(value, protocol);
    size_t end = slice_find(rest, ';');
    out->params = slice_skip(rest, end);
    read_via_params(out);
    return read_host_port(slice_trim(slice_of(rest.p, end)), &out->host, &out->port);
}
