// Tests of the fold of a stream: random scenarios against a naive model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "map_of.h"
#include "stream_model.h"
#include "track/media_bin.h"

#define SCENARIOS 4000
#define STEP_NS   (20 * MS)

static struct model_stream streams[MODEL_STREAMS_MAX];

// --- one random scenario ---

struct scenario {
    struct random rng;
    uint32_t loss, repeat, reorder, late; // of 1,000 packets
    uint32_t distance;                    // of reordering, in packets
    uint32_t restarts;
    bool changes, events, silence, steps;
    uint32_t noise_ms;
    int64_t buffer_ns; // jitter buffer of the listener
    size_t n;
    struct model_packet list[MODEL_PACKETS_MAX];
};

static bool chance(struct scenario *s, uint32_t of_1000)
{
    return random_below(&s->rng, 1000) < of_1000;
}

static void scenario_choose(struct scenario *s, uint64_t seed)
{
    static const uint32_t LOSS[] = {0, 0, 10, 100, 500};
    static const uint32_t DISTANCE[] = {2, 10, 100, 1000};
    static const uint32_t NOISE[] = {0, 0, 30, 30, 200};
    static const int64_t BUFFERS[] = {
        0, 0, 1, 20 * MS, 200 * MS, 3000 * MS, STREAM_BUFFER_ADAPTIVE};
    random_init(&s->rng, seed);
    s->n = 0;
    s->loss = LOSS[random_below(&s->rng, 5)];
    s->repeat = chance(s, 300) ? 50 : 0;
    s->reorder = chance(s, 500) ? (uint32_t)random_below(&s->rng, 200) : 0;
    s->distance = DISTANCE[random_below(&s->rng, 4)];
    s->late = chance(s, 200) ? 5 : 0;
    s->restarts = chance(s, 300) ? 1 + (uint32_t)random_below(&s->rng, 3) : 0;
    if (s->restarts > 0 && s->loss > 0) {
        // The fold keeps no time for each number: a copy of a packet that filled an old gap looks
        // old.
        s->repeat = 0;
    }
    s->changes = chance(s, 300);
    s->events = chance(s, 300);
    s->silence = chance(s, 300);
    s->noise_ms = NOISE[random_below(&s->rng, 5)];
    s->steps = chance(s, 300);
    s->buffer_ns = BUFFERS[random_below(&s->rng, sizeof BUFFERS / sizeof BUFFERS[0])];
}

static void send(struct scenario *s, const struct media_record *r, int64_t end_ns)
{
    uint64_t noise_ns = s->noise_ms ? random_below(&s->rng, s->noise_ms * MS) : 0;
    struct media_record sent = *r;
    if (s->n == MODEL_PACKETS_MAX || chance(s, s->loss)) {
        return;
    }
    sent.time_ns += (int64_t)noise_ns;
    if (chance(s, s->reorder)) {
        sent.time_ns += (int64_t)random_below(&s->rng, s->distance) * STEP_NS;
    } else if (chance(s, s->late)) {
        sent.time_ns += (int64_t)(1000 + random_below(&s->rng, 500)) * STEP_NS;
    }
    sent.time_ns = sent.time_ns < end_ns ? sent.time_ns : end_ns;
    s->list[s->n++] = (struct model_packet){sent, false};
    if (chance(s, s->repeat) && s->n < MODEL_PACKETS_MAX) {
        sent.time_ns += (int64_t)random_below(&s->rng, 100 * MS);
        s->list[s->n++] = (struct model_packet){sent, false};
    }
}

// A run of numbers from `r` on; leaves r where the next number would stand.
static void run(struct scenario *s, struct media_record *r, size_t count)
{
    int64_t end_ns = r->time_ns + (int64_t)count * STEP_NS;
    uint8_t media = 0;
    for (size_t i = 0; i < count; i++) {
        bool event = s->events && i % 97 > 90;
        if (s->changes && chance(s, 3)) {
            media = (uint8_t)(8 - media);
        }
        if (s->silence && chance(s, 5)) {
            r->payload_type = 13;
            send(s, r, end_ns);
            r->sequence++;
            r->time_ns += 1500 * MS;
            r->timestamp += 12000;
            end_ns += 1500 * MS;
            r->marker = true;
        }
        if (chance(s, 1)) { // an outage
            uint16_t missing = (uint16_t)random_below(&s->rng, STREAM_DROPOUT_MAX);
            r->sequence = (uint16_t)(r->sequence + missing);
            r->timestamp += missing * 160u;
        }
        if (s->steps && chance(s, 3)) { // the delay changes, for good
            int64_t step_ns =
                (int64_t)random_below(&s->rng, 400) * MS - (r->time_ns > end_ns ? 0 : 100 * MS);
            r->time_ns += step_ns;
            end_ns += step_ns;
        }
        r->payload_type = event ? 101 : media;
        r->payload_n = event ? 4 : 160;
        r->head = event ? 5u << 24 | 160 : 0;
        send(s, r, end_ns);
        r->marker = false;
        r->sequence++;
        r->timestamp += 160;
        r->time_ns += STEP_NS;
    }
    r->time_ns = end_ns + 200 * MS;
}

static int by_time(const void *left, const void *right)
{
    const struct model_packet *a = left;
    const struct model_packet *b = right;
    if (a->r.time_ns != b->r.time_ns) {
        return a->r.time_ns < b->r.time_ns ? -1 : 1;
    }
    return a->r.order.at < b->r.order.at ? -1 : a->r.order.at > b->r.order.at;
}

static void scenario_make(struct scenario *s)
{
    struct media_record r = {
        .src = {{0, 1}, 4000},
        .dst = {{0, 2}, 5000},
        .time_ns = CAPTURE_START_NS,
        .ssrc = 7,
        .marker = true,
        .ttl = 64,
    };
    r.sequence = (uint16_t)random_u64(&s->rng);
    r.timestamp = (uint32_t)random_u64(&s->rng);
    struct media_record first = r;
    run(s, &r, 20 + random_below(&s->rng, 2000));
    for (uint32_t i = 0; i < s->restarts; i++) {
        bool again = chance(s, 500);
        bool offer = chance(s, 500);
        if (offer && s->n < MODEL_PACKETS_MAX) {
            s->list[s->n++] = (struct model_packet){r, true};
        }
        r.time_ns += offer ? 100 * MS : 3000 * MS;
        r.timestamp = first.timestamp;
        r.sequence = again ? first.sequence : (uint16_t)random_u64(&s->rng);
        r.marker = true;
        run(s, &r, 20 + random_below(&s->rng, 1500));
    }
    for (size_t i = 0; i < s->n; i++) {
        s->list[i].r.order.at = i;
        s->list[i].r.ip_id = (uint16_t)i;
    }
    qsort(s->list, s->n, sizeof s->list[0], by_time);
}

// --- the fold and the model ---

static const struct payload_map *the_map(struct arena *arena)
{
    static const struct {
        uint8_t payload_type;
        enum codec codec;
    } FORMATS[] = {{0, CODEC_PCMU}, {8, CODEC_PCMA}, {13, CODEC_CN}, {101, CODEC_EVENT}};
    struct payload_map_table table = {.arena = arena};
    struct sdp_media media = {.format_count = 4};
    for (size_t i = 0; i < 4; i++) {
        media.formats[i].payload_type = FORMATS[i].payload_type;
        media.formats[i].codec = FORMATS[i].codec;
        media.formats[i].clock_hz = 8000;
    }
    const struct payload_map *map = map_of(&table, &media);
    payload_maps_fini(&table); // the map itself lies in the arena
    return map;
}

static void fold(const struct scenario *s, struct media_bin *b, struct arena *arena)
{
    struct media_news a = {.endpoint = {{0, 2}, 5000}, .what.map = the_map(arena)};
    a.order.time_ns = CAPTURE_START_NS;
    media_bin_init(b);
    b->jitter_buffer_ns = s->buffer_ns;
    media_bin_announce(b, &a);
    for (size_t i = 0; i < s->n; i++) {
        if (s->list[i].is_offer) {
            a.what.cseq++;
            a.order.time_ns = s->list[i].r.time_ns;
            media_bin_announce(b, &a);
        } else {
            media_bin_packet(b, &s->list[i].r);
        }
    }
    media_bin_finish(b);
}

#define SAME(what, have, want)                                                                     \
    do {                                                                                           \
        if ((uint64_t)(have) != (uint64_t)(want)) {                                                \
            fail_msg("seed %llu, stream %zu: %s is %lld, by definition %lld",                      \
                     (unsigned long long)seed, at, what, (long long)(have), (long long)(want));    \
        }                                                                                          \
    } while (0)

static void compare_intervals(const struct stream *s, const struct model_stream *m, uint64_t seed,
                              size_t at)
{
    size_t n = 0;
    SAME("count of intervals", s->interval_count, m->interval_count);
    struct interval_walk w;
    const struct stream_interval *i = interval_first(&w, s->last_block, s->interval_count);
    for (; i; i = interval_next(&w), n++) {
        struct interval_numbers have = interval_numbers(i);
        SAME("index of an interval", i->index, m->intervals[n].index);
        SAME("packets of an interval", have.packets, m->intervals[n].packets);
        SAME("losses of an interval", have.lacks.lost, m->intervals[n].lost);
        SAME("discarded of an interval", have.lacks.discarded, m->intervals[n].discarded);
    }
}

static void compare_segments(const struct stream *s, const struct model_stream *m, uint64_t seed,
                             size_t at)
{
    size_t n = 0;
    SAME("count of segments", s->segment_count, m->segment_count);
    for (const struct stream_segment *g = stream_segments(s); g;
         g = stream_next_segment(s, g), n++) {
        SAME("payload type of a segment", g->payload_type, m->segments[n].payload_type);
        SAME("packets of a segment", g->packets, m->segments[n].packets);
    }
}

// The next gap in which something is missing, from place *at on; NULL: no more.
static const struct stream_gap *gap_after(const struct stream *s, uint32_t *at)
{
    while (stream_gaps(s) && *at < stream_gaps(s)->count) {
        const struct stream_gap *g = &stream_gaps(s)->list[(*at)++];
        if (g->missing > 0) {
            return g;
        }
    }
    return NULL;
}

static void compare_lacking(const struct stream *s, const struct model_stream *m, uint64_t seed,
                            size_t at)
{
    static const struct stream_lacking NOTHING;
    const struct stream_lacking *l = s->lacking ? s->lacking : &NOTHING;
    SAME("discarded", stream_discarded(s), m->discarded);
    SAME("lacking", l->count, m->lacking);
    SAME("lacking by its parts", l->count, stream_lost(s) + stream_discarded(s));
    SAME("runs", l->runs, m->runs);
    SAME("longest run", l->run_max, m->run_max);
    SAME("end of the longest run", l->run_max_at, m->run_max_at);
    SAME("bursts", l->bursts, m->bursts);
    SAME("lacking in bursts", l->burst_lacking, m->burst_lacking);
    SAME("length of bursts", l->burst_numbers, m->burst_numbers);
    SAME("burst at the start", l->bursts > 0 && l->burst_first == s->base_ext,
         m->begins_with_burst);
    SAME("burst at the end", l->bursts > 0 && l->burst_last == s->max_ext, m->ends_with_burst);
    if (m->gap_count > STREAM_GAPS_MAX) {
        return; // which are kept depends on which were filled in time
    }
    uint32_t n = 0;
    for (size_t g = 0; g < m->gap_count; g++) {
        const struct model_gap *want = &m->gaps[g];
        if (want->lost > 0) {
            const struct stream_gap *have = gap_after(s, &n);
            SAME("a gap", have != NULL, true);
            SAME("beginning of a gap", have->from_ns, want->from_ns);
            SAME("end of a gap", have->to_ns, want->to_ns);
            SAME("number behind a gap", have->first_ext + have->length,
                 s->first_ext + want->end - MODEL_SLACK);
            SAME("lost in a gap", have->missing, want->lost);
        }
    }
    SAME("one more gap", gap_after(s, &n) != NULL, false);
}

static void compare(const struct stream *s, struct model_stream *m, uint64_t seed, size_t at,
                    int64_t buffer_ns)
{
    model_evaluate(m, 8000, buffer_ns);
    SAME("unique", s->unique, m->unique);
    SAME("duplicates", stream_extras(s)->duplicates, m->duplicates);
    SAME("reordered", stream_extras(s)->reordered, m->reordered);
    SAME("too_late", stream_extras(s)->too_late, m->too_late);
    SAME("expected", stream_expected(s), m->expected);
    SAME("lost", stream_lost(s), m->lost);
    SAME("bytes", s->bytes, m->bytes);
    SAME("end", stream_end_ns(s), m->end_ns);
    SAME("delta_max", s->delta_max_ns, m->delta_max_ns);
    SAME("jitter steps", s->jitter.count, m->jitter_count);
    double mean = s->jitter.count > 0 ? s->jitter.sum / (double)s->jitter.count : 0;
    if (fabs(mean - m->jitter) > 1 + m->jitter * 1e-9 ||
        fabs(s->jitter.max - m->jitter_max) > 1 + m->jitter_max * 1e-9) {
        fail_msg("seed %llu, stream %zu: jitter is %f, %f ns, by definition %f, %f",
                 (unsigned long long)seed, at, mean, s->jitter.max, m->jitter, m->jitter_max);
    }
    compare_lacking(s, m, seed, at);
    compare_intervals(s, m, seed, at);
    compare_segments(s, m, seed, at);
}

static void check_scenario(struct scenario *s, uint64_t seed)
{
    struct media_bin b;
    struct arena arena;
    scenario_choose(s, seed);
    scenario_make(s);
    for (size_t i = 0; i < MODEL_STREAMS_MAX; i++) {
        memset((char *)&streams[i] + offsetof(struct model_stream, count), 0,
               sizeof streams[i] - offsetof(struct model_stream, count));
    }
    arena_init(&arena, 4096);
    fold(s, &b, &arena);
    memcpy(streams[0].list, s->list, s->n * sizeof s->list[0]);
    streams[0].count = s->n;
    size_t at = 0, count = s->n > 0 ? model_split(streams) : 0;
    SAME("count of streams", b.stream_count, count);
    for (; at < count; at++) {
        compare(b.streams[at], &streams[at], seed, at, s->buffer_ns);
    }
    media_bin_fini(&b);
    arena_fini(&arena);
}

static void stream_of_a_random_scenario_is_what_the_definitions_say(void **state)
{
    (void)state;
    static struct scenario s;
    uint64_t seed = capture_seed("track_stream", 1);
    size_t rounds = capture_rounds(SCENARIOS);
    for (size_t i = 0; i < rounds; i++) {
        check_scenario(&s, seed + i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_of_a_random_scenario_is_what_the_definitions_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
