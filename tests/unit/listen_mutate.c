// Reads captures that were cut and changed, thousands of each, and holds every report to what must
// always be true of one.
//
// usage: listen_mutate [--sample N] [--seed S] [FILE|DIRECTORY ...]
//
// Each file is cut at every length where it is small, else around record borders and at seeded
// places; then single bytes are changed at seeded places. With --sample N: N cuts and N changes of
// each. Without a file it mutates captures of its own, 300 cuts and changes of each. What goes
// wrong is told with file, kind, offset and seed; the last line counts the files: "N passed, N
// failed".
#include "flow_traffic.h"
#include "mixed.h"
#include "own_captures.h"
#include "report_dump.h"
#include "report_rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

// Files up to here are cut at every length.
#define SMALL_BYTES 65536
#define PLACES      1000
#define OWN_PLACES  300
// One variant may take so long; the usual one takes a millisecond, twenty under a sanitizer.
#define LIMIT_S 20
// Every so many variants the report of another number of cores and other chunks must be equal.
#define COMPARE_EACH 37

#if defined(__SANITIZE_ADDRESS__)
#define GROWTH_KIB (512 * 1024) // freed memory waits in quarantine
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    // Its own handlers tell more than ours; what was read is told by on_death.
    return "quarantine_size_mb=16:handle_abort=1";
}
void __sanitizer_set_death_callback(void (*callback)(void));
#else
#define GROWTH_KIB (64 * 1024)
#endif

// The variant that is being read: told when it goes wrong, also from a signal.
static struct {
    const char *file, *kind;
    size_t offset;
    unsigned byte;
    uint64_t seed;
} now;

static uint64_t variants;

static void tell(FILE *to, const char *what)
{
    fprintf(to, "# %s: %s at %zu (byte %02x, seed %llu): %s\n", now.file, now.kind, now.offset,
            now.byte, (unsigned long long)now.seed, what);
    fflush(to);
}

static void tell_fault(const char *what)
{
    tell(stdout, what);
}

static void on_signal(int number)
{
    signal(number, SIG_DFL);
    // stdio in a handler: the program is over, and the variant must be known.
    tell(stdout, number == SIGALRM ? "no end within the time limit" : "crashed");
    abort();
}

#if defined(__SANITIZE_ADDRESS__)
static void on_death(void)
{
    tell(stdout, "found by a sanitizer");
}
#endif

// --- variants of one file ---

static void compare(const char *path, const struct sidetone_report *r)
{
    static const size_t CHUNKS[] = {300, 4096, 0};
    struct sidetone_read_options options = {.cores = 1 + (unsigned)(variants / COMPARE_EACH % 3),
                                            .chunk_bytes = CHUNKS[variants / COMPARE_EACH % 2]};
    struct sidetone_report *other;
    sidetone_read(&path, 1, &options, &other);
    char *a = report_dump(r);
    char *b = report_dump(other);
    if (strcmp(a, b) != 0) {
        rules_fault("the report depends on cores or chunks");
        printf("--- cores 1\n%s--- cores %u, chunks %zu\n%s", a, options.cores, options.chunk_bytes,
               b);
    }
    free(a);
    free(b);
    sidetone_report_free(other);
}

static void read_variant(const char *path, struct sidetone_scratch *scratch)
{
    struct sidetone_read_options options = {.cores = 1};
    struct sidetone_report *report;
    alarm(LIMIT_S);
    int status = sidetone_read(&path, 1, &options, &report);
    if (status != SIDETONE_FAILED &&
        (status == SIDETONE_OK) != sidetone_report_capture(report)->complete) {
        rules_fault("status and completeness differ");
    }
    rules_check(report, scratch);
    if (variants++ % COMPARE_EACH == 0) {
        compare(path, report);
    }
    sidetone_report_free(report);
}

// --- variants ---

struct file {
    const uint8_t *p;
    size_t n;
    struct capture_file memory;
    struct sidetone_scratch *scratch;
};

static void cut(struct file *f, size_t length)
{
    now.kind = "cut";
    now.offset = length;
    if (ftruncate(f->memory.fd, (off_t)length) != 0) {
        perror("ftruncate");
        exit(1);
    }
    read_variant(f->memory.path, f->scratch);
}

static void whole_again(const struct file *f)
{
    if (ftruncate(f->memory.fd, 0) != 0 || pwrite(f->memory.fd, f->p, f->n, 0) != (ssize_t)f->n) {
        perror("pwrite");
        exit(1);
    }
}

static int compare_places(const void *left, const void *right)
{
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

// Record borders of a pcap in our byte order; other formats are cut at seeded places alone.
static size_t next_border(const struct file *f, size_t at)
{
    bool plain = f->n > 24 && (le32(f->p) == 0xa1b2c3d4 || le32(f->p) == 0xa1b23c4d);
    if (!plain || at + 16 > f->n) {
        return f->n;
    }
    size_t next = at + 16 + le32(f->p + at + 8);
    return next < f->n ? next : f->n;
}

// Longest first, so that each cut only shortens the file.
static void cut_some(struct file *f, struct random *rng, size_t count, bool with_borders)
{
    size_t room = count + 9 * (f->n / 16 + 2);
    size_t *places = malloc(room * sizeof *places);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        places[n++] = (size_t)random_below(rng, f->n + 1);
    }
    for (size_t at = 24; with_borders && at < f->n && n + 9 < room; at = next_border(f, at)) {
        for (size_t k = 0; k < 9; k++) {
            places[n++] = at + k >= 4 && at + k - 4 <= f->n ? at + k - 4 : 0;
        }
    }
    qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || places[i] != places[i - 1]) {
            cut(f, places[i]);
        }
    }
    free(places);
}

static uint8_t changed(struct random *rng, uint8_t old)
{
    static const uint8_t HARD[] = {0x00, 0xff, 0x7f, 0x80, 0x01, 0xfe, '\r', '\n', ' ', ':', '"'};
    switch (random_below(rng, 4)) {
    case 0:
        return (uint8_t)(old ^ 1u << random_below(rng, 8));
    case 1:
        return HARD[random_below(rng, sizeof HARD)];
    case 2:
        return (uint8_t)(old + (random_below(rng, 2) ? 1 : -1));
    }
    return (uint8_t)random_u64(rng);
}

static void change(struct file *f, struct random *rng, size_t count)
{
    now.kind = "change";
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)random_below(rng, f->n);
        uint8_t byte = changed(rng, f->p[at]);
        now.offset = at;
        now.byte = byte;
        if (pwrite(f->memory.fd, &byte, 1, (off_t)at) != 1) {
            perror("pwrite");
            exit(1);
        }
        read_variant(f->memory.path, f->scratch);
        if (pwrite(f->memory.fd, f->p + at, 1, (off_t)at) != 1) {
            perror("pwrite");
            exit(1);
        }
    }
    now.byte = 0;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// Returns whether all was well.
static bool mutate(const char *name, const uint8_t *p, size_t n, size_t sample, uint64_t seed)
{
    struct file f = {p, n, capture_file(p, n), sidetone_scratch_new()};
    struct random rng;
    struct timespec began, ended;
    uint64_t faults_before = rules_faults, variants_before = variants;
    clock_gettime(CLOCK_MONOTONIC, &began);
    random_init(&rng, hash_bytes(name, strlen(name), seed));
    now.file = name;
    now.seed = seed;
    now.kind = "whole";
    now.offset = n;
    now.byte = 0;
    read_variant(f.memory.path, f.scratch);
    long peak = peak_kib();
    if (sample > 0) {
        cut_some(&f, &rng, sample, false);
    } else if (n < SMALL_BYTES) {
        for (size_t length = n; length-- > 0;) {
            cut(&f, length);
        }
    } else {
        cut_some(&f, &rng, PLACES, true);
    }
    whole_again(&f);
    if (n > 0) {
        change(&f, &rng, sample > 0 ? sample : PLACES);
    }
    alarm(0);
    if (peak_kib() - peak > GROWTH_KIB) {
        rules_fault("memory grew");
    }
    sidetone_scratch_free(f.scratch);
    capture_file_close(&f.memory);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("# %s: %llu variants, %.1f s\n", name, (unsigned long long)(variants - variants_before),
           (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9);
    fflush(stdout);
    return rules_faults == faults_before;
}

// --- files ---

struct outcome {
    unsigned passed, failed;
};

static void mutate_bytes(struct outcome *o, const char *name, const struct bytes *b, size_t sample,
                         uint64_t seed)
{
    bool ok = mutate(name, b->p, b->n, sample, seed);
    o->passed += ok;
    o->failed += !ok;
}

static void mutate_file(struct outcome *o, const char *path, size_t sample, uint64_t seed)
{
    struct bytes b = {0};
    uint8_t piece[65536];
    ssize_t got;
    int fd = open(path, O_RDONLY);
    while (fd >= 0 && (got = read(fd, piece, sizeof piece)) > 0) {
        bytes_put(&b, piece, (size_t)got);
    }
    if (fd < 0 || got < 0) {
        perror(path);
        o->failed++;
    } else {
        mutate_bytes(o, path, &b, sample, seed);
    }
    close(fd);
    bytes_free(&b);
}

static int is_capture(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot &&
           (strcmp(dot, ".pcap") == 0 || strcmp(dot, ".pcapng") == 0 || strcmp(dot, ".cap") == 0);
}

static void mutate_path(struct outcome *o, const char *path, size_t sample, uint64_t seed)
{
    struct dirent **entries;
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        mutate_file(o, path, sample, seed);
        return;
    }
    int count = scandir(path, &entries, is_capture, alphasort);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        mutate_file(o, name, sample, seed);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

static void mutate_mixed(struct outcome *o, size_t sample, uint64_t seed)
{
    struct mixed m;
    mixed_make(&m, seed, 3);
    for (int ng = 0; ng < 2; ng++) {
        struct bytes b = {0};
        if (ng) {
            mixed_pcapng(&m, &b);
        } else {
            mixed_pcap(&m, &b, LINK_ETHERNET);
        }
        mutate_bytes(o, ng ? "mixed pcapng" : "mixed pcap", &b, sample, seed);
        bytes_free(&b);
    }
    mixed_free(&m);
}

static void mutate_flows(struct outcome *o, size_t sample, uint64_t seed)
{
    struct flow_frames f;
    flow_traffic(&f, seed, 2);
    for (int ng = 0; ng < 2; ng++) {
        struct bytes b = {0};
        if (ng) {
            flow_pcapng(&f, &b);
        } else {
            flow_pcap(&f, &b);
        }
        mutate_bytes(o, ng ? "flows pcapng" : "flows pcap", &b, sample, seed);
        bytes_free(&b);
    }
    flow_frames_free(&f);
}

static void mutate_own(struct outcome *o, size_t sample, uint64_t seed)
{
    static const uint32_t LINKS[] = {LINK_NULL, LINK_ETHERNET, LINK_RAW, LINK_SLL, LINK_SLL2};
    for (size_t i = 0; i < sizeof LINKS / sizeof LINKS[0]; i++) {
        struct bytes b = {0};
        char name[64];
        snprintf(name, sizeof name, "own pcap, link type %u", LINKS[i]);
        own_pcap(&b, LINKS[i]);
        mutate_bytes(o, name, &b, sample, seed);
        bytes_free(&b);
    }
    for (int big = 0; big < 2; big++) {
        struct bytes b = {0};
        own_pcapng(&b, big != 0);
        mutate_bytes(o, big ? "own pcapng, big-endian" : "own pcapng", &b, sample, seed);
        bytes_free(&b);
    }
    mutate_mixed(o, sample, seed);
    mutate_flows(o, sample, seed);
}

int main(int argc, char **argv)
{
    struct outcome o = {0};
    size_t sample = 0;
    uint64_t seed = 1;
    int at = 1;
    rules_tell = tell_fault;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        unsigned long long value = strtoull(argv[at + 1], NULL, 0);
        if (strcmp(argv[at], "--sample") == 0) {
            sample = (size_t)value;
        } else if (strcmp(argv[at], "--seed") == 0) {
            seed = value;
        } else {
            fprintf(stderr, "usage: %s [--sample N] [--seed S] [FILE|DIRECTORY ...]\n", argv[0]);
            return 2;
        }
    }
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(on_death);
    static const int SIGNALS[] = {SIGALRM};
#else
    static const int SIGNALS[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#endif
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        signal(SIGNALS[i], on_signal);
    }
    if (at == argc) {
        mutate_own(&o, sample > 0 ? sample : OWN_PLACES, seed);
    }
    for (; at < argc; at++) {
        mutate_path(&o, argv[at], sample, seed);
    }
    printf("# seed %llu, %llu variants, %llu faults\n", (unsigned long long)seed,
           (unsigned long long)variants, (unsigned long long)rules_faults);
    printf("%u passed, %u failed\n", o.passed, o.failed);
    return o.failed > 0 ? 1 : 0;
}
