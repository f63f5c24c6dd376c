// Fuzz target of WebSocket frames: a header stays what it is when more bytes follow, and unmasking
// twice gives the bytes back.
#include "wire/ws/frame.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_prefixes(const uint8_t *p, size_t n, int header, const struct ws_frame *f)
{
    bool decided = false;
    for (size_t i = 0; i <= n && i <= WS_HEADER_MAX; i++) {
        struct ws_frame g;
        int got = ws_frame_read(&g, p, i);
        MUST(got == 0 ? !decided : got == header);
        MUST(got <= 0 || (g.length == f->length && g.mask == f->mask));
        decided = got != 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct ws_frame f;
    int header = ws_frame_read(&f, bytes, n);
    MUST(header >= -1 && header <= WS_HEADER_MAX && header <= (int)(n < 99 ? n : 99));
    check_prefixes(bytes, n, header, &f);
    if (header <= 0) {
        return 0;
    }
    MUST(f.length <= INT64_MAX && (!ws_is_control(&f) || (f.length <= 125 && f.is_final)));
    size_t payload = n - (size_t)header;
    uint8_t *once = malloc(payload + 1);
    uint8_t *twice = malloc(payload + 1);
    MUST(once && twice);
    ws_unmask(once, bytes + header, payload, f.mask);
    ws_unmask(twice, once, payload, f.mask);
    MUST(memcmp(twice, bytes + header, payload) == 0);
    free(once);
    free(twice);
    return 0;
}
