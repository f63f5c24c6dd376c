// Doubt about the capture itself: packets that most streams lack at the same moment were lost by
// the capture, not by the network.
//
// The missing numbers of a gap were sent at about equal distances between the two packets around
// it:
//
//     from   1     2     3    to
//      |     :     :     :     |        window: 1 to 3, and GAP_SLACK_NS on both sides
//
// A moment counts where the windows of enough streams overlap. One direction of one way may well
// fail at once, so those streams must come from two addresses and go to two, unless the capture
// says itself that it lost packets. And a stream is doubted where at least half of what it lacks
// lies in such moments: where many streams lose much, some windows overlap by chance.
//
// Streams that lack packets all the time tell nothing and are left out for the same reason.
//
// Near-linear: windows and streams are sorted once, then swept in the order of time; each window is
// opened, marked and closed once.
#include "listen/report.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Streams that must lack packets at once. Not smaller: the two directions of one call do so when
// its phone is out of reach. Not larger: small captures hold few calls.
#define GAP_STREAMS_MIN 3
// Of the streams that are active then, this share of three. Not half: a second link, whose streams
// fail, may carry that many. Not all: a short loss hits between the packets of some.
#define GAP_SHARE_OF_3 2
// By how much windows are widened. Not smaller: packets of two streams are up to a packet's time
// apart (20 ms). Not larger: the chance that lost packets of two streams meet grows with it.
#define GAP_SLACK_NS INT64_C(10000000)

// Gaps of a stream that are closer than this on the average tell nothing: at ten in 2 s a window is
// open a tenth of the time, and those of four streams meet once in hours. Not smaller: with 30 % of
// loss they meet every second. Not larger: a capture may well drop every second.
#define GAP_APART_NS INT64_C(200000000)

struct window {
    int64_t begin_ns, end_ns;
    uint64_t at;      // order.at of the packet that ended the gap
    uint32_t stream;  // position in the report
    uint32_t missing; // numbers
    uint32_t waits;   // place among those that are open and not marked, from 1; 0: not there
    uint32_t moment;  // from 1; 0: not marked
};

// A time in which enough streams lack packets.
struct moment {
    uint32_t lacking, active; // streams, where they are most
};

struct sweep {
    const struct sidetone_report *r;
    bool is_told; // the capture says that it lost packets
    struct window *windows;
    size_t window_count;
    uint32_t *by_end;  // windows in the order of their end
    int64_t *starts;   // of streams, ascending
    int64_t *ends;     // likewise
    size_t timed;      // streams with times: length of both
    uint32_t *waiting; // open windows that are not marked
    uint32_t waiting_count;
    uint32_t *src_of, *dst_of;     // of each stream: number of its address
    uint32_t *open_src, *open_dst; // open windows of each address
    uint32_t *open_of;             // of each stream
    uint32_t srcs, dsts, lacking;  // addresses and streams with open windows
    size_t started, ended;         // streams that began and ended so far
    struct moment *moments;
    uint32_t moment_count, moment_room;
    bool is_in_moment;
};

// --- collecting ---

static int compare_windows(const void *left, const void *right)
{
    const struct window *a = left;
    const struct window *b = right;
    if (a->begin_ns != b->begin_ns) {
        return a->begin_ns < b->begin_ns ? -1 : 1;
    }
    if (a->at != b->at) {
        return a->at < b->at ? -1 : 1;
    }
    return (a->stream > b->stream) - (a->stream < b->stream);
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static size_t count_gaps(const struct sidetone_report *r)
{
    size_t all = 0;
    for (size_t i = 0; i < r->stream_count; i++) {
        const struct stream_gaps *g = stream_gaps(r->streams[i].stream);
        all += g ? g->count : 0;
    }
    return all;
}

// A clock that stepped back around the gap, or a time that is not known, tells no moment.
static bool window_of(const struct stream_gap *g, struct window *w)
{
    if (g->missing == 0 || g->from_ns <= TIME_NOT_KNOWN_NS || g->to_ns <= g->from_ns) {
        return false;
    }
    int64_t step_ns = (g->to_ns - g->from_ns) / ((int64_t)g->length + 1);
    w->begin_ns = g->from_ns + step_ns - GAP_SLACK_NS;
    w->end_ns = g->to_ns - step_ns + GAP_SLACK_NS;
    w->at = g->at;
    w->missing = g->missing;
    return true;
}

// From the first packet to the last gap that is kept: to the end, where all are.
static bool is_telling(const struct stream *st)
{
    const struct stream_gaps *g = stream_gaps(st);
    if (!g || g->count == 0) {
        return false;
    }
    int64_t end_ns = g->count < STREAM_GAPS_MAX ? stream_end_ns(st) : g->list[g->count - 1].to_ns;
    return end_ns - st->start_ns >= (int64_t)g->count * GAP_APART_NS;
}

static void collect_windows(struct sweep *s, uint32_t stream)
{
    const struct stream_gaps *g = stream_gaps(s->r->streams[stream].stream);
    for (uint32_t k = 0; k < g->count; k++) {
        struct window w = {.stream = stream};
        if (window_of(&g->list[k], &w)) {
            s->windows[s->window_count++] = w;
        }
    }
}

static void collect(struct sweep *s)
{
    for (size_t i = 0; i < s->r->stream_count; i++) {
        const struct stream *st = s->r->streams[i].stream;
        if (st->start_ns <= TIME_NOT_KNOWN_NS) {
            continue;
        }
        s->starts[s->timed] = st->start_ns;
        s->ends[s->timed++] = stream_end_ns(st);
        if (is_telling(st)) {
            collect_windows(s, (uint32_t)i);
        }
    }
    qsort(s->starts, s->timed, sizeof *s->starts, compare_times);
    qsort(s->ends, s->timed, sizeof *s->ends, compare_times);
    qsort(s->windows, s->window_count, sizeof *s->windows, compare_windows);
}

struct sorted_end {
    int64_t end_ns;
    uint32_t window;
};

static int compare_ends(const void *left, const void *right)
{
    const struct sorted_end *a = left;
    const struct sorted_end *b = right;
    if (a->end_ns != b->end_ns) {
        return a->end_ns < b->end_ns ? -1 : 1;
    }
    return (a->window > b->window) - (a->window < b->window);
}

static void sort_ends(struct sweep *s)
{
    struct sorted_end *list = memory_alloc((s->window_count + 1) * sizeof *list);
    for (size_t i = 0; i < s->window_count; i++) {
        list[i] = (struct sorted_end){s->windows[i].end_ns, (uint32_t)i};
    }
    qsort(list, s->window_count, sizeof *list, compare_ends);
    for (size_t i = 0; i < s->window_count; i++) {
        s->by_end[i] = list[i].window;
    }
    memory_free(list);
}

struct sorted_address {
    uint64_t high, low;
    uint32_t stream;
};

static int compare_addresses(const void *left, const void *right)
{
    const struct sorted_address *a = left;
    const struct sorted_address *b = right;
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return (a->low > b->low) - (a->low < b->low);
}

// Numbers the addresses (without ports) of all streams.
static void number_addresses(struct sweep *s, bool of_src, uint32_t *number)
{
    size_t n = s->r->stream_count;
    struct sorted_address *list = memory_alloc((n + 1) * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        const struct stream *st = s->r->streams[i].stream;
        struct address a = of_src ? st->src_address : st->dst_address;
        list[i] = (struct sorted_address){a.hi, a.lo, (uint32_t)i};
    }
    qsort(list, n, sizeof *list, compare_addresses);
    uint32_t next = 0;
    for (size_t i = 0; i < n; i++) {
        next += i > 0 && compare_addresses(&list[i - 1], &list[i]) != 0;
        number[list[i].stream] = next;
    }
    memory_free(list);
}

// --- sweeping ---

static uint32_t active_at(struct sweep *s, int64_t at_ns)
{
    while (s->started < s->timed && s->starts[s->started] <= at_ns) {
        s->started++;
    }
    while (s->ended < s->timed && s->ends[s->ended] < at_ns) {
        s->ended++;
    }
    return (uint32_t)(s->started - s->ended);
}

static bool is_enough(const struct sweep *s, uint32_t active)
{
    return s->lacking >= GAP_STREAMS_MIN &&
           (uint64_t)s->lacking * 3 >= (uint64_t)active * GAP_SHARE_OF_3 &&
           (s->is_told || (s->srcs >= 2 && s->dsts >= 2));
}

static void mark_waiting(struct sweep *s)
{
    for (uint32_t i = 0; i < s->waiting_count; i++) {
        struct window *w = &s->windows[s->waiting[i]];
        w->moment = s->moment_count;
        w->waits = 0;
    }
    s->waiting_count = 0;
}

// What is open has changed.
static void look(struct sweep *s, int64_t at_ns)
{
    uint32_t active = active_at(s, at_ns);
    if (!is_enough(s, active)) {
        s->is_in_moment = false;
        return;
    }
    if (!s->is_in_moment) {
        if (s->moment_count == s->moment_room) {
            s->moment_room = s->moment_room ? s->moment_room * 2 : 16;
            s->moments = memory_resize(s->moments, s->moment_room * sizeof *s->moments);
        }
        s->moments[s->moment_count++] = (struct moment){0, 0};
        s->is_in_moment = true;
    }
    struct moment *m = &s->moments[s->moment_count - 1];
    if (s->lacking > m->lacking) {
        *m = (struct moment){s->lacking, active > s->lacking ? active : s->lacking};
    }
    mark_waiting(s);
}

static void open_window(struct sweep *s, uint32_t index)
{
    struct window *w = &s->windows[index];
    s->srcs += s->open_src[s->src_of[w->stream]]++ == 0;
    s->dsts += s->open_dst[s->dst_of[w->stream]]++ == 0;
    s->lacking += s->open_of[w->stream]++ == 0;
    s->waiting[s->waiting_count++] = index;
    w->waits = s->waiting_count;
}

static void close_window(struct sweep *s, uint32_t index)
{
    struct window *w = &s->windows[index];
    s->srcs -= --s->open_src[s->src_of[w->stream]] == 0;
    s->dsts -= --s->open_dst[s->dst_of[w->stream]] == 0;
    s->lacking -= --s->open_of[w->stream] == 0;
    if (w->waits > 0) {
        uint32_t last = s->waiting[--s->waiting_count];
        s->waiting[w->waits - 1] = last;
        s->windows[last].waits = w->waits;
        w->waits = 0;
    }
}

static void run(struct sweep *s)
{
    size_t opened = 0;
    for (size_t closed = 0; closed < s->window_count;) {
        const struct window *ends = &s->windows[s->by_end[closed]];
        bool opens = opened < s->window_count && s->windows[opened].begin_ns <= ends->end_ns;
        int64_t at_ns = opens ? s->windows[opened].begin_ns : ends->end_ns;
        if (opens) {
            open_window(s, (uint32_t)opened++);
        } else {
            close_window(s, s->by_end[closed++]);
        }
        look(s, at_ns);
    }
}

// --- judging ---

static const char *sentence(struct sidetone_report *r, const struct moment *m)
{
    char text[256];
    char told[80] = "";
    if (r->capture.dropped > 0) {
        snprintf(told, sizeof told, " It says itself that it dropped %" PRIu64 ".",
                 r->capture.dropped);
    }
    int n = snprintf(text, sizeof text,
                     "Packets are missing at the same moment in %" PRIu32 " of %" PRIu32
                     " streams: the capture lost them, probably not the network.%s",
                     m->lacking, m->active, told);
    return arena_slice(&r->arena, slice_of(text, (size_t)n + 1)).p; // with its NUL
}

static void judge(struct sidetone_report *r, const struct sweep *s)
{
    uint64_t *common = memory_zero((r->stream_count + 1) * sizeof *common);
    uint64_t *all = memory_zero((r->stream_count + 1) * sizeof *all);
    const char **texts = memory_zero((s->moment_count + 1) * sizeof *texts);
    for (size_t i = 0; i < s->window_count; i++) {
        const struct window *w = &s->windows[i];
        all[w->stream] += w->missing;
        common[w->stream] += w->moment > 0 ? w->missing : 0;
    }
    for (size_t i = 0; i < s->window_count; i++) {
        const struct window *w = &s->windows[i];
        struct report_stream *at = &r->streams[w->stream];
        if (w->moment == 0 || at->capture_loss || common[w->stream] * 2 < all[w->stream]) {
            continue;
        }
        if (!texts[w->moment]) {
            texts[w->moment] = sentence(r, &s->moments[w->moment - 1]);
        }
        at->capture_loss = texts[w->moment];
        at->capture_loss_at = w->at;
    }
    memory_free(common);
    memory_free(all);
    memory_free(texts);
}

void report_capture_loss(struct sidetone_report *r)
{
    size_t gaps = count_gaps(r);
    size_t n = r->stream_count;
    if (gaps < GAP_STREAMS_MIN) {
        return;
    }
    struct sweep s = {.r = r, .is_told = r->capture.dropped > 0};
    s.windows = memory_alloc(gaps * sizeof *s.windows);
    s.by_end = memory_alloc(gaps * sizeof *s.by_end);
    s.waiting = memory_alloc(gaps * sizeof *s.waiting);
    s.starts = memory_alloc(n * sizeof *s.starts);
    s.ends = memory_alloc(n * sizeof *s.ends);
    uint32_t *numbers = memory_zero(5 * n * sizeof *numbers);
    s.src_of = numbers;
    s.dst_of = numbers + n;
    s.open_src = numbers + 2 * n;
    s.open_dst = numbers + 3 * n;
    s.open_of = numbers + 4 * n;
    collect(&s);
    sort_ends(&s);
    number_addresses(&s, true, s.src_of);
    number_addresses(&s, false, s.dst_of);
    run(&s);
    judge(r, &s);
    memory_free(s.windows);
    memory_free(s.by_end);
    memory_free(s.waiting);
    memory_free(s.starts);
    memory_free(s.ends);
    memory_free(s.moments);
    memory_free(numbers);
}
