// The report for people: what its sections share. Nothing here calls a section.
#include "show/report_text_parts.h"

#include "show/number.h"
#include "show/ranking.h"
#include "show/thresholds.h"
#include "show/words.h"

#define FINDINGS_SHOWN 4 // of one row, without --all
#define PACKETS_SHOWN  4

void page_label(const struct page *p, const char *label)
{
    paint_begin(p->out, p->options->colour, PAINT_STRONG);
    output_slice(p->out, slice_str(label));
    paint_end(p->out, p->options->colour, PAINT_STRONG);
    size_t n = strlen(label);
    output_blanks(p->out, n < PAGE_LABEL ? PAGE_LABEL - n : 1);
}

void page_heading(const struct page *p, const char *heading)
{
    OUTPUT(p->out, "\n");
    paint_begin(p->out, p->options->colour, PAINT_STRONG);
    put_str(p->out, heading);
    paint_end(p->out, p->options->colour, PAINT_STRONG);
}

struct output *page_faint_begin(const struct page *p, unsigned indent)
{
    output_blanks(p->out, indent);
    paint_begin(p->out, p->options->colour, PAINT_FAINT);
    return p->out;
}

void page_faint_end(const struct page *p)
{
    paint_end(p->out, p->options->colour, PAINT_FAINT);
    OUTPUT(p->out, "\n");
}

// --- findings ---

enum paint severity_paint(enum sidetone_severity s)
{
    switch (s) {
    case SIDETONE_NOTE:
        return PAINT_PLAIN;
    case SIDETONE_WARNING:
        return PAINT_WARNING;
    case SIDETONE_ERROR:
        return PAINT_BAD;
    }
    return PAINT_PLAIN;
}

// " (packets 12, 15)", numbered as Wireshark does; with the file in front where there are several.
static void finding_packets(const struct page *p, const struct sidetone_finding *f)
{
    if (f->packet_count == 0) {
        return;
    }
    put_str(p->out, f->packet_count == 1 ? " (packet " : " (packets ");
    for (size_t i = 0; i < f->packet_count && i < PACKETS_SHOWN; i++) {
        put_str(p->out, i > 0 ? ", " : "");
        if (p->capture->files > 1) {
            put_u64(p->out, f->packets[i].file);
            OUTPUT(p->out, ":");
        }
        put_u64(p->out, f->packets[i].record);
    }
    put_str(p->out, f->packet_count > PACKETS_SHOWN ? " \xe2\x80\xa6)" : ")");
}

void page_findings(const struct page *p, const struct sidetone_finding *findings, size_t count,
                   unsigned indent)
{
    size_t shown = p->options->all || count < FINDINGS_SHOWN ? count : FINDINGS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        enum paint paint = severity_paint(findings[i].severity);
        output_blanks(p->out, indent);
        paint_begin(p->out, p->options->colour, paint);
        put_left(p->out, words_severity(findings[i].severity), 9);
        paint_end(p->out, p->options->colour, paint);
        if (findings[i].text.n > 0) {
            put_safe(p->out, text_slice(findings[i].text), PUT_SAFE_COLUMNS_MAX);
        } else {
            put_str(p->out, findings[i].name);
        }
        finding_packets(p, &findings[i]);
        OUTPUT(p->out, "\n");
    }
    if (count > shown) {
        output_blanks(p->out, indent);
        OUTPUT(p->out, "and ");
        put_count(p->out, count - shown, "finding", "findings");
        OUTPUT(p->out, " more\n");
    }
}

// --- lists ---

void add_loss(struct table_row *row, double percent)
{
    char text[NUMBER_BYTES];
    size_t n = 0;
    if (percent > 0) {
        n = number_decimal(text, percent, 2, false);
        memcpy(text + n, " %", 2);
        n += 2;
    }
    table_add(row, slice_of(text, n),
              percent >= LOSS_BAD_PERCENT       ? PAINT_BAD
              : percent >= LOSS_WARNING_PERCENT ? PAINT_WARNING
                                                : PAINT_PLAIN);
}

void add_mos(struct table_row *row, double mos)
{
    char text[NUMBER_BYTES];
    size_t n = number_decimal(text, mos, 2, false);
    table_add(row, slice_of(text, n),
              mos < MOS_BAD       ? PAINT_BAD
              : mos < MOS_WARNING ? PAINT_WARNING
                                  : PAINT_PLAIN);
}

void page_list_heading(const struct page *p, const char *what, const struct rows *rows)
{
    page_heading(p, what);
    if (rows->count == rows->total) {
        OUTPUT(p->out, " (");
        put_grouped(p->out, rows->total);
        put_str(p->out, rows->all || rows->is_calm ? ")\n" : ", worst first)\n");
        return;
    }
    if (!rows->is_calm) {
        paint_begin(p->out, p->options->colour, PAINT_STRONG);
        OUTPUT(p->out, " that deserve attention most");
        paint_end(p->out, p->options->colour, PAINT_STRONG);
    }
    put_str(p->out, rows->is_calm ? " (the first " : " (");
    put_grouped(p->out, rows->count);
    OUTPUT(p->out, " of ");
    put_grouped(p->out, rows->total);
    put_str(p->out, rows->is_calm ? ", none of which needs attention; --all shows every one)\n"
                                  : "; --all shows every one)\n");
}

void rows_choose(struct rows *rows, const struct page *p, const uint32_t *points, size_t total)
{
    rows->total = total;
    rows->all = p->options->all;
    rows->count = rows->all ? total : ranking_top(points, total, REPORT_TEXT_ROWS, rows->top);
    rows->is_calm = !rows->all && rows->count > 0 && points[rows->top[0]] <= POINTS_OF_NOTES;
    for (size_t i = 0; rows->is_calm && i < rows->count; i++) {
        rows->top[i] = i;
    }
}
