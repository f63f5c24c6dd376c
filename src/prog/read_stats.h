// `sidetone read --stats`: what to group by, and the page at the door that was asked for.
#ifndef SIDETONE_PROG_READ_STATS_H
#define SIDETONE_PROG_READ_STATS_H

#include "show/report_text.h"
#include "sidetone/stats.h"

enum stats_door {
    STATS_TEXT,
    STATS_JSON,
    STATS_CSV,
    STATS_MARKDOWN,
};

// Reads the value of --group-by, NULL: none. Returns PROG_OK, or PROG_USAGE after one sentence on
// standard error.
int read_stats_group_by(const char *verb, const char *text, struct sidetone_stats_options *out);

void read_stats_write(struct output *out, const struct sidetone_report *report,
                      const struct sidetone_stats_options *options, enum stats_door door,
                      const struct report_text_options *text);

#endif
