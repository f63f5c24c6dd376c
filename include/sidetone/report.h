// What a capture holds: calls, media streams, findings and the ledger of its packets.
//
// A report is made by sidetone_read() (sidetone/read.h) and owns everything that its views point
// to. Views are filled on demand into the caller's struct; their texts and arrays live as long as
// the report. All functions here only read and may be called from any thread once the report is
// made.
//
// Times are nanoseconds since 1970 UTC, durations nanoseconds; SIDETONE_UNKNOWN where nothing is
// known. Ratios and scores are doubles, NaN where nothing is known. Counters are always valid.
// Meanings: docs/json.md.
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
    uint32_t files;
    uint64_t packets, bytes; // bytes: as on the wire
    int64_t first, last;     // capture times
    uint64_t sip_messages, rtp_packets, rtcp_packets, duplicates, analysed;
    const struct sidetone_count *not_analysed; // packets by reason, without zeros
    size_t not_analysed_count;
    const struct sidetone_count *oddities; // by name, without zeros, sorted
    size_t oddity_count;
    uint64_t name_blocks, secret_blocks; // kept: see sidetone_report_block
    bool complete;                       // every input was read to its end
    bool interrupted;                    // the reader was asked to stop
    const struct sidetone_text
        *warnings; // sentences about inputs: cut files, unknown link types, clock steps
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

struct sidetone_branch {
    struct sidetone_text to_tag;
    const char *state;   // "ringing", "answered", "ended", "failed"
    uint16_t final_code; // 0: none
};

struct sidetone_hop {
    struct sidetone_endpoint src, dst;
    uint32_t messages;
};

struct sidetone_contact {
    struct sidetone_text uri;
    int64_t expires_s; // SIDETONE_UNKNOWN
};

struct sidetone_call {
    struct sidetone_text call_id, method, reason, from, to, request_uri;
    const char *kind;                  // "call", "registration", ...
    const char *state;                 // "calling", "answered", ...
    const char *transport;             // "UDP"
    uint16_t final_code;               // 0: none
    struct sidetone_endpoint src, dst; // of the first message in the caller's direction
    const struct sidetone_text *user_agents;
    size_t user_agent_count;
    uint32_t messages, retransmissions, duplicates, attempts;
    int64_t start, end;
    int64_t trying, pdd, setup, ring, duration; // durations
    const char *ended_by;                       // NULL: not known
    const struct sidetone_branch *branches;     // two or more, else none
    size_t branch_count;
    const struct sidetone_hop *hops; // two or more address pairs, else none
    size_t hop_count;
    struct sidetone_text aor; // registrations
    const struct sidetone_contact *contacts;
    size_t contact_count;
    const uint32_t *streams; // indices, ascending
    size_t stream_count;
    const struct sidetone_finding *findings;
    size_t finding_count;
};

struct sidetone_segment {
    struct sidetone_text codec;
    uint64_t packets;
};

struct sidetone_interval {
    int64_t start;
    uint32_t packets, lost;
    double jitter_ms; // NaN: nothing measured
    double mos;       // NaN: none
};

struct sidetone_stream {
    uint32_t ssrc;
    struct sidetone_endpoint src, dst;
    struct sidetone_text codec;   // n == 0: not known
    uint32_t clock_hz;            // 0: not known
    const uint8_t *payload_types; // ascending
    size_t payload_type_count;
    int64_t call; // index of its call, -1: none
    struct sidetone_text call_id;
    uint64_t packets, unique, expected, lost, duplicates, reordered, too_late, bytes;
    double loss_percent;
    int64_t start, end;
    double jitter_ms, jitter_max_ms, delta_max_ms;
    double mos, r_factor;
    const char *mos_missing; // why there is no mos; NULL where there is one
    double burst_ratio;
    uint64_t bursts;
    struct sidetone_text dtmf;
    bool encrypted;
    const struct sidetone_segment *segments; // two or more, else none
    size_t segment_count;
    const struct sidetone_interval *intervals;
    size_t interval_count;
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

SIDETONE_API const struct sidetone_capture *
sidetone_report_capture(const struct sidetone_report *r);
SIDETONE_API size_t sidetone_report_calls(const struct sidetone_report *r);
SIDETONE_API size_t sidetone_report_streams(const struct sidetone_report *r);
SIDETONE_API size_t sidetone_report_blocks(const struct sidetone_report *r);

// A view of block `index`; its bytes live as long as the report.
SIDETONE_API void sidetone_report_block(const struct sidetone_report *r, size_t index,
                                        struct sidetone_block *out);

// Fill a view of call or stream `index` (below the count). Arrays that the view needs are kept in
// `scratch`, an opaque buffer that grows on first use: one scratch serves any number of views, but
// only the last one filled is valid.
struct sidetone_scratch;
SIDETONE_API struct sidetone_scratch *sidetone_scratch_new(void);
SIDETONE_API void sidetone_scratch_free(struct sidetone_scratch *s);
SIDETONE_API void sidetone_report_call(const struct sidetone_report *r, size_t index,
                                       struct sidetone_scratch *s, struct sidetone_call *out);
SIDETONE_API void sidetone_report_stream(const struct sidetone_report *r, size_t index,
                                         struct sidetone_scratch *s, struct sidetone_stream *out);

SIDETONE_API void sidetone_report_free(struct sidetone_report *r);

#ifdef __cplusplus
}
#endif

#endif
