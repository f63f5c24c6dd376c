// Tests of running programs: one to its end, several in turns, work in a process of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "lab/aside.h"
#include "lab/series.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

static struct child_result run_text(const char *text, const struct child_options *o)
{
    struct command c;
    struct command_trouble t;
    struct child_result r;
    assert_true(command_split(&c, text, &t));
    assert_int_equal(child_run(&c, o, &r), 0);
    command_fini(&c);
    return r;
}

static void assert_text(struct slice is, const char *should)
{
    assert_int_equal(is.n, strlen(should));
    assert_memory_equal(is.p, should, is.n);
}

static void child_exit_status_is_told(void **state)
{
    (void)state;
    const struct child_options o = {0};
    static const int STATUSES[] = {0, 1, 127, 255};
    for (size_t i = 0; i < sizeof STATUSES / sizeof *STATUSES; i++) {
        char text[64];
        snprintf(text, sizeof text, "sh -c 'exit %d'", STATUSES[i]);
        struct child_result r = run_text(text, &o);
        assert_int_equal(r.end, CHILD_EXITED);
        assert_int_equal(r.status, STATUSES[i]);
        assert_true(r.wall_ns > 0 && r.peak_bytes > 0);
        assert_null(r.out.p);
        child_fini(&r);
    }
}

static void child_signal_is_told(void **state)
{
    (void)state;
    const struct child_options o = {0};
    struct child_result r = run_text("sh -c 'kill -TERM $$'", &o);
    assert_int_equal(r.end, CHILD_SIGNALLED);
    assert_int_equal(r.status, SIGTERM);
    child_fini(&r);
}

static void child_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    const struct child_options o = {.out_bytes = 10, .err_bytes = 10};
    const char *const words[] = {"/nowhere/at/all"};
    struct command c;
    struct child_result r;
    command_of(&c, words, 1);
    assert_int_equal(child_run(&c, &o, &r), ERR_OPEN);
    assert_int_equal(errno, ENOENT);
    command_fini(&c);
}

static void child_past_its_limit_is_killed_with_its_group(void **state)
{
    (void)state;
    const struct child_options o = {.time_limit_ns = 50000000, .out_bytes = 100};
    // Its own child holds the pipe open, and would for long.
    struct child_result r = run_text("sh -c 'sleep 1000 & echo here; wait'", &o);
    assert_int_equal(r.end, CHILD_TIMED_OUT);
    assert_int_equal(r.status, SIGKILL);
    assert_true(r.wall_ns >= 50000000 && r.wall_ns < 60 * INT64_C(1000000000));
    child_fini(&r);
}

static void child_output_is_kept_within_its_room(void **state)
{
    (void)state;
    const struct child_options o = {.out_bytes = 5, .err_bytes = 5};
    struct child_result r = run_text("sh -c 'printf 12345; printf 12345 >&2'", &o);
    assert_text(r.out, "12345");
    assert_text(r.err, "12345");
    assert_false(r.out_is_cut || r.err_is_cut);
    child_fini(&r);
    r = run_text("sh -c 'printf 12345678; for i in 123 456 789; do printf $i >&2; done'", &o);
    assert_text(r.out, "12345"); // the first
    assert_text(r.err, "56789"); // the last
    assert_true(r.out_is_cut && r.err_is_cut);
    child_fini(&r);
    // More than any pipe holds.
    r = run_text("dd if=/dev/zero bs=65536 count=64 status=none", &o);
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.out.n, 5);
    child_fini(&r);
}

static void child_reads_nothing_and_leaves_nobody(void **state)
{
    (void)state;
    const struct child_options o = {.out_bytes = 32};
    struct child_result r = run_text("cat", &o); // standard input is at its end
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.out.n, 0);
    child_fini(&r);
    r = run_text("sh -c 'sleep 1000 & echo $!'", &o);
    assert_int_equal(r.end, CHILD_EXITED);
    char number[32] = {0};
    memcpy(number, r.out.p, r.out.n < sizeof number - 1 ? r.out.n : sizeof number - 1);
    pid_t left = (pid_t)strtol(number, NULL, 10);
    child_fini(&r);
    assert_true(left > 1);
    while (kill(left, 0) == 0) { // it was killed; until somebody buried it, it still counts
        char path[64], text[512] = {0};
        snprintf(path, sizeof path, "/proc/%d/stat", (int)left);
        FILE *file = fopen(path, "r");
        if (!file) {
            break;
        }
        size_t n = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        if (n > 0 && strstr(text, ") Z ")) {
            break;
        }
    }
}

// Signals that we ignore are not ignored there.
static void child_has_the_signals_of_any_program(void **state)
{
    (void)state;
    const struct child_options o = {0};
    void (*was)(int) = signal(SIGPIPE, SIG_IGN);
    struct child_result r = run_text("sh -c 'kill -PIPE $$'", &o);
    signal(SIGPIPE, was);
    assert_int_equal(r.end, CHILD_SIGNALLED);
    assert_int_equal(r.status, SIGPIPE);
    child_fini(&r);
}

static void child_memory_is_its_own(void **state)
{
    (void)state;
    const struct child_options o = {0};
    struct child_result r = run_text("dd if=/dev/zero of=/dev/null bs=64M count=1 status=none", &o);
    assert_in_range(r.peak_bytes, 64 * MIB, 70 * MIB);
    assert_false(r.peak_is_ours);
    child_fini(&r);
    // Once we are larger than that, its figure is ours, and told to be.
    volatile char *large = malloc(100 * MIB);
    for (size_t i = 0; i < 100 * MIB; i += 4096) {
        large[i] = 1;
    }
    r = run_text("dd if=/dev/zero of=/dev/null bs=64M count=1 status=none", &o);
    free((void *)(uintptr_t)large);
    assert_true(r.peak_is_ours && r.peak_bytes >= 99 * MIB); // counts per processor are pending
    child_fini(&r);
}

static void child_time_is_its_own(void **state)
{
    (void)state;
    const struct child_options o = {.cpus = 1};
    struct child_result r =
        run_text("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'", &o);
    assert_int_equal(r.status, 0);
    assert_true(r.user_ns > 10000000); // no shell counts faster than 30 a us
    // On one processor it had no more than its wall-clock time, up to the kernel's ticks.
    assert_true(r.user_ns + r.system_ns <= r.wall_ns + 20000000);
    child_fini(&r);
}

static void child_has_the_processors_that_were_asked_for(void **state)
{
    (void)state;
    struct child_options o = {.cpus = 1, .out_bytes = 16};
    struct child_result r = run_text("nproc", &o);
    assert_text(r.out, "1\n");
    child_fini(&r);
    char all[16];
    snprintf(all, sizeof all, "%u\n", child_cpus_allowed());
    o.cpus = 0;
    r = run_text("nproc", &o);
    assert_text(r.out, all);
    child_fini(&r);
    assert_true(child_cpus_allowed() <= child_cpus_online());
}

// --- an interrupt ---

static volatile bool stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = true;
}

static void child_is_interrupted_with_us(void **state)
{
    (void)state;
    const struct child_options o = {.stop = &stopped, .out_bytes = 64};
    char text[128];
    struct sigaction action = {.sa_handler = on_signal}, was;
    sigaction(SIGINT, &action, &was);
    stopped = false;
    // It is the one who interrupts us, and waits for what that brings.
    snprintf(text, sizeof text,
             "sh -c 'trap \"echo heard; exit 3\" INT; kill -INT %d; while :; do :; done'",
             (int)getpid());
    struct child_result r = run_text(text, &o);
    assert_int_equal(r.end, CHILD_INTERRUPTED);
    assert_int_equal(r.status, 3);
    assert_text(r.out, "heard\n");
    child_fini(&r);
    // One that does not listen is killed.
    stopped = false;
    snprintf(text, sizeof text, "sh -c 'trap \"\" INT; kill -INT %d; while :; do :; done'",
             (int)getpid());
    r = run_text(text, &o);
    assert_int_equal(r.end, CHILD_INTERRUPTED);
    assert_int_equal(r.status, SIGKILL);
    child_fini(&r);
    sigaction(SIGINT, &was, NULL);
}

// --- in turns ---

struct heard {
    char order[64];
    size_t n;
    uint32_t total;
};

static void hear(void *context, const struct series_at *at)
{
    struct heard *h = context;
    assert_int_equal(at->done, h->n / 2);
    h->order[h->n++] = (char)('a' + at->arm);
    h->order[h->n++] = (char)('0' + at->run);
    h->total = at->total;
}

static void series_runs_in_turns_after_warming_up(void **state)
{
    (void)state;
    const char *const words[] = {"true"};
    struct command c;
    struct heard h = {0};
    command_of(&c, words, 1);
    const struct series_arm arms[] = {
        {.name = "a", .command = &c}, {.name = "b", .command = &c}, {.name = "c", .command = &c}};
    const struct series_options o = {.runs = 2, .before = hear, .context = &h};
    struct series s;
    double values[2];
    assert_int_equal(series_run(&s, arms, 3, &o), SERIES_DONE);
    assert_string_equal(h.order, "a0b0c0a1b1c1a2b2c2");
    assert_int_equal(h.total, 9);
    assert_int_equal(s.runs, 2);
    series_values(&s, 2, SERIES_WALL, values);
    assert_true(values[0] > 0 && values[1] > 0);
    assert_true(values[1] * 1e9 - (double)series_sample(&s, 2, 1)->wall_ns < 1);
    series_fini(&s);
    command_fini(&c);
}

static void series_ends_with_the_run_that_fails(void **state)
{
    (void)state;
    const char *const good[] = {"true"}, *const bad[] = {"sh", "-c",
                                                         "echo first >&2; echo last >&2; exit 4"};
    struct command a, b;
    command_of(&a, good, 1);
    command_of(&b, bad, 3);
    struct series_arm arms[] = {{.name = "a", .command = &a}, {.name = "b", .command = &b}};
    const struct series_options o = {.runs = 3};
    struct series s;
    assert_int_equal(series_run(&s, arms, 2, &o), SERIES_FAILED);
    assert_int_equal(s.at.arm, 1);
    assert_int_equal(s.at.run, 0);
    assert_int_equal(s.runs, 0);
    assert_int_equal(s.failed.status, 4);
    assert_text(s.failed.err, "first\nlast\n");
    series_fini(&s);
    arms[1].any_status = true;
    assert_int_equal(series_run(&s, arms, 2, &o), SERIES_DONE);
    assert_int_equal(s.runs, 3);
    series_fini(&s);
    command_fini(&b);
    const char *const none[] = {"/nowhere/at/all"};
    command_of(&b, none, 1);
    assert_int_equal(series_run(&s, arms, 2, &o), SERIES_NOT_STARTED);
    assert_int_equal(s.error, ENOENT);
    series_fini(&s);
    command_fini(&b);
    command_fini(&a);
}

static void series_that_is_stopped_has_its_whole_rounds(void **state)
{
    (void)state;
    const char *const good[] = {"true"};
    struct command a, b;
    char kills[64];
    // Until the round of number 2 it is quiet: a file of its own would be needed otherwise.
    snprintf(kills, sizeof kills, "kill -INT %d", (int)getpid());
    const char *const words[] = {"sh", "-c", kills};
    struct sigaction action = {.sa_handler = on_signal}, was;
    sigaction(SIGINT, &action, &was);
    command_of(&a, good, 1);
    command_of(&b, words, 3);
    const struct series_arm arms[] = {{.name = "a", .command = &a}, {.name = "b", .command = &b}};
    const struct series_options o = {.runs = 3, .stop = &stopped};
    struct series s;
    stopped = false;
    assert_int_equal(series_run(&s, arms, 2, &o), SERIES_INTERRUPTED);
    assert_int_equal(s.runs, 0);
    series_fini(&s);
    sigaction(SIGINT, &was, NULL);
    command_fini(&b);
    command_fini(&a);
}

// --- aside ---

struct answer {
    int number;
    pid_t who;
};

static void add_one(void *context, void *answer)
{
    struct answer *a = answer;
    a->number = *(const int *)context + 1;
    a->who = getpid();
}

static void die(void *context, void *answer)
{
    (void)context;
    add_one(context, answer);
    raise(SIGKILL);
}

static void wait_for_ever(void *context, void *answer)
{
    (void)context;
    (void)answer;
    for (;;) {
        pause();
    }
}

static void aside_answers_from_another_process(void **state)
{
    (void)state;
    int number = 41;
    struct answer a = {7, 0};
    assert_true(aside_run(add_one, &number, &a, sizeof a, NULL));
    assert_int_equal(a.number, 42);
    assert_true(a.who > 0 && a.who != getpid());
    a.number = 7;
    assert_false(aside_run(die, &number, &a, sizeof a, NULL));
    assert_int_equal(a.number, 7);
    stopped = true;
    assert_false(aside_run(wait_for_ever, NULL, &a, sizeof a, &stopped));
    assert_int_equal(a.number, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(child_memory_is_its_own), // first: while we are small
        cmocka_unit_test(child_exit_status_is_told),
        cmocka_unit_test(child_signal_is_told),
        cmocka_unit_test(child_that_is_not_there_is_an_error),
        cmocka_unit_test(child_past_its_limit_is_killed_with_its_group),
        cmocka_unit_test(child_output_is_kept_within_its_room),
        cmocka_unit_test(child_reads_nothing_and_leaves_nobody),
        cmocka_unit_test(child_has_the_signals_of_any_program),
        cmocka_unit_test(child_time_is_its_own),
        cmocka_unit_test(child_has_the_processors_that_were_asked_for),
        cmocka_unit_test(child_is_interrupted_with_us),
        cmocka_unit_test(series_runs_in_turns_after_warming_up),
        cmocka_unit_test(series_ends_with_the_run_that_fails),
        cmocka_unit_test(series_that_is_stopped_has_its_whole_rounds),
        cmocka_unit_test(aside_answers_from_another_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
