// The statistics of a report, at every door: text for people, JSON, CSV, Markdown (docs/read.md,
// docs/json.md).
#ifndef SIDETONE_SHOW_STATS_SHOW_H
#define SIDETONE_SHOW_STATS_SHOW_H

#include "show/report_text.h"
#include "sidetone/stats.h"

// A page for people: lists have STATS_ROWS rows unless options->all.
void stats_text(struct output *out, const struct sidetone_report *report,
                const struct sidetone_stats *stats, const struct report_text_options *options);

// {"schema_version":1, "capture":{...}, "stats":{...}} and a line end, with every row.
void stats_json(struct output *out, const struct sidetone_report *report,
                const struct sidetone_stats *stats);

// RFC 4180 with a header row and every row. With groups a line for each group; without them a line
// for each value: table, key, field, value.
void stats_csv(struct output *out, const struct sidetone_report *report,
               const struct sidetone_stats *stats);

// Headings and tables as GitHub and others show them. Rows as in stats_text.
void stats_markdown(struct output *out, const struct sidetone_report *report,
                    const struct sidetone_stats *stats, bool all);

#endif
