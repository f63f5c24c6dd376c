// Tests of what a stranger may make grow: one Call-ID for ever, many of everything, many Call-IDs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_script.h"

static struct script s;

// Runs lines that contain %u, and "%u" a second time at most, for i in [from, from + count).
static void repeat(const char *format, unsigned from, unsigned count)
{
    for (unsigned i = from; i < from + count; i++) {
        char text[1024];
        size_t n = 0;
        for (const char *p = format; *p && n < sizeof text - 16; p++) {
            if (*p == '#') {
                n += (size_t)snprintf(text + n, sizeof text - n, "%u", i);
            } else {
                text[n++] = *p;
            }
        }
        text[n] = '\0';
        script_run(&s, text);
    }
}

// What is said again and again, after something was said once: memory must reach an end.
static const struct {
    const char *name, *first, *again;
} ENDLESS[] = {
    {"retransmissions", ">INVITE 1\n", ">INVITE 1 @0\n<100 1\n"},
    {"provisional answers of new branches", ">INVITE 1\n", "<180 1 t=branch#\n"},
    {"answers of new branches", ">INVITE 1\n", "<200 1 t=branch#\n"},
    {"hops", ">INVITE 1\n", "hop\n"},
    {"re-INVITEs", ">INVITE 1\n<200 1\n>ACK 1\n", ">INVITE # t=b\n<200 #\n>ACK #\n"},
    {"INFO", ">INVITE 1\n<200 1\n>ACK 1\n", ">INFO #\n<200 # INFO\n"},
    {"challenges", ">INVITE 1\n", ">INVITE #\n<401 # t=tag#\n>ACK # t=tag#\n"},
    {"challenges and new tags", ">INVITE 1\n<401 1\n",
     ">INVITE # f=from#\n<401 # f=from# t=tag#\n"},
    {"redirections", ">INVITE 1\n", ">INVITE #\n<302 # t=tag#\n"},
    {"INVITEs that stay open", ">INVITE 1\n", ">INVITE #\n"},
    {"INVITEs beside an answered one", ">INVITE 1\n<200 1\n", ">INVITE #\n<486 # t=tag#\n"},
    {"registrations", ">REGISTER 1\n",
     ">REGISTER # f=tag#\n<200 # REGISTER f=tag# | Contact: <sip:a@h:#>;expires=60\n"},
    {"many contacts", ">REGISTER 1\n",
     ">REGISTER #\n<200 # REGISTER | Contact: <sip:1#@h>, <sip:2#@h>, <sip:3#@h>, <sip:4#@h>, "
     "<sip:5#@h>, <sip:6#@h>, <sip:7#@h>, <sip:8#@h>, <sip:9#@h>, <sip:10#@h>, <sip:11#@h>, "
     "<sip:12#@h>, <sip:13#@h>, <sip:14#@h>, <sip:15#@h>, <sip:16#@h>, <sip:17#@h>\n"},
    {"subscriptions", ">SUBSCRIBE 1\n<200 1 SUBSCRIBE | Expires: 5\n",
     ">SUBSCRIBE # t=b\n<200 # SUBSCRIBE | Expires: 5\n<NOTIFY # | Subscription-State: active\n"},
    {"pings", ">OPTIONS 1\n", ">OPTIONS #\n<200 # OPTIONS t=tag#\n"},
};

static void call_that_never_ends_keeps_its_size(void **state)
{
    (void)state;
    size_t bad = 0;
    for (size_t i = 0; i < sizeof ENDLESS / sizeof ENDLESS[0]; i++) {
        script_begin(&s);
        s.bin.arena.block_bytes = 256; // small: what is kept shows
        script_run(&s, ENDLESS[i].first);
        repeat(ENDLESS[i].again, 100000, 1000);
        size_t before = s.bin.arena.total_bytes;
        repeat(ENDLESS[i].again, 101000, 4000);
        if (s.bin.call_count != 1 || s.bin.arena.total_bytes > before + 512) {
            printf("# %s: %u calls, %zu bytes, then %zu\n", ENDLESS[i].name, s.bin.call_count,
                   before, s.bin.arena.total_bytes);
            bad++;
        }
        script_end(&s);
    }
    assert_int_equal(bad, 0);
}

static void call_keeps_as_many_of_each_as_its_limits_say(void **state)
{
    (void)state;
    script_begin(&s);
    script_run(&s, ">INVITE 1\n");
    repeat("<180 1 t=branch#\n", 1, CALL_BRANCHES_MAX * 2);
    const struct call *c = s.bin.calls[0];
    assert_int_equal(c->branch_count, CALL_BRANCHES_MAX);
    assert_int_equal(c->messages, 1 + CALL_BRANCHES_MAX * 2);
    assert_int_equal(c->seen_count, CALL_SEEN_MAX);
    for (uint32_t i = 0; i < CALL_HOPS_MAX * 2; i++) {
        s.last.src.port = (uint16_t)(6000 + i);
        script_run(&s, "again\n");
    }
    assert_int_equal(c->hop_count, CALL_HOPS_MAX);
    for (uint32_t i = 0; i < CALL_AGENTS_MAX * 2; i++) {
        char agent[16];
        snprintf(agent, sizeof agent, "agent %u", i);
        s.last.agent = slice_str(agent);
        s.last.cseq = 1000 + i;
        script_run(&s, "again\n");
    }
    assert_int_equal(c->agent_count, CALL_AGENTS_MAX);
    assert_int_equal(s.bin.call_count, 1);
    script_end(&s);
}

static void bin_of_many_calls_finds_each(void **state)
{
    (void)state;
    script_begin(&s);
    repeat(">INVITE 1 c=id#\n", 0, 5000);
    repeat("<486 1 c=id#\n", 0, 5000);
    assert_int_equal(s.bin.call_count, 5000);
    for (uint32_t i = 0; i < s.bin.call_count; i++) {
        assert_int_equal(call_state(s.bin.calls[i]), STATE_BUSY);
        assert_int_equal(s.bin.calls[i]->messages, 2);
        assert_int_equal(s.bin.calls[i]->index, i);
    }
    script_end(&s);
}

static void bin_of_one_call_id_for_ever_stays_quick(void **state)
{
    (void)state;
    script_begin(&s);
    // Each is a call of its own: quadratic time would be seen here.
    repeat(">INVITE 1 f=tag#\n<486 1 f=tag#\n", 0, 20000);
    assert_int_equal(s.bin.call_count, 20000);
    assert_int_equal(call_state(s.bin.calls[19999]), STATE_BUSY);
    script_end(&s);
}

// A gateway may use one Call-ID for all of its lines (RFC 3261 10.2), and some do for all of its
// calls.
static void bin_of_one_call_id_keeps_any_number_apart(void **state)
{
    (void)state;
    script_begin(&s);
    repeat(">REGISTER 1 f=tag# u=line#\n", 0, 3000);
    repeat("<200 1 REGISTER f=tag# u=line# | Contact: <sip:a@h>;expires=60\n", 0, 3000);
    repeat(">REGISTER 2 f=new# u=line#\n", 0, 3000);
    assert_int_equal(s.bin.call_count, 3000);
    repeat(">INVITE 1 f=tag#\n", 0, 3000);
    repeat("<200 1 f=tag# t=to#\n", 0, 3000);
    repeat(">BYE 2 f=tag# t=to#\n", 0, 3000);
    assert_int_equal(s.bin.call_count, 6000);
    for (uint32_t i = 0; i < s.bin.call_count; i++) {
        assert_int_equal(s.bin.calls[i]->messages, 3);
        assert_int_equal(call_state(s.bin.calls[i]), i < 3000 ? STATE_REGISTERED : STATE_ENDED);
    }
    script_end(&s);
}

static void bin_tells_copies_among_many_frames(void **state)
{
    (void)state;
    script_begin(&s);
    for (unsigned i = 0; i < 3000; i++) {
        char text[64];
        snprintf(text, sizeof text, ">OPTIONS 1 c=id%u @%u\ncopy @%u\n", i, i, i);
        script_run(&s, text);
    }
    assert_int_equal(s.bin.copies, 3000);
    assert_int_equal(s.bin.messages, 3000);
    script_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_that_never_ends_keeps_its_size),
        cmocka_unit_test(call_keeps_as_many_of_each_as_its_limits_say),
        cmocka_unit_test(bin_of_many_calls_finds_each),
        cmocka_unit_test(bin_of_one_call_id_for_ever_stays_quick),
        cmocka_unit_test(bin_of_one_call_id_keeps_any_number_apart),
        cmocka_unit_test(bin_tells_copies_among_many_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
