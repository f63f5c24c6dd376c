// `sidetone read --stats`.
#include "prog/read_stats.h"

#include "prog/prog.h"
#include "show/stats_show.h"
#include "show/suggest.h"

#include <stdio.h>

// "src, dst, ... hour, prefix:N"
static void say_fields(void)
{
    for (int by = SIDETONE_GROUP_BY_NONE + 1; by < SIDETONE_GROUP_BY_COUNT; by++) {
        fprintf(stderr, "%s%s%s", by == SIDETONE_GROUP_BY_NONE + 1 ? "" : ", ",
                sidetone_group_by_name((enum sidetone_group_by)by),
                by == SIDETONE_GROUP_BY_PREFIX ? ":N" : "");
    }
}

static int no_field(const char *verb, const char *text, struct slice name)
{
    const char *names[SIDETONE_GROUP_BY_COUNT];
    char word[32];
    size_t n = 0;
    for (int by = SIDETONE_GROUP_BY_NONE + 1; by < SIDETONE_GROUP_BY_COUNT; by++) {
        names[n++] = sidetone_group_by_name((enum sidetone_group_by)by);
    }
    snprintf(word, sizeof word, "%.*s", (int)(name.n < sizeof word ? name.n : sizeof word), name.p);
    const char *meant = suggest(word, names, n);
    fprintf(stderr, "%s: --group-by knows no '%s'%s%s%s: it knows ", verb, text,
            meant ? " (did you mean '" : "", meant ? meant : "", meant ? "'?)" : "");
    say_fields();
    fputs("\n", stderr);
    return PROG_USAGE;
}

static int no_digits(const char *verb, const char *text)
{
    fprintf(stderr,
            "%s: --group-by prefix:N wants how many digits of the called number, 1 to %d, as in "
            "prefix:4, not '%s'\n",
            verb, SIDETONE_PREFIX_DIGITS_MAX, text);
    return PROG_USAGE;
}

int read_stats_group_by(const char *verb, const char *text, struct sidetone_stats_options *out)
{
    struct slice name, digits;
    uint64_t number = 0;
    *out = (struct sidetone_stats_options){.group_by = SIDETONE_GROUP_BY_NONE};
    if (!text) {
        return PROG_OK;
    }
    bool has_digits = slice_cut(slice_str(text), ':', &name, &digits);
    for (int by = SIDETONE_GROUP_BY_NONE + 1; by < SIDETONE_GROUP_BY_COUNT; by++) {
        if (slice_eq(name, slice_str(sidetone_group_by_name((enum sidetone_group_by)by)))) {
            out->group_by = (enum sidetone_group_by)by;
        }
    }
    bool is_prefix = out->group_by == SIDETONE_GROUP_BY_PREFIX;
    if (out->group_by == SIDETONE_GROUP_BY_NONE || (has_digits && !is_prefix)) {
        return no_field(verb, text, name);
    }
    if (is_prefix && (!slice_u64(digits, SIDETONE_PREFIX_DIGITS_MAX, &number) || number == 0)) {
        return no_digits(verb, text);
    }
    out->prefix_digits = (unsigned)number;
    return PROG_OK;
}

void read_stats_write(struct output *out, const struct sidetone_report *report,
                      const struct sidetone_stats_options *options, enum stats_door door,
                      const struct report_text_options *text)
{
    const struct sidetone_stats *stats = sidetone_stats_new(report, options);
    switch (door) {
    case STATS_TEXT:
        stats_text(out, report, stats, text);
        break;
    case STATS_JSON:
        stats_json(out, report, stats);
        break;
    case STATS_CSV:
        stats_csv(out, report, stats);
        break;
    case STATS_MARKDOWN:
        stats_markdown(out, report, stats, text->all);
        break;
    }
    sidetone_stats_free(stats);
}
