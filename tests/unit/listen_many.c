// Tests of many inputs at once: hundreds of files that overlap, with few descriptors and little
// memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mixed.h"
#include "report_dump.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define FILES       300
#define DESCRIPTORS 64

static char folder[] = "/tmp/sidetone-test-XXXXXX";
static char paths[FILES][64];

static void name_files(void)
{
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < FILES; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%03d.pcap", folder, i);
    }
}

static void put_files(struct bytes *parts)
{
    for (int i = 0; i < FILES; i++) {
        int fd = open(paths[i], O_WRONLY | O_CREAT, 0600);
        assert_true(fd >= 0 && write(fd, parts[i].p, parts[i].n) == (ssize_t)parts[i].n);
        close(fd);
        bytes_free(&parts[i]);
    }
}

static void drop_files(void)
{
    for (int i = 0; i < FILES; i++) {
        unlink(paths[i]);
    }
    rmdir(folder);
}

static char *read_folder(unsigned cores, size_t chunk_bytes)
{
    const char *path = folder;
    struct sidetone_read_options options = {.cores = cores, .chunk_bytes = chunk_bytes};
    struct sidetone_report *report;
    assert_int_equal(sidetone_read(&path, 1, &options, &report), SIDETONE_OK);
    assert_int_equal(sidetone_report_capture(report)->warning_count, 0);
    char *text = report_dump(report);
    sidetone_report_free(report);
    return text;
}

// Packets of one capture dealt out to all files in turn, so that every file overlaps every other.
static void files_that_overlap_are_read_with_few_descriptors(void **state)
{
    (void)state;
    static struct bytes parts[FILES];
    struct rlimit before, few;
    struct mixed m;
    uint64_t seed = capture_seed("listen_many", 1);
    mixed_make(&m, seed, 30);
    assert_true(m.n > FILES * 3);
    for (int i = 0; i < FILES; i++) {
        pcap_begin(&parts[i], LINK_ETHERNET);
    }
    for (size_t i = 0; i < m.n; i++) {
        mixed_put(&parts[i % FILES], &m.packets[i], LINK_ETHERNET);
    }
    name_files();
    put_files(parts);
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &few);
    char *want = read_folder(1, 0);
    char *small = read_folder(2, 300);
    setrlimit(RLIMIT_NOFILE, &before);
    bool same = strcmp(want, small) == 0;
    free(want);
    free(small);
    drop_files();
    mixed_free(&m);
    assert_true(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_overlap_are_read_with_few_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
