// Copies of segments, and bytes that were delivered shortly before.
#include "flow/tcp_recent.h"

#include "base/memory.h"

#include <string.h>

struct tcp_recent *tcp_recent_new(void)
{
    struct tcp_recent *r = memory_zero(sizeof *r);
    for (uint32_t i = 0; i < TCP_RECENT; i++) {
        r->time_ns[i] = INT64_MIN; // no packet is as old as that
    }
    return r;
}

// Kept out of line: nearly no segment has the frame value of one before it.
static __attribute__((noinline)) bool is_copy(const struct tcp_recent *r,
                                              const struct tcp_segment *seg)
{
    for (uint32_t i = 0; i < TCP_RECENT; i++) {
        // In unsigned numbers: times of a hostile capture may lie any distance apart.
        uint64_t apart = (uint64_t)seg->from.time_ns - (uint64_t)r->time_ns[i];
        if (r->frame[i] == seg->frame && r->sequence[i] == seg->sequence &&
            r->length[i] == seg->length &&
            apart + (uint64_t)CAPTURE_COPY_NS <= 2 * CAPTURE_COPY_NS) {
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

// The place of a position, and how many of n bytes there are from it to the end of the room.
static uint64_t place_of(const struct tcp_window *w, uint64_t at, uint64_t n, uint64_t *first)
{
    uint64_t place = at & (w->room - 1);
    *first = n < w->room - place ? n : w->room - place;
    return place;
}

static void put(struct tcp_window *w, uint64_t at, const uint8_t *p, uint64_t n)
{
    uint64_t first;
    if (n > w->room) {
        at += n - w->room;
        p += n - w->room;
        n = w->room;
    }
    uint64_t place = place_of(w, at, n, &first);
    memcpy(w->bytes + place, p, first);
    memcpy(w->bytes, p + first, n - first);
}

// One with room for n bytes, up to TCP_WINDOW, with what the old one (NULL: nothing) has before
// `at`.
static struct tcp_window *larger(struct tcp_window *old, uint64_t at, uint64_t n)
{
    uint32_t room = TCP_WINDOW_FIRST;
    while (room < n && room < TCP_WINDOW) {
        room *= 2;
    }
    struct tcp_window *w = memory_alloc(sizeof *w + room);
    w->from = old ? old->from : at;
    w->room = room;
    if (old) {
        uint64_t first;
        uint64_t place = place_of(old, old->from, at - old->from, &first);
        put(w, old->from, old->bytes + place, first);
        put(w, old->from + first, old->bytes, at - old->from - first);
        memory_free(old);
    }
    return w;
}

void tcp_window_keep(struct tcp_window **w, uint64_t at, const uint8_t *p, uint64_t n)
{
    uint64_t needed = *w ? at - (*w)->from + n : n;
    if (!*w || ((*w)->room < needed && (*w)->room < TCP_WINDOW)) {
        *w = larger(*w, at, needed);
    }
    put(*w, at, p, n);
}

bool tcp_window_differs(const struct tcp_window *w, uint64_t next, uint64_t at, const uint8_t *p,
                        uint64_t n)
{
    uint64_t first;
    uint64_t from = next - w->from < w->room ? w->from : next - w->room;
    if (at + n <= from) {
        return false;
    }
    if (at < from) {
        p += from - at;
        n -= from - at;
        at = from;
    }
    uint64_t place = place_of(w, at, n, &first);
    return memcmp(w->bytes + place, p, first) != 0 || memcmp(w->bytes, p + first, n - first) != 0;
}
