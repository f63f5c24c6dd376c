// Tests of the tables from facts to states: every row, their order, and every combination of facts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "track/call.h"

#define FACTS_END (1u << 15)

struct row {
    uint32_t facts;
    enum call_state state;
};

#define ROWS_MAX 16

// The contract's states, most telling first.
static const struct {
    enum call_kind kind;
    size_t count;
    struct row rows[ROWS_MAX];
} TABLES[] = {
    {KIND_CALL,
     13,
     {{FACT_ANSWERED | FACT_RELEASED, STATE_ENDED},
      {FACT_ANSWERED, STATE_ANSWERED},
      {FACT_START | FACT_BYE, STATE_ENDED},
      {FACT_BYE_OK, STATE_ENDED},
      {FACT_REDIRECTED, STATE_REDIRECTED},
      {FACT_BUSY, STATE_BUSY},
      {FACT_CANCELLED, STATE_CANCELLED},
      {FACT_FAILED, STATE_FAILED},
      {FACT_CHALLENGED, STATE_FAILED},
      {FACT_CANCEL, STATE_CANCELLED},
      {FACT_START | FACT_PROGRESS, STATE_RINGING},
      {FACT_START, STATE_CALLING},
      {0, STATE_PARTIAL}}},
    {KIND_REGISTRATION,
     5,
     {{FACT_CHALLENGED, STATE_FAILED},
      {FACT_FAILED, STATE_FAILED},
      {FACT_REMOVED, STATE_UNREGISTERED},
      {FACT_ANSWERED, STATE_REGISTERED},
      {0, STATE_REGISTERING}}},
    {KIND_SUBSCRIPTION,
     5,
     {{FACT_TERMINATED, STATE_TERMINATED},
      {FACT_CHALLENGED, STATE_FAILED},
      {FACT_FAILED, STATE_FAILED},
      {FACT_ANSWERED, STATE_ACTIVE},
      {0, STATE_PENDING}}},
    {KIND_OPTIONS,
     4,
     {{FACT_CHALLENGED, STATE_FAILED},
      {FACT_FAILED, STATE_FAILED},
      {FACT_ANSWERED, STATE_ANSWERED},
      {0, STATE_WAITING}}},
};

#define TABLE_COUNT (sizeof TABLES / sizeof TABLES[0])

static void call_state_of_each_row_is_its_state(void **state)
{
    (void)state;
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        for (size_t i = 0; i < TABLES[t].count; i++) {
            const struct row *row = &TABLES[t].rows[i];
            assert_int_equal(call_state_of(TABLES[t].kind, row->facts), row->state);
        }
    }
}

static void call_state_of_two_rows_is_that_of_the_first(void **state)
{
    (void)state;
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        for (size_t i = 0; i < TABLES[t].count; i++) {
            for (size_t k = i; k < TABLES[t].count; k++) {
                uint32_t facts = TABLES[t].rows[i].facts | TABLES[t].rows[k].facts;
                size_t first = 0;
                while ((TABLES[t].rows[first].facts & facts) != TABLES[t].rows[first].facts) {
                    first++;
                }
                assert_true(first <= i);
                assert_int_equal(call_state_of(TABLES[t].kind, facts), TABLES[t].rows[first].state);
            }
        }
    }
}

static void call_state_of_every_combination_is_one_of_its_kind(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (uint32_t facts = 0; facts < FACTS_END; facts++) {
            enum call_state s = call_state_of((enum call_kind)kind, facts);
            assert_true(s < STATE_COUNT);
            bool of_calls = s <= STATE_FAILED;
            bool of_registrations =
                s == STATE_FAILED || (s >= STATE_REGISTERING && s <= STATE_UNREGISTERED);
            bool of_subscriptions =
                s == STATE_FAILED || (s >= STATE_PENDING && s <= STATE_TERMINATED);
            bool of_others = s == STATE_FAILED || s == STATE_WAITING || s == STATE_ANSWERED;
            assert_true(kind == KIND_CALL           ? of_calls
                        : kind == KIND_REGISTRATION ? of_registrations
                        : kind == KIND_SUBSCRIPTION ? of_subscriptions
                                                    : of_others);
        }
    }
}

static void call_state_name_and_kind_name_are_those_of_the_contract(void **state)
{
    (void)state;
    static const char *const STATES[STATE_COUNT] = {
        "partial", "calling",    "ringing",    "answered",    "ended",      "cancelled",
        "busy",    "redirected", "failed",     "registering", "registered", "unregistered",
        "pending", "active",     "terminated", "waiting"};
    static const char *const KINDS[KIND_COUNT] = {
        "call", "registration", "subscription", "options", "message", "publish", "other"};
    for (int i = 0; i < STATE_COUNT; i++) {
        assert_string_equal(call_state_name((enum call_state)i), STATES[i]);
    }
    for (int i = 0; i < KIND_COUNT; i++) {
        assert_string_equal(call_kind_name((enum call_kind)i), KINDS[i]);
    }
}

static void call_kind_of_every_method_is_known(void **state)
{
    (void)state;
    static const struct {
        enum sip_method method;
        enum call_kind kind;
    } CASES[] = {
        {SIP_INVITE, KIND_CALL},
        {SIP_ACK, KIND_CALL},
        {SIP_BYE, KIND_CALL},
        {SIP_CANCEL, KIND_CALL},
        {SIP_PRACK, KIND_CALL},
        {SIP_UPDATE, KIND_CALL},
        {SIP_INFO, KIND_OTHER},
        {SIP_REFER, KIND_OTHER},
        {SIP_METHOD_OTHER, KIND_OTHER},
        {SIP_REGISTER, KIND_REGISTRATION},
        {SIP_OPTIONS, KIND_OPTIONS},
        {SIP_SUBSCRIBE, KIND_SUBSCRIPTION},
        {SIP_NOTIFY, KIND_SUBSCRIPTION},
        {SIP_MESSAGE, KIND_MESSAGE},
        {SIP_PUBLISH, KIND_PUBLISH},
    };
    assert_int_equal(sizeof CASES / sizeof CASES[0], SIP_METHOD_COUNT);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        assert_int_equal(call_kind_of(CASES[i].method), CASES[i].kind);
    }
}

static void call_may_retry_after_challenges_redirects_and_intervals_alone(void **state)
{
    (void)state;
    for (uint16_t code = 100; code < 700; code++) {
        bool wanted =
            (code >= 300 && code < 400) || code == 401 || code == 407 || code == 422 || code == 423;
        assert_int_equal(call_may_retry(code), wanted);
        enum call_fact fact = code >= 200 ? call_fact_of(code) : FACT_ANSWERED;
        assert_true(fact != 0 && (fact & (fact - 1)) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_state_of_each_row_is_its_state),
        cmocka_unit_test(call_state_of_two_rows_is_that_of_the_first),
        cmocka_unit_test(call_state_of_every_combination_is_one_of_its_kind),
        cmocka_unit_test(call_state_name_and_kind_name_are_those_of_the_contract),
        cmocka_unit_test(call_kind_of_every_method_is_known),
        cmocka_unit_test(call_may_retry_after_challenges_redirects_and_intervals_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
