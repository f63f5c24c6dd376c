// The statistics as CSV (RFC 4180): for spreadsheets and databases.
//
// Texts of the wire are made harmless: control characters become \xNN, and a cell that begins with
// a character by which spreadsheets know a formula gets an apostrophe in front.
#include "show/number.h"
#include "show/stats_show.h"
#include "show/stats_table.h"
#include "show/text_put.h"
#include "show/utf8.h"

#define LINE_END "\r\n" // RFC 4180 2

// = + - @, also in their full-width forms and behind blanks, which some pass over. (A tab or CR,
// which some take for such too, is escaped.)
static bool looks_like_formula(struct slice text)
{
    uint32_t code = 0;
    size_t blanks = 0;
    while (blanks < text.n && text.p[blanks] == ' ') {
        blanks++;
    }
    if (blanks < text.n) {
        utf8_next(text.p + blanks, text.n - blanks, &code);
    }
    return code == '=' || code == '+' || code == '-' || code == '@' || code == 0xff1d ||
           code == 0xff0b || code == 0xff0d || code == 0xff20;
}

static bool needs_quotes(struct slice text)
{
    return slice_find(text, ',') < text.n || slice_find(text, '"') < text.n ||
           (text.n > 0 && (text.p[0] == ' ' || text.p[text.n - 1] == ' '));
}

static void cell(struct output *out, const struct stats_field *f, struct slice text)
{
    bool quotes = needs_quotes(text);
    put_str(out, quotes ? "\"" : "");
    if (f->kind == FIELD_TEXT) {
        put_str(out, looks_like_formula(text) ? "'" : "");
        put_safe_whole(out, text, "\"", '"'); // a quote is doubled
    } else {
        output_slice(out, text);
    }
    put_str(out, quotes ? "\"" : "");
}

// Fields that say which row it is, with a blank between them.
static void key_cell(struct output *out, const struct stats_table *t, const void *row)
{
    char room[NUMBER_BYTES];
    bool is_first = true;
    for (size_t i = 0; i < t->field_count; i++) {
        if (t->fields[i].is_key) {
            put_str(out, is_first ? "" : " ");
            cell(out, &t->fields[i], stats_value(&t->fields[i], row, false, room));
            is_first = false;
        }
    }
}

// table,key,field,value
static void long_rows(struct output *out, const struct stats_table *t)
{
    char room[NUMBER_BYTES];
    for (size_t i = 0; i < t->row_count; i++) {
        const void *row = stats_table_row(t, i);
        for (size_t k = 0; k < t->field_count; k++) {
            struct slice text = stats_value(&t->fields[k], row, false, room);
            if (t->fields[k].is_key || text.n == 0) {
                continue;
            }
            put_str(out, t->name);
            OUTPUT(out, ",");
            key_cell(out, t, row);
            OUTPUT(out, ",");
            put_str(out, t->fields[k].name);
            OUTPUT(out, ",");
            cell(out, &t->fields[k], stats_value(&t->fields[k], row, false, room));
            OUTPUT(out, LINE_END);
        }
    }
}

static void wide_rows(struct output *out, const struct stats_table *t)
{
    char room[NUMBER_BYTES];
    for (size_t k = 0; k < t->field_count; k++) {
        put_str(out, k > 0 ? "," : "");
        put_str(out, t->fields[k].name);
    }
    OUTPUT(out, LINE_END);
    for (size_t i = 0; i < t->row_count; i++) {
        for (size_t k = 0; k < t->field_count; k++) {
            put_str(out, k > 0 ? "," : "");
            cell(out, &t->fields[k],
                 stats_value(&t->fields[k], stats_table_row(t, i), false, room));
        }
        OUTPUT(out, LINE_END);
    }
}

void stats_csv(struct output *out, const struct sidetone_report *report,
               const struct sidetone_stats *stats)
{
    struct stats_page page;
    stats_page_fill(&page, report, stats);
    if (stats->group_by != SIDETONE_GROUP_BY_NONE) {
        wide_rows(out, &page.tables[page.table_count - 1]);
        return;
    }
    OUTPUT(out, "table,key,field,value" LINE_END);
    for (size_t i = 0; i < page.table_count; i++) {
        long_rows(out, &page.tables[i]);
    }
}
