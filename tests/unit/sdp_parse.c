// Session descriptions: media lines, addresses at both levels, ports, payload maps, RTCP,
// directions, and garbage.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "sdp_inside.h"
#include "slice_assert.h"

static struct sdp s;

static int parse(const char *text)
{
    size_t n = strlen(text);
    char *copy = (char *)guard_copy(text, n);
    sdp_check_all(copy, n);
    guard_free((uint8_t *)copy, n);
    return sdp_parse(&s, slice_of(text, n));
}

static void assert_endpoint(struct endpoint got, const char *want)
{
    char text[ENDPOINT_TEXT_BYTES];
    endpoint_text(got, text);
    assert_string_equal(text, want);
}

static const char OFFER[] =
    "v=0\r\no=- 1 2 IN IP4 192.0.2.9\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\na=sendonly\r\n"
    "m=audio 49170 RTP/AVP 0 8 101 96\r\na=rtpmap:101 telephone-event/8000\r\n"
    "a=fmtp:101 0-16\r\na=rtpmap:96 opus/48000/2\r\na=ptime:20\r\na=sendrecv\r\n"
    "m=video 0 RTP/AVP 97\r\na=rtpmap:97 H264/90000\r\n"
    "m=audio 50000/2 RTP/SAVP 18\r\nc=IN IP6 2001:db8::5\r\na=rtcp:50011 IN IP6 2001:db8::6\r\n"
    "m=application 9 UDP/BFCP *\r\na=inactive\r\n";

static void sdp_full_offer_every_field_in_place(void **arg)
{
    (void)arg;
    assert_int_equal(parse(OFFER), 4);
    assert_slice(s.origin, "- 1 2 IN IP4 192.0.2.9");
    const struct sdp_media *a = &s.media[0];
    assert_slice(a->type, "audio");
    assert_slice(a->protocol, "RTP/AVP");
    assert_endpoint(a->rtp, "192.0.2.1:49170");
    assert_endpoint(a->rtcp, "192.0.2.1:49171");
    assert_true(a->is_rtp && a->has_address && !a->encrypted && !a->ice && !a->rtcp_mux);
    assert_int_equal(a->direction, SDP_SENDRECV);
    assert_int_equal(a->ptime_ms, 20);
    assert_int_equal(a->format_count, 4);
    assert_int_equal(a->formats[0].codec, CODEC_PCMU); // a static type needs no map
    assert_int_equal(a->formats[0].clock_hz, 8000);
    assert_int_equal(a->formats[0].name.n, 0);
    assert_int_equal(a->formats[1].codec, CODEC_PCMA);
    assert_int_equal(a->formats[2].codec, CODEC_EVENT);
    assert_slice(a->formats[2].fmtp, "0-16");
    assert_int_equal(a->formats[3].payload_type, 96);
    assert_int_equal(a->formats[3].codec, CODEC_OPUS);
    assert_int_equal(a->formats[3].clock_hz, 48000);
    assert_int_equal(a->formats[3].channels, 2);
    assert_slice(a->formats[3].name, "opus");
    const struct sdp_media *v = &s.media[1];
    assert_endpoint(v->rtp, "192.0.2.1:0"); // refused
    assert_int_equal(v->rtcp.port, 0);
    assert_int_equal(v->direction, SDP_SENDONLY); // of the session
    assert_int_equal(v->formats[0].codec, CODEC_H264);
    const struct sdp_media *e = &s.media[2];
    assert_endpoint(e->rtp, "[2001:db8::5]:50000");
    assert_endpoint(e->rtcp, "[2001:db8::6]:50011");
    assert_true(e->encrypted);
    assert_false(s.media[3].is_rtp);
    assert_int_equal(s.media[3].format_count, 0);
    assert_int_equal(s.media[3].direction, SDP_INACTIVE);
}

static void sdp_one_media_line_address_rtcp_and_direction(void **arg)
{
    (void)arg;
    static const struct {
        const char *session, *media;
        const char *rtp, *rtcp;
        enum sdp_direction direction;
        bool has_address, mux, encrypted, ice;
    } CASES[] = {
        {"c=IN IP4 192.0.2.1\n", "", "192.0.2.1:4000", "192.0.2.1:4001", SDP_SENDRECV, true, false,
         false, false},
        {"", "c=IN IP4 192.0.2.2\n", "192.0.2.2:4000", "192.0.2.2:4001", SDP_SENDRECV, true, false,
         false, false},
        {"c=IN IP4 224.2.1.1/127/3\n", "", "224.2.1.1:4000", "224.2.1.1:4001", SDP_SENDRECV, true,
         false, false, false},
        {"c=IN IP4 0.0.0.0\n", "", "0.0.0.0:4000", "0.0.0.0:4001", SDP_SENDONLY, true, false, false,
         false},
        {"c=IN IP4 0.0.0.0\n", "a=inactive\n", "0.0.0.0:4000", "0.0.0.0:4001", SDP_INACTIVE, true,
         false, false, false},
        {"c=IN IP4 0.0.0.0\na=ice-ufrag:x\n", "", "0.0.0.0:4000", "0.0.0.0:4001", SDP_SENDRECV,
         true, false, false, true}, // no hold: the candidates follow
        {"c=IN IP6 ::\n", "", "[::]:4000", "[::]:4001", SDP_SENDONLY, true, false, false, false},
        {"c=IN IP4 host.example.com\n", "", "[::]:4000", "[::]:4001", SDP_SENDRECV, false, false,
         false, false},
        {"c=IN IP4 192.0.2.1\n", "c=IN IP4 host.example.com\n", "[::]:4000", "[::]:4001",
         SDP_SENDRECV, false, false, false, false},
        {"c=IN IP6 192.0.2.1\n", "", "192.0.2.1:4000", "192.0.2.1:4001", SDP_SENDRECV, true, false,
         false, false}, // the address decides the family
        {"c=IN IP4 192.0.2.1\nc=garbage\n", "", "192.0.2.1:4000", "192.0.2.1:4001", SDP_SENDRECV,
         true, false, false, false},
        {"c=IN IP4 192.0.2.1\n", "a=rtcp:5001\n", "192.0.2.1:4000", "192.0.2.1:5001", SDP_SENDRECV,
         true, false, false, false},
        {"c=IN IP4 192.0.2.1\n", "a=rtcp-mux\na=rtcp:5001\n", "192.0.2.1:4000", "192.0.2.1:4000",
         SDP_SENDRECV, true, true, false, false},
        {"c=IN IP4 192.0.2.1\na=fingerprint:sha-256 AA\na=ice-ufrag:x\n", "", "192.0.2.1:4000",
         "192.0.2.1:4001", SDP_SENDRECV, true, false, true, true},
        {"c=IN IP4 192.0.2.1\n",
         "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:x\na=candidate:1 1 UDP 1 192.0.2.7 9 typ "
         "host\n",
         "192.0.2.1:4000", "192.0.2.1:4001", SDP_SENDRECV, true, false, true, true},
        {"c=IN IP4 192.0.2.1\na=recvonly\n", "", "192.0.2.1:4000", "192.0.2.1:4001", SDP_RECVONLY,
         true, false, false, false},
        {"c=IN IP4 192.0.2.1\na=recvonly\n", "a=sendonly\n", "192.0.2.1:4000", "192.0.2.1:4001",
         SDP_SENDONLY, true, false, false, false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[512];
        snprintf(text, sizeof text, "v=0\n%sm=audio 4000 RTP/AVP 0\n%s", CASES[i].session,
                 CASES[i].media);
        print_message("%s\n", text);
        assert_int_equal(parse(text), 1);
        const struct sdp_media *m = &s.media[0];
        assert_endpoint(m->rtp, CASES[i].rtp);
        assert_endpoint(m->rtcp, CASES[i].rtcp);
        assert_int_equal(m->direction, CASES[i].direction);
        assert_int_equal(m->has_address, CASES[i].has_address);
        assert_int_equal(m->rtcp_mux, CASES[i].mux);
        assert_int_equal(m->encrypted, CASES[i].encrypted);
        assert_int_equal(m->ice, CASES[i].ice);
    }
}

static void sdp_no_description_is_minus_one_and_no_media_is_zero(void **arg)
{
    (void)arg;
    assert_int_equal(parse(""), -1);
    assert_int_equal(parse("hello\r\nworld"), -1);
    assert_int_equal(parse("<xml a=\"b\"/>"), -1);
    assert_int_equal(parse("v=0\r\ns=x\r\n"), 0);
    assert_int_equal(parse("m=audio 1 RTP/AVP 0"), 1); // without v= and line end
}

static void sdp_garbage_lines_are_skipped(void **arg)
{
    (void)arg;
    assert_int_equal(parse("v=0\n\n\r\n=\nx\nm=\nm=audio\nm=audio x RTP/AVP 0\na=sendonly\n"
                           "m=audio 70000 RTP/AVP 0\nm=audio 4000 RTP/AVP 0 128 x 8 8\n"
                           "a=rtpmap:\na=rtpmap:8\na=rtpmap:8 \na=rtpmap:99 x/1\na=rtpmap:200 y/1\n"
                           "a=fmtp:\na=rtcp:\na=rtcp:x\na=ptime:x\na=\na=:\nc=\nc=IN\n"
                           "a=rtpmap:8 WEIRD/x/300\na=fmtp:8\n"),
                     1);
    const struct sdp_media *m = &s.media[0];
    assert_int_equal(m->format_count, 2);
    assert_int_equal(m->formats[1].codec, CODEC_OTHER);
    assert_slice(m->formats[1].name, "WEIRD");
    assert_int_equal(m->formats[1].clock_hz, 8000); // the static type's, the map has no number
    assert_int_equal(m->formats[1].channels, 0);
    assert_int_equal(m->direction,
                     SDP_SENDRECV); // the attribute belonged to a line that is no media
    assert_int_equal(m->ptime_ms, 0);
    assert_false(m->has_address);
}

static void sdp_more_media_than_fit_are_counted(void **arg)
{
    (void)arg;
    static char text[8192];
    size_t n = (size_t)snprintf(text, sizeof text, "v=0\nm=audio 1 RTP/AVP");
    for (int i = 0; i < 100; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, " %d", i);
    }
    for (int i = 0; i < 40; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "\nm=audio 2 RTP/AVP 0\na=inactive");
    }
    assert_int_equal(parse(text), SDP_MEDIA_MAX);
    assert_int_equal(s.media_total, 41);
    assert_int_equal(s.media[0].format_count, SDP_FORMATS_MAX);
    assert_int_equal(s.media[0].format_total, 100);
    assert_int_equal(s.media[1].format_total, 1);
    assert_int_equal(s.media[SDP_MEDIA_MAX - 1].direction, SDP_INACTIVE);
}

static void sdp_every_prefix_and_byte_change_stays_inside(void **arg)
{
    (void)arg;
    static const char BYTES[] = {0,   '\n', '\r', ' ', ':', '/',   '=',
                                 '-', '9',  'a',  'm', 'c', '\xff'};
    for (size_t n = 0; n < sizeof OFFER; n++) {
        char *copy = (char *)guard_copy(OFFER, n);
        sdp_check_all(copy, n);
        guard_free((uint8_t *)copy, n);
    }
    size_t n = sizeof OFFER - 1;
    char *copy = (char *)guard_copy(OFFER, n);
    for (size_t at = 0; at < n; at++) {
        char kept = copy[at];
        for (size_t i = 0; i < sizeof BYTES; i++) {
            copy[at] = BYTES[i];
            sdp_check_all(copy, n);
        }
        copy[at] = kept;
    }
    guard_free((uint8_t *)copy, n);
}

// Pieces of what senders write, odd and even, in any order.
static void sdp_pieces_in_any_order_read_as_plainly(void **arg)
{
    (void)arg;
    static const char *const PIECES[] = {"\r\n",
                                         "\n",
                                         "\r",
                                         "m=audio ",
                                         "M=",
                                         "49170 ",
                                         "49170/2 ",
                                         "RTP/AVP ",
                                         "0 8",
                                         " 101",
                                         "UDPTL t38",
                                         "udptl ",
                                         "a=",
                                         "a=rtpmap:",
                                         "A=RTPMAP:",
                                         "a=fmtp:",
                                         "101 ",
                                         "0-16",
                                         "opus",
                                         "/48000",
                                         "/2",
                                         "c=IN IP4 ",
                                         "c=",
                                         "IN  IP6 ",
                                         "127.0.0.1",
                                         "2001::1",
                                         "/127/3",
                                         "a=ptime:",
                                         "20",
                                         "20.5",
                                         "65536",
                                         "a=rtcp:",
                                         "a=rtcp-mux",
                                         "sendrecv",
                                         "SendOnly",
                                         "inactive",
                                         "crypto:",
                                         "candidate:",
                                         "ice-ufrag",
                                         "fingerprint:",
                                         "candiXate:",
                                         " ",
                                         "\t",
                                         "v=0\n",
                                         "o=- 1 1",
                                         "rtcp\rmux",
                                         "telephone-event",
                                         "SAVP",
                                         "m=image ",
                                         "004294967296",
                                         "255",
                                         "256",
                                         ":",
                                         "/",
                                         "."};
    const uint32_t count = sizeof PIECES / sizeof *PIECES;
    uint32_t seed = 20240101;
    print_message("# seed %u\n", seed);
    for (int round = 0; round < 20000; round++) {
        char text[512];
        size_t n = 0;
        for (seed = seed * 1664525 + 1013904223; n < 24 + seed % 400;) {
            seed = seed * 1664525 + 1013904223;
            const char *piece = PIECES[(seed >> 8) % count];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
        }
        char *copy = (char *)guard_copy(text, n);
        sdp_check_all(copy, n);
        guard_free((uint8_t *)copy, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sdp_full_offer_every_field_in_place),
        cmocka_unit_test(sdp_one_media_line_address_rtcp_and_direction),
        cmocka_unit_test(sdp_no_description_is_minus_one_and_no_media_is_zero),
        cmocka_unit_test(sdp_garbage_lines_are_skipped),
        cmocka_unit_test(sdp_more_media_than_fit_are_counted),
        cmocka_unit_test(sdp_pieces_in_any_order_read_as_plainly),
        cmocka_unit_test(sdp_every_prefix_and_byte_change_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
