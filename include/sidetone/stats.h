// What a report says of the service that its capture shows: ratios, delays, rates, and who took
// part; over the whole capture, and by groups of calls.
//
//     struct sidetone_stats_options options = {.group_by = SIDETONE_GROUP_BY_SRC};
//     const struct sidetone_stats *stats = sidetone_stats_new(report, &options);
//     printf("%.1f %% answered\n", stats->total.asr_percent);
//     sidetone_stats_free(stats);
//
// Statistics are computed once, from all that the report has, and never change; they may be read by
// any number of threads. Texts are copies: the report may be freed before. Values that are not
// known are SIDETONE_UNKNOWN, NaN, NULL or an empty text, as in sidetone/report.h. Percentiles are
// exact, by nearest rank: p95 is the smallest value that at least 95 % of all are not above.
#ifndef SIDETONE_STATS_H
#define SIDETONE_STATS_H

#include "sidetone/report.h"

#ifdef __cplusplus
extern "C" {
#endif

// What calls have in common in a group. A call that lacks it is in the group with an empty key.
enum sidetone_group_by {
    SIDETONE_GROUP_BY_NONE,       // no groups
    SIDETONE_GROUP_BY_SRC,        // address of the caller's side, without the port
    SIDETONE_GROUP_BY_DST,        // likewise of the other side
    SIDETONE_GROUP_BY_FROM_HOST,  // host of the From URI, in lower case
    SIDETONE_GROUP_BY_TO_HOST,    // of the To URI
    SIDETONE_GROUP_BY_FROM_USER,  // user of the From URI without parameters; a number of a tel: URI
    SIDETONE_GROUP_BY_TO_USER,    // of the To URI
    SIDETONE_GROUP_BY_USER_AGENT, // the first User-Agent or Server that was seen
    SIDETONE_GROUP_BY_METHOD,     // of the first request
    SIDETONE_GROUP_BY_KIND,
    SIDETONE_GROUP_BY_STATE,
    SIDETONE_GROUP_BY_FINAL_CODE,
    SIDETONE_GROUP_BY_TRANSPORT,
    SIDETONE_GROUP_BY_CODEC,    // of a stream its own, of a call that of its first stream with one
    SIDETONE_GROUP_BY_ENDED_BY, // "caller", "callee", ...
    SIDETONE_GROUP_BY_MINUTE,   // of the first message, "2023-11-14T22:13Z"
    SIDETONE_GROUP_BY_HOUR,     // "2023-11-14T22Z"
    SIDETONE_GROUP_BY_PREFIX,   // first digits of the called number
    SIDETONE_GROUP_BY_COUNT
};

// Its name as users write it: "from_host". NULL for SIDETONE_GROUP_BY_NONE and what is no group.
SIDETONE_API const char *sidetone_group_by_name(enum sidetone_group_by by);

// Digits of a number at most (E.164 6).
#define SIDETONE_PREFIX_DIGITS_MAX 15

struct sidetone_stats_options {
    enum sidetone_group_by group_by;
    // SIDETONE_GROUP_BY_PREFIX: how many, 1 to SIDETONE_PREFIX_DIGITS_MAX; a '+' in front stays and
    // is not counted. Others: 0.
    unsigned prefix_digits;
};

struct sidetone_delays {
    uint64_t count; // how many are known
    int64_t p50_ns, p95_ns, p99_ns, max_ns;
};

// The main numbers of a group, or of the whole capture.
//
// A call here is one of kind "call" whose start was seen, however it went on: a seizure in the
// words of E.425. Every call has one outcome: `calls` is the sum of answered to open.
struct sidetone_numbers {
    uint64_t calls;
    uint64_t answered;      // states "answered" and "ended"
    uint64_t busy;          // state "busy": 486, 600
    uint64_t unanswered;    // state "cancelled" (487, or a CANCEL that won), and 480
    uint64_t rejected;      // by the user: 603, 607
    uint64_t redirected;    // state "redirected": 3xx
    uint64_t failed;        // any other final response
    uint64_t open;          // no final response in this capture
    uint64_t partial_calls; // whose start was not seen: in no number above and no ratio
    uint64_t others;        // registrations and all else that is no call
    double asr_percent;     // answer seizure ratio (E.411): answered / calls
    // Network effectiveness ratio (E.425): (answered + busy + unanswered + rejected) / calls
    double ner_percent;
    double ser_percent; // session establishment ratio (RFC 6076 4.6): answered / not redirected
    // Session establishment effectiveness ratio (RFC 6076 4.7): answered, 480, 486, 600 and 603 /
    // not redirected
    double seer_percent;
    uint64_t talk_count;          // answered calls whose duration is known
    int64_t talk_ns;              // their durations together (at most 292 years)
    int64_t acd_ns;               // average call duration: their mean
    struct sidetone_delays pdd;   // post-dial delay of calls
    struct sidetone_delays setup; // time to the answer
    uint64_t messages;            // of all that is in the group; with retransmissions
    uint64_t retransmissions;     // of these
    uint64_t streams;
    uint64_t packets, bytes; // of the streams; RTP payload
    uint64_t expected, lost, discarded;
    double loss_percent; // lost of expected
    uint64_t mos_count;  // streams with a MOS
    double mos_mean, mos_p5, mos_min;
    uint64_t errors, warnings, notes; // findings of calls and streams
};

struct sidetone_group {
    struct sidetone_text key; // n == 0: the calls lack it
    struct sidetone_numbers numbers;
};

struct sidetone_state_count {
    const char *kind, *state;
    uint64_t count; // of all entries of this kind, partial ones too
};

// SIP messages of the whole capture, without capture duplicates.
struct sidetone_method_count {
    const char *method;               // "INVITE"; "other": one that is not known
    uint64_t requests;                // with retransmissions
    uint64_t request_retransmissions; // of these
    uint64_t responses;               // to it, by CSeq; with retransmissions
    uint64_t response_retransmissions;
};

struct sidetone_code_count {
    uint16_t code;            // 0: a response without a status of RFC 3261 7.2
    uint64_t responses;       // with retransmissions
    uint64_t retransmissions; // of these
    uint64_t calls;           // of kind "call" whose final response it is
};

struct sidetone_agent_count {
    struct sidetone_text user_agent;
    // A call counts for each agent that spoke in it.
    uint64_t calls;  // of kind "call", partial ones too
    uint64_t others; // of other kinds
};

struct sidetone_talker {
    struct sidetone_text address;                    // without a port
    uint64_t calls, others;                          // as above, in which it took part
    uint64_t messages;                               // sent or received, with retransmissions
    uint64_t streams;                                // sent or received
    uint64_t media_sent_bytes, media_received_bytes; // RTP payload
};

struct sidetone_codec_count {
    struct sidetone_text codec; // n == 0: not known
    uint64_t streams, packets, expected, lost, discarded;
    double loss_percent; // lost of expected
    uint64_t mos_count;
    double mos_mean, mos_p5, mos_min;
};

struct sidetone_finding_count {
    const char *name;
    enum sidetone_severity severity;
    uint64_t calls, streams; // with it (an entry counts for each time that it has it)
};

// Calls that began within a bucket of time.
struct sidetone_bucket {
    int64_t start_ns; // time: a multiple of the bucket's length since 1970
    uint64_t calls, answered, failed;
};

// Buckets of a series at most. Not smaller: a day has so many minutes. Not larger: who captured
// longer asks for hours, and each bucket is a row.
#define SIDETONE_BUCKETS_MAX 1440

struct sidetone_stats {
    struct sidetone_numbers total;
    // Most frequent first, equal ones by name.
    const struct sidetone_state_count *const *states;
    size_t state_count;
    const struct sidetone_code_count *const *codes; // ascending, without zeros
    size_t code_count;
    const struct sidetone_method_count *const *methods; // most frequent first, without zeros
    size_t method_count;
    const struct sidetone_agent_count *const *agents; // most calls first, then others, then by name
    size_t agent_count;
    const struct sidetone_talker *const *talkers; // calls, then bytes, then messages
    size_t talker_count;
    const struct sidetone_codec_count *const *codecs; // most streams first
    size_t codec_count;
    const struct sidetone_finding_count *const *findings; // gravest first, then most frequent
    size_t finding_count;
    // Calls by the time of their first message, without holes from the first to the last. Buckets
    // are a minute long; longer where there would be more than SIDETONE_BUCKETS_MAX.
    int64_t bucket_ns;
    const struct sidetone_bucket *const *buckets;
    size_t bucket_count;
    int64_t peak_start_ns; // time: the first bucket with the most calls
    uint64_t peak_calls;
    // With options.group_by: most calls first, then most others, then by key.
    enum sidetone_group_by group_by;
    unsigned prefix_digits; // as in the options
    const struct sidetone_group *const *groups;
    size_t group_count;
};

// Computes the statistics of a report. `options` may be NULL: no groups. A stream is in the group
// of its call; one without a call is in that of its own addresses, codec or time. Memory: some 60
// bytes for each call and 32 for each stream while it computes; what it gives needs 500 bytes for
// each group. Any thread. Free with sidetone_stats_free.
SIDETONE_API const struct sidetone_stats *
sidetone_stats_new(const struct sidetone_report *report,
                   const struct sidetone_stats_options *options);
SIDETONE_API void sidetone_stats_free(const struct sidetone_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
