// The torture messages of RFC 4475 and RFC 5118: what of each is read, which oddities it has, and
// whether an element would refuse it for its syntax.
//
// The messages are not part of the source. They are looked for in $SIDETONE_SHARED/torture, else in
// ../shared/torture; where they are missing the tests are skipped. tests/unit/sip_judge.c has small
// ones of its own for the same questions. The file is long because of its table: a row a message.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "sip_inside.h"
#include "slice_assert.h"

#define ODD(name) ((uint64_t)1 << SIP_ODD_##name)
#define LONG_TAG                                                                                   \
    "1298298298298298298298298298298298298298298298298298298298298298298298298298"                 \
    "2982982982982982982982982982982982982982982982982982982982982982982982982982424"

struct torture_case {
    const char *file;
    bool refused;
    uint64_t oddities; // all of them
    uint16_t code;     // 0: a request
    uint64_t cseq;
    uint32_t headers;
    size_t body_n;
    const char *method, *from_tag, *to_tag;
};

static const struct torture_case CASES[] = {
    // RFC 4475 3.1.1.1
    {"rfc4475-wsinv", false, ODD(FOLDED), 0, 9, 14, 150, "INVITE", "98asjd8", "1918181833n"},
    // RFC 4475 3.1.1.2: control bytes behind a backslash in quotes are legal; the oddity only says
    // that they are there
    {"rfc4475-intmeth", false, ODD(CONTROL_BYTES), 0, 139122385, 8, 0,
     "!interesting-Method0123456789_*+`.%indeed'~", "_token~1'+`*%!-.", ""},
    // RFC 4475 3.1.1.3
    {"rfc4475-esc01", false, ODD(FOLDED), 0, 234234, 9, 150, "INVITE", "938", ""},
    // RFC 4475 3.1.1.4
    {"rfc4475-escnull", false, 0, 0, 14398234, 9, 0, "REGISTER", "839923423", ""},
    // RFC 4475 3.1.1.5
    {"rfc4475-esc02", false, 0, 0, 29344, 10, 0, "RE%47IST%45R", "f232jadfj23", ""},
    // RFC 4475 3.1.1.6
    {"rfc4475-lwsdisp", false, 0, 0, 60, 7, 0, "OPTIONS", "323", ""},
    // RFC 4475 3.1.1.7: 34 Via values, the first of RFC 2543
    {"rfc4475-longreq", false, ODD(VIA_NO_BRANCH), 0, 3882340, 43, 150, "INVITE", LONG_TAG, ""},
    // RFC 4475 3.1.1.8: the second request is trailing bytes
    {"rfc4475-dblreq", false, ODD(CONTENT_LENGTH_SHORT), 0, 8, 8, 0, "REGISTER", "43251j3j324", ""},
    // RFC 4475 3.1.1.9
    {"rfc4475-semiuri", false, ODD(FOLDED), 0, 8, 8, 0, "OPTIONS", "33242", ""},
    // RFC 4475 3.1.1.10
    {"rfc4475-transports", false, 0, 0, 60, 12, 0, "OPTIONS", "323", ""},
    // RFC 4475 3.1.1.11
    {"rfc4475-mpart01", false, 0, 0, 1, 14, 553, "MESSAGE", "2fb0dcc9", ""},
    // RFC 4475 3.1.1.12
    {"rfc4475-unreason", false, 0, 200, 35, 8, 154, "INVITE", "11141343", "2229"},
    // RFC 4475 3.1.1.13
    {"rfc4475-noreason", false, 0, 100, 35, 7, 0, "INVITE", "39ansfi3", "902jndnke3"},
    // RFC 4475 3.1.2.1
    {"rfc4475-badinv01", true, ODD(VIA) | ODD(VIA_NO_BRANCH) | ODD(CONTACT), 0, 8, 9, 152, "INVITE",
     "134161461246", ""},
    // RFC 4475 3.1.2.2
    {"rfc4475-clerr", true, ODD(CONTENT_LENGTH_LONG), 0, 8, 9, 154, "INVITE", "93942939o2", ""},
    // RFC 4475 3.1.2.3
    {"rfc4475-ncl", true, ODD(CONTENT_LENGTH_NEGATIVE), 0, 0, 9, 152, "INVITE", "32394234", ""},
    // RFC 4475 3.1.2.4: for CSeq; the other numbers alone could be taken for absent or default
    {"rfc4475-scalar02", true, ODD(FOLDED) | ODD(CSEQ_NUMBER) | ODD(MAX_FORWARDS) | ODD(EXPIRES), 0,
     UINT64_MAX, 9, 0, "REGISTER", "239232jh3", ""},
    // RFC 4475 3.1.2.5: dropped for CSeq; Retry-After and Warning alone could be ignored
    {"rfc4475-scalarlg", true, ODD(CSEQ_NUMBER) | ODD(WARNING) | ODD(RETRY_AFTER), 503, UINT64_MAX,
     8, 0, "OPTIONS", "2easdjfejw", ""},
    // RFC 4475 3.1.2.6
    {"rfc4475-quotbal", true, ODD(TO), 0, 8, 9, 152, "INVITE", "93334", ""},
    // RFC 4475 3.1.2.7: the RFC lets an element be liberal
    {"rfc4475-ltgtruri", true, ODD(REQUEST_URI) | ODD(VIA_NO_BRANCH), 0, 1, 9, 159, "INVITE",
     "39291", ""},
    // RFC 4475 3.1.2.8
    {"rfc4475-lwsruri", true, ODD(REQUEST_URI), 0, 2130706432, 9, 159, "INVITE", "231413434",
     "3xfe-9921883-z9f"},
    // RFC 4475 3.1.2.9: the RFC lets an element be liberal
    {"rfc4475-lwsstart", true, ODD(BLANKS_IN_START_LINE), 0, 1893884, 9, 150, "INVITE", "8814", ""},
    // RFC 4475 3.1.2.10: the RFC lets an element be liberal
    {"rfc4475-trws", true, ODD(BLANKS_IN_START_LINE), 0, 238923, 8, 0, "OPTIONS", "329429089", ""},
    // RFC 4475 3.1.2.11: the RFC lets an element be liberal
    {"rfc4475-escruri", true, ODD(REQUEST_URI), 0, 149209342, 9, 150, "INVITE", "341518", ""},
    // RFC 4475 3.1.2.12: no refusal unless the Date matters to the element
    {"rfc4475-baddate", false, ODD(DATE), 0, 1392934, 10, 150, "INVITE", "2234923", ""},
    // RFC 4475 3.1.2.13
    {"rfc4475-regbadct", true, ODD(CONTACT), 0, 1, 8, 0, "REGISTER", "998332", ""},
    // RFC 4475 3.1.2.14: the RFC lets an element be liberal
    {"rfc4475-badaspec", true, ODD(TO), 0, 3923239, 8, 0, "OPTIONS", "433423", ""},
    // RFC 4475 3.1.2.15: the RFC lets an element be liberal; the archive lacks the empty line
    {"rfc4475-baddn", true, ODD(HEADER_UNTERMINATED) | ODD(FROM) | ODD(TO), 0, 3923239, 8, 0,
     "OPTIONS", "43", ""},
    // RFC 4475 3.1.2.16: 505
    {"rfc4475-badvers", true, ODD(VERSION), 0, 1, 7, 0, "OPTIONS", "qweoiqpe", ""},
    // RFC 4475 3.1.2.17
    {"rfc4475-mismatch01", true, ODD(CSEQ_METHOD), 0, 8, 7, 0, "OPTIONS", "34525", ""},
    // RFC 4475 3.1.2.18: or 501 by a higher layer
    {"rfc4475-mismatch02", true, ODD(CSEQ_METHOD), 0, 8, 9, 138, "NEWMETHOD", "34525", ""},
    // RFC 4475 3.1.2.19: dropped
    {"rfc4475-bigcode", true, ODD(STATUS_CODE), 0, 353494, 7, 0, "INVITE", "39ansfi3",
     "902jndnke3"},
    // RFC 4475 3.2.1: 400 or matched as RFC 2543 does: left to the transaction layer
    {"rfc4475-badbranch", false, ODD(VIA_NO_BRANCH), 0, 8, 8, 0, "OPTIONS", "33242", ""},
    // RFC 4475 3.3.1
    {"rfc4475-insuf", true, ODD(MISSING_FROM) | ODD(MISSING_TO) | ODD(MISSING_CALL_ID), 0, 193942,
     4, 152, "INVITE", "", ""},
    // RFC 4475 3.3.2: 416 by a higher layer
    {"rfc4475-unkscm", false, ODD(UNKNOWN_SCHEME), 0, 3923423, 7, 0, "OPTIONS", "384", ""},
    // RFC 4475 3.3.3: 416 by a higher layer
    {"rfc4475-novelsc", false, ODD(UNKNOWN_SCHEME), 0, 3923423, 7, 0, "OPTIONS", "384", ""},
    // RFC 4475 3.3.4: 400 by the registrar
    {"rfc4475-unksm2", false, ODD(UNKNOWN_SCHEME), 0, 234902, 8, 0, "REGISTER", "3234233", ""},
    // RFC 4475 3.3.5: 420 by a higher layer
    {"rfc4475-bext01", false, 0, 0, 8, 9, 0, "OPTIONS", "242etr", ""},
    // RFC 4475 3.3.6: 415 by a higher layer
    {"rfc4475-invut", false, 0, 0, 235448, 9, 40, "INVITE", "8392034", ""},
    // RFC 4475 3.3.7: the scheme is unknown, the header is well formed
    {"rfc4475-regaut01", false, 0, 0, 9338, 8, 0, "REGISTER", "87321hj23128", ""},
    // RFC 4475 3.3.8
    {"rfc4475-multi01", true,
     ODD(DUPLICATE_FROM) | ODD(DUPLICATE_TO) | ODD(DUPLICATE_CALL_ID) | ODD(DUPLICATE_CSEQ) |
         ODD(DUPLICATE_MAX_FORWARDS),
     0, 5, 15, 154, "INVITE", "3413415", ""},
    // RFC 4475 3.3.9
    {"rfc4475-mcl01", true, ODD(CONTENT_LENGTH_CONFLICT), 0, 15932, 9, 67, "OPTIONS", "3923942",
     ""},
    // RFC 4475 3.3.10: dropped by the element that finds a second Via
    {"rfc4475-bcast", false, 0, 200, 35, 9, 154, "INVITE", "11141343", "2229"},
    // RFC 4475 3.3.11: 483 by a proxy
    {"rfc4475-zeromf", false, 0, 0, 39234321, 7, 0, "OPTIONS", "3ghsd41", ""},
    // RFC 4475 3.3.12
    {"rfc4475-cparam01", false, 0, 0, 2, 8, 0, "REGISTER", "DkfVgjkrtMwaerKKpe", ""},
    // RFC 4475 3.3.13
    {"rfc4475-cparam02", false, 0, 0, 3, 8, 0, "REGISTER", "838293", ""},
    // RFC 4475 3.3.14
    {"rfc4475-regescrt", false, 0, 0, 14398234, 8, 0, "REGISTER", "8", ""},
    // RFC 4475 3.3.15: 406 by a higher layer
    {"rfc4475-sdp01", false, 0, 0, 8, 10, 150, "INVITE", "234", ""},
    // RFC 4475 3.4.1: no branch: RFC 2543
    {"rfc4475-inv2543", false, ODD(VIA_NO_BRANCH), 0, 56, 7, 105, "INVITE", "", ""},
    // RFC 5118 4.1
    {"rfc5118-ipv6-good", false, 0, 0, 98176, 8, 0, "REGISTER", "81x2", ""},
    // RFC 5118 4.2
    {"rfc5118-ipv6-bad", true, ODD(REQUEST_URI), 0, 98176, 8, 0, "REGISTER", "81x2", ""},
    // RFC 5118 4.3: the port is part of the address, and that is legal
    {"rfc5118-port-ambiguous", false, 0, 0, 98176, 8, 0, "REGISTER", "81x2", ""},
    // RFC 5118 4.4
    {"rfc5118-port-unambiguous", false, 0, 0, 98176, 8, 0, "REGISTER", "81x2", ""},
    // RFC 5118 4.5: both forms are to be taken
    {"rfc5118-via-received-param-no-delim", false, 0, 0, 921, 8, 0, "OPTIONS", "81x2", ""},
    // RFC 5118 4.5
    {"rfc5118-via-received-param-with-delim", false, 0, 0, 321, 7, 0, "BYE", "81x2", "bd76ya"},
    // RFC 5118 4.6: Content-Length is that of the printed RFC
    {"rfc5118-ipv6-in-sdp", true, ODD(CONTENT_LENGTH_LONG), 0, 8612, 9, 251, "INVITE", "81x2", ""},
    // RFC 5118 4.7
    {"rfc5118-mult-ip-in-header", false, 0, 0, 89187, 9, 0, "BYE", "81x2", "9817--94"},
    // RFC 5118 4.8: Content-Length is that of the printed RFC
    {"rfc5118-mult-ip-in-sdp", false, ODD(CONTENT_LENGTH_SHORT), 0, 8912, 9, 181, "INVITE", "81x2",
     ""},
    // RFC 5118 4.9: Content-Length is that of the printed RFC
    {"rfc5118-ipv4-mapped-ipv6", false, ODD(CONTENT_LENGTH_SHORT), 0, 612, 10, 236, "INVITE",
     "81x2", ""},
    // RFC 5118 4.10: to be taken: the grammar of RFC 3261 makes it
    {"rfc5118-ipv6-bug-abnf-3-colons", false, 0, 0, 689, 7, 0, "OPTIONS", "810x2", ""},
    // RFC 5118 4.10
    {"rfc5118-ipv6-correct-abnf-2-colons", false, 0, 0, 689, 7, 0, "OPTIONS", "810x2", ""},
};

static char bytes[65536];
static size_t length;
static struct sip_message m;

// RFC 5118 prints long lines between two marks (RFC 4475 2.1): takes marks and line ends between
// them out.
static size_t join_long_lines(char *p, size_t n)
{
    static const struct slice OPEN = {"<allOneLine>\r\n", 14};
    static const struct slice CLOSE = {"</allOneLine>\r\n", 15};
    size_t out = 0;
    bool joined = false;
    for (size_t i = 0; i < n;) {
        struct slice rest = slice_of(p + i, n - i);
        if (rest.n >= OPEN.n && slice_eq(slice_of(rest.p, OPEN.n), OPEN)) {
            joined = true;
            i += OPEN.n;
        } else if (rest.n >= CLOSE.n && slice_eq(slice_of(rest.p, CLOSE.n), CLOSE)) {
            joined = false;
            p[out++] = '\r';
            p[out++] = '\n';
            i += CLOSE.n;
        } else if (joined && (p[i] == '\r' || p[i] == '\n')) {
            i++;
        } else {
            p[out++] = p[i++];
        }
    }
    return out;
}

static FILE *open_shared(const char *file)
{
    char path[1024];
    const char *shared = getenv("SIDETONE_SHARED");
    snprintf(path, sizeof path, "%s/torture/%s.dat", shared ? shared : "../shared", file);
    return fopen(path, "rb");
}

// Reads, parses and judges a message; skips the test where the folder is not there.
static void load(const char *file)
{
    FILE *in = open_shared(file);
    if (!in) {
        print_message("skipped: no %s.dat in $SIDETONE_SHARED/torture or ../shared/torture\n",
                      file);
        skip();
    }
    length = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    length = join_long_lines(bytes, length);
    char *copy = (char *)guard_copy(bytes, length);
    sip_check_all(copy, length, SIP_DATAGRAM, false);
    guard_free((uint8_t *)copy, length);
    assert_int_equal(sip_parse(&m, bytes, length, SIP_DATAGRAM, false), length);
    sip_judge(&m);
}

static struct sip_name_addr address_of(enum sip_header_id id)
{
    struct sip_name_addr a;
    sip_name_addr(sip_value(&m, id), &a);
    return a;
}

// The nth (from 0) value of all headers with this id, lists taken apart; an empty slice behind the
// last.
static struct slice nth_value(enum sip_header_id id, int nth)
{
    for (int i = sip_next(&m, id, -1); i >= 0; i = sip_next(&m, id, i)) {
        struct slice rest = m.headers[i].value;
        struct slice one;
        while (sip_list_next(&rest, &one)) {
            if (nth-- == 0) {
                return one;
            }
        }
    }
    return slice_of(NULL, 0);
}

static int count_values(enum sip_header_id id)
{
    int n = 0;
    while (nth_value(id, n).n > 0) {
        n++;
    }
    return n;
}

static void check_case(const struct torture_case *c)
{
    struct sip_cseq cseq;
    load(c->file);
    print_message("%s\n", c->file);
    for (int o = 0; o < SIP_ODD_COUNT; o++) {
        if ((m.oddities ^ c->oddities) >> o & 1) {
            fail_msg("%s: %s is %d", c->file, sip_oddity_name((enum sip_oddity)o),
                     sip_is_odd(&m, (enum sip_oddity)o));
        }
    }
    assert_int_equal(sip_is_refused(&m), c->refused);
    assert_int_equal(m.code, c->code);
    assert_int_equal(m.header_count, c->headers);
    assert_int_equal(m.body.n, c->body_n);
    assert_slice(m.method_text, c->method);
    sip_cseq(sip_value(&m, SIP_H_CSEQ), &cseq);
    assert_int_equal(cseq.number, c->cseq);
    assert_slice(address_of(SIP_H_FROM).tag, c->from_tag);
    assert_slice(address_of(SIP_H_TO).tag, c->to_tag);
}

static void torture_message_read_and_judged_as_the_rfc_says(void **arg)
{
    (void)arg;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        check_case(&CASES[i]);
    }
}

// In the archive of RFC 4475, but not in its text: a start line without a version.
static void torture_test_dat_is_no_sip(void **arg)
{
    (void)arg;
    FILE *in = open_shared("rfc4475-test");
    if (!in) {
        skip();
    }
    length = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    assert_false(sip_looks_like(bytes, length));
}

static void wsinv_every_value_between_its_blanks(void **arg)
{
    (void)arg;
    struct sip_via via;
    bool found = false;
    char text[64];
    load("rfc4475-wsinv");
    assert_slice(m.uri, "sip:vivekg@chair-dnrc.example.com;unknownparam");
    assert_slice(address_of(SIP_H_TO).uri, "sip:vivekg@chair-dnrc.example.com");
    assert_slice(address_of(SIP_H_FROM).display, "J Rosenberg \\\\\\\"");
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "wsinv.ndaksdj@192.0.2.1");
    assert_slice(sip_value(&m, SIP_H_MAX_FORWARDS), "0068");
    assert_slice(sip_value(&m, SIP_H_SUBJECT), "");
    assert_int_equal(count_values(SIP_H_VIA), 3);
    assert_true(sip_via(nth_value(SIP_H_VIA, 0), &via));
    assert_slice(via.transport, "UDP");
    assert_slice(via.host, "192.0.2.2");
    assert_slice(via.branch, "390skdjuw");
    assert_true(sip_via(nth_value(SIP_H_VIA, 1), &via));
    assert_slice(via.transport, "TCP");
    assert_slice(via.host, "spindle.example.com");
    assert_slice(via.branch, "z9hG4bK9ikj8");
    assert_true(sip_via(nth_value(SIP_H_VIA, 2), &via));
    assert_slice(via.host, "192.168.255.111");
    assert_slice(via.branch, "z9hG4bK30239");
    struct sip_name_addr contact = address_of(SIP_H_CONTACT);
    assert_slice(contact.display, "Quoted string \\\"\\\"");
    assert_slice(contact.uri, "sip:jdrosen@example.com");
    assert_slice(sip_param(contact.params, SLICE("q"), &found), "0.33");
    assert_slice(sip_param(contact.params, SLICE("newparam"), &found), "newvalue");
    sip_param(contact.params, SLICE("secondparam"), &found);
    assert_true(found);
    assert_slice(address_of(SIP_H_ROUTE).uri,
                 "sip:services.example.com;lr;unknownwith=value;unknown-no-value");
    int i = sip_next(&m, SIP_H_OTHER, -1);
    size_t n = sip_unfold(m.headers[i].value, text, sizeof text);
    assert_slice(slice_of(text, n), "newfangled value continued newfangled value");
    assert_slice(m.headers[sip_next(&m, SIP_H_OTHER, i)].value, ";;,,;;,;");
}

static void intmeth_all_bytes_of_the_grammar(void **arg)
{
    (void)arg;
    struct sip_uri uri;
    load("rfc4475-intmeth");
    assert_true(sip_uri(m.uri, &uri));
    assert_slice(uri.user, "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*");
    assert_slice(uri.password, "&it+has=1,weird!*pas$wo~d_too.(doesn't-it)");
    assert_slice(uri.host, "example.com");
    struct slice display = address_of(SIP_H_TO).display;
    assert_int_equal(display.n, 20); // BEL, NUL and DEL with their backslashes
    assert_memory_equal(display.p, "BEL:\\\a NUL:\\\0 DEL:\\\177", 20);
    assert_slice(address_of(SIP_H_FROM).display, "token1~` token2'+_ token3*%!.-");
    assert_slice(address_of(SIP_H_FROM).uri, "sip:mundane@example.com");
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "intmeth.word%ZK-!.*_+'@word`~)(><:\\/\"][?}{");
    assert_slice(m.headers[6].name, "extensionHeader-!.%*+_`'~");
    assert_int_equal(m.method, SIP_METHOD_OTHER);
}

static void escapes_are_left_as_written(void **arg)
{
    (void)arg;
    struct sip_uri uri;
    load("rfc4475-esc01");
    assert_true(sip_uri(m.uri, &uri));
    assert_slice(uri.user, "sips%3Auser%40example.com");
    assert_slice(uri.host, "example.net");
    assert_slice(address_of(SIP_H_FROM).uri, "sip:I%20have%20spaces@example.net");
    assert_slice(address_of(SIP_H_CONTACT).uri,
                 "sip:cal%6Cer@host5.example.net;%6C%72;n%61me=v%61lue%25%34%31");
    load("rfc4475-escnull");
    assert_int_equal(count_values(SIP_H_CONTACT), 2);
    assert_slice(nth_value(SIP_H_CONTACT, 1), "<sip:%00%00@host5.example.com>");
    load("rfc4475-esc02");
    assert_int_equal(m.method, SIP_METHOD_OTHER); // not REGISTER
    assert_int_equal(count_values(SIP_H_CONTACT), 2);
    assert_slice(address_of(SIP_H_TO).display, "%Z%45");
    assert_slice(m.headers[sip_next(&m, SIP_H_OTHER, -1)].name, "C%6Fntact");
}

static void longreq_counts_and_lengths(void **arg)
{
    (void)arg;
    struct sip_via via;
    load("rfc4475-longreq");
    assert_int_equal(count_values(SIP_H_VIA), 34);
    assert_true(sip_via(nth_value(SIP_H_VIA, 33), &via));
    assert_slice(via.received, "192.0.2.5");
    assert_true(via.branch.n > 100);
    assert_int_equal(strncmp(sip_value(&m, SIP_H_CALL_ID).p, "longreq.onereally", 17), 0);
    assert_true(address_of(SIP_H_TO).display.n > 60);
    assert_slice(nth_value(SIP_H_CONTACT, 1), "");
}

static void dblreq_second_request_behind_the_first(void **arg)
{
    (void)arg;
    load("rfc4475-dblreq");
    assert_slice(m.method_text, "REGISTER");
    const char *rest = m.raw.p + m.raw.n;
    size_t n = (size_t)(bytes + length - rest);
    assert_int_equal(sip_parse(&m, rest, n, SIP_DATAGRAM, false), n);
    assert_int_equal(m.method, SIP_INVITE);
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "dblreq.0ha0isnda977644900765@192.0.2.15");
    assert_int_equal(m.body.n, 150);
}

static void semiuri_and_transports_and_lwsdisp(void **arg)
{
    (void)arg;
    static const char *const TRANSPORTS[] = {"UDP", "SCTP", "TLS", "UNKNOWN", "TCP"};
    struct sip_uri uri;
    struct sip_via via;
    load("rfc4475-semiuri");
    assert_true(sip_uri(m.uri, &uri));
    assert_slice(uri.user, "user;par=u%40example.net");
    assert_slice(uri.host, "example.com");
    assert_int_equal(count_values(SIP_H_ACCEPT), 6);
    load("rfc4475-transports");
    assert_int_equal(count_values(SIP_H_VIA), 5);
    for (int i = 0; i < 5; i++) {
        assert_true(sip_via(nth_value(SIP_H_VIA, i), &via));
        assert_slice(via.transport, TRANSPORTS[i]);
    }
    load("rfc4475-lwsdisp");
    assert_slice(address_of(SIP_H_FROM).display, "caller");
    assert_slice(address_of(SIP_H_FROM).uri, "sip:caller@example.com");
}

static void mpart01_parts_by_type(void **arg)
{
    (void)arg;
    struct slice part;
    load("rfc4475-mpart01");
    assert_true(sip_body_part(&m, SLICE("text/plain"), &part));
    assert_slice(part, "Hello");
    assert_true(sip_body_part(&m, SLICE("application/octet-stream"), &part));
    assert_int_equal((uint8_t)part.p[0], 0x30); // the DER sequence
    assert_false(sip_body_part(&m, SLICE("application/sdp"), &part));
}

static void reason_phrases_long_and_none(void **arg)
{
    (void)arg;
    load("rfc4475-unreason");
    assert_slice(slice_of(m.reason.p, 4), "= 2*");
    assert_true(m.reason.n > 30);
    load("rfc4475-noreason");
    assert_int_equal(m.reason.n, 0);
    load("rfc4475-bcast");
    assert_int_equal(count_values(SIP_H_VIA), 2);
}

static void ipv6_references_in_uris_and_vias(void **arg)
{
    (void)arg;
    static const struct {
        const char *file, *host;
        uint16_t port;
        const char *via_host, *received;
    } V6[] = {
        {"rfc5118-ipv6-good", "2001:db8::10", 0, "2001:db8::9:1", ""},
        {"rfc5118-port-ambiguous", "2001:db8::10:5070", 0, "2001:db8::9:1", ""},
        {"rfc5118-port-unambiguous", "2001:db8::10", 5070, "2001:db8::9:1", ""},
        {"rfc5118-via-received-param-with-delim", "2001:db8::10", 0, "2001:db8::9:1",
         "2001:db8::9:255"},
        {"rfc5118-via-received-param-no-delim", "2001:db8::10", 0, "2001:db8::9:1",
         "2001:db8::9:255"},
        {"rfc5118-ipv4-mapped-ipv6", "example.com", 0, "::ffff:192.0.2.10", ""},
        {"rfc5118-ipv6-bug-abnf-3-colons", "2001:db8:::192.0.2.1", 0, "lab1.east.example.com", ""},
    };
    for (size_t i = 0; i < sizeof V6 / sizeof *V6; i++) {
        struct sip_uri uri;
        struct sip_via via;
        load(V6[i].file);
        assert_true(sip_uri(m.uri, &uri));
        assert_slice(uri.host, V6[i].host);
        assert_int_equal(uri.port, V6[i].port);
        assert_true(sip_via(nth_value(SIP_H_VIA, 0), &via));
        assert_slice(via.host, V6[i].via_host);
        assert_slice(via.received, V6[i].received);
    }
    load("rfc5118-mult-ip-in-header");
    assert_int_equal(count_values(SIP_H_VIA), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torture_message_read_and_judged_as_the_rfc_says),
        cmocka_unit_test(torture_test_dat_is_no_sip),
        cmocka_unit_test(wsinv_every_value_between_its_blanks),
        cmocka_unit_test(intmeth_all_bytes_of_the_grammar),
        cmocka_unit_test(escapes_are_left_as_written),
        cmocka_unit_test(longreq_counts_and_lengths),
        cmocka_unit_test(dblreq_second_request_behind_the_first),
        cmocka_unit_test(semiuri_and_transports_and_lwsdisp),
        cmocka_unit_test(mpart01_parts_by_type),
        cmocka_unit_test(reason_phrases_long_and_none),
        cmocka_unit_test(ipv6_references_in_uris_and_vias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
