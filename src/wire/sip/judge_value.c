// Checks of numbers, warnings, dates, credentials and character sets against the grammar of RFC
// 3261 25.1.
#include "base/utf8.h"
#include "wire/sip/chars.h"
#include "wire/sip/judge.h"
#include "wire/sip/value.h"

bool sip_check_number(struct slice value, uint64_t max)
{
    uint64_t number = 0;
    return slice_u64(slice_trim(value), max, &number);
}

// "(" ... ")" with quoted pairs; comments inside comments are counted, not walked into.
static size_t comment_length(struct slice s)
{
    size_t depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\') {
            i++;
        } else if (s.p[i] == '(') {
            depth++;
        } else if (s.p[i] == ')' && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

bool sip_check_retry_after(struct slice value)
{
    value = slice_trim(value);
    size_t digits = sip_chars_span(value, SIP_CHAR_DIGIT);
    if (!sip_check_number(slice_of(value.p, digits), UINT32_MAX)) {
        return false;
    }
    value = slice_trim(slice_skip(value, digits));
    if (value.n > 0 && value.p[0] == '(') {
        size_t comment = comment_length(value);
        if (comment == 0) {
            return false;
        }
        value = slice_skip(value, comment);
    }
    return sip_check_params(value);
}

bool sip_check_contact_expires(struct slice value)
{
    struct slice one;
    while (sip_list_next(&value, &one)) {
        struct sip_name_addr address;
        bool found = false;
        sip_name_addr(one, &address);
        struct slice expires = sip_param(address.params, SLICE("expires"), &found);
        if (found && !sip_check_number(expires, UINT32_MAX)) {
            return false;
        }
    }
    return true;
}

// warn-code SP warn-agent SP warn-text: three digits, a host or token, a quoted string.
static bool warning_is_good(struct slice one)
{
    bool closed = false;
    size_t digits = sip_chars_span(one, SIP_CHAR_DIGIT);
    struct slice rest = slice_skip(one, digits);
    size_t blanks = sip_chars_span(rest, SIP_CHAR_LWS);
    if (digits != 3 || blanks == 0) {
        return false;
    }
    rest = slice_skip(rest, blanks);
    size_t agent = 0;
    while (agent < rest.n && !sip_char_is(rest.p[agent], SIP_CHAR_LWS) && rest.p[agent] != '"') {
        agent++;
    }
    rest = slice_trim(slice_skip(rest, agent));
    return agent > 0 && rest.n > 0 && rest.p[0] == '"' &&
           sip_skip_quoted(rest, 0, &closed) == rest.n && closed;
}

bool sip_check_warning(struct slice value)
{
    struct slice one;
    size_t count = 0;
    while (sip_list_next(&value, &one)) {
        if (!warning_is_good(one)) {
            return false;
        }
        count++;
    }
    return count > 0;
}

// Is s one of the names of three letters in `names`, which stand there one behind the other?
static bool is_one_of(struct slice s, const char *names)
{
    for (const char *at = names; *at; at += 3) {
        if (slice_eq(s, slice_of(at, 3))) {
            return true;
        }
    }
    return false;
}

static bool digits_at(const char *p, size_t n, uint64_t max)
{
    uint64_t number = 0;
    return slice_u64(slice_of(p, n), max, &number);
}

// "Sat, 13 Nov 2010 23:29:00 GMT": 29 bytes at fixed places (RFC 3261 20.17).
bool sip_check_date(struct slice value)
{
    const char *p = value.p;
    return value.n == 29 && is_one_of(slice_of(p, 3), "MonTueWedThuFriSatSun") &&
           memcmp(p + 3, ", ", 2) == 0 && digits_at(p + 5, 2, 31) && p[7] == ' ' &&
           is_one_of(slice_of(p + 8, 3), "JanFebMarAprMayJunJulAugSepOctNovDec") && p[11] == ' ' &&
           digits_at(p + 12, 4, 9999) && p[16] == ' ' && digits_at(p + 17, 2, 23) && p[19] == ':' &&
           digits_at(p + 20, 2, 59) && p[22] == ':' && digits_at(p + 23, 2, 60) &&
           memcmp(p + 25, " GMT", 4) == 0;
}

// token "=" ( token / quoted-string ); values of other bytes are let through where they are not
// quoted.
static bool auth_param_is_good(struct slice one)
{
    struct slice name, value;
    bool closed = false;
    if (!slice_cut(one, '=', &name, &value) || !sip_is_token(slice_trim(name))) {
        return false;
    }
    value = slice_trim(value);
    if (value.n > 0 && value.p[0] == '"') {
        return sip_skip_quoted(value, 0, &closed) == value.n && closed;
    }
    return value.n > 0 && slice_find(value, '"') == value.n;
}

bool sip_check_credentials(struct slice value)
{
    bool has_nonce = false;
    value = slice_trim(value);
    size_t scheme = sip_chars_span(value, SIP_CHAR_TOKEN);
    struct slice rest = slice_skip(value, scheme);
    if (scheme == 0 || (rest.n > 0 && !sip_char_is(rest.p[0], SIP_CHAR_LWS))) {
        return false;
    }
    if (!slice_eq_nocase(slice_of(value.p, scheme), SLICE("Digest"))) {
        return true;
    }
    struct slice one;
    while (sip_list_next(&rest, &one)) {
        if (!auth_param_is_good(one)) {
            return false;
        }
        size_t name = slice_find(one, '=');
        has_nonce |= slice_eq_nocase(slice_trim(slice_of(one.p, name)), SLICE("nonce"));
    }
    return has_nonce; // without it neither side can compute anything (RFC 7616 3.3, 3.4)
}

bool sip_check_utf8(struct slice text)
{
    size_t i = 0;
    while (i < text.n) {
        uint64_t eight = 0;
        if (text.n - i >= 8) {
            memcpy(&eight, text.p + i, 8);
            if ((eight & 0x8080808080808080u) == 0) {
                i += 8;
                continue;
            }
        }
        uint32_t code;
        i += utf8_next(text.p + i, text.n - i, &code);
        if (code == UTF8_INVALID) {
            return false;
        }
    }
    return true;
}

bool sip_check_controls(struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = (uint8_t)text.p[i];
        bool line_end = c == '\n' || (c == '\r' && (i + 1 == text.n || text.p[i + 1] == '\n'));
        if ((c < 0x20 || c == 0x7f) && c != '\t' && !line_end) {
            return false;
        }
    }
    return true;
}
