// Tests of what real captures taught about calls: INVITEs that are open at once, INVITEs that were
// not captured, reliable provisional responses, clients that register with one Call-ID.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "track/call_bin.h"

#define ROWS_MAX 16
#define MS       INT64_C(1000000)
#define NONE     (-1)
#define BEFORE   (-1000) // the answer stands before its INVITE

enum direction {
    FROM_CALLER,
    FROM_CALLEE
};

// One message: requests have code 0. Its branch is that of its CSeq.
struct row {
    int64_t at_ms;
    enum direction direction;
    enum sip_method method;
    uint16_t code;
    uint64_t cseq;
    const char *to_tag;
    uint32_t rseq;
};

struct scenario {
    const char *name;
    struct row rows[ROWS_MAX]; // ends with a CSeq of 0
    enum call_state state;
    uint16_t final_code;
    uint32_t attempts, retransmissions;
    int64_t trying_ms, progress_ms, setup_ms; // from the start of the attempt; NONE: not known
    uint32_t notes;
};

#define INVITE(ms, cseq)                                                                           \
    {                                                                                              \
        ms, FROM_CALLER, SIP_INVITE, 0, cseq, "", 0                                                \
    }
#define RESPONSE(ms, code, cseq)                                                                   \
    {                                                                                              \
        ms, FROM_CALLEE, SIP_INVITE, code, cseq, (code) > 100 ? "b" : "", 0                        \
    }
#define RELIABLE(ms, cseq, rseq)                                                                   \
    {                                                                                              \
        ms, FROM_CALLEE, SIP_INVITE, 180, cseq, "b", rseq                                          \
    }
#define ACK(ms, cseq)                                                                              \
    {                                                                                              \
        ms, FROM_CALLER, SIP_ACK, 0, cseq, "b", 0                                                  \
    }
#define CANCEL(ms, cseq)                                                                           \
    {                                                                                              \
        ms, FROM_CALLER, SIP_CANCEL, 0, cseq, "", 0                                                \
    }
#define BYE(ms, cseq)                                                                              \
    {                                                                                              \
        ms, FROM_CALLER, SIP_BYE, 0, cseq, "b", 0                                                  \
    }
#define REINVITE(ms, cseq)                                                                         \
    {                                                                                              \
        ms, FROM_CALLER, SIP_INVITE, 0, cseq, "b", 0                                               \
    }

static const struct scenario SCENARIOS[] = {
    {"second INVITE sent before the first is answered, first 2xx wins",
     {INVITE(0, 1), INVITE(60, 2), RESPONSE(89, 100, 1), RESPONSE(90, 200, 1),
      RESPONSE(147, 100, 2), RESPONSE(150, 200, 2)},
     STATE_ANSWERED,
     200,
     2,
     0,
     89,
     NONE,
     90,
     0},
    {"loser of two INVITEs is cancelled, call stays answered",
     {INVITE(0, 1), INVITE(60, 2), RESPONSE(70, 180, 1), RESPONSE(90, 200, 1), CANCEL(95, 2),
      RESPONSE(99, 487, 2), ACK(100, 1)},
     STATE_ANSWERED,
     200,
     2,
     0,
     NONE,
     70,
     90,
     0},
    {"newer of two INVITEs is answered, older is refused late",
     {INVITE(0, 1), INVITE(60, 2), RESPONSE(80, 200, 2), RESPONSE(90, 486, 1)},
     STATE_ANSWERED,
     200,
     2,
     0,
     NONE,
     NONE,
     20,
     0},
    {"INVITE sent beside an answered one and refused is no refused change",
     {INVITE(0, 1), RESPONSE(10, 200, 1), INVITE(20, 2), RESPONSE(30, 486, 2)},
     STATE_ANSWERED,
     200,
     2,
     0,
     NONE,
     NONE,
     10,
     0},
    {"CANCEL after the answer of its own INVITE is too late",
     {INVITE(0, 1), RESPONSE(10, 200, 1), CANCEL(20, 1)},
     STATE_ANSWERED,
     200,
     1,
     0,
     NONE,
     NONE,
     10,
     NOTE_CANCEL_TOO_LATE},
    {"INVITE with credentials not captured, answers decide",
     {INVITE(0, 1), RESPONSE(10, 407, 1), ACK(11, 1), RESPONSE(30, 100, 2), RESPONSE(40, 200, 2),
      ACK(50, 2), BYE(90, 3)},
     STATE_ENDED,
     200,
     1,
     0,
     NONE,
     NONE,
     NONE,
     0},
    {"INVITE with credentials not captured, refusal decides",
     {INVITE(0, 1), RESPONSE(10, 407, 1), ACK(11, 1), RESPONSE(40, 403, 2)},
     STATE_FAILED,
     403,
     1,
     0,
     NONE,
     NONE,
     NONE,
     0},
    {"answer captured before its second INVITE, times are not known to be negative",
     {INVITE(0, 1), RESPONSE(10, 407, 1), ACK(11, 1), RESPONSE(40, 200, 2), INVITE(41, 2)},
     STATE_ANSWERED,
     200,
     2,
     0,
     NONE,
     NONE,
     -1000,
     0},
    {"re-INVITE refused is a refused change",
     {INVITE(0, 1), RESPONSE(10, 200, 1), ACK(11, 1), REINVITE(20, 2), RESPONSE(30, 488, 2)},
     STATE_ANSWERED,
     200,
     1,
     0,
     NONE,
     NONE,
     10,
     NOTE_CHANGE_REFUSED},
    {"180 with a new RSeq is a new response",
     {INVITE(0, 1), RELIABLE(10, 1, 7), RELIABLE(11, 1, 8)},
     STATE_RINGING,
     0,
     1,
     0,
     NONE,
     10,
     NONE,
     0},
    {"180 with the same RSeq is a retransmission",
     {INVITE(0, 1), RELIABLE(10, 1, 7), RELIABLE(11, 1, 7)},
     STATE_RINGING,
     0,
     1,
     1,
     NONE,
     10,
     NONE,
     0},
    {"180 without RSeq once more is a retransmission",
     {INVITE(0, 1), RESPONSE(10, 180, 1), RESPONSE(11, 180, 1)},
     STATE_RINGING,
     0,
     1,
     1,
     NONE,
     10,
     NONE,
     0},
};

static struct slice text(const char *s)
{
    return (struct slice){s, strlen(s)};
}

static struct sip_record record_of(const struct row *row, uint64_t number, char branch[16])
{
    struct endpoint caller = {.addr = {.lo = 1}, .port = 5060};
    struct endpoint callee = {.addr = {.lo = 2}, .port = 5060};
    bool by_caller = row->direction == FROM_CALLER;
    int n = snprintf(branch, 16, "z9hG4bK%u", (unsigned)row->cseq);
    return (struct sip_record){
        .src = by_caller ? caller : callee,
        .dst = by_caller ? callee : caller,
        .order = order_of(row->at_ms * MS, 0, number),
        .time_ns = row->at_ms * MS,
        .frame_hash = number, // no capture copies
        .call_id = text("one@caller"),
        .call_id_hash = 1,
        .cseq = row->cseq,
        .method = row->method,
        .code = row->code,
        .is_request = row->code == 0,
        .rseq = row->rseq,
        .from = text("sip:a@caller"),
        .to = text("sip:b@callee"),
        .from_tag = text("a"),
        .to_tag = text(row->to_tag),
        .branch = {branch, (size_t)n},
    };
}

static int64_t span_ms(const struct call *c, int64_t to_ns)
{
    return c->current.begun_ns == INT64_MIN || to_ns == INT64_MIN
               ? NONE
               : (to_ns - c->current.begun_ns) / MS;
}

static void check_call(const struct scenario *s, const struct call *c)
{
    if (call_state(c) != s->state || c->final_code != s->final_code) {
        fail_msg("%s: %s %u", s->name, call_state_name(call_state(c)), c->final_code);
    }
    if (c->attempts != s->attempts || c->retransmissions != s->retransmissions) {
        fail_msg("%s: %u attempts, %u retransmissions", s->name, c->attempts, c->retransmissions);
    }
    if (span_ms(c, c->current.trying_ns) != s->trying_ms ||
        span_ms(c, c->current.progress_ns) != s->progress_ms) {
        fail_msg("%s: trying %lld, progress %lld", s->name,
                 (long long)span_ms(c, c->current.trying_ns),
                 (long long)span_ms(c, c->current.progress_ns));
    }
    int64_t setup_ms = span_ms(c, c->answered_ns);
    if (s->setup_ms != BEFORE ? setup_ms != s->setup_ms : c->answered_ns >= c->current.begun_ns) {
        fail_msg("%s: setup %lld", s->name, (long long)setup_ms);
    }
    if (c->notes != s->notes) {
        fail_msg("%s: notes %x", s->name, c->notes);
    }
}

static void call_attempts_real_orders_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SCENARIOS / sizeof SCENARIOS[0]; i++) {
        const struct scenario *s = &SCENARIOS[i];
        struct call_bin bin;
        call_bin_init(&bin, 0);
        for (uint64_t k = 0; k < ROWS_MAX && s->rows[k].cseq != 0; k++) {
            char branch[16];
            struct sip_record m = record_of(&s->rows[k], k + 1, branch);
            call_bin_message(&bin, &m);
        }
        if (bin.call_count != 1) {
            fail_msg("%s: %u calls", s->name, bin.call_count);
        }
        check_call(s, bin.calls[0]);
        call_bin_fini(&bin);
    }
}

// A sender that never stops must not grow memory: others beyond the limit are counted, not kept.
static void call_attempts_without_end_bounded(void **state)
{
    (void)state;
    struct call_bin bin;
    call_bin_init(&bin, 0);
    for (uint64_t k = 1; k <= 1000; k++) {
        char branch[16];
        struct row row = INVITE((int64_t)k, k);
        struct sip_record m = record_of(&row, k, branch);
        call_bin_message(&bin, &m);
    }
    assert_int_equal(bin.call_count, 1);
    assert_int_equal(bin.calls[0]->attempts, 1000);
    assert_int_equal(bin.calls[0]->other_count, CALL_ATTEMPTS_MAX);
    assert_int_equal(call_state(bin.calls[0]), STATE_CALLING);
    call_bin_fini(&bin);
}

// RFC 3261 10.2: all registrations from one client should have the same Call-ID.
static void call_id_of_two_registrations_is_no_reuse(void **state)
{
    (void)state;
    static const char *const AORS[] = {"sip:a@here", "sip:b@here"};
    struct call_bin bin;
    call_bin_init(&bin, 0);
    for (uint64_t k = 0; k < 2; k++) {
        char branch[16];
        struct row row = {(int64_t)k, FROM_CALLER, SIP_REGISTER, 0, k + 1, "", 0};
        struct sip_record m = record_of(&row, k + 1, branch);
        m.to = text(AORS[k]);
        call_bin_message(&bin, &m);
    }
    assert_int_equal(bin.call_count, 2);
    assert_int_equal(bin.calls[1]->notes, 0);
    call_bin_fini(&bin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_attempts_real_orders_counted),
        cmocka_unit_test(call_attempts_without_end_bounded),
        cmocka_unit_test(call_id_of_two_registrations_is_no_reuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
