// Tests that traffic which is no RTP gives no stream, however much it looks like it by chance.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "listen/report.h"
#include "sidetone/read.h"

#define PACKETS 1000000

static struct bytes capture;
static uint16_t ip_id;

static void put(size_t i, const struct frame_path *path, const uint8_t *payload, size_t n)
{
    uint8_t frame[CAPTURE_FRAME_ROOM];
    size_t frame_n = capture_frame(frame, LINK_ETHERNET, path, ip_id++, payload, n);
    pcap_add(&capture, CAPTURE_START_NS + (int64_t)i * 50000, frame, frame_n);
}

static void begin(void)
{
    bytes_free(&capture);
    pcap_begin(&capture, LINK_ETHERNET);
}

static void fill(struct random *rng, uint8_t *p, size_t n)
{
    for (size_t at = 0; at < n; at += 8) {
        uint64_t v = random_u64(rng);
        memcpy(p + at, &v, n - at < 8 ? n - at : 8);
    }
}

// Reads what was put, `packets` of them: so many streams, and candidates within their limit.
static void assert_streams(size_t packets, unsigned cores, size_t streams)
{
    struct capture_file f = capture_file(capture.p, capture.n);
    const char *path = f.path;
    struct sidetone_read_options options = {.cores = cores};
    struct sidetone_report *report;
    assert_int_equal(sidetone_read(&path, 1, &options, &report), SIDETONE_OK);
    const struct sidetone_capture *c = sidetone_report_capture(report);
    assert_int_equal(c->packets, packets);
    for (size_t i = 0; i < sidetone_report_streams(report) && streams == 0; i++) {
        const struct stream *s = report->streams[i].stream;
        print_error("a stream of %u packets, %u duplicates, type %u\n", s->unique,
                    stream_extras(s)->duplicates, s->payload_type);
    }
    assert_int_equal(sidetone_report_streams(report), streams);
    for (unsigned bin = 0; bin < BINS; bin++) {
        assert_true(report->engine.media[bin].candidate_sets <= CANDIDATE_SETS_MAX);
        assert_true(report->engine.media[bin].stream_count <= 200);
    }
    sidetone_report_free(report);
    capture_file_close(&f);
    bytes_free(&capture);
}

static void read_of_random_datagrams_gives_no_stream(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("listen_junk", 1));
    begin();
    for (size_t i = 0; i < PACKETS; i++) {
        uint8_t payload[128];
        size_t n = random_below(&rng, sizeof payload);
        uint64_t v = random_u64(&rng);
        struct frame_path path =
            capture_path(1 + (v & 3), (uint16_t)(v >> 16), 5 + (v >> 2 & 3), (uint16_t)(v >> 32));
        fill(&rng, payload, n);
        if (n > 0 && i % 4 == 0) {
            payload[0] = 0x80 | (payload[0] & 0x3f);
        }
        put(i, &path, payload, n);
    }
    assert_streams(PACKETS, 2, 0);
}

// --- between two endpoints that stay ---

// Header of a DNS message (RFC 1035 4.1.1), also of LLMNR, mDNS and NetBIOS names: identification,
// flags, four counts. As RTP the flags are the number, and the counts timestamp and SSRC.
static size_t dns(struct random *rng, uint8_t *p)
{
    static const uint16_t FLAGS[] = {0x0100, 0x8180, 0x8181, 0x8182, 0x8183,
                                     0x8184, 0x8185, 0x8400, 0x0110, 0x0000};
    size_t n = 12 + random_below(rng, 60);
    fill(rng, p, n);
    put_be16(p + 2, FLAGS[random_below(rng, sizeof FLAGS / sizeof FLAGS[0])]);
    put_be16(p + 4, 1);
    put_be16(p + 6, (uint16_t)random_below(rng, 4));
    put_be16(p + 8, 0);
    put_be16(p + 10, (uint16_t)random_below(rng, 2));
    return n;
}

static size_t stun(struct random *rng, uint8_t *p)
{
    static const uint16_t TYPES[] = {0x0001, 0x0101, 0x0111, 0x0003, 0x0113, 0x0016, 0x0017};
    size_t n = 20 + random_below(rng, 10) * 4;
    fill(rng, p, n);
    put_be16(p, TYPES[random_below(rng, sizeof TYPES / sizeof TYPES[0])]);
    put_be16(p + 2, (uint16_t)(n - 20));
    put_be32(p + 4, 0x2112a442);
    return n;
}

// Version 1 with a number (TS 29.281 5.1).
static size_t gtp(struct random *rng, uint8_t *p)
{
    static uint16_t number;
    size_t n = 12 + random_below(rng, 60);
    fill(rng, p, n);
    p[0] = 0x32;
    p[1] = 0xff;
    put_be16(p + 2, (uint16_t)(n - 8));
    put_be32(p + 4, 0x00001234);
    put_be16(p + 8, number++);
    return n;
}

// RFC 9000 17: short headers, and long ones, also without the fixed bit (RFC 9287).
static size_t quic(struct random *rng, uint8_t *p)
{
    static const uint8_t FIRST[] = {0x40, 0x40, 0x40, 0xc0, 0x80};
    size_t n = 25 + random_below(rng, 60);
    fill(rng, p, n);
    p[0] = FIRST[random_below(rng, sizeof FIRST)] | (p[0] & 0x3f);
    if (p[0] & 0x80) {
        put_be32(p + 1, 1);
        p[5] = 8;
    }
    return n;
}

// Reports whose lengths do not fit: as RTP the length is the number, the SSRC the timestamp.
static size_t rtcp(struct random *rng, uint8_t *p)
{
    size_t n = 20 + random_below(rng, 60);
    fill(rng, p, n);
    p[0] = 0x80 | (p[0] & 0x3f);
    p[1] = (uint8_t)(192 + random_below(rng, 32));
    put_be16(p + 2, (uint16_t)random_below(rng, 30));
    put_be32(p + 4, 0x11223344);
    put_be32(p + 8, 0x55667788);
    return n;
}

static size_t sip(struct random *rng, uint8_t *p)
{
    static const char *const TEXTS[] = {"INVITE sip:b@x SIP/2.0\r\n",
                                        "SIP/2.0 200 OK\r\nVia: x",
                                        "OPTIONS sip:",
                                        "REGISTER",
                                        "\r\n\r\n",
                                        "SIP/2.0 abc\r\n"};
    const char *text = TEXTS[random_below(rng, sizeof TEXTS / sizeof TEXTS[0])];
    size_t n = strlen(text), junk = random_below(rng, 40);
    memcpy(p, text, n);
    fill(rng, p + n, junk);
    return n + junk;
}

// A protocol with counters where RTP has its number, and a time in units of its own that goes back.
static size_t counter(struct random *rng, uint8_t *p)
{
    static uint16_t number;
    size_t n = 16 + random_below(rng, 60);
    fill(rng, p, n);
    p[0] = 0x80;
    put_be16(p + 2, number++);
    put_be32(p + 8, 7);
    return n;
}

static size_t (*const MAKERS[])(struct random *, uint8_t *) = {dns,  stun, gtp,    quic,
                                                               rtcp, sip,  counter};
#define MAKER_COUNT (sizeof MAKERS / sizeof MAKERS[0])

static void read_of_other_protocols_between_two_endpoints_gives_no_stream(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("listen_junk", 2));
    begin();
    for (size_t i = 0; i < PACKETS; i++) {
        uint8_t payload[128];
        size_t kind = random_below(&rng, MAKER_COUNT);
        uint8_t pair = (uint8_t)random_below(&rng, 8);
        struct frame_path path =
            capture_path(1, (uint16_t)(5353 + kind * 10 + pair), 2, (uint16_t)(5353 + kind * 10));
        size_t n = MAKERS[kind](&rng, payload);
        put(i, &path, payload, n);
    }
    assert_streams(PACKETS, 2, 0);
}

// The same with one stream between them: it is found.
static void read_of_a_stream_among_other_protocols_gives_it_alone(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("listen_junk", 3));
    begin();
    for (size_t i = 0; i < PACKETS / 10; i++) {
        uint8_t payload[256];
        size_t kind = random_below(&rng, MAKER_COUNT);
        struct frame_path path = capture_path(1, 4000, 2, 4000);
        size_t n = MAKERS[kind](&rng, payload);
        if (i % 400 == 0 && i / 400 < STREAM_PROOF_PACKETS) {
            n = capture_rtp(payload, 111, false, (uint16_t)(i / 400), (uint32_t)(i / 400 * 960), 9,
                            80);
        }
        put(i, &path, payload, n);
    }
    assert_streams(PACKETS / 10, 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_of_random_datagrams_gives_no_stream),
        cmocka_unit_test(read_of_other_protocols_between_two_endpoints_gives_no_stream),
        cmocka_unit_test(read_of_a_stream_among_other_protocols_gives_it_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
