// SIP messages as a whole: start lines, header fields, framing by datagram and stream, and what is
// told apart from SIP. It is long because every part of a message has its table of ways to be odd.
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

#define REST                                                                                       \
    "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKa\r\nFrom: <sip:a@x>;tag=1\r\nTo: <sip:b@x>\r\n"     \
    "Call-ID: c1@x\r\nCSeq: 1 INVITE\r\n"

static struct sip_message m;

static int64_t parse_as(const char *text, size_t n, enum sip_framing framing, bool truncated)
{
    char *copy = (char *)guard_copy(text, n);
    sip_check_all(copy, n, framing, truncated);
    guard_free((uint8_t *)copy, n);
    return sip_parse(&m, text, n, framing, truncated);
}

#define PARSE(literal) parse_as((literal), sizeof(literal) - 1, SIP_DATAGRAM, false)

static void assert_oddities(uint64_t want)
{
    for (int o = 0; o < SIP_ODD_COUNT; o++) {
        if ((m.oddities ^ want) >> o & 1) {
            fail_msg("%s: is %d", sip_oddity_name((enum sip_oddity)o), sip_is_odd(&m, o));
        }
    }
}

static void parse_plain_invite_everything_in_place(void **arg)
{
    (void)arg;
    static const char TEXT[] = "INVITE sip:bob@example.com SIP/2.0\r\n" REST
                               "Content-Type: application/sdp\r\nContent-Length: 4\r\n\r\nbody";
    assert_int_equal(PARSE(TEXT), sizeof TEXT - 1);
    assert_true(m.is_request);
    assert_int_equal(m.method, SIP_INVITE);
    assert_slice(m.method_text, "INVITE");
    assert_slice(m.uri, "sip:bob@example.com");
    assert_slice(m.version, "SIP/2.0");
    assert_slice(m.body, "body");
    assert_int_equal(m.content_length, 4);
    assert_int_equal(m.header_count, 7);
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "c1@x");
    assert_slice(m.headers[0].name, "Via");
    assert_int_equal(m.raw.n, sizeof TEXT - 1);
    assert_oddities(0);
}

static void parse_response_method_is_that_of_cseq(void **arg)
{
    (void)arg;
    PARSE("SIP/2.0 180 Ringing now\r\n" REST "\r\n");
    assert_false(m.is_request);
    assert_int_equal(m.code, 180);
    assert_slice(m.reason, "Ringing now");
    assert_int_equal(m.method, SIP_INVITE);
    assert_slice(m.method_text, "INVITE");
    assert_oddities(0);
}

struct start_case {
    const char *line; // with its end
    int code;         // -1: a request
    const char *method, *uri, *reason;
    uint64_t odd;
};

static const struct start_case STARTS[] = {
    {"SIP/2.0 200 \r\n", 200, "", "", "", 0},
    {"SIP/2.0 200\r\n", 200, "", "", "", ODD(STATUS_NO_REASON)},
    {"sip/2.0 200 OK\r\n", 200, "", "", "OK", 0},
    {"SIP/2.0  200 OK\r\n", 200, "", "", "OK", ODD(BLANKS_IN_START_LINE)},
    {"SIP/2.0 20 OK\r\n", 20, "", "", "OK", ODD(STATUS_CODE)},
    {"SIP/2.0 999 Far\r\n", 999, "", "", "Far", ODD(STATUS_CODE)},
    {"SIP/2.0 4294967301 better not break\r\n", 0, "", "", "better not break", ODD(STATUS_CODE)},
    {"SIP/2.0 abc OK\r\n", 0, "", "", "OK", ODD(STATUS_CODE)},
    {"SIP/2.0\r\n", 0, "", "", "", ODD(STATUS_CODE) | ODD(STATUS_NO_REASON)},
    {"SIP/3.0 200 OK\r\n", 200, "", "", "OK", ODD(VERSION)},
    {"INVITE sip:b@x sip/2.0\r\n", -1, "INVITE", "sip:b@x", "", 0},
    {"INVITE sip:b@x SIP/7.0\r\n", -1, "INVITE", "sip:b@x", "", ODD(VERSION)},
    {"INVITE  sip:b@x   SIP/2.0\r\n", -1, "INVITE", "sip:b@x", "", ODD(BLANKS_IN_START_LINE)},
    {"INVITE sip:b@x SIP/2.0 \t \r\n", -1, "INVITE", "sip:b@x", "", ODD(BLANKS_IN_START_LINE)},
    {"INVITE sip:b@x SIP/2.0\n", -1, "INVITE", "sip:b@x", "", ODD(LF_LINES)},
    {"\r\n\r\n \tINVITE sip:b@x SIP/2.0\r\n", -1, "INVITE", "sip:b@x", "", ODD(LEADING_BYTES)},
    {"INVITE <sip:b@x> SIP/2.0\r\n", -1, "INVITE", "<sip:b@x>", "", ODD(REQUEST_URI)},
    {"INVITE sip:b@x; lr SIP/2.0\r\n", -1, "INVITE", "sip:b@x; lr", "", ODD(REQUEST_URI)},
    {"INVITE SIP/2.0\r\n", -1, "INVITE", "", "", ODD(REQUEST_URI)},
    {" sip:b@x SIP/2.0\r\n", -1, "", "sip:b@x", "", ODD(LEADING_BYTES) | ODD(METHOD)},
    {"\345\344\366 sip:b@x SIP/2.0\r\n", -1, "\345\344\366", "sip:b@x", "", ODD(METHOD)},
    {"INV(TE sip:b@x SIP/2.0\r\n", -1, "INV(TE", "sip:b@x", "", ODD(METHOD)},
};

// CSeq fits none of the methods here, and is not the question.
static void parse_start_line_parts_and_oddities(void **arg)
{
    (void)arg;
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
        const struct start_case *c = &STARTS[i];
        char text[512];
        int n = snprintf(text, sizeof text, "%s" REST "\r\n", c->line);
        print_message("%s", c->line);
        assert_int_equal(parse_as(text, (size_t)n, SIP_DATAGRAM, false), n);
        assert_int_equal(m.is_request, c->code < 0);
        m.oddities &= ~ODD(CSEQ_METHOD);
        assert_oddities(c->odd);
        if (c->code < 0) {
            assert_slice(m.method_text, c->method);
            assert_slice(m.uri, c->uri);
        } else {
            assert_int_equal(m.code, c->code);
            assert_slice(m.reason, c->reason);
        }
    }
}

static void parse_method_case_and_length_matter(void **arg)
{
    (void)arg;
    static char text[1024];
    PARSE("invite sip:b@x SIP/2.0\r\n\r\n");
    assert_int_equal(m.method, SIP_METHOD_OTHER);
    assert_slice(m.method_text, "invite");
    for (int i = 1; i < SIP_METHOD_COUNT; i++) {
        const char *name = sip_method_name((enum sip_method)i);
        int n = snprintf(text, sizeof text, "%s sip:b@x SIP/2.0\r\n\r\n", name);
        parse_as(text, (size_t)n, SIP_DATAGRAM, false);
        assert_int_equal(m.method, i);
    }
    memset(text, 'M', 600);
    int n = snprintf(text + 600, sizeof text - 600, " sip:b@x SIP/2.0\r\n\r\n");
    assert_int_equal(parse_as(text, 600 + (size_t)n, SIP_DATAGRAM, false), 600 + n);
    assert_int_equal(m.method_text.n, 600);
    assert_int_equal(m.method, SIP_METHOD_OTHER);
}

static void looks_like_sip_and_others(void **arg)
{
    (void)arg;
    static const struct {
        const char *text;
        size_t n;
        bool is;
    } CASES[] = {
#define CASE(text, is) {text, sizeof(text) - 1, is}
        CASE("INVITE sip:b@x SIP/2.0\r\n", true),
        CASE("\r\n\r\nINVITE sip:b@x SIP/2.0\r\n", true),
        CASE("INVITE sip:b@x SIP/2.0", true), // cut behind the version
        CASE("INVITE sip:b@x SIP/2.", true),
        CASE("INVITE sip:b@x SIP/", true),
        CASE("INVITE sip:b@x SIP", false),
        CASE("INVITE sip:b@x", false),
        CASE("SIP/2.0 200 OK", true),
        CASE("SIP/2", true),
        CASE("SIP", false),
        CASE("SIP/x 200 OK\r\n", false),
        CASE("INVITE sip:b@x SIP/2.0/UDP\r\n", false),
        CASE("INVITE sip:b@x SIP/2.0x\r\n", false),
        CASE("x SIP/99999999999999999999.99999999999999999999\r\n", true),
        CASE("GET / HTTP/1.1\r\nHost: x\r\n\r\n", false),
        CASE("HTTP/1.1 200 OK\r\n\r\n", false),
        CASE("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n", false),
        CASE("RTSP/1.0 200 OK\r\n\r\n", false),
        CASE("CRCX 1204 aaln/1@rgw.example.net MGCP 1.0\r\n", false),
        CASE("\x80\x00\x12\x34\x00\x00\x00\xa0\xde\xad\xbe\xef SIP/2.0", false), // RTP, no LF
        CASE("\x00\x01\x00\x00\x21\x12\xa4\x42", false),                         // STUN
        CASE("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www", false),  // DNS
        CASE("     ", false),
        CASE("\r\n\r\n", false),
        CASE("", false),
        CASE("hello", false),
        CASE("hello\r\n", false),
        CASE("\x00\x00\x00\x00", false),
        CASE("2.0\r\n", false),
#undef CASE
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char *copy = (char *)guard_copy(CASES[i].text, CASES[i].n);
        if (sip_looks_like(copy, CASES[i].n) != CASES[i].is) {
            fail_msg("\"%s\" is %s SIP", CASES[i].text,
                     CASES[i].is ? "not taken for" : "taken for");
        }
        sip_check_all(copy, CASES[i].n, SIP_DATAGRAM, false);
        guard_free((uint8_t *)copy, CASES[i].n);
    }
}

static void looks_like_first_line_of_64_kb(void **arg)
{
    (void)arg;
    size_t n = 65000;
    char *text = malloc(n + 64);
    assert_non_null(text);
    memset(text, 'a', n);
    size_t tail = (size_t)snprintf(text + n, 64, " sip:b@x SIP/2.0\r\n\r\n");
    assert_true(sip_looks_like(text, n + tail));
    assert_false(sip_looks_like(text, n));
    free(text);
}

static void parse_header_names_and_values_as_written(void **arg)
{
    (void)arg;
    static const struct {
        const char *line;
        enum sip_header_id id;
        const char *name, *value;
        uint64_t odd;
    } CASES[] = {
        {"Call-ID :\tx1\r\n", SIP_H_CALL_ID, "Call-ID", "x1", 0},
        {"cALL-iD  \t : x1  \r\n", SIP_H_CALL_ID, "cALL-iD", "x1", 0},
        {"i:x1\r\n", SIP_H_CALL_ID, "i", "x1", 0},
        {"Subject:\r\n", SIP_H_SUBJECT, "Subject", "", 0},
        {"Subject:\r\n lunch\r\n", SIP_H_SUBJECT, "Subject", "lunch", ODD(FOLDED)},
        {"Subject: a\r\n\tb\r\n  c \r\n", SIP_H_SUBJECT, "Subject", "a\r\n\tb\r\n  c", ODD(FOLDED)},
        {"Subject: a\r\n \r\n", SIP_H_SUBJECT, "Subject", "a", ODD(FOLDED)},
        {"Subject: a\n", SIP_H_SUBJECT, "Subject", "a", ODD(LF_LINES)},
        {"X: a:b\r\n", SIP_H_SESSION_EXPIRES, "X", "a:b", 0},
        {"X-Any: \377\r\n", SIP_H_OTHER, "X-Any", "\377", 0},
        {"X-Any: a\001b\r\n", SIP_H_OTHER, "X-Any", "a\001b", ODD(CONTROL_BYTES)},
        {": v\r\n", SIP_H_OTHER, "", "v", ODD(HEADER_NAME)},
        {"Bad Name: v\r\n", SIP_H_OTHER, "Bad Name", "v", ODD(HEADER_NAME)},
        {"C%6Fntact: v\r\n", SIP_H_OTHER, "C%6Fntact", "v", 0},
        {"Call\rID: v\r\n", SIP_H_OTHER, "Call\rID", "v", ODD(HEADER_NAME) | ODD(CONTROL_BYTES)},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[512];
        int n =
            snprintf(text, sizeof text,
                     "ACK sip:b@x SIP/2.0\r\n%s"
                     "Via: SIP/2.0/UDP h;branch=z9hG4bKa\r\nFrom: <sip:a@x>\r\nTo: <sip:b@x>\r\n"
                     "CSeq: 1 ACK\r\n\r\n",
                     CASES[i].line);
        parse_as(text, (size_t)n, SIP_DATAGRAM, false);
        print_message("%s", CASES[i].line);
        assert_slice(m.headers[0].name, CASES[i].name);
        assert_slice(m.headers[0].value, CASES[i].value);
        assert_int_equal(m.headers[0].id, CASES[i].id);
        assert_int_equal(m.header_count, 5);
        m.oddities &= ~ODD(MISSING_CALL_ID);
        assert_oddities(CASES[i].odd);
    }
}

static void parse_lines_without_colon_are_skipped(void **arg)
{
    (void)arg;
    PARSE("ACK sip:b@x SIP/2.0\r\nno colon\r\n folded onto nothing\r\ni: c1\r\n\r\n");
    assert_int_equal(m.header_count, 1);
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "c1");
    assert_true(sip_is_odd(&m, SIP_ODD_HEADER_NO_COLON));
}

static void parse_one_lf_among_crlf_all_headers_found(void **arg)
{
    (void)arg;
    PARSE("ACK sip:b@x SIP/2.0\r\nFrom: <sip:a@x>\nCall-ID: c1\r\nCSeq: 1 ACK\r\n\r\nbody");
    assert_int_equal(m.header_count, 3);
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "c1");
    assert_slice(m.body, "body");
    assert_true(sip_is_odd(&m, SIP_ODD_LF_LINES));
}

static void parse_missing_and_second_headers_are_odd(void **arg)
{
    (void)arg;
    PARSE("INVITE sip:b@x SIP/2.0\r\n\r\n");
    assert_oddities(ODD(MISSING_VIA) | ODD(MISSING_FROM) | ODD(MISSING_TO) | ODD(MISSING_CALL_ID) |
                    ODD(MISSING_CSEQ));
    PARSE("INVITE sip:b@x SIP/2.0\r\n" REST
          "f: <sip:c@x>\r\nt: <sip:d@x>\r\ni: c2\r\nCSEQ: 2 INVITE\r\nMax-Forwards: 7\r\n"
          "Max-Forwards: 6\r\n\r\n");
    assert_oddities(ODD(DUPLICATE_FROM) | ODD(DUPLICATE_TO) | ODD(DUPLICATE_CALL_ID) |
                    ODD(DUPLICATE_CSEQ) | ODD(DUPLICATE_MAX_FORWARDS));
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "c1@x"); // the first one counts
    PARSE("INVITE sip:b@x SIP/2.0\r\nCall-ID:\r\nCSeq: one INVITE\r\n\r\n");
    assert_true(sip_is_odd(&m, SIP_ODD_EMPTY_CALL_ID));
    assert_true(sip_is_odd(&m, SIP_ODD_CSEQ_NUMBER));
    assert_false(sip_is_odd(&m, SIP_ODD_CSEQ_METHOD));
    PARSE("INVITE sip:b@x SIP/2.0\r\nCSeq: 4294967295 BYE\r\n\r\n");
    assert_true(sip_is_odd(&m, SIP_ODD_CSEQ_NUMBER));
    assert_true(sip_is_odd(&m, SIP_ODD_CSEQ_METHOD));
}

static void parse_call_id_of_3000_bytes_is_whole(void **arg)
{
    (void)arg;
    static char text[4096];
    int head = snprintf(text, sizeof text, "BYE sip:b@x SIP/2.0\r\nCall-ID: ");
    memset(text + head, 'c', 3000);
    int tail = snprintf(text + head + 3000, sizeof text - 3000 - (size_t)head, "\r\n\r\n");
    parse_as(text, (size_t)(head + 3000 + tail), SIP_DATAGRAM, false);
    assert_int_equal(sip_value(&m, SIP_H_CALL_ID).n, 3000);
}

static void parse_flood_of_headers_cannot_hide_a_call_id(void **arg)
{
    (void)arg;
    static char text[32768];
    size_t n = (size_t)snprintf(text, sizeof text, "BYE sip:b@x SIP/2.0\r\n");
    for (int i = 0; i < 600; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "X-%d: %d\r\nVia: v%d\r\n", i, i, i);
    }
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "Call-ID: c1\r\nCSeq: 1 BYE\r\nl: 3\r\n\r\nabc");
    assert_int_equal(parse_as(text, n, SIP_DATAGRAM, false), n);
    assert_true(sip_is_odd(&m, SIP_ODD_TOO_MANY_HEADERS));
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "c1");
    assert_slice(m.body, "abc");
    assert_int_equal(m.header_count, SIP_HEADERS_MAX + 3);
}

static void parse_indexes_all_of_256_headers_and_not_the_next(void **arg)
{
    (void)arg;
    static char text[8192];
    for (int lines = SIP_HEADERS_MAX - 1; lines <= SIP_HEADERS_MAX + 1; lines++) {
        size_t n = (size_t)snprintf(text, sizeof text, "BYE sip:b@x SIP/2.0\r\n");
        for (int i = 0; i < lines; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "X-%d: %d\r\n", i, i);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\r\n");
        assert_int_equal(parse_as(text, n, SIP_DATAGRAM, false), n);
        bool is_over = lines > SIP_HEADERS_MAX;
        assert_int_equal(m.header_count, is_over ? SIP_HEADERS_MAX : lines);
        assert_int_equal(sip_is_odd(&m, SIP_ODD_TOO_MANY_HEADERS), is_over);
    }
}

static void parse_datagram_body_by_content_length(void **arg)
{
    (void)arg;
    static const struct {
        const char *lines;
        const char *body;
        int64_t length;
        uint64_t odd;
    } CASES[] = {
        {"", "0123456789", -1, 0},
        {"Content-Length: 10\r\n", "0123456789", 10, 0},
        {"l: 10\r\nContent-Length: 10\r\n", "0123456789", 10, 0},
        {"Content-Length:\r\n 10\r\n", "0123456789", 10, ODD(FOLDED)},
        {"Content-Length: 4\r\n", "0123", 4, ODD(CONTENT_LENGTH_SHORT)},
        {"Content-Length: 0\r\n", "", 0, ODD(CONTENT_LENGTH_SHORT)},
        {"Content-Length: 99\r\n", "0123456789", 99, ODD(CONTENT_LENGTH_LONG)},
        {"Content-Length: -1\r\n", "0123456789", -1, ODD(CONTENT_LENGTH_NEGATIVE)},
        {"Content-Length: -\r\n", "0123456789", -1, ODD(CONTENT_LENGTH)},
        {"Content-Length: ten\r\n", "0123456789", -1, ODD(CONTENT_LENGTH)},
        {"Content-Length:\r\n", "0123456789", -1, ODD(CONTENT_LENGTH)},
        {"Content-Length: 1 0\r\n", "0123456789", -1, ODD(CONTENT_LENGTH)},
        {"Content-Length: 18446744073709551617\r\n", "0123456789", -1, ODD(CONTENT_LENGTH)},
        {"Content-Length: 4\r\nl: 5\r\n", "0123456789", -1, ODD(CONTENT_LENGTH_CONFLICT)},
        {"Content-Length: 4\r\nl: x\r\n", "0123456789", -1, ODD(CONTENT_LENGTH)},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[512];
        int n = snprintf(text, sizeof text, "INVITE sip:b@x SIP/2.0\r\n" REST "%s\r\n0123456789",
                         CASES[i].lines);
        print_message("%s", CASES[i].lines);
        assert_int_equal(parse_as(text, (size_t)n, SIP_DATAGRAM, false), n);
        assert_slice(m.body, CASES[i].body);
        assert_int_equal(m.content_length, CASES[i].length);
        assert_oddities(CASES[i].odd);
    }
}

static void parse_datagram_cut_by_snaplen_gives_what_is_there(void **arg)
{
    (void)arg;
    static const char TEXT[] =
        "INVITE sip:b@x SIP/2.0\r\n" REST "Content-Length: 10\r\n\r\n0123456789";
    size_t n = sizeof TEXT - 1;
    parse_as(TEXT, n - 5, SIP_DATAGRAM, true);
    assert_slice(m.body, "01234");
    assert_oddities(ODD(TRUNCATED)); // neither "long" nor "missing": the capture did it
    parse_as(TEXT, n - 40, SIP_DATAGRAM, true);
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "c1@x");
    assert_oddities(ODD(TRUNCATED));
    parse_as("INVITE sip:b@x SIP/2.0\r\nCall-ID: c1@", 36, SIP_DATAGRAM, false);
    assert_slice(sip_value(&m, SIP_H_CALL_ID), "c1@");
    assert_true(sip_is_odd(&m, SIP_ODD_HEADER_UNTERMINATED));
}

static void parse_stream_waits_until_the_message_is_whole(void **arg)
{
    (void)arg;
    static const char TEXT[] = "\r\n\r\nINVITE sip:b@x SIP/2.0\r\n" REST
                               "Content-Length: 4\r\n\r\nbodyBYE sip:b@x SIP/2.0\r\n";
    size_t whole = sizeof TEXT - 1 - 21;
    for (size_t n = 0; n < whole; n++) {
        assert_int_equal(parse_as(TEXT, n, SIP_STREAM, false), 0);
    }
    assert_int_equal(parse_as(TEXT, sizeof TEXT - 1, SIP_STREAM, false), whole);
    assert_slice(m.body, "body");
    assert_oddities(ODD(LEADING_BYTES));
}

static void parse_stream_odd_lengths_end_behind_the_headers(void **arg)
{
    (void)arg;
    static const struct {
        const char *lines;
        uint64_t odd;
    } CASES[] = {
        {"", ODD(CONTENT_LENGTH_MISSING)},
        {"Content-Length: -4\r\n", ODD(CONTENT_LENGTH_NEGATIVE)},
        {"Content-Length: 99999999999\r\n", ODD(CONTENT_LENGTH)},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[512];
        int n = snprintf(text, sizeof text, "INVITE sip:b@x SIP/2.0\r\n" REST "%s\r\nbody",
                         CASES[i].lines);
        assert_int_equal(parse_as(text, (size_t)n, SIP_STREAM, false), n - 4);
        assert_int_equal(m.body.n, 0);
        assert_oddities(CASES[i].odd);
    }
}

static void parse_stream_of_something_else_is_refused(void **arg)
{
    (void)arg;
    static const char *const OTHERS[] = {"GET / HTTP/1.1\r\n", "\x16\x03\x01\x02", "hello\r\n"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        assert_int_equal(parse_as(OTHERS[i], strlen(OTHERS[i]), SIP_STREAM, false), -1);
    }
    assert_int_equal(parse_as("INV", 3, SIP_STREAM, false), 0);
    assert_int_equal(parse_as("\r\n", 2, SIP_STREAM, false), 0);
}

static const char HOSTILE[] =
    "INVITE sip:b@x;a=b?c=d SIP/2.0\r\nv: SIP / 2.0 /UDP [2001:db8::1]:5060 ;branch=z9hG4bKx,"
    "SIP/2.0/TCP h\r\nFrom: \"a\\\"<,;\" <sip:a@x:5060;p>;tag=\"1\"\r\nTo:\r\n sip:b@x;x=y\r\n"
    "i: c\r\nCSeq: 1\r\n INVITE\r\nm: *, <tel:+1>;expires=1\r\nWarning: 399 x \"y\"\r\n"
    "Authorization: Digest nonce=\"a\", qop=auth\r\nDate: Sat, 13 Nov 2010 23:29:00 GMT\r\n"
    "Content-Type: multipart/mixed;boundary=\"-\"\r\nl: 66\r\n\r\n"
    "---\r\nContent-Type: multipart/x;boundary=y\r\n\r\n--y\r\n\r\n--y--\r\n---\r\n";

static void parse_every_prefix_stays_inside(void **arg)
{
    (void)arg;
    for (size_t n = 0; n < sizeof HOSTILE; n++) {
        char *copy = (char *)guard_copy(HOSTILE, n);
        sip_check_all(copy, n, SIP_DATAGRAM, false);
        sip_check_all(copy, n, SIP_DATAGRAM, true);
        sip_check_all(copy, n, SIP_STREAM, false);
        guard_free((uint8_t *)copy, n);
    }
}

static void parse_every_byte_changed_stays_inside(void **arg)
{
    (void)arg;
    static const char BYTES[] = {0,   '\n', '\r', ' ', '"',    '\\',   '<',   '>', ',',
                                 ';', ':',  '@',  '=', '[',    ']',    '%',   '/', '(',
                                 '*', '9',  '-',  'a', '\x7f', '\x80', '\xff'};
    size_t n = sizeof HOSTILE - 1;
    char *copy = (char *)guard_copy(HOSTILE, n);
    for (size_t at = 0; at < n; at++) {
        char kept = copy[at];
        for (size_t i = 0; i < sizeof BYTES; i++) {
            copy[at] = BYTES[i];
            sip_check_all(copy, n, SIP_DATAGRAM, false);
            sip_check_all(copy, n, SIP_STREAM, false);
        }
        copy[at] = kept;
    }
    guard_free((uint8_t *)copy, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_plain_invite_everything_in_place),
        cmocka_unit_test(parse_response_method_is_that_of_cseq),
        cmocka_unit_test(parse_start_line_parts_and_oddities),
        cmocka_unit_test(parse_method_case_and_length_matter),
        cmocka_unit_test(looks_like_sip_and_others),
        cmocka_unit_test(looks_like_first_line_of_64_kb),
        cmocka_unit_test(parse_header_names_and_values_as_written),
        cmocka_unit_test(parse_lines_without_colon_are_skipped),
        cmocka_unit_test(parse_one_lf_among_crlf_all_headers_found),
        cmocka_unit_test(parse_missing_and_second_headers_are_odd),
        cmocka_unit_test(parse_call_id_of_3000_bytes_is_whole),
        cmocka_unit_test(parse_flood_of_headers_cannot_hide_a_call_id),
        cmocka_unit_test(parse_indexes_all_of_256_headers_and_not_the_next),
        cmocka_unit_test(parse_datagram_body_by_content_length),
        cmocka_unit_test(parse_datagram_cut_by_snaplen_gives_what_is_there),
        cmocka_unit_test(parse_stream_waits_until_the_message_is_whole),
        cmocka_unit_test(parse_stream_odd_lengths_end_behind_the_headers),
        cmocka_unit_test(parse_stream_of_something_else_is_refused),
        cmocka_unit_test(parse_every_prefix_stays_inside),
        cmocka_unit_test(parse_every_byte_changed_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
