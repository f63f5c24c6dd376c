// Statistics of a report: one walk over its calls, one over its streams, then the percentiles.
//
// Reads only the public views, so that everything that is counted is in the report too; the
// messages alone come from the bins. No name and no order depends on hash_secret: tallies are
// sorted by what they count and by their keys.
#include "count/stats_parts.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

// The statistics with what they are made of. `shown` is first: it is what the caller has.
struct stats {
    struct sidetone_stats shown;
    struct arena arena; // of all that is shown
};

struct making {
    const struct sidetone_report *report;
    const struct sidetone_stats_options *options;
    struct stats *stats;
    struct sidetone_scratch *scratch, *other; // other: of a stream while a call is looked at
    size_t calls, streams;
    struct stats_group total;
    struct tally_set groups;
    uint32_t *group_of_call;
    struct stats_lists lists;
    struct samples pdd, setup, mos;
    struct call_begin *begins;
    size_t begin_count;
};

static bool has_groups(const struct making *m)
{
    return m->options->group_by != SIDETONE_GROUP_BY_NONE;
}

static struct stats_group *group_of(struct making *m, struct slice key)
{
    uint32_t before = m->groups.count;
    struct stats_group *g = tally_item(&m->groups, key);
    if (m->groups.count > before) {
        g->index = before;
    }
    return g;
}

// --- the walk over the calls ---

// Streams are looked at only where somebody asks.
static struct slice codec_of_call(struct making *m, const struct sidetone_call *c)
{
    struct sidetone_stream s;
    for (size_t i = 0; m->options->group_by == SIDETONE_GROUP_BY_CODEC && i < c->stream_count;
         i++) {
        sidetone_report_stream(m->report, c->streams[i], m->other, &s);
        if (s.codec.n > 0) {
            return stats_slice(s.codec);
        }
    }
    return SLICE("");
}

static void add_call(struct making *m, size_t index, const struct sidetone_call *c)
{
    enum stats_outcome outcome = stats_outcome_of(c);
    uint32_t group = 0;
    stats_add_call(&m->total, c, outcome);
    if (has_groups(m)) {
        struct stats_key_room room;
        struct stats_group *g =
            group_of(m, stats_call_key(m->options, c, codec_of_call(m, c), &room));
        stats_add_call(g, c, outcome);
        group = m->group_of_call[index] = g->index;
    }
    if (outcome != OUTCOME_NONE) {
        samples_add(&m->pdd, group, c->pdd_ns);
        samples_add(&m->setup, group, c->setup_ns);
        if (c->start_ns != SIDETONE_UNKNOWN) {
            m->begins[m->begin_count++] = (struct call_begin){c->start_ns, outcome};
        }
    }
    stats_list_call(&m->lists, c);
}

static void walk_calls(struct making *m)
{
    for (size_t i = 0; i < m->calls; i++) {
        struct sidetone_call c;
        sidetone_report_call(m->report, i, m->scratch, &c);
        add_call(m, i, &c);
    }
}

// --- the walk over the streams ---

static struct stats_group *group_of_stream(struct making *m, const struct sidetone_stream *s)
{
    struct stats_key_room room;
    bool has_call = s->call >= 0 && (size_t)s->call < m->calls;
    if (has_call && m->options->group_by != SIDETONE_GROUP_BY_CODEC) {
        return m->groups.items[m->group_of_call[s->call]];
    }
    return group_of(m, stats_stream_key(m->options, s, &room));
}

static void walk_streams(struct making *m)
{
    for (size_t i = 0; i < m->streams; i++) {
        struct sidetone_stream s;
        uint32_t group = 0;
        sidetone_report_stream(m->report, i, m->scratch, &s);
        stats_add_stream(&m->total, &s);
        if (has_groups(m)) {
            struct stats_group *g = group_of_stream(m, &s);
            stats_add_stream(g, &s);
            group = g->index;
        }
        samples_add_mos(&m->mos, group, s.mos);
        stats_list_stream(&m->lists, &s);
    }
}

// --- percentiles ---

static void give_delays(struct making *m, struct samples *s, bool is_setup)
{
    for (size_t begin = 0, end; has_groups(m) && begin < s->count; begin = end) {
        end = samples_run(s, begin);
        struct stats_group *g = m->groups.items[s->list[begin].group];
        struct sidetone_delays *to = is_setup ? &g->shown.numbers.setup : &g->shown.numbers.pdd;
        *to = samples_delays(s, begin, end);
    }
}

// All samples as one group.
static void join_samples(struct samples *s)
{
    for (size_t i = 0; i < s->count; i++) {
        s->list[i].group = 0;
    }
    samples_sort(s);
}

static void finish_groups(struct making *m)
{
    for (uint32_t i = 0; i < m->groups.count; i++) {
        stats_finish_numbers(m->groups.items[i]);
    }
    samples_sort(&m->pdd);
    samples_sort(&m->setup);
    samples_sort(&m->mos);
    give_delays(m, &m->pdd, false);
    give_delays(m, &m->setup, true);
    for (size_t begin = 0, end; begin < m->mos.count; begin = end) {
        end = samples_run(&m->mos, begin);
        struct stats_group *g = m->groups.items[m->mos.list[begin].group];
        struct sidetone_numbers *n = &g->shown.numbers;
        samples_mos(&m->mos, begin, end, &n->mos_p5, &n->mos_min);
    }
}

static void finish_total(struct making *m)
{
    struct sidetone_numbers *n = &m->total.shown.numbers;
    stats_finish_numbers(&m->total);
    join_samples(&m->pdd);
    join_samples(&m->setup);
    join_samples(&m->mos);
    if (m->pdd.count > 0) {
        n->pdd = samples_delays(&m->pdd, 0, m->pdd.count);
    }
    if (m->setup.count > 0) {
        n->setup = samples_delays(&m->setup, 0, m->setup.count);
    }
    if (m->mos.count > 0) {
        samples_mos(&m->mos, 0, m->mos.count, &n->mos_p5, &n->mos_min);
    }
    m->stats->shown.total = *n;
}

// --- the order of groups ---

static int by_size_and_key(const void *left, const void *right)
{
    const struct sidetone_group *a = *(const struct sidetone_group *const *)left;
    const struct sidetone_group *b = *(const struct sidetone_group *const *)right;
    const struct sidetone_numbers *p = &a->numbers, *q = &b->numbers;
    return stats_first_of(stats_falling(p->calls, q->calls), stats_falling(p->others, q->others),
                          stats_by_key(a->key, b->key));
}

static void list_groups(struct making *m)
{
    struct sidetone_stats *out = &m->stats->shown;
    const struct sidetone_group **list =
        ARENA_ARRAY(&m->stats->arena, const struct sidetone_group *, m->groups.count);
    for (uint32_t i = 0; i < m->groups.count; i++) {
        list[i] = &((const struct stats_group *)m->groups.items[i])->shown;
    }
    if (m->groups.count > 1) {
        qsort(list, m->groups.count, sizeof *list, by_size_and_key);
    }
    out->group_by = m->options->group_by;
    out->prefix_digits = m->options->prefix_digits;
    out->groups = list;
    out->group_count = m->groups.count;
}

// --- the whole ---

static void making_init(struct making *m)
{
    m->calls = sidetone_report_calls(m->report);
    m->streams = sidetone_report_streams(m->report);
    m->scratch = sidetone_scratch_new();
    m->other = sidetone_scratch_new();
    m->groups.arena = &m->stats->arena;
    m->groups.item_bytes = sizeof(struct stats_group);
    m->group_of_call = memory_alloc((m->calls + 1) * sizeof *m->group_of_call);
    m->pdd.list = memory_alloc((m->calls + 1) * sizeof *m->pdd.list);
    m->setup.list = memory_alloc((m->calls + 1) * sizeof *m->setup.list);
    m->mos.list = memory_alloc((m->streams + 1) * sizeof *m->mos.list);
    m->begins = memory_alloc((m->calls + 1) * sizeof *m->begins);
    stats_lists_init(&m->lists, &m->stats->arena, m->streams);
}

static void making_fini(struct making *m)
{
    sidetone_scratch_free(m->scratch);
    sidetone_scratch_free(m->other);
    tally_set_fini(&m->groups);
    memory_free(m->group_of_call);
    memory_free(m->pdd.list);
    memory_free(m->setup.list);
    memory_free(m->mos.list);
    memory_free(m->begins);
    stats_lists_fini(&m->lists);
}

const struct sidetone_stats *sidetone_stats_new(const struct sidetone_report *report,
                                                const struct sidetone_stats_options *options)
{
    static const struct sidetone_stats_options DEFAULTS;
    struct making m = {.report = report, .options = options ? options : &DEFAULTS};
    struct message_counts *messages = memory_zero(sizeof *messages);
    hash_secret_init();
    m.stats = memory_zero(sizeof *m.stats);
    arena_init(&m.stats->arena, 64 * 1024);
    making_init(&m);
    walk_calls(&m);
    walk_streams(&m);
    if (has_groups(&m)) {
        finish_groups(&m);
        list_groups(&m);
    }
    finish_total(&m);
    report_message_counts(report, messages);
    stats_lists_finish(&m.lists, messages, &m.stats->shown);
    stats_series(&m.stats->arena, m.begins, m.begin_count, &m.stats->shown);
    making_fini(&m);
    memory_free(messages);
    return &m.stats->shown;
}

void sidetone_stats_free(const struct sidetone_stats *stats)
{
    if (stats) {
        struct stats *s = (struct stats *)(uintptr_t)stats; // ours: shown is its first member
        arena_fini(&s->arena);
        memory_free(s);
    }
}
