// Tests that a report does not depend on how a capture is read: cores, chunks, files or a pipe.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mixed.h"
#include "own_captures.h"
#include "pack.h"
#include "read_dump.h"

static void check_cores_and_chunks(const char *const *paths, size_t count, const char *what)
{
    static const unsigned CORES[] = {1, 2, 3, 4, 8};
    static const size_t CHUNKS[] = {300, 4096, 65536, 0};
    char *want = dump_of(paths, count, 1, 0);
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 4; k++) {
            char name[128];
            snprintf(name, sizeof name, "%s: %u cores, chunks of %zu", what, CORES[i], CHUNKS[k]);
            assert_same(dump_of(paths, count, CORES[i], CHUNKS[k]), want, name);
        }
    }
    free(want);
}

static void check_bytes(const struct bytes *b, const char *what)
{
    struct capture_file file = capture_file(b->p, b->n);
    const char *path = file.path;
    check_cores_and_chunks(&path, 1, what);
    capture_file_close(&file);
}

static void report_of_a_pcap_is_the_same_for_all_cores_and_chunks(void **state)
{
    (void)state;
    static const uint32_t LINKS[] = {LINK_ETHERNET, LINK_SLL, LINK_RAW};
    uint64_t seed = capture_seed("listen_same_pcap", 1);
    for (size_t i = 0; i < 3; i++) {
        struct mixed m;
        struct bytes b = {0};
        mixed_make(&m, seed + i, 12);
        mixed_pcap(&m, &b, LINKS[i]);
        check_bytes(&b, "pcap");
        bytes_free(&b);
        mixed_free(&m);
    }
}

static void report_of_a_pcapng_is_the_same_for_all_cores_and_chunks(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_same_pcapng", 10);
    size_t rounds = capture_rounds(4);
    for (size_t i = 0; i < rounds; i++) {
        struct mixed m;
        struct bytes b = {0};
        mixed_make(&m, seed + i, 12);
        mixed_pcapng(&m, &b);
        check_bytes(&b, "pcapng");
        bytes_free(&b);
        mixed_free(&m);
    }
}

static void report_of_a_damaged_capture_is_the_same_for_all_cores_and_chunks(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_same_damaged", 20);
    for (size_t i = 0; i < 6; i++) {
        struct mixed m;
        struct bytes b = {0};
        mixed_make(&m, seed + i, 4);
        if (i & 1) {
            mixed_pcapng(&m, &b);
        } else {
            mixed_pcap(&m, &b, LINK_ETHERNET);
        }
        for (int k = 0; k < 8; k++) { // bytes anywhere, more of them than a guess survives
            b.p[random_below(&m.rng, b.n)] = (uint8_t)random_u64(&m.rng);
        }
        b.n -= (size_t)random_below(&m.rng, 40);
        check_bytes(&b, "damaged");
        bytes_free(&b);
        mixed_free(&m);
    }
}

// Payload that looks like records: guessed borders must be proven wrong.
static void report_of_captures_inside_packets_is_the_same_for_all_chunks(void **state)
{
    (void)state;
    struct bytes inner = {0}, b = {0};
    uint8_t payload[200], frame[CAPTURE_FRAME_ROOM];
    struct frame_path path = capture_path(1, 4000, 2, 5000);
    pcap_begin(&b, LINK_ETHERNET);
    for (uint16_t i = 0; i < 2000; i++) {
        size_t n = capture_rtp(payload, 0, false, i, i * 160u, 7, 20);
        n = capture_frame(frame, LINK_ETHERNET, &path, i, payload, n);
        inner.n = 0;
        for (int k = 0; k < 6; k++) {
            pcap_add(&inner, CAPTURE_START_NS + i * MS, frame, n);
        }
        if (i % 3 == 0) {
            n = capture_frame(frame, LINK_ETHERNET, &path, i, inner.p, inner.n);
        }
        pcap_add(&b, CAPTURE_START_NS + i * 20 * MS, frame, n);
    }
    check_bytes(&b, "captures in packets");
    bytes_free(&b);
    bytes_free(&inner);
}

// --- several files ---

#define FILES_MAX 9

// Calls and streams alone: where a packet was depends on the files.
static char *without_places(char *text)
{
    size_t n = 0;
    for (const char *line = text; *line;) {
        const char *next = strchr(line, '\n') + 1;
        if (strncmp(line, "call ", 5) == 0 || strncmp(line, "stream ", 7) == 0) {
            memmove(text + n, line, (size_t)(next - line));
            n += (size_t)(next - line);
        }
        line = next;
    }
    text[n] = '\0';
    return text;
}

static size_t file_of(struct mixed *m, size_t i, size_t files, bool rotated)
{
    return rotated ? i * files / m->n : (size_t)random_below(&m->rng, files);
}

static void check_split(struct mixed *m, size_t files, bool rotated)
{
    struct bytes one = {0}, parts[FILES_MAX] = {0};
    struct capture_file opened[FILES_MAX + 1];
    const char *paths[FILES_MAX];
    pcap_begin(&one, LINK_ETHERNET);
    for (size_t i = 0; i < files; i++) {
        pcap_begin(&parts[i], i & 1 ? LINK_SLL : LINK_ETHERNET);
    }
    for (size_t i = 0; i < m->n; i++) {
        size_t at = file_of(m, i, files, rotated);
        m->packets[i].time_ns = CAPTURE_START_NS + (int64_t)i * 1000; // no two are equal
        mixed_put(&one, &m->packets[i], LINK_ETHERNET);
        mixed_put(&parts[at], &m->packets[i], at & 1 ? LINK_SLL : LINK_ETHERNET);
    }
    for (size_t i = 0; i < files; i++) {
        opened[i] = capture_file(parts[i].p, parts[i].n);
        paths[i] = opened[i].path;
        bytes_free(&parts[i]);
    }
    opened[files] = capture_file(one.p, one.n);
    const char *whole = opened[files].path;
    char *want = without_places(dump_of(&whole, 1, 1, 0));
    assert_true(strlen(want) > 1000);
    assert_same(without_places(dump_of(paths, files, 1, 0)), want, "split");
    assert_same(without_places(dump_of(paths, files, 3, 4096)), want, "split, small chunks");
    free(want);
    check_cores_and_chunks(paths, files, "several files");
    for (size_t i = 0; i <= files; i++) {
        capture_file_close(&opened[i]);
    }
    bytes_free(&one);
}

static void report_of_several_files_is_that_of_one(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_same_files", 30);
    static const size_t FILES[] = {2, 5, FILES_MAX};
    for (size_t i = 0; i < 6; i++) {
        struct mixed m;
        mixed_make(&m, seed + i, 4);
        check_split(&m, FILES[i / 2], i & 1);
        mixed_free(&m);
    }
}

// --- a pipe ---

static void check_pipe(const struct bytes *b, const char *what)
{
    struct capture_file file = capture_file(b->p, b->n);
    const char *path = file.path;
    char *want = without_warnings(dump_of(&path, 1, 1, 0)); // they name the path
    static const size_t CHUNKS[] = {300, 4096, 0};
    for (size_t i = 0; i < 3; i++) {
        assert_same(without_warnings(dump_of_stdin(b, 1 + (unsigned)i, CHUNKS[i])), want, what);
    }
    free(want);
    capture_file_close(&file);
}

static void report_of_standard_input_is_that_of_the_file(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_same_pipe", 40);
    for (size_t i = 0; i < 4; i++) {
        struct mixed m;
        struct bytes b = {0};
        mixed_make(&m, seed + i, 5);
        if (i & 1) {
            mixed_pcapng(&m, &b);
        } else {
            mixed_pcap(&m, &b, LINK_ETHERNET);
        }
        check_pipe(&b, "pipe");
        b.n -= 17;
        check_pipe(&b, "pipe that ends in a record");
        bytes_free(&b);
        mixed_free(&m);
    }
}

// A block of that type, of which the last bytes are missing.
static void put_cut_block(struct bytes *b, uint32_t type, size_t missing)
{
    size_t at = b->n;
    ng_other(b, false, 300000);
    memcpy(b->p + at, &type, sizeof type);
    b->n -= missing;
}

// What is longer than anybody looks at is passed over; the end of the stream may lie inside.
static void
report_of_standard_input_that_ends_in_what_is_passed_over_is_that_of_the_file(void **state)
{
    (void)state;
    static const uint32_t TYPES[] = {0x0bad0001, 4, 10}; // nobody's, names, secrets
    static const size_t MISSING[] = {0, 4, 4096, 20000, 37000, 37900};
    static uint8_t jumbo[300000];
    for (size_t i = 0; i < sizeof MISSING / sizeof *MISSING; i++) {
        struct bytes b = {0};
        for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++) {
            b.n = 0;
            own_pcapng(&b, false);
            put_cut_block(&b, TYPES[k], MISSING[i]);
            check_pipe(&b, "pipe that ends in a block");
        }
        b.n = 0;
        own_pcap(&b, LINK_ETHERNET);
        pcap_add(&b, CAPTURE_START_NS + 2000 * MS, jumbo, sizeof jumbo);
        b.n -= MISSING[i];
        check_pipe(&b, "pipe that ends in a long record");
        bytes_free(&b);
    }
}

// --- compressed ---

// Two members or frames, the border anywhere.
static void pack_two(struct bytes *packed, enum unpack_kind kind, const struct bytes *b,
                     struct random *rng)
{
    size_t border = (size_t)random_below(rng, b->n);
    packed->n = 0;
    pack(packed, kind, b->p, border);
    pack(packed, kind, b->p + border, b->n - border);
}

static void report_of_a_compressed_capture_is_that_of_the_plain_one(void **state)
{
    (void)state;
    static const enum unpack_kind KINDS[] = {UNPACK_GZIP, UNPACK_ZSTD, UNPACK_LZ4};
    uint64_t seed = capture_seed("listen_same_packed", 50);
    for (size_t i = 0; i < 6; i++) {
        struct mixed m;
        struct bytes b = {0}, packed = {0};
        mixed_make(&m, seed + i, 5);
        if (i & 1) {
            mixed_pcapng(&m, &b);
        } else {
            mixed_pcap(&m, &b, LINK_ETHERNET);
        }
        pack_two(&packed, KINDS[i / 2], &b, &m.rng);
        struct capture_file plain = capture_file(b.p, b.n);
        struct capture_file file = capture_file(packed.p, packed.n);
        const char *plain_path = plain.path, *path = file.path;
        char *want = without_warnings(dump_of(&plain_path, 1, 1, 0));
        assert_same(without_warnings(dump_of(&path, 1, 1, 0)), want, "compressed");
        free(want);
        check_cores_and_chunks(&path, 1, "compressed");
        check_pipe(&packed, "compressed, out of a pipe");
        capture_file_close(&plain);
        capture_file_close(&file);
        packed.n -= 1 + (size_t)random_below(&m.rng, packed.n / 2);
        check_bytes(&packed, "compressed and cut");
        check_pipe(&packed, "compressed and cut, out of a pipe");
        packed.p[packed.n - packed.n / 3] ^= 0x55;
        check_bytes(&packed, "compressed and damaged");
        check_pipe(&packed, "compressed and damaged, out of a pipe");
        bytes_free(&b);
        bytes_free(&packed);
        mixed_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_of_a_pcap_is_the_same_for_all_cores_and_chunks),
        cmocka_unit_test(report_of_a_pcapng_is_the_same_for_all_cores_and_chunks),
        cmocka_unit_test(report_of_a_damaged_capture_is_the_same_for_all_cores_and_chunks),
        cmocka_unit_test(report_of_captures_inside_packets_is_the_same_for_all_chunks),
        cmocka_unit_test(report_of_several_files_is_that_of_one),
        cmocka_unit_test(report_of_standard_input_is_that_of_the_file),
        cmocka_unit_test(
            report_of_standard_input_that_ends_in_what_is_passed_over_is_that_of_the_file),
        cmocka_unit_test(report_of_a_compressed_capture_is_that_of_the_plain_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
