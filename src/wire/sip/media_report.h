// What an endpoint says of the media of a call in SIP: the numbers that the formats of such reports
// have in common (vq_report.h, rtp_stat.h), and the reading of them.
#ifndef SIDETONE_WIRE_SIP_MEDIA_REPORT_H
#define SIDETONE_WIRE_SIP_MEDIA_REPORT_H

#include "base/slice.h"

// Counters: -1 where nothing was said. Measures: NaN.
struct media_report {
    struct slice local_ip, local_port, remote_ip, remote_port; // as written; the port may be in ip
    struct slice codec;
    int64_t ssrc; // of what it received
    int64_t packets_sent, packets_received, packets_lost;
    double loss_percent, discard_percent;
    double jitter_ms;
    double round_trip_ms, one_way_ms, end_system_ms;
    double mos_lq, mos_cq;
    double r_factor;
};

void media_report_init(struct media_report *r);

// A decimal number from `min` to `max`, all of `text`; NaN for everything else. Endpoints write 127
// or nothing where they do not know (RFC 3611 4.7): out of the range of its measure.
double media_report_measure(struct slice text, double min, double max);

// Digits up to a comma or slash ("3,0": received, sent); -1 for everything else.
int64_t media_report_count(struct slice text);

// Takes the next NAME=VALUE off *rest: pieces end with one of `ends` outside of quotes, blanks
// around both are cut, quotes around a value too. Pieces without "=" have an empty value. Returns
// false at the end.
bool media_report_next(struct slice *rest, const char *ends, struct slice *name,
                       struct slice *value);

#endif
