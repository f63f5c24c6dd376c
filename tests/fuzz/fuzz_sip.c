// Feeds SIP parsing with anything: as a datagram whole and cut, and as a stream, taken apart to its
// end. What must hold is in tests/unit/sip_inside.h; here also: both ways of indexing lines and
// of reading a start line agree, and a stream never goes backwards.
#include "../unit/sip_index_same.h"
#include "../unit/sip_inside.h"
#include "../unit/sip_start_same.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void compare_indexes(const char *p, uint32_t n)
{
    if (sip_index_has_fast() && n > 0) {
        INSIDE_CHECK(sip_index_difference(p, n, 1) == NULL);
        INSIDE_CHECK(sip_index_difference(p, n, n / 2 + 1) == NULL);
    }
}

// The way for ordinary start lines gives what the way for all gives.
static void compare_starts(const char *p, size_t n)
{
    struct sip_start a, b;
    bool found = sip_start_read(&a, p, n);
    INSIDE_CHECK(found == sip_start_read_any(&b, p, n));
    INSIDE_CHECK(!found || sip_start_same(&a, &b));
}

// As a reader of TCP would: message by message until nothing more fits.
static void walk_stream(const char *p, size_t n)
{
    int64_t taken = 1;
    while (n > 0 && taken > 0) {
        taken = sip_check_all(p, n, SIP_STREAM, false);
        if (taken > 0) {
            p += taken;
            n -= (size_t)taken;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *p = (const char *)bytes;
    compare_indexes(p, (uint32_t)n);
    compare_starts(p, n);
    sip_check_all(p, n, SIP_DATAGRAM, false);
    sip_check_all(p, n, SIP_DATAGRAM, true);
    walk_stream(p, n);
    return 0;
}
