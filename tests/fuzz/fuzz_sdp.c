// Feeds the reader of session descriptions with anything. What must hold is in
// tests/unit/sdp_inside.h; here also: reading the same bytes with CRLF in place of LF gives the
// same number of media.
#include "../unit/sdp_inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static size_t with_crlf(const char *p, size_t n, char *out)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\n') {
            out[used++] = '\r';
        }
        out[used++] = p[i];
    }
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *p = (const char *)bytes;
    int count = sdp_check_all(p, n);
    char *other = malloc(2 * n + 1);
    INSIDE_CHECK(other != NULL);
    size_t m = with_crlf(p, n, other);
    INSIDE_CHECK(sdp_check_all(other, m) == count);
    free(other);
    return 0;
}
