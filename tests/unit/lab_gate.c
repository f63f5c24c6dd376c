// Tests of the gate: its verdicts by a table, and what baselines say that were cut or changed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "lab/gate.h"

#include <string.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct baseline sample(void)
{
    return (struct baseline){
        .terms = {.is_generated = true,
                  .options = CARRIER_DEFAULTS,
                  .sha256 = SHA,
                  .corpus_bytes = 1000,
                  .arguments = "read --cores 1",
                  .cores = 1,
                  .build = "built by gcc",
                  .architecture = "x86_64",
                  .cpu = "A model",
                  .processors = 2},
        .figures = {.ratio = 5, .peak_bytes = 1000000},
        .tolerance = 0.2,
        .runs = 9,
        .history_count = 1,
        .history = {{.date = "2024-01-01T00:00:00Z",
                     .figures = {6, 2000000},
                     .why = "as \"said\""}},
    };
}

static void verdict_follows_from_figures_and_tolerance(void **state)
{
    (void)state;
    static const struct {
        double ratio;
        uint64_t peak;
        enum gate_end end;
        bool slow, large, may_replace;
    } CASES[] = {
        {5, 1000000, GATE_GOOD, false, false, true},
        {4.5, 900000, GATE_GOOD, false, false, true},
        {5.9, 1000000, GATE_GOOD, false, false, false},
        {5, 1190000, GATE_GOOD, false, false, false},
        {5.9, 500000, GATE_STALE, false, false, false},
        {6.1, 1000000, GATE_ABOVE, true, false, false},
        {5, 1210000, GATE_ABOVE, false, true, false},
        {50, 5000000, GATE_ABOVE, true, true, false},
        {3.9, 1210000, GATE_ABOVE, false, true, false},
        {3.9, 1000000, GATE_STALE, false, false, true},
        {5, 700000, GATE_STALE, false, false, true},
        {0.001, 1, GATE_STALE, false, false, true},
    };
    const struct baseline b = sample();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct baseline_figures f = {CASES[i].ratio, CASES[i].peak};
        struct gate_verdict v = gate_judge(&b, &b.terms, &f);
        assert_int_equal(v.end, CASES[i].end);
        assert_int_equal(v.is_slow, CASES[i].slow);
        assert_int_equal(v.is_large, CASES[i].large);
        assert_int_equal(gate_may_replace(&v), CASES[i].may_replace);
    }
}

static void each_term_makes_unlike(void **state)
{
    (void)state;
    const struct baseline b = sample();
    const struct baseline_figures good = {5, 1000000};
    for (int bit = 0; bit < GATE_UNLIKES; bit++) {
        struct baseline_terms other = b.terms;
        char *const texts[GATE_UNLIKES] = {other.sha256,       other.arguments, NULL, other.build,
                                           other.architecture, other.cpu,       NULL};
        if (texts[bit]) {
            texts[bit][0] = 'f';
        } else if (1 << bit == GATE_CORES) {
            other.cores = 2;
        } else {
            other.processors = 3;
        }
        struct gate_verdict v = gate_judge(&b, &other, &good);
        assert_int_equal(v.end, GATE_UNLIKE);
        assert_int_equal(v.unlike, 1u << bit);
        assert_false(gate_may_replace(&v));
        assert_int_equal(
            strncmp(gate_unlike_text((enum gate_unlike)(1 << bit)), "other", 5) == 0 ||
                strncmp(gate_unlike_text((enum gate_unlike)(1 << bit)), "another", 7) == 0,
            1);
    }
}

static void other_length_of_the_corpus_makes_unlike(void **state)
{
    (void)state;
    struct baseline b = sample();
    struct baseline_terms other = b.terms;
    other.corpus_bytes++;
    struct gate_verdict v = gate_judge(&b, &other, &b.figures);
    assert_int_equal(v.unlike, GATE_CORPUS);
}

static void baseline_written_is_read_back(void **state)
{
    (void)state;
    struct baseline b = sample(), back;
    char trouble[BASELINE_TROUBLE_BYTES];
    char *text = baseline_text(&b);
    assert_true(baseline_read(&back, text, strlen(text), trouble));
    struct gate_verdict v = gate_judge(&back, &b.terms, &b.figures);
    assert_int_equal(v.end, GATE_GOOD);
    assert_true(back.terms.is_generated);
    assert_int_equal(back.terms.options.calls, 5000);
    assert_int_equal(back.history_count, 1);
    assert_string_equal(back.history[0].why, "as \"said\"");
    char *again = baseline_text(&back);
    assert_string_equal(again, text);
    memory_free(again);
    memory_free(text);
}

static void cut_or_changed_baseline_says_why_or_is_sane(void **state)
{
    (void)state;
    static const char BYTES[] = {0, '"', '0', '9', '-', '{', '}', (char)0xff};
    const struct baseline b = sample();
    static struct baseline back;
    char trouble[BASELINE_TROUBLE_BYTES];
    char *text = baseline_text(&b);
    size_t n = strlen(text);
    for (size_t cut = 0; cut + 2 < n; cut++) {
        assert_false(baseline_read(&back, text, cut, trouble));
        assert_true(strlen(trouble) > 0);
    }
    for (size_t at = 0; at < n; at++) {
        for (size_t i = 0; i < sizeof BYTES; i++) {
            char was = text[at];
            text[at] = BYTES[i];
            if (baseline_read(&back, text, n, trouble)) {
                assert_true(back.figures.ratio > 0 && back.figures.peak_bytes > 0);
                assert_true(back.tolerance > 0 && back.history_count <= BASELINE_HISTORY_MAX);
                assert_true(!back.terms.is_generated ||
                            carrier_check(&back.terms.options) == CARRIER_GOOD);
            }
            text[at] = was;
        }
    }
    memory_free(text);
}

static void baseline_that_is_none_names_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } CASES[] = {
        {"", "it is no JSON"},
        {"[1]", "it is no JSON object"},
        {"{}", "\"schema_version\" is missing"},
        {"{\"schema_version\":2}", "\"schema_version\" is no such number"},
        {"{\"schema_version\":1}", "\"corpus\" is missing"},
        {"{\"schema_version\":1,\"corpus\":3}", "\"corpus\" is no object"},
        {"{\"schema_version\":1,\"corpus\":{\"sha256\":\"zz\"}}", "\"sha256\" is not 64"},
        {"{\"schema_version\":1,\"schema_version\":1}", "it is no JSON"},
    };
    static struct baseline b;
    char trouble[BASELINE_TROUBLE_BYTES];
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_false(baseline_read(&b, CASES[i].text, strlen(CASES[i].text), trouble));
        assert_int_equal(strncmp(trouble, CASES[i].says, strlen(CASES[i].says)), 0);
    }
    char deep[4096];
    memset(deep, '[', sizeof deep);
    assert_false(baseline_read(&b, deep, sizeof deep, trouble));
}

static void history_that_is_full_forgets_the_oldest(void **state)
{
    (void)state;
    static struct baseline b;
    b.history_count = 0;
    for (unsigned i = 0; i < BASELINE_HISTORY_MAX + 5; i++) {
        struct baseline_entry e = {.figures = {i + 1, 1}};
        baseline_remember(&b, &e);
    }
    assert_int_equal(b.history_count, BASELINE_HISTORY_MAX);
    assert_true(b.history[0].figures.ratio == 6);
    assert_true(b.history[BASELINE_HISTORY_MAX - 1].figures.ratio == BASELINE_HISTORY_MAX + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdict_follows_from_figures_and_tolerance),
        cmocka_unit_test(each_term_makes_unlike),
        cmocka_unit_test(other_length_of_the_corpus_makes_unlike),
        cmocka_unit_test(baseline_written_is_read_back),
        cmocka_unit_test(cut_or_changed_baseline_says_why_or_is_sane),
        cmocka_unit_test(baseline_that_is_none_names_what_is_wrong),
        cmocka_unit_test(history_that_is_full_forgets_the_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
