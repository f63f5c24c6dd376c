// Whole reports over a report made by hand: the JSON shape that scripts rely on, the text for
// people, and single messages.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/message_json.h"
#include "show/message_text.h"
#include "show/overview.h"
#include "show/report_json.h"
#include "show/report_text.h"
#include "show_fake.h"

#include <stdio.h>

#define ARROW "\xe2\x86\x92"
#define DOT   "\xc2\xb7"
#define DOTS  "\xe2\x80\xa6"

static struct output out;
static struct caught caught;

static void begin(void)
{
    caught.n = 0;
    output_init(&out, fake_sink, &caught);
}

static const char *written(void)
{
    assert_int_equal(output_flush(&out), 0);
    return caught.n > 0 ? caught.text : "";
}

// --- JSON ---

static void json_empty_report_has_counters_and_lists(void **state)
{
    struct sidetone_report r = {.capture = fake_capture()};
    (void)state;
    begin();
    report_json(&out, &r);
    assert_string_equal(written(),
                        "{\"schema_version\":1,\n"
                        "\"capture\":{\"files\":1,\"packets\":0,\"bytes\":0,\"sip_messages\":0,"
                        "\"rtp_packets\":0,\"rtcp_packets\":0,\"duplicates\":0,\"analysed\":0,"
                        "\"not_analysed\":{},\"oddities\":{},\"complete\":true,\"interrupted\":"
                        "false,\"name_blocks\":0,\"secret_blocks\":0,"
                        "\"warnings\":[]},\n"
                        "\"calls\":[],\n"
                        "\"streams\":[]}\n");
}

static void json_unknown_values_are_left_out(void **state)
{
    struct sidetone_call call = fake_call("partial", 0);
    struct sidetone_stream stream = fake_stream();
    struct sidetone_report r = {fake_capture(), &call, 1, &stream, 1};
    (void)state;
    call.call_id.n = call.from.n = call.to.n = call.method.n = 0;
    call.transport = NULL;
    call.start = call.end = SIDETONE_UNKNOWN;
    stream.codec.n = 0;
    stream.clock_hz = 0;
    stream.payload_type_count = 0;
    stream.start = SIDETONE_UNKNOWN;
    stream.jitter_ms = stream.jitter_max_ms = stream.delta_max_ms = (double)NAN;
    stream.mos = stream.r_factor = stream.burst_ratio = stream.loss_percent = (double)NAN;
    stream.mos_missing = "no codec is known";
    begin();
    report_json(&out, &r);
    assert_non_null(strstr(
        written(), "\"calls\":[\n"
                   "{\"call_id\":\"\",\"kind\":\"call\",\"state\":\"partial\","
                   "\"src\":\"192.0.2.1:5060\",\"dst\":\"192.0.2.2:5060\",\"user_agents\":[],"
                   "\"messages\":7,\"retransmissions\":0,\"duplicates\":0,\"attempts\":1,"
                   "\"streams\":[],\"findings\":[]}],\n"
                   "\"streams\":[\n"
                   "{\"ssrc\":\"0x1234ABCD\",\"src\":\"192.0.2.1:40000\","
                   "\"dst\":\"192.0.2.2:40002\",\"payload_types\":[],\"packets\":200,"
                   "\"unique\":200,\"expected\":200,\"lost\":0,\"duplicates\":0,\"reordered\":0,"
                   "\"too_late\":0,\"bytes\":32000,\"end\":\"2023-11-14T22:13:23.980000000Z\","
                   "\"mos_missing\":\"no codec is known\",\"bursts\":0,\"encrypted\":false,"
                   "\"intervals\":[],\"findings\":[]}]}\n"));
}

static struct sidetone_call full_call(void)
{
    static const struct sidetone_text agents[] = {{"Phone/1", 7}, {"B2B\xff", 4}};
    static const struct sidetone_branch branches[] = {
        {{"t1", 2}, "answered", 200},
        {{"t2", 2}, "ringing", 0},
    };
    static const struct sidetone_packet packets[] = {{0, 12}, {1, 15}};
    static const struct sidetone_finding findings[] = {
        {"one_way_audio", SIDETONE_ERROR, {"No media came back", 18}, packets, 2},
        {"slow", SIDETONE_NOTE, {NULL, 0}, NULL, 0},
    };
    static const uint32_t streams[] = {0, 1};
    static struct sidetone_hop hops[2];
    struct sidetone_call c = fake_call("ended", 200);
    hops[0] = (struct sidetone_hop){fake_v4(1, 5060), fake_v4(9, 5060), 7};
    hops[1] = (struct sidetone_hop){fake_v4(9, 5060), fake_v4(2, 5060), 7};
    c.reason = TEXT("OK");
    c.request_uri = TEXT("sip:bob@192.0.2.2");
    c.user_agents = agents;
    c.user_agent_count = 2;
    c.retransmissions = 1;
    c.duplicates = 2;
    c.attempts = 2;
    c.trying = 1 * MS;
    c.pdd = 40 * MS + 500;
    c.setup = 60 * MS;
    c.ring = 20 * MS;
    c.duration = 5000 * MS;
    c.ended_by = "caller";
    c.branches = branches;
    c.branch_count = 2;
    c.hops = hops;
    c.hop_count = 2;
    c.streams = streams;
    c.stream_count = 2;
    c.findings = findings;
    c.finding_count = 2;
    return c;
}

static void json_full_call_has_every_field_in_order(void **state)
{
    struct sidetone_call call = full_call();
    struct sidetone_report r = {.capture = fake_capture(), .calls = &call, .call_count = 1};
    (void)state;
    begin();
    report_json(&out, &r);
    assert_non_null(strstr(
        written(),
        "{\"call_id\":\"c1@x\",\"kind\":\"call\",\"method\":\"INVITE\",\"state\":\"ended\","
        "\"final_code\":200,\"reason\":\"OK\",\"from\":\"sip:alice@example.com\","
        "\"to\":\"sip:bob@example.com\",\"request_uri\":\"sip:bob@192.0.2.2\","
        "\"transport\":\"UDP\",\"src\":\"192.0.2.1:5060\",\"dst\":\"192.0.2.2:5060\","
        "\"user_agents\":[\"Phone/1\",\"B2B\xef\xbf\xbd\"],\"messages\":7,\"retransmissions\":1,"
        "\"duplicates\":2,\"attempts\":2,\"start\":\"2023-11-14T22:13:20.000000000Z\","
        "\"end\":\"2023-11-14T22:13:25.000000000Z\",\"trying_ms\":1,\"pdd_ms\":40.0005,"
        "\"setup_ms\":60,\"ring_ms\":20,\"duration_ms\":5000,\"ended_by\":\"caller\","
        "\"branches\":[{\"to_tag\":\"t1\",\"state\":\"answered\",\"final_code\":200},"
        "{\"to_tag\":\"t2\",\"state\":\"ringing\"}],"
        "\"hops\":[{\"src\":\"192.0.2.1:5060\",\"dst\":\"192.0.2.9:5060\",\"messages\":7},"
        "{\"src\":\"192.0.2.9:5060\",\"dst\":\"192.0.2.2:5060\",\"messages\":7}],"
        "\"streams\":[0,1],"
        "\"findings\":[{\"name\":\"one_way_audio\",\"severity\":\"error\","
        "\"text\":\"No media came back\",\"packets\":[[0,12],[1,15]]},"
        "{\"name\":\"slow\",\"severity\":\"note\",\"packets\":[]}]}"));
}

static void json_registration_has_its_contacts(void **state)
{
    static const struct sidetone_contact contacts[] = {
        {{"sip:a@192.0.2.1", 15}, 3600},
        {{"sip:a@192.0.2.7", 15}, SIDETONE_UNKNOWN},
    };
    struct sidetone_call call = fake_call("registered", 200);
    struct sidetone_report r = {.capture = fake_capture(), .calls = &call, .call_count = 1};
    (void)state;
    call.kind = "registration";
    call.aor = TEXT("sip:a@example.com");
    call.contacts = contacts;
    call.contact_count = 2;
    begin();
    report_json(&out, &r);
    assert_non_null(strstr(written(),
                           "\"registration\":{\"aor\":\"sip:a@example.com\",\"contacts\":["
                           "{\"uri\":\"sip:a@192.0.2.1\",\"expires_s\":3600},"
                           "{\"uri\":\"sip:a@192.0.2.7\"}]},\"streams\":[]"));
}

static void json_full_stream_has_every_field_in_order(void **state)
{
    static const uint8_t types[] = {0, 8, 101};
    static const struct sidetone_segment segments[] = {{{"PCMU", 4}, 100}, {{"PCMA", 4}, 90}};
    static const struct sidetone_interval intervals[] = {
        {FAKE_START, 190, 10, 1.25, 3.9},
        {FAKE_START + 5000 * MS, 3, 0, NAN, NAN},
    };
    struct sidetone_stream s = fake_stream();
    struct sidetone_report r = {.capture = fake_capture(), .streams = &s, .stream_count = 1};
    (void)state;
    s.payload_types = types;
    s.payload_type_count = 3;
    s.call = 4;
    s.call_id = TEXT("c1@x");
    s.lost = 10;
    s.loss_percent = 100.0 / 21;
    s.jitter_ms = 1.0 / 3;
    s.jitter_max_ms = 2;
    s.bursts = 2;
    s.dtmf = TEXT("5#");
    s.encrypted = true;
    s.segments = segments;
    s.segment_count = 2;
    s.intervals = intervals;
    s.interval_count = 2;
    begin();
    report_json(&out, &r);
    assert_non_null(strstr(
        written(),
        "{\"ssrc\":\"0x1234ABCD\",\"src\":\"192.0.2.1:40000\",\"dst\":\"192.0.2.2:40002\","
        "\"codec\":\"PCMU\",\"clock_hz\":8000,\"payload_types\":[0,8,101],\"call\":4,"
        "\"call_id\":\"c1@x\",\"packets\":200,\"unique\":200,\"expected\":200,\"lost\":10,"
        "\"loss_percent\":4.7619,\"duplicates\":0,\"reordered\":0,\"too_late\":0,\"bytes\":32000,"
        "\"start\":\"2023-11-14T22:13:20.000000000Z\",\"end\":\"2023-11-14T22:13:23.980000000Z\","
        "\"duration_ms\":3980,\"jitter_ms\":0.333333,\"jitter_max_ms\":2,\"delta_max_ms\":20,"
        "\"mos\":4.409,\"r_factor\":93.2,\"burst_ratio\":1,\"bursts\":2,\"dtmf\":\"5#\","
        "\"encrypted\":true,\"segments\":[{\"codec\":\"PCMU\",\"packets\":100},"
        "{\"codec\":\"PCMA\",\"packets\":90}],"
        "\"intervals\":[{\"start\":\"2023-11-14T22:13:20.000000000Z\",\"packets\":190,"
        "\"lost\":10,\"jitter_ms\":1.25,\"mos\":3.9},"
        "{\"start\":\"2023-11-14T22:13:25.000000000Z\",\"packets\":3,\"lost\":0}],"
        "\"findings\":[]}"));
}

static void json_capture_line_has_the_ledger(void **state)
{
    static const struct sidetone_count reasons[] = {{"not_ip", 5}}, odd[] = {{"sip.line.lf", 2}};
    static const struct sidetone_text warnings[] = {{"a.pcap is cut", 13}};
    struct sidetone_report r = {.capture = fake_capture()};
    (void)state;
    r.capture.first = -1;
    r.capture.last = 1499999;
    r.capture.packets = 7;
    r.capture.analysed = 2;
    r.capture.not_analysed = reasons;
    r.capture.not_analysed_count = 1;
    r.capture.oddities = odd;
    r.capture.oddity_count = 1;
    r.capture.complete = false;
    r.capture.warnings = warnings;
    r.capture.warning_count = 1;
    begin();
    report_json_capture_line(&out, &r);
    assert_string_equal(
        written(),
        "{\"capture\":{\"files\":1,\"packets\":7,\"bytes\":0,"
        "\"first\":\"1969-12-31T23:59:59.999999999Z\","
        "\"last\":\"1970-01-01T00:00:00.001499999Z\",\"duration_ms\":1.5,"
        "\"sip_messages\":0,\"rtp_packets\":0,\"rtcp_packets\":0,\"duplicates\":0,"
        "\"analysed\":2,\"not_analysed\":{\"not_ip\":5},\"oddities\":{\"sip.line.lf\":2},"
        "\"complete\":false,\"interrupted\":false,\"name_blocks\":0,\"secret_blocks\":0,"
        "\"warnings\":[\"a.pcap is cut\"]}}\n");
}

// --- messages ---

static struct sidetone_message fake_request(void)
{
    static const struct sidetone_packet packets[] = {{0, 3}};
    static const char *const oddities[] = {"sip.line.lf", "sip.via.no_branch"};
    static const struct sidetone_text names[] = {{"v", 1}, {"Subject", 7}};
    static const struct sidetone_text values[] = {{"SIP/2.0/UDP h", 13}, {"a\r\n b", 5}};
    return (struct sidetone_message){
        .time = FAKE_START,
        .src = fake_v4(1, 5060),
        .dst = fake_v4(2, 5060),
        .transport = "UDP",
        .is_request = true,
        .method = TEXT("INVITE"),
        .uri = TEXT("sip:bob@example.com"),
        .call_id = TEXT("c1@x"),
        .cseq = TEXT("1 INVITE"),
        .from = TEXT("sip:alice@example.com"),
        .from_tag = TEXT("a1"),
        .length = 450,
        .packets = packets,
        .packet_count = 1,
        .oddities = oddities,
        .oddity_count = 2,
        .header_names = names,
        .header_values = values,
        .header_count = 2,
    };
}

static void message_request_is_one_line(void **state)
{
    struct sidetone_message m = fake_request();
    (void)state;
    begin();
    message_json(&out, &m, false);
    message_json(&out, &m, true);
    const char *common =
        "{\"time\":\"2023-11-14T22:13:20.000000000Z\",\"src\":\"192.0.2.1:5060\","
        "\"dst\":\"192.0.2.2:5060\",\"transport\":\"UDP\",\"request\":{\"method\":\"INVITE\","
        "\"uri\":\"sip:bob@example.com\"},\"call_id\":\"c1@x\",\"cseq\":\"1 INVITE\","
        "\"from\":\"sip:alice@example.com\",\"from_tag\":\"a1\",\"length\":450,"
        "\"packets\":[[0,3]],\"oddities\":[\"sip.line.lf\",\"sip.via.no_branch\"]";
    char want[2048];
    snprintf(want, sizeof want, "%s}\n%s,\"headers\":%s}\n", common, common,
             "[[\"v\",\"SIP/2.0/UDP h\"],[\"Subject\",\"a\\r\\n b\"]]");
    assert_string_equal(written(), want);
}

static void message_response_has_code_and_reason(void **state)
{
    struct sidetone_message m = fake_request();
    (void)state;
    m.is_request = false;
    m.code = 180;
    m.reason = TEXT("Ringing");
    begin();
    message_json(&out, &m, false);
    assert_non_null(strstr(written(), "\"response\":{\"code\":180,\"reason\":\"Ringing\"},"));
    assert_null(strstr(written(), "request"));
    m.code = 0;
    m.reason.n = 0;
    begin();
    message_json(&out, &m, false);
    assert_non_null(strstr(written(), "\"response\":{},"));
}

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

// --- for people ---

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
    struct sidetone_call calls[3] = {full_call(), fake_call("failed", 503),
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
    r.capture.first = FAKE_START;
    r.capture.last = FAKE_START + 101000 * MS;
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
        "      192.0.2.1:5060 " ARROW " 192.0.2.2:5060 UDP " DOT " 7 messages, 1 retransmitted " DOT
        " ended by caller " DOT " Call-ID c1@x\n"
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
        "Oddities                  2  sightings of something that is not as the RFCs want it\n"
        "                          2  sip.line.lf  lines end with LF alone\n"
        "Complete         yes: every input was read to its end\n");
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

// Nothing that a sender writes may reach the terminal as a command.
static void text_hostile_bytes_never_reach_the_terminal(void **state)
{
    static char bytes[512];
    struct sidetone_call call = full_call();
    struct sidetone_stream stream = fake_stream();
    struct sidetone_report r = {fake_capture(), &call, 1, &stream, 1};
    struct sidetone_text hostile = {bytes, sizeof bytes};
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)i;
    }
    call.call_id = call.from = call.to = call.method = call.reason = hostile;
    call.state = "failed";
    call.final_code = 503;
    call.stream_count = 1;
    stream.codec = stream.dtmf = hostile;
    const char *text = text_of(&r, true, 80);
    for (size_t i = 0; text[i]; i++) {
        assert_true((unsigned char)text[i] >= 0x20 || text[i] == '\n');
    }
}

static void overview_many_names_stay_bounded(void **state)
{
    enum {
        COUNT = 500
    };
    static struct sidetone_call calls[COUNT];
    static char reasons[COUNT][16];
    struct sidetone_report r = {.capture = fake_capture(), .calls = calls, .call_count = COUNT};
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        calls[i] = fake_call("failed", 500);
        calls[i].reason = (struct sidetone_text){reasons[i], 3};
        snprintf(reasons[i], sizeof reasons[i], "%03d", i);
    }
    struct overview *o = overview_new(&r);
    assert_int_equal(o->failures.count, OVERVIEW_TALLIES_MAX);
    assert_int_equal(o->failures.more, COUNT - OVERVIEW_TALLIES_MAX);
    overview_free(o);
}

static void spread_percentile_is_nearest_rank(void **state)
{
    int64_t values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct spread s = {values, 10};
    (void)state;
    assert_int_equal(spread_percentile(&s, 0), 1);
    assert_int_equal(spread_percentile(&s, 5), 1);
    assert_int_equal(spread_percentile(&s, 50), 5);
    assert_int_equal(spread_percentile(&s, 95), 10);
    assert_int_equal(spread_percentile(&s, 100), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_empty_report_has_counters_and_lists),
        cmocka_unit_test(json_unknown_values_are_left_out),
        cmocka_unit_test(json_full_call_has_every_field_in_order),
        cmocka_unit_test(json_registration_has_its_contacts),
        cmocka_unit_test(json_full_stream_has_every_field_in_order),
        cmocka_unit_test(json_capture_line_has_the_ledger),
        cmocka_unit_test(message_request_is_one_line),
        cmocka_unit_test(message_response_has_code_and_reason),
        cmocka_unit_test(message_text_is_one_line_with_headers_below),
        cmocka_unit_test(text_nothing_found_says_so),
        cmocka_unit_test(text_small_capture_is_a_page),
        cmocka_unit_test(text_many_rows_show_the_worst),
        cmocka_unit_test(text_incomplete_says_why),
        cmocka_unit_test(text_hostile_bytes_never_reach_the_terminal),
        cmocka_unit_test(overview_many_names_stay_bounded),
        cmocka_unit_test(spread_percentile_is_nearest_rank),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    free(caught.text);
    return status;
}
