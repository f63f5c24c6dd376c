// Copies of segments, and bytes that were delivered shortly before.
#include "flow/tcp_recent.h"

#include <string.h>

void tcp_recent_init(struct tcp_recent *r)
{
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < TCP_RECENT; i++) {
        r->time_ns[i] = INT64_MIN; // no packet is as old as that
    }
}

// Kept out of line: nearly no segment has the frame value of one before it.
static __attribute__((noinline)) bool is_copy(const struct tcp_recent *r,
                                              const struct tcp_segment *seg)
{
    for (uint32_t i = 0; i < TCP_RECENT; i++) {
        // In unsigned numbers: times of a hostile capture may lie any distance apart.
        uint64_t apart = (uint64_t)seg->from.time_ns - (uint64_t)r->time_ns[i];
        if (r->frame[i] == seg->frame && r->sequence[i] == seg->sequence &&
            r->length[i] == seg->length && apart + (uint64_t)TCP_COPY_NS <= 2 * TCP_COPY_NS) {
            return true;
        }
    }
    return false;
}

bool tcp_recent_has(const struct tcp_recent *r, const struct tcp_segment *seg)
{
    bool any = false;
    for (uint32_t i = 0; i < TCP_RECENT; i++) {
        any |= r->frame[i] == seg->frame;
    }
    return any && is_copy(r, seg);
}

void tcp_window_keep(struct tcp_window *w, uint64_t at, const uint8_t *p, uint64_t n)
{
    if (n > TCP_WINDOW) {
        at += n - TCP_WINDOW;
        p += n - TCP_WINDOW;
        n = TCP_WINDOW;
    }
    uint64_t place = at % TCP_WINDOW;
    uint64_t first = n < TCP_WINDOW - place ? n : TCP_WINDOW - place;
    memcpy(w->bytes + place, p, first);
    memcpy(w->bytes, p + first, n - first);
}

bool tcp_window_differs(const struct tcp_window *w, uint64_t next, uint64_t at, const uint8_t *p,
                        uint64_t n)
{
    uint64_t from = next - w->from < TCP_WINDOW ? w->from : next - TCP_WINDOW;
    if (at + n <= from) {
        return false;
    }
    if (at < from) {
        p += from - at;
        n -= from - at;
        at = from;
    }
    uint64_t place = at % TCP_WINDOW;
    uint64_t first = n < TCP_WINDOW - place ? n : TCP_WINDOW - place;
    return memcmp(w->bytes + place, p, first) != 0 || memcmp(w->bytes, p + first, n - first) != 0;
}
