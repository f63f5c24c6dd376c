// Tests of what few calls have: transfers, digits by INFO, reports of endpoints, the session timer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_said.h"
#include "track/call_extras.h"

#define SECOND_NS INT64_C(1000000000)

static struct said s;

static int begin(void **state)
{
    (void)state;
    said_begin(&s);
    s.bin.arena.block_bytes = 256; // small: what is kept shows
    return 0;
}

static int end(void **state)
{
    (void)state;
    said_end(&s);
    return 0;
}

static const struct call *call(void)
{
    return s.bin.calls[0];
}

static void request(const char *method, unsigned cseq, bool by_callee, const char *more)
{
    char start[64], number[64];
    snprintf(start, sizeof start, "%s sip:y@ex.com SIP/2.0", method);
    snprintf(number, sizeof number, "%u %s", cseq, method);
    s.now_ns += MS;
    SAID(&s, start, number, more, .from = by_callee ? 20 : 10, .to = by_callee ? 10 : 20,
         .by_callee = by_callee);
}

static void notify(unsigned cseq, const char *status)
{
    char more[256];
    snprintf(more, sizeof more, "Event: refer\r\nContent-Type: message/sipfrag\r\n\r\n%s", status);
    request("NOTIFY", cseq, true, more);
}

// --- limits ---

// What is said again and again: memory must reach an end. %u: a number that grows.
static const struct {
    const char *name, *method, *more;
} ENDLESS[] = {
    {"transfers", "REFER", "Refer-To: <sip:number-%u@example.com>\r\n\r\n"},
    {"digits", "INFO", "Content-Type: application/dtmf-relay\r\nX: %u\r\n\r\nSignal=5\r\n"},
    {"headers", "INVITE", "X-RTP-Stat: PS=%u;PR=1;IP=192.0.2.1:4000,192.0.2.2:4000\r\n\r\n"},
    {"bodies", "PUBLISH",
     "Content-Type: application/vq-rtcpxr\r\n\r\nCallID: call-%u@host.example.com\r\n"
     "LocalID: <sip:user-%u@x>\r\nLocalAddr: IP=192.0.2.1 PORT=4000\r\nPacketLoss:NLR=1\r\n"
     "RemoteMetrics:\r\nPacketLoss:NLR=1\r\n"},
    {"bodies that are none", "NOTIFY",
     "Event: refer\r\nContent-Type: message/sipfrag\r\n\r\nSIP/2.0 %u"},
};

static void repeat(size_t which, unsigned from, unsigned count)
{
    for (unsigned i = from; i < from + count; i++) {
        char more[1024];
        size_t n = 0;
        for (const char *p = ENDLESS[which].more; *p; p++) {
            if (p[0] == '%' && p[1] == 'u') {
                n += (size_t)snprintf(more + n, sizeof more - n, "%u", i);
                p++;
            } else {
                more[n++] = *p;
            }
        }
        more[n] = '\0';
        request(ENDLESS[which].method, i, false, more);
    }
}

static void call_with_extras_that_never_end_keeps_its_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ENDLESS / sizeof ENDLESS[0]; i++) {
        end(NULL);
        begin(NULL);
        said_answered(&s, NULL);
        repeat(i, 100000, 1000);
        size_t before = s.bin.arena.total_bytes;
        repeat(i, 101000, 3000);
        assert_int_equal(s.bin.call_count, 1);
        if (s.bin.arena.total_bytes > before + 512) {
            fail_msg("%s: %zu bytes, then %zu", ENDLESS[i].name, before, s.bin.arena.total_bytes);
        }
    }
}

static void call_keeps_the_newest_report_where_there_is_no_room(void **state)
{
    (void)state;
    said_answered(&s, NULL);
    repeat(2, 1000, CALL_REPORTS_MAX + 10);
    const struct call_report *last = call()->extras->reports;
    size_t count = 1;
    for (; last->next; last = last->next) {
        count++;
    }
    assert_int_equal(count, CALL_REPORTS_MAX);
    assert_int_equal(last->numbers.packets_sent, 1000 + CALL_REPORTS_MAX + 10 - 1);
}

static void call_without_extras_has_none(void **state)
{
    (void)state;
    said_answered(&s, NULL);
    request("INFO", 2, false, "Content-Type: text/plain\r\n\r\n5");
    request("NOTIFY", 3, true,
            "Event: refer\r\nContent-Type: message/sipfrag\r\n\r\nSIP/2.0 200 OK");
    request("BYE", 4, false, "Reason: Q.850;cause=16\r\n\r\n");
    assert_null(call()->extras);
}

// --- transfers ---

static void transfer_statuses_are_those_that_differ_and_the_last_is_the_newest(void **state)
{
    (void)state;
    said_answered(&s, NULL);
    request("REFER", 2, false, "r: <sip:carol@ex.com>\r\n\r\n");
    for (unsigned i = 0; i < 40; i++) {
        char status[32];
        snprintf(status, sizeof status, "SIP/2.0 %u X\r\n", 100 + i / 2);
        notify(i + 1, status);
    }
    const struct call_transfer *t = call()->extras->transfers;
    assert_int_equal(t->status_count, CALL_STATUSES_MAX);
    assert_int_equal(t->statuses[0], 100);
    assert_int_equal(t->statuses[1], 101);
    assert_int_equal(t->statuses[CALL_STATUSES_MAX - 1], 119);
    assert_int_equal(call_state(call()), STATE_ANSWERED);
}

static void transfer_hears_of_its_refer_once(void **state)
{
    (void)state;
    said_answered(&s, NULL);
    request("REFER", 2, false, "Refer-To: sip:carol@ex.com;x=1\r\n\r\n");
    SAID(&s, "REFER sip:y@ex.com SIP/2.0", "2 REFER", "Refer-To: <sip:other>\r\n\r\n", .from = 15,
         .to = 20); // at another hop
    request("REFER", 2, true, "\r\n");
    const struct call_transfer *t = call()->extras->transfers;
    assert_int_equal(call()->extras->transfer_count, 2);
    assert_true(slice_eq(t->refer_to, SLICE("sip:carol@ex.com")));
    assert_int_equal(t->by, BY_CALLER);
    assert_int_equal(t->next->by, BY_CALLEE);
    assert_int_equal(t->next->refer_to.n, 0);
}

static void transfer_keeps_the_dialog_that_its_refer_replaces(void **state)
{
    static const char URI[] = "sip:c@x?Replaces=9%40x%3Bto-tag%3D1%3Bfrom-tag%3D2";
    (void)state;
    said_answered(&s, NULL);
    request("REFER", 2, true,
            "Refer-To: <sip:c@x?Replaces=9%40x%3Bto-tag%3D1%3Bfrom-tag%3D2>;p=1\r\n\r\n");
    int64_t at_ns = s.now_ns;
    request("REFER", 3, false, "Refer-To: <sip:d@x>\r\n\r\n");
    const struct call_transfer *t = call()->extras->transfers;
    assert_true(slice_eq(t->refer_to, SLICE(URI)));
    assert_true(slice_eq(t->target.call_id, SLICE("9@x")));
    assert_true(slice_eq(t->target.to_tag, SLICE("1")));
    assert_true(slice_eq(t->target.from_tag, SLICE("2")));
    assert_int_equal(t->by, BY_CALLEE);
    assert_true(t->time_ns == at_ns);
    assert_int_equal(t->made, -1);
    assert_int_equal(t->next->target.call_id.n, 0);
}

static void transfers_beyond_their_limit_are_counted_and_not_kept(void **state)
{
    (void)state;
    said_answered(&s, NULL);
    repeat(0, 100000, CALL_TRANSFERS_MAX + 5);
    int kept = 0;
    for (const struct call_transfer *t = call()->extras->transfers; t; t = t->next) {
        kept++;
    }
    assert_int_equal(kept, CALL_TRANSFERS_MAX);
    assert_int_equal(call()->extras->transfer_count, CALL_TRANSFERS_MAX + 5);
}

// --- the session timer ---

#define TIMER(s) "Session-Expires: " s "\r\n\r\n"
#define UP_TO    INT64_MIN // no BYE: up to the end of the capture

static const struct {
    const char *name, *more, *bye_more;
    int64_t bye_ms, now_ms;
    enum call_lapse lapse;
} LAPSES[] = {
    {"at the lapse", TIMER("1800"), NULL, 1800000, 0, LAPSE_BYE},
    {"32 s before", TIMER("1800"), NULL, 1768000, 0, LAPSE_BYE},
    {"just before that", TIMER("1800"), NULL, 1767999, 0, LAPSE_NONE},
    {"10 s after", TIMER("1800;refresher=uas"), NULL, 1810000, 0, LAPSE_BYE},
    {"just after that", TIMER("1800"), NULL, 1810001, 0, LAPSE_NONE},
    {"a third of a short interval before", TIMER("90"), NULL, 60000, 0, LAPSE_BYE},
    {"just before that, too", TIMER("90"), NULL, 59999, 0, LAPSE_NONE},
    {"no BYE, the capture goes on", TIMER("90"), NULL, UP_TO, 100001, LAPSE_NO_BYE},
    {"no BYE, the capture ends", TIMER("90"), NULL, UP_TO, 100000, LAPSE_NONE},
    {"no timer", NULL, NULL, 1800000, 0, LAPSE_NONE},
    {"zero", TIMER("0"), NULL, 0, 0, LAPSE_NONE},
    {"no number", TIMER("x"), NULL, 0, 0, LAPSE_NONE},
    {"absurd", TIMER("1700000000"), NULL, UP_TO, INT64_C(1800000000000), LAPSE_NONE},
    {"it is said", NULL, "Reason: SIP;cause=408;text=\"Session Timer expired\"\r\n\r\n", 5, 0,
     LAPSE_BYE},
    {"a code says it with a timer", TIMER("90"), "Reason: Q.850;cause=102\r\n\r\n", 5, 0,
     LAPSE_BYE},
    {"a code says nothing without one", NULL, "Reason: Q.850;cause=102\r\n\r\n", 5, 0, LAPSE_NONE},
    {"another text", TIMER("90"), "Reason: SIP;cause=200;text=\"session\"\r\n\r\n", 5, 0,
     LAPSE_NONE},
};

static void timer_that_ran_out_is_known_by_when_or_by_what_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LAPSES / sizeof LAPSES[0]; i++) {
        end(NULL);
        begin(NULL);
        said_answered(&s, LAPSES[i].more);
        if (LAPSES[i].bye_ms != UP_TO) {
            s.now_ns = CAPTURE_START_NS + LAPSES[i].bye_ms * MS - MS;
            request("BYE", 2, true, LAPSES[i].bye_more);
        }
        if (call_timer_lapse(call(), CAPTURE_START_NS + LAPSES[i].now_ms * MS) != LAPSES[i].lapse) {
            fail_msg("%s", LAPSES[i].name);
        }
    }
}

static void timer_counts_from_the_newest_refresh(void **state)
{
    (void)state;
    said_answered(&s, TIMER("90"));
    s.now_ns = CAPTURE_START_NS + 80 * SECOND_NS;
    request("UPDATE", 2, true, NULL);
    SAID(&s, "SIP/2.0 200 OK", "2 UPDATE", TIMER("60"), .from = 10, .to = 20, .by_callee = true);
    int64_t refreshed_ns = s.now_ns;
    s.now_ns += 5 * SECOND_NS; // the same at another hop: it does not count again
    SAID(&s, "SIP/2.0 200 OK", "2 UPDATE", TIMER("60"), .from = 10, .to = 15, .by_callee = true);
    assert_int_equal(call()->extras->timer.since_ns, refreshed_ns);
    assert_int_equal(call_timer_lapse(call(), refreshed_ns + 70 * SECOND_NS), LAPSE_NONE);
    assert_int_equal(call_timer_lapse(call(), refreshed_ns + 71 * SECOND_NS), LAPSE_NO_BYE);
    request("INVITE", 3, false, NULL); // and one that agrees on none turns it off
    SAID(&s, "SIP/2.0 200 OK", "3 INVITE", .from = 20, .to = 10);
    assert_int_equal(call_timer_lapse(call(), INT64_C(1) << 62), LAPSE_NONE);
}

static void timer_of_a_failed_refresh_goes_on(void **state)
{
    (void)state;
    said_answered(&s, TIMER("90"));
    s.now_ns = CAPTURE_START_NS + 45 * SECOND_NS;
    request("UPDATE", 2, false, TIMER("90"));
    SAID(&s, "SIP/2.0 408 Request Timeout", "2 UPDATE", TIMER("90"), .from = 20, .to = 10);
    s.now_ns = CAPTURE_START_NS + 90 * SECOND_NS;
    request("BYE", 3, false, NULL);
    assert_int_equal(call_timer_lapse(call(), s.now_ns), LAPSE_BYE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(call_with_extras_that_never_end_keeps_its_size),
        TEST(call_keeps_the_newest_report_where_there_is_no_room),
        TEST(call_without_extras_has_none),
        TEST(transfer_statuses_are_those_that_differ_and_the_last_is_the_newest),
        TEST(transfer_hears_of_its_refer_once),
        TEST(transfer_keeps_the_dialog_that_its_refer_replaces),
        TEST(transfers_beyond_their_limit_are_counted_and_not_kept),
        TEST(timer_that_ran_out_is_known_by_when_or_by_what_is_said),
        TEST(timer_counts_from_the_newest_refresh),
        TEST(timer_of_a_failed_refresh_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
