// Tests of the join: which call a stream belongs to, and which stream took over from which.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mixed.h"
#include "sidetone/read.h"

static struct mixed m;
static struct sidetone_report *report;
static struct sidetone_scratch *scratch;

static int begin(void **state)
{
    (void)state;
    m = (struct mixed){0};
    random_init(&m.rng, 1);
    scratch = sidetone_scratch_new();
    report = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    mixed_free(&m);
    sidetone_scratch_free(scratch);
    sidetone_report_free(report);
    return 0;
}

// A call between hosts 1 and 100 with these media ports; `at_ms` is its INVITE, its 200 comes
// 100 ms later.
static struct mixed_call up(uint32_t id, int64_t at_ms, uint16_t caller_port, uint16_t callee_port)
{
    struct mixed_call c = {
        .id = id, .caller = 1, .callee = 100, .ports = {caller_port, callee_port}};
    int64_t at = CAPTURE_START_NS + at_ms * MS;
    mixed_sip(&m, &c, at, 0, "INVITE sip:b@x SIP/2.0", "", "1 INVITE", true);
    mixed_sip(&m, &c, at + 100 * MS, 1, "SIP/2.0 200 OK", ";tag=t", "1 INVITE", true);
    mixed_sip(&m, &c, at + 110 * MS, 0, "ACK sip:b@x SIP/2.0", ";tag=t", "1 ACK", false);
    return c;
}

static void over(const struct mixed_call *c, int64_t at_ms)
{
    int64_t at = CAPTURE_START_NS + at_ms * MS;
    mixed_sip(&m, c, at, 0, "BYE sip:b@x SIP/2.0", ";tag=t", "9 BYE", false);
    mixed_sip(&m, c, at + 1 * MS, 1, "SIP/2.0 200 OK", ";tag=t", "9 BYE", false);
}

static void again(const struct mixed_call *c, int64_t at_ms)
{
    int64_t at = CAPTURE_START_NS + at_ms * MS;
    mixed_sip(&m, c, at, 0, "INVITE sip:b@x SIP/2.0", ";tag=t", "2 INVITE", true);
    mixed_sip(&m, c, at + 5 * MS, 1, "SIP/2.0 200 OK", ";tag=t", "2 INVITE", true);
    mixed_sip(&m, c, at + 6 * MS, 0, "ACK sip:b@x SIP/2.0", ";tag=t", "2 ACK", false);
}

struct flow {
    uint8_t from;
    uint16_t from_port;
    uint8_t to;
    uint16_t to_port;
    uint32_t ssrc;
    uint16_t sequence;
};

static void media(struct flow f, int64_t at_ms, size_t count)
{
    struct frame_path path = capture_path(f.from, f.from_port, f.to, f.to_port);
    for (size_t i = 0; i < count; i++) {
        struct mixed_packet *p =
            mixed_add(&m, CAPTURE_START_NS + (at_ms + (int64_t)i * 20) * MS, &path);
        p->n = (uint16_t)capture_rtp(p->payload, 0, false, (uint16_t)(f.sequence + i),
                                     (uint32_t)(f.sequence + i) * 160, f.ssrc, 40);
    }
}

static void read_all(void)
{
    struct bytes b = {0};
    struct sidetone_read_options options = {.cores = 2, .chunk_bytes = 4096};
    qsort(m.packets, m.n, sizeof m.packets[0], mixed_compare);
    mixed_pcap(&m, &b, LINK_ETHERNET);
    struct capture_file file = capture_file(b.p, b.n);
    const char *path = file.path;
    assert_int_equal(sidetone_read(&path, 1, &options, &report), SIDETONE_OK);
    capture_file_close(&file);
    bytes_free(&b);
}

static struct sidetone_stream stream(size_t i)
{
    struct sidetone_stream s;
    assert_true(i < sidetone_report_streams(report));
    sidetone_report_stream(report, i, scratch, &s);
    return s;
}

static bool has_finding(size_t i, const char *name)
{
    struct sidetone_stream s = stream(i);
    for (size_t k = 0; k < s.finding_count; k++) {
        if (strcmp(s.findings[k].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void streams_of_both_directions_belong_to_their_call(void **state)
{
    (void)state;
    struct mixed_call c = up(1, 0, 4000, 5000);
    media((struct flow){1, 4000, 100, 5000, 7, 0}, 120, 50);
    media((struct flow){100, 5000, 1, 4000, 8, 0}, 130, 50);
    over(&c, 2000);
    read_all();
    assert_int_equal(sidetone_report_streams(report), 2);
    struct sidetone_call call;
    sidetone_report_call(report, 0, scratch, &call);
    assert_int_equal(call.stream_count, 2);
    assert_true(call.streams[0] == 0 && call.streams[1] == 1);
    assert_int_equal(stream(0).call, 0);
    assert_int_equal(stream(1).call, 0);
}

static void stream_that_began_before_its_answer_belongs_to_the_call(void **state)
{
    (void)state;
    up(1, 400, 4000, 5000);
    media((struct flow){1, 4000, 100, 5000, 7, 0}, 100, 50);
    read_all();
    assert_int_equal(sidetone_report_streams(report), 1);
    assert_int_equal(stream(0).call, 0);
    assert_int_equal(stream(0).packets, 50);
}

static void streams_through_a_nat_belong_to_the_call_of_the_time(void **state)
{
    (void)state;
    // The caller's packets come from another address and port than it announced, and the answer
    // goes back there; the callee's port is used by three calls in turn.
    for (uint32_t i = 0; i < 3; i++) {
        struct mixed_call c = up(i + 1, i * 10000, (uint16_t)(4000 + i * 2), 5000);
        uint16_t port = (uint16_t)(61000 + i);
        media((struct flow){77, port, 100, 5000, 10 + i, 0}, i * 10000 + 120, 50);
        media((struct flow){100, 5000, 77, port, 20 + i, 0}, i * 10000 + 95, 50);
        over(&c, i * 10000 + 3000);
    }
    read_all();
    assert_int_equal(sidetone_report_calls(report), 3);
    assert_int_equal(sidetone_report_streams(report), 6);
    for (size_t i = 0; i < 6; i++) {
        struct sidetone_stream s = stream(i);
        assert_int_equal(s.call, s.ssrc % 10);
    }
}

static void streams_of_ports_used_again_belong_to_their_own_calls(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct mixed_call c = up(i + 1, i * 2000, 4000, 5000);
        // The same SSRC and the same numbers each time: a server that restarts a port.
        media((struct flow){1, 4000, 100, 5000, 7, 100}, i * 2000 + 120, 40);
        media((struct flow){100, 5000, 1, 4000, 8, 200}, i * 2000 + 120, 40);
        over(&c, i * 2000 + 1000);
    }
    read_all();
    assert_int_equal(sidetone_report_streams(report), 6);
    for (size_t i = 0; i < 6; i++) {
        struct sidetone_stream s = stream(i);
        assert_int_equal(s.call, i / 2);
        assert_int_equal(s.packets, 40);
        assert_int_equal(s.lost + s.duplicates + s.reordered + s.too_late, 0);
        assert_false(has_finding(i, "numbers_restarted"));
    }
}

static void stream_that_takes_over_without_signalling_is_told_on_both(void **state)
{
    (void)state;
    struct mixed_call c = up(1, 0, 4000, 5000);
    media((struct flow){1, 4000, 100, 5000, 7, 0}, 120, 50);
    media((struct flow){1, 4000, 100, 5000, 9, 5000}, 1120, 50);
    media((struct flow){100, 5000, 1, 4000, 8, 0}, 130, 100);
    over(&c, 4000);
    read_all();
    assert_int_equal(sidetone_report_streams(report), 3);
    assert_true(has_finding(0, "ssrc_changed"));
    assert_false(has_finding(1, "ssrc_changed")); // the other direction
    assert_true(has_finding(2, "ssrc_changed"));
}

static void stream_that_takes_over_after_a_new_offer_is_no_finding(void **state)
{
    (void)state;
    struct mixed_call c = up(1, 0, 4000, 5000);
    media((struct flow){1, 4000, 100, 5000, 7, 0}, 120, 50);
    again(&c, 1500);
    media((struct flow){1, 4000, 100, 5000, 9, 5000}, 1520, 50);
    over(&c, 4000);
    read_all();
    assert_int_equal(sidetone_report_streams(report), 2);
    assert_false(has_finding(0, "ssrc_changed"));
    assert_false(has_finding(1, "ssrc_changed"));
}

static void streams_at_the_same_time_did_not_take_over(void **state)
{
    (void)state;
    up(1, 0, 4000, 5000);
    media((struct flow){1, 4000, 100, 5000, 7, 0}, 120, 100);
    media((struct flow){1, 4000, 100, 5000, 9, 0}, 600, 100);
    read_all();
    assert_int_equal(sidetone_report_streams(report), 2);
    assert_false(has_finding(0, "ssrc_changed"));
}

static void stream_without_signalling_needs_five_packets(void **state)
{
    (void)state;
    for (size_t i = 1; i < 8; i++) {
        media((struct flow){1, 4000, 100, 5000, (uint32_t)i, 0}, (int64_t)i * 1000, i);
    }
    read_all();
    assert_int_equal(sidetone_report_streams(report), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(stream(i).packets, i + 5);
        assert_int_equal(stream(i).call, -1);
        assert_int_equal(stream(i).call_id.n, 0);
    }
    const struct sidetone_capture *c = sidetone_report_capture(report);
    assert_int_equal(c->packets, 28);
    assert_int_equal(c->rtp_packets, 18);
    assert_int_equal(c->analysed, 18);
}

#define JOIN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOIN_TEST(streams_of_both_directions_belong_to_their_call),
        JOIN_TEST(stream_that_began_before_its_answer_belongs_to_the_call),
        JOIN_TEST(streams_through_a_nat_belong_to_the_call_of_the_time),
        JOIN_TEST(streams_of_ports_used_again_belong_to_their_own_calls),
        JOIN_TEST(stream_that_takes_over_without_signalling_is_told_on_both),
        JOIN_TEST(stream_that_takes_over_after_a_new_offer_is_no_finding),
        JOIN_TEST(streams_at_the_same_time_did_not_take_over),
        JOIN_TEST(stream_without_signalling_needs_five_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
