// What RTCP tells of streams (RFC 3550 6.4): what a sender says of itself, and what a receiver says
// about a sender, each as one account that packets are folded into.
//
// Accounts are of what travels one way between two endpoints. Who begins again (a BYE and then
// more, counts or numbers that went back) gets a new account, so that what two calls said with the
// same SSRC is never added up; listen/join_control.c finds the stream of each.
//
// Round trip. A reporter repeats the middle 32 bits of the newest sender report that it has (LSR)
// and says how long it kept it (DLSR, RFC 3550 6.4.1). Where the capture has both packets,
//
//     sender ---------- capture ---------- reporter
//                 t(SR) |------------------>|
//                       |                   | DLSR
//                 t(RR) |<------------------|
//
// t(RR) - t(SR) - DLSR is the round trip between the capture and the reporter, by one clock only.
// The other half comes from the reports that the sender makes about what it hears. Both added are
// the whole round trip; where one is known, it is mostly the whole, since captures are made beside
// one of the two. Wireshark shows such a half on each report (rtcp.roundtrip-delay, in whole
// milliseconds, by default none under 10): by the newest sender report alone, also negative and
// absurd ones, and never adds two.
#ifndef SIDETONE_TRACK_CONTROL_H
#define SIDETONE_TRACK_CONTROL_H

#include "base/arena.h"
#include "wire/packet.h"
#include "wire/rtp/rtcp_xr.h"

// Sender reports that are known when a receiver answers. Not smaller: a receiver may report less
// often than the sender, and report one that is not the newest. Not larger: each sender keeps them.
#define CONTROL_RECENT 4
// Longer round trips are none: clocks that differ, or a DLSR in wrong units. Not smaller: two
// satellites and full queues make some seconds. Not larger: RTCP comes every 5 s.
#define CONTROL_ROUND_TRIP_MAX_NS INT64_C(10000000000)
// A report with numbers so far behind is of a stream that began again; MAX_DROPOUT of RFC 3550 A.1.
// Less is a report that came late.
#define CONTROL_BACK_MAX 3000
// What comes later after a BYE is of somebody who begins again; sooner, it crossed the BYE.
#define CONTROL_BYE_NS INT64_C(1000000000)

struct control_sent { // a sender report that passed
    uint32_t ntp_middle;
    int64_t time_ns;
};

struct control_sender {
    struct endpoint src, dst;
    uint32_t ssrc;
    uint32_t hash;
    uint32_t epoch; // accounts of this key before it
    struct order first, last;
    uint64_t packets; // RTCP packets that it spoke in
    uint64_t reports; // sender reports
    // Its counts: in the first sender report, in the newest, and what they grew between.
    uint32_t first_packets, first_octets, newest_packets, newest_octets;
    uint64_t grown_packets, grown_octets;
    uint64_t newest_ntp;
    int64_t first_report_ns;
    bool has_counts;
    struct control_sent recent[CONTROL_RECENT]; // the newest ones, from `next` on the oldest first
    uint32_t recent_count, recent_next;
    struct slice cname;
    int64_t bye_ns;
    bool has_bye;
    bool is_sealed;                         // SRTCP came
    const struct control_sender *of_stream; // set by the join: the next account of its stream
};

struct control_xr {
    uint64_t blocks;
    uint64_t lost, duplicates, rle_lost;
    uint32_t rle_longest;
    bool has_lost, has_duplicates, has_rle;
    double jitter_sum; // of the means, in units of the timestamp
    uint64_t jitter_count;
    bool has_voip;
    struct rtcp_xr_voip voip; // newest
};

struct control_about {
    struct endpoint src, dst; // of the reports
    uint32_t reporter, ssrc;  // who says it, about whom
    uint32_t hash;
    uint32_t epoch; // of the sender that it is about, as far as that is known
    struct order first, last;
    uint64_t packets; // RTCP packets with anything about it
    uint64_t reports; // report blocks
    struct rtcp_report first_report, newest;
    struct order first_report_at, newest_at;
    uint8_t fraction_max;
    double jitter_sum; // in units of the timestamp
    uint32_t jitter_max;
    double round_trip_sum_ns;
    int64_t round_trip_max_ns;
    uint64_t round_trips;
    struct control_xr *xr; // NULL: no extended report
    // Set by the join: the next account about its stream, and by the sender of its stream.
    const struct control_about *of_stream, *by_stream;
};

// Did it begin again with this sender report, so that it needs a new account?
bool control_sender_restarts(const struct control_sender *s, const struct rtcp_sender_info *info,
                             int64_t now_ns);
void control_sender_report(struct control_sender *s, const struct rtcp_sender_info *info,
                           int64_t now_ns);

// The same of a report block.
bool control_about_restarts(const struct control_about *a, const struct rtcp_report *report);
// `sender`: whom it is about, NULL where the capture has nothing of that one.
void control_about_report(struct control_about *a, const struct rtcp_report *report,
                          const struct control_sender *sender, struct order at, int64_t now_ns);

// A block of an extended report about it.
void control_about_losses(struct control_about *a, struct arena *arena,
                          const struct rtcp_xr_losses *losses);
void control_about_statistics(struct control_about *a, struct arena *arena,
                              const struct rtcp_xr_statistics *statistics);
void control_about_voip(struct control_about *a, struct arena *arena,
                        const struct rtcp_xr_voip *voip);

// Numbers that the receiver expected, and those that it lost of them, between its first report and
// its newest.
static inline uint32_t control_about_expected(const struct control_about *a)
{
    return a->newest.highest_sequence - a->first_report.highest_sequence;
}

static inline int32_t control_about_lost(const struct control_about *a)
{
    return a->newest.lost - a->first_report.lost;
}

#endif
