// Tests of splitting command lines.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/command.h"

#include "base/random.h"

#include <string.h>

#define WORDS_MAX 6

static void words_are_those_of_the_shell(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words[WORDS_MAX];
    } ROWS[] = {
        {"a", {"a"}},
        {" a\tb\n c ", {"a", "b", "c"}},
        {"a 'b c'", {"a", "b c"}},
        {"a \"b c\"d'e f'g", {"a", "b cde fg"}},
        {"a '' \"\"", {"a", "", ""}},
        {"a b\\ c \\\\ \\'", {"a", "b c", "\\", "'"}},
        {"a '\\n $x `y` \"'", {"a", "\\n $x `y` \""}},
        {"a \"\\\"\\\\\\n\"", {"a", "\"\\\\n"}},
        {"sh -c 'a | b > c; d'", {"sh", "-c", "a | b > c; d"}},
        {"a \\| \\$x \"*?;\"", {"a", "|", "$x", "*?;"}},
        {"a x=1 b~ c#", {"a", "x=1", "b~", "c#"}},
        {"a {b} %", {"a", "{b}", "%"}},
        {"a \303\244\377", {"a", "\303\244\377"}},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct command c;
        struct command_trouble t;
        size_t n = 0;
        assert_true(command_split(&c, ROWS[i].text, &t));
        for (; n < WORDS_MAX && ROWS[i].words[n]; n++) {
            assert_true(n < c.count);
            assert_string_equal(c.words[n], ROWS[i].words[n]);
        }
        assert_int_equal(c.count, n);
        assert_null(c.words[n]);
        command_fini(&c);
    }
}

static void what_is_no_command_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum command_fault fault;
        size_t at;
        char found;
    } ROWS[] = {
        {"", COMMAND_EMPTY, 0, 0},
        {" \n", COMMAND_EMPTY, 2, 0},
        {"a 'b", COMMAND_QUOTE_OPEN, 2, '\''},
        {"a \"b\\\"", COMMAND_QUOTE_OPEN, 2, '"'},
        {"a b\\", COMMAND_CUT_SHORT, 4, '\\'},
        {"a | b", COMMAND_SHELL, 2, '|'},
        {"a b;c", COMMAND_SHELL, 3, ';'},
        {"a &", COMMAND_SHELL, 2, '&'},
        {"a <b", COMMAND_SHELL, 2, '<'},
        {"a 2>b", COMMAND_SHELL, 3, '>'},
        {"(a)", COMMAND_SHELL, 0, '('},
        {"a)", COMMAND_SHELL, 1, ')'},
        {"a $b", COMMAND_SHELL, 2, '$'},
        {"a \"$b\"", COMMAND_SHELL, 3, '$'},
        {"a \"`b`\"", COMMAND_SHELL, 3, '`'},
        {"a `b`", COMMAND_SHELL, 2, '`'},
        {"a *.c", COMMAND_SHELL, 2, '*'},
        {"a b?", COMMAND_SHELL, 3, '?'},
        {"a [b]", COMMAND_SHELL, 2, '['},
        {"~/a", COMMAND_SHELL, 0, '~'},
        {"a #b", COMMAND_SHELL, 2, '#'},
        {"X=1 a", COMMAND_ASSIGNMENT, 1, '='},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct command c;
        struct command_trouble t;
        char text[COMMAND_TROUBLE_BYTES];
        assert_false(command_split(&c, ROWS[i].text, &t));
        assert_int_equal(t.fault, ROWS[i].fault);
        assert_int_equal(t.at, ROWS[i].at);
        assert_int_equal(t.found, ROWS[i].found);
        size_t n = command_trouble_text(&t, text);
        assert_true(n > 0 && n < sizeof text && strlen(text) == n);
        if (t.fault == COMMAND_SHELL) {
            assert_non_null(strstr(text, "sh -c '...'"));
        }
        command_fini(&c);
    }
}

static void placeholders_are_filled_after_splitting(void **state)
{
    (void)state;
    const struct command_value values[] = {{"cores", "8"}, {"corpus", "my file; rm"}};
    struct command c, filled;
    struct command_trouble t;
    assert_true(command_split(&c, "p --n={cores}{cores} '{corpus}' {} {Cores} {a1} {", &t));
    assert_true(command_has(&c, "cores"));
    assert_true(command_has(&c, "corpus"));
    assert_false(command_has(&c, "core"));
    assert_true(command_fill(&filled, &c, values, 2, &t));
    assert_int_equal(filled.count, 7);
    assert_string_equal(filled.words[1], "--n=88");
    assert_string_equal(filled.words[2], "my file; rm");
    assert_string_equal(filled.words[3], "{}");
    assert_string_equal(filled.words[4], "{Cores}");
    assert_string_equal(filled.words[5], "{a1}");
    assert_string_equal(filled.words[6], "{");
    assert_null(filled.words[7]);
    command_fini(&filled);
    command_fini(&c);
}

static void placeholder_of_no_value_is_refused(void **state)
{
    (void)state;
    const struct command_value value = {"cores", "8"};
    struct command c, filled;
    struct command_trouble t;
    assert_true(command_split(&c, "p {cores} x{corse}", &t));
    assert_false(command_fill(&filled, &c, &value, 1, &t));
    assert_int_equal(t.fault, COMMAND_PLACEHOLDER);
    assert_int_equal(t.at, 2);
    assert_int_equal(filled.count, 0);
    command_fini(&filled);
    command_fini(&c);
}

static void words_as_given_are_kept(void **state)
{
    (void)state;
    const char *const words[] = {"a", "b; c", ""};
    struct command c;
    command_of(&c, words, 3);
    assert_int_equal(c.count, 3);
    assert_string_equal(c.words[1], "b; c");
    assert_string_equal(c.words[2], "");
    assert_null(c.words[3]);
    command_fini(&c);
}

// Texts of the characters that mean something: nothing is written beyond what was allocated (the
// sanitizers would tell), and words hold nothing but bytes of the text.
static void any_text_does_no_harm(void **state)
{
    (void)state;
    static const char LETTERS[] = "ab '\"\\ \t{}=|$~";
    struct random random;
    random_init(&random, 7);
    for (int round = 0; round < 20000; round++) {
        char text[24];
        size_t n = (size_t)random_below(&random, sizeof text);
        for (size_t i = 0; i < n; i++) {
            text[i] = LETTERS[random_below(&random, sizeof LETTERS - 1)];
        }
        text[n < sizeof text ? n : n - 1] = '\0';
        struct command c;
        struct command_trouble t;
        if (command_split(&c, text, &t)) {
            size_t bytes = 0;
            for (size_t i = 0; i < c.count; i++) {
                bytes += strlen(c.words[i]) + 1;
            }
            assert_true(c.count > 0 && bytes <= strlen(text) + 1);
            assert_null(c.words[c.count]);
        } else {
            assert_int_not_equal(t.fault, COMMAND_GOOD);
            assert_true(t.at <= strlen(text));
        }
        command_fini(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_shell),
        cmocka_unit_test(what_is_no_command_is_refused),
        cmocka_unit_test(placeholders_are_filled_after_splitting),
        cmocka_unit_test(placeholder_of_no_value_is_refused),
        cmocka_unit_test(words_as_given_are_kept),
        cmocka_unit_test(any_text_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
