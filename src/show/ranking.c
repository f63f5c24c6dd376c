// Points for what went wrong with a call or a stream.
#include "show/ranking.h"

#include "show/thresholds.h"

#include <string.h>

#define NS_PER_S 1e9

// Findings: the first of a severity weighs most, so that a call with ten notes does not stand
// before one that failed.
static uint32_t finding_points(const struct sidetone_finding *findings, size_t count)
{
    static const struct {
        uint32_t first, more, most;
    } weights[] = {
        [SIDETONE_NOTE] = {5, 1, POINTS_OF_NOTES},
        [SIDETONE_WARNING] = {300, 30, 390},
        [SIDETONE_ERROR] = {1000, 100, 1300},
    };
    uint32_t points[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        enum sidetone_severity s = findings[i].severity;
        points[s] += points[s] == 0 ? weights[s].first : weights[s].more;
        if (points[s] > weights[s].most) {
            points[s] = weights[s].most;
        }
    }
    return points[SIDETONE_NOTE] + points[SIDETONE_WARNING] + points[SIDETONE_ERROR];
}

static uint32_t state_points(const struct sidetone_call *c)
{
    static const struct {
        const char *state;
        uint32_t points;
    } table[] = {
        {"failed", 600},   {"calling", 60},    {"registering", 60}, {"waiting", 60},
        {"pending", 60},   {"partial", 40},    {"ringing", 40},     {"busy", 30},
        {"cancelled", 20}, {"redirected", 10},
    };
    for (size_t i = 0; c->state && i < sizeof table / sizeof *table; i++) {
        if (strcmp(c->state, table[i].state) == 0) {
            // A server that broke, or silence, is worse than a refusal.
            bool is_refusal = c->final_code >= 400 && c->final_code < 500 && c->final_code != 408;
            return table[i].points + (i == 0 && !is_refusal ? 200 : 0);
        }
    }
    return 0;
}

// slope x (value - from), at most `most`; nothing where the value is not known or not above `from`.
static uint32_t above(double value, double from, double slope, uint32_t most)
{
    if (!(value > from)) {
        return 0;
    }
    double points = (value - from) * slope;
    return points >= (double)most ? most : (uint32_t)(points + 0.5);
}

uint32_t ranking_call_points(const struct sidetone_call *c)
{
    uint32_t points = finding_points(c->findings, c->finding_count) + state_points(c);
    if (c->pdd_ns != SIDETONE_UNKNOWN && c->pdd_ns > PDD_WARNING_NS) {
        points += 50 + above((double)(c->pdd_ns - PDD_WARNING_NS) / NS_PER_S, 0, 15, 150);
    }
    return points + above(c->retransmissions, 0, 5, 100);
}

// Five bad seconds in an hour are heard, and hardly move the MOS of the hour.
static uint32_t worst_interval_points(const struct sidetone_stream *s)
{
    bool has_one = s->worst_interval >= 0 && (uint64_t)s->worst_interval < s->interval_count;
    return has_one ? above(-s->intervals[s->worst_interval].mos, -MOS_BAD, 50, 100) : 0;
}

uint32_t ranking_stream_points(const struct sidetone_stream *s)
{
    uint32_t points = finding_points(s->findings, s->finding_count);
    points += above(-s->mos, -MOS_WORTH_RANKING, 250, 500); // below it
    points += worst_interval_points(s);
    points += above(s->loss_percent, 0, 40, 400);
    points += above(s->discard_percent, 0, 40, 400);
    points += above(s->jitter_ms, JITTER_WORTH_COUNTING_MS, 2, 200);
    return points + (s->lost > 0) + (s->discarded > 0) + above((double)s->too_late, 0, 1, 10);
}

// The list is short (20), so keeping it sorted beats a heap: most candidates fail the first
// compare.
size_t ranking_top(const uint32_t *points, size_t count, size_t want, size_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at;
        if (n == want && (want == 0 || points[i] <= points[out[n - 1]])) {
            continue;
        }
        at = n < want ? n++ : n - 1;
        while (at > 0 && points[out[at - 1]] < points[i]) {
            out[at] = out[at - 1];
            at--;
        }
        out[at] = i;
    }
    return n;
}
