// One walk over a report that gathers what its summary says.
#include "show/overview.h"

#include "base/memory.h"
#include "show/ranking.h"
#include "show/text_put.h"
#include "show/thresholds.h"

#include <stdlib.h>

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
            t->text = text_slice(f[i].text);
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
    if (s->call >= 0 && (size_t)s->call < o->calls) {
        uint32_t *worst = &o->call_points[s->call];
        *worst = o->stream_points[index] > *worst ? o->stream_points[index] : *worst;
    }
    gather_findings(o, s->findings, s->finding_count, index, true);
}

static void gather_call(struct overview *o, size_t index, const struct sidetone_call *c)
{
    struct slice kind = slice_str(c->kind), state = slice_str(c->state);
    o->call_points[index] += ranking_call_points(c); // its worst stream is there already
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

struct overview *overview_new(const struct sidetone_report *r)
{
    struct overview *o = memory_zero(sizeof *o);
    struct sidetone_scratch *scratch = sidetone_scratch_new();
    o->calls = sidetone_report_calls(r);
    o->streams = sidetone_report_streams(r);
    o->worst_loss = o->worst_jitter = o->streams;
    o->call_points = memory_zero(o->calls * sizeof *o->call_points);
    o->stream_points = memory_zero(o->streams * sizeof *o->stream_points);
    o->pdd.values = memory_alloc(o->calls * sizeof *o->pdd.values);
    o->mos.values = memory_alloc(o->streams * sizeof *o->mos.values);
    for (size_t i = 0; i < o->streams; i++) { // before the calls, which look at their worst stream
        struct sidetone_stream s;
        sidetone_report_stream(r, i, scratch, &s);
        gather_stream(o, i, &s);
    }
    for (size_t i = 0; i < o->calls; i++) {
        struct sidetone_call c;
        sidetone_report_call(r, i, scratch, &c);
        gather_call(o, i, &c);
    }
    if (o->pdd.count > 1) {
        qsort(o->pdd.values, o->pdd.count, sizeof *o->pdd.values, by_value);
    }
    if (o->mos.count > 1) {
        qsort(o->mos.values, o->mos.count, sizeof *o->mos.values, by_value);
    }
    sort_tallies(&o->states, by_count);
    sort_tallies(&o->failures, by_count);
    sort_tallies(&o->findings, by_weight);
    sidetone_scratch_free(scratch);
    return o;
}

void overview_free(struct overview *o)
{
    if (o) {
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
