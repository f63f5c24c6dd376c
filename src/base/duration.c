// Reading a duration.
#include "base/duration.h"

#define FRACTION_DIGITS_MAX 6

static const struct {
    const char *name;
    int64_t ns;
} UNITS[] = {
    {"ms", 1000000},
    {"s", 1000000000},
    {"m", 60 * INT64_C(1000000000)},
    {"h", 3600 * INT64_C(1000000000)},
};

// Length of the digits that s begins with.
static size_t digits(struct slice s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9') {
        n++;
    }
    return n;
}

static struct slice after(struct slice s, size_t n)
{
    return slice_of(s.p + n, s.n - n);
}

// What stands behind the point, as a share of the unit.
static bool read_fraction(struct slice *rest, int64_t unit_ns, int64_t *out)
{
    uint64_t value, whole = 1;
    size_t n = digits(*rest);
    if (n > FRACTION_DIGITS_MAX || !slice_u64(slice_of(rest->p, n), UINT64_MAX, &value)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        whole *= 10;
    }
    // Less than 10^6 * 3.6 * 10^12: fits.
    *out = (int64_t)(value * (uint64_t)unit_ns / whole);
    *rest = after(*rest, n);
    return true;
}

static bool read_in_unit(struct slice s, int64_t unit_ns, int64_t max_ns, int64_t *out)
{
    uint64_t value;
    int64_t fraction_ns = 0;
    size_t n = digits(s);
    if (!slice_u64(slice_of(s.p, n), (uint64_t)(max_ns / unit_ns), &value)) {
        return false;
    }
    struct slice rest = after(s, n);
    if (rest.n > 0 && rest.p[0] == '.') {
        rest = after(rest, 1);
        if (!read_fraction(&rest, unit_ns, &fraction_ns)) {
            return false;
        }
    }
    int64_t whole_ns = (int64_t)value * unit_ns;
    if (rest.n > 0 || fraction_ns > max_ns - whole_ns) {
        return false;
    }
    *out = whole_ns + fraction_ns;
    return true;
}

bool duration_read(struct slice s, int64_t max_ns, int64_t *out)
{
    size_t n = s.n;
    while (n > 0 && s.p[n - 1] >= 'a' && s.p[n - 1] <= 'z') {
        n--;
    }
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (slice_eq(after(s, n), slice_str(UNITS[i].name))) {
            return read_in_unit(slice_of(s.p, n), UNITS[i].ns, max_ns, out);
        }
    }
    return false;
}
