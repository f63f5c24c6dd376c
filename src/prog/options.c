// Reading a verb's command line by a table of its options.
#include "prog/options.h"

#include "base/slice.h"
#include "prog/prog.h"
#include "show/suggest.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

// What getopt_long returns beside letters.
enum {
    FOUND_OPERAND = 1,
    FOUND_ROW = 256, // and the number of a row without a letter
};

// The table in the form of getopt_long.
struct forms {
    struct option longs[OPTION_ROWS_MAX + 1];
    char shorts[2 * OPTION_ROWS_MAX + 3];
};

static bool has_value(enum option_kind kind)
{
    return kind == OPTION_U32 || kind == OPTION_U64 || kind == OPTION_TEXT ||
           kind == OPTION_OPERAND;
}

static void make_forms(struct forms *f, const struct option_table *t)
{
    size_t longs = 0, n = 0;
    assert(t->count <= OPTION_ROWS_MAX);
    *f = (struct forms){0};
    f->shorts[n++] = '-'; // operands are handed out in their place, so that they keep their order
    f->shorts[n++] = ':'; // a missing value is told from an unknown option
    for (size_t i = 0; i < t->count; i++) {
        const struct option_row *row = &t->rows[i];
        bool value = has_value(row->kind);
        if (row->name) {
            f->longs[longs++] =
                (struct option){row->name, value ? required_argument : no_argument, NULL,
                                row->letter ? row->letter : FOUND_ROW + (int)i};
        }
        if (row->letter) {
            f->shorts[n++] = row->letter;
            if (value) {
                f->shorts[n++] = ':';
            }
        }
    }
}

static int unknown_option(const struct option_table *t, const char *word)
{
    const char *names[OPTION_ROWS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->rows[i].name) {
            names[n++] = t->rows[i].name;
        }
    }
    const char *meant = strncmp(word, "--", 2) == 0 ? suggest(word + 2, names, n) : NULL;
    if (meant) {
        fprintf(stderr, "%s: there is no option '%s'; did you mean '--%s'?\n", t->verb, word,
                meant);
    } else {
        fprintf(stderr, "%s: there is no option '%s'; %s lists them\n", t->verb, word, t->help);
    }
    return PROG_USAGE;
}

static int take_operand(const struct option_table *t, const char *word)
{
    if (!t->operands) {
        fprintf(stderr, "%s: '%s' is not understood; %s tells more\n", t->verb, word, t->help);
        return PROG_USAGE;
    }
    t->operands[(*t->operand_count)++] = word;
    return PROG_OK;
}

static int take_number(const struct option_table *t, const struct option_row *row)
{
    uint64_t number;
    if (!slice_u64(slice_str(optarg), row->value, &number)) {
        fprintf(stderr, "%s: --%s wants a whole number up to %" PRIu64 ", not '%s'\n", t->verb,
                row->name, row->value, optarg);
        return PROG_USAGE;
    }
    if (row->kind == OPTION_U32) {
        *(uint32_t *)row->to = (uint32_t)number;
    } else {
        *(uint64_t *)row->to = number;
    }
    return PROG_OK;
}

static int take_row(const struct option_table *t, const struct option_row *row)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->to = true;
        break;
    case OPTION_CHOICE:
        *(int *)row->to = (int)row->value;
        break;
    case OPTION_U32:
    case OPTION_U64:
        return take_number(t, row);
    case OPTION_TEXT:
        *(const char **)row->to = optarg;
        break;
    case OPTION_OPERAND:
        return take_operand(t, optarg);
    case OPTION_IGNORED:
        break;
    }
    return PROG_OK;
}

// `found`: what getopt_long returned for the word.
static int take(const struct option_table *t, int found, const char *word)
{
    if (found == FOUND_OPERAND) {
        return take_operand(t, optarg);
    }
    if (found == ':') {
        fprintf(stderr, "%s: '%s' wants a value behind it\n", t->verb, word);
        return PROG_USAGE;
    }
    for (size_t i = 0; i < t->count; i++) {
        if (found == FOUND_ROW + (int)i || (t->rows[i].letter && found == t->rows[i].letter)) {
            return take_row(t, &t->rows[i]);
        }
    }
    return unknown_option(t, word);
}

int options_read(const struct option_table *t, int argc, char **argv)
{
    struct forms forms;
    int found, status = PROG_OK;
    make_forms(&forms, t);
    opterr = 0; // the sentences are ours
    optind = 0; // GNU: start over, and read the leading '-' again
    do {
        int before = optind > 0 ? optind : 1;
        found = getopt_long(argc, argv, forms.shorts, forms.longs, NULL);
        // Inside a group of letters optind stands still: the word is the one in work.
        const char *word = argv[optind > before ? optind - 1 : before < argc ? before : argc - 1];
        status = found == -1 ? PROG_OK : take(t, found, word);
    } while (found != -1 && status == PROG_OK);
    while (status == PROG_OK && optind < argc) { // behind "--"
        status = take_operand(t, argv[optind++]);
    }
    return status;
}
