// Walks over a report that gather what its summary says: each thread has a part of the streams,
// then one of the calls, and what the parts say is put together in their order.
#include "show/overview.h"

#include "base/memory.h"
#include "base/team.h"
#include "show/ranking.h"
#include "show/text_put.h"
#include "show/thresholds.h"

#include <stdlib.h>

// Calls and streams of a thread. Not fewer: to make a thread takes as long as some hundred of them.
#define PART_ITEMS_MIN 1024
#define PARTS_MAX      16

static struct tally *tally(struct tallies *all, struct slice group, struct slice name,
                           uint32_t code)
{
    for (size_t i = 0; i < all->count; i++) {
        struct tally *t = &all->list[i];
        if (t->code == code && slice_eq(t->name, name) && slice_eq(t->group, group)) {
            t->count++;
            return t;
        }
    }
    if (all->count == OVERVIEW_TALLIES_MAX) {
        all->more++;
        return NULL;
    }
    struct tally *t = &all->list[all->count++];
    *t = (struct tally){.name = name, .group = group, .code = code, .count = 1};
    return t;
}

static void example(struct tally *t, size_t index, bool is_stream)
{
    if (t && t->example_count < OVERVIEW_EXAMPLES) {
        t->examples[t->example_count] = index;
        t->is_stream[t->example_count++] = is_stream;
    }
}

static void gather_findings(struct overview *o, const struct sidetone_finding *f, size_t count,
                            size_t index, bool is_stream)
{
    for (size_t i = 0; i < count; i++) {
        struct tally *t = tally(&o->findings, (struct slice){NULL, 0}, slice_str(f[i].name),
                                (uint32_t)f[i].severity);
        if (t && t->count == 1) {
            t->text = arena_slice(&o->texts, text_slice(f[i].text)); // it is its view's
        }
        example(t, index, is_stream);
    }
}

static void gather_stream(struct overview *o, size_t index, const struct sidetone_stream *s)
{
    o->stream_points[index] = ranking_stream_points(s);
    o->packets_lost += s->lost;
    o->packets_expected += s->expected;
    o->streams_with_loss += s->lost > 0;
    o->packets_discarded += s->discarded;
    o->streams_with_discarded += s->discarded > 0;
    o->streams_with_jitter += s->jitter_ms > JITTER_WORTH_COUNTING_MS;
    o->streams_without_call += s->call < 0;
    if (s->mos == s->mos) {
        o->mos.values[o->mos.count++] = (int64_t)(s->mos * 1000 + 0.5);
    } else {
        o->streams_without_mos++;
    }
    if (s->loss_percent > o->worst_loss_percent) {
        o->worst_loss_percent = s->loss_percent;
        o->worst_loss = index;
    }
    if (s->jitter_ms > o->worst_jitter_ms) {
        o->worst_jitter_ms = s->jitter_ms;
        o->worst_jitter = index;
    }
    gather_findings(o, s->findings, s->finding_count, index, true);
}

static void gather_call(struct overview *o, size_t index, const struct sidetone_call *c)
{
    struct slice kind = slice_str(c->kind), state = slice_str(c->state);
    uint32_t worst = 0;
    for (size_t i = 0; i < c->stream_count; i++) { // their points are there already
        uint32_t points = o->stream_points[c->streams[i]];
        worst = points > worst ? points : worst;
    }
    o->call_points[index] = worst + ranking_call_points(c);
    o->retransmissions += c->retransmissions;
    example(tally(&o->states, kind, state, 0), index, false);
    if (slice_eq(state, SLICE("failed"))) {
        example(tally(&o->failures, kind, text_slice(c->reason), c->final_code), index, false);
    }
    if (c->pdd_ns != SIDETONE_UNKNOWN && slice_eq(kind, SLICE("call"))) {
        o->pdd.values[o->pdd.count++] = c->pdd_ns;
    }
    gather_findings(o, c->findings, c->finding_count, index, false);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Gravest first, then most frequent, then first seen.
static int by_weight(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    if (x->code != y->code) {
        return x->code < y->code ? 1 : -1;
    }
    if (x->count != y->count) {
        return x->count < y->count ? 1 : -1;
    }
    return x->examples[0] < y->examples[0] ? -1 : x->examples[0] > y->examples[0];
}

static int by_count(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    if (x->count != y->count) {
        return x->count < y->count ? 1 : -1;
    }
    return x->examples[0] < y->examples[0] ? -1 : x->examples[0] > y->examples[0];
}

static void sort_tallies(struct tallies *all, int (*order)(const void *, const void *))
{
    qsort(all->list, all->count, sizeof *all->list, order);
}

// --- parts ---

// Its overview has lists and counts of its own; points and values go to their place in the whole.
struct part {
    struct overview o;
    const struct sidetone_report *report;
    size_t stream_begin, stream_end, call_begin, call_end;
};

static void gather_streams(void *context, unsigned number)
{
    struct part *p = (struct part *)context + number;
    struct sidetone_scratch *scratch = sidetone_scratch_new();
    for (size_t i = p->stream_begin; i < p->stream_end; i++) {
        struct sidetone_stream s;
        sidetone_report_stream(p->report, i, scratch, &s);
        gather_stream(&p->o, i, &s);
    }
    sidetone_scratch_free(scratch);
}

static void gather_calls(void *context, unsigned number)
{
    struct part *p = (struct part *)context + number;
    struct sidetone_scratch *scratch = sidetone_scratch_new();
    for (size_t i = p->call_begin; i < p->call_end; i++) {
        struct sidetone_call c;
        sidetone_report_call(p->report, i, scratch, &c);
        gather_call(&p->o, i, &c);
    }
    sidetone_scratch_free(scratch);
}

// A list that was full may have left out what a part before it had listed already.
static bool is_full(const struct overview *o)
{
    return o->states.more > 0 || o->failures.more > 0 || o->findings.more > 0;
}

static void add_tallies(struct overview *o, struct tallies *all, const struct tallies *part)
{
    for (size_t i = 0; i < part->count; i++) {
        const struct tally *from = &part->list[i];
        struct tally *t = tally(all, from->group, from->name, from->code);
        if (!t) {
            all->more += from->count - 1;
            continue;
        }
        if (t->count == 1) {
            t->text = arena_slice(&o->texts, from->text);
        }
        t->count += from->count - 1;
        for (size_t k = 0; k < from->example_count; k++) {
            example(t, from->examples[k], from->is_stream[k]);
        }
    }
}

static void add_spread(struct spread *s, const struct spread *part)
{
    memmove(s->values + s->count, part->values, part->count * sizeof *s->values);
    s->count += part->count;
}

static void add_part(struct overview *o, const struct overview *part)
{
    add_tallies(o, &o->states, &part->states);
    add_tallies(o, &o->failures, &part->failures);
    add_spread(&o->pdd, &part->pdd);
    add_spread(&o->mos, &part->mos);
    o->retransmissions += part->retransmissions;
    o->streams_with_loss += part->streams_with_loss;
    o->streams_with_jitter += part->streams_with_jitter;
    o->streams_without_mos += part->streams_without_mos;
    o->streams_without_call += part->streams_without_call;
    o->packets_lost += part->packets_lost;
    o->packets_expected += part->packets_expected;
    o->packets_discarded += part->packets_discarded;
    o->streams_with_discarded += part->streams_with_discarded;
    if (part->worst_loss_percent > o->worst_loss_percent) {
        o->worst_loss_percent = part->worst_loss_percent;
        o->worst_loss = part->worst_loss;
    }
    if (part->worst_jitter_ms > o->worst_jitter_ms) {
        o->worst_jitter_ms = part->worst_jitter_ms;
        o->worst_jitter = part->worst_jitter;
    }
}

static void begin_part(struct part *p, const struct sidetone_report *r, const struct overview *o,
                       unsigned number, unsigned count)
{
    *p = (struct part){
        .report = r,
        .stream_begin = o->streams * number / count,
        .stream_end = o->streams * (number + 1) / count,
        .call_begin = o->calls * number / count,
        .call_end = o->calls * (number + 1) / count,
    };
    p->o.calls = o->calls;
    p->o.streams = p->o.worst_loss = p->o.worst_jitter = o->streams;
    p->o.call_points = o->call_points;
    p->o.stream_points = o->stream_points;
    p->o.pdd.values = o->pdd.values + p->call_begin;
    p->o.mos.values = o->mos.values + p->stream_begin;
    arena_init(&p->o.texts, 1024);
}

// Gathers in `count` parts. Returns false where that is not the same as in one.
static bool gather(struct overview *o, const struct sidetone_report *r, unsigned count)
{
    struct part *parts = memory_alloc(count * sizeof *parts);
    struct team *team = team_new(count);
    bool is_good = true;
    for (unsigned i = 0; i < count; i++) {
        begin_part(&parts[i], r, o, i, count);
    }
    team_run(team, count, gather_streams, parts);
    for (unsigned i = 0; i < count; i++) { // all streams stand before the calls
        is_good = is_good && (count == 1 || !is_full(&parts[i].o));
        add_tallies(o, &o->findings, &parts[i].o.findings);
        o->findings.more += parts[i].o.findings.more;
        parts[i].o.findings = (struct tallies){.count = 0};
    }
    team_run(team, count, gather_calls, parts);
    for (unsigned i = 0; i < count; i++) {
        is_good = is_good && (count == 1 || !is_full(&parts[i].o));
        add_tallies(o, &o->findings, &parts[i].o.findings);
        o->findings.more += parts[i].o.findings.more;
        o->states.more += parts[i].o.states.more;
        o->failures.more += parts[i].o.failures.more;
        add_part(o, &parts[i].o);
        arena_fini(&parts[i].o.texts);
    }
    team_free(team);
    memory_free(parts);
    return is_good;
}

static struct overview *begin(const struct sidetone_report *r)
{
    struct overview *o = memory_zero(sizeof *o);
    arena_init(&o->texts, 1024);
    o->calls = sidetone_report_calls(r);
    o->streams = sidetone_report_streams(r);
    o->worst_loss = o->worst_jitter = o->streams;
    o->call_points = memory_alloc(o->calls * sizeof *o->call_points);
    o->stream_points = memory_alloc(o->streams * sizeof *o->stream_points);
    o->pdd.values = memory_alloc(o->calls * sizeof *o->pdd.values);
    o->mos.values = memory_alloc(o->streams * sizeof *o->mos.values);
    return o;
}

static void sort_values(struct spread *s)
{
    if (s->count > 1) {
        qsort(s->values, s->count, sizeof *s->values, by_value);
    }
}

struct overview *overview_new(const struct sidetone_report *r, unsigned cores)
{
    struct overview *o = begin(r);
    size_t parts = (o->calls + o->streams) / PART_ITEMS_MIN;
    cores = cores > 0 ? cores : team_processors();
    parts = parts < cores ? parts : cores;
    parts = parts < 1 ? 1 : parts < PARTS_MAX ? parts : PARTS_MAX;
    if (!gather(o, r, (unsigned)parts)) {
        overview_free(o);
        o = begin(r);
        gather(o, r, 1);
    }
    sort_values(&o->pdd);
    sort_values(&o->mos);
    sort_tallies(&o->states, by_count);
    sort_tallies(&o->failures, by_count);
    sort_tallies(&o->findings, by_weight);
    return o;
}

void overview_free(struct overview *o)
{
    if (o) {
        arena_fini(&o->texts);
        memory_free(o->call_points);
        memory_free(o->stream_points);
        memory_free(o->pdd.values);
        memory_free(o->mos.values);
        memory_free(o);
    }
}

int64_t spread_percentile(const struct spread *s, unsigned percent)
{
    size_t rank = (s->count * percent + 99) / 100; // nearest rank
    return s->values[rank > 0 ? rank - 1 : 0];
}
