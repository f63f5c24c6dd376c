// Numbers, times and sizes as text: the one place where a quantity gets its digits, so that every
// door shows the same.
//
// All functions write ASCII without a NUL to `out` (NUMBER_BYTES always suffice) and return the
// length. No locale, no exponents, no "-0", no printf: JSON of a million messages passes through
// here.
#ifndef SIDETONE_SHOW_NUMBER_H
#define SIDETONE_SHOW_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_BYTES 48

// Decimals of the contract.
#define NUMBER_MS_DIGITS      6 // milliseconds: nanoseconds are the finest that a capture knows
#define NUMBER_PERCENT_DIGITS 4
#define NUMBER_SCORE_DIGITS   3 // MOS, R factor, burst ratio

size_t number_u64(char *out, uint64_t value);
size_t number_i64(char *out, int64_t value);

// scaled / 10^digits (digits at most 18). `trim` cuts zeros at the end: 1500 with 3 digits is
// "1.5", 2000 is "2".
size_t number_fixed(char *out, int64_t scaled, unsigned digits, bool trim);

// Rounded half away from zero to `digits` decimals (at most 9). Returns 0 and writes nothing where
// the value is not finite; values beyond +-9.2e18 / 10^digits are shown as that bound.
size_t number_decimal(char *out, double value, unsigned digits, bool trim);

// Nanoseconds as milliseconds, exactly: 40000500 is "40.0005".
size_t number_ms(char *out, int64_t ns);

// "2023-11-14T22:13:20.000000000Z", for every time that int64_t nanoseconds can hold (1677 to
// 2262).
size_t number_time(char *out, int64_t ns);
// "2023-11-14" and "22:13:20.000" of the same moment.
size_t number_date(char *out, int64_t ns);
size_t number_clock(char *out, int64_t ns);

// end - start; INT64_MIN ("not known", as SIDETONE_UNKNOWN) where either is, or where they are
// further apart than 292 years.
int64_t number_between(int64_t start, int64_t end);

// "0x0001ABCD"
size_t number_hex32(char *out, uint32_t value);

// For people: "535,000"; "128.4 MB" (powers of 1000); "850 us", "40.2 ms", "299 ms", "1.20 s",
// "1 min 41 s", "2 h 05 min", "3 d 04 h"; "31.0 M"; how long a call was, "2:14" or "1:02:14".
size_t number_grouped(char *out, uint64_t value);
size_t number_size(char *out, uint64_t bytes);
size_t number_duration(char *out, int64_t ns);
size_t number_short(char *out, double value);
size_t number_length(char *out, int64_t ns);

#endif
