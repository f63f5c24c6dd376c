// Statistics by groups of calls: the keys of each field, the order, and that groups add up to the
// whole.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats_fake.h"

#include <stdio.h>

#define MINUTE (60000 * MS)

static void stats_group_keys_are_those_of_the_field(void **state)
{
    static const struct sidetone_text agents[] = {{"Phone/1", 7}, {"Proxy", 5}};
    struct sidetone_call c = fake_call("ended", 200);
    static const struct {
        enum sidetone_group_by by;
        const char *key;
    } cases[] = {
        {SIDETONE_GROUP_BY_SRC, "192.0.2.1"},
        {SIDETONE_GROUP_BY_DST, "192.0.2.2"},
        {SIDETONE_GROUP_BY_FROM_HOST, "example.com"},
        {SIDETONE_GROUP_BY_TO_HOST, "2001:db8::1"},
        {SIDETONE_GROUP_BY_FROM_USER, "Alice"},
        {SIDETONE_GROUP_BY_TO_USER, "+4930123"},
        {SIDETONE_GROUP_BY_USER_AGENT, "Phone/1"},
        {SIDETONE_GROUP_BY_METHOD, "INVITE"},
        {SIDETONE_GROUP_BY_KIND, "call"},
        {SIDETONE_GROUP_BY_STATE, "ended"},
        {SIDETONE_GROUP_BY_FINAL_CODE, "200"},
        {SIDETONE_GROUP_BY_TRANSPORT, "UDP"},
        {SIDETONE_GROUP_BY_CODEC, ""},
        {SIDETONE_GROUP_BY_ENDED_BY, "callee"},
        {SIDETONE_GROUP_BY_MINUTE, "2023-11-14T22:13Z"},
        {SIDETONE_GROUP_BY_HOUR, "2023-11-14T22Z"},
        {SIDETONE_GROUP_BY_PREFIX, "+4930"},
    };
    (void)state;
    c.from = TEXT("sip:Alice:secret@EXAMPLE.com:5070;user=phone");
    c.to = TEXT("sip:+4930123;phone-context=x@[2001:DB8::1]:5060");
    c.user_agents = agents;
    c.user_agent_count = 2;
    c.ended_by = "callee";
    assert_int_equal(sizeof cases / sizeof *cases, SIDETONE_GROUP_BY_COUNT - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sidetone_stats *s = stats_of(&c, 1, cases[i].by);
        struct sidetone_text key = s->groups[0]->key;
        assert_int_equal(s->group_count, 1);
        if (key.n != strlen(cases[i].key) || (key.n > 0 && memcmp(key.p, cases[i].key, key.n))) {
            print_error("%s: %.*s\n", sidetone_group_by_name(cases[i].by), (int)key.n, key.p);
            fail();
        }
        assert_non_null(sidetone_group_by_name(cases[i].by));
        sidetone_stats_free(s);
    }
    assert_null(sidetone_group_by_name(SIDETONE_GROUP_BY_NONE));
    assert_null(sidetone_group_by_name(SIDETONE_GROUP_BY_COUNT));
}

static void stats_called_numbers_are_read_as_people_write_them(void **state)
{
    static const struct {
        const char *uri, *prefix;
    } cases[] = {
        {"sip:0049301234@x", "0049"},
        {"sip:+49-30.12(3)4@x", "+4930"},
        {"tel:+4930", "+4930"},
        {"tel:112;phone-context=+49", "112"},
        {"sip:12;x=y@h", "12"},
        {"sip:alice@x", ""},
        {"sip:12a4@x", ""},
        {"sip:*21@x", ""},
        {"sip:+@x", ""},
        {"sip:1+2@x", ""},
        {"sip:x", ""},
        {"", ""},
        {"nonsense", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sidetone_call c = fake_call("ended", 200);
        c.request_uri = (struct sidetone_text){cases[i].uri, strlen(cases[i].uri)};
        c.to.n = 0;
        const struct sidetone_stats *s = stats_of(&c, 1, SIDETONE_GROUP_BY_PREFIX);
        assert_int_equal(s->groups[0]->key.n, strlen(cases[i].prefix));
        assert_memory_equal(s->groups[0]->key.p ? s->groups[0]->key.p : "", cases[i].prefix,
                            s->groups[0]->key.n);
        sidetone_stats_free(s);
    }
}

static void stats_groups_come_by_calls_then_others_then_key(void **state)
{
    static const char *const users[] = {"b", "a", "c", "b", "ab", "r", "r", "q"};
    static char uris[8][16];
    struct sidetone_call calls[8];
    (void)state;
    for (int i = 0; i < 8; i++) {
        calls[i] = fake_call("ended", 200);
        snprintf(uris[i], sizeof uris[i], "sip:%s@x", users[i]);
        calls[i].from = (struct sidetone_text){uris[i], strlen(uris[i])};
        calls[i].kind = i < 5 ? "call" : "registration";
    }
    const struct sidetone_stats *s = stats_of(calls, 8, SIDETONE_GROUP_BY_FROM_USER);
    static const char *const want[] = {"b", "a", "ab", "c", "r", "q"};
    assert_int_equal(s->group_count, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(s->groups[i]->key.n, strlen(want[i]));
        assert_memory_equal(s->groups[i]->key.p, want[i], strlen(want[i]));
    }
    sidetone_stats_free(s);
}

// Whatever the field: each entry is in one group, so groups add up to the whole.
static void add_up(struct sidetone_numbers *sum, const struct sidetone_numbers *n)
{
    sum->calls += n->calls;
    sum->answered += n->answered;
    sum->open += n->open;
    sum->failed += n->failed;
    sum->partial_calls += n->partial_calls;
    sum->others += n->others;
    sum->talk_count += n->talk_count;
    sum->talk_ns += n->talk_ns;
    sum->pdd.count += n->pdd.count;
    sum->setup.count += n->setup.count;
    sum->messages += n->messages;
    sum->streams += n->streams;
    sum->packets += n->packets;
    sum->lost += n->lost;
    sum->mos_count += n->mos_count;
    sum->notes += n->notes;
    sum->pdd.max_ns =
        n->pdd.count > 0 && n->pdd.max_ns > sum->pdd.max_ns ? n->pdd.max_ns : sum->pdd.max_ns;
    if (n->mos_count > 0) {
        assert_true(n->mos_min <= n->mos_p5 && n->mos_p5 <= 4.5 && n->mos_mean > n->mos_min - 1e-9);
        sum->mos_min = n->mos_min < sum->mos_min ? n->mos_min : sum->mos_min;
    }
}

enum {
    MANY = 400
};

static struct sidetone_call many_calls[MANY];
static struct sidetone_stream many_streams[MANY];
static char many_texts[MANY][32];

static struct sidetone_report random_report(struct random *random)
{
    static const char *const states[] = {"ended",   "failed",  "busy",
                                         "calling", "partial", "answered"};
    static const char *const kinds[] = {"call", "call", "call", "registration"};
    static const uint16_t codes[] = {0, 200, 486, 503, 480, 603};
    struct sidetone_report r = {fake_capture(), many_calls, MANY, many_streams, MANY};
    for (int i = 0; i < MANY; i++) {
        struct sidetone_call *c = &many_calls[i];
        struct sidetone_stream *st = &many_streams[i];
        *c = fake_call(states[random_below(random, 6)], codes[random_below(random, 6)]);
        c->kind = kinds[random_below(random, 4)];
        snprintf(many_texts[i], sizeof many_texts[i], "sip:%u@h%u",
                 (unsigned)random_below(random, 20), (unsigned)random_below(random, 9));
        c->from = c->to = (struct sidetone_text){many_texts[i], strlen(many_texts[i])};
        c->src = fake_v4((uint8_t)random_below(random, 9), 5060);
        c->pdd_ns = random_below(random, 3) ? (int64_t)random_below(random, 999) : SIDETONE_UNKNOWN;
        c->duration_ns =
            random_below(random, 2) ? (int64_t)random_below(random, 999) : SIDETONE_UNKNOWN;
        c->start_ns = random_below(random, 9)
                          ? FAKE_START + (int64_t)random_below(random, 30) * MINUTE
                          : SIDETONE_UNKNOWN;
        *st = fake_stream();
        st->src = c->src;
        st->call = (int64_t)random_below(random, MANY + 1) - 1;
        st->mos = random_below(random, 4) ? 1 + (double)random_below(random, 3400) / 1000 : NAN;
        st->lost = random_below(random, 5);
        st->codec = random_below(random, 3) ? TEXT("PCMA") : TEXT("");
    }
    return r;
}

static void stats_groups_add_up_to_the_whole(void **state)
{
    struct random random;
    (void)state;
    random_init(&random, 4712);
    print_message("# seed 4712\n");
    for (int round = 0; round < 5; round++) {
        struct sidetone_report r = random_report(&random);
        for (int by = SIDETONE_GROUP_BY_NONE + 1; by < SIDETONE_GROUP_BY_COUNT; by++) {
            struct sidetone_stats_options o = {(enum sidetone_group_by)by, 2};
            const struct sidetone_stats *s = sidetone_stats_new(&r, &o);
            struct sidetone_numbers sum = {.mos_min = 5, .pdd.max_ns = INT64_MIN};
            for (size_t i = 0; i < s->group_count; i++) {
                add_up(&sum, &s->groups[i]->numbers);
            }
            const struct sidetone_numbers *n = &s->total;
            assert_int_equal(sum.calls, n->calls);
            assert_int_equal(sum.calls + sum.partial_calls + sum.others, MANY);
            assert_int_equal(sum.answered, n->answered);
            assert_int_equal(sum.failed, n->failed);
            assert_int_equal(sum.talk_count, n->talk_count);
            assert_int_equal(sum.talk_ns, n->talk_ns);
            assert_int_equal(sum.pdd.count, n->pdd.count);
            assert_int_equal(sum.pdd.max_ns, n->pdd.max_ns);
            assert_int_equal(sum.streams, MANY);
            assert_int_equal(sum.packets, n->packets);
            assert_int_equal(sum.lost, n->lost);
            assert_int_equal(sum.mos_count, n->mos_count);
            assert_near(sum.mos_min, n->mos_min);
            sidetone_stats_free(s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats_group_keys_are_those_of_the_field),
        cmocka_unit_test(stats_called_numbers_are_read_as_people_write_them),
        cmocka_unit_test(stats_groups_come_by_calls_then_others_then_key),
        cmocka_unit_test(stats_groups_add_up_to_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, free_caught);
}
