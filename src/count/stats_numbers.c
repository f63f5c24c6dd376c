// The numbers that a group of calls has: outcomes, ratios, delays, media. ITU-T E.411 and E.425,
// RFC 6076.
#include "count/stats_parts.h"

#include <math.h>
#include <stdlib.h>

// --- outcomes ---

static bool was_start_seen(const struct sidetone_call *c)
{
    for (size_t i = 0; i < c->finding_count; i++) {
        if (stats_is(c->findings[i].name, "start_not_seen")) {
            return false;
        }
    }
    return !stats_is(c->state, "partial");
}

// 480 is what comes of a phone that rang for nobody (RFC 3398 7.2.4.1: causes 18 and 19); 603 and
// 607 (RFC 8197) are the user's no.
static enum stats_outcome outcome_of_final(uint16_t code)
{
    return code == 480                  ? OUTCOME_UNANSWERED
           : code == 603 || code == 607 ? OUTCOME_REJECTED
                                        : OUTCOME_FAILED;
}

enum stats_outcome stats_outcome_of(const struct sidetone_call *c)
{
    static const struct {
        const char *state;
        enum stats_outcome outcome;
    } table[] = {{"answered", OUTCOME_ANSWERED},
                 {"ended", OUTCOME_ANSWERED},
                 {"busy", OUTCOME_BUSY},
                 {"cancelled", OUTCOME_UNANSWERED},
                 {"redirected", OUTCOME_REDIRECTED}};
    if (!stats_is(c->kind, "call") || !was_start_seen(c)) {
        return OUTCOME_NONE;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (stats_is(c->state, table[i].state)) {
            return table[i].outcome;
        }
    }
    return stats_is(c->state, "failed") ? outcome_of_final(c->final_code) : OUTCOME_OPEN;
}

// --- adding ---

static void add_findings(struct sidetone_numbers *n, const struct sidetone_finding *f, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        n->errors += f[i].severity == SIDETONE_ERROR;
        n->warnings += f[i].severity == SIDETONE_WARNING;
        n->notes += f[i].severity == SIDETONE_NOTE;
    }
}

static void add_outcome(struct stats_group *g, const struct sidetone_call *c, enum stats_outcome o)
{
    struct sidetone_numbers *n = &g->shown.numbers;
    bool is_call = stats_is(c->kind, "call");
    n->partial_calls += is_call && o == OUTCOME_NONE;
    n->others += !is_call;
    n->calls += o != OUTCOME_NONE;
    n->answered += o == OUTCOME_ANSWERED;
    n->busy += o == OUTCOME_BUSY;
    n->unanswered += o == OUTCOME_UNANSWERED;
    n->rejected += o == OUTCOME_REJECTED;
    n->redirected += o == OUTCOME_REDIRECTED;
    n->failed += o == OUTCOME_FAILED;
    n->open += o == OUTCOME_OPEN;
    g->user_effects += o == OUTCOME_ANSWERED || o == OUTCOME_BUSY ||
                       (o == OUTCOME_UNANSWERED && c->final_code == 480) ||
                       (o == OUTCOME_REJECTED && c->final_code == 603);
}

void stats_add_call(struct stats_group *g, const struct sidetone_call *c, enum stats_outcome o)
{
    struct sidetone_numbers *n = &g->shown.numbers;
    add_outcome(g, c, o);
    if (o == OUTCOME_ANSWERED && c->duration_ns != SIDETONE_UNKNOWN) {
        n->talk_count++;
        if (__builtin_add_overflow(n->talk_ns, c->duration_ns, &n->talk_ns)) {
            n->talk_ns = INT64_MAX; // durations that cannot be
        }
    }
    n->messages += c->messages;
    n->retransmissions += c->retransmissions;
    add_findings(n, c->findings, c->finding_count);
}

void stats_add_stream(struct stats_group *g, const struct sidetone_stream *s)
{
    struct sidetone_numbers *n = &g->shown.numbers;
    n->streams++;
    n->packets += s->packets;
    n->bytes += s->bytes;
    n->expected += s->expected;
    n->lost += s->lost;
    n->discarded += s->discarded;
    if (!isnan(s->mos)) {
        n->mos_count++;
        g->mos_sum += s->mos;
    }
    add_findings(n, s->findings, s->finding_count);
}

double stats_percent(uint64_t part, uint64_t all)
{
    return all > 0 ? 100.0 * (double)part / (double)all : NAN;
}

void stats_finish_numbers(struct stats_group *g)
{
    struct sidetone_numbers *n = &g->shown.numbers;
    const struct sidetone_delays none = {0, SIDETONE_UNKNOWN, SIDETONE_UNKNOWN, SIDETONE_UNKNOWN,
                                         SIDETONE_UNKNOWN};
    uint64_t effective = n->answered + n->busy + n->unanswered + n->rejected;
    n->asr_percent = stats_percent(n->answered, n->calls);
    n->ner_percent = stats_percent(effective, n->calls);
    n->ser_percent = stats_percent(n->answered, n->calls - n->redirected);
    n->seer_percent = stats_percent(g->user_effects, n->calls - n->redirected);
    n->acd_ns = n->talk_count > 0 ? n->talk_ns / (int64_t)n->talk_count : SIDETONE_UNKNOWN;
    n->loss_percent = stats_percent(n->lost, n->expected);
    n->mos_mean = n->mos_count > 0 ? g->mos_sum / (double)n->mos_count : NAN;
    n->mos_p5 = n->mos_min = NAN;
    n->pdd = n->setup = none;
}

// --- percentiles ---

#define MOS_SCALE 1e9

void samples_add(struct samples *s, uint32_t group, int64_t value)
{
    if (value != SIDETONE_UNKNOWN) {
        s->list[s->count++] = (struct sample){group, value};
    }
}

void samples_add_mos(struct samples *s, uint32_t group, double mos)
{
    if (!isnan(mos)) {
        samples_add(s, group, (int64_t)(mos * MOS_SCALE + 0.5));
    }
}

static int by_group_and_value(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    return a->group != b->group ? (a->group > b->group) - (a->group < b->group)
                                : (a->value > b->value) - (a->value < b->value);
}

void samples_sort(struct samples *s)
{
    if (s->count > 1) {
        qsort(s->list, s->count, sizeof *s->list, by_group_and_value);
    }
}

size_t samples_run(const struct samples *s, size_t begin)
{
    size_t end = begin;
    while (end < s->count && s->list[end].group == s->list[begin].group) {
        end++;
    }
    return end;
}

// The value that `percent` of them are not above.
static int64_t percentile(const struct samples *s, size_t begin, size_t end, unsigned percent)
{
    size_t n = end - begin;
    size_t rank = n / 100 * percent + (n % 100 * percent + 99) / 100; // nearest rank, from 1
    return s->list[begin + (rank > 0 ? rank - 1 : 0)].value;
}

struct sidetone_delays samples_delays(const struct samples *s, size_t begin, size_t end)
{
    return (struct sidetone_delays){
        .count = end - begin,
        .p50_ns = percentile(s, begin, end, 50),
        .p95_ns = percentile(s, begin, end, 95),
        .p99_ns = percentile(s, begin, end, 99),
        .max_ns = s->list[end - 1].value,
    };
}

void samples_mos(const struct samples *s, size_t begin, size_t end, double *p5, double *min)
{
    *p5 = (double)percentile(s, begin, end, 5) / MOS_SCALE;
    *min = (double)s->list[begin].value / MOS_SCALE;
}
