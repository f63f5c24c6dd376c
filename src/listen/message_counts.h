// The SIP messages of a report by method and status, added up over its bins.
#ifndef SIDETONE_LISTEN_MESSAGE_COUNTS_H
#define SIDETONE_LISTEN_MESSAGE_COUNTS_H

#include "sidetone/report.h"
#include "track/message_counts.h"

void report_message_counts(const struct sidetone_report *r, struct message_counts *sum);

#endif
