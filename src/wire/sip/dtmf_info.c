// Reads the digit in the body of an INFO request.
#include "wire/sip/dtmf_info.h"

#include "wire/rtp/rtp.h"

#define EVENT_BYTES 4

static bool is_text(struct slice body)
{
    for (size_t i = 0; i < body.n; i++) {
        if (!ascii_is_blank(body.p[i]) && (body.p[i] < '!' || body.p[i] > '~')) {
            return false;
        }
    }
    return true;
}

static char of_value(struct slice value)
{
    uint64_t event;
    if (value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"') {
        value = slice_trim(slice_of(value.p + 1, value.n - 2));
    }
    if (slice_u64(value, UINT8_MAX, &event)) {
        return dtmf_digit((uint8_t)event);
    }
    char c = value.n == 1 ? value.p[0] : '\0';
    c = c >= 'a' && c <= 'd' ? (char)(c - 'a' + 'A') : c;
    if (c == '*' || c == '#' || c == '!' || (c >= 'A' && c <= 'D')) {
        return c;
    }
    bool is_flash = slice_eq_nocase(value, SLICE("flash")) || slice_eq_nocase(value, SLICE("hf")) ||
                    slice_eq_nocase(value, SLICE("hookflash"));
    return is_flash ? '!' : '\0';
}

static bool names_digit(struct slice name)
{
    return slice_eq_nocase(name, SLICE("signal")) || slice_eq_nocase(name, SLICE("digit")) ||
           slice_eq_nocase(name, SLICE("d"));
}

char dtmf_info_digit(struct slice body)
{
    struct slice line, rest = body, name, value;
    if (body.n == EVENT_BYTES && !is_text(body)) {
        return dtmf_digit((uint8_t)body.p[0]);
    }
    while (slice_line(&rest, &line)) {
        bool found = slice_cut(line, '=', &name, &value) || slice_cut(line, ':', &name, &value);
        if (found && names_digit(slice_trim(name))) {
            return of_value(slice_trim(value));
        }
    }
    return of_value(slice_trim(body));
}
