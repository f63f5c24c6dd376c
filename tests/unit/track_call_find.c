// Whose a message is does not depend on whether its call has its Call-ID for itself: the short way
// to a call finds what the table of parties finds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_script.h"

#include "track/call_bin_parts.h"

#define ROUNDS   4000
#define MESSAGES 24

static uint32_t seed = 20240607;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

// A message of few tags, users, Call-IDs and numbers, so that they meet.
static void make_line(char *out, size_t room)
{
    static const char *const WHAT[] = {
        ">INVITE %u",      "<INVITE %u",        ">ACK %u",           ">BYE %u",       "<BYE %u",
        ">CANCEL %u",      "<100 %u",           "<180 %u",           "<200 %u",       "<407 %u",
        "<302 %u",         "<486 %u",           "<200 %u BYE",       ">NOTIFY %u",    "<NOTIFY %u",
        ">SUBSCRIBE %u",   "<200 %u SUBSCRIBE", "<401 %u NOTIFY",    ">REGISTER %u",  ">OPTIONS %u",
        "<401 %u OPTIONS", ">INFO %u",          "<401 %u SUBSCRIBE", ">401 %u NOTIFY"};
    static const char *const FROM[] = {"", "", "", " f=x", " f=y", " f=-"};
    static const char *const TO[] = {"", "", " t=-", " t=x", " t=a"};
    static const char *const ID[] = {"", "", "", " c=2", " c=-"};
    static const char *const USER[] = {"", "", "", " u=sip:carol@x"};
    char what[32];
    snprintf(what, sizeof what, WHAT[below(sizeof WHAT / sizeof *WHAT)], 1 + below(3));
    snprintf(out, room, "%s%s%s%s%s\n", what, FROM[below(6)], TO[below(5)], ID[below(5)],
             USER[below(4)]);
}

static void assert_same_tags(const struct call *a, const struct call *b)
{
    assert_true(slice_eq(kept_text(&a->caller_tag), kept_text(&b->caller_tag)));
    assert_int_equal(a->former_tag_count, b->former_tag_count);
    assert_int_equal(a->former != NULL, b->former != NULL);
    assert_true(!a->former || a->former->index == b->former->index);
}

static void assert_same(const struct call_bin *a, const struct call_bin *b)
{
    assert_int_equal(a->call_count, b->call_count);
    for (uint32_t i = 0; i < a->call_count; i++) {
        const struct call *x = a->calls[i];
        const struct call *y = b->calls[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->messages, y->messages);
        assert_int_equal(x->facts, y->facts);
        assert_int_equal(x->notes, y->notes);
        assert_int_equal(x->attempts, y->attempts);
        assert_int_equal(x->branch_count, y->branch_count);
        assert_same_tags(x, y);
    }
}

// Has every call stand in the table of parties.
static void share_all(struct script *s)
{
    for (uint32_t i = 0; i < s->bin.call_count; i++) {
        struct call *c = s->bin.calls[i];
        if (c->kind != KIND_REGISTRATION && slice_eq(c->call_id, s->last.call_id)) {
            call_share_id(&s->bin, c, &s->last);
        }
    }
}

static void call_alone_with_its_id_is_found_as_one_that_shares_it(void **state)
{
    (void)state;
    print_message("# seed %u\n", seed);
    uint32_t alone = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct script own, shared;
        script_begin(&own);
        script_begin(&shared);
        for (int i = 0; i < MESSAGES; i++) {
            char line[96];
            make_line(line, sizeof line);
            script_run(&own, line);
            script_run(&shared, line);
            share_all(&shared);
            assert_same(&own.bin, &shared.bin);
        }
        for (uint32_t i = 0; i < own.bin.call_count; i++) {
            alone += !own.bin.calls[i]->shares_id && own.bin.calls[i]->messages > 1;
        }
        script_end(&own);
        script_end(&shared);
    }
    assert_true(alone > ROUNDS / 8);
}

int main(void)
{
    hash_secret_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_alone_with_its_id_is_found_as_one_that_shares_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
