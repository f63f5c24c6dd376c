// The statistics as Markdown: for tickets and wikis.
//
// Texts of the wire are made harmless: control characters become \xNN, and what Markdown or HTML
// would take for markup is escaped, so that a cell is text and nothing else.
#include "show/number.h"
#include "show/stats_show.h"
#include "show/stats_table.h"
#include "show/text_put.h"

#define MARKUP "\\`*_[]<>|&~$"

static void value(struct output *out, const struct stats_field *f, const void *row)
{
    char room[NUMBER_BYTES];
    struct slice text = stats_value(f, row, false, room);
    if (f->kind == FIELD_TEXT) {
        put_safe_whole(out, text, MARKUP, '\\');
    } else {
        output_slice(out, text);
    }
}

static bool is_number(const struct stats_field *f)
{
    return !stats_is_text(f) && f->kind != FIELD_BOOL && f->kind != FIELD_CODE;
}

// Every field of the row as a line of its own.
static void single(struct output *out, const struct stats_table *t)
{
    const void *row = stats_table_row(t, 0);
    char room[NUMBER_BYTES];
    OUTPUT(out, "| field | value |\n|---|---:|\n");
    for (size_t i = 0; i < t->field_count; i++) {
        if (stats_value(&t->fields[i], row, false, room).n > 0) {
            OUTPUT(out, "| ");
            put_str(out, t->fields[i].name);
            OUTPUT(out, " | ");
            value(out, &t->fields[i], row);
            OUTPUT(out, " |\n");
        }
    }
}

static void list(struct output *out, const struct stats_table *t, size_t shown)
{
    OUTPUT(out, "|");
    for (size_t k = 0; k < t->field_count; k++) {
        if (t->fields[k].title) {
            OUTPUT(out, " ");
            put_str(out, t->fields[k].name);
            OUTPUT(out, " |");
        }
    }
    OUTPUT(out, "\n|");
    for (size_t k = 0; k < t->field_count; k++) {
        if (t->fields[k].title) {
            put_str(out, is_number(&t->fields[k]) ? "---:|" : "---|");
        }
    }
    OUTPUT(out, "\n");
    for (size_t i = 0; i < shown; i++) {
        OUTPUT(out, "|");
        for (size_t k = 0; k < t->field_count; k++) {
            if (t->fields[k].title) {
                OUTPUT(out, " ");
                value(out, &t->fields[k], stats_table_row(t, i));
                OUTPUT(out, " |");
            }
        }
        OUTPUT(out, "\n");
    }
}

void stats_markdown(struct output *out, const struct sidetone_report *report,
                    const struct sidetone_stats *stats, bool all)
{
    struct stats_page page;
    stats_page_fill(&page, report, stats);
    for (size_t i = 0; i < page.table_count; i++) {
        const struct stats_table *t = &page.tables[i];
        size_t shown = all || t->row_count < STATS_ROWS ? t->row_count : STATS_ROWS;
        if (t->row_count == 0) {
            continue;
        }
        put_str(out, i > 0 ? "\n### " : "### ");
        put_str(out, t->heading);
        if (shown < t->row_count) {
            OUTPUT(out, " (");
            put_grouped(out, shown);
            OUTPUT(out, " of ");
            put_grouped(out, t->row_count);
            OUTPUT(out, ")");
        }
        OUTPUT(out, "\n\n");
        if (t->is_single) {
            single(out, t);
        } else {
            list(out, t, shown);
        }
    }
}
