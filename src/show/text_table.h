// Tables of aligned columns for terminals, and the colours that carry meaning.
//
// Two passes and no memory: every row is filled and measured, the widths are fitted to the line,
// every row is filled again and printed. So a table of a million rows costs what one row does.
#ifndef SIDETONE_SHOW_TEXT_TABLE_H
#define SIDETONE_SHOW_TEXT_TABLE_H

#include "show/output.h"
#include "show/utf8.h"

#define TABLE_COLUMNS_MAX 18

// Columns of one cell. Not smaller: a finding's sentence. Not larger: lines are 80 to 200 wide.
#define TABLE_CELL_COLUMNS 100

enum paint {
    PAINT_PLAIN,
    PAINT_STRONG, // headings
    PAINT_FAINT,  // details
    PAINT_GOOD,
    PAINT_WARNING,
    PAINT_BAD,
};

// Begins or ends a colour; nothing where `on` is false.
void paint_begin(struct output *out, bool on, enum paint paint);
void paint_end(struct output *out, bool on, enum paint paint);

struct table_column {
    const char *title;
    bool right;       // numbers
    unsigned min_cut; // 0: never cut; else the columns that remain at least
};

struct table_cell {
    char text[UTF8_SAFE_BYTES(TABLE_CELL_COLUMNS)];
    size_t n;
    unsigned columns;
    enum paint paint;
};

struct table_row {
    size_t count;
    struct table_cell cells[TABLE_COLUMNS_MAX];
};

struct table {
    const struct table_column *columns;
    size_t count;
    bool colour;
    unsigned widths[TABLE_COLUMNS_MAX]; // 0: no row had anything there, the column is not shown
};

void table_init(struct table *t, const struct table_column *columns, size_t count, bool colour);

// Filling a row, cell by cell from the left. Text may hold any bytes.
void table_begin(struct table_row *row);
void table_add(struct table_row *row, struct slice text, enum paint paint);

void table_measure(struct table *t, const struct table_row *row);
void table_fit(struct table *t, unsigned line_columns);
void table_print_titles(const struct table *t, struct output *out);
void table_print(const struct table *t, struct output *out, const struct table_row *row);

// Columns of everything before column `index`.
unsigned table_offset(const struct table *t, size_t index);

void output_blanks(struct output *out, size_t n);

#endif
