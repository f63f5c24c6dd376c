// Reports for people over a report made by hand: what stands where, what comes first, what is cut.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/message_text.h"
#include "show/overview.h"
#include "show/report_text.h"
#include "show_fake.h"

#include <stdio.h>

#define ARROW "\xe2\x86\x92"
#define DOT   "\xc2\xb7"
#define DOTS  "\xe2\x80\xa6"

static void message_text_is_one_line_with_headers_below(void **state)
{
    struct sidetone_message m = fake_request();
    (void)state;
    begin();
    message_text(&out, &m, true, 120);
    m.is_request = false;
    m.code = 200;
    m.reason = TEXT("OK");
    message_text(&out, &m, false, 120);
    assert_string_equal(written(),
                        "22:13:20.000  192.0.2.1:5060 " ARROW " 192.0.2.2:5060               UDP  "
                        "INVITE sip:bob@example.com                c1@x\n"
                        "    v: SIP/2.0/UDP h\n"
                        "    Subject: a\\x0D\\x0A b\n"
                        "22:13:20.000  192.0.2.1:5060 " ARROW " 192.0.2.2:5060               UDP  "
                        "200 OK (1 INVITE)                         c1@x\n");
}

static void message_text_without_its_end_says_so(void **state)
{
    struct sidetone_message m = fake_request();
    (void)state;
    m.transport = "SCTP";
    m.is_incomplete = true;
    begin();
    message_text(&out, &m, false, 120);
    m.call_id.n = 0;
    message_text(&out, &m, false, 120);
    assert_string_equal(written(),
                        "22:13:20.000  192.0.2.1:5060 " ARROW " 192.0.2.2:5060               SCTP "
                        "INVITE sip:bob@example.com                c1@x  (incomplete)\n"
                        "22:13:20.000  192.0.2.1:5060 " ARROW " 192.0.2.2:5060               SCTP "
                        "INVITE sip:bob@example.com  (incomplete)\n");
}

static const char *const PATHS[] = {"trunk.pcap", "-"};

static const char *text_of(const struct sidetone_report *r, bool all, unsigned width)
{
    struct report_text_options options = {
        .paths = PATHS, .path_count = 1, .all = all, .width = width};
    begin();
    report_text(&out, r, &options);
    return written();
}

static void text_nothing_found_says_so(void **state)
{
    struct sidetone_report r = {.capture = fake_capture()};
    (void)state;
    assert_string_equal(text_of(&r, false, 100),
                        "Capture          trunk.pcap\n"
                        "                 0 packets, 0 bytes: 0 SIP messages, 0 RTP, 0 RTCP\n"
                        "\n"
                        "No SIP and no media was found; the ledger says what the packets were.\n"
                        "\n"
                        "Ledger\n"
                        "Packets                   0  = 0 analysed + 0 not analysed\n"
                        "Complete         yes: every input was read to its end\n");
}

static void text_small_capture_is_a_page(void **state)
{
    static const struct sidetone_count reasons[] = {{"not_ip", 1}, {"of_tomorrow", 2}};
    static const struct sidetone_count odd[] = {{"sip.line.lf", 2}};
    struct sidetone_call calls[3] = {fake_full_call(), fake_call("failed", 503),
                                     fake_call("registered", 200)};
    struct sidetone_stream streams[2] = {fake_stream(), fake_stream()};
    struct sidetone_report r = {fake_capture(), calls, 3, streams, 2};
    (void)state;
    calls[1].reason = TEXT("Service \x1b[31mUnavailable");
    calls[1].from = TEXT(
        "sip:+493012345678901234567890;phone-context=x@a.very.long.host.example.net;user=phone");
    calls[2].kind = "registration";
    calls[2].method = TEXT("REGISTER");
    streams[0].call = streams[1].call = 0;
    streams[1].lost = 10;
    streams[1].expected = 210;
    streams[1].loss_percent = 100.0 / 21;
    streams[1].mos = 3.25;
    streams[1].bursts = 1;
    r.capture.packets = 410;
    r.capture.bytes = 90000;
    r.capture.first_ns = FAKE_START;
    r.capture.last_ns = FAKE_START + 101000 * MS;
    r.capture.sip_messages = 7;
    r.capture.rtp_packets = 400;
    r.capture.analysed = 407;
    r.capture.not_analysed = reasons;
    r.capture.not_analysed_count = 2;
    r.capture.oddities = odd;
    r.capture.oddity_count = 1;
    assert_string_equal(
        text_of(&r, false, 110),
        "Capture          trunk.pcap\n"
        "                 2023-11-14 22:13:20.000 to 22:15:01.000 UTC, 1 min 41 s\n"
        "                 410 packets, 90.0 kB, 4.1 packets/s: 7 SIP messages, 400 RTP, 0 RTCP\n"
        "\n"
        "Calls                     2  1 ended, 1 failed\n"
        "                             post-dial delay 40.0 ms\n"
        "Registrations             1  1 registered\n"
        "Retransmissions           1  of SIP messages\n"
        "Streams                   2  1 with loss (2.44 % of all packets, worst 4.76 % in stream "
        "1)\n"
        "                             MOS median 3.25, 5 % at or below 3.25, lowest 3.25\n"
        "\n"
        "What stands out\n"
        "  error   1  one_way_audio                    call 0  No media came back\n"
        "  failed  1  503 Service \\x1B[31mUnavailable  call 1\n"
        "  note    1  slow                             call 0\n"
        "\n"
        "Calls (3, worst first)\n"
        "call  start         method    state       code  from            to                   pdd  "
        "length    loss   MOS\n"
        "   0  22:13:20.000            ended        200  alice@e" DOTS
        "le.com  bob@example.com  40.0 ms    0:05  4.76 %  3.25\n"
        "      192.0.2.1:5060 " ARROW " 192.0.2.2:5060 UDP in vlan 100, gre 7 " DOT
        " 7 messages, 1 retransmitted " DOT " ended by caller " DOT
        " legs 3 (session_id), 4 (number_and_time?) " DOT " Call-ID c1@x\n"
        "      hops: 192.0.2.1:5060 " ARROW " 192.0.2.9:5060 " ARROW
        " 192.0.2.2:5060 after 1.5 ms (at most 2.0 ms)\n"
        "      held by callee for 750 ms, by caller\n"
        "      transferred by caller to sip:carol@example.com: 100 200, call 5\n"
        "      transferred\n"
        "      DTMF by INFO 12#\n"
        "      callee reports (vq-rtcpxr): 4.00 % lost, 0.50 % discarded, jitter 3.3 ms, "
        "round trip 80.0 ms, MOS 3.90\n"
        "      somebody reports (P-RTP-Stat)\n"
        "      error    No media came back (packets 12, 15)\n"
        "      note     slow\n"
        "   1  22:13:20.000            failed       503  +493012" DOTS "le.net  bob@example.com\n"
        "      Service \\x1B[31mUnavailable " DOT " 192.0.2.1:5060 " ARROW
        " 192.0.2.2:5060 UDP " DOT " 7 messages " DOT " Call-ID c1@x\n"
        "   2  22:13:20.000  REGISTER  registered   200  alice@e" DOTS "le.com  bob@example.com\n"
        "      192.0.2.1:5060 " ARROW " 192.0.2.2:5060 UDP " DOT " 7 messages " DOT
        " Call-ID c1@x\n"
        "\n"
        "Streams (2, worst first)\n"
        "stream  call  codec  from             to               length  packets  lost    loss  "
        "jitter     max   MOS\n"
        "     1     0  PCMU   192.0.2.1:40000  192.0.2.2:40002    0:04      200    10  4.76 %  0.0 "
        "ms  0.0 ms  3.25\n"
        "        SSRC 0x1234ABCD " DOT " 1 loss burst\n"
        "     0     0  PCMU   192.0.2.1:40000  192.0.2.2:40002    0:04      200     0          0.0 "
        "ms  0.0 ms  4.41\n"
        "\n"
        "Ledger\n"
        "Packets                 410  = 407 analysed + 3 not analysed\n"
        "                          1  not_ip       no IP packet (ARP, spanning tree, LLDP ...)\n"
        "                          2  of_tomorrow\n"
        "Oddities                     out of the ordinary, and how often it was seen\n"
        "                          2  sip.line.lf  lines end with LF alone\n"
        "Complete         yes: every input was read to its end\n");
}

static void text_stream_says_what_it_has(void **state)
{
    struct sidetone_stream s = fake_full_stream();
    struct sidetone_report r = {.capture = fake_capture(), .streams = &s, .stream_count = 1};
    struct sidetone_audio audio = *s.audio;
    struct sidetone_interval worst = s.intervals[0];
    (void)state;
    worst.mos = 2.1;
    s.intervals = &worst;
    s.interval_count = 1;
    s.is_announced = false;
    audio.longest_silence_ns = 12000 * MS;
    s.audio = &audio;
    r.capture.dropped = 5;
    const char *text = text_of(&r, false, 120);
    assert_non_null(strstr(
        text,
        "stream  call  codec  from             to               length  packets  lost    loss  "
        "discarded  jitter     max   MOS\n"
        "     0     4  PCMU   192.0.2.1:40000  192.0.2.2:40002    0:04      200    10  4.76 %  "
        "        4  0.3 ms  2.0 ms  3.25\n"
        "        SSRC 0x1234ABCD " DOT " branch 1 " DOT " 2 loss bursts " DOT
        " 2 packets out of order " DOT " 1 duplicate " DOT " 3 packets too late " DOT
        " 6 packets recovered " DOT " codecs PCMU PCMA " DOT " DTMF 5# " DOT " encrypted " DOT
        " to an address that was not announced (NAT)\n"
        "        worst 5 s from 22:13:20: MOS 2.10 " DOT " longest hole 80.0 ms " DOT
        " MOS by G.107.1 " DOT " MOS may say too little: comfort noise\n"
        "        RTCP: round trip 80.0 ms, longest 95.3 ms, 4.50 % reported lost, "
        "reported MOS 3.90\n"
        "        longest silence 12.00 s " DOT " 1.58 % of packets clipped\n"
        "        fax: 40 packets of data, redundancy, 2 recovered, cng v17-14400\n"));
    assert_non_null(strstr(text,
                           "\n                             1 with packets too late to be played "
                           "(2.00 % of all packets)\n"));
    assert_non_null(
        strstr(text, "\nDropped                   5  more that the capture itself says"));
}

static void text_stream_without_anything_says_nothing(void **state)
{
    struct sidetone_stream s = fake_stream();
    struct sidetone_report r = {.capture = fake_capture(), .streams = &s, .stream_count = 1};
    struct sidetone_rtcp rtcp = fake_unknown_rtcp();
    struct sidetone_audio quiet = {10, 5, 0, 2000 * MS, -20, -3}, silent = {10, 10, 0, 0, NAN, NAN};
    struct sidetone_interval good = {FAKE_START, 200, 0, 0, 0, 4.2};
    (void)state;
    s.rtcp = &rtcp;
    s.audio = &quiet;
    s.intervals = &good;
    s.interval_count = 1;
    s.worst_interval = 0;
    s.gap_max_ns = 20 * MS;
    s.call = 0;
    assert_non_null(strstr(text_of(&r, true, 100), "MOS\n"));
    assert_non_null(strstr(written(), "4.41\n        SSRC 0x1234ABCD\n\nLedger"));
    s.audio = &silent;
    assert_non_null(strstr(text_of(&r, true, 100), "\n        silent from start to end\n\nLedger"));
}

static void text_hops_that_do_not_follow_have_both_ends(void **state)
{
    struct sidetone_call call = fake_full_call();
    struct sidetone_report r = {.capture = fake_capture(), .calls = &call, .call_count = 1};
    struct sidetone_hop hops[3] = {call.hops[0], call.hops[1], call.hops[1]};
    (void)state;
    hops[1].src.port = 5070; // the same machine, another program
    hops[2].src = hops[1].dst;
    call.hops = hops;
    call.hop_count = 3;
    call.stream_count = 0;
    assert_non_null(strstr(text_of(&r, false, 100),
                           "hops: 192.0.2.1:5060 " ARROW " 192.0.2.9:5060, 192.0.2.9:5070 " ARROW
                           " 192.0.2.2:5060 after 1.5 ms (at most 2.0 ms) " ARROW
                           " 192.0.2.2:5060 after"));
}

static void text_call_with_many_facts_shows_the_first(void **state)
{
    static struct sidetone_hold holds[9];
    struct sidetone_call call = fake_call("ended", 200);
    struct sidetone_report r = {.capture = fake_capture(), .calls = &call, .call_count = 1};
    (void)state;
    for (int i = 0; i < 9; i++) {
        holds[i] = (struct sidetone_hold){FAKE_START, 1000 * MS, "caller"};
    }
    call.holds = holds;
    call.hold_count = 9;
    assert_non_null(strstr(text_of(&r, false, 100),
                           "\n      held by caller for 1.00 s, by caller for 1.00 s, by caller for "
                           "1.00 s, by caller for 1.00 s and 5 more\n"));
    assert_null(strstr(text_of(&r, true, 100), "more"));
}

static void text_many_rows_show_the_worst(void **state)
{
    enum {
        COUNT = 100
    };
    static struct sidetone_call calls[COUNT];
    static struct sidetone_stream streams[COUNT];
    struct sidetone_report r = {fake_capture(), calls, COUNT, streams, COUNT};
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        calls[i] = fake_call(i == 77 ? "failed" : "ended", i == 77 ? 500 : 200);
        streams[i] = fake_stream();
        streams[i].jitter_ms = i == 55 ? 90 : 0;
    }
    const char *text = text_of(&r, false, 100);
    assert_non_null(
        strstr(text, "Calls that deserve attention most (20 of 100; --all shows every one)"));
    assert_non_null(strstr(text, "MOS\n    55  PCMU")); // no stream has a call: no such column
    const char *row = strstr(text, "code  from");
    assert_non_null(row);
    assert_non_null(strstr(row, "\n  77  22:13:20.000  failed   500"));
    assert_true(strstr(row, "\n  77  ") < strstr(row, "\n   0  "));
    assert_null(strstr(text, "\n  19  "));
    text = text_of(&r, true, 100);
    assert_non_null(strstr(text, "Calls (100)\n"));
    assert_non_null(strstr(text, "\n  99  "));
    assert_true(strstr(text, "\n   0  ") < strstr(text, "\n  77  "));
}

static void text_incomplete_says_why(void **state)
{
    static const struct sidetone_text warnings[] = {{"b.pcap ends in the middle of record 7", 37}};
    struct sidetone_report r = {.capture = fake_capture()};
    struct report_text_options options = {.paths = PATHS, .path_count = 2, .width = 100};
    (void)state;
    r.capture.files = 5;
    r.capture.complete = false;
    r.capture.warnings = warnings;
    r.capture.warning_count = 1;
    begin();
    report_text_capture(&out, &r, &options);
    assert_non_null(strstr(written(), "Capture          trunk.pcap, standard input (5 files)\n"));
    assert_non_null(strstr(written(),
                           "Complete         no: an input ended early or could not be read whole\n"
                           "                 b.pcap ends in the middle of record 7\n"));
    r.capture.interrupted = true;
    begin();
    report_text_capture(&out, &r, &options);
    assert_non_null(strstr(written(), "Complete         no: reading was interrupted"));
}

static void text_long_path_shows_its_outermost_steps(void **state)
{
    static const struct sidetone_text path[] = {
        {"vlan 100", 8}, {"ip 192.0.2.1 > 192.0.2.2", 24}, {"vxlan 5", 7}, {"gre", 3}, {"gtp", 3}};
    struct sidetone_call call = fake_call("ended", 200);
    struct sidetone_report r = {.capture = fake_capture(), .calls = &call, .call_count = 1};
    (void)state;
    call.path = path;
    call.path_count = 5;
    assert_non_null(strstr(text_of(&r, false, 100),
                           "UDP in vlan 100, ip 192.0.2.1 > 192.0.2.2, vxlan 5 and 2 more " DOT
                           " 7 messages"));
    call.path_count = 3;
    assert_non_null(strstr(text_of(&r, false, 100), "vxlan 5 " DOT " 7 messages"));
    call.path_count = 0;
    assert_non_null(strstr(text_of(&r, false, 100), "UDP " DOT " 7 messages"));
}

// Nothing that a sender writes may reach the terminal as a command.
static void text_legs_say_by_what_they_are_known(void **state)
{
    static const struct sidetone_leg legs[] = {
        {12345, {"a@x", 3}, "session_id", 0, false},
        {7, {"b@x", 3}, "number_and_time", 12345, true},
        {8, {"c@x", 3}, "refer", 7, false},
        {9, {"d@x", 3}, "refer", 7, false},
        {10, {"e@x", 3}, "refer", 7, false},
    };
    struct sidetone_call call = fake_call("ended", 200);
    struct sidetone_report r = {fake_capture(), &call, 1, NULL, 0};
    (void)state;
    call.legs = legs;
    call.leg_count = 1;
    assert_non_null(
        strstr(text_of(&r, false, 100), " " DOT " leg 12345 (session_id) " DOT " Call-ID c1@x\n"));
    call.leg_count = 2;
    assert_non_null(strstr(text_of(&r, false, 100),
                           " " DOT " legs 12345 (session_id), 7 (number_and_time?) " DOT
                           " Call-ID c1@x\n"));
    call.leg_count = 5;
    assert_non_null(strstr(text_of(&r, false, 100),
                           "7 (number_and_time?), 8 (refer) and 2 more " DOT " Call-ID c1@x\n"));
}

static void text_hostile_bytes_never_reach_the_terminal(void **state)
{
    static char bytes[512];
    struct sidetone_call call = fake_full_call();
    struct sidetone_stream stream = fake_stream();
    struct sidetone_report r = {fake_capture(), &call, 1, &stream, 1};
    struct sidetone_text hostile = {bytes, sizeof bytes};
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)i;
    }
    struct sidetone_transfer transfer = {"caller", hostile, -1, NULL, 0};
    call.transfers = &transfer;
    call.transfer_count = 1;
    call.call_id = call.from = call.to = call.method = call.reason = call.dtmf = hostile;
    call.state = "failed";
    call.final_code = 503;
    call.stream_count = 1;
    stream.codec = stream.dtmf = hostile;
    const char *text = text_of(&r, true, 80);
    for (size_t i = 0; text[i]; i++) {
        assert_true((unsigned char)text[i] >= 0x20 || text[i] == '\n');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_text_is_one_line_with_headers_below),
        cmocka_unit_test(message_text_without_its_end_says_so),
        cmocka_unit_test(text_nothing_found_says_so),
        cmocka_unit_test(text_small_capture_is_a_page),
        cmocka_unit_test(text_stream_says_what_it_has),
        cmocka_unit_test(text_stream_without_anything_says_nothing),
        cmocka_unit_test(text_hops_that_do_not_follow_have_both_ends),
        cmocka_unit_test(text_call_with_many_facts_shows_the_first),
        cmocka_unit_test(text_many_rows_show_the_worst),
        cmocka_unit_test(text_incomplete_says_why),
        cmocka_unit_test(text_long_path_shows_its_outermost_steps),
        cmocka_unit_test(text_legs_say_by_what_they_are_known),
        cmocka_unit_test(text_hostile_bytes_never_reach_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, free_caught);
}
