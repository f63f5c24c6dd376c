// Tests of the ways in which a compressed input is read: by a thread, in turns without one, put
// aside.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pack.h"
#include "read/unpack_stream.h"
#include "read/unpack_thread.h"

#include <errno.h>
#include <fcntl.h>

static const enum unpack_kind KINDS[] = {UNPACK_GZIP, UNPACK_ZSTD, UNPACK_LZ4};

static struct unpack_thread *thread_of(int fd, enum unpack_kind kind, const uint8_t *head, size_t n)
{
    struct unpack_file file;
    unpack_file_init(&file, fd, kind, head, n);
    struct unpack_thread *t = unpack_thread_new(&file);
    assert_non_null(t);
    return t;
}

static void unpack_thread_gives_the_content_of_a_file(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct bytes plain = {0}, packed = {0}, out = {0};
        pack_content(&plain, 3 * UNPACK_RING_BYTES + 12345, 5);
        pack(&packed, KINDS[k], plain.p, plain.n);
        struct capture_file file = capture_file(packed.p, packed.n);
        assert_int_equal(lseek(file.fd, 100, SEEK_SET), 100);
        struct unpack_thread *t = thread_of(file.fd, KINDS[k], packed.p, 100);
        enum unpack_end end = UNPACK_GOES_ON;
        uint64_t bytes_read;
        for (size_t want = 1; end == UNPACK_GOES_ON; want = want * 3 % 1000003) {
            uint8_t *to = bytes_grow(&out, want);
            out.n -= want - unpack_thread_read(t, to, want, 1000, &end, &bytes_read);
        }
        assert_int_equal(end, UNPACK_WHOLE);
        assert_int_equal(bytes_read, packed.n);
        assert_int_equal(out.n, plain.n);
        assert_memory_equal(out.p, plain.p, plain.n);
        unpack_thread_free(t);
        capture_file_close(&file);
        bytes_free(&plain);
        bytes_free(&packed);
        bytes_free(&out);
    }
}

// What decompresses to a thousand times as much stops at the ring when nobody takes it.
static void unpack_thread_of_a_bomb_ends_when_it_is_freed(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct bytes packed = {0};
        size_t n = 64u << 20;
        uint8_t *zeros = calloc(1, n);
        pack(&packed, KINDS[k], zeros, n);
        free(zeros);
        struct capture_file file = capture_file(packed.p, packed.n);
        assert_int_equal(lseek(file.fd, 0, SEEK_SET), 0);
        struct unpack_thread *t = thread_of(file.fd, KINDS[k], NULL, 0);
        enum unpack_end end;
        uint64_t bytes_read;
        uint8_t byte = 1;
        while (unpack_thread_read(t, &byte, 1, 1000, &end, &bytes_read) == 0) {
            assert_int_equal(end, UNPACK_GOES_ON);
        }
        assert_int_equal(byte, 0);
        unpack_thread_free(t);
        off_t at = lseek(file.fd, 0, SEEK_CUR);
        assert_true(at > 0 && at <= (off_t)packed.n);
        capture_file_close(&file);
        bytes_free(&packed);
    }
}

static void unpack_thread_that_waits_for_its_pipe_ends_when_it_is_freed(void **state)
{
    (void)state;
    int ends[2];
    enum unpack_end end;
    uint64_t bytes_read;
    uint8_t byte;
    assert_int_equal(pipe(ends), 0);
    struct unpack_thread *t = thread_of(ends[0], UNPACK_GZIP, NULL, 0);
    assert_int_equal(unpack_thread_read(t, &byte, 1, 1, &end, &bytes_read), 0);
    assert_int_equal(end, UNPACK_GOES_ON);
    unpack_thread_free(t);
    close(ends[0]);
    close(ends[1]);
}

static void unpack_thread_shows_what_a_slow_writer_has_flushed(void **state)
{
    (void)state;
    int ends[2];
    enum unpack_end end;
    uint64_t bytes_read;
    uint8_t got[16];
    struct bytes packed = {0};
    pack_gzip(&packed, "first", 5);
    size_t first = packed.n;
    pack_gzip(&packed, "second", 6);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], packed.p, first), first);
    struct unpack_thread *t = thread_of(ends[0], UNPACK_GZIP, NULL, 0);
    for (size_t have = 0; have < 5;) {
        have += unpack_thread_read(t, got + have, 16 - have, 1000, &end, &bytes_read);
    }
    assert_memory_equal(got, "first", 5);
    assert_int_equal(write(ends[1], packed.p + first, packed.n - first), packed.n - first);
    close(ends[1]);
    size_t have = 0;
    do {
        have += unpack_thread_read(t, got + have, 16 - have, 1000, &end, &bytes_read);
    } while (end == UNPACK_GOES_ON);
    assert_int_equal(end, UNPACK_WHOLE);
    assert_int_equal(have, 6);
    assert_memory_equal(got, "second", 6);
    unpack_thread_free(t);
    close(ends[0]);
    bytes_free(&packed);
}

static void unpack_thread_tells_a_read_error(void **state)
{
    (void)state;
    enum unpack_end end = UNPACK_GOES_ON;
    uint64_t bytes_read;
    uint8_t byte;
    int folder = open("/", O_RDONLY);
    struct unpack_thread *t = thread_of(folder, UNPACK_LZ4, NULL, 0);
    errno = 0;
    while (end == UNPACK_GOES_ON) {
        assert_int_equal(unpack_thread_read(t, &byte, 1, 1000, &end, &bytes_read), 0);
    }
    assert_int_equal(end, UNPACK_READ_ERROR);
    assert_int_equal(errno, EISDIR);
    unpack_thread_free(t);
    close(folder);
}

// --- streams with limits ---

#define STREAMS 20

// All in turns, a piece at a time, giving up the descriptor after each; what each gives is
// compared.
static void read_in_turns(struct unpack_limits *limits, enum unpack_kind kind, size_t piece,
                          bool gives_up)
{
    struct capture_file files[STREAMS];
    struct unpack_stream *streams[STREAMS];
    struct bytes plain[STREAMS] = {0}, out[STREAMS] = {0};
    size_t most = 0;
    for (size_t i = 0; i < STREAMS; i++) {
        struct bytes packed = {0};
        pack_content(&plain[i], 30000 + 1000 * i, i);
        pack(&packed, kind, plain[i].p, plain[i].n);
        files[i] = capture_file(packed.p, packed.n);
        assert_int_equal(lseek(files[i].fd, 0, SEEK_SET), 0);
        streams[i] = unpack_stream_new(files[i].fd, kind, NULL, 0);
        bytes_free(&packed);
    }
    for (size_t left = STREAMS, i = 0; left > 0; i = (i + 1) % STREAMS) {
        enum unpack_end end;
        uint64_t bytes_read;
        if (!streams[i]) {
            continue;
        }
        uint8_t *to = bytes_grow(&out[i], piece);
        size_t got = unpack_stream_read(streams[i], limits, to, piece, 1000, &end, &bytes_read);
        out[i].n -= piece - got;
        most = limits->held > most ? limits->held : most;
        assert_true(limits->threads <= limits->threads_max);
        if (got == 0 && end != UNPACK_GOES_ON) {
            assert_int_equal(end, UNPACK_WHOLE);
            assert_int_equal(bytes_read, lseek(files[i].fd, 0, SEEK_END));
            unpack_stream_free(streams[i]);
            streams[i] = NULL;
            left--;
        } else if (gives_up && unpack_stream_rest(streams[i])) {
            assert_int_equal(lseek(files[i].fd, 7, SEEK_SET), 7); // as another descriptor would
            unpack_stream_resume(streams[i], files[i].fd);
        }
    }
    assert_true(most <= limits->held_max);
    assert_int_equal(limits->held, 0);
    assert_int_equal(limits->threads, 0);
    for (size_t i = 0; i < STREAMS; i++) {
        assert_int_equal(out[i].n, plain[i].n);
        assert_memory_equal(out[i].p, plain[i].p, plain[i].n);
        capture_file_close(&files[i]);
        bytes_free(&plain[i]);
        bytes_free(&out[i]);
    }
}

static void unpack_streams_in_turns_give_their_contents_within_limits(void **state)
{
    (void)state;
    static const uint64_t HELD[] = {0, 100000, UNPACK_HELD_BYTES_MAX};
    for (size_t i = 0; i < 36; i++) {
        struct unpack_limits limits;
        unpack_limits_init(&limits, NULL);
        limits.threads_max = i / 3 % 2 ? 3 : 0;
        limits.held_max = HELD[i / 6 % 3];
        read_in_turns(&limits, KINDS[i % 3], 200 + 977 * (i % 5), i / 18);
        bool must_put_aside = limits.held_max == 0;
        bool must_not = limits.held_max == UNPACK_HELD_BYTES_MAX;
        assert_true(!must_put_aside || limits.aside_end > 0);
        assert_true(!must_not || limits.aside_fd < 0);
        unpack_limits_fini(&limits);
    }
}

static void unpack_stream_that_cannot_be_put_aside_is_a_read_error(void **state)
{
    (void)state;
    struct bytes packed = {0}, plain = {0};
    struct unpack_limits limits;
    enum unpack_end end = UNPACK_GOES_ON;
    uint64_t bytes_read;
    uint8_t to[100];
    const char *before = getenv("TMPDIR");
    char *kept = before ? strdup(before) : NULL;
    unpack_limits_init(&limits, NULL);
    limits.threads_max = 0;
    limits.held_max = 0;
    pack_content(&plain, 5000, 1);
    pack(&packed, UNPACK_GZIP, plain.p, plain.n);
    struct capture_file file = capture_file(packed.p, packed.n);
    assert_int_equal(lseek(file.fd, 0, SEEK_SET), 0);
    struct unpack_stream *s = unpack_stream_new(file.fd, UNPACK_GZIP, NULL, 0);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    size_t got = unpack_stream_read(s, &limits, to, sizeof to, 0, &end, &bytes_read);
    assert_memory_equal(to, plain.p, got); // what was decompressed before is good
    errno = 0;
    assert_int_equal(unpack_stream_read(s, &limits, to, sizeof to, 0, &end, &bytes_read), 0);
    assert_int_equal(end, UNPACK_READ_ERROR);
    assert_int_equal(errno, ENOENT);
    if (kept) {
        setenv("TMPDIR", kept, 1);
    } else {
        unsetenv("TMPDIR");
    }
    free(kept);
    unpack_stream_free(s);
    unpack_limits_fini(&limits);
    capture_file_close(&file);
    bytes_free(&packed);
    bytes_free(&plain);
}

static void unpack_stream_of_a_pipe_keeps_its_descriptor_and_is_not_put_aside(void **state)
{
    (void)state;
    int ends[2];
    enum unpack_end end = UNPACK_GOES_ON;
    struct unpack_limits limits;
    struct bytes packed = {0};
    uint64_t bytes_read;
    uint8_t to[100];
    unpack_limits_init(&limits, NULL);
    limits.threads_max = 0;
    limits.held_max = 0;
    pack_gzip(&packed, "content", 7);
    assert_int_equal(pipe(ends), 0);
    struct unpack_stream *s = unpack_stream_new(ends[0], UNPACK_GZIP, packed.p, 5);
    assert_int_equal(write(ends[1], packed.p + 5, packed.n - 5), packed.n - 5);
    close(ends[1]);
    size_t got = 0;
    while (end == UNPACK_GOES_ON) {
        got += unpack_stream_read(s, &limits, to + got, sizeof to - got, 0, &end, &bytes_read);
        assert_false(unpack_stream_rest(s));
    }
    assert_int_equal(end, UNPACK_WHOLE);
    assert_int_equal(got, 7);
    assert_memory_equal(to, "content", 7);
    assert_true(limits.aside_fd < 0);
    unpack_stream_free(s);
    unpack_limits_fini(&limits);
    close(ends[0]);
    bytes_free(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpack_thread_gives_the_content_of_a_file),
        cmocka_unit_test(unpack_thread_of_a_bomb_ends_when_it_is_freed),
        cmocka_unit_test(unpack_thread_that_waits_for_its_pipe_ends_when_it_is_freed),
        cmocka_unit_test(unpack_thread_shows_what_a_slow_writer_has_flushed),
        cmocka_unit_test(unpack_thread_tells_a_read_error),
        cmocka_unit_test(unpack_streams_in_turns_give_their_contents_within_limits),
        cmocka_unit_test(unpack_stream_that_cannot_be_put_aside_is_a_read_error),
        cmocka_unit_test(unpack_stream_of_a_pipe_keeps_its_descriptor_and_is_not_put_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
