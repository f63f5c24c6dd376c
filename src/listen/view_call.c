// The public view of a call, filled on demand from what the trackers keep.
#include "listen/view.h"

#include <assert.h>

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
            up_to = stream_end_ns(s) > up_to ? stream_end_ns(s) : up_to;
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
        contacts[out->contact_count++] =
            (struct sidetone_contact){text_view(kept_text(&at->uri)), count_view(at->expires_s)};
    }
    out->user_agents = agents;
    out->contacts = contacts;
}

// The call's streams that are of one branch, ascending.
static uint32_t *streams_of_branch(const struct sidetone_report *r, const struct sidetone_call *c,
                                   int branch, struct sidetone_scratch *s, size_t *count)
{
    uint32_t *list = NULL;
    size_t n = 0;
    for (size_t i = 0; i < c->stream_count; i++) {
        n += r->streams[c->streams[i]].branch == branch;
    }
    list = n > 0 ? ARENA_ARRAY(&s->arena, uint32_t, n) : NULL;
    *count = 0;
    for (size_t i = 0; i < c->stream_count && *count < n; i++) {
        if (r->streams[c->streams[i]].branch == branch) {
            list[(*count)++] = c->streams[i];
        }
    }
    return list;
}

static void view_branches(const struct sidetone_report *r, const struct call *c,
                          struct sidetone_scratch *s, struct sidetone_call *out)
{
    unsigned heard = call_branches_heard(c);
    if (heard < 2) {
        return;
    }
    struct sidetone_branch *list = ARENA_ARRAY(&s->arena, struct sidetone_branch, heard);
    for (const struct call_branch *b = c->branches; b; b = b->next) {
        if (b->is_only_named) {
            continue;
        }
        struct sidetone_branch *at = &list[out->branch_count];
        *at = (struct sidetone_branch){text_view(kept_text(&b->to_tag)), call_branch_state(c, b),
                                       b->final_code, NULL, 0};
        at->streams = streams_of_branch(r, out, (int)out->branch_count, s, &at->stream_count);
        out->branch_count++;
    }
    out->branches = list;
}

// A hold that nobody ended lasts as long as the call; where that is not known, so is this.
static void view_holds(const struct call *c, struct sidetone_scratch *s, struct sidetone_call *out)
{
    if (!call_first_hold(c->media)) {
        return;
    }
    struct sidetone_hold *list =
        ARENA_ARRAY(&s->arena, struct sidetone_hold, c->media->holds->count);
    for (const struct call_hold *h = c->media->holds->first; h; h = h->next) {
        int64_t end_ns = h->end_ns != TIME_NOT_SEEN ? h->end_ns : c->bye_ns;
        list[out->hold_count++] =
            (struct sidetone_hold){time_view(h->start_ns), span_of(h->start_ns, end_ns),
                                   side_name(h->by_caller ? BY_CALLER : BY_CALLEE)};
    }
    out->holds = list;
}

static const char *ended_by(const struct call *c, const struct call_ending *ending)
{
    if (ending->by_timer || ending->by_media) {
        return ending->by_timer ? "timer" : "media";
    }
    if (call_state(c) != STATE_ENDED) {
        return NULL;
    }
    return c->ended_by == (BY_CALLER | BY_CALLEE) ? "both" : side_name(c->ended_by);
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

static void find_findings(const struct sidetone_report *r, const struct call *c,
                          const struct call_ending *ending, struct finding_list *out)
{
    findings_of_call(c, r->engine.totals.last_ns, out);
    if (ending->timer_ran_out) {
        findings_session_timer(out, ending->timer_at);
    }
    if (ending->media_stopped) {
        findings_media_stopped(out, ending->media_at);
    }
}

void sidetone_report_call(const struct sidetone_report *r, size_t index, struct sidetone_scratch *s,
                          struct sidetone_call *out)
{
    assert(index < r->call_count);
    const struct call *c = r->calls[index];
    arena_reset(&s->arena);
    struct call_ending ending = report_ending(r, index);
    find_findings(r, c, &ending, &s->findings);
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
        .ended_by = ended_by(c, &ending),
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
    view_branches(r, c, s, out);
    view_holds(c, s, out);
    view_path(c, s, out);
    view_legs(r, (uint32_t)index, s, out);
    view_hops(c, s, out);
    view_extras(c, s, out);
}
