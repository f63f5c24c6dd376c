// Tests of telling what a stream carries, and of HEP and RFC 4571 on a stream.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carried_stream.h"
#include "flow/carried_parts.h"

#define HEP_10                                                                                     \
    "HEP3\x00\x10\x00\x00\x00\x0f\x00\x0a"                                                         \
    "abcd"
#define RTP(seq)                                                                                   \
    "\x00\x10\x80\x00\x00" seq "\x00\x00\x00\xa0\x00\x00\x00\x07"                                  \
    "wxyz"
#define RTCP "\x00\x08\x80\xc9\x00\x01\x00\x00\x00\x07"
#define STUN                                                                                       \
    "\x00\x14\x00\x01\x00\x00\x21\x12\xa4\x42"                                                     \
    "twelve bytes"
#define DTLS "\x00\x0e\x16\xfe\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01x"
#define RECORD                                                                                     \
    "\x17\x03\x03\x00\x04"                                                                         \
    "abcd"
#define PROXY_2(version, length) "\r\n\r\n\0\r\nQUIT\n" version "\x11\0" length
#define HELLO_TLS                "\x16\x03\x01\x00\x40\x01\x00\x00\x3c\x03\x03"

struct kind_case {
    const char *p;
    size_t n;
    enum carried_kind kind;
    const char *heard;
    bool starts_well;
};

#define CASE(bytes, kind, heard, starts_well)                                                      \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, kind, heard, starts_well                                         \
    }

static const struct kind_case CASES[] = {
    CASE(OPTIONS, CARRIED_SIP, "OPTIONS/0 ", true),
    CASE("\r\n\r\n" OK, CARRIED_SIP, "k4 200/0 ", true),
    CASE("\r\n", CARRIED_UNKNOWN, "k2 ", true),
    CASE("INVITE", CARRIED_UNKNOWN, "", true),
    CASE("INVITE sip:b@x SIP/2.0", CARRIED_SIP, "INVITE/0! ", true),
    // other text is not searched; what is no whole line of text is
    CASE("=sendrecv\r\n" OK, CARRIED_OTHER, "", false),
    CASE("220 mail ESMTP\r\n" OK, CARRIED_OTHER, "", false),
    CASE("\r\n<14>kamailio: f\xc3\xbcr\n" OK, CARRIED_OTHER, "", false),
    CASE("{\"sip\":\"INVITE sip:b@x SIP/2.0\r\n" OK, CARRIED_OTHER, "", false),
    CASE("OPTIONS rtsp://x RTSP/1.0\r\n\r\n", CARRIED_OTHER, "", false),
    CASE("220 mail ESMTP", CARRIED_UNKNOWN, "", false),
    CASE("f\xfcr\r\n" OK, CARRIED_SIP, "200/0 ", false),
    CASE("text\x01\r\n" OK, CARRIED_SIP, "200/0 ", false),
    CASE(" text\r\n" OK, CARRIED_SIP, "200/0 ", false),
    // in front of the stream
    CASE("PROXY TCP4 192.0.2.1 192.0.2.2 4000 5060\r\n" OK, CARRIED_SIP, "200/0 ", true),
    CASE("PROXY UNKNOWN\r\n\r\n\r\n" OK, CARRIED_SIP, "k4 200/0 ", true),
    CASE("PROXY TCP4 192.0.2.1 192.0.2.2 4000 25\r\n220 x\r\n" OK, CARRIED_OTHER, "", true),
    CASE("PROXY TCP6 no CR\n" OK, CARRIED_OTHER, "", false),
    CASE("PROXY TCP4 1 2 3 4\r\nPROXY TCP4 1 2 3 4\r\n" OK, CARRIED_OTHER, "", true),
    CASE("PROXY TCP4 ", CARRIED_UNKNOWN, "", true),
    CASE("PROXY sip:b@x SIP/2.0\r\n\r\n", CARRIED_SIP, "PROXY/0 ", true),
    CASE(PROXY_2("\x21", "\x0c") "twelve bytes" OK, CARRIED_SIP, "200/0 ", true),
    CASE(PROXY_2("\x20", "\0") "\r\n" OK, CARRIED_SIP, "k2 200/0 ", true),
    CASE(PROXY_2("\x21", "\x0c") "twel", CARRIED_UNKNOWN, "", true),
    CASE(PROXY_2("\x31", "\x0c") "twelve bytes" OPTIONS OK, CARRIED_SIP, "200/0 ", false),
    CASE("POST /log HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc" OK, CARRIED_HTTP, "", true),
    CASE("PURGE /x HTTP/1.0\r\n\r\n" OK, CARRIED_HTTP, "", true),
    CASE("GET / HTTP/1.1\r\nHost: x\r\n\r\n", CARRIED_HTTP, "", true),
    CASE("HTTP/1.1 200 OK\r\n\r\n", CARRIED_HTTP, "", true),
    CASE("HT", CARRIED_UNKNOWN, "", true),
    CASE(HEP_10, CARRIED_HEP, "hep16 ", true),
    CASE(HEP_10 HEP_10, CARRIED_HEP, "hep16 hep16 ", true),
    CASE("HEP3\x00\x05", CARRIED_UNKNOWN, "", false),
    CASE("HEP", CARRIED_UNKNOWN, "", true),
    // one frame that fills all, two; what only begins like one
    CASE(RTP("\x01"), CARRIED_RTP, "pkt16 ", true),
    CASE(RTP("\x01") RTP("\x02") RTCP "\x00\x00" STUN DTLS, CARRIED_RTP,
         "pkt16 pkt16 pkt8 pkt20 pkt14 ", true),
    CASE(RTCP STUN, CARRIED_RTP, "pkt8 pkt20 ", true),
    CASE(STUN, CARRIED_RTP, "pkt20 ", true),
    CASE(DTLS, CARRIED_RTP, "pkt14 ", true),
    CASE(RTP("\x01") "\x00\x0c\x80", CARRIED_RTP, "pkt16 pkt1! ", true),
    CASE(RTP("\x01") "\x00\x0c\x40", CARRIED_UNKNOWN, "", false),
    CASE(RTP("\x01") "abc", CARRIED_UNKNOWN, "", false),
    CASE("\x00\x10\x80\x00\x00\x01", CARRIED_UNKNOWN, "", false),
    CASE("\x00\x10\x80\x50\x00\x01\x00\x00\x00\xa0\x00\x00\x00\x07wxyz", CARRIED_UNKNOWN, "",
         false), // payload type 80
    CASE(HELLO_TLS, CARRIED_TLS, "", true),
    CASE(RECORD, CARRIED_TLS, "", true),
    CASE(RECORD RECORD, CARRIED_TLS, "", true),
    CASE(RECORD "abcde", CARRIED_UNKNOWN, "", false),
    CASE("\x17\x03\x03\x41\x01zzzzzzz", CARRIED_UNKNOWN, "", false), // 16,641 bytes
    CASE("\x16\x03\x05\x00\x10zzzzzzz", CARRIED_UNKNOWN, "", false),
    CASE("\x81\x7e\x00\x7f" OK, CARRIED_WEBSOCKET, "~200/0 ", true),
    CASE("\x81\x05hello", CARRIED_UNKNOWN, "", false),
};

static void carried_first_bytes_tell_the_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct kind_case *want = &CASES[i];
        struct stream s = {(uint8_t *)(uintptr_t)want->p, want->n, 0};
        uint64_t odd[FLOW_ODD_COUNT];
        stream_is(&s, want->heard, odd);
        struct heard h;
        stream_play(&s, &h, 0);
        if (carried_kind(h.c) != want->kind ||
            carried_starts_well(s.p, (uint32_t)s.n) != want->starts_well) {
            fail_msg("case %zu: kind %d", i, carried_kind(h.c));
        }
        heard_free(&h);
    }
    assert_false(carried_starts_well(NULL, 0));
}

static void carried_stream_of_nothing_known_becomes_other(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_fill(&s, "\x07 0 ok\r\n", 65536);
    struct heard h;
    stream_play(&s, &h, 1000);
    assert_int_equal(carried_kind(h.c), CARRIED_OTHER);
    heard_free(&h);
    s.n -= 8;
    stream_play(&s, &h, 1000);
    assert_int_equal(carried_kind(h.c), CARRIED_UNKNOWN);
    heard_free(&h);
    // Just before the limit it is found, behind it not.
    stream_text(&s, OK);
    stream_play(&s, &h, 1000);
    assert_string_equal(h.text, "200/0 ");
    assert_int_equal(h.odd[FLOW_TCP_SKIPPED], 65528);
    heard_free(&h);
    s.n = 65528;
    stream_text(&s, "\x07 0 ok\r\n" OK);
    stream_play(&s, &h, 1000);
    assert_string_equal(h.text, "");
    heard_free(&h);
    // Binary bytes without a line end.
    s.n = 0;
    stream_fill(&s, "\xff\x80\x07", 70000);
    stream_play(&s, &h, 7);
    assert_int_equal(carried_kind(h.c), CARRIED_OTHER);
    heard_free(&h);
    free(s.p);
}

static void carried_http_without_upgrade_becomes_other(void **state)
{
    (void)state;
    static const char HEAD[] = "HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n";
    struct heard h;
    heard_begin(&h);
    heard_feed(&h, HEAD, strlen(HEAD));
    assert_int_equal(carried_kind(h.c), CARRIED_OTHER);
    heard_end(&h);
    heard_free(&h);
    struct stream s = {0};
    stream_fill(&s, "GET / HTTP/1.1\r\n\r\n", 66000);
    stream_play(&s, &h, 1000);
    assert_int_equal(carried_kind(h.c), CARRIED_OTHER);
    heard_free(&h);
    free(s.p);
}

// Feeds `before`, a gap, `after`; byte by byte.
static void gap_is(struct slice before, uint64_t gap, struct slice after, const char *want,
                   uint64_t skipped)
{
    for (size_t size = 1; size < 100; size += 7) {
        struct heard h;
        heard_begin(&h);
        const struct slice parts[] = {before, after};
        for (int i = 0; i < 2; i++) {
            for (size_t at = 0; at < parts[i].n; at += size) {
                size_t left = parts[i].n - at;
                heard_feed(&h, parts[i].p + at, size < left ? size : left);
            }
            if (i == 0) {
                heard_gap(&h, gap);
            }
        }
        assert_string_equal(heard_end(&h), want);
        assert_int_equal(h.odd[FLOW_TCP_SKIPPED], skipped);
        heard_free(&h);
    }
}

static void carried_http_gap_searches_no_sip(void **state)
{
    (void)state;
    static const char HEAD[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n500\r\na";
    const struct slice head = {HEAD, sizeof HEAD - 1};
    uint64_t skipped = sizeof HEAD - 1;
    // all that stands behind it, too: nothing of interest comes
    gap_is(head, 5, SLICE("log\r\n" OK OPTIONS), "", skipped + 5 + strlen(OK OPTIONS));
    gap_is(head, 0, SLICE("log\r\n" OK "GET / HTTP/1.1\r\n\r\n" OK), "",
           skipped + 5 + 2 * strlen(OK) + 18);
    gap_is(head, 5, SLICE("log\r\n" OK "\x81\x7e\x00\x7f" OK), "~200/0 ", skipped + 5 + strlen(OK));
    gap_is(head, 5, SLICE("log\r\nGET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\x81\x7e\x00\x7f" OK),
           "~200/0 ", skipped + 5);
    struct heard h;
    heard_begin(&h);
    carried_answers_http(h.c);
    heard_gap(&h, 0);
    heard_feed(&h, "log\r\n" OK "\x81\x7e\x00\x7f" OK, 5 + 4 + 2 * strlen(OK));
    assert_string_equal(heard_end(&h), "~200/0 ");
    heard_free(&h);
}

static void carried_http_searched_in_vain_becomes_other(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_fill(&s, "log \x81\r\n", CARRIED_SEARCH_MAX + 14);
    for (size_t size = 1000; size < 70000; size *= 8) {
        for (size_t n = CARRIED_SEARCH_MAX - 1; n <= s.n; n += 15) {
            struct heard h;
            heard_begin(&h);
            carried_answers_http(h.c);
            heard_gap(&h, 0);
            for (size_t at = 0; at < n; at += size) {
                heard_feed(&h, s.p + at, size < n - at ? size : n - at);
            }
            assert_int_equal(carried_kind(h.c), n < s.n ? CARRIED_HTTP : CARRIED_OTHER);
            heard_end(&h);
            heard_free(&h);
        }
    }
    free(s.p);
}

static void carried_hep_gap_breaks_one_envelope(void **state)
{
    (void)state;
    gap_is(SLICE(HEP_10 "HEP3\x00\x10zz"), 5, SLICE("zzz" HEP_10), "hep16 hep8! hep16 ", 3);
    gap_is(SLICE(HEP_10 "HEP3\x00\x10zz"), 9, SLICE("zzz" HEP_10), "hep16 hep8! hep16 ", 3);
    gap_is(SLICE(HEP_10 "HEP"), 9, SLICE("zzz" HEP_10), "hep16 hep16 ", 3);
}

static void carried_hep_lost_is_found_again(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_add(&s, HEP_10 "HEP2 HEP3\x00\x01" HEP_10, 16 + 11 + 16);
    uint64_t odd[FLOW_ODD_COUNT];
    stream_is(&s, "hep16 hep16 ", odd);
    assert_int_equal(odd[FLOW_HEP_LENGTH], 1);
    assert_int_equal(odd[FLOW_TCP_SKIPPED], 11);
    free(s.p);
}

static void carried_rtp_gap_breaks_one_packet(void **state)
{
    (void)state;
    // What stands where the next frame should be is none: two packets are searched.
    gap_is(SLICE(RTP("\x01") "\x00\x10\x80\x00\x00\x02"), 6,
           SLICE("zzwxyz"
                 "\x01\x02\x50" RTP("\x03") RTP("\x04")),
           "pkt16 pkt4! pkt16 pkt16 ", 6 + 3);
    gap_is(SLICE(RTP("\x01") RTP("\x02") "\x00\x10\x80\x00\x00\x02"), 6,
           SLICE("zzwxyz" RTP("\x03")), "pkt16 pkt16 pkt4! pkt16 ", 6);
    gap_is(SLICE(RTP("\x01") RTP("\x02") "\x00"), 0, SLICE("zzwxyz" RTP("\x03") RTP("\x04")),
           "pkt16 pkt16 pkt16 pkt16 ", 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carried_first_bytes_tell_the_kind),
        cmocka_unit_test(carried_stream_of_nothing_known_becomes_other),
        cmocka_unit_test(carried_http_without_upgrade_becomes_other),
        cmocka_unit_test(carried_http_gap_searches_no_sip),
        cmocka_unit_test(carried_http_searched_in_vain_becomes_other),
        cmocka_unit_test(carried_hep_gap_breaks_one_envelope),
        cmocka_unit_test(carried_hep_lost_is_found_again),
        cmocka_unit_test(carried_rtp_gap_breaks_one_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
