// The numbers and fields that all reports of endpoints are made of.
#include "wire/sip/media_report.h"

#include <math.h>

// Digits of a number that are believed. Not smaller: counters of long calls, and fractions as
// floating-point numbers are printed. Not larger: 18 digits fit 64 bits.
#define DIGITS_MAX 18

void media_report_init(struct media_report *r)
{
    *r = (struct media_report){
        .ssrc = -1,
        .packets_sent = -1,
        .packets_received = -1,
        .packets_lost = -1,
        .loss_percent = NAN,
        .discard_percent = NAN,
        .jitter_ms = NAN,
        .round_trip_ms = NAN,
        .one_way_ms = NAN,
        .end_system_ms = NAN,
        .mos_lq = NAN,
        .mos_cq = NAN,
        .r_factor = NAN,
    };
}

double media_report_measure(struct slice text, double min, double max)
{
    bool negative = text.n > 0 && text.p[0] == '-';
    double value = 0, unit = 1;
    size_t digits = 0;
    bool has_point = false;
    for (size_t i = negative; i < text.n; i++) {
        char c = text.p[i];
        if (c == '.' && !has_point) {
            has_point = true;
        } else if (c >= '0' && c <= '9' && digits < DIGITS_MAX) {
            value = value * 10 + (c - '0');
            unit = has_point ? unit * 10 : unit;
            digits++;
        } else {
            return NAN;
        }
    }
    value = (negative ? -value : value) / unit;
    return digits > 0 && value >= min && value <= max ? value : NAN;
}

int64_t media_report_count(struct slice text)
{
    int64_t value = 0;
    size_t i = 0;
    for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++) {
        if (i == DIGITS_MAX) {
            return -1;
        }
        value = value * 10 + (text.p[i] - '0');
    }
    bool ends = i == text.n || text.p[i] == ',' || text.p[i] == '/';
    return i > 0 && ends ? value : -1;
}

bool media_report_next(struct slice *rest, const char *ends, struct slice *name,
                       struct slice *value)
{
    size_t end = 0, equals = rest->n;
    bool quoted = false;
    if (rest->n == 0) {
        return false;
    }
    for (; end < rest->n; end++) {
        char c = rest->p[end];
        if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && c != '\0' && strchr(ends, c)) {
            break;
        } else if (c == '=' && equals == rest->n && !quoted) {
            equals = end;
        }
    }
    bool has_value = equals < end;
    *name = slice_trim(slice_of(rest->p, has_value ? equals : end));
    *value = has_value ? slice_trim(slice_of(rest->p + equals + 1, end - equals - 1))
                       : slice_of(rest->p, 0);
    if (value->n >= 2 && value->p[0] == '"' && value->p[value->n - 1] == '"') {
        *value = slice_of(value->p + 1, value->n - 2);
    }
    *rest = slice_skip(*rest, end < rest->n ? end + 1 : end);
    return true;
}
