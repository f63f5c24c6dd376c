// Tests of decompressing: round trips, members and frames, cuts, damage, bombs, and the thread.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "pack.h"
#include "read/unpack_thread.h"

#include <errno.h>
#include <fcntl.h>

static const enum unpack_kind KINDS[] = {UNPACK_GZIP, UNPACK_ZSTD, UNPACK_LZ4};

// Text that compresses like captures do: runs of the same beside noise.
static void content(struct bytes *b, size_t n, uint64_t seed)
{
    struct random rng;
    random_init(&rng, seed);
    while (b->n < n) {
        static const char LINE[] = "SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK";
        uint64_t noise = random_u64(&rng);
        bytes_put(b, LINE, (size_t)random_below(&rng, sizeof LINE));
        bytes_put(b, &noise, sizeof noise);
    }
    b->n = n;
}

// Decompresses in pieces of these sizes; the input ends at an unmapped page.
static enum unpack_end unpack_all(enum unpack_kind kind, const struct bytes *packed, size_t in_most,
                                  size_t out_most, struct bytes *out)
{
    struct unpack *u = unpack_new(kind);
    const uint8_t *in = guard_copy(packed->p, packed->n);
    size_t at = 0;
    bool goes_on = true;
    bool moved = true;
    while (goes_on && moved) {
        size_t n = packed->n - at < in_most ? packed->n - at : in_most;
        size_t used, made;
        uint8_t *to = bytes_grow(out, out_most);
        goes_on = unpack_step(u, in + at, n, &used, to, out_most, &made);
        assert_true(used <= n && made <= out_most);
        out->n -= out_most - made;
        at += used;
        moved = used > 0 || made > 0;
    }
    bool is_whole = unpack_is_whole(u);
    unpack_free(u);
    guard_free((uint8_t *)(uintptr_t)in, packed->n);
    return !goes_on ? UNPACK_DAMAGED : is_whole && at == packed->n ? UNPACK_WHOLE : UNPACK_CUT;
}

static bool is_prefix(const struct bytes *part, const struct bytes *whole)
{
    return part->n <= whole->n && (part->n == 0 || memcmp(part->p, whole->p, part->n) == 0);
}

static void unpack_probe_knows_the_first_bytes(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct bytes b = {0};
        pack(&b, KINDS[k], "x", 1);
        assert_int_equal(unpack_probe(b.p, b.n), KINDS[k]);
        assert_int_equal(unpack_probe(b.p, 1), UNPACK_NONE);
        b.p[1] ^= 1;
        assert_int_equal(unpack_probe(b.p, b.n), UNPACK_NONE);
        bytes_free(&b);
    }
    assert_int_equal(unpack_probe(NULL, 0), UNPACK_NONE);
    assert_int_equal(unpack_probe((const uint8_t *)"\x53\x2a\x4d\x18", 4), UNPACK_ZSTD);
    assert_int_equal(unpack_probe((const uint8_t *)"\xd4\xc3\xb2\xa1", 4), UNPACK_NONE);
}

static void unpack_pieces_of_any_size_give_the_content(void **state)
{
    (void)state;
    static const size_t SIZES[] = {0, 1, 7, 5000, 100000};
    static const size_t PIECES[] = {1, 3, 1000, 65536};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 5; i++) {
            struct bytes plain = {0}, packed = {0};
            content(&plain, SIZES[i], 1);
            pack(&packed, KINDS[k], plain.p, plain.n);
            for (size_t j = 0; j < 16; j++) {
                struct bytes out = {0};
                assert_int_equal(unpack_all(KINDS[k], &packed, PIECES[j % 4], PIECES[j / 4], &out),
                                 UNPACK_WHOLE);
                assert_int_equal(out.n, plain.n);
                assert_true(is_prefix(&out, &plain));
                bytes_free(&out);
            }
            bytes_free(&plain);
            bytes_free(&packed);
        }
    }
}

static void unpack_members_and_frames_are_one_content(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct bytes plain = {0}, packed = {0}, out = {0};
        content(&plain, 9000, 2);
        for (size_t at = 0; at < 9000; at += 3000) {
            if (KINDS[k] != UNPACK_GZIP && (at > 0 || KINDS[k] == UNPACK_ZSTD)) {
                pack_skippable(&packed, at / 10);
            }
            pack(&packed, KINDS[k], plain.p + at, 3000);
            pack(&packed, KINDS[k], "", 0);
        }
        if (KINDS[k] == UNPACK_GZIP) {
            memset(bytes_grow(&packed, 600), 0, 600); // padding
        }
        for (size_t piece = 1; piece < 100000; piece *= 10) {
            out.n = 0;
            assert_int_equal(unpack_all(KINDS[k], &packed, piece, 4096, &out), UNPACK_WHOLE);
            assert_int_equal(out.n, plain.n);
            assert_true(is_prefix(&out, &plain));
        }
        out.n = 0;
        bytes_put(&packed, "no frame", 8);
        assert_int_equal(unpack_all(KINDS[k], &packed, 1000, 4096, &out), UNPACK_DAMAGED);
        assert_int_equal(out.n, plain.n); // nothing of what is whole is lost
        bytes_free(&plain);
        bytes_free(&packed);
        bytes_free(&out);
    }
}

static void unpack_cut_anywhere_gives_what_came_before(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct bytes plain = {0}, packed = {0};
        content(&plain, 1500, 3);
        pack(&packed, KINDS[k], plain.p, 1000);
        size_t border = packed.n;
        pack(&packed, KINDS[k], plain.p + 1000, 500);
        size_t whole = packed.n;
        size_t before = 0;
        for (packed.n = 0; packed.n <= whole; packed.n++) {
            struct bytes out = {0};
            enum unpack_end end = unpack_all(KINDS[k], &packed, 100, 64, &out);
            assert_int_equal(end,
                             packed.n == border || packed.n == whole ? UNPACK_WHOLE : UNPACK_CUT);
            assert_true(is_prefix(&out, &plain) && out.n >= before);
            assert_true(packed.n < border || out.n >= 1000);
            before = out.n;
            bytes_free(&out);
        }
        bytes_free(&plain);
        bytes_free(&packed);
    }
}

static void unpack_any_changed_byte_is_survived(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct bytes plain = {0}, packed = {0};
        content(&plain, 700, 4);
        pack(&packed, KINDS[k], plain.p, plain.n);
        for (size_t i = 0; i < packed.n * 8; i++) {
            struct bytes out = {0}, small = {0};
            packed.p[i / 8] ^= (uint8_t)(1 << i % 8);
            enum unpack_end end = unpack_all(KINDS[k], &packed, 65536, 65536, &out);
            assert_int_equal(unpack_all(KINDS[k], &packed, 13, 17, &small), end);
            assert_true(is_prefix(&out, &small) || is_prefix(&small, &out));
            packed.p[i / 8] ^= (uint8_t)(1 << i % 8);
            bytes_free(&out);
            bytes_free(&small);
        }
        bytes_free(&plain);
        bytes_free(&packed);
    }
}

// --- the thread ---

static void unpack_thread_gives_the_content_of_a_file(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct bytes plain = {0}, packed = {0}, out = {0};
        content(&plain, 3 * UNPACK_RING_BYTES + 12345, 5);
        pack(&packed, KINDS[k], plain.p, plain.n);
        struct capture_file file = capture_file(packed.p, packed.n);
        assert_int_equal(lseek(file.fd, 100, SEEK_SET), 100);
        struct unpack_thread *t = unpack_thread_new(file.fd, KINDS[k], packed.p, 100);
        enum unpack_end end = UNPACK_GOES_ON;
        uint64_t bytes_read;
        for (size_t want = 1; end == UNPACK_GOES_ON; want = want * 3 % 1000003) {
            uint8_t *to = bytes_grow(&out, want);
            out.n -= want - unpack_thread_read(t, to, want, 1000, &end, &bytes_read);
        }
        assert_int_equal(end, UNPACK_WHOLE);
        assert_int_equal(bytes_read, packed.n);
        assert_int_equal(out.n, plain.n);
        assert_true(is_prefix(&out, &plain));
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
        struct unpack_thread *t = unpack_thread_new(file.fd, KINDS[k], NULL, 0);
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
    struct unpack_thread *t = unpack_thread_new(ends[0], UNPACK_GZIP, NULL, 0);
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
    struct unpack_thread *t = unpack_thread_new(ends[0], UNPACK_GZIP, NULL, 0);
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
    struct unpack_thread *t = unpack_thread_new(folder, UNPACK_LZ4, NULL, 0);
    errno = 0;
    while (end == UNPACK_GOES_ON) {
        assert_int_equal(unpack_thread_read(t, &byte, 1, 1000, &end, &bytes_read), 0);
    }
    assert_int_equal(end, UNPACK_READ_ERROR);
    assert_int_equal(errno, EISDIR);
    unpack_thread_free(t);
    close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpack_probe_knows_the_first_bytes),
        cmocka_unit_test(unpack_pieces_of_any_size_give_the_content),
        cmocka_unit_test(unpack_members_and_frames_are_one_content),
        cmocka_unit_test(unpack_cut_anywhere_gives_what_came_before),
        cmocka_unit_test(unpack_any_changed_byte_is_survived),
        cmocka_unit_test(unpack_thread_gives_the_content_of_a_file),
        cmocka_unit_test(unpack_thread_of_a_bomb_ends_when_it_is_freed),
        cmocka_unit_test(unpack_thread_that_waits_for_its_pipe_ends_when_it_is_freed),
        cmocka_unit_test(unpack_thread_shows_what_a_slow_writer_has_flushed),
        cmocka_unit_test(unpack_thread_tells_a_read_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
