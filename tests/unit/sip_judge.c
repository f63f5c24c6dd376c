// The judge on small messages: which value makes which oddity, and what an element would refuse.
// The cases ask the same questions as RFC 4475 and RFC 5118 do, with messages of our own.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "sip_inside.h"

#define ODD(name) ((uint64_t)1 << SIP_ODD_##name)

static struct sip_message m;

static void judge(const char *text, size_t n, bool truncated)
{
    char *copy = (char *)guard_copy(text, n);
    sip_check_all(copy, n, SIP_DATAGRAM, truncated);
    guard_free((uint8_t *)copy, n);
    assert_int_equal(sip_parse(&m, text, n, SIP_DATAGRAM, truncated), n);
    sip_judge(&m);
}

static void assert_oddities(const char *what, uint64_t want)
{
    for (int o = 0; o < SIP_ODD_COUNT; o++) {
        if ((m.oddities ^ want) >> o & 1) {
            fail_msg("%s\n%s is %d", what, sip_oddity_name((enum sip_oddity)o),
                     sip_is_odd(&m, (enum sip_oddity)o));
        }
    }
}

// A request in which one line stands in the place of the ordinary one of that name, or beside them.
static void judge_line(const char *line)
{
    static const char *const ORDINARY[] = {"Via: SIP/2.0/UDP h;branch=z9hG4bKa\r\n",
                                           "From: <sip:a@x>;tag=1\r\n", "To: <sip:b@x>\r\n",
                                           "Call-ID: c\r\n", "CSeq: 1 INVITE\r\n"};
    char text[1024];
    size_t name = slice_find(slice_str(line), ':') + 1;
    int n = snprintf(text, sizeof text, "INVITE sip:b@x SIP/2.0\r\n");
    for (size_t i = 0; i < sizeof ORDINARY / sizeof *ORDINARY; i++) {
        bool same = strncmp(line, ORDINARY[i], name) == 0;
        n += snprintf(text + n, sizeof text - (size_t)n, "%s", same ? line : ORDINARY[i]);
        line = same ? "" : line;
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "%s\r\n", line);
    judge(text, (size_t)n, false);
}

struct line_case {
    const char *line;
    uint64_t odd;
    bool refused;
};

static void check_lines(const struct line_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        judge_line(cases[i].line);
        assert_oddities(cases[i].line, cases[i].odd);
        if (sip_is_refused(&m) != cases[i].refused) {
            fail_msg("%s\nis %s", cases[i].line, cases[i].refused ? "not refused" : "refused");
        }
    }
}

#define CHECK_LINES(cases) check_lines((cases), sizeof(cases) / sizeof *(cases))

static void judge_addresses_odd_and_refused_as_the_grammar_says(void **arg)
{
    (void)arg;
    static const struct line_case LINES[] = {
        {"From: Alice <sip:a@x>;tag=1\r\n", 0, false},
        {"From: caller<sip:a@x>;tag=1\r\n", 0, false},
        {"From: sip:a@x;tag=1\r\n", 0, false},
        {"From: \"A, <B>; \\\"\" <sip:a@x>;tag=1\r\n", 0, false},
        {"From: <sip:a@x>;p=\"q;,\";tag=1;flag\r\n", 0, false},
        {"From: <tel:+1-212>;tag=1\r\n", 0, false},
        {"From: <sip:a@x:5060;lr;t=%41?h=v>;tag=1\r\n", 0, false},
        {"From: <sip:[2001:db8::1]:5060>;tag=1\r\n", 0, false},
        {"From: Bell, Alexander <sip:a@x>;tag=1\r\n", ODD(FROM), true},
        {"From: \"open <sip:a@x>;tag=1\r\n", ODD(FROM), true},
        {"From: \"a\" b <sip:a@x>;tag=1\r\n", ODD(FROM), true},
        {"From: < sip:a@x >;tag=1\r\n", ODD(FROM), true},
        {"From: <sip:a@x;tag=1\r\n", ODD(FROM), true},
        {"From: <sip:a@x>;;tag=1\r\n", ODD(FROM), true},
        {"From: <sip:a@x> x;tag=1\r\n", ODD(FROM), true},
        {"From: <sip:a@x>;tag=\r\n", ODD(FROM), true},
        {"From: <sip:a@x>;tag=\"open\r\n", ODD(FROM), true},
        {"From: <sip:a%4@x>;tag=1\r\n", ODD(FROM), true},
        {"From: <sip:a@x y>;tag=1\r\n", ODD(FROM), true},
        {"From: <sip:a@x:99999>;tag=1\r\n", ODD(FROM), true},
        {"From: <sip:a@>;tag=1\r\n", ODD(FROM), true},
        {"From: <alice>;tag=1\r\n", ODD(FROM), true},
        {"From: sip:a@x?h=v;tag=1\r\n", ODD(FROM), true},
        {"From:\r\n", ODD(FROM), true},
        {"To: <sip:b@x\r\n", ODD(TO), true},
        {"To: isbn:2983792873\r\n", ODD(UNKNOWN_SCHEME), false},
        {"Contact: *\r\n", 0, false},
        {"Contact: <sip:a@x>;expires=4294967295, \"x,y\" <sip:b@x>;q=0.5\r\n", 0, false},
        {"Contact: <sip:a@x>;expires=4294967296\r\n", ODD(EXPIRES), false},
        {"Contact: <sip:a@x>,\r\n", ODD(CONTACT), true},
        {"Contact: sip:a@x?h=v\r\n", ODD(CONTACT), true},
        {"Contact: <name:John>\r\n", ODD(UNKNOWN_SCHEME), false},
    };
    CHECK_LINES(LINES);
}

static void judge_vias_odd_and_refused_as_the_grammar_says(void **arg)
{
    (void)arg;
    static const struct line_case LINES[] = {
        {"Via: SIP / 2.0 / TLS h : 5061 ; branch = z9hG4bKx ; rport\r\n", 0, false},
        {"Via: SIP/2.0/UDP [::1];branch=z9hG4bKx;received=::2,SIP/2.0/UDP h\r\n", 0, false},
        {"Via: SIP/2.0/UDP h;branch=old\r\n", 0, false}, // RFC 2543
        {"Via: SIP/2.0/UDP h\r\n", ODD(VIA_NO_BRANCH), false},
        {"Via: SIP/2.0/UDP h;branch=z9hG4bK\r\n", ODD(VIA_NO_BRANCH), false},
        {"Via: SIP/2.0/UDP h;;branch=z9hG4bKx\r\n", ODD(VIA), true},
        {"Via: SIP/2.0/UDP h;branch=z9hG4bKx,,\r\n", ODD(VIA), true},
        {"Via: SIP/2.0/UDP h:0;branch=z9hG4bKx\r\n", ODD(VIA), true},
        {"Via: SIP/2.0/UDP;branch=z9hG4bKx\r\n", ODD(VIA), true}, // no host
        {"Via: SIP/2.0/UDP h_x\\y;branch=z9hG4bKx\r\n", ODD(VIA), true},
        {"Via:\r\n", ODD(VIA) | ODD(VIA_NO_BRANCH), true},
    };
    CHECK_LINES(LINES);
}

static void judge_numbers_dates_warnings_credentials_odd_where_malformed(void **arg)
{
    (void)arg;
    static const struct line_case LINES[] = {
        {"Max-Forwards: 0\r\n", 0, false},
        {"Max-Forwards: 255\r\n", 0, false},
        {"Max-Forwards: 0068\r\n", 0, false},
        {"Max-Forwards: 256\r\n", ODD(MAX_FORWARDS), false},
        {"Max-Forwards:\r\n", ODD(MAX_FORWARDS), false},
        {"Expires: 4294967295\r\n", 0, false},
        {"Expires: 4294967296\r\n", ODD(EXPIRES), false},
        {"Expires: soon\r\n", ODD(EXPIRES), false},
        {"Retry-After: 18000 (in (a) meeting) ;duration=3600\r\n", 0, false},
        {"Retry-After: 99999999999\r\n", ODD(RETRY_AFTER), false},
        {"Retry-After: 5 (open\r\n", ODD(RETRY_AFTER), false},
        {"CSeq: 2147483647 INVITE\r\n", 0, false},
        {"CSeq: 2147483648 INVITE\r\n", ODD(CSEQ_NUMBER), true},
        {"CSeq: 1 invite\r\n", ODD(CSEQ_METHOD), true},
        {"Date: Sat, 13 Nov 2010 23:29:00 GMT\r\n", 0, false},
        {"Date: Fri, 01 Jan 2010 16:00:00 EST\r\n", ODD(DATE), false},
        {"Date: Sat, 32 Nov 2010 23:29:00 GMT\r\n", ODD(DATE), false},
        {"Date: 2010-11-13\r\n", ODD(DATE), false},
        {"Date:\r\n", ODD(DATE), false},
        {"Warning: 307 isi.edu \"a, b\", 301 isi.edu:5060 \"c\"\r\n", 0, false},
        {"Warning:\r\n", ODD(WARNING), false},
        {"Warning: 1812 overture \"In Progress\"\r\n", ODD(WARNING), false},
        {"Warning: 399 x no quotes\r\n", ODD(WARNING), false},
        {"Authorization: Digest username=\"a\", nonce=\"b,=\", qop=auth\r\n", 0, false},
        {"Authorization: Other opaque,,stuff=\r\n", 0, false},
        {"Authorization: Digest username=\"a\"\r\n", ODD(AUTH), true},
        {"Authorization: Digest nonce=\"open, qop=auth\r\n", ODD(AUTH), true},
        {"WWW-Authenticate: Digest realm=\"x\",nonce=\"y\",stale=false\r\n", 0, false},
        {"Proxy-Authenticate:\r\n", ODD(AUTH), true},
    };
    CHECK_LINES(LINES);
}

static void judge_bytes_that_are_no_text_odd(void **arg)
{
    (void)arg;
    static const struct line_case LINES[] = {
        {"Subject: \xc3\xa9 \xe2\x82\xac \xf0\x9f\x93\x9e\r\n", 0, false},
        {"Subject: \xc3\r\n", ODD(NOT_UTF8), false},
        {"Subject: \xc0\xaf\r\n", ODD(NOT_UTF8), false},     // longer than needed
        {"Subject: \xe0\x9f\xbf\r\n", ODD(NOT_UTF8), false}, // likewise
        {"Subject: \xed\xa0\x80\r\n", ODD(NOT_UTF8), false}, // a surrogate
        {"Subject: \xf4\x90\x80\x80\r\n", ODD(NOT_UTF8), false},
        {"Subject: \xff\r\n", ODD(NOT_UTF8), false},
        {"Subject: a\rb\r\n", ODD(CONTROL_BYTES), false}, // a CR that ends no line
        {"Subject: a\033[2Jb\r\n", ODD(CONTROL_BYTES), false},
        {"Subject: a\tb\r\n", 0, false},
    };
    CHECK_LINES(LINES);
}

static void judge_request_uris_odd_and_refused_as_the_grammar_says(void **arg)
{
    (void)arg;
    static const struct line_case URIS[] = {
        {"sip:b@x.example;transport=tcp", 0, false},
        {"sips:b@[2001:db8::1]:5061", 0, false},
        {"sip:1_unusual!*&$/crazy?,/;;*:pw@example.com", 0, false},
        {"sip:user@[2001:db8:::192.0.2.1]", 0, false}, // RFC 5118 4.10
        {"tel:+12125551212", 0, false},
        {"urn:service:sos", 0, false},
        {"nobodyKnowsThis:opaque", ODD(UNKNOWN_SCHEME), false},
        {"soap.beep://192.0.2.103:3002", ODD(UNKNOWN_SCHEME), false},
        {"<sip:b@x>", ODD(REQUEST_URI), true},
        {"sip:b@x; lr", ODD(REQUEST_URI), true},
        {"sip:b@x?Route=%3Csip:y%3E", ODD(REQUEST_URI), true},
        {"sip:2001:db8::10", ODD(REQUEST_URI), true},
        {"sip:b%zz@x", ODD(REQUEST_URI), true},
        {"*", ODD(REQUEST_URI), true},
        {"bob", ODD(REQUEST_URI), true},
    };
    for (size_t i = 0; i < sizeof URIS / sizeof *URIS; i++) {
        char text[512];
        int n = snprintf(text, sizeof text,
                         "INVITE %s SIP/2.0\r\nv: SIP/2.0/UDP h;branch=z9hG4bKa\r\nf: sip:a@x\r\n"
                         "t: sip:b@x\r\ni: c\r\nCSeq: 1 INVITE\r\n\r\n",
                         URIS[i].line);
        judge(text, (size_t)n, false);
        assert_oddities(URIS[i].line, URIS[i].odd);
        assert_int_equal(sip_is_refused(&m), URIS[i].refused);
    }
}

// Wherever the snaplen cuts, nothing but that is odd: what is missing is not the sender's fault.
static void judge_message_cut_anywhere_is_only_cut(void **arg)
{
    (void)arg;
    static const char TEXT[] =
        "INVITE sip:b@x SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bKa\r\n"
        "From: \"A\" <sip:a@x>;tag=1\r\nTo: \"B\" <sip:b@x>\r\nCall-ID: c@x\r\nCSeq: 1 INVITE\r\n"
        "Contact: \"C\" <sip:c@x>;expires=1\r\nDate: Sat, 13 Nov 2010 23:29:00 GMT\r\n"
        "Warning: 399 x \"w\"\r\nAuthorization: Digest nonce=\"n\", qop=auth\r\n"
        "Subject: \xe2\x82\xac\r\nContent-Length: 4\r\n\r\nbody";
    for (size_t n = sizeof TEXT - 1; n > 24; n--) {
        judge(TEXT, n, true);
        m.oddities &= ~(ODD(HEADER_NO_COLON) | ODD(HEADER_NAME));
        assert_oddities("cut", ODD(TRUNCATED));
    }
}

static void judge_response_odd_too(void **arg)
{
    (void)arg;
    static const char TEXT[] =
        "SIP/2.0 200 \xd0\x9e\xd0\x9a\001\r\nv: SIP/2.0/UDP h\r\nf: sip:a@x\r\n"
        "t: sip:b@x\r\ni: c\r\nCSeq: 1 INVITE\r\n\r\n";
    judge(TEXT, sizeof TEXT - 1, false);
    assert_oddities("response", ODD(CONTROL_BYTES) | ODD(VIA_NO_BRANCH));
    assert_false(sip_is_refused(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judge_addresses_odd_and_refused_as_the_grammar_says),
        cmocka_unit_test(judge_vias_odd_and_refused_as_the_grammar_says),
        cmocka_unit_test(judge_numbers_dates_warnings_credentials_odd_where_malformed),
        cmocka_unit_test(judge_bytes_that_are_no_text_odd),
        cmocka_unit_test(judge_request_uris_odd_and_refused_as_the_grammar_says),
        cmocka_unit_test(judge_message_cut_anywhere_is_only_cut),
        cmocka_unit_test(judge_response_odd_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
