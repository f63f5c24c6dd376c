// Statistics over a report made by hand (show_fake.h), with the messages that its test says.
#ifndef SIDETONE_TESTS_STATS_FAKE_H
#define SIDETONE_TESTS_STATS_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static inline const struct sidetone_stats *stats_of(const struct sidetone_call *calls, size_t count,
                                                    enum sidetone_group_by by)
{
    struct sidetone_report r = {.capture = fake_capture(), .calls = calls, .call_count = count};
    struct sidetone_stats_options options = {by, by == SIDETONE_GROUP_BY_PREFIX ? 4 : 0};
    return sidetone_stats_new(&r, &options);
}

static inline void assert_near(double have, double want)
{
    if (!(have - want < 1e-9 && want - have < 1e-9)) {
        print_error("%.12f is not %.12f\n", have, want);
        fail();
    }
}

#endif
