// A report made by hand, for tests of show/: it stands in for the library's reader.
//
// Included by one test program each; defines the functions of sidetone/report.h
// over plain arrays.
#ifndef SIDETONE_TESTS_SHOW_FAKE_H
#define SIDETONE_TESTS_SHOW_FAKE_H

#include "show/output.h"
#include "sidetone/read.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sidetone_report {
    struct sidetone_capture capture;
    const struct sidetone_call *calls;
    size_t call_count;
    const struct sidetone_stream *streams;
    size_t stream_count;
};

struct sidetone_scratch {
    int unused;
};

const struct sidetone_capture *sidetone_report_capture(const struct sidetone_report *r)
{
    return &r->capture;
}

size_t sidetone_report_calls(const struct sidetone_report *r)
{
    return r->call_count;
}

size_t sidetone_report_streams(const struct sidetone_report *r)
{
    return r->stream_count;
}

struct sidetone_scratch *sidetone_scratch_new(void)
{
    return calloc(1, sizeof(struct sidetone_scratch));
}

void sidetone_scratch_free(struct sidetone_scratch *s)
{
    free(s);
}

void sidetone_report_call(const struct sidetone_report *r, size_t index, struct sidetone_scratch *s,
                          struct sidetone_call *out)
{
    (void)s;
    *out = r->calls[index];
}

void sidetone_report_stream(const struct sidetone_report *r, size_t index,
                            struct sidetone_scratch *s, struct sidetone_stream *out)
{
    (void)s;
    *out = r->streams[index];
}

// --- making ---

#define FAKE_START    INT64_C(1700000000000000000) // 2023-11-14T22:13:20Z
#define MS            INT64_C(1000000)
#define TEXT(literal) ((struct sidetone_text){(literal), sizeof(literal) - 1})

static inline struct sidetone_endpoint fake_v4(uint8_t last, uint16_t port)
{
    struct sidetone_endpoint e = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, last},
                                  port};
    return e;
}

// A call of which nothing is known but that it exists.
static inline struct sidetone_call fake_call(const char *state, uint16_t code)
{
    return (struct sidetone_call){
        .call_id = TEXT("c1@x"),
        .method = TEXT("INVITE"),
        .from = TEXT("sip:alice@example.com"),
        .to = TEXT("sip:bob@example.com"),
        .kind = "call",
        .state = state,
        .transport = "UDP",
        .final_code = code,
        .src = fake_v4(1, 5060),
        .dst = fake_v4(2, 5060),
        .messages = 7,
        .attempts = 1,
        .start_ns = FAKE_START,
        .end_ns = FAKE_START + 5000 * MS,
        .trying_ns = SIDETONE_UNKNOWN,
        .pdd_ns = SIDETONE_UNKNOWN,
        .setup_ns = SIDETONE_UNKNOWN,
        .ring_ns = SIDETONE_UNKNOWN,
        .duration_ns = SIDETONE_UNKNOWN,
    };
}

// What a phone said of a call: all of it, and next to nothing.
static inline struct sidetone_endpoint_report fake_endpoint_report(void)
{
    return (struct sidetone_endpoint_report){
        .format = "vq-rtcpxr",
        .by = "callee",
        .packet = {1, 20},
        .local = TEXT("192.0.2.2:40002"),
        .remote = TEXT("192.0.2.1:40000"),
        .codec = TEXT("PCMU"),
        .ssrc = 0x1234abcd,
        .packets_sent = 250,
        .packets_received = 240,
        .packets_lost = 10,
        .loss_percent = 4,
        .discard_percent = 0.5,
        .jitter_ms = 3.25,
        .round_trip_ms = 80,
        .one_way_ms = 40,
        .end_system_ms = 60,
        .mos_lq = 3.9,
        .mos_cq = 3.7,
        .r_factor = 81.5,
    };
}

static inline struct sidetone_endpoint_report fake_unknown_report(void)
{
    return (struct sidetone_endpoint_report){
        .format = "P-RTP-Stat",
        .packet = {0, 21},
        .ssrc = SIDETONE_UNKNOWN,
        .packets_sent = SIDETONE_UNKNOWN,
        .packets_received = SIDETONE_UNKNOWN,
        .packets_lost = SIDETONE_UNKNOWN,
        .loss_percent = NAN,
        .discard_percent = NAN,
        .jitter_ms = NAN,
        .round_trip_ms = NAN,
        .one_way_ms = NAN,
        .end_system_ms = NAN,
        .mos_lq = NAN,
        .mos_cq = NAN,
        .r_factor = NAN,
    };
}

// A call of which everything is known.
static inline struct sidetone_call fake_full_call(void)
{
    static const struct sidetone_text agents[] = {{"Phone/1", 7}, {"B2B\xff", 4}};
    static const uint32_t streams[] = {0, 1};
    static const struct sidetone_branch branches[] = {
        {{"t1", 2}, "answered", 200, streams, 2},
        {{"t2", 2}, "ringing", 0, NULL, 0},
    };
    static const struct sidetone_packet packets[] = {{0, 12}, {1, 15}};
    static const struct sidetone_finding findings[] = {
        {"one_way_audio", SIDETONE_ERROR, {"No media came back", 18}, packets, 2},
        {"slow", SIDETONE_NOTE, {NULL, 0}, NULL, 0},
    };
    static const struct sidetone_text path[] = {{"vlan 100", 8}, {"gre 7", 5}};
    static const struct sidetone_leg legs[] = {
        {3, {"leg@pbx", 7}, "session_id", 0, false},
        {4, {"far@pbx", 7}, "number_and_time", 3, true},
    };
    static const struct sidetone_hold holds[] = {
        {FAKE_START + 1000 * MS, 750 * MS, "callee"},
        {FAKE_START + 4000 * MS, SIDETONE_UNKNOWN, "caller"},
    };
    static const uint16_t statuses[] = {100, 200};
    static const struct sidetone_transfer transfers[] = {
        {"caller", {"sip:carol@example.com", 21}, 5, statuses, 2},
        {NULL, {NULL, 0}, -1, NULL, 0},
    };
    static struct sidetone_endpoint_report reports[2];
    static struct sidetone_hop hops[2];
    struct sidetone_call c = fake_call("ended", 200);
    hops[0] = (struct sidetone_hop){fake_v4(1, 5060), fake_v4(9, 5060), 7, SIDETONE_UNKNOWN,
                                    SIDETONE_UNKNOWN};
    hops[1] = (struct sidetone_hop){fake_v4(9, 5060), fake_v4(2, 5060), 7, 1500000, 2 * MS};
    reports[0] = fake_endpoint_report();
    reports[1] = fake_unknown_report();
    c.reason = TEXT("OK");
    c.request_uri = TEXT("sip:bob@192.0.2.2");
    c.path = path;
    c.path_count = 2;
    c.user_agents = agents;
    c.user_agent_count = 2;
    c.retransmissions = 1;
    c.duplicates = 2;
    c.attempts = 2;
    c.trying_ns = 1 * MS;
    c.pdd_ns = 40 * MS + 500;
    c.setup_ns = 60 * MS;
    c.ring_ns = 20 * MS;
    c.duration_ns = 5000 * MS;
    c.ended_by = "caller";
    c.branches = branches;
    c.branch_count = 2;
    c.hops = hops;
    c.hop_count = 2;
    c.legs = legs;
    c.leg_count = 2;
    c.holds = holds;
    c.hold_count = 2;
    c.transfers = transfers;
    c.transfer_count = 2;
    c.dtmf = TEXT("12#");
    c.reports = reports;
    c.report_count = 2;
    c.streams = streams;
    c.stream_count = 2;
    c.findings = findings;
    c.finding_count = 2;
    return c;
}

// An INVITE with oddities and two header fields.
static inline struct sidetone_message fake_request(void)
{
    static const struct sidetone_packet packets[] = {{0, 3}};
    static const char *const oddities[] = {"sip.line.lf", "sip.via.no_branch"};
    static const struct sidetone_text names[] = {{"v", 1}, {"Subject", 7}};
    static const struct sidetone_text values[] = {{"SIP/2.0/UDP h", 13}, {"a\r\n b", 5}};
    return (struct sidetone_message){
        .time_ns = FAKE_START,
        .first_time_ns = FAKE_START,
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

static inline struct sidetone_stream fake_stream(void)
{
    static const uint8_t types[] = {0};
    return (struct sidetone_stream){
        .kind = "audio",
        .has_ssrc = true,
        .ssrc = 0x1234abcd,
        .src = fake_v4(1, 40000),
        .dst = fake_v4(2, 40002),
        .codec = TEXT("PCMU"),
        .clock_hz = 8000,
        .payload_types = types,
        .payload_type_count = 1,
        .is_announced = true,
        .branch = -1,
        .call = -1,
        .packets = 200,
        .unique = 200,
        .expected = 200,
        .bytes = 32000,
        .loss_percent = 0,
        .start_ns = FAKE_START,
        .end_ns = FAKE_START + 3980 * MS,
        .jitter_ms = 0,
        .jitter_max_ms = 0,
        .delta_max_ms = 20,
        .mos = 4.409,
        .r_factor = 93.2,
        .mos_model = "G.107",
        .worst_interval = -1,
        .burst_ratio = 1,
        .discard_percent = 0,
        .burst_percent = NAN,
        .gap_percent = NAN,
        .burst_ms = NAN,
        .gap_ms = NAN,
        .gap_max_ns = SIDETONE_UNKNOWN,
    };
}

// What RTCP says where it says next to nothing.
static inline struct sidetone_rtcp fake_unknown_rtcp(void)
{
    return (struct sidetone_rtcp){
        .packets = 1,
        .sent_packets = SIDETONE_UNKNOWN,
        .sent_bytes = SIDETONE_UNKNOWN,
        .lost = SIDETONE_UNKNOWN,
        .lost_percent = NAN,
        .fraction_max_percent = NAN,
        .jitter_ms = NAN,
        .jitter_max_ms = NAN,
        .rtt_ms = NAN,
        .rtt_max_ms = NAN,
        .one_way_ms = NAN,
        .xr_lost = SIDETONE_UNKNOWN,
        .xr_duplicates = SIDETONE_UNKNOWN,
        .xr_jitter_ms = NAN,
        .xr_rle_lost = SIDETONE_UNKNOWN,
        .xr_rle_longest = SIDETONE_UNKNOWN,
        .xr_loss_percent = NAN,
        .xr_discard_percent = NAN,
        .xr_burst_percent = NAN,
        .xr_gap_percent = NAN,
        .xr_burst_ms = NAN,
        .xr_gap_ms = NAN,
        .xr_round_trip_ms = NAN,
        .xr_end_system_ms = NAN,
        .xr_r_factor = NAN,
        .xr_mos_lq = NAN,
        .xr_mos_cq = NAN,
        .xr_signal_dbm = NAN,
        .xr_noise_dbm = NAN,
        .xr_rerl_db = NAN,
        .xr_buffer_ms = NAN,
        .xr_buffer_max_ms = NAN,
    };
}

static inline struct sidetone_rtcp fake_full_rtcp(void)
{
    return (struct sidetone_rtcp){
        .packets = 9,
        .sender_reports = 4,
        .reports = 5,
        .sent_packets = 200,
        .sent_bytes = 32000,
        .lost = -2,
        .lost_percent = 4.5,
        .fraction_max_percent = 12.5,
        .jitter_ms = 1.5,
        .jitter_max_ms = 6,
        .rtt_ms = 80,
        .rtt_max_ms = 95.25,
        .one_way_ms = 40,
        .has_bye = true,
        .cname = TEXT("alice@192.0.2.1"),
        .xr_reports = 3,
        .xr_lost = 7,
        .xr_duplicates = 1,
        .xr_jitter_ms = 1.25,
        .xr_rle_lost = 8,
        .xr_rle_longest = 4,
        .xr_loss_percent = 3.5,
        .xr_discard_percent = 1.5,
        .xr_burst_percent = 25,
        .xr_gap_percent = 0.5,
        .xr_burst_ms = 400,
        .xr_gap_ms = 5000,
        .xr_round_trip_ms = 81,
        .xr_end_system_ms = 62,
        .xr_r_factor = 80,
        .xr_mos_lq = 3.9,
        .xr_mos_cq = 3.8,
        .xr_signal_dbm = -20,
        .xr_noise_dbm = -60,
        .xr_rerl_db = 55,
        .xr_buffer_ms = 60,
        .xr_buffer_max_ms = 120,
    };
}

// A stream of which everything is known, more than any real one has.
static inline struct sidetone_stream fake_full_stream(void)
{
    static const uint8_t types[] = {0, 8, 101};
    static const struct sidetone_segment segments[] = {{{"PCMU", 4}, 100}, {{"PCMA", 4}, 90}};
    static const struct sidetone_interval intervals[] = {
        {FAKE_START, 190, 10, 2, 1.25, 3.9},
        {FAKE_START + 5000 * MS, 3, 0, 0, NAN, NAN},
    };
    static const char *const indicators[] = {"cng", "v17-14400"};
    static const struct sidetone_audio audio = {190, 95, 3, 1500 * MS, -21.5, -0.25};
    static const struct sidetone_fax fax = {"redundancy", 2, indicators, 2, 40};
    static struct sidetone_rtcp rtcp;
    struct sidetone_stream s = fake_stream();
    rtcp = fake_full_rtcp();
    s.payload_types = types;
    s.payload_type_count = 3;
    s.branch = 1;
    s.call = 4;
    s.call_id = TEXT("c1@x");
    s.lost = 10;
    s.loss_percent = 100.0 / 21;
    s.discarded = 4;
    s.discard_percent = 40.0 / 21;
    s.duplicates = 1;
    s.reordered = 2;
    s.too_late = 3;
    s.jitter_ms = 1.0 / 3;
    s.jitter_max_ms = 2;
    s.mos = 3.25;
    s.r_factor = 65;
    s.mos_model = "G.107.1";
    s.mos_doubt = "comfort noise";
    s.worst_interval = 0;
    s.burst_ratio = 1.5;
    s.loss_runs = 5;
    s.loss_run_max = 4;
    s.bursts = 2;
    s.burst_percent = 30;
    s.gap_percent = 0.25;
    s.burst_ms = 260;
    s.gap_ms = 1700;
    s.gap_max_ns = 80 * MS;
    s.redundant = 50;
    s.recovered = 6;
    s.repair = 7;
    s.dtmf = TEXT("5#");
    s.encrypted = true;
    s.encrypted_by = "srtcp";
    s.segments = segments;
    s.segment_count = 2;
    s.intervals = intervals;
    s.interval_count = 2;
    s.audio = &audio;
    s.rtcp = &rtcp;
    s.fax = &fax;
    return s;
}

static inline struct sidetone_capture fake_capture(void)
{
    return (struct sidetone_capture){
        .files = 1,
        .first_ns = SIDETONE_UNKNOWN,
        .last_ns = SIDETONE_UNKNOWN,
        .complete = true,
    };
}

// --- catching what is written ---

struct caught {
    char *text;
    size_t n;
};

static inline int fake_sink(void *context, const char *p, size_t n)
{
    struct caught *c = context;
    c->text = realloc(c->text, c->n + n + 1);
    memcpy(c->text + c->n, p, n);
    c->n += n;
    c->text[c->n] = '\0';
    return 0;
}

static struct output out;
static struct caught caught;

static inline void begin(void)
{
    caught.n = 0;
    output_init(&out, fake_sink, &caught);
}

// All that was written since begin().
static inline const char *written(void)
{
    int error = output_flush(&out);
    assert(error == 0);
    (void)error;
    return caught.n > 0 ? caught.text : "";
}

static inline int free_caught(void **state)
{
    (void)state;
    free(caught.text);
    return 0;
}

#endif
