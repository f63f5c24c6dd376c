// Statistics over a report made by hand (show_fake.h), with the messages that its test says.
#ifndef SIDETONE_TESTS_STATS_FAKE_H
#define SIDETONE_TESTS_STATS_FAKE_H

#include "listen/message_counts.h"
#include "show_fake.h"
#include "sidetone/stats.h"

static struct message_counts fake_messages;

void report_message_counts(const struct sidetone_report *r, struct message_counts *sum)
{
    (void)r;
    *sum = fake_messages;
}

// A finding that says that the start of a call was not captured.
static const struct sidetone_finding FAKE_NO_START = {
    .name = "start_not_seen", .severity = SIDETONE_NOTE, .text = {"It had begun before.", 20}};

#endif
