// Tests of the overview: names stay bounded, and parts say the same as one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/overview.h"
#include "show_fake.h"

#include <stdio.h>

static void overview_many_names_stay_bounded(void **state)
{
    enum {
        COUNT = 500
    };
    static struct sidetone_call calls[COUNT];
    static char reasons[COUNT][16];
    struct sidetone_report r = {.capture = fake_capture(), .calls = calls, .call_count = COUNT};
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        calls[i] = fake_call("failed", 500);
        calls[i].reason = (struct sidetone_text){reasons[i], 3};
        snprintf(reasons[i], sizeof reasons[i], "%03d", i);
    }
    struct overview *o = overview_new(&r, 1);
    assert_int_equal(o->failures.count, OVERVIEW_TALLIES_MAX);
    assert_int_equal(o->failures.more, COUNT - OVERVIEW_TALLIES_MAX);
    overview_free(o);
}

static void assert_same_tallies(const struct tallies *a, const struct tallies *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->more, b->more);
    for (size_t i = 0; i < a->count; i++) {
        const struct tally *x = &a->list[i], *y = &b->list[i];
        assert_true(slice_eq(x->name, y->name) && slice_eq(x->text, y->text));
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->example_count, y->example_count);
        assert_memory_equal(x->examples, y->examples, x->example_count * sizeof *x->examples);
    }
}

// With few reasons, and with more than a list has room for, some of them in one part only.
static void overview_in_parts_is_the_same_as_in_one(void **state)
{
    enum {
        COUNT = 9000
    };
    static struct sidetone_call calls[COUNT];
    static struct sidetone_stream streams[COUNT];
    static struct sidetone_finding findings[COUNT];
    static uint32_t indices[COUNT];
    static char reasons[COUNT][16];
    (void)state;
    for (uint32_t kinds = 10; kinds <= 5000; kinds *= 5) {
        struct sidetone_report r = {.capture = fake_capture(),
                                    .calls = calls,
                                    .call_count = COUNT,
                                    .streams = streams,
                                    .stream_count = COUNT};
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t mixed = i * 2654435761u >> 7;
            snprintf(reasons[i], sizeof reasons[i], "%05u", mixed % kinds);
            struct sidetone_text text = {reasons[i], 5};
            findings[i] = (struct sidetone_finding){
                .name = mixed & 1 ? "one" : "other", .severity = SIDETONE_NOTE, .text = text};
            indices[i] = COUNT - 1 - i;
            calls[i] = fake_call("failed", 500);
            calls[i].reason = text;
            calls[i].pdd_ns = (int64_t)mixed;
            calls[i].streams = &indices[i];
            calls[i].stream_count = 1;
            streams[i] = (struct sidetone_stream){.call = COUNT - 1 - (int64_t)i,
                                                  .lost = mixed % 3,
                                                  .expected = 3,
                                                  .loss_percent = mixed % 11,
                                                  .jitter_ms = mixed % 13,
                                                  .mos = 1 + mixed % 4,
                                                  .findings = &findings[i],
                                                  .finding_count = 1,
                                                  .worst_interval = -1};
        }
        struct overview *want = overview_new(&r, 1);
        for (unsigned cores = 2; cores <= 8; cores++) {
            struct overview *o = overview_new(&r, cores);
            assert_same_tallies(&o->states, &want->states);
            assert_same_tallies(&o->failures, &want->failures);
            assert_same_tallies(&o->findings, &want->findings);
            assert_memory_equal(o->call_points, want->call_points, sizeof *o->call_points * COUNT);
            assert_memory_equal(o->pdd.values, want->pdd.values, sizeof *o->pdd.values * COUNT);
            assert_memory_equal(o->mos.values, want->mos.values, sizeof *o->mos.values * COUNT);
            assert_int_equal(o->packets_lost, want->packets_lost);
            assert_int_equal(o->worst_loss, want->worst_loss);
            assert_int_equal(o->worst_jitter, want->worst_jitter);
            overview_free(o);
        }
        overview_free(want);
    }
}

static void spread_percentile_is_nearest_rank(void **state)
{
    int64_t values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct spread s = {values, 10};
    (void)state;
    assert_int_equal(spread_percentile(&s, 0), 1);
    assert_int_equal(spread_percentile(&s, 5), 1);
    assert_int_equal(spread_percentile(&s, 50), 5);
    assert_int_equal(spread_percentile(&s, 95), 10);
    assert_int_equal(spread_percentile(&s, 100), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overview_many_names_stay_bounded),
        cmocka_unit_test(overview_in_parts_is_the_same_as_in_one),
        cmocka_unit_test(spread_percentile_is_nearest_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
