// Tests that two processes make the same report of one capture: what is random in a process, to
// keep strangers from filling tables unevenly, must not show.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mixed.h"
#include "report_dump.h"

#include <sys/wait.h>

#define PROCESSES 4
// Datagrams that look like RTP: more than are remembered until a second one proves them.
#define STRANGERS 25000
// Messages at one moment: more than frames are remembered for telling copies.
#define CROWD 40000

static void put_strangers(struct mixed *m, struct bytes *b)
{
    for (int i = 0; i < STRANGERS; i++) {
        struct frame_path path = capture_path(
            (uint8_t)random_u64(&m->rng), (uint16_t)(1024 + random_below(&m->rng, 60000)),
            (uint8_t)random_u64(&m->rng), (uint16_t)(1024 + random_below(&m->rng, 60000)));
        uint8_t payload[64], frame[CAPTURE_FRAME_ROOM];
        uint16_t sequence = (uint16_t)random_u64(&m->rng);
        size_t n = capture_rtp(payload, 0, false, sequence, 0, (uint32_t)i, 20);
        size_t frame_n = capture_frame(frame, LINK_ETHERNET, &path, 1, payload, n);
        pcap_add(b, CAPTURE_START_NS + i * MS, frame, frame_n);
    }
}

// All at once, as files without times have it.
static void put_crowd(struct bytes *b)
{
    for (int i = 0; i < 2 * CROWD; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i % CROWD);
        pcap_options(b, 0, id);
    }
}

// The report that a fresh process makes, as text.
static char *report_of_a_process(const struct bytes *b)
{
    struct capture_file out = capture_file("", 0);
    pid_t child = fork();
    if (child == 0) {
        struct capture_file file = capture_file(b->p, b->n);
        struct sidetone_read_options options = {.cores = 2};
        struct sidetone_report *report;
        const char *path = file.path;
        sidetone_read(&path, 1, &options, &report);
        char *text = report_dump(report);
        for (size_t at = 0, n = strlen(text); at < n;) {
            ssize_t wrote = write(out.fd, text + at, n - at);
            if (wrote <= 0) {
                _exit(1);
            }
            at += (size_t)wrote;
        }
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    off_t n = lseek(out.fd, 0, SEEK_END);
    char *text = malloc((size_t)n + 1);
    assert_true(pread(out.fd, text, (size_t)n, 0) == n);
    text[n] = '\0';
    capture_file_close(&out);
    return text;
}

static void check_processes(const struct bytes *b)
{
    char *first = report_of_a_process(b);
    for (int i = 1; i < PROCESSES; i++) {
        char *other = report_of_a_process(b);
        if (strcmp(first, other) != 0) {
            print_error("- %.1200s\n+ %.1200s\n", first, other);
            fail();
        }
        free(other);
    }
    free(first);
}

static void report_of_strangers_is_the_same_in_every_process(void **state)
{
    (void)state;
    struct mixed m;
    struct bytes b = {0};
    mixed_make(&m, capture_seed("listen_processes", 1), 3);
    mixed_pcap(&m, &b, LINK_ETHERNET);
    put_strangers(&m, &b);
    check_processes(&b);
    bytes_free(&b);
    mixed_free(&m);
}

static void report_of_a_crowd_is_the_same_in_every_process(void **state)
{
    (void)state;
    struct bytes b = {0};
    pcap_begin(&b, LINK_ETHERNET);
    put_crowd(&b);
    check_processes(&b);
    bytes_free(&b);
}

// No test here may read anything itself: what is random is made once in a process.
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_of_strangers_is_the_same_in_every_process),
        cmocka_unit_test(report_of_a_crowd_is_the_same_in_every_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
