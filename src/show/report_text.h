// A report for people: the capture, a summary, what stands out, the calls and streams that deserve
// attention most, and the ledger of every packet.
#ifndef SIDETONE_SHOW_REPORT_TEXT_H
#define SIDETONE_SHOW_REPORT_TEXT_H

#include "show/output.h"
#include "sidetone/report.h"

// Rows of each list without --all: what fits on a screen or two, worst first.
#define REPORT_TEXT_ROWS 20

struct report_text_options {
    const char *const *paths; // as the user named them
    size_t path_count;
    bool all;       // every call and stream, in capture order
    bool colour;    // the output is a terminal that shows colours
    unsigned width; // columns of a line, at least 80
    unsigned cores; // threads to use, 0: all processors
};

void report_text(struct output *out, const struct sidetone_report *report,
                 const struct report_text_options *options);

// Only the capture and its ledger: the end of a listing of messages.
void report_text_capture(struct output *out, const struct sidetone_report *report,
                         const struct report_text_options *options);

#endif
