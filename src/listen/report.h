// The finished report: bins joined into one list of calls and one of streams, each in capture
// order, linked.
#ifndef SIDETONE_LISTEN_REPORT_H
#define SIDETONE_LISTEN_REPORT_H

#include "listen/engine.h"

// The accounts of RTCP that belong to a stream, each list in capture order; NULL: none.
struct control_of_stream {
    const struct control_sender *senders; // what its sender says of itself, by of_stream
    const struct control_about *reports;  // what is said about it, by of_stream
    const struct control_about *replies;  // what its sender says about others, by by_stream
    bool is_named;                        // by its SSRC and both addresses
    bool is_sealed;                       // its sender sends SRTCP
};

struct report_stream {
    struct stream *stream;
    int64_t call;                       // position among the calls, -1: none
    const struct stream *former, *next; // between the same addresses, in the same call
    int16_t branch; // place among the call's branches (CALL_BRANCHES_MAX), -1: none
    int8_t kind;    // enum sdp_kind of its line, -1: none announced it
    bool is_proven; // by its own packets
    struct control_of_stream control;
    const char *capture_loss; // what the capture lost of it, a sentence; NULL: nothing
    uint64_t capture_loss_at; // order.at of the packet after that
};

// Why two calls belong to one conversation; the better evidence stands first.
enum leg_evidence {
    LEG_CALL_ID, // the same one on both sides of a B2BUA
    LEG_X_CALL_ID,
    LEG_SESSION_ID,
    LEG_REPLACES,
    LEG_REFER,
    LEG_DIVERSION,
    LEG_SDP_ORIGIN,
    LEG_NUMBER_AND_TIME,
};

// A call that is tied to another one.
struct report_leg {
    uint32_t call;
    uint8_t by; // enum leg_evidence
};

struct sidetone_report {
    struct engine engine;
    struct arena arena; // texts, lists
    struct path_list paths;
    struct call **calls;
    size_t call_count;
    uint32_t *call_streams;       // all calls' lists, one after the other
    uint32_t *call_streams_begin; // call_count + 1 places in it
    struct report_leg *legs;      // what ties calls to others, all calls' lists one after the other
    uint32_t *legs_begin;         // call_count + 1 places in it; NULL: no call has another leg
    bool strict_legs;             // as in struct sidetone_read_options
    struct report_stream *streams;
    size_t stream_count;
    struct sidetone_block *blocks;
    size_t block_count;
    struct sidetone_capture capture;
    struct sidetone_text *warnings;
    size_t warning_count, warning_room;
};

void report_warn(struct sidetone_report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Joins what the engine has folded.
void report_join(struct sidetone_report *r);

// Gives each stream its accounts of RTCP; part of report_join. `streams`: in capture order.
void report_join_control(struct engine *e, struct report_stream *streams, size_t count);

// Finds the legs of conversations, and which call came of each REFER; part of report_join. Needs
// the calls alone.
void report_legs(struct sidetone_report *r);

// Finds packets that the capture lost; after report_ledger.
void report_capture_loss(struct sidetone_report *r);

// Gives reports of endpoints to the calls that they are about; part of report_join.
void report_join_reports(struct sidetone_report *r);

// How a call ended that nobody hung up in the ordinary way.
struct call_ending {
    bool by_timer, by_media; // what ended it: one of them at most
    bool timer_ran_out, media_stopped;
    uint64_t timer_at, media_at; // order.at of the packets that show it
};
struct call_ending report_ending(const struct sidetone_report *r, size_t call);

// Makes the ledger; after report_join. `complete`: every input was read to its end.
void report_ledger(struct sidetone_report *r, bool complete);

#endif
