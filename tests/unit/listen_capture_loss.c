// Tests of doubt about the capture: streams with gaps at the same moment, at others, and very many
// of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "capture.h"
#include "listen/report.h"

#define SEED 75

// A report with nothing but streams.
struct fake {
    struct sidetone_report *r;
    struct stream *streams;
    struct stream_gaps *gaps;
    struct stream_lacking *lacking;
};

static struct fake fake_new(size_t count, int64_t length_ns)
{
    struct fake f = {memory_zero(sizeof *f.r), memory_zero(count * sizeof *f.streams),
                     memory_zero(count * sizeof *f.gaps), memory_zero(count * sizeof *f.lacking)};
    arena_init(&f.r->arena, 4096);
    f.r->streams = memory_zero(count * sizeof *f.r->streams);
    f.r->stream_count = count;
    for (size_t i = 0; i < count; i++) {
        struct stream *s = &f.streams[i];
        s->src_address.lo = 1 + i % 2;
        s->dst_address.lo = 2 - i % 2;
        s->start_ns = CAPTURE_START_NS;
        s->last_arrival_ns = CAPTURE_START_NS + length_ns;
        s->lacking = &f.lacking[i];
        s->lacking->gaps = &f.gaps[i];
        f.r->streams[i] = (struct report_stream){.stream = s, .call = -1};
    }
    return f;
}

static void fake_free(struct fake *f)
{
    memory_free(f->r->streams);
    arena_fini(&f->r->arena);
    memory_free(f->r);
    memory_free(f->streams);
    memory_free(f->gaps);
    memory_free(f->lacking);
}

// `missing` packets of 20 ms, the first of which would have come at at_ns.
static void gap(struct fake *f, size_t stream, int64_t at_ns, uint32_t missing)
{
    struct stream_gaps *g = &f->gaps[stream];
    if (g->count < STREAM_GAPS_MAX) {
        int64_t from_ns = CAPTURE_START_NS + at_ns - 20 * MS;
        g->list[g->count] = (struct stream_gap){.from_ns = from_ns,
                                                .to_ns = from_ns + (missing + 1) * 20 * MS,
                                                .length = missing,
                                                .missing = missing,
                                                .at = stream * 1000 + g->count + 1};
        g->count++;
    }
}

static size_t doubted(const struct fake *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->r->stream_count; i++) {
        n += f->r->streams[i].capture_loss != NULL;
    }
    return n;
}

static void capture_loss_of_all_streams_is_told_with_their_numbers(void **state)
{
    (void)state;
    struct fake f = fake_new(9, 10000 * MS);
    for (size_t i = 0; i < 9; i++) {
        gap(&f, i, (1000 + 2 * (int64_t)i) * MS, 1);
    }
    report_capture_loss(f.r);
    assert_int_equal(doubted(&f), 9);
    assert_string_equal(f.r->streams[4].capture_loss,
                        "Packets are missing at the same moment in 9 of 9 streams: the capture "
                        "lost them, probably not the network.");
    assert_int_equal(f.r->streams[4].capture_loss_at, 4001);
    fake_free(&f);
}

// Two of three must lack packets; streams that are over or not yet there do not count.
static void capture_loss_needs_most_of_the_active_streams(void **state)
{
    (void)state;
    for (size_t lacking = 0; lacking <= 9; lacking++) {
        for (size_t active = 9; active <= 12; active++) {
            struct fake f = fake_new(20, 10000 * MS);
            for (size_t i = 0; i < 20; i++) {
                if (i < lacking) {
                    gap(&f, i, 5000 * MS, 3);
                } else if (i >= active && i % 2 == 0) {
                    f.streams[i].last_arrival_ns = CAPTURE_START_NS + 4900 * MS;
                } else if (i >= active) {
                    f.streams[i].start_ns = CAPTURE_START_NS + 5100 * MS;
                }
            }
            report_capture_loss(f.r);
            bool is_enough = lacking >= 3 && 3 * lacking >= 2 * active;
            assert_int_equal(doubted(&f), is_enough ? lacking : 0);
            fake_free(&f);
        }
    }
}

static void capture_loss_of_one_way_needs_the_word_of_the_capture(void **state)
{
    (void)state;
    for (uint64_t dropped = 0; dropped < 2; dropped++) {
        struct fake f = fake_new(6, 10000 * MS);
        f.r->capture.dropped = dropped;
        for (size_t i = 0; i < 6; i++) {
            f.streams[i].src_address.lo = 1; // to two addresses, but from one
            gap(&f, i, 1000 * MS, 5);
        }
        report_capture_loss(f.r);
        assert_int_equal(doubted(&f), dropped ? 6 : 0);
        fake_free(&f);
    }
}

static void gaps_without_a_moment_are_passed_over(void **state)
{
    (void)state;
    struct fake f = fake_new(6, 10000 * MS);
    for (size_t i = 0; i < 6; i++) {
        gap(&f, i, 1000 * MS, 5);
        struct stream_gap *g = &f.gaps[i].list[0];
        if (i % 3 == 0) {
            g->missing = 0; // all came after all
        } else if (i % 3 == 1) {
            g->from_ns = g->to_ns + 1; // the clock stepped back
        } else {
            g->from_ns = TIME_NOT_KNOWN_NS;
        }
    }
    report_capture_loss(f.r);
    assert_int_equal(doubted(&f), 0);
    for (size_t i = 0; i < 6; i++) { // times as far apart as they can be
        f.gaps[i].list[0] = (struct stream_gap){.from_ns = TIME_NOT_KNOWN_NS + 1,
                                                .to_ns = TIME_MAX_NS,
                                                .length = 3000,
                                                .missing = 3000,
                                                .at = i + 1};
        f.streams[i].start_ns = TIME_NOT_KNOWN_NS + 1;
        f.streams[i].last_arrival_ns = TIME_MAX_NS;
    }
    report_capture_loss(f.r);
    assert_int_equal(doubted(&f), 6);
    fake_free(&f);
}

// Streams that lose by chance, each on its own, from few to very many and from little to much.
static void loss_at_random_is_not_blamed_on_the_capture(void **state)
{
    (void)state;
    static const size_t STREAMS[] = {3, 4, 6, 20, 400};
    static const uint32_t OF_1000[] = {1, 5, 10, 50, 100, 300, 700};
    print_message("# SEED=%d\n", SEED);
    struct random rng;
    random_init(&rng, SEED);
    size_t blamed = 0;
    size_t all = 0;
    for (int round = 0; round < 20; round++) {
        for (size_t n = 0; n < sizeof STREAMS / sizeof STREAMS[0]; n++) {
            for (size_t p = 0; p < sizeof OF_1000 / sizeof OF_1000[0]; p++) {
                struct fake f = fake_new(STREAMS[n], 60000 * MS);
                for (size_t i = 0; i < STREAMS[n]; i++) {
                    int64_t phase = (int64_t)random_below(&rng, 20) * MS;
                    for (int k = 1; k < 2999; k++) {
                        if (random_below(&rng, 1000) < OF_1000[p]) {
                            gap(&f, i, k * 20 * MS + phase, 1);
                        }
                    }
                }
                report_capture_loss(f.r);
                blamed += doubted(&f);
                all += STREAMS[n];
                fake_free(&f);
            }
        }
    }
    print_message("# %zu of %zu streams\n", blamed, all);
    assert_int_equal(blamed, 0);
}

// 50,000 streams, all of whose gaps overlap: the sweep stays near-linear.
static void very_many_streams_are_swept(void **state)
{
    (void)state;
    const size_t COUNT = 50000;
    struct fake f = fake_new(COUNT, 600000 * MS);
    for (size_t i = 0; i < COUNT; i++) {
        f.streams[i].src_address.lo =
            1; // none of these moments is one until the last stream opens it
        for (int k = 0; k < STREAM_GAPS_MAX; k++) {
            gap(&f, i, (1000 + k * 20000) * MS + (int64_t)(i % 1000) * 1000, 2);
        }
    }
    f.streams[COUNT - 1].src_address.lo = 2;
    f.streams[COUNT - 1].dst_address.lo = 1;
    report_capture_loss(f.r);
    assert_int_equal(doubted(&f), COUNT);
    fake_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capture_loss_of_all_streams_is_told_with_their_numbers),
        cmocka_unit_test(capture_loss_needs_most_of_the_active_streams),
        cmocka_unit_test(capture_loss_of_one_way_needs_the_word_of_the_capture),
        cmocka_unit_test(gaps_without_a_moment_are_passed_over),
        cmocka_unit_test(loss_at_random_is_not_blamed_on_the_capture),
        cmocka_unit_test(very_many_streams_are_swept),
    };
    return cmocka_run_group_tests_name("listen_capture_loss", tests, NULL, NULL);
}
