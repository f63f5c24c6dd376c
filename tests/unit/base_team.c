// Tests of the team of threads: every task once, results visible, rounds apart. Runs under
// ThreadSanitizer too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/team.h"

#include <stdbool.h>
#include <string.h>

#define TASKS_MAX 1000

// Plain memory on purpose: the sanitizer sees an order that is missing.
struct board {
    unsigned done[TASKS_MAX];
    unsigned round;
};

static void mark(void *context, unsigned task)
{
    struct board *b = context;
    b->done[task] += b->round;
}

static void team_run_does_every_task_once_in_each_round(void **state)
{
    (void)state;
    static struct board b;
    static const unsigned sizes[] = {1, 2, 3, 8};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct team *t = team_new(sizes[s]);
        memset(&b, 0, sizeof b);
        unsigned sum = 0;
        for (unsigned round = 1; round <= 50; round++) {
            b.round = round;
            sum += round;
            team_run(t, TASKS_MAX, mark, &b);
            for (unsigned i = 0; i < TASKS_MAX; i++) {
                assert_int_equal(b.done[i], sum);
            }
        }
        team_free(t);
    }
}

static void team_run_of_fewer_tasks_than_threads_ends(void **state)
{
    (void)state;
    static struct board b;
    struct team *t = team_new(8);
    memset(&b, 0, sizeof b);
    b.round = 1;
    for (unsigned count = 0; count < 10; count++) {
        team_run(t, count, mark, &b);
    }
    assert_int_equal(b.done[0], 9);
    assert_int_equal(b.done[8], 1);
    assert_int_equal(b.done[9], 0);
    team_free(t);
}

static void mark_own(void *context)
{
    struct board *b = context;
    b->done[TASKS_MAX - 1] += 1000 * b->round;
}

static void team_run_beside_does_what_is_the_callers_once(void **state)
{
    (void)state;
    static struct board b;
    for (unsigned size = 1; size <= 4; size++) {
        struct team *t = team_new(size);
        for (unsigned count = 0; count < TASKS_MAX - 1; count = 2 * count + 1) {
            memset(&b, 0, sizeof b);
            b.round = 1;
            team_run_beside(t, mark_own, count, mark, &b);
            for (unsigned i = 0; i < TASKS_MAX - 1; i++) {
                assert_int_equal(b.done[i], i < count);
            }
            assert_int_equal(b.done[TASKS_MAX - 1], 1000);
        }
        team_free(t);
    }
}

static void mark_slice(void *context, size_t begin, size_t end)
{
    unsigned *marks = context;
    for (size_t i = begin; i < end; i++) {
        marks[i]++;
    }
}

static void team_run_slices_does_every_item_once(void **state)
{
    (void)state;
    struct team *t = team_new(3);
    assert_int_equal(team_size(t), 3);
    for (size_t count = 0; count < 50; count++) {
        for (size_t slice = 1; slice < 60; slice += 7) {
            unsigned marks[51] = {0};
            team_run_slices(t, count, slice, mark_slice, marks);
            for (size_t i = 0; i < 51; i++) {
                assert_int_equal(marks[i], i < count);
            }
        }
    }
    team_free(t);
}

static void team_free_without_a_run_ends(void **state)
{
    (void)state;
    team_free(team_new(4));
    team_free(team_new(1));
}

static void team_processors_is_at_least_one(void **state)
{
    (void)state;
    assert_true(team_processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(team_run_does_every_task_once_in_each_round),
        cmocka_unit_test(team_run_of_fewer_tasks_than_threads_ends),
        cmocka_unit_test(team_run_beside_does_what_is_the_callers_once),
        cmocka_unit_test(team_run_slices_does_every_item_once),
        cmocka_unit_test(team_free_without_a_run_ends),
        cmocka_unit_test(team_processors_is_at_least_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
