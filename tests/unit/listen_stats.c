// Statistics of reports made by hand: outcomes and ratios, percentiles, series, lists.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats_fake.h"

#include <stdio.h>

#define MINUTE (60000 * MS)

// --- outcomes ---

static void stats_each_state_has_its_outcome(void **state)
{
    static const struct {
        const char *state;
        uint16_t code;
        size_t at; // the counter that becomes 1
        bool is_effective, is_user_effect;
    } cases[] = {
#define AT(member) offsetof(struct sidetone_numbers, member)
        {"answered", 200, AT(answered), true, true},
        {"ended", 200, AT(answered), true, true},
        {"ended", 0, AT(answered), true, true}, // the 200 is not in the capture
        {"busy", 486, AT(busy), true, true},
        {"busy", 600, AT(busy), true, true},
        {"cancelled", 487, AT(unanswered), true, false},
        {"cancelled", 0, AT(unanswered), true, false},
        {"failed", 480, AT(unanswered), true, true},
        {"failed", 603, AT(rejected), true, true},
        {"failed", 607, AT(rejected), true, false},
        {"redirected", 302, AT(redirected), false, false},
        {"failed", 404, AT(failed), false, false},
        {"failed", 408, AT(failed), false, false},
        {"failed", 503, AT(failed), false, false},
        {"failed", 0, AT(failed), false, false},
        {"calling", 0, AT(open), false, false},
        {"ringing", 0, AT(open), false, false},
        {"partial", 0, AT(partial_calls), false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sidetone_call c = fake_call(cases[i].state, cases[i].code);
        const struct sidetone_stats *s = stats_of(&c, 1, SIDETONE_GROUP_BY_NONE);
        const struct sidetone_numbers *n = &s->total;
        bool is_partial = cases[i].at == AT(partial_calls);
        assert_int_equal(*(const uint64_t *)((const char *)n + cases[i].at), 1);
        assert_int_equal(n->calls, !is_partial);
        assert_int_equal(n->answered + n->busy + n->unanswered + n->rejected + n->redirected +
                             n->failed + n->open,
                         n->calls);
        if (is_partial) {
            assert_true(isnan(n->asr_percent) && isnan(n->ner_percent) && isnan(n->seer_percent));
        } else {
            assert_near(n->asr_percent, cases[i].at == AT(answered) ? 100 : 0);
            assert_near(n->ner_percent, cases[i].is_effective ? 100 : 0);
        }
        if (cases[i].at == AT(redirected)) {
            assert_true(isnan(n->ser_percent) && isnan(n->seer_percent)); // nothing is left
        } else if (!is_partial) {
            assert_near(n->seer_percent, cases[i].is_user_effect ? 100 : 0);
        }
        sidetone_stats_free(s);
    }
}

static void stats_ratios_are_those_of_the_recommendations(void **state)
{
    struct sidetone_call calls[12];
    size_t n = 0;
    (void)state;
    calls[n++] = fake_call("ended", 200);
    calls[n++] = fake_call("answered", 200);
    calls[n++] = fake_call("busy", 486);
    calls[n++] = fake_call("cancelled", 487);
    calls[n++] = fake_call("failed", 480);
    calls[n++] = fake_call("failed", 603);
    calls[n++] = fake_call("failed", 503);
    calls[n++] = fake_call("redirected", 302);
    calls[n] = fake_call("ended", 200); // answered, but its start was not seen
    calls[n].findings = &FAKE_NO_START;
    calls[n++].finding_count = 1;
    calls[n] = fake_call("registered", 200);
    calls[n++].kind = "registration";
    calls[0].duration_ns = 3000 * MS;
    calls[1].duration_ns = 4000 * MS;
    calls[8].duration_ns = 9000 * MS;
    calls[2].duration_ns = 7000 * MS; // of a call that was not answered: nobody's talk
    const struct sidetone_stats *s = stats_of(calls, n, SIDETONE_GROUP_BY_NONE);
    assert_int_equal(s->total.calls, 8);
    assert_int_equal(s->total.partial_calls, 1);
    assert_int_equal(s->total.others, 1);
    assert_near(s->total.asr_percent, 100.0 * 2 / 8);
    assert_near(s->total.ner_percent, 100.0 * 6 / 8);
    assert_near(s->total.ser_percent, 100.0 * 2 / 7);
    assert_near(s->total.seer_percent, 100.0 * 5 / 7);
    assert_int_equal(s->total.talk_count, 2);
    assert_int_equal(s->total.talk_ns, 7000 * MS);
    assert_int_equal(s->total.acd_ns, 3500 * MS);
    assert_int_equal(s->total.messages, 10 * 7);
    assert_int_equal(s->total.notes, 1);
    sidetone_stats_free(s);
}

static void stats_of_nothing_know_nothing(void **state)
{
    const struct sidetone_stats *s = stats_of(NULL, 0, SIDETONE_GROUP_BY_SRC);
    (void)state;
    assert_int_equal(s->total.calls + s->total.streams, 0);
    assert_true(isnan(s->total.asr_percent) && isnan(s->total.loss_percent));
    assert_true(isnan(s->total.mos_mean) && isnan(s->total.mos_min));
    assert_int_equal(s->total.acd_ns, SIDETONE_UNKNOWN);
    assert_int_equal(s->total.pdd.max_ns, SIDETONE_UNKNOWN);
    assert_int_equal(s->group_count + s->state_count + s->bucket_count + s->talker_count, 0);
    assert_int_equal(s->peak_start_ns, SIDETONE_UNKNOWN);
    sidetone_stats_free(s);
    sidetone_stats_free(NULL);
    assert_non_null(s = sidetone_stats_new(&(struct sidetone_report){0}, NULL));
    sidetone_stats_free(s);
}

static void stats_absurd_durations_do_not_overflow(void **state)
{
    struct sidetone_call calls[4];
    (void)state;
    for (int i = 0; i < 4; i++) {
        calls[i] = fake_call("ended", 200);
        calls[i].duration_ns = calls[i].pdd_ns = INT64_MAX - i;
    }
    const struct sidetone_stats *s = stats_of(calls, 4, SIDETONE_GROUP_BY_NONE);
    assert_int_equal(s->total.talk_ns, INT64_MAX);
    assert_int_equal(s->total.acd_ns, INT64_MAX / 4);
    assert_int_equal(s->total.pdd.max_ns, INT64_MAX);
    sidetone_stats_free(s);
}

// --- percentiles ---

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The smallest value that at least `percent` of all are not above, by trying each.
static int64_t reference(const int64_t *sorted, size_t n, unsigned percent)
{
    for (size_t i = 0; i < n; i++) {
        if ((i + 1) * 100 >= n * percent) {
            return sorted[i];
        }
    }
    return sorted[n - 1];
}

static void stats_percentiles_are_nearest_rank(void **state)
{
    static struct sidetone_call calls[300];
    struct random random;
    (void)state;
    random_init(&random, 20261);
    print_message("# seed 20261\n");
    for (size_t n = 1; n <= 300; n = n < 110 ? n + 1 : n + 19) {
        int64_t values[300];
        for (size_t i = 0; i < n; i++) {
            calls[i] = fake_call("ended", 200);
            values[i] = calls[i].pdd_ns = (int64_t)random_below(&random, 50) * MS;
            calls[i].setup_ns = i % 2 == 0 ? values[i] : SIDETONE_UNKNOWN;
        }
        const struct sidetone_stats *s = stats_of(calls, n, SIDETONE_GROUP_BY_NONE);
        qsort(values, n, sizeof *values, by_value);
        assert_int_equal(s->total.pdd.count, n);
        assert_int_equal(s->total.setup.count, (n + 1) / 2);
        assert_int_equal(s->total.pdd.p50_ns, reference(values, n, 50));
        assert_int_equal(s->total.pdd.p95_ns, reference(values, n, 95));
        assert_int_equal(s->total.pdd.p99_ns, reference(values, n, 99));
        assert_int_equal(s->total.pdd.max_ns, values[n - 1]);
        sidetone_stats_free(s);
    }
}

// --- the series ---

static const struct sidetone_stats *series_of(const int64_t *starts, size_t n)
{
    static struct sidetone_call calls[8];
    for (size_t i = 0; i < n; i++) {
        calls[i] = fake_call(i == 1 ? "failed" : "ended", i == 1 ? 503 : 200);
        calls[i].start_ns = starts[i];
    }
    return stats_of(calls, n, SIDETONE_GROUP_BY_NONE);
}

static void stats_series_has_a_bucket_for_each_minute(void **state)
{
    const int64_t starts[] = {FAKE_START, FAKE_START + 39999 * MS, FAKE_START + 40000 * MS,
                              FAKE_START + 3 * MINUTE, SIDETONE_UNKNOWN};
    const struct sidetone_stats *s = series_of(starts, 5);
    static const uint64_t calls[] = {2, 1, 0, 1};
    (void)state;
    assert_int_equal(s->bucket_ns, MINUTE);
    assert_int_equal(s->bucket_count, 4); // 22:13 to 22:16
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(s->buckets[i]->calls, calls[i]);
        assert_int_equal(s->buckets[i]->start_ns, FAKE_START - 20000 * MS + (int64_t)i * MINUTE);
    }
    assert_int_equal(s->buckets[0]->answered, 1);
    assert_int_equal(s->buckets[0]->failed, 1);
    assert_int_equal(s->peak_start_ns, FAKE_START - 20000 * MS);
    assert_int_equal(s->peak_calls, 2);
    sidetone_stats_free(s);
}

static void stats_series_of_long_captures_has_longer_buckets(void **state)
{
    static const struct {
        int64_t span_ns, bucket_minutes;
    } cases[] = {
        {1439 * MINUTE, 1},           {1441 * MINUTE, 5},
        {5 * 1441 * MINUTE, 15},      {15 * 1441 * MINUTE, 60},
        {60 * 1441 * MINUTE, 360},    {360 * 1441 * MINUTE, 1440},
        {1440 * 1441 * MINUTE, 2880}, {INT64_C(1) << 62, 1440 * 64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t starts[] = {0, cases[i].span_ns};
        const struct sidetone_stats *s = series_of(starts, 2);
        assert_int_equal(s->bucket_ns, cases[i].bucket_minutes * MINUTE);
        assert_in_range(s->bucket_count, 2, SIDETONE_BUCKETS_MAX);
        assert_int_equal(s->buckets[0]->calls + s->buckets[s->bucket_count - 1]->calls, 2);
        sidetone_stats_free(s);
    }
    const int64_t ends[] = {-(INT64_C(1) << 62) + 1, (INT64_C(1) << 62) - 1, -1, 0};
    const struct sidetone_stats *s = series_of(ends, 4);
    uint64_t sum = 0;
    for (size_t i = 0; i < s->bucket_count; i++) {
        sum += s->buckets[i]->calls;
    }
    assert_int_equal(sum, 4);
    assert_in_range(s->bucket_count, 2, SIDETONE_BUCKETS_MAX);
    sidetone_stats_free(s);
}

// --- lists ---

static void stats_talkers_have_what_they_sent_and_received(void **state)
{
    struct sidetone_call calls[2] = {fake_full_call(), fake_call("ended", 200)};
    struct sidetone_stream st = fake_stream(); // .1 to .2
    struct sidetone_report r = {fake_capture(), calls, 2, &st, 1};
    (void)state;
    calls[1].src = calls[1].dst = fake_v4(2, 5060); // two programs of one machine
    const struct sidetone_stats *s = sidetone_stats_new(&r, NULL);
    assert_int_equal(s->talker_count, 3);
    static const struct {
        const char *address;
        uint64_t calls, messages, sent, received;
    } want[] = {
        {"192.0.2.2", 2, 14, 0, 32000},
        {"192.0.2.1", 1, 7, 32000, 0},
        {"192.0.2.9", 1, 14, 0, 0},
    };
    for (int i = 0; i < 3; i++) {
        const struct sidetone_talker *t = s->talkers[i];
        assert_memory_equal(t->address.p, want[i].address, t->address.n);
        assert_int_equal(t->calls, want[i].calls);
        assert_int_equal(t->messages, want[i].messages);
        assert_int_equal(t->media_sent_bytes, want[i].sent);
        assert_int_equal(t->media_received_bytes, want[i].received);
    }
    assert_int_equal(s->agent_count, 2);
    assert_int_equal(s->agents[0]->calls, 1);
    assert_int_equal(s->finding_count, 2);
    assert_string_equal(s->findings[0]->name, "one_way_audio"); // an error comes first
    sidetone_stats_free(s);
}

static void stats_methods_and_codes_are_those_of_all_messages(void **state)
{
    struct sidetone_call c = fake_call("busy", 486);
    (void)state;
    fake_messages.requests[SIP_INVITE] = (struct message_count){3, 1};
    fake_messages.responses[SIP_INVITE] = (struct message_count){2, 0};
    fake_messages.requests[SIP_METHOD_OTHER] = (struct message_count){9, 0};
    fake_messages.codes[0] = (struct message_count){1, 0};
    fake_messages.codes[100] = (struct message_count){2, 1};
    const struct sidetone_stats *s = stats_of(&c, 1, SIDETONE_GROUP_BY_NONE);
    fake_messages = (struct message_counts){0};
    assert_int_equal(s->method_count, 2);
    assert_string_equal(s->methods[0]->method, "other");
    assert_string_equal(s->methods[1]->method, "INVITE");
    assert_int_equal(s->methods[1]->request_retransmissions, 1);
    assert_int_equal(s->methods[1]->responses, 2);
    assert_int_equal(s->code_count, 3);
    assert_int_equal(s->codes[0]->code, 0);
    assert_int_equal(s->codes[1]->code, 100);
    assert_int_equal(s->codes[1]->retransmissions, 1);
    assert_int_equal(s->codes[2]->code, 486); // of the call, though no message had it
    assert_int_equal(s->codes[2]->calls, 1);
    sidetone_stats_free(s);
}

static void stats_codecs_have_their_quality(void **state)
{
    static struct sidetone_stream streams[41];
    struct sidetone_report r = {.capture = fake_capture(), .streams = streams, .stream_count = 41};
    (void)state;
    for (int i = 0; i < 41; i++) {
        streams[i] = fake_stream();
        streams[i].mos = 1 + i * 0.05;
        streams[i].lost = 1;
    }
    streams[40].codec = TEXT("G729");
    streams[40].mos = NAN;
    const struct sidetone_stats *s = sidetone_stats_new(&r, NULL);
    const struct sidetone_codec_count *pcmu = s->codecs[0], *g729 = s->codecs[1];
    assert_int_equal(s->codec_count, 2);
    assert_int_equal(pcmu->streams, 40);
    assert_near(pcmu->loss_percent, 0.5);
    assert_near(pcmu->mos_min, 1);
    assert_near(pcmu->mos_p5, 1.05); // the second of 40
    assert_near(pcmu->mos_mean, 1 + 0.05 * 19.5);
    assert_true(isnan(g729->mos_min) && isnan(g729->mos_mean));
    sidetone_stats_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats_each_state_has_its_outcome),
        cmocka_unit_test(stats_ratios_are_those_of_the_recommendations),
        cmocka_unit_test(stats_of_nothing_know_nothing),
        cmocka_unit_test(stats_absurd_durations_do_not_overflow),
        cmocka_unit_test(stats_percentiles_are_nearest_rank),
        cmocka_unit_test(stats_series_has_a_bucket_for_each_minute),
        cmocka_unit_test(stats_series_of_long_captures_has_longer_buckets),
        cmocka_unit_test(stats_talkers_have_what_they_sent_and_received),
        cmocka_unit_test(stats_methods_and_codes_are_those_of_all_messages),
        cmocka_unit_test(stats_codecs_have_their_quality),
    };
    return cmocka_run_group_tests(tests, NULL, free_caught);
}
