// Decoders of single values: lists, parameters, addresses, URIs, Via, CSeq, folds; and the tables
// of names.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "random_fill.h"
#include "sip_inside.h"
#include "slice_assert.h"
#include "wire/sip/chars.h"

// The value at a guard page; never given back, the process ends soon.
static struct slice guarded(const char *text)
{
    size_t n = strlen(text);
    return slice_of((const char *)guard_copy(text, n), n);
}

static void list_commas_in_quotes_and_brackets_do_not_count(void **arg)
{
    (void)arg;
    static const struct {
        const char *text;
        size_t count;
        const char *values[4];
    } CASES[] = {
        {"", 0, {0}},
        {" , ,,", 0, {0}},
        {"a", 1, {"a"}},
        {"a,b", 2, {"a", "b"}},
        {" a ,\r\n b\t, ", 2, {"a", "b"}},
        {"\"x,y\" <sip:a,b@h>;p=\"1,2\", <sip:c@h>",
         2,
         {"\"x,y\" <sip:a,b@h>;p=\"1,2\"", "<sip:c@h>"}},
        {"\"a\\\",b\",c", 2, {"\"a\\\",b\"", "c"}},
        {"<sip:\"a@h>,b", 2, {"<sip:\"a@h>", "b"}}, // a quote inside brackets opens nothing
        {"\"open,b", 1, {"\"open,b"}},
        {"\"open\\", 1, {"\"open\\"}},
        {"<open,b", 1, {"<open,b"}},
        {"a>,b", 2, {"a>", "b"}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct slice rest = guarded(CASES[i].text);
        struct slice value;
        for (size_t k = 0; k < CASES[i].count; k++) {
            assert_true(sip_list_next(&rest, &value));
            assert_slice(value, CASES[i].values[k]);
        }
        assert_false(sip_list_next(&rest, &value));
    }
}

static void param_found_missing_and_without_value(void **arg)
{
    (void)arg;
    static const struct {
        const char *params, *name, *value; // value NULL: not there
    } CASES[] = {
        {";tag=1", "tag", "1"},
        {";TAG=1", "tag", "1"},
        {"; x ; tag  =\r\n 1 ", "tag", "1"},
        {";lr", "lr", ""},
        {";lr=", "lr", ""},
        {";a=\";tag=no\";tag=yes", "tag", "yes"},
        {";a=\"\\\";tag=no\";tag=\"q\"", "tag", "q"},
        {";tag2=1", "tag", NULL},
        {"", "tag", NULL},
        {";;;", "tag", NULL},
        {";a=\"open;tag=1", "tag", NULL},
        {";tag=a=b", "tag", "a=b"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        bool found = false;
        struct slice v = sip_param(guarded(CASES[i].params), slice_str(CASES[i].name), &found);
        assert_int_equal(found, CASES[i].value != NULL);
        assert_slice(v, CASES[i].value ? CASES[i].value : "");
    }
}

static void name_addr_parts(void **arg)
{
    (void)arg;
    static const struct {
        const char *text;
        bool good;
        const char *display, *uri, *params, *tag;
    } CASES[] = {
        {"<sip:a@x>;tag=1", true, "", "sip:a@x", ";tag=1", "1"},
        {"sip:a@x;tag=1", true, "", "sip:a@x", ";tag=1", "1"},
        {"Alice B <sip:a@x>", true, "Alice B", "sip:a@x", "", ""},
        {"caller<sip:a@x>;tag=3", true, "caller", "sip:a@x", ";tag=3", "3"},
        {"\"A \\\"B\\\"\" <sip:a@x>", true, "A \\\"B\\\"", "sip:a@x", "", ""},
        {"\"a<sip:evil@x>;tag=no, \\\"b\\\"\" <sip:alice@ex.com>;tag=f1", true,
         "a<sip:evil@x>;tag=no, \\\"b\\\"", "sip:alice@ex.com", ";tag=f1", "f1"},
        {"\"\" <sip:a@x>", true, "", "sip:a@x", "", ""},
        {"<sip:a@x;p=1>;p=2", true, "", "sip:a@x;p=1", ";p=2", ""},
        {"\r\n <sip:a@x>\r\n ;\r\n tag = 9", true, "", "sip:a@x", ";\r\n tag = 9", "9"},
        {"< sip:a@x >", true, "", "sip:a@x", "", ""},
        {"\"Mr. J <sip:j@x>;tag=2", true, "\"Mr. J", "sip:j@x", ";tag=2", "2"},
        {"<sip:a@x", true, "", "sip:a@x", "", ""},
        {"tel:+1;tag=5", true, "", "tel:+1", ";tag=5", "5"},
        {"*", false, "", "*", "", ""},
        {"", false, "", "", "", ""},
        {"<>", false, "", "", "", ""},
        {"<alice>;tag=1", false, "", "alice", ";tag=1", "1"},
        {"\"only a name\"", false, "", "\"only a name\"", "", ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct sip_name_addr a;
        print_message("%s\n", CASES[i].text);
        assert_int_equal(sip_name_addr(guarded(CASES[i].text), &a), CASES[i].good);
        assert_slice(a.display, CASES[i].display);
        assert_slice(a.uri, CASES[i].uri);
        assert_slice(a.params, CASES[i].params);
        assert_slice(a.tag, CASES[i].tag);
    }
}

static void uri_parts(void **arg)
{
    (void)arg;
    static const struct {
        const char *text;
        bool good;
        const char *scheme, *user, *password, *host;
        uint16_t port;
        const char *params, *headers;
    } CASES[] = {
        {"sip:a@x.example", true, "sip", "a", "", "x.example", 0, "", ""},
        {"SIPS:a:pw@x:5061;lr;t=u?h=v&i=w", true, "SIPS", "a", "pw", "x", 5061, ";lr;t=u",
         "h=v&i=w"},
        {"sip:x", true, "sip", "", "", "x", 0, "", ""},
        {"sip:x?Route=1", true, "sip", "", "", "x", 0, "", "Route=1"},
        {"sip:user;par=u%40n@h;p", true, "sip", "user;par=u%40n", "", "h", 0, ";p", ""},
        {"sip:[2001:db8::1]:5070", true, "sip", "", "", "2001:db8::1", 5070, "", ""},
        {"sip:u@[2001:db8::10:5070]", true, "sip", "u", "", "2001:db8::10:5070", 0, "", ""},
        {"tel:+1-212;phone-context=x", true, "tel", "+1-212", "", "", 0, ";phone-context=x", ""},
        {"urn:service:sos", true, "urn", "service:sos", "", "", 0, "", ""},
        {"im:a@x", true, "im", "a", "", "x", 0, "", ""},
        {"sip:2001:db8::10", false, "sip", "", "", "2001", 0, "", ""},
        {"sip:x:0", false, "sip", "", "", "x", 0, "", ""},
        {"sip:x:65536", false, "sip", "", "", "x", 0, "", ""},
        {"sip:x:", false, "sip", "", "", "x", 0, "", ""},
        {"sip:[::1", false, "sip", "", "", "::1", 0, "", ""},
        {"sip:[::1]x", false, "sip", "", "", "::1", 0, "", ""},
        {"sip:@x", false, "sip", "", "", "x", 0, "", ""},
        {"sip:", false, "sip", "", "", "", 0, "", ""},
        {"x", false, "", "", "", "", 0, "", ""},
        {":x", false, "", "", "", "", 0, "", ""},
        {"1x:y", false, "", "", "", "", 0, "", ""},
        {"", false, "", "", "", "", 0, "", ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct sip_uri u;
        print_message("%s\n", CASES[i].text);
        assert_int_equal(sip_uri(guarded(CASES[i].text), &u), CASES[i].good);
        assert_slice(u.scheme, CASES[i].scheme);
        assert_slice(u.user, CASES[i].user);
        assert_slice(u.password, CASES[i].password);
        assert_slice(u.host, CASES[i].host);
        assert_int_equal(u.port, CASES[i].port);
        assert_slice(u.params, CASES[i].params);
        assert_slice(u.headers, CASES[i].headers);
    }
}

static void via_parts(void **arg)
{
    (void)arg;
    static const struct {
        const char *text;
        bool good;
        const char *protocol, *transport, *host;
        uint16_t port;
        const char *branch, *received;
        bool rport;
    } CASES[] = {
        {"SIP/2.0/UDP h:5070;branch=z9hG4bKx;rport", true, "SIP/2.0", "UDP", "h", 5070, "z9hG4bKx",
         "", true},
        {"SIP / 2.0 /\r\n TCP  h : 4000 ; branch = b ; received=192.0.2.1;rport=9", true,
         "SIP / 2.0", "TCP", "h", 4000, "b", "192.0.2.1", true},
        {"SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=b", true, "SIP/2.0", "UDP",
         "2001:db8::9:1", 0, "b", "2001:db8::9:255", false},
        {"SIP/2.0/UDP [::1]:6050;received=2001:db8::9:255;branch=b", true, "SIP/2.0", "UDP", "::1",
         6050, "b", "2001:db8::9:255", false},
        {"SIP/2.0/UNKNOWN h", true, "SIP/2.0", "UNKNOWN", "h", 0, "", "", false},
        {"SIP/2.0/UDP", false, "SIP/2.0", "UDP", "", 0, "", "", false},
        {"SIP/2.0/UDP ;branch=b", false, "SIP/2.0", "UDP", "", 0, "b", "", false},
        {"SIP/2.0/UDP h:x;branch=b", false, "SIP/2.0", "UDP", "h", 0, "b", "", false},
        {"SIP/2.0", false, "", "", "", 0, "", "", false},
        {"", false, "", "", "", 0, "", "", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct sip_via v;
        print_message("%s\n", CASES[i].text);
        assert_int_equal(sip_via(guarded(CASES[i].text), &v), CASES[i].good);
        assert_slice(v.protocol, CASES[i].protocol);
        assert_slice(v.transport, CASES[i].transport);
        assert_slice(v.host, CASES[i].host);
        assert_int_equal(v.port, CASES[i].port);
        assert_slice(v.branch, CASES[i].branch);
        assert_slice(v.received, CASES[i].received);
        assert_int_equal(v.has_rport, CASES[i].rport);
    }
}

static void cseq_number_and_method(void **arg)
{
    (void)arg;
    static const struct {
        const char *text;
        bool good;
        uint64_t number;
        const char *method;
    } CASES[] = {
        {"1 INVITE", true, 1, "INVITE"},
        {"0009\r\n  INVITE", true, 9, "INVITE"},
        {"4294967295 BYE", true, 4294967295u, "BYE"},
        {"99999999999999999 BYE", true, 99999999999999999u, "BYE"},
        {"36893488147419103232 REGISTER", true, UINT64_MAX, "REGISTER"},
        {"7", true, 7, ""},
        {"x INVITE", false, 0, "INVITE"},
        {"1INVITE", false, 0, "INVITE"},
        {"-1 INVITE", false, 0, "INVITE"},
        {"INVITE", false, 0, "INVITE"},
        {"", false, 0, ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct sip_cseq c;
        assert_int_equal(sip_cseq(guarded(CASES[i].text), &c), CASES[i].good);
        assert_int_equal(c.number, CASES[i].number);
        assert_slice(c.method, CASES[i].method);
    }
}

// A blank before it sends a value the long way.
static void cseq_at_random_same_the_long_way(void **arg)
{
    (void)arg;
    static const char BYTES[] = "0019 \t\r\nINVITE";
    struct random r;
    char text[25] = " ";
    random_seeded(&r, 0xc5e9);
    for (int round = 0; round < 200000; round++) {
        struct sip_cseq a, b;
        size_t n = random_u64(&r) % (sizeof text - 1);
        for (size_t i = 0; i < n; i++) {
            size_t likely = i < 4 ? 4 : sizeof BYTES - 1;
            text[1 + i] = BYTES[random_u64(&r) % likely];
        }
        bool good = sip_cseq(slice_of(text + 1, n), &a);
        assert_int_equal(good, sip_cseq(slice_of(text, n + 1), &b));
        assert_true(a.number == b.number && slice_eq(a.method, b.method));
        assert_true(a.method.n == 0 || a.method.p == b.method.p);
    }
}

static void unfold_one_blank_for_each_fold(void **arg)
{
    (void)arg;
    static const struct {
        const char *text, *want;
        size_t size;
    } CASES[] = {
        {"a\r\n b", "a b", 99}, {"a \r\n\t \r\n b", "a b", 99},
        {"a\n b", "a b", 99},   {"a  b\tc", "a  b\tc", 99},
        {"", "", 99},           {"abcdef", "abc", 3},
        {"a   b", "a  ", 3},    {"a\r\n b", "a ", 2},
        {"a", "", 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char out[100];
        size_t n = sip_unfold(guarded(CASES[i].text), out, CASES[i].size);
        assert_slice(slice_of(out, n), CASES[i].want);
    }
}

static const struct {
    const char *name;
    enum sip_header_id id;
} NAMES[] = {
    {"Via", SIP_H_VIA},
    {"From", SIP_H_FROM},
    {"To", SIP_H_TO},
    {"Call-ID", SIP_H_CALL_ID},
    {"CSeq", SIP_H_CSEQ},
    {"Max-Forwards", SIP_H_MAX_FORWARDS},
    {"Contact", SIP_H_CONTACT},
    {"Content-Length", SIP_H_CONTENT_LENGTH},
    {"Content-Type", SIP_H_CONTENT_TYPE},
    {"Content-Encoding", SIP_H_CONTENT_ENCODING},
    {"Expires", SIP_H_EXPIRES},
    {"Min-Expires", SIP_H_MIN_EXPIRES},
    {"Record-Route", SIP_H_RECORD_ROUTE},
    {"Route", SIP_H_ROUTE},
    {"User-Agent", SIP_H_USER_AGENT},
    {"Server", SIP_H_SERVER},
    {"Supported", SIP_H_SUPPORTED},
    {"Require", SIP_H_REQUIRE},
    {"Proxy-Require", SIP_H_PROXY_REQUIRE},
    {"Unsupported", SIP_H_UNSUPPORTED},
    {"Allow", SIP_H_ALLOW},
    {"Accept", SIP_H_ACCEPT},
    {"Event", SIP_H_EVENT},
    {"Allow-Events", SIP_H_ALLOW_EVENTS},
    {"Subscription-State", SIP_H_SUBSCRIPTION_STATE},
    {"Refer-To", SIP_H_REFER_TO},
    {"Referred-By", SIP_H_REFERRED_BY},
    {"Replaces", SIP_H_REPLACES},
    {"Session-Expires", SIP_H_SESSION_EXPIRES},
    {"Min-SE", SIP_H_MIN_SE},
    {"RSeq", SIP_H_RSEQ},
    {"RAck", SIP_H_RACK},
    {"Reason", SIP_H_REASON},
    {"Retry-After", SIP_H_RETRY_AFTER},
    {"Warning", SIP_H_WARNING},
    {"WWW-Authenticate", SIP_H_WWW_AUTHENTICATE},
    {"Proxy-Authenticate", SIP_H_PROXY_AUTHENTICATE},
    {"Authorization", SIP_H_AUTHORIZATION},
    {"Proxy-Authorization", SIP_H_PROXY_AUTHORIZATION},
    {"Subject", SIP_H_SUBJECT},
    {"Date", SIP_H_DATE},
    {"Timestamp", SIP_H_TIMESTAMP},
    {"Diversion", SIP_H_DIVERSION},
    {"History-Info", SIP_H_HISTORY_INFO},
    {"P-Asserted-Identity", SIP_H_P_ASSERTED_IDENTITY},
    {"Session-ID", SIP_H_SESSION_ID},
    {"X-Call-ID", SIP_H_X_CALL_ID},
    {"X-CID", SIP_H_X_CALL_ID},
    {"X-RTP-Stat", SIP_H_X_RTP_STAT},
    {"P-RTP-Stat", SIP_H_P_RTP_STAT},
    {"RTP-RxStat", SIP_H_RTP_RXSTAT},
    {"RTP-TxStat", SIP_H_RTP_TXSTAT},
    {"v", SIP_H_VIA},
    {"f", SIP_H_FROM},
    {"t", SIP_H_TO},
    {"i", SIP_H_CALL_ID},
    {"m", SIP_H_CONTACT},
    {"l", SIP_H_CONTENT_LENGTH},
    {"c", SIP_H_CONTENT_TYPE},
    {"e", SIP_H_CONTENT_ENCODING},
    {"k", SIP_H_SUPPORTED},
    {"o", SIP_H_EVENT},
    {"u", SIP_H_ALLOW_EVENTS},
    {"r", SIP_H_REFER_TO},
    {"b", SIP_H_REFERRED_BY},
    {"x", SIP_H_SESSION_EXPIRES},
    {"s", SIP_H_SUBJECT},
};

// Also that no single byte can be changed without the name being lost, but for its case.
static void header_names_are_found_in_any_case_and_only_they(void **arg)
{
    (void)arg;
    uint64_t seen = 0;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        size_t n = strlen(NAMES[i].name);
        char *text = (char *)guard_copy(NAMES[i].name, n);
        seen |= (uint64_t)1 << NAMES[i].id;
        for (size_t at = 0; at < n; at++) {
            char kept = text[at];
            for (int c = 0; c < 256; c++) {
                text[at] = (char)c;
                enum sip_header_id id = sip_header_by_name(slice_of(text, n));
                if (ascii_lower((char)c) == ascii_lower(kept)) {
                    assert_int_equal(id, NAMES[i].id);
                } else if (n > 1) {
                    assert_int_not_equal(id, NAMES[i].id); // CSeq and RSeq differ by one
                }
            }
            text[at] = kept;
        }
        guard_free((uint8_t *)text, n);
    }
    assert_int_equal(seen, ((uint64_t)1 << SIP_H_COUNT) - 2); // every id has a name
    assert_int_equal(sip_header_by_name(slice_of(NULL, 0)), SIP_H_OTHER);
    assert_int_equal(sip_header_by_name(SLICE("q")), SIP_H_OTHER);
    assert_int_equal(sip_header_by_name(SLICE("X-Some-Header-With-A-Long-Name")), SIP_H_OTHER);
}

static void method_names_exact_case_only(void **arg)
{
    (void)arg;
    for (int i = 1; i < SIP_METHOD_COUNT; i++) {
        const char *name = sip_method_name((enum sip_method)i);
        size_t n = strlen(name);
        char *text = (char *)guard_copy(name, n);
        assert_int_equal(sip_method_by_name(slice_of(text, n)), i);
        assert_int_equal(sip_method_by_name(slice_of(text, n - 1)), SIP_METHOD_OTHER);
        text[n - 1] |= 0x20;
        assert_int_equal(sip_method_by_name(slice_of(text, n)), SIP_METHOD_OTHER);
        guard_free((uint8_t *)text, n);
    }
    assert_int_equal(sip_method_by_name(SLICE("")), SIP_METHOD_OTHER);
    assert_int_equal(sip_method_by_name(SLICE("FOO")), SIP_METHOD_OTHER);
}

static void oddities_have_distinct_names(void **arg)
{
    (void)arg;
    for (int i = 0; i < SIP_ODD_COUNT; i++) {
        const char *name = sip_oddity_name((enum sip_oddity)i);
        assert_non_null(name);
        assert_int_equal(strncmp(name, "sip.", 4), 0);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(name, sip_oddity_name((enum sip_oddity)k));
        }
    }
    assert_true(SIP_ODD_COUNT <= 64);
}

// The sets of RFC 3261 25.1 written out, against the table.
static void characters_are_in_the_classes_of_the_grammar(void **arg)
{
    (void)arg;
#define ALPHANUM "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    static const struct {
        unsigned bit;
        const char *set;
    } CLASSES[] = {
        {SIP_CHAR_TOKEN, ALPHANUM "-.!%*_+`'~"},
        {SIP_CHAR_DIGIT, "0123456789"},
        {SIP_CHAR_HEX, "0123456789abcdefABCDEF"},
        {SIP_CHAR_URI, ALPHANUM "-_.!~*'();/?:@&=+$,%[]"},
        {SIP_CHAR_BLANK, " \t"},
        {SIP_CHAR_LWS, " \t\r\n"},
        {SIP_CHAR_HOST, ALPHANUM "-._"},
        {SIP_CHAR_USER, ALPHANUM "-_.!~*'()&=+$,;?/%"},
    };
    for (int c = 0; c < 256; c++) {
        for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++) {
            bool want = c != 0 && strchr(CLASSES[i].set, c) != NULL;
            assert_int_equal(sip_char_is((char)c, CLASSES[i].bit), want);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_commas_in_quotes_and_brackets_do_not_count),
        cmocka_unit_test(param_found_missing_and_without_value),
        cmocka_unit_test(name_addr_parts),
        cmocka_unit_test(uri_parts),
        cmocka_unit_test(via_parts),
        cmocka_unit_test(cseq_number_and_method),
        cmocka_unit_test(cseq_at_random_same_the_long_way),
        cmocka_unit_test(unfold_one_blank_for_each_fold),
        cmocka_unit_test(header_names_are_found_in_any_case_and_only_they),
        cmocka_unit_test(method_names_exact_case_only),
        cmocka_unit_test(oddities_have_distinct_names),
        cmocka_unit_test(characters_are_in_the_classes_of_the_grammar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
