// Feeds the readers of what endpoints report (vq-rtcpxr, headers of vendors, digits of INFO) and of
// addresses of record with anything. What must hold is in tests/unit/media_report_inside.h.
#include "../unit/media_report_inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    media_report_check_all((const char *)bytes, n);
    return 0;
}
