// The public views of calls and streams, filled on demand from what the trackers keep.
#include "base/memory.h"
#include "judge/findings.h"
#include "judge/quality.h"
#include "listen/message.h"
#include "listen/report.h"

#include <assert.h>
#include <math.h>

struct sidetone_scratch {
    struct arena arena;
    struct finding_list findings;
    uint8_t payload_types[128];
};

struct sidetone_scratch *sidetone_scratch_new(void)
{
    struct sidetone_scratch *s = memory_zero(sizeof *s);
    arena_init(&s->arena, 16384);
    return s;
}

void sidetone_scratch_free(struct sidetone_scratch *s)
{
    if (s) {
        arena_fini(&s->arena);
        memory_free(s);
    }
}

const struct sidetone_capture *sidetone_report_capture(const struct sidetone_report *r)
{
    return &r->capture;
}

size_t sidetone_report_calls(const struct sidetone_report *r)
{
    return r->call_count;
}

size_t sidetone_report_streams(const struct sidetone_report *r)
{
    return r->stream_count;
}

const char *sidetone_report_file(const struct sidetone_report *r, uint32_t index)
{
    return r->engine.sources[index].input.path;
}

size_t sidetone_report_blocks(const struct sidetone_report *r)
{
    return r->block_count;
}

void sidetone_report_block(const struct sidetone_report *r, size_t index,
                           struct sidetone_block *out)
{
    assert(index < r->block_count);
    *out = r->blocks[index];
}

// --- calls ---

static int64_t span_of(int64_t from, int64_t to)
{
    if (from <= TIME_NOT_KNOWN_NS || to <= TIME_NOT_KNOWN_NS) { // not seen, or without a time
        return SIDETONE_UNKNOWN;
    }
    return to >= from ? to - from : SIDETONE_UNKNOWN; // the clock stepped, or two clocks differ
}

static void view_times(const struct sidetone_report *r, size_t index, const struct call *c,
                       struct sidetone_call *out)
{
    int64_t up_to = c->bye_ns;
    out->start_ns = time_view(c->start_ns);
    out->end_ns = time_view(c->end_ns);
    out->trying_ns = span_of(c->current.begun_ns, c->current.trying_ns);
    out->pdd_ns =
        span_of(c->current.begun_ns,
                c->current.progress_ns != TIME_NOT_SEEN ? c->current.progress_ns : c->final_ns);
    out->setup_ns = span_of(c->current.begun_ns, c->answered_ns);
    out->ring_ns = span_of(c->current.ringing_ns, c->answered_ns);
    if (up_to == TIME_NOT_SEEN) {
        up_to = c->end_ns;
        for (uint32_t i = r->call_streams_begin[index]; i < r->call_streams_begin[index + 1]; i++) {
            const struct stream *s = r->streams[r->call_streams[i]].stream;
            up_to = s->end_ns > up_to ? s->end_ns : up_to;
        }
    }
    out->duration_ns = span_of(c->answered_ns, up_to);
}

static void view_lists(const struct call *c, struct sidetone_scratch *s, struct sidetone_call *out)
{
    struct sidetone_text *agents = ARENA_ARRAY(&s->arena, struct sidetone_text, c->agent_count);
    struct sidetone_contact *contacts =
        ARENA_ARRAY(&s->arena, struct sidetone_contact, c->contact_count);
    for (const struct call_agent *a = c->agents; a; a = a->next) {
        agents[out->user_agent_count++] = text_view(a->text);
    }
    const struct call_contact *at = c->contacts;
    for (; out->contact_count < c->contact_count; at = at->next) {
        contacts[out->contact_count++] = (struct sidetone_contact){
            text_view(kept_text(&at->uri)), at->expires_s < 0 ? SIDETONE_UNKNOWN : at->expires_s};
    }
    out->user_agents = agents;
    out->contacts = contacts;
    if (c->branch_count >= 2) {
        struct sidetone_branch *list =
            ARENA_ARRAY(&s->arena, struct sidetone_branch, c->branch_count);
        for (const struct call_branch *b = c->branches; b; b = b->next) {
            list[out->branch_count++] = (struct sidetone_branch){
                text_view(kept_text(&b->to_tag)), call_branch_state(b), b->final_code};
        }
        out->branches = list;
    }
    if (c->hop_count >= 2) {
        struct sidetone_hop *list = ARENA_ARRAY(&s->arena, struct sidetone_hop, c->hop_count);
        for (const struct call_hop *h = c->hops; h; h = h->next) {
            list[out->hop_count++] =
                (struct sidetone_hop){endpoint_view(h->src), endpoint_view(h->dst), h->messages};
        }
        out->hops = list;
    }
}

static const char *ended_by(const struct call *c)
{
    if (call_state(c) != STATE_ENDED || c->ended_by == 0) {
        return NULL;
    }
    return c->ended_by == (BY_CALLER | BY_CALLEE) ? "both"
           : c->ended_by == BY_CALLER             ? "caller"
                                                  : "callee";
}

static void view_path(const struct call *c, struct sidetone_scratch *s, struct sidetone_call *out)
{
    if (c->path) {
        struct sidetone_text *texts = ARENA_ARRAY(&s->arena, struct sidetone_text, PATH_STEPS_MAX);
        out->path_count = path_view(c->path, texts,
                                    arena_alloc(&s->arena, PATH_STEPS_MAX * PATH_STEP_TEXT_BYTES));
        out->path = texts;
    }
}

// Legs that are shown of a call. Not smaller: conferences have some dozens. Not larger: each leg of
// a conversation shows the others.
#define LEGS_MAX 64

static void view_legs(const struct sidetone_report *r, uint32_t index, struct sidetone_scratch *s,
                      struct sidetone_call *out)
{
    if (!r->next_leg || r->next_leg[index] == index) {
        return;
    }
    struct sidetone_leg *list = ARENA_ARRAY(&s->arena, struct sidetone_leg, LEGS_MAX);
    uint32_t at = r->next_leg[index];
    for (; at != index && out->leg_count < LEGS_MAX; at = r->next_leg[at]) {
        list[out->leg_count++] =
            (struct sidetone_leg){at, text_view(r->calls[at]->call_id), "x_call_id"};
    }
    out->legs = list;
}

void sidetone_report_call(const struct sidetone_report *r, size_t index, struct sidetone_scratch *s,
                          struct sidetone_call *out)
{
    assert(index < r->call_count);
    const struct call *c = r->calls[index];
    arena_reset(&s->arena);
    findings_of_call(c, &s->findings);
    uint32_t begin = r->call_streams_begin[index];
    *out = (struct sidetone_call){
        .call_id = text_view(c->call_id),
        .method = text_view(c->method_text),
        .reason = text_view(kept_text(&c->reason)),
        .from = text_view(c->from),
        .to = text_view(c->to),
        .request_uri = text_view(c->request_uri),
        .kind = call_kind_name(c->kind),
        .state = call_state_name(call_state(c)),
        .transport = transport_name(c->transport),
        .final_code = c->final_code,
        .src = endpoint_view(c->src),
        .dst = endpoint_view(c->dst),
        .messages = c->messages,
        .retransmissions = c->retransmissions,
        .duplicates = c->duplicates,
        .attempts = c->attempts,
        .ended_by = ended_by(c),
        .streams = &r->call_streams[begin],
        .stream_count = r->call_streams_begin[index + 1] - begin,
        .findings = s->findings.items,
        .finding_count = s->findings.count,
    };
    if (c->kind == KIND_REGISTRATION) {
        out->aor = text_view(c->to);
    }
    view_times(r, index, c, out);
    view_lists(c, s, out);
    view_path(c, s, out);
    view_legs(r, (uint32_t)index, s, out);
}

// --- streams ---

struct slice report_codec(const struct payload_map *map, uint8_t payload_type, enum codec *codec,
                          uint32_t *clock_hz)
{
    struct slice name;
    *clock_hz = 0;
    *codec = stream_codec(map, payload_type, clock_hz, &name);
    if (*codec == CODEC_UNKNOWN) {
        return slice_of(NULL, 0);
    }
    return *codec == CODEC_OTHER ? name : slice_str(codec_name(*codec));
}

// The map that a segment was read with; media that came before any announcement is named by the
// first one after it.
static const struct payload_map *map_of(const struct stream *st, const struct stream_segment *g)
{
    return g && g->map ? g->map : st->map;
}

static void view_segments(const struct stream *st, struct sidetone_scratch *s,
                          struct sidetone_stream *out)
{
    if (st->segment_count < 2) {
        return;
    }
    struct sidetone_segment *list =
        ARENA_ARRAY(&s->arena, struct sidetone_segment, st->segment_count);
    size_t n = 0;
    for (const struct stream_segment *g = st->segments; g; g = g->next) {
        enum codec codec;
        uint32_t clock_hz;
        struct sidetone_text name =
            text_view(report_codec(map_of(st, g), g->payload_type, &codec, &clock_hz));
        bool goes_on = n > 0 && list[n - 1].codec.n == name.n && name.n > 0 &&
                       memcmp(list[n - 1].codec.p, name.p, name.n) == 0;
        if (goes_on) {
            list[n - 1].packets += g->packets;
        } else {
            list[n++] = (struct sidetone_segment){name, g->packets};
        }
    }
    out->segments = list;
    out->segment_count = n >= 2 ? n : 0;
}

static void view_intervals(const struct stream *st, enum codec codec, struct sidetone_scratch *s,
                           struct sidetone_stream *out)
{
    struct sidetone_interval *list =
        ARENA_ARRAY(&s->arena, struct sidetone_interval, st->interval_count);
    for (const struct interval_block *b = st->intervals; b; b = b->next) {
        for (uint32_t k = 0; k < b->count; k++) {
            const struct stream_interval *i = &b->intervals[k];
            bool scored = (i->flags & INTERVAL_ENOUGH) && !(i->flags & INTERVAL_COMFORT);
            struct quality q = quality_score(codec, i->lost, (uint64_t)i->packets + i->lost, 1);
            list[out->interval_count++] = (struct sidetone_interval){
                .start_ns = st->start_ns == TIME_NOT_KNOWN_NS
                                ? SIDETONE_UNKNOWN
                                : st->start_ns + (int64_t)i->index * STREAM_INTERVAL_NS,
                .packets = i->packets,
                .lost = i->lost,
                .jitter_ms = i->jitter_ms,
                .mos = scored && !q.missing ? q.mos : NAN,
            };
        }
    }
    out->intervals = list;
}

static void view_jitter(const struct stream *st, struct sidetone_stream *out)
{
    bool measured = st->jitter.count > 0;
    out->jitter_ms = measured ? st->jitter.sum / (double)st->jitter.count / 1e6 : NAN;
    out->jitter_max_ms = measured ? st->jitter.max / 1e6 : NAN;
    out->delta_max_ms = st->unique > 1 ? (double)st->delta_max_ns / 1e6 : NAN;
}

static void view_quality(const struct stream *st, enum codec codec, struct sidetone_stream *out)
{
    out->burst_ratio = quality_burst_ratio(st->settled_lost, out->expected, st->loss_runs);
    struct quality q = quality_score(codec, out->lost, out->expected, out->burst_ratio);
    out->mos = q.missing ? NAN : q.mos;
    out->r_factor = q.missing ? NAN : q.r_factor;
    out->mos_missing = q.missing;
    out->bursts = st->bursts;
}

static size_t list_payload_types(const struct stream *st, uint8_t *out)
{
    size_t n = 0;
    for (unsigned pt = 0; pt < 128; pt++) {
        if (st->payload_types[pt >> 6] >> (pt & 63) & 1) {
            out[n++] = (uint8_t)pt;
        }
    }
    return n;
}

void sidetone_report_stream(const struct sidetone_report *r, size_t index,
                            struct sidetone_scratch *s, struct sidetone_stream *out)
{
    assert(index < r->stream_count);
    const struct report_stream *at = &r->streams[index];
    const struct stream *st = at->stream;
    arena_reset(&s->arena);
    findings_of_stream(st, at->former, at->next, &s->findings);
    const struct stream_segment *g = st->segments;
    enum codec codec = CODEC_UNKNOWN;
    uint32_t clock_hz = 0;
    uint8_t payload_type = g ? g->payload_type : st->payload_type;
    struct slice name = report_codec(map_of(st, g), payload_type, &codec, &clock_hz);
    *out = (struct sidetone_stream){
        .ssrc = st->ssrc,
        .src = endpoint_view(st->src),
        .dst = endpoint_view(st->dst),
        .codec = text_view(name),
        .clock_hz = clock_hz,
        .payload_types = s->payload_types,
        .payload_type_count = list_payload_types(st, s->payload_types),
        .call = at->call,
        .packets = stream_packets(st),
        .unique = st->unique,
        .expected = stream_expected(st),
        .lost = stream_lost(st),
        .duplicates = st->duplicates,
        .reordered = st->reordered,
        .too_late = st->too_late,
        .bytes = st->bytes,
        .start_ns = time_view(st->start_ns),
        .end_ns = time_view(st->end_ns),
        .dtmf = {st->digits,
                 st->digit_count < STREAM_DIGITS_MAX ? st->digit_count : STREAM_DIGITS_MAX},
        .encrypted = st->map && st->map->encrypted,
        .findings = s->findings.items,
        .finding_count = s->findings.count,
    };
    out->loss_percent = 100.0 * (double)out->lost / (double)out->expected;
    if (at->call >= 0) {
        out->call_id = text_view(r->calls[at->call]->call_id);
    }
    view_jitter(st, out);
    view_quality(st, codec, out);
    view_segments(st, s, out);
    view_intervals(st, codec, s, out);
}
