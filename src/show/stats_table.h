// The statistics as tables of fields: what every door (text, JSON, CSV, Markdown) walks over, so
// that all show the same fields with the same numbers.
//
// A table is a list of rows of one struct of sidetone/stats.h, and the fields of that struct with
// their names, kinds and places. Nothing is copied: tables point into the statistics.
#ifndef SIDETONE_SHOW_STATS_TABLE_H
#define SIDETONE_SHOW_STATS_TABLE_H

#include "base/slice.h"
#include "sidetone/stats.h"

// Rows of each list for people, without --all: as many as the report has.
#define STATS_ROWS 20

enum field_kind {
    FIELD_TEXT,  // struct sidetone_text, from the wire: any bytes
    FIELD_NAME,  // const char *, ours
    FIELD_BOOL,  // bool
    FIELD_CODE,  // uint16_t, 0: none
    FIELD_COUNT, // uint64_t
    FIELD_BYTES, // uint64_t
    FIELD_PERCENT,
    FIELD_SCORE, // double, NaN: not known
    FIELD_MS,    // int64_t nanoseconds, SIDETONE_UNKNOWN: not known
    FIELD_TIME,
    FIELD_SEVERITY, // enum sidetone_severity
};

struct stats_field {
    const char *name;  // in JSON, CSV and Markdown, with its unit
    const char *title; // for people; NULL: not in their table
    enum field_kind kind;
    bool is_key;        // says which row it is
    unsigned min_width; // columns of a line from which on people see it
    size_t offset;
};

struct stats_table {
    const char *name;    // in JSON and CSV
    const char *heading; // for people
    const struct stats_field *fields;
    size_t field_count;
    const void *rows; // row_count pointers to rows, one after the other
    size_t row_count;
    bool is_single; // one row: an object, not a list
};

#define STATS_TABLES_MAX 11

// The tables of a page, in its order; with groups the whole and the groups only. They point into
// the page itself, the statistics and the report: none may move or go before the last use.
struct stats_page {
    struct sidetone_group total; // key: empty
    const struct sidetone_capture *capture;
    const void *single[3]; // rows of the tables that have one
    size_t single_count;
    struct stats_field group_fields[64];
    struct stats_table tables[STATS_TABLES_MAX];
    size_t table_count;
    char heading[64];
    const char *group_by; // "prefix:4", of the heading; NULL without groups
};

// Is it text in every form? Else it is a number, a flag or a code.
static inline bool stats_is_text(const struct stats_field *f)
{
    return f->kind == FIELD_TEXT || f->kind == FIELD_NAME || f->kind == FIELD_TIME ||
           f->kind == FIELD_SEVERITY;
}

void stats_page_fill(struct stats_page *page, const struct sidetone_report *report,
                     const struct sidetone_stats *stats);

const void *stats_table_row(const struct stats_table *t, size_t index);

// A value as text: exactly, as scripts want it, or for people. Empty where it is not known. Borrows
// from the row, or from `room` (NUMBER_BYTES).
struct slice stats_value(const struct stats_field *f, const void *row, bool for_people, char *room);

// "minute", "5 minutes", "hour", "2 days": of buckets.
struct slice stats_bucket_text(int64_t bucket_ns, char *room);

#endif
