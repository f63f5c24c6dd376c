// The JSON of reports and messages made by hand: the shape that scripts rely on, field by field.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/message_json.h"
#include "show/report_json.h"
#include "show_fake.h"

#include <stdio.h>

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
                        "\"rtp_packets\":0,\"rtcp_packets\":0,\"duplicates\":0,\"dropped\":0,"
                        "\"keepalives\":0,\"analysed\":0,"
                        "\"not_analysed\":{},\"oddities\":{},\"complete\":true,\"interrupted\":"
                        "false,\"name_blocks\":0,\"secret_blocks\":0,"
                        "\"warnings\":[]},\n"
                        "\"calls\":[],\n"
                        "\"streams\":[]}\n");
}

static void json_unknown_values_are_left_out(void **state)
{
    static const struct sidetone_audio audio = {
        .longest_silence_ns = SIDETONE_UNKNOWN, .level_dbov = NAN, .peak_dbov = NAN};
    static const struct sidetone_fax fax = {0};
    const struct sidetone_rtcp rtcp = fake_unknown_rtcp();
    struct sidetone_call call = fake_call("partial", 0);
    struct sidetone_stream stream = fake_stream();
    struct sidetone_report r = {fake_capture(), &call, 1, &stream, 1};
    (void)state;
    call.call_id.n = call.from.n = call.to.n = call.method.n = 0;
    call.transport = NULL;
    call.start_ns = call.end_ns = SIDETONE_UNKNOWN;
    stream.codec.n = 0;
    stream.clock_hz = 0;
    stream.payload_type_count = 0;
    stream.start_ns = SIDETONE_UNKNOWN;
    stream.jitter_ms = stream.jitter_max_ms = stream.delta_max_ms = (double)NAN;
    stream.mos = stream.r_factor = stream.burst_ratio = stream.loss_percent = (double)NAN;
    stream.mos_missing = "no codec is known";
    stream.mos_model = NULL;
    stream.kind = NULL;
    stream.has_ssrc = stream.is_announced = false;
    stream.discard_percent = (double)NAN;
    stream.rtcp = &rtcp;
    stream.audio = &audio;
    stream.fax = &fax;
    begin();
    report_json(&out, &r);
    assert_non_null(strstr(
        written(), "\"calls\":[\n"
                   "{\"call_id\":\"\",\"kind\":\"call\",\"state\":\"partial\","
                   "\"src\":\"192.0.2.1:5060\",\"dst\":\"192.0.2.2:5060\",\"user_agents\":[],"
                   "\"messages\":7,\"retransmissions\":0,\"duplicates\":0,\"attempts\":1,"
                   "\"streams\":[],\"findings\":[]}],\n"
                   "\"streams\":[\n"
                   "{\"src\":\"192.0.2.1:40000\",\"dst\":\"192.0.2.2:40002\","
                   "\"payload_types\":[],\"announced\":false,\"packets\":200,"
                   "\"unique\":200,\"expected\":200,\"lost\":0,\"discarded\":0,"
                   "\"duplicates\":0,\"reordered\":0,\"too_late\":0,\"bytes\":32000,"
                   "\"end\":\"2023-11-14T22:13:23.980000000Z\","
                   "\"mos_missing\":\"no codec is known\",\"loss_runs\":0,"
                   "\"loss_run_max\":0,\"bursts\":0,\"redundant\":0,\"recovered\":0,"
                   "\"repair\":0,\"encrypted\":false,\"intervals\":[],"
                   "\"audio\":{\"packets\":0,\"silent_packets\":0,\"clipped_packets\":0},"
                   "\"fax\":{\"recovered\":0,\"indicators\":[],\"data_packets\":0},"
                   "\"rtcp\":{\"packets\":1,\"sender_reports\":0,\"reports\":0,\"bye\":false},"
                   "\"findings\":[]}]}\n"));
}

static void json_full_call_has_every_field_in_order(void **state)
{
    struct sidetone_call call = fake_full_call();
    struct sidetone_report r = {.capture = fake_capture(), .calls = &call, .call_count = 1};
    (void)state;
    begin();
    report_json(&out, &r);
    assert_non_null(strstr(
        written(),
        "{\"call_id\":\"c1@x\",\"kind\":\"call\",\"method\":\"INVITE\",\"state\":\"ended\","
        "\"final_code\":200,\"reason\":\"OK\",\"from\":\"sip:alice@example.com\","
        "\"to\":\"sip:bob@example.com\",\"request_uri\":\"sip:bob@192.0.2.2\","
        "\"transport\":\"UDP\",\"path\":[\"vlan 100\",\"gre 7\"],"
        "\"src\":\"192.0.2.1:5060\",\"dst\":\"192.0.2.2:5060\","
        "\"user_agents\":[\"Phone/1\",\"B2B\xef\xbf\xbd\"],\"messages\":7,\"retransmissions\":1,"
        "\"duplicates\":2,\"attempts\":2,\"start\":\"2023-11-14T22:13:20.000000000Z\","
        "\"end\":\"2023-11-14T22:13:25.000000000Z\",\"trying_ms\":1,\"pdd_ms\":40.0005,"
        "\"setup_ms\":60,\"ring_ms\":20,\"duration_ms\":5000,\"ended_by\":\"caller\","
        "\"branches\":[{\"to_tag\":\"t1\",\"state\":\"answered\",\"final_code\":200,"
        "\"streams\":[0,1]},{\"to_tag\":\"t2\",\"state\":\"ringing\",\"streams\":[]}],"
        "\"legs\":[{\"call\":3,\"call_id\":\"leg@pbx\",\"by\":\"session_id\",\"via\":0},"
        "{\"call\":4,\"call_id\":\"far@pbx\",\"by\":\"number_and_time\",\"via\":3,"
        "\"guess\":true}],"
        "\"hops\":[{\"src\":\"192.0.2.1:5060\",\"dst\":\"192.0.2.9:5060\",\"messages\":7},"
        "{\"src\":\"192.0.2.9:5060\",\"dst\":\"192.0.2.2:5060\",\"messages\":7,"
        "\"delay_ms\":1.5,\"delay_max_ms\":2}],"
        "\"holds\":[{\"start\":\"2023-11-14T22:13:21.000000000Z\",\"duration_ms\":750,"
        "\"by\":\"callee\"},{\"start\":\"2023-11-14T22:13:24.000000000Z\","
        "\"by\":\"caller\"}],"
        "\"transfers\":[{\"by\":\"caller\",\"refer_to\":\"sip:carol@example.com\","
        "\"call\":5,\"statuses\":[100,200]},{\"statuses\":[]}],\"dtmf\":\"12#\","
        "\"reports\":[{\"format\":\"vq-rtcpxr\",\"by\":\"callee\","
        "\"local\":\"192.0.2.2:40002\",\"remote\":\"192.0.2.1:40000\",\"codec\":\"PCMU\","
        "\"ssrc\":\"0x1234ABCD\",\"packets_sent\":250,\"packets_received\":240,"
        "\"packets_lost\":10,\"loss_percent\":4,\"discard_percent\":0.5,\"jitter_ms\":3.25,"
        "\"round_trip_ms\":80,\"one_way_ms\":40,\"end_system_ms\":60,\"mos_lq\":3.9,"
        "\"mos_cq\":3.7,\"r_factor\":81.5,\"packets\":[[1,20]]},"
        "{\"format\":\"P-RTP-Stat\",\"packets\":[[0,21]]}],"
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
    struct sidetone_stream s = fake_full_stream();
    struct sidetone_report r = {.capture = fake_capture(), .streams = &s, .stream_count = 1};
    (void)state;
    begin();
    report_json(&out, &r);
    assert_non_null(strstr(
        written(),
        "{\"kind\":\"audio\",\"ssrc\":\"0x1234ABCD\",\"src\":\"192.0.2.1:40000\","
        "\"dst\":\"192.0.2.2:40002\",\"codec\":\"PCMU\",\"clock_hz\":8000,"
        "\"payload_types\":[0,8,101],\"announced\":true,\"branch\":1,\"call\":4,"
        "\"call_id\":\"c1@x\",\"packets\":200,\"unique\":200,\"expected\":200,\"lost\":10,"
        "\"loss_percent\":4.7619,\"discarded\":4,\"discard_percent\":1.9048,\"duplicates\":1,"
        "\"reordered\":2,\"too_late\":3,\"bytes\":32000,"
        "\"start\":\"2023-11-14T22:13:20.000000000Z\",\"end\":\"2023-11-14T22:13:23.980000000Z\","
        "\"duration_ms\":3980,\"jitter_ms\":0.333333,\"jitter_max_ms\":2,\"delta_max_ms\":20,"
        "\"mos\":3.25,\"r_factor\":65,\"mos_model\":\"G.107.1\",\"mos_doubt\":\"comfort noise\","
        "\"worst_interval\":0,\"burst_ratio\":1.5,\"loss_runs\":5,\"loss_run_max\":4,"
        "\"bursts\":2,\"burst_percent\":30,\"gap_percent\":0.25,\"burst_ms\":260,"
        "\"gap_ms\":1700,\"gap_max_ms\":80,\"redundant\":50,\"recovered\":6,\"repair\":7,"
        "\"dtmf\":\"5#\",\"encrypted\":true,\"encrypted_by\":\"srtcp\","
        "\"segments\":[{\"codec\":\"PCMU\",\"packets\":100},"
        "{\"codec\":\"PCMA\",\"packets\":90}],"
        "\"intervals\":[{\"start\":\"2023-11-14T22:13:20.000000000Z\",\"packets\":190,"
        "\"lost\":10,\"discarded\":2,\"jitter_ms\":1.25,\"mos\":3.9},"
        "{\"start\":\"2023-11-14T22:13:25.000000000Z\",\"packets\":3,\"lost\":0,"
        "\"discarded\":0}],"
        "\"audio\":{\"packets\":190,\"silent_packets\":95,\"clipped_packets\":3,"
        "\"longest_silence_ms\":1500,\"level_dbov\":-21.5,\"peak_dbov\":-0.25},"
        "\"fax\":{\"error_correction\":\"redundancy\",\"recovered\":2,"
        "\"indicators\":[\"cng\",\"v17-14400\"],\"data_packets\":40},"
        "\"rtcp\":{\"packets\":9,\"sender_reports\":4,\"reports\":5,\"sent_packets\":200,"
        "\"sent_bytes\":32000,\"lost\":-2,\"lost_percent\":4.5,\"fraction_max_percent\":12.5,"
        "\"jitter_ms\":1.5,\"jitter_max_ms\":6,\"rtt_ms\":80,\"rtt_max_ms\":95.25,"
        "\"one_way_ms\":40,\"cname\":\"alice@192.0.2.1\",\"bye\":true,"
        "\"xr\":{\"reports\":3,\"lost\":7,\"duplicates\":1,\"jitter_ms\":1.25,\"rle_lost\":8,"
        "\"rle_longest\":4,\"loss_percent\":3.5,\"discard_percent\":1.5,\"burst_percent\":25,"
        "\"gap_percent\":0.5,\"burst_ms\":400,\"gap_ms\":5000,\"round_trip_ms\":81,"
        "\"end_system_ms\":62,\"r_factor\":80,\"mos_lq\":3.9,\"mos_cq\":3.8,"
        "\"signal_dbm\":-20,\"noise_dbm\":-60,\"rerl_db\":55,\"buffer_ms\":60,"
        "\"buffer_max_ms\":120}},"
        "\"findings\":[]}"));
}

static void json_capture_line_has_the_ledger(void **state)
{
    static const struct sidetone_count reasons[] = {{"not_ip", 5}}, odd[] = {{"sip.line.lf", 2}};
    static const struct sidetone_text warnings[] = {{"a.pcap is cut", 13}};
    struct sidetone_report r = {.capture = fake_capture()};
    (void)state;
    r.capture.first_ns = -1;
    r.capture.last_ns = 1499999;
    r.capture.packets = 7;
    r.capture.analysed = 2;
    r.capture.dropped = 1;
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
        written(), "{\"capture\":{\"files\":1,\"packets\":7,\"bytes\":0,"
                   "\"first\":\"1969-12-31T23:59:59.999999999Z\","
                   "\"last\":\"1970-01-01T00:00:00.001499999Z\",\"duration_ms\":1.5,"
                   "\"sip_messages\":0,\"rtp_packets\":0,\"rtcp_packets\":0,\"duplicates\":0,"
                   "\"dropped\":1,\"keepalives\":0,\"analysed\":2,\"not_analysed\":{\"not_ip\":5},"
                   "\"oddities\":{\"sip.line.lf\":2},"
                   "\"complete\":false,\"interrupted\":false,\"name_blocks\":0,\"secret_blocks\":0,"
                   "\"warnings\":[\"a.pcap is cut\"]}}\n");
}

// --- messages ---

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

static void message_in_pieces_says_when_it_began_and_what_it_lacks(void **state)
{
    static const struct sidetone_packet packets[] = {{0, 3}, {0, 9}, {1, 2}};
    static const struct sidetone_text path[] = {{"vlan 100", 8}};
    struct sidetone_message m = fake_request();
    (void)state;
    m.first_time_ns = FAKE_START - 1500 * MS;
    m.transport = "TCP";
    m.path = path;
    m.path_count = 1;
    m.is_incomplete = true;
    m.packets = packets;
    m.packet_count = 3;
    begin();
    message_json(&out, &m, false);
    assert_non_null(strstr(
        written(), "{\"time\":\"2023-11-14T22:13:20.000000000Z\","
                   "\"first_time\":\"2023-11-14T22:13:18.500000000Z\","
                   "\"src\":\"192.0.2.1:5060\",\"dst\":\"192.0.2.2:5060\",\"transport\":\"TCP\","
                   "\"path\":[\"vlan 100\"],\"request\":{"));
    assert_non_null(strstr(written(), "\"length\":450,\"incomplete\":true,"
                                      "\"packets\":[[0,3],[0,9],[1,2]],\"oddities\":["));
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
        cmocka_unit_test(message_in_pieces_says_when_it_began_and_what_it_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, free_caught);
}
