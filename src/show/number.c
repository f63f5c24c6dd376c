// Numbers, times and sizes as text.
#include "show/number.h"

#include <string.h>

#define NS_PER_S 1000000000

static const char PAIRS[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

static const int64_t POWERS[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
};

size_t number_u64(char *out, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    while (value >= 100) {
        at -= 2;
        memcpy(digits + at, PAIRS + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, PAIRS + value * 2, 2);
    } else {
        digits[--at] = (char)('0' + value);
    }
    memcpy(out, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

// Of INT64_MIN too, whose negative does not exist as int64_t.
static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

size_t number_i64(char *out, int64_t value)
{
    size_t n = 0;
    if (value < 0) {
        out[n++] = '-';
    }
    return n + number_u64(out + n, magnitude(value));
}

// Exactly `width` digits, zeros in front.
static void padded(char *out, uint64_t value, unsigned width)
{
    while (width >= 2) {
        width -= 2;
        memcpy(out + width, PAIRS + value % 100 * 2, 2);
        value /= 100;
    }
    if (width == 1) {
        out[0] = (char)('0' + value % 10);
    }
}

size_t number_fixed(char *out, int64_t scaled, unsigned digits, bool trim)
{
    uint64_t all = magnitude(scaled), power = (uint64_t)POWERS[digits];
    size_t n = 0;
    if (scaled < 0) {
        out[n++] = '-';
    }
    n += number_u64(out + n, all / power);
    uint64_t fraction = all % power;
    if (digits == 0 || (trim && fraction == 0)) {
        return n;
    }
    out[n] = '.';
    padded(out + n + 1, fraction, digits);
    n += 1 + digits;
    while (trim && out[n - 1] == '0') {
        n--;
    }
    return n;
}

size_t number_decimal(char *out, double value, unsigned digits, bool trim)
{
    const double bound = 9.2e18;
    double scaled = value * (double)POWERS[digits];
    if (value != value || value - value != 0) { // NaN, infinity
        return 0;
    }
    scaled = scaled > bound ? bound : scaled < -bound ? -bound : scaled;
    int64_t whole = (int64_t)scaled;
    double rest = scaled - (double)whole;
    if (rest >= 0.5) {
        whole++;
    } else if (rest <= -0.5) {
        whole--;
    }
    return number_fixed(out, whole, digits, trim);
}

size_t number_ms(char *out, int64_t ns)
{
    return number_fixed(out, ns, NUMBER_MS_DIGITS, true);
}

// --- times ---

struct civil {
    int64_t year;
    unsigned month, day, hour, minute, second, ns;
};

// The proleptic Gregorian calendar counted in eras of 400 years that begin on 1 March, so that the
// leap day is the last day of a year and months have a linear formula.
static struct civil civil_from_ns(int64_t ns)
{
    int64_t seconds = ns / NS_PER_S, fraction = ns % NS_PER_S;
    if (fraction < 0) {
        fraction += NS_PER_S;
        seconds--;
    }
    int64_t days = seconds / 86400, in_day = seconds % 86400;
    if (in_day < 0) {
        in_day += 86400;
        days--;
    }
    int64_t since = days + 719468; // from 1 March of year 0 to 1970
    int64_t era = (since >= 0 ? since : since - 146096) / 146097;
    unsigned day_of_era = (unsigned)(since - era * 146097);
    unsigned year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned month_from_march = (5 * day_of_year + 2) / 153;
    struct civil c;
    c.day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    c.month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    c.year = (int64_t)year_of_era + era * 400 + (c.month <= 2);
    c.hour = (unsigned)(in_day / 3600);
    c.minute = (unsigned)(in_day / 60 % 60);
    c.second = (unsigned)(in_day % 60);
    c.ns = (unsigned)fraction;
    return c;
}

static size_t date_of(char *out, const struct civil *c)
{
    padded(out, (uint64_t)c->year, 4); // 1677 to 2262: always four digits
    out[4] = '-';
    padded(out + 5, c->month, 2);
    out[7] = '-';
    padded(out + 8, c->day, 2);
    return 10;
}

static size_t clock_of(char *out, const struct civil *c)
{
    padded(out, c->hour, 2);
    out[2] = ':';
    padded(out + 3, c->minute, 2);
    out[5] = ':';
    padded(out + 6, c->second, 2);
    out[8] = '.';
    return 9;
}

size_t number_time(char *out, int64_t ns)
{
    struct civil c = civil_from_ns(ns);
    size_t n = date_of(out, &c);
    out[n++] = 'T';
    n += clock_of(out + n, &c);
    padded(out + n, c.ns, 9);
    out[n + 9] = 'Z';
    return n + 10;
}

size_t number_date(char *out, int64_t ns)
{
    struct civil c = civil_from_ns(ns);
    return date_of(out, &c);
}

size_t number_clock(char *out, int64_t ns)
{
    struct civil c = civil_from_ns(ns);
    size_t n = clock_of(out, &c);
    padded(out + n, c.ns / 1000000, 3);
    return n + 3;
}

int64_t number_between(int64_t start, int64_t end)
{
    int64_t difference;
    if (start == INT64_MIN || end == INT64_MIN || __builtin_sub_overflow(end, start, &difference)) {
        return INT64_MIN;
    }
    return difference;
}

size_t number_hex32(char *out, uint32_t value)
{
    memcpy(out, "0x", 2);
    for (unsigned i = 0; i < 8; i++) {
        out[2 + i] = "0123456789ABCDEF"[value >> (28 - 4 * i) & 15];
    }
    return 10;
}

// --- for people ---

size_t number_grouped(char *out, uint64_t value)
{
    char digits[20];
    size_t count = number_u64(digits, value), n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            out[n++] = ',';
        }
        out[n++] = digits[i];
    }
    return n;
}

// One decimal and the unit, which is chosen after rounding: 999.96 k is 1.0 M.
static size_t scaled_unit(char *out, double value, const char *const *units, size_t unit_count)
{
    size_t unit = 0;
    while (unit + 1 < unit_count && value >= (unit == 0 ? 999.5 : 999.95)) {
        value /= 1000;
        unit++;
    }
    size_t n = number_decimal(out, value, unit == 0 ? 0 : 1, false);
    size_t length = strlen(units[unit]);
    memcpy(out + n, units[unit], length);
    return n + length;
}

size_t number_size(char *out, uint64_t bytes)
{
    static const char *const units[] = {" bytes", " kB", " MB", " GB", " TB", " PB", " EB"};
    return scaled_unit(out, (double)bytes, units, sizeof units / sizeof *units);
}

size_t number_short(char *out, double value)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    if (value < 9.95) {
        return number_decimal(out, value, 1, true);
    }
    return scaled_unit(out, value, units, sizeof units / sizeof *units);
}

// "1 min 41 s": the larger unit plain, the smaller with two digits.
static size_t two_units(char *out, int64_t large, const char *large_unit, int64_t small,
                        const char *small_unit)
{
    size_t n = number_i64(out, large), length = strlen(large_unit);
    memcpy(out + n, large_unit, length);
    n += length;
    padded(out + n, (uint64_t)small, 2);
    n += 2;
    length = strlen(small_unit);
    memcpy(out + n, small_unit, length);
    return n + length;
}

// Chooses the unit after rounding to it, so that 999,960 us is "1.00 s" and never "1000.0 ms".
size_t number_duration(char *out, int64_t ns)
{
    size_t n = 0;
    if (ns < 0) {
        out[n++] = '-';
        ns = ns == INT64_MIN ? INT64_MAX : -ns;
    }
    int64_t us = ns / 1000 + (ns % 1000 >= 500);
    int64_t tenths_ms = ns / 100000 + (ns % 100000 >= 50000);
    int64_t hundredths = ns / 10000000 + (ns % 10000000 >= 5000000);
    int64_t s = ns / NS_PER_S + (ns % NS_PER_S >= NS_PER_S / 2);
    if (ns == 0) {
        memcpy(out + n, "0 s", 3);
        return n + 3;
    }
    if (us < 1000) {
        n += number_i64(out + n, us);
        memcpy(out + n, " us", 3);
        return n + 3;
    }
    if (tenths_ms < 9995) {
        bool whole = tenths_ms >= 1000; // three digits say enough
        n += number_fixed(out + n, whole ? (tenths_ms + 5) / 10 : tenths_ms, whole ? 0 : 1, false);
        memcpy(out + n, " ms", 3);
        return n + 3;
    }
    if (hundredths < 6000) {
        n += number_fixed(out + n, hundredths, 2, false);
        memcpy(out + n, " s", 2);
        return n + 2;
    }
    if (s < 3600) {
        return n + two_units(out + n, s / 60, " min ", s % 60, " s");
    }
    if (s < 86400) {
        return n + two_units(out + n, s / 3600, " h ", s / 60 % 60, " min");
    }
    return n + two_units(out + n, s / 86400, " d ", s / 3600 % 24, " h");
}

size_t number_length(char *out, int64_t ns)
{
    uint64_t s = ns > 0 ? (uint64_t)ns / NS_PER_S + (ns % NS_PER_S >= NS_PER_S / 2) : 0;
    size_t n;
    if (s >= 3600) {
        n = number_u64(out, s / 3600);
        out[n++] = ':';
        padded(out + n, s / 60 % 60, 2);
        n += 2;
    } else {
        n = number_u64(out, s / 60);
    }
    out[n++] = ':';
    padded(out + n, s % 60, 2);
    return n + 2;
}
