// The join: calls of all bins in capture order, streams likewise, and which stream belongs to which
// call.
#include "listen/report.h"

#include "base/memory.h"
#include "listen/join_order.h"

// Between the answer and the change of who sends. Not smaller: signalling takes a longer way than
// media, and phones need a moment. Not larger: what changes later has another reason.
#define AROUND_ANSWER_NS INT64_C(500000000)

// Calls and streams that one core looks at at a time: some thousand cache lines.
#define SLICE_ITEMS 256

// --- calls ---

static void fill_calls(void *context, unsigned bin, struct join_item *items)
{
    const struct call_bin *b = &((struct engine *)context)->calls[bin];
    for (uint32_t i = 0; i < b->call_count; i++) {
        items[i] = (struct join_item){b->calls[i]->first, b->calls[i]->first_part, i};
    }
}

struct joining {
    struct sidetone_report *r;
    struct join_order order;
};

static void place_calls(void *context, size_t begin, size_t end)
{
    const struct joining *j = context;
    for (size_t i = begin; i < end; i++) {
        const struct call_bin *b = &j->r->engine.calls[j->order.bins[i]];
        struct call *c = b->calls[j->order.indices[i]];
        j->r->calls[i] = c;
        c->position = (uint32_t)i;
    }
}

static void join_calls(struct sidetone_report *r)
{
    struct engine *e = &r->engine;
    struct joining j = {.r = r};
    uint32_t counts[BINS];
    for (unsigned bin = 0; bin < BINS; bin++) {
        counts[bin] = e->calls[bin].call_count;
        r->call_count += counts[bin];
    }
    r->calls = memory_alloc((r->call_count + 1) * sizeof(struct call *));
    join_order_make(&j.order, e->team, counts, fill_calls, e);
    team_run_slices(e->team, r->call_count, SLICE_ITEMS, place_calls, &j);
    join_order_fini(&j.order);
}

// --- streams ---

static bool was_over(const struct engine *e, const struct announcement *a, int64_t at_ns)
{
    const struct call *c = e->calls[a->call.bin].calls[a->call.index];
    return !call_is_open(c) && c->end_ns < at_ns;
}

// What was announced for where the stream goes; else for where it comes from: the other side
// answers to an address that it has seen, not to the one that was announced (NAT).
static const struct announcement *announcement_of(const struct engine *e, const struct stream *s)
{
    if (s->announcement) {
        // A port is used again: early media of the next call is not that of a call which is over.
        const struct announcement *later = stream_extras(s)->later;
        return later && was_over(e, s->announcement, s->start_ns) ? later : s->announcement;
    }
    struct endpoint src = stream_src(s);
    return media_bin_announced(&e->media[bin_of_media(src)], src, s->is_fax, stream_end_ns(s));
}

// Without signalling: enough packets in a row that make sense, few of all missing.
static bool is_proven(const struct stream *s)
{
    if (s->is_fax) {
        return stream_fax_is_proven(s);
    }
    return s->proof >= STREAM_PROOF_PACKETS && stream_expected(s) <= 4 * (uint64_t)s->unique;
}

// Of two packets one after the other any RTCP that names their SSRC between their addresses is
// proof enough.
static void keep_proven(struct sidetone_report *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->stream_count; i++) {
        const struct report_stream *at = &r->streams[i];
        if (at->call >= 0 || at->control.is_named || at->is_proven) {
            r->streams[kept++] = *at;
        }
    }
    r->stream_count = kept;
}

// What else the offers and answers of its call say of a stream.
static void learn_from_call(struct stream *s, const struct announcement *a, const struct call *c)
{
    const struct payload_map *map = NULL;
    if (s->announcement) {
        bool is_known;
        bool is_named = call_named_host(c, !a->by_caller, stream_src(s), &is_known);
        s->from_unannounced = is_known && !is_named;
    } else {
        map = call_line_map(c, !a->by_caller, a->line, stream_end_ns(s)); // of who receives it
    }
    if (!s->is_fax) {
        stream_adopt(s, map);
    }
}

static void fill_streams(void *context, unsigned bin, struct join_item *items)
{
    const struct media_bin *b = &((struct engine *)context)->media[bin];
    for (uint32_t i = 0; i < b->stream_count; i++) {
        items[i] = (struct join_item){stream_first(b->streams[i]), 0, i};
    }
}

static void place_stream(struct engine *e, struct stream *s, struct report_stream *at)
{
    const struct announcement *a = announcement_of(e, s);
    *at = (struct report_stream){.stream = s, .call = -1, .branch = -1, .kind = -1};
    if (a) {
        const struct call *c = e->calls[a->call.bin].calls[a->call.index];
        at->call = c->position;
        at->branch = call_branches_heard(c) >= 2
                         ? call_branch_of_media(c, stream_src(s), stream_dst(s))
                         : -1;
        at->kind = a->kind;
        learn_from_call(s, a, c);
    }
    at->is_proven = is_proven(s);
}

// Which calls are legs of others takes one core as long as the streams take the rest, and nothing
// of them.
static void place_streams(void *context, unsigned task)
{
    const struct joining *j = context;
    struct engine *e = &j->r->engine;
    if (task == 0) {
        report_legs(j->r);
        return;
    }
    size_t begin = (task - 1) * (size_t)SLICE_ITEMS;
    size_t left = j->r->stream_count - begin;
    size_t end = begin + (left < SLICE_ITEMS ? left : SLICE_ITEMS);
    for (size_t i = begin; i < end; i++) {
        const struct media_bin *b = &e->media[j->order.bins[i]];
        place_stream(e, b->streams[j->order.indices[i]], &j->r->streams[i]);
    }
}

static void join_streams(struct sidetone_report *r)
{
    struct engine *e = &r->engine;
    struct joining j = {.r = r};
    uint32_t counts[BINS];
    for (unsigned bin = 0; bin < BINS; bin++) {
        counts[bin] = e->media[bin].stream_count;
        r->stream_count += counts[bin];
    }
    r->streams = memory_alloc((r->stream_count + 1) * sizeof *r->streams);
    join_order_make(&j.order, e->team, counts, fill_streams, e);
    unsigned slices = (unsigned)((r->stream_count + SLICE_ITEMS - 1) / SLICE_ITEMS);
    team_run(e->team, 1 + slices, place_streams, &j);
    join_order_fini(&j.order);
    report_join_control(e, r->streams, r->stream_count);
    keep_proven(r);
}

// --- what belongs together ---

// Each call's streams, by counting.
static void list_streams(struct sidetone_report *r)
{
    uint32_t *begin = memory_zero((r->call_count + 2) * sizeof *begin);
    r->call_streams = memory_alloc((r->stream_count + 1) * sizeof *r->call_streams);
    for (size_t i = 0; i < r->stream_count; i++) {
        if (r->streams[i].call >= 0) {
            begin[r->streams[i].call + 2]++;
        }
    }
    for (size_t i = 2; i <= r->call_count + 1; i++) {
        begin[i] += begin[i - 1];
    }
    for (size_t i = 0; i < r->stream_count; i++) {
        if (r->streams[i].call >= 0) {
            r->call_streams[begin[r->streams[i].call + 1]++] = (uint32_t)i;
        }
    }
    r->call_streams_begin = begin;
}

static bool follows(const struct stream *a, const struct stream *b)
{
    int64_t end_ns = stream_end_ns(a);
    return endpoint_eq(stream_src(a), stream_src(b)) && endpoint_eq(stream_dst(a), stream_dst(b)) &&
           end_ns <= b->start_ns && b->offered_ns <= end_ns && a->is_fax == b->is_fax;
}

// Around the answer, media may come from elsewhere: ringing and announcements before it are those
// of a gateway, and what follows is the phone's.
static bool is_answered_between(const struct call *c, const struct stream *a,
                                const struct stream *b)
{
    return c->answered_ns != TIME_NOT_SEEN &&
           stream_end_ns(a) <= c->answered_ns + AROUND_ANSWER_NS &&
           b->start_ns >= c->answered_ns - AROUND_ANSWER_NS;
}

static void find_successors(struct sidetone_report *r, size_t call)
{
    const uint32_t *list = &r->call_streams[r->call_streams_begin[call]];
    uint32_t count = r->call_streams_begin[call + 1] - r->call_streams_begin[call];
    for (uint32_t i = 1; i < count && i < 256; i++) {
        struct report_stream *later = &r->streams[list[i]];
        for (uint32_t k = i; k-- > 0;) {
            struct report_stream *earlier = &r->streams[list[k]];
            if (!earlier->next && follows(earlier->stream, later->stream) &&
                !is_answered_between(r->calls[call], earlier->stream, later->stream)) {
                later->former = earlier->stream;
                earlier->next = later->stream;
                break;
            }
        }
    }
}

// Streams that took over from another between the same addresses in the same call, without a new
// offer or the answer between them.
static void find_successors_of(void *context, size_t begin, size_t end)
{
    for (size_t call = begin; call < end; call++) {
        find_successors(context, call);
    }
}

void report_join(struct sidetone_report *r)
{
    join_calls(r);
    join_streams(r);
    list_streams(r);
    team_run_slices(r->engine.team, r->call_count, SLICE_ITEMS, find_successors_of, r);
    report_join_reports(r);
}
