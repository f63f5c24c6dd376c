// Sections of the report for people, and what they share. Private to report_text*.c.
//
// report_text.c calls the sections (report_text_summary.c, _calls.c, _streams.c), and all of them
// call report_text_parts.c.
#ifndef SIDETONE_SHOW_REPORT_TEXT_PARTS_H
#define SIDETONE_SHOW_REPORT_TEXT_PARTS_H

#include "show/overview.h"
#include "show/report_text.h"
#include "show/text_put.h"
#include "show/text_table.h"

struct page {
    struct output *out;
    const struct sidetone_report *report;
    const struct sidetone_capture *capture;
    const struct overview *overview; // NULL without the lists
    const struct report_text_options *options;
};

// Columns of the labels on the left, and of the number behind them.
#define PAGE_LABEL  17
#define PAGE_NUMBER 10

// --- sections ---

void page_summary(const struct page *p);
void page_stands_out(const struct page *p);
void page_calls(const struct page *p);
void page_streams(const struct page *p);

// --- what stands below a row (report_text_call_facts.c, report_text_stream_facts.c) ---

// Lines for what a call or stream has beside its columns; nothing where there is nothing to say.
void page_call_facts(const struct page *p, const struct sidetone_call *c, unsigned indent);
void page_stream_facts(const struct page *p, const struct sidetone_stream *s, unsigned indent);

// --- also of the page of statistics (report_text.c) ---

void page_capture(const struct page *p);
void page_complete(const struct page *p);

// --- what they share (report_text_parts.c) ---

void page_label(const struct page *p, const char *label);
void page_heading(const struct page *p, const char *heading);

// A line of details below a row. Returns p->out.
struct output *page_faint_begin(const struct page *p, unsigned indent);
void page_faint_end(const struct page *p);

enum paint severity_paint(enum sidetone_severity s);

// One line for each finding, indented.
void page_findings(const struct page *p, const struct sidetone_finding *findings, size_t count,
                   unsigned indent);

// Cells that both lists have: empty where nothing was lost, or no score is known.
void add_loss(struct table_row *row, double percent);
void add_mos(struct table_row *row, double mos);

// The rows of a list: how many, and the index of the n-th. `top` holds what ranking_top chose.
struct rows {
    size_t count, total;
    bool all;
    bool is_calm; // nothing deserves attention: the first ones, in the order of the capture
    size_t top[REPORT_TEXT_ROWS];
};
// "Calls (12)", "Calls that deserve attention most (20 of 5,000; --all shows every one)" or "Calls
// (the first 20 of 5,000, none of which needs attention; --all shows every one)".
void page_list_heading(const struct page *p, const char *what, const struct rows *rows);

void rows_choose(struct rows *rows, const struct page *p, const uint32_t *points, size_t total);

static inline size_t rows_index(const struct rows *rows, size_t n)
{
    return rows->all ? n : rows->top[n];
}

#endif
