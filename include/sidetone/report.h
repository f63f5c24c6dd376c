// What a capture holds: calls, media streams, findings and the ledger of its packets.
//
// A report is made by sidetone_read() (sidetone/read.h) and never changes. Its functions only read
// it and may be called from any number of threads at once; sidetone_report_free when all are done.
//
// A view is filled on demand into the caller's struct. What it points to lives as long as the
// report (sidetone_report_capture, sidetone_report_block), or in the caller's scratch until that is
// used for the next view or freed (sidetone_report_call, sidetone_report_stream).
//
// Times are nanoseconds since 1970 UTC, durations nanoseconds; SIDETONE_UNKNOWN where nothing is
// known. Ratios and scores are doubles, NaN where nothing is known. Counters are always valid.
// Names (of states, kinds, findings, oddities) are literals that live for ever; what each means:
// docs/json.md, installed beside the library's documentation.
#ifndef SIDETONE_REPORT_H
#define SIDETONE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SIDETONE_API __attribute__((visibility("default")))
#else
#define SIDETONE_API
#endif

#define SIDETONE_UNKNOWN INT64_MIN

// Borrowed text: bytes as they were on the wire (any bytes, not only UTF-8), without a NUL. n == 0:
// nothing known.
struct sidetone_text {
    const char *p;
    size_t n;
};

// Where a packet was: file by position among the inputs, record from 1.
struct sidetone_packet {
    uint32_t file;
    uint64_t record;
};

struct sidetone_endpoint {
    uint8_t address[16]; // IPv4 as ::ffff:a.b.c.d
    uint16_t port;
};

struct sidetone_count {
    const char *name; // a documented name of the ledger
    uint64_t count;
};

struct sidetone_capture {
    uint32_t files;        // inputs that could be opened
    uint64_t packets;      // records of all inputs
    uint64_t bytes;        // of the packets as on the wire
    int64_t first_ns;      // time of the earliest packet
    int64_t last_ns;       // time of the latest packet
    uint64_t sip_messages; // with their retransmissions, without duplicates
    uint64_t rtp_packets;  // of the streams, with duplicates
    uint64_t rtcp_packets; // compound packets
    uint64_t duplicates;   // packets that the capture holds twice
    uint64_t dropped;      // packets that the capture itself says it lost (pcapng, ISB)
    uint64_t keepalives;   // that hold a way open: empty lines between messages, WebSocket pings
    uint64_t analysed;     // packets that were understood
    const struct sidetone_count *not_analysed; // the others by reason, without zeros
    size_t not_analysed_count;
    const struct sidetone_count *oddities; // by name, without zeros, sorted
    size_t oddity_count;
    uint64_t name_blocks;                 // kept: see sidetone_report_block
    uint64_t secret_blocks;               // likewise
    bool complete;                        // every input was read to its end
    bool interrupted;                     // the reader was asked to stop
    const struct sidetone_text *warnings; // sentences: cut files, unknown link types, clock steps
    size_t warning_count;
};

enum sidetone_severity {
    SIDETONE_NOTE,
    SIDETONE_WARNING,
    SIDETONE_ERROR
};

struct sidetone_finding {
    const char *name; // "ssrc_changed"
    enum sidetone_severity severity;
    struct sidetone_text text; // one sentence
    const struct sidetone_packet *packets;
    size_t packet_count;
};

// One of the dialogs that a forked INVITE made, by the tag of the callee.
struct sidetone_branch {
    struct sidetone_text to_tag;
    const char *state;       // "ringing", "answered", "ended", "failed"
    uint16_t final_code;     // 0: none
    const uint32_t *streams; // indices of the media streams to and from this phone, ascending
    size_t stream_count;
};

// Between which addresses messages of a call travelled.
struct sidetone_hop {
    struct sidetone_endpoint src, dst; // as in the first message between them
    uint32_t messages;                 // both ways
    // Time that the element between needed to hand a message on to this hop, over the messages that
    // were seen on both sides of it; SIDETONE_UNKNOWN: none was.
    int64_t delay_ns;     // mean
    int64_t delay_max_ns; // longest
};

// Another call of the same conversation.
struct sidetone_leg {
    uint32_t call; // index
    struct sidetone_text call_id;
    // The evidence: "call_id", "x_call_id", "session_id", "replaces", "refer", "diversion",
    // "sdp_origin", "number_and_time".
    const char *by;
    uint32_t via;  // index of the call that the evidence ties it to: this one, or another leg
    bool is_guess; // "number_and_time": likely, not proven
};

// A time in which one side held the other.
struct sidetone_hold {
    int64_t start_ns;    // time of the offer that began it
    int64_t duration_ns; // to the offer that ended it, or to the end of the call; SIDETONE_UNKNOWN
    const char *by;      // "caller", "callee"
};

// A REFER (RFC 3515) inside a call.
struct sidetone_transfer {
    const char *by; // who asked for it: "caller", "callee"
    struct sidetone_text refer_to;
    int64_t call;             // index of the call that came of it, -1: none was found
    const uint16_t *statuses; // that NOTIFY reported (message/sipfrag), in order
    size_t status_count;
};

// What an endpoint reported about a call's media in SIP: a vq-rtcpxr body (RFC 6035), or a header
// of its vendor. What it did not say is SIDETONE_UNKNOWN or NaN.
struct sidetone_endpoint_report {
    const char *format; // "vq-rtcpxr", "X-RTP-Stat", "P-RTP-Stat", "RTP-RxStat", "RTP-TxStat"
    const char *by;     // "caller", "callee"; NULL: somebody else, or not known
    struct sidetone_packet packet;
    struct sidetone_text local, remote; // addresses as written
    struct sidetone_text codec;
    int64_t ssrc; // of what it received; SIDETONE_UNKNOWN
    int64_t packets_sent, packets_received, packets_lost;
    double loss_percent, discard_percent;
    double jitter_ms;
    double round_trip_ms, one_way_ms, end_system_ms;
    double mos_lq, mos_cq; // listening and conversational quality
    double r_factor;
};

struct sidetone_contact {
    struct sidetone_text uri;
    int64_t expires_s; // seconds; SIDETONE_UNKNOWN
};

struct sidetone_call {
    struct sidetone_text call_id;
    struct sidetone_text method;      // of the first request
    struct sidetone_text reason;      // phrase of the final response
    struct sidetone_text from, to;    // URIs
    struct sidetone_text request_uri; // of the first request
    const char *kind;                 // "call", "registration", ...
    const char *state;                // "calling", "answered", ...
    const char *transport;            // of the first message: "UDP", "TCP", "WS", "SCTP"
    const struct sidetone_text *path; // likewise, as in struct sidetone_message
    size_t path_count;
    uint16_t final_code;               // 0: none
    struct sidetone_endpoint src, dst; // of the first message in the caller's direction
    const struct sidetone_text *user_agents;
    size_t user_agent_count;
    uint32_t messages;        // with retransmissions, without capture duplicates
    uint32_t retransmissions; // of these
    uint32_t duplicates;      // messages captured twice, not in `messages`
    uint32_t attempts;        // requests that began it: 2 after a challenge or a redirect
    int64_t start_ns;         // time of the first message
    int64_t end_ns;           // time of the last message
    int64_t trying_ns;        // duration: last attempt to the first 100
    int64_t pdd_ns;      // duration: post-dial delay, last attempt to ringing or final response
    int64_t setup_ns;    // duration: last attempt to the answer
    int64_t ring_ns;     // duration: ringing to the answer
    int64_t duration_ns; // duration: answer to BYE, or to the last packet seen
    // "caller", "callee", "both"; "media": no BYE, but its media stopped; "timer": the session
    // timer ran out (RFC 4028); NULL: not known
    const char *ended_by;
    const struct sidetone_branch *branches; // two or more, else none
    size_t branch_count;
    const struct sidetone_hop *hops; // two or more address pairs, else none
    size_t hop_count;
    const struct sidetone_leg *legs; // at most 64, nearest first
    size_t leg_count;
    const struct sidetone_hold *holds; // in order
    size_t hold_count;
    const struct sidetone_transfer *transfers; // in order
    size_t transfer_count;
    struct sidetone_text dtmf;                      // digits of INFO requests, both sides, in order
    const struct sidetone_endpoint_report *reports; // in order
    size_t report_count;
    struct sidetone_text aor;                // registrations: the address of record
    const struct sidetone_contact *contacts; // registrations: what is bound to it
    size_t contact_count;
    const uint32_t *streams; // indices, ascending
    size_t stream_count;
    const struct sidetone_finding *findings;
    size_t finding_count;
};

// Packets in a row with one codec.
struct sidetone_segment {
    struct sidetone_text codec; // n == 0: not known
    uint64_t packets;
};

// Five seconds of a stream.
struct sidetone_interval {
    int64_t start_ns;   // time
    uint32_t packets;   // unique ones that arrived
    uint32_t lost;      // numbers that never came
    uint32_t discarded; // that came too late to be played
    double jitter_ms;   // mean; NaN: nothing measured
    double mos;         // NaN: none
};

// Sound of a stream of G.711, judged by its samples. Levels are dBov: 0 is the loudest that can be
// sent.
struct sidetone_audio {
    uint64_t packets;           // whose sound was judged
    uint64_t silent_packets;    // with nothing above the noise of a line
    uint64_t clipped_packets;   // with samples at the limit
    int64_t longest_silence_ns; // duration
    double level_dbov;          // mean of the packets that are not silent; NaN: all are
    double peak_dbov;           // NaN: digital silence
};

// What RTCP says of a stream: its sender's reports and the reports about it (RFC 3550 6.4, RFC
// 3611). Unknown values are SIDETONE_UNKNOWN or NaN.
struct sidetone_rtcp {
    uint64_t packets;        // that carried any of this
    uint64_t sender_reports; // of these, from its sender
    uint64_t reports;        // report blocks about it
    int64_t sent_packets;    // as its sender counts
    int64_t sent_bytes;      // likewise
    int64_t lost;            // newest cumulative count of the receiver; negative: it got duplicates
    double lost_percent;     // lost of what the receiver expected while it reported
    double fraction_max_percent; // worst interval between two reports
    double jitter_ms;            // mean of what the receiver reported
    double jitter_max_ms;        // maximum
    double rtt_ms;               // mean round trip, by LSR and DLSR
    double rtt_max_ms;           // maximum
    double one_way_ms;           // half of it
    bool has_bye;
    struct sidetone_text cname; // of the sender
    // Extended reports (RFC 3611) about it
    uint64_t xr_reports;            // blocks of the three kinds below
    int64_t xr_lost, xr_duplicates; // statistics summary, added up
    double xr_jitter_ms;            // statistics summary: mean
    int64_t xr_rle_lost;            // loss run length encoding, added up
    int64_t xr_rle_longest;         // longest run of losses in it
    double xr_loss_percent;         // VoIP metrics, all of the newest block
    double xr_discard_percent;
    double xr_burst_percent, xr_gap_percent; // density of losses
    double xr_burst_ms, xr_gap_ms;
    double xr_round_trip_ms, xr_end_system_ms;
    double xr_r_factor, xr_mos_lq, xr_mos_cq;
    double xr_signal_dbm, xr_noise_dbm, xr_rerl_db;
    double xr_buffer_ms, xr_buffer_max_ms; // jitter buffer: nominal and maximum
};

// A fax in T.38 over UDPTL.
struct sidetone_fax {
    const char *error_correction; // "redundancy", "fec"; NULL: none seen
    uint64_t recovered;           // lost packets whose content came with a later one
    const char *const
        *indicators;        // T.30 indicators as they changed: "cng", "ced", "v21-preamble" ...
    size_t indicator_count; // at most 32
    uint64_t data_packets;
};

struct sidetone_stream {
    const char *kind; // "audio", "video", "text", "fax", "other"; NULL: not known
    bool has_ssrc;    // false for a fax over UDPTL
    uint32_t ssrc;
    struct sidetone_endpoint src, dst;
    struct sidetone_text codec;   // n == 0: not known
    uint32_t clock_hz;            // of the timestamps; 0: not known
    const uint8_t *payload_types; // ascending
    size_t payload_type_count;
    bool is_announced;            // its destination was, by an offer or answer
    int64_t branch;               // index in the call's branches, -1: none
    int64_t call;                 // index of its call, -1: none
    struct sidetone_text call_id; // of that call
    uint64_t packets;             // that arrived: unique + duplicates + too_late
    uint64_t unique;              // each sequence number once
    uint64_t expected;            // sent, by the sequence numbers
    uint64_t lost;                // expected - unique, never negative
    uint64_t duplicates;          // copies of packets that were there already
    uint64_t reordered;           // that came after a later one
    uint64_t too_late;            // more than 1,024 numbers behind the newest one
    uint64_t bytes;               // of RTP payload
    double loss_percent;          // lost of expected
    uint64_t discarded;           // that came too late for the jitter buffer
    double discard_percent;       // of expected; NaN: the clock is not known
    int64_t start_ns;             // time of the first packet
    int64_t end_ns;               // time of the last packet
    double jitter_ms;             // mean (RFC 3550 A.8)
    double jitter_max_ms;         // its maximum
    double delta_max_ms;          // longest time between two packets
    double mos;                   // 1 to 4.5 (G.107)
    double r_factor;              // 0 to 93.2; to 129 with "G.107.1"
    const char *mos_missing;      // why there is no mos; NULL where there is one
    const char *mos_model;        // "G.107", "G.107.1" (wideband); NULL: no mos
    const char *mos_doubt;        // why mos may say too little; NULL: nothing known
    int64_t worst_interval;       // index of the one with the lowest mos, -1: none
    // Packets lost or discarded, as the listener lacks them (RFC 3611 4.7.2, Gmin 16).
    double burst_ratio;        // 1: at random (G.107)
    uint64_t loss_runs;        // runs of numbers that are lacking
    uint64_t loss_run_max;     // the longest
    uint64_t bursts;           // where fewer than 16 packets lie between them
    double burst_percent;      // lacking in bursts; NaN: no burst
    double gap_percent;        // lacking outside of them; NaN: nothing is outside
    double burst_ms;           // mean length of a burst; NaN: none, or the time is not known
    double gap_ms;             // mean length of what lies between
    int64_t gap_max_ns;        // duration of the longest run as played; SIDETONE_UNKNOWN: none
    uint64_t redundant;        // packets with redundant data (RFC 2198)
    uint64_t recovered;        // lost numbers whose data came so; in time, they are not lacking
    uint64_t repair;           // packets of error correction or retransmission (FEC, RTX)
    struct sidetone_text dtmf; // digits of telephone-events
    bool encrypted;            // SRTP
    const char *encrypted_by;  // "sdp", "srtcp", "look" (packet sizes); NULL: it is not
    const struct sidetone_segment *segments; // two or more, else none
    size_t segment_count;
    const struct sidetone_interval *intervals;
    size_t interval_count;
    const struct sidetone_audio *audio; // NULL: not judged
    const struct sidetone_rtcp *rtcp;   // NULL: none
    const struct sidetone_fax *fax;     // NULL: no T.38
    const struct sidetone_finding *findings;
    size_t finding_count;
};

// A block of a pcapng file that is no packet but belongs to the capture: its body, as it stands in
// the file.
enum sidetone_block_kind {
    SIDETONE_BLOCK_NAMES,   // name resolution block (type 4)
    SIDETONE_BLOCK_SECRETS, // decryption secrets block (type 10)
};
struct sidetone_block {
    enum sidetone_block_kind kind;
    uint32_t file; // by position among the inputs
    const uint8_t *bytes;
    size_t n;
};

struct sidetone_report;

// The capture as a whole; lives as long as the report.
SIDETONE_API const struct sidetone_capture *
sidetone_report_capture(const struct sidetone_report *r);

// How many there are. Calls and streams are in the order of the capture.
SIDETONE_API size_t sidetone_report_calls(const struct sidetone_report *r);
SIDETONE_API size_t sidetone_report_streams(const struct sidetone_report *r);

// Path of input `index` (below capture.files), as sidetone_read opened it; "-" is standard input.
// Inputs that could not be opened have no number. Lives as long as the report.
SIDETONE_API const char *sidetone_report_file(const struct sidetone_report *r, uint32_t index);
SIDETONE_API size_t sidetone_report_blocks(const struct sidetone_report *r);

// A view of block `index`, which is below the count (asserted); its bytes live as long as the
// report.
SIDETONE_API void sidetone_report_block(const struct sidetone_report *r, size_t index,
                                        struct sidetone_block *out);

// Arrays that a view needs: an opaque buffer that grows on first use. One scratch serves any number
// of views of any reports, one after the other, and belongs to one thread at a time: only the last
// view filled with it is valid. Free it with sidetone_scratch_free (NULL: nothing to do), before or
// after the reports.
struct sidetone_scratch;
SIDETONE_API struct sidetone_scratch *sidetone_scratch_new(void);
SIDETONE_API void sidetone_scratch_free(struct sidetone_scratch *s);

// Fill a view of call or stream `index`, which is below the count: anything else is an error of the
// program, asserted in builds with assertions. The view is valid until the scratch is used again or
// freed, or the report is freed.
SIDETONE_API void sidetone_report_call(const struct sidetone_report *r, size_t index,
                                       struct sidetone_scratch *s, struct sidetone_call *out);
SIDETONE_API void sidetone_report_stream(const struct sidetone_report *r, size_t index,
                                         struct sidetone_scratch *s, struct sidetone_stream *out);

// Frees a report and everything that views of it point to. NULL: nothing to do.
SIDETONE_API void sidetone_report_free(struct sidetone_report *r);

#ifdef __cplusplus
}
#endif

#endif
