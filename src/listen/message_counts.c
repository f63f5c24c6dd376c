// The SIP messages of a report by method and status, added up over its bins.
#include "listen/message_counts.h"

#include "listen/report.h"

static void add(struct message_count *sum, const struct message_count *more, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum[i].messages += more[i].messages;
        sum[i].retransmissions += more[i].retransmissions;
    }
}

void report_message_counts(const struct sidetone_report *r, struct message_counts *sum)
{
    *sum = (struct message_counts){0};
    for (unsigned bin = 0; bin < BINS; bin++) {
        const struct message_counts *more = &r->engine.calls[bin].counts;
        add(sum->requests, more->requests, SIP_METHOD_COUNT);
        add(sum->responses, more->responses, SIP_METHOD_COUNT);
        add(sum->codes, more->codes, MESSAGE_CODES);
    }
}
