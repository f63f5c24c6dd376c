// Decodes the header values that tie a dialog to others.
#include "wire/sip/links.h"
#include "wire/sip/chars.h"
#include "wire/sip/value.h"

// -1: none
static int hex_digit(char c)
{
    char lower = ascii_lower(c);
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// 32 hexadecimal digits, perhaps with dashes between them. Returns false where it is anything else.
static bool uuid(struct slice text, uint8_t out[SIP_UUID_BYTES])
{
    size_t digits = 0;
    for (size_t i = 0; i < text.n; i++) {
        int digit = hex_digit(text.p[i]);
        if (text.p[i] == '-' && digits > 0) {
            continue;
        }
        if (digit < 0 || digits == 2 * SIP_UUID_BYTES) {
            return false;
        }
        uint8_t *at = &out[digits / 2];
        *at = (uint8_t)(digits % 2 == 0 ? digit << 4 : *at | digit);
        digits++;
    }
    return digits == 2 * SIP_UUID_BYTES;
}

static bool is_nil(const uint8_t id[SIP_UUID_BYTES])
{
    uint8_t all = 0;
    for (int i = 0; i < SIP_UUID_BYTES; i++) {
        all |= id[i];
    }
    return all == 0;
}

bool sip_session_id(struct slice value, struct sip_session_id *out)
{
    struct slice local, params;
    bool found = false;
    *out = (struct sip_session_id){0};
    slice_cut(value, ';', &local, &params);
    if (!uuid(slice_trim(local), out->local)) {
        *out = (struct sip_session_id){0};
        return false;
    }
    if (!uuid(sip_param(params, SLICE("remote"), &found), out->remote)) {
        memset(out->remote, 0, sizeof out->remote);
    }
    out->has_local = !is_nil(out->local);
    out->has_remote = !is_nil(out->remote);
    return true;
}

bool sip_dialog_name(struct slice value, struct sip_dialog_name *out)
{
    struct slice call_id, params, name, text;
    *out = (struct sip_dialog_name){0};
    slice_cut(value, ';', &call_id, &params);
    out->call_id = slice_trim(call_id);
    while (sip_param_next(&params, &name, &text)) {
        if (name.n == 6 && slice_eq_nocase(name, SLICE("to-tag"))) {
            out->to_tag = out->to_tag.n > 0 ? out->to_tag : text;
        } else if (name.n == 8 && slice_eq_nocase(name, SLICE("from-tag"))) {
            out->from_tag = out->from_tag.n > 0 ? out->from_tag : text;
        }
    }
    return out->call_id.n > 0;
}

bool sip_diversion_next(struct slice *rest, struct slice *uri)
{
    struct slice value, headers;
    struct sip_name_addr a;
    while (sip_list_next(rest, &value)) {
        if (sip_name_addr(value, &a)) {
            slice_cut(a.uri, '?', uri, &headers);
            return true;
        }
    }
    *uri = slice_of(NULL, 0);
    return false;
}

// "%40" is one byte; a "%" without two digits stands for itself.
static size_t unescape(struct slice text, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < text.n; i++) {
        int high = text.p[i] == '%' && i + 2 < text.n ? hex_digit(text.p[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text.p[i + 2]) : -1;
        if (used == room) {
            return 0;
        }
        out[used++] = low >= 0 ? (char)(high << 4 | low) : text.p[i];
        i += low >= 0 ? 2 : 0;
    }
    return used;
}

size_t sip_uri_header(struct slice headers, struct slice name, char *out, size_t room)
{
    struct slice one, key, value;
    while (headers.n > 0) {
        slice_cut(headers, '&', &one, &headers);
        slice_cut(one, '=', &key, &value);
        if (slice_eq_nocase(slice_trim(key), name)) {
            return unescape(value, out, room);
        }
    }
    return 0;
}

size_t sip_number(struct slice user, char digits[SIP_NUMBER_DIGITS_MAX])
{
    struct slice number, params;
    size_t n = 0;
    slice_cut(user, ';', &number, &params);
    for (size_t i = 0; i < number.n; i++) {
        char c = number.p[i];
        if (sip_char_is(c, SIP_CHAR_DIGIT)) {
            if (n == SIP_NUMBER_DIGITS_MAX) {
                return 0;
            }
            digits[n++] = c;
        } else if (!(c == '-' || c == '.' || c == '(' || c == ')' || (c == '+' && i == 0))) {
            return 0;
        }
    }
    return n;
}
