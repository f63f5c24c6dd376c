// The page of statistics at each door: text, JSON, CSV and Markdown over a report made by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/stats_show.h"
#include "show/stats_table.h"
#include "stats_fake.h"

#include <stdio.h>

enum door {
    TEXT_DOOR,
    JSON_DOOR,
    CSV_DOOR,
    MARKDOWN_DOOR,
    DOORS
};

static const char *const PATHS[] = {"trunk.pcap"};

static const char *page_of(const struct sidetone_report *r, enum sidetone_group_by by,
                           enum door door, bool all, unsigned width)
{
    struct report_text_options text = {PATHS, 1, all, false, width, 1};
    struct sidetone_stats_options options = {by, by == SIDETONE_GROUP_BY_PREFIX ? 3 : 0};
    const struct sidetone_stats *s = sidetone_stats_new(r, &options);
    begin();
    switch (door) {
    case TEXT_DOOR:
        stats_text(&out, r, s, &text);
        break;
    case JSON_DOOR:
        stats_json(&out, r, s);
        break;
    case CSV_DOOR:
        stats_csv(&out, r, s);
        break;
    case MARKDOWN_DOOR:
        stats_markdown(&out, r, s, all);
        break;
    case DOORS:
        break;
    }
    sidetone_stats_free(s);
    return written();
}

// Two calls, one of them not answered, a registration, and two streams.
static struct sidetone_call small_calls[4];
static struct sidetone_stream small_streams[2];

static struct sidetone_report small_report(void)
{
    static const struct sidetone_text agents[] = {{"=cmd|'calc'", 11}};
    struct sidetone_report r = {fake_capture(), small_calls, 4, small_streams, 2};
    small_calls[0] = fake_call("ended", 200);
    small_calls[0].duration_ns = 75500 * MS;
    small_calls[0].pdd_ns = 120 * MS;
    small_calls[0].setup_ns = 4000 * MS;
    small_calls[0].user_agents = agents;
    small_calls[0].user_agent_count = 1;
    small_calls[1] = fake_call("failed", 503);
    small_calls[1].pdd_ns = 3500 * MS;
    small_calls[1].start_ns += 60000 * MS;
    small_calls[1].to = TEXT("sip:+4930@example.com");
    small_calls[2] = fake_call("registered", 200);
    small_calls[2].kind = "registration";
    small_calls[3] = fake_call("ended", 200);
    small_calls[3].findings = &FAKE_NO_START;
    small_calls[3].finding_count = 1;
    small_streams[0] = small_streams[1] = fake_stream();
    small_streams[0].call = 0;
    small_streams[1].lost = 20;
    small_streams[1].expected = 220;
    small_streams[1].mos = 2.5;
    small_streams[1].discarded = 3;
    r.capture.packets = 430;
    r.capture.bytes = 90000;
    r.capture.first_ns = FAKE_START;
    r.capture.last_ns = FAKE_START + 101000 * MS;
    r.capture.sip_messages = 28;
    r.capture.rtp_packets = 400;
    fake_messages.requests[SIP_INVITE] = (struct message_count){5, 1};
    fake_messages.responses[SIP_INVITE] = (struct message_count){23, 0};
    fake_messages.codes[200] = (struct message_count){22, 2};
    fake_messages.codes[503] = (struct message_count){1, 0};
    return r;
}

static void stats_text_is_a_page(void **state)
{
    struct sidetone_report r = small_report();
    (void)state;
    assert_string_equal(
        page_of(&r, SIDETONE_GROUP_BY_NONE, TEXT_DOOR, false, 110),
        "Capture          trunk.pcap\n"
        "                 2023-11-14 22:13:20.000 to 22:15:01.000 UTC, 1 min 41 s\n"
        "                 430 packets, 90.0 kB, 4.3 packets/s: 28 SIP messages, 400 RTP, 0 RTCP\n"
        "\n"
        "Calls                     2  1 answered, 1 failed\n"
        "                             ASR 50.00 %, NER 50.00 %, SER 50.00 %, SEER 50.00 %\n"
        "Partial calls             1  whose start was not seen: in no ratio\n"
        "Talk time        1 min 16 s  1 min 16 s on average (ACD), over 1 call\n"
        "Post-dial delay           2  median 120 ms, 95 % within 3.50 s, 99 % within 3.50 s, "
        "longest "
        "3.50 s\n"
        "Setup                     1  median 4.00 s, 95 % within 4.00 s, 99 % within 4.00 s, "
        "longest "
        "4.00 s\n"
        "Peak minute               1  call began from 2023-11-14 22:13 UTC on\n"
        "Others                    1  registrations, subscriptions and single requests\n"
        "SIP messages             28  0 retransmitted\n"
        "Streams                   2  4.76 % of 420 packets lost, 3 too late to be played\n"
        "                             MOS mean 3.45, 5 % at or below 2.50, lowest 2.50\n"
        "Findings                  1  1 note\n"
        "\n"
        "States (3)\n"
        "kind          state       count\n"
        "call          ended           2\n"
        "call          failed          1\n"
        "registration  registered      1\n"
        "\n"
        "Responses (2)\n"
        "code  responses  resent  calls that it decided\n"
        " 200         22       2                      2\n"
        " 503          1       0                      1\n"
        "\n"
        "Methods (1)\n"
        "method  requests  resent  responses\n"
        "INVITE         5       1         23\n"
        "\n"
        "User agents (1)\n"
        "user agent   calls\n"
        "=cmd|'calc'      1\n"
        "\n"
        "Addresses (2)\n"
        "address    calls  others  messages  streams  media sent  received\n"
        "192.0.2.1      3       1        28        2     64.0 kB   0 bytes\n"
        "192.0.2.2      3       1        28        2     0 bytes   64.0 kB\n"
        "\n"
        "Codecs (1)\n"
        "codec  streams  packets  lost    loss  discarded   MOS   5 %  lowest\n"
        "PCMU         2      400    20  4.76 %          3  3.45  2.50    2.50\n"
        "\n"
        "Findings (1)\n"
        "      finding         of calls\n"
        "note  start_not_seen         1\n"
        "\n"
        "Calls by minute (2)\n"
        "from (UTC)        calls  answered  failed\n"
        "2023-11-14 22:13      1         1       0\n"
        "2023-11-14 22:14      1         0       1\n"
        "\n"
        "Complete         yes: every input was read to its end\n");
}

static void stats_text_of_groups_is_a_table(void **state)
{
    struct sidetone_report r = small_report();
    (void)state;
    const char *text = page_of(&r, SIDETONE_GROUP_BY_PREFIX, TEXT_DOOR, false, 120);
    assert_non_null(strstr(
        text, "\nBy prefix:3 (2)\n"
              "prefix  calls  answered  failed  partial  others       ASR       NER         ACD"
              "  pdd 50 %    95 %  streams    loss   MOS   5 %  lowest\n"
              "(none)      1         1       0        1       1  100.00 %  100.00 %  1 min 16 s"
              "    120 ms  120 ms        2  4.76 %  3.45  2.50    2.50\n"
              "+493        1         0       1        0       0    0.00 %    0.00 %"));
    assert_null(strstr(text, "Methods"));
}

static void stats_json_has_every_field(void **state)
{
    struct sidetone_report r = small_report();
    (void)state;
    const char *text = page_of(&r, SIDETONE_GROUP_BY_NONE, JSON_DOOR, false, 80);
    assert_non_null(strstr(
        text,
        "\"stats\":{\n"
        "\"total\":{\"calls\":2,\"answered\":1,\"busy\":0,\"unanswered\":0,\"rejected\":0,"
        "\"redirected\":0,\"failed\":1,\"open\":0,\"partial_calls\":1,\"others\":1,"
        "\"asr_percent\":50,\"ner_percent\":50,\"ser_percent\":50,\"seer_percent\":50,"
        "\"talk_count\":1,\"talk_ms\":75500,\"acd_ms\":75500,\"pdd_count\":2,\"pdd_p50_ms\":120,"
        "\"pdd_p95_ms\":3500,\"pdd_p99_ms\":3500,\"pdd_max_ms\":3500,\"setup_count\":1,"
        "\"setup_p50_ms\":4000,\"setup_p95_ms\":4000,\"setup_p99_ms\":4000,\"setup_max_ms\":4000,"
        "\"messages\":28,\"retransmissions\":0,\"streams\":2,\"packets\":400,\"bytes\":64000,"
        "\"expected\":420,\"lost\":20,\"discarded\":3,\"loss_percent\":4.7619,\"mos_count\":2,"
        "\"mos_mean\":3.455,\"mos_p5\":2.5,\"mos_min\":2.5,\"errors\":0,\"warnings\":0,\"notes\":1}"
        ","
        "\n\"states\":[\n{\"kind\":\"call\",\"state\":\"ended\",\"count\":2},\n"));
    assert_non_null(strstr(text, "\"codes\":[\n{\"code\":200,\"responses\":22,"
                                 "\"retransmissions\":2,\"calls\":2},\n"));
    assert_non_null(strstr(text, "\"methods\":[\n{\"method\":\"INVITE\",\"requests\":5,"
                                 "\"request_retransmissions\":1,\"responses\":23,"
                                 "\"response_retransmissions\":0}],\n"));
    assert_non_null(strstr(text, "\"user_agents\":[\n{\"user_agent\":\"=cmd|'calc'\",\"calls\":1,"
                                 "\"others\":0}],\n"));
    assert_non_null(
        strstr(text, "\"series\":{\"bucket_ms\":60000,"
                     "\"peak_start\":\"2023-11-14T22:13:00.000000000Z\",\"peak_calls\":1},\n"
                     "\"buckets\":[\n{\"start\":\"2023-11-14T22:13:00.000000000Z\",\"calls\":1,"
                     "\"answered\":1,\"failed\":0},\n"));
    text = page_of(&r, SIDETONE_GROUP_BY_PREFIX, JSON_DOOR, false, 80);
    assert_non_null(strstr(text, "\"stats\":{\"group_by\":\"prefix:3\",\n\"total\":{"));
    assert_non_null(strstr(text, "\"groups\":[\n{\"calls\":1,")); // no key: they have none
    assert_non_null(strstr(text, "{\"prefix\":\"+493\",\"calls\":1,\"answered\":0,"));
    assert_null(strstr(text, "methods"));
}

static void stats_csv_is_that_of_the_rfc(void **state)
{
    struct sidetone_report r = small_report();
    (void)state;
    const char *text = page_of(&r, SIDETONE_GROUP_BY_NONE, CSV_DOOR, false, 80);
    assert_ptr_equal(strstr(text, "table,key,field,value\r\ncapture,,packets,430\r\n"), text);
    assert_non_null(strstr(text, "\r\ntotal,,asr_percent,50\r\n"));
    assert_non_null(strstr(text, "\r\nstates,registration registered,count,1\r\n"));
    assert_non_null(strstr(text, "\r\nuser_agents,'=cmd|'calc',calls,1\r\n"));
    assert_non_null(strstr(text, "\r\nfindings,start_not_seen,severity,note\r\n"));
    assert_non_null(strstr(text, "\r\nbuckets,2023-11-14T22:14:00.000000000Z,failed,1\r\n"));
    text = page_of(&r, SIDETONE_GROUP_BY_PREFIX, CSV_DOOR, false, 80);
    assert_ptr_equal(strstr(text, "prefix,calls,answered,busy,"), text);
    // Of the call that failed no setup, no talk and no stream is known: empty cells.
    assert_non_null(strstr(text, "\r\n'+493,1,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,,1,3500,3500,3500,"
                                 "3500,0,,,,,7,0,0,0,0,0,0,0,,0,,,,0,0,0\r\n"));
}

static void stats_csv_cells_are_quoted_and_no_formulas(void **state)
{
    static const struct {
        const char *agent, *cell;
    } cases[] = {
        {"Phone/1", "Phone/1"},
        {"a,b", "\"a,b\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {" x", "\" x\""},
        {"=1+1", "'=1+1"},
        {"  =1+1", "\"'  =1+1\""},
        {"+49", "'+49"},
        {"-1", "'-1"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"=\"a\",b", "\"'=\"\"a\"\",b\""},
        {"\xef\xbc\x9d"
         "1",
         "'\xef\xbc\x9d"
         "1"}, // full-width
        {"a=b", "a=b"},
        {"a\r\nb", "a\\x0D\\x0Ab"},
        {"\t=1", "\\x09=1"},
        {"\x1b[31m", "\\x1B[31m"},
        {"\xff", "\\xFF"},
        {"\xe2\x80\xae"
         "x",
         "\\xE2\\x80\\xAEx"}, // direction override
        {"b\xc3\xbc", "b\xc3\xbc"},
    };
    struct sidetone_report r = small_report();
    (void)state;
    r.call_count = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[128];
        struct sidetone_text agent = {cases[i].agent, strlen(cases[i].agent)};
        small_calls[0].user_agents = &agent;
        snprintf(want, sizeof want, "\r\nuser_agents,%s,calls,1\r\n", cases[i].cell);
        assert_non_null(strstr(page_of(&r, SIDETONE_GROUP_BY_NONE, CSV_DOOR, false, 80), want));
        snprintf(want, sizeof want, "\r\n%s,1,1,", cases[i].cell);
        assert_non_null(
            strstr(page_of(&r, SIDETONE_GROUP_BY_USER_AGENT, CSV_DOOR, false, 80), want));
    }
}

static void stats_markdown_cells_are_text(void **state)
{
    static const struct sidetone_text agents[] = {{"a|b\\ <img src=x> [x](y) *_`&\r\n|", 31}};
    struct sidetone_report r = small_report();
    (void)state;
    small_calls[0].user_agents = agents;
    const char *text = page_of(&r, SIDETONE_GROUP_BY_NONE, MARKDOWN_DOOR, false, 80);
    assert_ptr_equal(
        strstr(text, "### Capture\n\n| field | value |\n|---|---:|\n| packets | 430 |\n"), text);
    assert_non_null(
        strstr(text, "\n\n### Total\n\n| field | value |\n|---|---:|\n| calls | 2 |\n"));
    assert_non_null(strstr(text, "\n### Methods\n\n"
                                 "| method | requests | request_retransmissions | responses | "
                                 "response_retransmissions |\n|---|---:|---:|---:|---:|\n"
                                 "| INVITE | 5 | 1 | 23 | 0 |\n"));
    assert_non_null(strstr(text,
                           "\n| a\\|b\\\\ \\<img src=x\\> \\[x\\](y) \\*\\_\\`\\&\\x0D\\x0A\\| | "
                           "1 | 0 |\n"));
    text = page_of(&r, SIDETONE_GROUP_BY_PREFIX, MARKDOWN_DOOR, false, 80);
    assert_non_null(strstr(text, "\n### By prefix:3\n\n| prefix | calls | answered | failed |"));
    assert_non_null(strstr(text, "\n| +493 | 1 | 0 | 1 | 0 | 0 | 0 | 0 |  | 3500 |"));
}

static void stats_empty_capture_is_a_page_everywhere(void **state)
{
    struct sidetone_report r = {.capture = fake_capture()};
    (void)state;
    fake_messages = (struct message_counts){0};
    for (int by = 0; by < SIDETONE_GROUP_BY_COUNT; by++) {
        for (int door = 0; door < DOORS; door++) {
            const char *text = page_of(&r, (enum sidetone_group_by)by, (enum door)door, false, 80);
            assert_true(strlen(text) > 50);
            assert_null(strstr(text, ":nan"));
            assert_null(strstr(text, ",nan"));
            assert_null(strstr(text, " nan"));
            assert_null(strstr(text, "922337")); // SIDETONE_UNKNOWN
        }
    }
    assert_string_equal(page_of(&r, SIDETONE_GROUP_BY_SRC, TEXT_DOOR, false, 80),
                        "Capture          trunk.pcap\n"
                        "                 0 packets, 0 bytes: 0 SIP messages, 0 RTP, 0 RTCP\n"
                        "\n"
                        "No SIP and no media was found.\n"
                        "\n"
                        "Complete         yes: every input was read to its end\n");
}

static void stats_long_lists_are_cut_for_people(void **state)
{
    enum {
        COUNT = 50
    };
    static struct sidetone_call calls[COUNT];
    static char uris[COUNT][32];
    struct sidetone_report r = {.capture = fake_capture(), .calls = calls, .call_count = COUNT};
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        calls[i] = fake_call("ended", 200);
        snprintf(uris[i], sizeof uris[i], "sip:u%02d@x", i);
        calls[i].from = (struct sidetone_text){uris[i], strlen(uris[i])};
    }
    const enum sidetone_group_by by = SIDETONE_GROUP_BY_FROM_USER;
    const char *text = page_of(&r, by, TEXT_DOOR, false, 100);
    assert_non_null(strstr(text, "By from_user (the first 20 of 50; --all shows every one)\n"));
    assert_non_null(strstr(text, "\nu19 "));
    assert_null(strstr(text, "\nu20 "));
    assert_non_null(strstr(page_of(&r, by, TEXT_DOOR, true, 100), "\nu49 "));
    assert_null(strstr(page_of(&r, by, MARKDOWN_DOOR, false, 100), "| u20 "));
    assert_non_null(strstr(page_of(&r, by, MARKDOWN_DOOR, true, 100), "| u49 "));
    assert_non_null(strstr(page_of(&r, by, CSV_DOOR, false, 100), "\r\nu49,")); // scripts have all
    assert_non_null(strstr(page_of(&r, by, JSON_DOOR, false, 100), "{\"from_user\":\"u49\""));
}

// Nothing that a sender writes may reach a terminal as a command, or end a line.
static void stats_hostile_bytes_are_harmless_everywhere(void **state)
{
    static char bytes[512];
    struct sidetone_text hostile = {bytes, sizeof bytes};
    struct sidetone_report r = small_report();
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)i;
    }
    small_calls[0].user_agents = &hostile;
    small_calls[0].method = small_calls[0].from = small_calls[0].to = hostile;
    small_streams[0].codec = hostile;
    for (int by = 0; by < SIDETONE_GROUP_BY_COUNT; by++) {
        for (int door = 0; door < DOORS; door++) {
            const char *text = page_of(&r, (enum sidetone_group_by)by, (enum door)door, true, 200);
            for (size_t i = 0; text[i]; i++) {
                bool is_end = text[i] == '\n' || (door == CSV_DOOR && text[i] == '\r');
                assert_true((unsigned char)text[i] >= 0x20 || is_end);
                assert_true(text[i] != 0x7f);
            }
        }
    }
}

static void stats_buckets_have_names(void **state)
{
    static const struct {
        int64_t minutes;
        const char *name;
    } cases[] = {{1, "minute"},    {5, "5 minutes"}, {15, "15 minutes"},    {60, "hour"},
                 {360, "6 hours"}, {1440, "day"},    {1440 * 64, "64 days"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[64];
        struct slice text = stats_bucket_text(cases[i].minutes * 60000 * MS, room);
        assert_int_equal(text.n, strlen(cases[i].name));
        assert_memory_equal(text.p, cases[i].name, text.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats_text_is_a_page),
        cmocka_unit_test(stats_text_of_groups_is_a_table),
        cmocka_unit_test(stats_json_has_every_field),
        cmocka_unit_test(stats_csv_is_that_of_the_rfc),
        cmocka_unit_test(stats_csv_cells_are_quoted_and_no_formulas),
        cmocka_unit_test(stats_markdown_cells_are_text),
        cmocka_unit_test(stats_empty_capture_is_a_page_everywhere),
        cmocka_unit_test(stats_long_lists_are_cut_for_people),
        cmocka_unit_test(stats_hostile_bytes_are_harmless_everywhere),
        cmocka_unit_test(stats_buckets_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, free_caught);
}
