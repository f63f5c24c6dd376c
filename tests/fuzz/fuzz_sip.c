// Feeds SIP parsing with anything: as a datagram whole and cut, and as a stream, taken apart to its
// end. What must hold is in tests/unit/sip_inside.h; here also: both ways of finding lines agree,
// and a stream never goes backwards.
#include "../unit/sip_inside.h"
#include "wire/sip/scan.h"

#define LINES 32

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void compare_scans(const char *p, uint32_t n)
{
    struct sip_scan a = {0};
    struct sip_scan b = {0};
    struct sip_line x[LINES], y[LINES];
    while (sip_scan_has_fast() && !a.empty && !a.end) {
        uint32_t lines = sip_scan_plain(&a, p, n, x, LINES);
        INSIDE_CHECK(sip_scan_fast(&b, p, n, y, LINES) == lines);
        INSIDE_CHECK(memcmp(x, y, sizeof *x * lines) == 0);
        INSIDE_CHECK(a.at == b.at && a.empty == b.empty && a.end == b.end);
        INSIDE_CHECK(a.control == b.control && a.high == b.high && a.lf_alone == b.lf_alone);
    }
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
    compare_scans(p, (uint32_t)n);
    sip_check_all(p, n, SIP_DATAGRAM, false);
    sip_check_all(p, n, SIP_DATAGRAM, true);
    walk_stream(p, n);
    return 0;
}
