// Tests of many inputs at once: hundreds of files that overlap, with few descriptors and little
// memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mixed.h"
#include "pack.h"
#include "read/unpack_stream.h"
#include "report_dump.h"

#include <dirent.h>
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

static void put_files(const struct bytes *parts)
{
    for (int i = 0; i < FILES; i++) {
        unlink(paths[i]);
        int fd = open(paths[i], O_WRONLY | O_CREAT, 0600);
        assert_true(fd >= 0 && write(fd, parts[i].p, parts[i].n) == (ssize_t)parts[i].n);
        close(fd);
    }
}

static void drop_files(void)
{
    for (int i = 0; i < FILES; i++) {
        unlink(paths[i]);
    }
    rmdir(folder);
}

// The largest number of threads that was seen while reading.
static void count_threads(void *context, const struct sidetone_progress *progress)
{
    unsigned *most = context;
    unsigned n = 0;
    (void)progress;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *d = readdir(tasks); d; d = readdir(tasks)) {
        n += d->d_name[0] != '.';
    }
    closedir(tasks);
    *most = n > *most ? n : *most;
}

static char *read_folder(unsigned cores, size_t chunk_bytes)
{
    const char *path = folder;
    unsigned threads = 0;
    struct sidetone_read_options options = {.cores = cores,
                                            .chunk_bytes = chunk_bytes,
                                            .on_progress = count_threads,
                                            .context = &threads};
    struct sidetone_report *report;
    assert_int_equal(sidetone_read(&path, 1, &options, &report), SIDETONE_OK);
    assert_int_equal(sidetone_report_capture(report)->warning_count, 0);
    char *text = report_dump(report);
    sidetone_report_free(report);
    assert_true(threads <= cores + UNPACK_THREADS_MAX + 2); // sanitizers have one of their own
    return text;
}

// Packets of one capture dealt out to all files in turn, so that every file overlaps every other.
static void deal(struct bytes *parts)
{
    struct mixed m;
    mixed_make(&m, capture_seed("listen_many", 1), 30);
    assert_true(m.n > FILES * 3);
    for (int i = 0; i < FILES; i++) {
        pcap_begin(&parts[i], LINK_ETHERNET);
    }
    for (size_t i = 0; i < m.n; i++) {
        mixed_put(&parts[i % FILES], &m.packets[i], LINK_ETHERNET);
    }
    mixed_free(&m);
}

static void pack_files(const struct bytes *parts, enum unpack_kind kind)
{
    static struct bytes packed[FILES];
    for (int i = 0; i < FILES; i++) {
        packed[i].n = 0;
        pack(&packed[i], kind, parts[i].p, parts[i].n);
    }
    put_files(packed);
    for (int i = 0; i < FILES; i++) {
        bytes_free(&packed[i]);
    }
}

static void files_that_overlap_are_read_with_few_descriptors_and_threads(void **state)
{
    (void)state;
    static struct bytes parts[FILES];
    struct rlimit before, few;
    char *texts[5];
    deal(parts);
    name_files();
    put_files(parts);
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &few);
    texts[0] = read_folder(1, 0);
    texts[1] = read_folder(2, 300);
    for (enum unpack_kind kind = UNPACK_GZIP; kind <= UNPACK_LZ4; kind++) {
        pack_files(parts, kind);
        texts[1 + (int)kind] = read_folder(2, kind == UNPACK_ZSTD ? 300 : 0);
    }
    setrlimit(RLIMIT_NOFILE, &before);
    drop_files();
    for (int i = 1; i < 5; i++) {
        assert_string_equal(texts[i], texts[0]);
        free(texts[i]);
    }
    free(texts[0]);
    for (int i = 0; i < FILES; i++) {
        bytes_free(&parts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_overlap_are_read_with_few_descriptors_and_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
