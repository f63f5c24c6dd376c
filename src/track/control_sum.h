// What the accounts of RTCP of one stream come to.
#ifndef SIDETONE_TRACK_CONTROL_SUM_H
#define SIDETONE_TRACK_CONTROL_SUM_H

#include "track/control.h"
#include "track/stream.h"

struct control_sum {
    uint64_t packets, sender_reports, reports;
    int64_t sent_packets, sent_octets; // negative: not known
    struct slice cname;
    bool has_bye;
    // Of the reports; without any (reports == 0) nothing of it means anything.
    int32_t lost;              // newest
    double lost_percent;       // of what was expected between reports; NaN: nothing was
    uint8_t fraction_max;      // of 256
    double jitter, jitter_max; // mean and maximum, in units of the timestamp
    // By halves, see track/control.h; NaN: not known. The longest is that of both halves together,
    // which may not have been at the same time.
    double round_trip_ns, round_trip_max_ns;
    struct control_xr xr; // added up; VoIP metrics of the newest block
};

// `senders` and `reports` by of_stream, `replies` by by_stream; NULL: none.
void control_sum(struct control_sum *out, const struct stream *s,
                 const struct control_sender *senders, const struct control_about *reports,
                 const struct control_about *replies);

// Did the capture see this stream from its beginning, so that counts of both can be compared? It
// did where the stream was announced before it came, or where its sender had not sent much more by
// its first report than was seen.
bool control_saw_start(const struct stream *s, const struct control_sender *sender);

#endif
