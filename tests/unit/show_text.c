// Text for terminals: widths, safe escapes, cutting, tables, and which rows come first.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "decode/oddity.h"
#include "random_fill.h"
#include "show/ranking.h"
#include "show/suggest.h"
#include "show/text_table.h"
#include "show/utf8.h"
#include "show/words.h"
#include "show_fake.h"
#include "wire/net/peel.h"
#include "wire/sip/sip.h"

#include <stdio.h>

#define DOTS "\xe2\x80\xa6"

static void safe_text_is_shown_cut_and_escaped(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        unsigned columns;
        const char *text;
        unsigned used;
    } cases[] = {
        {"", 0, 10, "", 0},
        {"alice", 5, 5, "alice", 5},
        {"alice@example.com", 17, 9, "alic" DOTS ".com", 9},
        {"alice@example.com", 17, 8, "alic" DOTS "com", 8},
        {"alice", 5, 1, DOTS, 1},
        {"alice", 5, 0, "", 0},
        {"a\x1b[31mb", 7, 20, "a\\x1B[31mb", 10},
        {"\r\n\t\0", 4, 20, "\\x0D\\x0A\\x09\\x00", 16},
        {"\xff\xc3", 2, 20, "\\xFF\\xC3", 8},
        {"\xc2\x9b"
         "1m",
         4, 20, "\\xC2\\x9B1m", 10}, // C1: CSI
        {"\xe2\x80\xae"
         "gnp.exe",
         10, 20, "\\xE2\\x80\\xAEgnp.exe", 19}, // direction override
        {"b\xc3\xbc", 3, 10, "b\xc3\xbc", 2},
        {"\xe6\x97\xa5\xe6\x9c\xac", 6, 4, "\xe6\x97\xa5\xe6\x9c\xac", 4},
        {"\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5", 9, 5, "\xe6\x97\xa5" DOTS "\xe6\x97\xa5", 5},
        {"\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5", 9, 4, "\xe6\x97\xa5" DOTS, 3}, // no half sign
        {"e\xcc\x81z", 4, 2, "e\xcc\x81z", 2}, // a mark takes no column
        {"e\xcc\x81\xcc\x81\xcc\x81\xcc\x81", 9, 2, "e\xcc\x81\xcc\x81", 1}, // a stack of marks
    };
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned used;
        size_t n = utf8_safe(text, cases[i].bytes, cases[i].n, cases[i].columns, &used);
        text[n] = '\0';
        assert_string_equal(text, cases[i].text);
        assert_int_equal(used, cases[i].used);
    }
}

static void safe_random_bytes_stay_in_their_room(void **state)
{
    static const char lively[] = "\xcc\x81\xe6\x97\xa5\x1b\x00\xff\xe2\x80\xaez";
    struct random random;
    (void)state;
    random_seeded(&random, 4711);
    for (unsigned round = 0; round < 50000; round++) {
        char bytes[64], text[UTF8_SAFE_BYTES(40)];
        size_t n = random_below(&random, sizeof bytes + 1);
        unsigned columns = (unsigned)random_below(&random, 41), used;
        for (size_t i = 0; i < n; i++) {
            bytes[i] = lively[random_below(&random, sizeof lively - 1)];
        }
        size_t written_n = utf8_safe(text, bytes, n, columns, &used);
        assert_true(written_n <= UTF8_SAFE_BYTES(columns));
        assert_true(used <= columns);
        for (size_t i = 0, took; i < written_n; i += took) {
            uint32_t code;
            took = utf8_next(text + i, written_n - i, &code);
            assert_true(utf8_columns(code) >= 0);
        }
    }
}

static const struct table_column COLUMNS[] = {
    {"n", true, 0},
    {"name", false, 6},
    {"never", false, 0},
    {"value", true, 0},
};

static void fill(struct table_row *row, const char *n, const char *name, const char *value)
{
    table_begin(row);
    table_add(row, slice_str(n), PAINT_PLAIN);
    table_add(row, slice_str(name), PAINT_PLAIN);
    table_add(row, SLICE(""), PAINT_PLAIN);
    table_add(row, slice_str(value), PAINT_BAD);
}

static void table_print_all(unsigned width, bool colour)
{
    static const char *const rows[][3] = {
        {"1", "\xe6\x97\xa5\xe6\x9c\xac", "5"},
        {"20", "a very long name indeed", ""},
    };
    struct table t;
    struct table_row row;
    begin();
    table_init(&t, COLUMNS, 4, colour);
    for (int i = 0; i < 2; i++) {
        fill(&row, rows[i][0], rows[i][1], rows[i][2]);
        table_measure(&t, &row);
    }
    table_fit(&t, width);
    table_print_titles(&t, &out);
    for (int i = 0; i < 2; i++) {
        fill(&row, rows[i][0], rows[i][1], rows[i][2]);
        table_print(&t, &out, &row);
    }
}

static void table_empty_columns_vanish_and_wide_signs_align(void **state)
{
    (void)state;
    table_print_all(100, false);
    assert_string_equal(written(), " n  name                     value\n"
                                   " 1  \xe6\x97\xa5\xe6\x9c\xac                         5\n"
                                   "20  a very long name indeed\n");
}

static void table_too_wide_is_cut_in_the_middle(void **state)
{
    (void)state;
    table_print_all(21, false);
    assert_string_equal(written(), " n  name        value\n"
                                   " 1  \xe6\x97\xa5\xe6\x9c\xac            5\n"
                                   "20  a ver" DOTS "deed\n");
    table_print_all(1, false); // no narrower than its columns allow
    assert_string_equal(written(), " n  name    value\n"
                                   " 1  \xe6\x97\xa5\xe6\x9c\xac        5\n"
                                   "20  a v" DOTS "ed\n");
}

static void table_colours_only_where_asked(void **state)
{
    (void)state;
    table_print_all(100, true);
    assert_non_null(strstr(written(), "\033[31m5\033[0m\n"));
    table_print_all(100, false);
    assert_null(strchr(written(), '\033'));
}

// --- ranking ---

static void ranking_graver_trouble_comes_first(void **state)
{
    static const struct sidetone_finding error = {.name = "e", .severity = SIDETONE_ERROR};
    static const struct sidetone_finding warning = {.name = "w", .severity = SIDETONE_WARNING};
    static const struct sidetone_finding note = {.name = "n", .severity = SIDETONE_NOTE};
    struct sidetone_call calls[12];
    size_t n = 0;
    (void)state;
    calls[n] = fake_call("ended", 200);
    calls[n].findings = &error;
    calls[n++].finding_count = 1;
    calls[n++] = fake_call("failed", 503);
    calls[n++] = fake_call("failed", 404);
    calls[n] = fake_call("ended", 200);
    calls[n].findings = &warning;
    calls[n++].finding_count = 1;
    calls[n] = fake_call("ended", 200);
    calls[n++].pdd_ns = 12000 * MS;
    calls[n] = fake_call("ended", 200);
    calls[n++].retransmissions = 18;
    calls[n] = fake_call("ended", 200);
    calls[n++].pdd_ns = 3500 * MS;
    calls[n++] = fake_call("partial", 0);
    calls[n++] = fake_call("busy", 486);
    calls[n++] = fake_call("cancelled", 487);
    calls[n] = fake_call("ended", 200);
    calls[n].findings = &note;
    calls[n++].finding_count = 1;
    calls[n++] = fake_call("ended", 200);
    for (size_t i = 1; i < n; i++) {
        assert_true(ranking_call_points(&calls[i - 1]) > ranking_call_points(&calls[i]));
    }
    assert_int_equal(ranking_call_points(&calls[n - 1]), 0);
    assert_int_equal(ranking_call_points(&(struct sidetone_call){.pdd_ns = SIDETONE_UNKNOWN}), 0);
}

static void ranking_worse_media_has_more_points(void **state)
{
    static const struct sidetone_interval bad = {.mos = 2.0};
    struct sidetone_stream good = fake_stream(), low = good, lower = good, lossy = good,
                           shaky = good, late = good, once = good;
    (void)state;
    low.mos = 3.5;
    lower.mos = 2.0;
    lossy.loss_percent = 3;
    lossy.lost = 6;
    shaky.jitter_ms = 60;
    assert_int_equal(ranking_stream_points(&good), 0);
    assert_true(ranking_stream_points(&lower) > ranking_stream_points(&low));
    assert_true(ranking_stream_points(&low) > 0);
    assert_int_equal(ranking_stream_points(&lossy), 121);
    assert_int_equal(ranking_stream_points(&shaky), 80);
    late.discarded = 4;
    late.discard_percent = 2;
    assert_int_equal(ranking_stream_points(&late), 81);
    once.intervals = &bad;
    once.interval_count = 1;
    once.worst_interval = 0;
    assert_int_equal(ranking_stream_points(&once), 55); // 1.1 below 3.1
    once.interval_count = 0;                            // an index that cannot be
    assert_int_equal(ranking_stream_points(&once), 0);
    good.mos = good.loss_percent = good.jitter_ms = (double)NAN; // unknown is not bad
    assert_int_equal(ranking_stream_points(&good), 0);
    good.mos = -1e300;
    good.loss_percent = good.jitter_ms = 1e300;
    assert_int_equal(ranking_stream_points(&good), 500 + 400 + 200);
}

static void ranking_top_agrees_with_sorting(void **state)
{
    struct random random;
    (void)state;
    random_seeded(&random, 99);
    for (unsigned round = 0; round < 2000; round++) {
        uint32_t points[50];
        size_t top[20], count = random_below(&random, 51), want = random_below(&random, 21);
        bool taken[50] = {false};
        for (size_t i = 0; i < count; i++) {
            points[i] = (uint32_t)random_below(&random, 8);
        }
        size_t n = ranking_top(points, count, want, top);
        assert_int_equal(n, want < count ? want : count);
        for (size_t k = 0; k < n; k++) { // the best that is left, the first of equals
            size_t best = count;
            for (size_t i = 0; i < count; i++) {
                if (!taken[i] && (best == count || points[i] > points[best])) {
                    best = i;
                }
            }
            assert_int_equal(top[k], best);
            taken[best] = true;
        }
    }
}

static void suggest_typing_errors_find_the_word(void **state)
{
    static const char *const words[] = {"read", "gen", "json", "messages", "no-progress"};
    static const struct {
        const char *word, *meant;
    } cases[] = {
        {"raed", "read"},
        {"reed", "read"},
        {"jsno", "json"},
        {"mesages", "messages"},
        {"gne", "gen"},
        {"noprogres", "no-progress"},
        {"x", NULL},
        {"write", NULL},
        {"", NULL},
        {"read", "read"},
        {"a-word-that-is-much-too-long-for-anything", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *meant = suggest(cases[i].word, words, sizeof words / sizeof *words);
        if (cases[i].meant) {
            assert_non_null(meant);
            assert_string_equal(meant, cases[i].meant);
        } else {
            assert_null(meant);
        }
    }
}

// Who adds a reason or an oddity writes its words and its line of docs/json.md.
static void words_every_name_of_the_wire_has_some(void **state)
{
    (void)state;
    for (int r = REASON_NONE + 1; r < REASON_COUNT; r++) {
        assert_non_null(words_reason(reason_name((enum reason)r)));
    }
    for (int o = 0; o < SIP_ODD_COUNT; o++) {
        assert_non_null(words_oddity(sip_oddity_name((enum sip_oddity)o)));
    }
    for (int o = 0; o < FLOW_ODD_COUNT; o++) {
        assert_non_null(words_oddity(flow_oddity_name((enum flow_oddity)o)));
    }
}

static void words_unknown_name_has_none(void **state)
{
    (void)state;
    assert_non_null(words_reason("not_ip"));
    assert_null(words_reason("of_tomorrow"));
    assert_non_null(words_oddity("sip.content_length.negative"));
    assert_null(words_oddity("sip.of.tomorrow"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_text_is_shown_cut_and_escaped),
        cmocka_unit_test(safe_random_bytes_stay_in_their_room),
        cmocka_unit_test(table_empty_columns_vanish_and_wide_signs_align),
        cmocka_unit_test(table_too_wide_is_cut_in_the_middle),
        cmocka_unit_test(table_colours_only_where_asked),
        cmocka_unit_test(ranking_graver_trouble_comes_first),
        cmocka_unit_test(ranking_worse_media_has_more_points),
        cmocka_unit_test(ranking_top_agrees_with_sorting),
        cmocka_unit_test(suggest_typing_errors_find_the_word),
        cmocka_unit_test(words_every_name_of_the_wire_has_some),
        cmocka_unit_test(words_unknown_name_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, free_caught);
}
