// The statistics as one JSON object.
#include "show/number.h"
#include "show/report_json.h"
#include "show/report_json_parts.h"
#include "show/stats_show.h"
#include "show/stats_table.h"

// Numbers as such, all else as text.
static void value(struct json *j, const struct stats_field *f, struct slice text)
{
    json_key_name(j, f->name);
    if (stats_is_text(f)) {
        json_text(j, text.p, text.n);
    } else {
        output_slice(j->out, text);
    }
}

static void row(struct json *j, const struct stats_table *t, size_t index)
{
    char room[NUMBER_BYTES];
    json_open(j, '{');
    for (size_t i = 0; i < t->field_count; i++) {
        struct slice text = stats_value(&t->fields[i], stats_table_row(t, index), false, room);
        if (text.n > 0) {
            value(j, &t->fields[i], text);
            j->comma = true;
        }
    }
    json_close(j, '}');
}

static void table(struct json *j, const struct stats_table *t)
{
    json_break(j);
    json_key_name(j, t->name);
    if (t->is_single) {
        row(j, t, 0);
        return;
    }
    json_open(j, '[');
    for (size_t i = 0; i < t->row_count; i++) {
        json_break(j);
        row(j, t, i);
    }
    json_close(j, ']');
}

void stats_json(struct output *out, const struct sidetone_report *report,
                const struct sidetone_stats *stats)
{
    struct stats_page page;
    struct json j;
    stats_page_fill(&page, report, stats);
    json_init(&j, out);
    json_open(&j, '{');
    JSON_U64(&j, "schema_version", REPORT_JSON_SCHEMA_VERSION);
    json_break(&j);
    json_capture(&j, page.capture);
    json_break(&j);
    JSON_OPEN(&j, "stats", '{');
    if (stats->group_by != SIDETONE_GROUP_BY_NONE) {
        JSON_STRING(&j, "group_by", page.group_by);
    }
    for (size_t i = 1; i < page.table_count; i++) { // the capture stands above, in full
        table(&j, &page.tables[i]);
    }
    json_close(&j, '}');
    json_close(&j, '}');
    OUTPUT(out, "\n");
}
