// Tests of inflating payloads: each format, the limit, damage, cuts, bombs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "capture.h"
#include "decode/inflate.h"
#include "guard.h"
#include "random_fill.h"

#include <zlib.h>

static const int WINDOWS[] = {15, 9, 15 + 16, -15, -9}; // zlib, gzip, bare deflate

static void pack_window(struct bytes *b, int window, int level, const void *p, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, n) + 64;
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = bytes_grow(b, room);
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    b->n -= z.avail_out;
    deflateEnd(&z);
}

// Inflates from memory that ends at an unmapped page.
static bool inflate_bytes(struct arena *a, const uint8_t *p, size_t n, size_t max,
                          struct slice *out)
{
    uint8_t *copy = guard_copy(p, n);
    bool is_whole = inflate_into(a, slice_of((char *)copy, n), max, out);
    guard_free(copy, n);
    return is_whole;
}

static void content(struct bytes *b, size_t n)
{
    static const char LINE[] = "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK";
    for (uint32_t i = 0; b->n < n; i++) {
        bytes_put(b, LINE, sizeof LINE);
        bytes_put32(b, i * 2654435761u, true);
    }
    b->n = n;
}

static void inflate_gives_the_content_of_every_format(void **state)
{
    (void)state;
    static const size_t SIZES[] = {0, 1, 600, 8191, 8192, 8193, 65536, 300000};
    static const int LEVELS[] = {0, 1, 9};
    struct arena a;
    arena_init(&a, 1 << 16);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        struct bytes plain = {0};
        content(&plain, SIZES[i]);
        for (size_t j = 0; j < 15; j++) {
            struct bytes packed = {0};
            struct slice out;
            pack_window(&packed, WINDOWS[j % 5], LEVELS[j / 5], plain.p, plain.n);
            bytes_put(&packed, "behind", j % 2 ? 6 : 0);
            assert_true(inflate_bytes(&a, packed.p, packed.n, plain.n, &out));
            assert_int_equal(out.n, plain.n);
            assert_true(plain.n == 0 || memcmp(out.p, plain.p, plain.n) == 0);
            bytes_free(&packed);
        }
        bytes_free(&plain);
    }
    arena_fini(&a);
}

static void inflate_more_than_the_limit_is_refused(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 16);
    struct bytes plain = {0};
    content(&plain, 20000);
    for (size_t j = 0; j < 5; j++) {
        struct bytes packed = {0};
        struct slice out;
        pack_window(&packed, WINDOWS[j], 6, plain.p, plain.n);
        assert_true(inflate_bytes(&a, packed.p, packed.n, 20000, &out));
        size_t before = a.total_bytes;
        assert_false(inflate_bytes(&a, packed.p, packed.n, 19999, &out));
        assert_false(inflate_bytes(&a, packed.p, packed.n, 1, &out));
        assert_false(inflate_bytes(&a, packed.p, packed.n, 0, &out));
        assert_int_equal(out.n, 0);
        assert_int_equal(a.total_bytes, before);
        bytes_free(&packed);
    }
    bytes_free(&plain);
    arena_fini(&a);
}

static void inflate_bomb_costs_bounded_memory(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 16);
    struct bytes plain = {0}, packed = {0};
    memset(bytes_grow(&plain, 60 << 20), 0, 60 << 20);
    pack_window(&packed, 15, 9, plain.p, plain.n);
    assert_true(packed.n < 65536);
    struct slice out;
    uint64_t calls = memory_calls();
    assert_false(inflate_bytes(&a, packed.p, packed.n, HEP_INFLATED_MAX, &out));
    assert_true(memory_calls() - calls < 16);
    assert_int_equal(a.total_bytes, 0);
    bytes_free(&plain);
    bytes_free(&packed);
    arena_fini(&a);
}

static void inflate_cut_or_empty_is_refused(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 16);
    struct bytes plain = {0};
    content(&plain, 700);
    for (size_t j = 0; j < 5; j++) {
        struct bytes packed = {0};
        struct slice out;
        pack_window(&packed, WINDOWS[j], 6, plain.p, plain.n);
        for (size_t n = 0; n < packed.n; n++) {
            assert_false(inflate_bytes(&a, packed.p, n, 1000, &out));
            assert_int_equal(out.n, 0);
        }
        bytes_free(&packed);
    }
    struct slice out;
    assert_false(inflate_into(&a, slice_of(NULL, 0), 1000, &out));
    bytes_free(&plain);
    arena_fini(&a);
}

static void inflate_changed_byte_is_seen_by_the_checksum(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 16);
    struct bytes plain = {0};
    content(&plain, 300);
    for (size_t j = 0; j < 2; j++) { // zlib and gzip
        struct bytes packed = {0};
        pack_window(&packed, j == 0 ? 15 : 15 + 16, 6, plain.p, plain.n);
        for (size_t at = j == 0 ? 2 : 10; at < packed.n; at++) { // behind the header
            struct slice out;
            packed.p[at] ^= 0x10;
            assert_false(inflate_bytes(&a, packed.p, packed.n, 1000, &out));
            packed.p[at] ^= 0x10;
        }
        bytes_free(&packed);
    }
    bytes_free(&plain);
    arena_fini(&a);
}

static void inflate_noise_stays_inside_and_bounded(void **state)
{
    (void)state;
    struct random rng;
    random_seeded(&rng, 3);
    struct arena a;
    arena_init(&a, 1 << 16);
    for (size_t round = 0; round < 3000; round++) {
        static const uint8_t HEADS[][2] = {{0x78, 0x9c}, {0x1f, 0x8b}, {0x78, 0xbb}, {0x05, 0}};
        uint8_t noise[64];
        random_fill(&rng, noise, sizeof noise);
        if (round % 5 < 4) {
            memcpy(noise, HEADS[round % 5], 2);
        }
        struct slice out;
        if (inflate_bytes(&a, noise, (size_t)random_below(&rng, 64), 500, &out)) {
            assert_true(out.n <= 500);
        }
        arena_reset(&a);
    }
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inflate_gives_the_content_of_every_format),
        cmocka_unit_test(inflate_more_than_the_limit_is_refused),
        cmocka_unit_test(inflate_bomb_costs_bounded_memory),
        cmocka_unit_test(inflate_cut_or_empty_is_refused),
        cmocka_unit_test(inflate_changed_byte_is_seen_by_the_checksum),
        cmocka_unit_test(inflate_noise_stays_inside_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
