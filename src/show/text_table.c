// Tables of aligned columns for terminals.
#include "show/text_table.h"

#include <assert.h>

#define GAP 2 // blanks between columns

// SGR sequences that every terminal since the VT100 knows, in the user's own palette.
static const char *paint_code(enum paint paint)
{
    switch (paint) {
    case PAINT_PLAIN:
        return "";
    case PAINT_STRONG:
        return "\033[1m";
    case PAINT_FAINT:
        return "\033[2m";
    case PAINT_GOOD:
        return "\033[32m";
    case PAINT_WARNING:
        return "\033[33m";
    case PAINT_BAD:
        return "\033[31m";
    }
    return "";
}

void paint_begin(struct output *out, bool on, enum paint paint)
{
    if (on) {
        output_slice(out, slice_str(paint_code(paint)));
    }
}

void paint_end(struct output *out, bool on, enum paint paint)
{
    if (on && paint != PAINT_PLAIN) {
        OUTPUT(out, "\033[0m");
    }
}

void output_blanks(struct output *out, size_t n)
{
    static const char blanks[] = "                                ";
    while (n > 0) {
        size_t part = n < sizeof blanks - 1 ? n : sizeof blanks - 1;
        output_bytes(out, blanks, part);
        n -= part;
    }
}

void table_init(struct table *t, const struct table_column *columns, size_t count, bool colour)
{
    assert(count <= TABLE_COLUMNS_MAX);
    *t = (struct table){.columns = columns, .count = count, .colour = colour};
}

void table_begin(struct table_row *row)
{
    row->count = 0;
}

void table_add(struct table_row *row, struct slice text, enum paint paint)
{
    assert(row->count < TABLE_COLUMNS_MAX);
    struct table_cell *cell = &row->cells[row->count++];
    cell->paint = paint;
    cell->n = utf8_safe(cell->text, text.p, text.n, TABLE_CELL_COLUMNS, &cell->columns);
}

void table_measure(struct table *t, const struct table_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        unsigned columns = row->cells[i].columns, title = (unsigned)strlen(t->columns[i].title);
        if (columns > 0 && title > columns) {
            columns = title;
        }
        if (columns > t->widths[i]) {
            t->widths[i] = columns;
        }
    }
}

unsigned table_offset(const struct table *t, size_t index)
{
    unsigned offset = 0;
    for (size_t i = 0; i < index; i++) {
        offset += t->widths[i] > 0 ? t->widths[i] + GAP : 0;
    }
    return offset;
}

// Takes columns one by one from the widest that may be cut, so that long texts share the room
// evenly.
void table_fit(struct table *t, unsigned line_columns)
{
    unsigned total = table_offset(t, t->count);
    total -= total >= GAP ? GAP : 0;
    while (total > line_columns) {
        size_t widest = t->count;
        for (size_t i = 0; i < t->count; i++) {
            bool may = t->columns[i].min_cut > 0 && t->widths[i] > t->columns[i].min_cut;
            if (may && (widest == t->count || t->widths[i] > t->widths[widest])) {
                widest = i;
            }
        }
        if (widest == t->count) {
            return;
        }
        t->widths[widest]--;
        total--;
    }
}

static void print_cell(const struct table *t, struct output *out, size_t index, struct slice text,
                       unsigned columns, enum paint paint, size_t *pending)
{
    char cut[UTF8_SAFE_BYTES(TABLE_CELL_COLUMNS)];
    unsigned width = t->widths[index];
    if (columns > width) {
        text = slice_of(cut, utf8_safe(cut, text.p, text.n, width, &columns));
    }
    size_t blanks = width - columns;
    *pending += t->columns[index].right ? blanks : 0;
    if (text.n > 0) {
        output_blanks(out, *pending); // written late: no blanks at line ends
        *pending = 0;
        paint_begin(out, t->colour, paint);
        output_slice(out, text);
        paint_end(out, t->colour, paint);
    }
    *pending += (t->columns[index].right ? 0 : blanks) + GAP;
}

void table_print_titles(const struct table *t, struct output *out)
{
    size_t pending = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->widths[i] > 0) {
            struct slice title = slice_str(t->columns[i].title);
            print_cell(t, out, i, title, (unsigned)title.n, PAINT_FAINT, &pending);
        }
    }
    OUTPUT(out, "\n");
}

void table_print(const struct table *t, struct output *out, const struct table_row *row)
{
    size_t pending = 0;
    for (size_t i = 0; i < row->count; i++) {
        const struct table_cell *cell = &row->cells[i];
        if (t->widths[i] > 0) {
            print_cell(t, out, i, slice_of(cell->text, cell->n), cell->columns, cell->paint,
                       &pending);
        }
    }
    OUTPUT(out, "\n");
}
