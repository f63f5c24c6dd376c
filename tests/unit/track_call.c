// Tests of calls: what an observer makes of the messages of one, by docs/json.md.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_script.h"

#define UP ">INVITE 1 @0\n<100 1 @20\n<180 1 @100\n<200 1 @500\n>ACK 1 @520\n"

static void call_that_is_answered_has_times_of_its_parts(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"whole",
         UP ">BYE 2 @5500\n<200 2 BYE\n",
         {"kind=call state=ended code=200 messages=7 retransmissions=0 attempts=1 by=caller "
          "trying=20 pdd=100 setup=500 ring=400 up=5000 notes=- hops=1"}},
        {"ended by the callee", UP "<BYE 2 @5500\n>200 2 BYE\n", {"state=ended by=callee up=5000"}},
        {"183 counts for pdd, 180 for ring",
         ">INVITE 1 @0\n<183 1 @50\n<180 1 @80\n<200 1 @100\n>ACK 1\n",
         {"state=answered pdd=50 ring=20 setup=100"}},
        {"without 18x the final counts for pdd", ">INVITE 1 @0\n<486 1 @70\n>ACK 1\n", {"pdd=70"}},
        {"199 is no progress", ">INVITE 1 @0\n<199 1 @10\n<200 1 @70\n>ACK 1\n", {"pdd=70"}},
        {"still up", UP, {"state=answered by=- up=- acked=1"}},
        {"nothing heard", ">INVITE 1\n", {"state=calling code=0 trying=- pdd=- setup=-"}},
        {"100 is no ringing", ">INVITE 1 @0\n<100 1 @5\n", {"state=calling trying=5 pdd=-"}},
        {"ringing", ">INVITE 1\n<180 1\n", {"state=ringing"}},
        {"session progress is ringing", ">INVITE 1\n<183 1\n", {"state=ringing"}},
    };
    SCRIPT_CHECK(CASES);
}

static void call_that_is_refused_has_the_state_of_its_final(void **state)
{
    (void)state;
    static const struct {
        uint16_t code;
        const char *state;
    } FINALS[] = {
        {300, "redirected"}, {302, "redirected"}, {305, "redirected"}, {380, "redirected"},
        {400, "failed"},     {403, "failed"},     {404, "failed"},     {408, "failed"},
        {480, "failed"},     {486, "busy"},       {487, "cancelled"},  {488, "failed"},
        {500, "failed"},     {503, "failed"},     {600, "busy"},       {603, "failed"},
        {606, "failed"},     {401, "failed"},     {407, "failed"},     {422, "failed"}};
    for (size_t i = 0; i < sizeof FINALS / sizeof FINALS[0]; i++) {
        char text[128], wanted[64];
        snprintf(text, sizeof text, ">INVITE 1\n<100 1\n<180 1\n<%u 1\n>ACK 1\n", FINALS[i].code);
        snprintf(wanted, sizeof wanted, "state=%s code=%u attempts=1 by=-", FINALS[i].state,
                 FINALS[i].code);
        struct script_case one = {"final", text, {wanted}};
        assert_true(script_check(&one));
    }
}

static void call_that_is_tried_again_is_one_call(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"credentials, same tag",
         ">INVITE 1 @0\n<401 1\n>ACK 1\n>INVITE 2 @100\n<180 2 @200\n<200 2 @400\n>ACK 2\n",
         {"state=answered code=200 attempts=2 pdd=100 setup=300 notes=-"}},
        {"credentials, new tag",
         ">INVITE 1 @0\n<407 1\n>ACK 1\n>INVITE 2 f=a2 @100\n<200 2 f=a2 @400\n>ACK 2 f=a2\n"
         ">BYE 3 f=a2\n<200 3 BYE f=a2\n",
         {"state=ended code=200 attempts=2 setup=300 by=caller"}},
        {"both proxies ask",
         ">INVITE 1\n<407 1\n>ACK 1\n>INVITE 2\n<401 2\n>ACK 2\n>INVITE 3\n<200 3\n>ACK 3\n",
         {"state=answered attempts=3"}},
        {"session interval too small",
         ">INVITE 1\n<422 1\n>ACK 1\n>INVITE 2 f=a2\n<200 2 f=a2\n",
         {"state=answered attempts=2"}},
        {"redirected, same tag",
         ">INVITE 1\n<302 1\n>ACK 1\n>INVITE 2\n<200 2\n",
         {"state=answered attempts=2"}},
        {"redirected, new tag",
         ">INVITE 1\n<302 1\n>ACK 1\n>INVITE 2 f=a2\n<180 2 f=a2\n",
         {"state=ringing attempts=2 code=0"}},
        {"credentials that are refused",
         ">INVITE 1\n<401 1\n>ACK 1\n>INVITE 2\n<403 2\n>ACK 2\n",
         {"state=failed code=403 attempts=2"}},
        {"the second try is busy",
         ">INVITE 1\n<401 1\n>ACK 1\n>INVITE 2\n<486 2\n>ACK 2\n",
         {"state=busy code=486 attempts=2"}},
        {"the second try waits",
         ">INVITE 1\n<401 1\n>ACK 1\n>INVITE 2\n",
         {"state=calling code=0 attempts=2"}},
        {"a late copy of the challenge changes nothing",
         ">INVITE 1\n<401 1\n>ACK 1\n>INVITE 2\n<200 2\n>ACK 2\n<401 1\n>ACK 1\n",
         {"state=answered code=200 attempts=2 retransmissions=2"}},
        {"BYE of the new tag's dialog by the callee",
         ">INVITE 1\n<401 1\n>ACK 1\n>INVITE 2 f=a2\n<200 2 f=a2\n>ACK 2 f=a2\n"
         "<BYE 9 t=a2\n>200 9 BYE t=a2\n",
         {"state=ended by=callee"}},
        {"a refusal is no reason for another try",
         ">INVITE 1\n<486 1\n>ACK 1\n>INVITE 1 f=a2\n<200 1 f=a2\n",
         {"state=busy attempts=1", "state=answered attempts=1 notes=reuse"}},
        {"another caller does not answer the challenge",
         ">INVITE 1\n<401 1\n>ACK 1\n>INVITE 2 f=x u=sip:mallory@x\n",
         {"state=failed code=401 attempts=1", "state=calling attempts=1 notes=reuse"}},
    };
    SCRIPT_CHECK(CASES);
}

static void call_id_that_is_used_again_is_another_call(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"another tag",
         UP ">BYE 2\n<200 2 BYE\n>INVITE 1 f=a2 @60000\n<180 1 f=a2\n",
         {"state=ended messages=7", "state=ringing messages=2 notes=reuse"}},
        {"the same tag after a BYE",
         UP ">BYE 2\n<200 2 BYE\n>INVITE 3 b=z9hG4bKnew @60000\n<200 3 b=z9hG4bKnew t=c\n",
         {"state=ended messages=7", "state=answered messages=2 notes=reuse attempts=1"}},
        {"another tag while the first is up",
         UP ">INVITE 1 f=a2\n<486 1 f=a2\n",
         {"state=answered messages=5", "state=busy notes=reuse"}},
        {"its BYE goes to the call of its tags",
         UP ">INVITE 1 f=a2\n<200 1 f=a2 t=b2\n>ACK 1 f=a2 t=b2\n>BYE 2\n<200 2 BYE\n",
         {"state=ended", "state=answered notes=reuse"}},
        {"a retry with another tag, another caller in between",
         ">INVITE 1 f=a1\n<401 1 f=a1\n>ACK 1 f=a1\n>INVITE 1 f=x u=bob\n"
         ">INVITE 2 f=a2\n<200 2 f=a2\n",
         {"state=answered attempts=2 messages=5", "state=calling attempts=1 messages=1"}},
        {"late messages of a tag before the last",
         ">INVITE 1 f=a1\n<401 1 f=a1\n>ACK 1 f=a1\n>INVITE 2 f=a2\n<422 2 f=a2\n>ACK 2 f=a2\n"
         ">INVITE 3 f=a3\n<200 3 f=a3\n<401 1 f=a1\n>ACK 1 f=a1\n",
         {"state=answered attempts=3 messages=10 retransmissions=2"}},
        {"an exchange is answered after a call with the same tag began",
         ">OPTIONS 1\n>INVITE 2\n<200 1 OPTIONS\n",
         {"kind=options state=answered messages=2", "kind=call state=calling messages=1"}},
        {"a caller without a tag, the callee ends",
         ">INVITE 1 f=-\n<200 1 f=-\n>ACK 1 f=-\n<BYE 7 t=-\n",
         {"state=ended messages=4 by=callee"}},
        {"late messages of the first call with the same tag",
         UP ">BYE 2\n<200 2 BYE\n>INVITE 3 b=z9hG4bKnew @60000\n<200 3 b=z9hG4bKnew t=c\n"
            ">BYE 2\n<200 2 BYE\n",
         {"state=ended messages=9 retransmissions=2", "state=answered messages=2"}},
        {"Call-IDs that differ in the last byte",
         ">INVITE 1 c=x1\n>INVITE 1 c=x2\n",
         {"state=calling notes=-", "state=calling notes=-"}},
        {"the last retransmission of a BYE stays with its call",
         UP ">BYE 2\n<200 2 BYE\n>INVITE 3 f=a2\n>BYE 2\n<200 2 BYE\n",
         {"messages=9 retransmissions=2", "messages=1 state=calling"}},
    };
    SCRIPT_CHECK(CASES);
}

static void call_of_which_parts_are_missing_is_known_as_far_as_it_goes(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"answers before their INVITE",
         "<100 1 @0\n<200 1 @2\n>INVITE 1 @5\n>ACK 1\n",
         {"state=answered code=200 attempts=1 notes=- messages=4"}},
        {"a response alone", "<200 1\n", {"kind=call state=answered code=200 notes=start"}},
        {"provisional alone", "<180 1\n", {"kind=call state=partial notes=start"}},
        {"BYE alone", ">BYE 2\n", {"kind=call state=partial notes=start"}},
        {"BYE and its answer", ">BYE 2\n<200 2 BYE\n", {"state=ended notes=start by=caller"}},
        {"BYE of the callee, by its tags", "<BYE 2\n>200 2 BYE\n", {"state=ended notes=start"}},
        {"ACK alone", ">ACK 1\n", {"kind=call state=partial notes=start"}},
        {"the first half is missing",
         "<200 1\n>ACK 1\n>BYE 2\n<200 2 BYE\n",
         {"state=ended code=200 notes=start"}},
        {"a re-INVITE begins the capture",
         ">INVITE 5 t=b\n<200 5\n>ACK 5\n>BYE 6\n<200 6 BYE\n",
         {"state=ended code=0 setup=- up=- notes=start"}},
        {"a re-INVITE that is refused begins the capture",
         ">INVITE 5 t=b\n<488 5\n>ACK 5\n",
         {"kind=call state=partial code=0 notes=startchange"}},
        {"INFO begins the capture",
         ">INFO 5 t=b\n<200 5 INFO\n",
         {"kind=call state=partial code=0 notes=start"}},
        {"NOTIFY begins the capture, a BYE shows what it was",
         "<NOTIFY 5\n>200 5 NOTIFY\n>BYE 6\n<200 6 BYE\n",
         {"kind=call state=ended code=0 notes=start"}},
        {"only one direction, of the caller", ">INVITE 1\n>ACK 1\n>BYE 2\n", {"state=ended"}},
        {"only one direction, of the callee",
         "<100 1\n<180 1\n<200 1\n<200 2 BYE\n",
         {"state=ended code=200 notes=start attempts=0 by=caller"}},
        {"trying alone", "<100 1\n", {"kind=call state=partial notes=start"}},
    };
    SCRIPT_CHECK(CASES);
}

static void call_with_requests_that_cross_ends_as_it_did(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"cancelled",
         ">INVITE 1\n<180 1\n>CANCEL 1\n<200 1 CANCEL\n<487 1\n>ACK 1\n",
         {"state=cancelled code=487 notes=- attempts=1"}},
        {"cancelled, no answer seen", ">INVITE 1\n<180 1\n>CANCEL 1\n", {"state=cancelled code=0"}},
        {"busy before the CANCEL came",
         ">INVITE 1\n>CANCEL 1\n<486 1\n>ACK 1\n<481 1 CANCEL\n",
         {"state=busy code=486"}},
        {"CANCEL after the 200",
         ">INVITE 1\n<200 1\n>CANCEL 1\n<481 1 CANCEL\n>ACK 1\n>BYE 2\n<200 2 BYE\n",
         {"state=ended code=200 notes=late by=caller"}},
        {"CANCEL and 200 cross, the 200 is seen second",
         ">INVITE 1\n<180 1\n>CANCEL 1\n<200 1\n<200 1 CANCEL\n>ACK 1\n>BYE 2\n<200 2 BYE\n",
         {"state=ended code=200 by=caller"}},
        {"BYEs cross",
         UP ">BYE 2 @900\n<BYE 7 @905\n<481 2 BYE\n>481 7 BYE\n",
         {"state=ended by=both up=400"}},
        {"BYEs cross, one wins",
         UP "<BYE 7 @900\n>BYE 2 @905\n>200 7 BYE\n<481 2 BYE\n",
         {"state=ended by=both"}},
        {"a second BYE after the answer to the first",
         UP ">BYE 2\n<200 2 BYE\n<BYE 7\n>481 7 BYE\n",
         {"state=ended by=caller"}},
        {"BYE retransmitted",
         UP ">BYE 2 @900\nagain\nagain\n<200 2 BYE\n",
         {"state=ended retransmissions=2 up=400 by=caller"}},
        {"200 never acknowledged",
         ">INVITE 1 @0\n<200 1 @100\nagain @600\nagain @1600\nagain @3600\n<BYE 9\n>200 9 BYE\n",
         {"state=ended retransmissions=3 acked=0 setup=100"}},
        {"BYE of an early dialog",
         ">INVITE 1\n<180 1\n>BYE 2\n<200 2 BYE\n<487 1\n>ACK 1\n",
         {"state=ended"}},
    };
    SCRIPT_CHECK(CASES);
}

static void call_that_forks_has_a_branch_for_each_to_tag(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"two answer, one is released",
         ">INVITE 1\n<183 1 t=x\n<183 1 t=y\n<183 1 t=z\n<200 1 t=y\n>ACK 1 t=y\n<200 1 t=z\n"
         ">ACK 1 t=z\n>BYE 2 t=z\n<200 2 BYE t=z\n",
         {"state=answered code=200 branches=x:ended:0,y:answered:200,z:ended:200"}},
        {"and then the other",
         ">INVITE 1\n<183 1 t=y\n<200 1 t=y\n>ACK 1 t=y\n<200 1 t=z\n>ACK 1 t=z\n"
         ">BYE 2 t=z\n<200 2 BYE t=z\n<BYE 5 f=y\n>200 5 BYE f=y\n",
         {"state=ended by=callee branches=y:ended:200,z:ended:200"}},
        {"one still rings, nobody answered",
         ">INVITE 1\n<180 1 t=x\n<180 1 t=y\n",
         {"state=ringing branches=x:ringing:0,y:ringing:0"}},
        {"one rang on when all was over",
         ">INVITE 1\n<180 1 t=x\n<180 1 t=y\n<603 1 t=y\n>ACK 1 t=y\n",
         {"state=failed branches=x:ended:0,y:failed:603"}},
        {"a BYE with a tag that nobody has",
         ">INVITE 1\n<180 1\n<200 1\n>ACK 1\n>BYE 2 t=a\n<481 2 BYE t=a\n<BYE 7\n",
         {"state=ended by=callee branches=b:ended:200 "}},
        {"a BYE before the 200 in the capture",
         ">INVITE 1\n<180 1 t=x\n>BYE 2 t=y\n<200 1 t=y\n>ACK 1 t=y\n",
         {"branches=x:ended:0,y:ended:200"}},
        {"a proxy cancels the branch that lost",
         ">INVITE 1\n>INVITE 1 b=x\n>INVITE 1 b=y\n<180 1 t=x b=x\n<180 1 t=y b=y\n"
         "<200 1 t=y b=y\n<200 1 t=y\n>CANCEL 1 b=x\n<200 1 CANCEL b=x\n<487 1 t=x b=x\n"
         ">ACK 1 t=x b=x\n>ACK 1 t=y b=new\n",
         {"state=answered notes=- acked=1 branches=x:cancelled:487,y:answered:200"}},
        {"and one that comes too late for the branch that won",
         ">INVITE 1\n>INVITE 1 b=x\n>INVITE 1 b=y\n<200 1 t=y b=y\n>CANCEL 1 b=y\n",
         {"state=answered notes=late"}},
        {"the ACK of a refused branch is none of the answer",
         ">INVITE 1\n<180 1 t=x\n<180 1 t=y\n<486 1 t=x\n>ACK 1 t=x\n<200 1 t=y\n",
         {"state=answered acked=0 branches=x:busy:486,y:answered:200"}},
        {"one is busy, one answers",
         ">INVITE 1\n<180 1 t=x\n<486 1 t=x\n<200 1 t=y\n>ACK 1 t=y\n",
         {"state=answered code=200 branches=x:busy:486,y:answered:200"}},
        {"a 2xx wins over a final that came first",
         ">INVITE 1 @0\n<408 1 t=x @100\n<200 1 t=y @200\n>ACK 1 t=y\n",
         {"state=answered code=200 setup=200"}},
        {"100 makes no branch", ">INVITE 1\n<100 1 t=x\n<180 1 t=y\n", {"branches=y:ringing:0"}},
        {"branches of a try that was challenged are forgotten",
         ">INVITE 1\n<401 1 t=p\n>ACK 1 t=p\n>INVITE 2\n<200 2 t=y\n",
         {"branches=y:answered:200 attempts=2"}},
    };
    SCRIPT_CHECK(CASES);
}

static void call_that_is_up_is_not_changed_by_what_happens_in_it(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"re-INVITE", UP ">INVITE 2 t=b\n<200 2\n>ACK 2\n", {"state=answered attempts=1 notes=-"}},
        {"re-INVITE refused",
         UP ">INVITE 2 t=b\n<488 2\n>ACK 2\n>BYE 3\n<200 3 BYE\n",
         {"state=ended code=200 attempts=1 notes=change"}},
        {"of the callee", UP "<INVITE 4\n>200 4\n<ACK 4\n", {"state=answered notes=-"}},
        {"of the callee refused",
         UP "<INVITE 4\n>491 4\n<ACK 4\n",
         {"state=answered notes=change"}},
        {"challenged",
         UP ">INVITE 2 t=b\n<407 2\n>ACK 2\n>INVITE 3 t=b\n<200 3\n>ACK 3\n",
         {"state=answered code=200 notes=-"}},
        {"UPDATE refused", UP ">UPDATE 2\n<504 2 UPDATE\n", {"state=answered notes=change"}},
        {"INFO, PRACK, REFER, NOTIFY, MESSAGE",
         UP ">INFO 2\n<200 2 INFO\n>PRACK 3\n<200 3 PRACK\n>REFER 4\n<202 4 REFER\n<NOTIFY 9\n"
            ">200 9 NOTIFY\n>MESSAGE 5 t=b\n<500 5 MESSAGE\n",
         {"kind=call state=answered code=200 notes=- messages=15"}},
        {"unknown method in it", UP ">FOO 2 t=b\n<501 2 FOO\n", {"state=answered messages=7"}},
    };
    SCRIPT_CHECK(CASES);
}

static void call_seen_twice_tells_copies_hops_and_retransmissions(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"copies of the capture",
         ">INVITE 1 @0\ncopy @0\n<200 1 @10\ncopy @60\n",
         {"messages=2 duplicates=2 retransmissions=0"}},
        {"after more than 50 ms it was sent again",
         ">INVITE 1 @0\ncopy @51\n",
         {"messages=2 duplicates=0 retransmissions=1"}},
        {"sent again",
         ">INVITE 1 @0\nagain @500\nagain @1500\n",
         {"messages=3 duplicates=0 retransmissions=2 attempts=1"}},
        {"another TTL",
         ">INVITE 1 @0\nhop @0\n<100 1\nhop\n",
         {"messages=4 duplicates=0 retransmissions=0 attempts=1"}},
        {"another Via",
         ">INVITE 1 @0\n>INVITE 1 b=z9hG4bKproxy\n<180 1 b=z9hG4bKproxy\n<180 1\n",
         {"messages=4 retransmissions=0 attempts=1 state=ringing"}},
        {"another Via, of a fingerprint that is the same in its lower half", // found by search
         ">INVITE 1 @0 b=z9hG4bK78302\n>INVITE 1 b=z9hG4bK355257\n"
         ">INVITE 1 b=z9hG4bK208466\n>INVITE 1 b=z9hG4bK330641\n",
         {"messages=4 retransmissions=0 attempts=1"}},
        {"a copy alone knows no call",
         ">INVITE 1 @0\ncopy @1\ncopy @2\n",
         {"messages=1 duplicates=2"}},
    };
    SCRIPT_CHECK(CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_that_is_answered_has_times_of_its_parts),
        cmocka_unit_test(call_that_is_refused_has_the_state_of_its_final),
        cmocka_unit_test(call_that_is_tried_again_is_one_call),
        cmocka_unit_test(call_id_that_is_used_again_is_another_call),
        cmocka_unit_test(call_of_which_parts_are_missing_is_known_as_far_as_it_goes),
        cmocka_unit_test(call_with_requests_that_cross_ends_as_it_did),
        cmocka_unit_test(call_that_forks_has_a_branch_for_each_to_tag),
        cmocka_unit_test(call_that_is_up_is_not_changed_by_what_happens_in_it),
        cmocka_unit_test(call_seen_twice_tells_copies_hops_and_retransmissions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
