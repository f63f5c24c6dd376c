// Tests of registrations, subscriptions and single exchanges, and of messages that lack what
// identifies them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_script.h"

static void registration_is_one_address_of_record_however_often_refreshed(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"registered",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>;expires=60\n",
         {"kind=registration state=registered code=200 attempts=1 contacts=sip:a@h:60 notes=-"}},
        {"challenged",
         ">REGISTER 1\n<401 1 REGISTER\n>REGISTER 2\n"
         "<200 2 REGISTER | Contact: <sip:a@h> / Expires: 3600\n",
         {"state=registered code=200 attempts=2 contacts=sip:a@h:3600"}},
        {"challenged with a new tag",
         ">REGISTER 1\n<401 1 REGISTER\n>REGISTER 2 f=a2\n"
         "<200 2 REGISTER f=a2 | Contact: <sip:a@h>;expires=5\n",
         {"state=registered attempts=2"}},
        {"challenge not answered", ">REGISTER 1\n<401 1 REGISTER\n", {"state=failed code=401"}},
        {"refused", ">REGISTER 1\n<403 1 REGISTER\n", {"state=failed code=403"}},
        {"waiting", ">REGISTER 1\n", {"state=registering code=0"}},
        {"refreshed",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>;expires=60\n"
         ">REGISTER 2 f=a2 @30000\n<200 2 REGISTER f=a2 | Contact: <sip:a@h>;expires=50\n"
         ">REGISTER 3 f=a3 @60000\n<200 3 REGISTER f=a3 | Contact: <sip:a@h>;expires=40\n",
         {"state=registered attempts=1 messages=6 contacts=sip:a@h:40"}},
        {"two contacts on one line and one more",
         ">REGISTER 1\n"
         "<200 1 REGISTER | Contact: <sip:a@h>;expires=9, <sip:b@h> / Contact: <sip:c@h>;expires=7 "
         "/ "
         "Expires: 5\n",
         {"contacts=sip:a@h:9,sip:b@h:5,sip:c@h:7"}},
        {"removed, nothing left",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>;expires=60\n"
         ">REGISTER 2 @9000\n<200 2 REGISTER\n",
         {"state=unregistered attempts=1 contacts="}},
        {"removed, told with 0",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>;expires=0\n",
         {"state=unregistered contacts=sip:a@h:0"}},
        {"one of two removed",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>;expires=0, <sip:b@h>;expires=60\n",
         {"state=registered"}},
        {"registered again after it was removed",
         ">REGISTER 1\n<200 1 REGISTER\n>REGISTER 2\n"
         "<200 2 REGISTER | Contact: <sip:a@h>;expires=60\n",
         {"state=registered attempts=1"}},
        {"a refresh that is refused",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>\n"
         ">REGISTER 2 @9000\n<500 2 REGISTER\n",
         {"state=failed code=500"}},
        {"expires not said",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>\n",
         {"state=registered contacts=sip:a@h:-1"}},
        {"two addresses of record, one Call-ID",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>\n"
         ">REGISTER 2 u=sip:carol@x\n<403 2 REGISTER u=sip:carol@x\n",
         {"state=registered attempts=1", "state=failed attempts=1 notes=-"}},
        {"a call with the Call-ID of a registration",
         ">REGISTER 1\n<200 1 REGISTER | Contact: <sip:a@h>\n>INVITE 2\n<486 2\n",
         {"kind=registration state=registered", "kind=call state=busy notes=-"}},
    };
    SCRIPT_CHECK(CASES);
}

static void subscription_is_what_the_notifier_says(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"accepted",
         ">SUBSCRIBE 1\n<200 1 SUBSCRIBE | Expires: 600\n",
         {"kind=subscription state=active code=200"}},
        {"pending", ">SUBSCRIBE 1\n<202 1 SUBSCRIBE | Expires: 600\n", {"state=pending"}},
        {"told active",
         ">SUBSCRIBE 1\n<202 1 SUBSCRIBE | Expires: 600\n"
         "<NOTIFY 1 | Subscription-State: active;expires=599\n>200 1 NOTIFY\n",
         {"state=active messages=4"}},
        {"told pending",
         ">SUBSCRIBE 1\n<200 1 SUBSCRIBE | Expires: 9\n<NOTIFY 1 | Subscription-State: pending\n",
         {"state=pending"}},
        {"ended by the notifier",
         ">SUBSCRIBE 1\n<200 1 SUBSCRIBE | Expires: 600\n"
         "<NOTIFY 1 | Subscription-State: terminated;reason=timeout\n>200 1 NOTIFY\n",
         {"state=terminated"}},
        {"ended by the subscriber",
         ">SUBSCRIBE 1\n<200 1 SUBSCRIBE | Expires: 600\n>SUBSCRIBE 2 t=b\n"
         "<200 2 SUBSCRIBE | Expires: 0\n",
         {"state=terminated attempts=1"}},
        {"refused", ">SUBSCRIBE 1\n<489 1 SUBSCRIBE\n", {"state=failed code=489"}},
        {"challenged, then accepted",
         ">SUBSCRIBE 1\n<407 1 SUBSCRIBE\n>SUBSCRIBE 2\n<200 2 SUBSCRIBE | Expires: 5\n",
         {"state=active attempts=2"}},
        {"only the NOTIFY was captured",
         "<NOTIFY 1 | Subscription-State: active\n",
         {"kind=subscription state=active"}},
        {"a failed NOTIFY changes nothing",
         ">SUBSCRIBE 1\n<200 1 SUBSCRIBE | Expires: 600\n<NOTIFY 1\n>500 1 NOTIFY\n",
         {"state=active code=200"}},
    };
    SCRIPT_CHECK(CASES);
}

static void exchange_is_answered_failed_or_waits(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"OPTIONS", ">OPTIONS 1\n<200 1 OPTIONS\n", {"kind=options state=answered code=200"}},
        {"OPTIONS without an answer",
         ">OPTIONS 1\nagain @500\nagain @1500\n",
         {"kind=options state=waiting code=0 retransmissions=2 attempts=1"}},
        {"pings with one Call-ID",
         ">OPTIONS 1\n<200 1 OPTIONS\n>OPTIONS 2\n<200 2 OPTIONS\n>OPTIONS 3\n<200 3 OPTIONS\n",
         {"kind=options state=answered attempts=1 messages=6"}},
        {"pings with one Call-ID and new tags",
         ">OPTIONS 1\n<200 1 OPTIONS\n>OPTIONS 2 f=a2\n<404 2 OPTIONS f=a2\n",
         {"state=answered", "state=failed"}},
        {"MESSAGE", ">MESSAGE 1\n<202 1 MESSAGE\n", {"kind=message state=answered code=202"}},
        {"PUBLISH", ">PUBLISH 1\n<412 1 PUBLISH\n", {"kind=publish state=failed code=412"}},
        {"unknown", ">FOO 1\n<200 1 FOO\n", {"kind=other state=answered"}},
        {"in lower case it is unknown",
         ">invite 1\n<405 1 invite\n",
         {"kind=other state=failed code=405"}},
        {"REFER outside of a call", ">REFER 1 t=-\n<202 1 REFER\n", {"kind=other state=answered"}},
        {"an OPTIONS in a call belongs to it",
         ">INVITE 1\n<200 1\n>ACK 1\n>OPTIONS 2 t=b\n<500 2 OPTIONS\n",
         {"kind=call state=answered messages=5"}},
        {"a call and an OPTIONS of another tag share a Call-ID",
         ">OPTIONS 1 f=o\n<200 1 OPTIONS f=o\n>INVITE 1\n<180 1\n",
         {"kind=options state=answered", "kind=call state=ringing notes=-"}},
    };
    SCRIPT_CHECK(CASES);
}

static void message_that_lacks_its_identity_is_still_counted(void **state)
{
    (void)state;
    static const struct script_case CASES[] = {
        {"no From tag (RFC 2543)",
         ">INVITE 1 f=-\n<180 1 f=-\n<200 1 f=-\n>ACK 1 f=-\n",
         {"state=answered messages=4"}},
        {"no To tag in the answer",
         ">INVITE 1\n<180 1 t=-\n<200 1 t=-\n>ACK 1 t=-\n>BYE 2 t=-\n",
         {"state=ended code=200 branches="}},
        {"no Call-ID, one pair of addresses",
         ">INVITE 1 c=-\n<200 1 c=-\n>ACK 1 c=-\n",
         {"state=answered messages=3"}},
        {"no Call-ID, another caller",
         ">INVITE 1 c=-\n>INVITE 1 c=- f=a2\n",
         {"state=calling messages=1", "state=calling messages=1 notes=-"}},
        {"no branch",
         ">INVITE 1 b=-\n<100 1 b=-\n<200 1 b=-\n>ACK 1 b=-\n",
         {"state=answered messages=4 retransmissions=0"}},
        {"CSeq 0",
         ">INVITE 0\n<180 0\n<200 0\n>ACK 0\n>BYE 1\n<200 1 BYE\n",
         {"state=ended attempts=1"}},
        {"CSeq beyond 2^31",
         ">INVITE 4294967295\n<200 4294967295\n>ACK 4294967295\n",
         {"state=answered attempts=1"}},
        {"a code that is none", ">INVITE 1\n<199 1\n<999 1\n", {"state=failed code=999"}},
    };
    SCRIPT_CHECK(CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registration_is_one_address_of_record_however_often_refreshed),
        cmocka_unit_test(subscription_is_what_the_notifier_says),
        cmocka_unit_test(exchange_is_answered_failed_or_waits),
        cmocka_unit_test(message_that_lacks_its_identity_is_still_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
