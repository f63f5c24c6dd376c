// Tests of what pcapng says of packets that the capture lost: the same for every way to cut the
// file into chunks, and held against a plain count.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "capture.h"
#include "sidetone/read.h"

#include <pthread.h>

#define INTERFACES 40

static void put64(struct bytes *b, uint64_t v, bool big)
{
    bytes_put32(b, (uint32_t)(big ? v >> 32 : v), big);
    bytes_put32(b, (uint32_t)(big ? v : v >> 32), big);
}

// `by_system` is left out where it is 0.
static void ng_statistics(struct bytes *b, bool big, uint32_t interface, uint64_t dropped,
                          uint64_t by_system)
{
    uint32_t n = by_system ? 48 : 36;
    bytes_put32(b, 5, big);
    bytes_put32(b, n, big);
    bytes_put32(b, interface, big);
    put64(b, 0, big);
    bytes_put32(b, big ? 5u << 16 | 8 : 5 | 8u << 16, big);
    put64(b, dropped, big);
    if (by_system) {
        bytes_put32(b, big ? 7u << 16 | 8 : 7 | 8u << 16, big);
        put64(b, by_system, big);
    }
    bytes_put32(b, n, big);
}

// Sections with packets and counts between them; returns what must come of it.
static uint64_t random_drops(struct random *rng, struct bytes *b)
{
    uint64_t all = 0;
    for (uint64_t section = 1 + random_below(rng, 4); section > 0; section--) {
        bool big = random_below(rng, 2) == 0;
        uint64_t newest[INTERFACES] = {0};
        uint64_t described = 0;
        ng_section(b, big);
        for (uint64_t i = random_below(rng, 200); i > 0; i--) {
            uint32_t interface = (uint32_t)random_below(rng, INTERFACES);
            uint64_t what = random_below(rng, 10);
            if (what == 0 && described < INTERFACES) {
                ng_interface(b, big, LINK_ETHERNET, 6);
                described++;
            } else if (what < 5 && described > 0) {
                uint8_t frame[64] = {0};
                ng_packet(b, big, 0, 1700000000000000, frame, random_below(rng, sizeof frame));
            } else {
                uint64_t dropped = random_below(rng, 1000);
                uint64_t by_system = random_below(rng, 3) * 7;
                ng_statistics(b, big, interface, dropped, by_system);
                newest[interface] = interface < described ? dropped + by_system : newest[interface];
            }
        }
        for (size_t i = 0; i < INTERFACES; i++) {
            all += newest[i];
        }
    }
    return all;
}

static uint64_t dropped_of(const char *path, unsigned cores, size_t chunk_bytes)
{
    struct sidetone_read_options options = {.cores = cores, .chunk_bytes = chunk_bytes};
    struct sidetone_report *report;
    assert_int_equal(sidetone_read(&path, 1, &options, &report), SIDETONE_OK);
    const struct sidetone_capture *c = sidetone_report_capture(report);
    uint64_t dropped = c->dropped;
    assert_true(c->complete);
    assert_int_equal(c->warning_count, dropped > 0);
    sidetone_report_free(report);
    return dropped;
}

struct writer {
    const struct bytes *b;
    int fd;
};

static void *write_slowly(void *context)
{
    const struct writer *w = context;
    for (size_t at = 0; at < w->b->n;) {
        size_t n = w->b->n - at < 100 ? w->b->n - at : 100;
        ssize_t wrote = write(w->fd, w->b->p + at, n);
        if (wrote <= 0) {
            break;
        }
        at += (size_t)wrote;
    }
    close(w->fd);
    return NULL;
}

static void drops_are_the_same_for_every_chunk_and_from_a_pipe(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_drops", 75);
    static const size_t CHUNKS[] = {24, 100, 1000, 5000, 0};
    for (size_t round = 0; round < capture_rounds(150); round++) {
        struct random rng;
        random_init(&rng, seed + round);
        struct bytes b = {0};
        uint64_t want = random_drops(&rng, &b);
        struct capture_file file = capture_file(b.p, b.n);
        for (size_t i = 0; i < sizeof CHUNKS / sizeof CHUNKS[0]; i++) {
            assert_int_equal(dropped_of(file.path, 1 + i % 2, CHUNKS[i]), want);
        }
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        struct writer w = {&b, ends[1]};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, write_slowly, &w), 0);
        char path[32];
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        assert_int_equal(dropped_of(path, 1, 1000), want);
        pthread_join(thread, NULL);
        close(ends[0]);
        capture_file_close(&file);
        bytes_free(&b);
    }
}

// Counts of several files add up and stay at the border of 64 bits.
static void drops_of_several_files_add_up(void **state)
{
    (void)state;
    struct bytes b[2] = {{0}, {0}};
    struct capture_file files[2];
    for (int i = 0; i < 2; i++) {
        ng_section(&b[i], false);
        ng_interface(&b[i], false, LINK_ETHERNET, 6);
        ng_packet(&b[i], false, 0, 1700000000000000, "", 0);
        ng_statistics(&b[i], false, 0, i == 0 ? 1000 : 1, 0);
        files[i] = capture_file(b[i].p, b[i].n);
    }
    const char *paths[] = {files[0].path, files[1].path};
    struct sidetone_report *report;
    assert_int_equal(sidetone_read(paths, 2, NULL, &report), SIDETONE_OK);
    assert_int_equal(sidetone_report_capture(report)->dropped, 1001);
    assert_int_equal(sidetone_report_capture(report)->warning_count, 2);
    sidetone_report_free(report);
    ng_statistics(&b[1], false, 0, UINT64_MAX - 5, 0);
    capture_file_close(&files[1]);
    files[1] = capture_file(b[1].p, b[1].n);
    paths[1] = files[1].path;
    assert_int_equal(sidetone_read(paths, 2, NULL, &report), SIDETONE_OK);
    assert_true(sidetone_report_capture(report)->dropped == UINT64_MAX);
    sidetone_report_free(report);
    for (int i = 0; i < 2; i++) {
        capture_file_close(&files[i]);
        bytes_free(&b[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_are_the_same_for_every_chunk_and_from_a_pipe),
        cmocka_unit_test(drops_of_several_files_add_up),
    };
    return cmocka_run_group_tests_name("listen_drops", tests, NULL, NULL);
}
