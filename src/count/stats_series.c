// Calls by the time at which they began: buckets of a minute, or longer for long captures.
#include "count/stats_parts.h"

#define MINUTE_NS (INT64_C(60) * 1000000000)

// Lengths that a clock has; behind the last they double.
static const int64_t MINUTES[] = {1, 5, 15, 60, 6 * 60, 24 * 60};

static int64_t bucket_of(int64_t time_ns, int64_t bucket_ns)
{
    return time_ns / bucket_ns - (time_ns % bucket_ns < 0);
}

static int64_t choose_bucket(int64_t first_ns, int64_t last_ns)
{
    size_t i = 0;
    int64_t bucket_ns = MINUTES[0] * MINUTE_NS;
    while (bucket_of(last_ns, bucket_ns) - bucket_of(first_ns, bucket_ns) >= SIDETONE_BUCKETS_MAX) {
        i++;
        bucket_ns = i < sizeof MINUTES / sizeof *MINUTES ? MINUTES[i] * MINUTE_NS : bucket_ns * 2;
    }
    return bucket_ns;
}

void stats_series(struct arena *arena, const struct call_begin *calls, size_t count,
                  struct sidetone_stats *out)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        first_ns = calls[i].start_ns < first_ns ? calls[i].start_ns : first_ns;
        last_ns = calls[i].start_ns > last_ns ? calls[i].start_ns : last_ns;
    }
    out->bucket_ns = MINUTE_NS;
    out->peak_start_ns = SIDETONE_UNKNOWN;
    if (count == 0) {
        return;
    }
    out->bucket_ns = choose_bucket(first_ns, last_ns);
    int64_t origin = bucket_of(first_ns, out->bucket_ns);
    out->bucket_count = (size_t)(bucket_of(last_ns, out->bucket_ns) - origin) + 1;
    struct sidetone_bucket *buckets = ARENA_ARRAY(arena, struct sidetone_bucket, out->bucket_count);
    const struct sidetone_bucket **list =
        ARENA_ARRAY(arena, const struct sidetone_bucket *, out->bucket_count);
    for (size_t i = 0; i < out->bucket_count; i++) {
        buckets[i].start_ns = (origin + (int64_t)i) * out->bucket_ns;
        list[i] = &buckets[i];
    }
    for (size_t i = 0; i < count; i++) {
        struct sidetone_bucket *b = &buckets[bucket_of(calls[i].start_ns, out->bucket_ns) - origin];
        b->calls++;
        b->answered += calls[i].outcome == OUTCOME_ANSWERED;
        b->failed += calls[i].outcome == OUTCOME_FAILED;
    }
    for (size_t i = 0; i < out->bucket_count; i++) {
        if (buckets[i].calls > out->peak_calls) {
            out->peak_calls = buckets[i].calls;
            out->peak_start_ns = buckets[i].start_ns;
        }
    }
    out->buckets = list;
}
