// Tests of what calls announce: which descriptions, of whom, once; and of their payload maps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_script.h"

static struct script s;

static int begin(void **state)
{
    (void)state;
    script_begin(&s);
    return 0;
}

static int end(void **state)
{
    (void)state;
    script_end(&s);
    return 0;
}

#define SDP(address, media)                                                                        \
    "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 " address "\r\nt=0 0\r\n" media
#define AUDIO(port) "m=audio " port " RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n"

// A message as in call_script.h, with a body.
static void say_sdp(const char *line, const char *body)
{
    script_message(&s, slice_of(line + 1, strlen(line + 1)), line[0] == '>');
    s.now_ms += 10;
    s.ip_id++;
    s.last.body = slice_str(body);
    s.last.has_sdp = true;
    script_give(&s);
}

static const struct media_news *announced(uint32_t i)
{
    assert_true(i < s.bin.announcement_count);
    return &s.bin.announcements[i];
}

static bool is_at(const struct media_news *a, const char *text)
{
    char have[ENDPOINT_TEXT_BYTES];
    size_t n = endpoint_text(a->endpoint, have);
    return slice_eq(slice_of(have, n), slice_str(text));
}

static void offer_and_answer_are_announced_by_who_receives_there(void **state)
{
    (void)state;
    say_sdp(">INVITE 1", SDP("192.0.2.1", AUDIO("4000")));
    say_sdp("<183 1", SDP("192.0.2.2", AUDIO("5000")));
    say_sdp("<200 1", SDP("192.0.2.2", AUDIO("5000")));
    script_run(&s, ">ACK 1\n");
    say_sdp("<INVITE 9", SDP("192.0.2.3", AUDIO("6000")));
    say_sdp(">200 9", SDP("192.0.2.1", AUDIO("4002")));
    assert_int_equal(s.bin.announcement_count, 5);
    static const struct {
        const char *at;
        uint64_t cseq;
        bool by_caller;
    } WANTED[] = {{"192.0.2.1:4000", 1, true},
                  {"192.0.2.2:5000", 1, false},
                  {"192.0.2.2:5000", 1, false},
                  {"192.0.2.3:6000", 9, false},
                  {"192.0.2.1:4002", 9, true}};
    for (uint32_t i = 0; i < 5; i++) {
        const struct media_news *a = announced(i);
        assert_true(is_at(a, WANTED[i].at));
        assert_int_equal(a->what.cseq, WANTED[i].cseq);
        assert_int_equal(a->what.by_caller, WANTED[i].by_caller);
        assert_int_equal(a->what.call.index, 0);
        assert_true(i == 0 || order_before(announced(i - 1)->order, a->order));
    }
}

static void offer_that_is_said_again_is_announced_once(void **state)
{
    (void)state;
    say_sdp(">INVITE 1", SDP("192.0.2.1", AUDIO("4000")));
    script_run(&s, "again @500\nagain @1500\ncopy @1501\n");
    assert_int_equal(s.bin.announcement_count, 1);
    script_run(&s, "hop\n"); // another hop may be where another address is announced
    assert_int_equal(s.bin.announcement_count, 2);
}

static void media_that_cannot_be_received_is_not_announced(void **state)
{
    (void)state;
    static const char *const BODIES[] = {
        SDP("192.0.2.1", AUDIO("0")),
        SDP("0.0.0.0", AUDIO("4000")),
        SDP("host.example.com", AUDIO("4000")),
        SDP("192.0.2.1", "m=application 9 TCP/MSRP *\r\n"),
        SDP("192.0.2.1", ""),
        "",
        "v=0",
        "not a description",
    };
    for (size_t i = 0; i < sizeof BODIES / sizeof BODIES[0]; i++) {
        char line[32];
        snprintf(line, sizeof line, ">INVITE %zu c=id%zu", i + 1, i);
        say_sdp(line, BODIES[i]);
    }
    assert_int_equal(s.bin.announcement_count, 0);
    assert_int_equal(s.bin.call_count, sizeof BODIES / sizeof BODIES[0]);
}

static void every_media_line_is_announced_up_to_its_limit(void **state)
{
    (void)state;
    static char body[8192];
    say_sdp(">INVITE 1",
            SDP("192.0.2.1", AUDIO("4000") "m=video 4002 RTP/AVP 96\r\nc=IN IP6 2001:db8::1\r\n"
                                           "a=rtpmap:96 H264/90000\r\n"));
    assert_int_equal(s.bin.announcement_count, 2);
    assert_true(is_at(announced(0), "192.0.2.1:4000"));
    assert_true(is_at(announced(1), "[2001:db8::1]:4002"));
    size_t n = (size_t)snprintf(body, sizeof body, "%s", SDP("192.0.2.1", ""));
    for (int i = 0; i < SDP_MEDIA_MAX * 2; i++) {
        n += (size_t)snprintf(body + n, sizeof body - n, "m=audio %d RTP/AVP 0\r\n", 7000 + i);
    }
    say_sdp(">INVITE 1 c=2", body);
    assert_int_equal(s.bin.announcement_count, 2 + SDP_MEDIA_MAX);
}

static void descriptions_that_mean_the_same_share_one_map(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        char line[32];
        snprintf(line, sizeof line, ">INVITE 1 c=id%u", i);
        say_sdp(line, i % 2 ? SDP("192.0.2.1", AUDIO("4000")) : SDP("192.0.2.9", AUDIO("4100")));
    }
    for (uint32_t i = 1; i < s.bin.announcement_count; i++) {
        assert_ptr_equal(announced(i)->what.map, announced(0)->what.map);
    }
    say_sdp(">INVITE 1 c=other", SDP("192.0.2.1", "m=audio 4000 RTP/AVP 0\r\n"));
    say_sdp(">INVITE 1 c=savp", SDP("192.0.2.1", "m=audio 4000 RTP/SAVP 0\r\n"));
    assert_ptr_not_equal(announced(1000)->what.map, announced(0)->what.map);
    assert_ptr_not_equal(announced(1001)->what.map, announced(1000)->what.map);
    assert_true(announced(1001)->what.map->encrypted && !announced(1000)->what.map->encrypted);
}

static void payload_map_find_knows_what_was_announced(void **state)
{
    (void)state;
    say_sdp(">INVITE 1",
            SDP("192.0.2.1", "m=audio 4000 RTP/AVP 0 96 97 98\r\na=rtpmap:96 opus/48000/2\r\n"
                             "a=rtpmap:97 AMR-WB/16000\r\na=rtpmap:98 X-ODD/12345\r\n"));
    const struct payload_map *map = announced(0)->what.map;
    assert_int_equal(payload_map_find(map, 0)->codec, CODEC_PCMU);
    assert_int_equal(payload_map_find(map, 96)->clock_hz, 48000);
    assert_int_equal(payload_map_find(map, 97)->codec, CODEC_AMR_WB);
    assert_int_equal(payload_map_find(map, 98)->codec, CODEC_OTHER);
    assert_true(slice_eq(payload_map_find(map, 98)->name, SLICE("X-ODD")));
    assert_int_equal(payload_map_find(map, 98)->clock_hz, 12345);
    assert_null(payload_map_find(map, 8));
    assert_null(payload_map_find(NULL, 0));
}

static void message_oddities_are_counted_without_copies(void **state)
{
    (void)state;
    script_message(&s, SLICE("INVITE 1"), true);
    s.last.oddities = 1ull << SIP_ODD_FOLDED | 1ull << SIP_ODD_VIA;
    script_give(&s);
    script_give(&s); // a copy
    assert_int_equal(s.bin.messages, 1);
    assert_int_equal(s.bin.copies, 1);
    for (int i = 0; i < SIP_ODD_COUNT; i++) {
        assert_int_equal(s.bin.oddities[i], i == SIP_ODD_FOLDED || i == SIP_ODD_VIA);
    }
}

static bool is_counted(struct message_count c, uint64_t messages, uint64_t retransmissions)
{
    return c.messages == messages && c.retransmissions == retransmissions;
}

static void messages_are_counted_by_method_and_code_without_copies(void **state)
{
    const struct message_counts *c = &s.bin.counts;
    uint64_t sum = 0;
    (void)state;
    script_run(&s, ">INVITE 1\nagain\ncopy @15\n<100 1\n<180 1\n<200 1\nagain\nagain\n>ACK 1\n"
                   ">BYE 2\n<200 2 BYE\n");
    assert_true(is_counted(c->requests[SIP_INVITE], 2, 1));
    assert_true(is_counted(c->responses[SIP_INVITE], 5, 2));
    assert_true(is_counted(c->requests[SIP_ACK], 1, 0));
    assert_true(is_counted(c->requests[SIP_BYE], 1, 0));
    assert_true(is_counted(c->responses[SIP_BYE], 1, 0));
    assert_true(is_counted(c->codes[100], 1, 0));
    assert_true(is_counted(c->codes[180], 1, 0));
    assert_true(is_counted(c->codes[200], 4, 2));
    script_message(&s, SLICE("200 1"), false);
    s.last.code = 0; // no status that RFC 3261 knows
    script_give(&s);
    assert_true(is_counted(c->codes[0], 1, 0));
    for (int i = 0; i < SIP_METHOD_COUNT; i++) {
        sum += c->requests[i].messages + c->responses[i].messages;
    }
    assert_int_equal(sum, s.bin.messages);
    assert_int_equal(s.bin.copies, 1);
}

#define BIN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BIN_TEST(offer_and_answer_are_announced_by_who_receives_there),
        BIN_TEST(offer_that_is_said_again_is_announced_once),
        BIN_TEST(media_that_cannot_be_received_is_not_announced),
        BIN_TEST(every_media_line_is_announced_up_to_its_limit),
        BIN_TEST(descriptions_that_mean_the_same_share_one_map),
        BIN_TEST(payload_map_find_knows_what_was_announced),
        BIN_TEST(message_oddities_are_counted_without_copies),
        BIN_TEST(messages_are_counted_by_method_and_code_without_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
