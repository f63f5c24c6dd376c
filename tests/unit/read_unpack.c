// Tests of decompressing: round trips, members and frames, cuts, damage, what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "pack.h"

static const enum unpack_kind KINDS[] = {UNPACK_GZIP, UNPACK_ZSTD, UNPACK_LZ4};

// Decompresses in pieces of these sizes; the input ends at an unmapped page.
static enum unpack_end unpack_all(enum unpack_kind kind, const struct bytes *packed, size_t in_most,
                                  size_t out_most, struct bytes *out)
{
    struct unpack *u = unpack_new(kind);
    const uint8_t *in = guard_copy(packed->p, packed->n);
    size_t at = 0;
    bool goes_on = true;
    bool moved = true;
    bool ends = false;
    while (goes_on && moved) {
        size_t n = packed->n - at < in_most ? packed->n - at : in_most;
        size_t used, made;
        uint8_t *to = bytes_grow(out, out_most);
        goes_on = unpack_step(u, in + at, n, &used, to, out_most, &made);
        assert_true(used <= n && made <= out_most);
        out->n -= out_most - made;
        at += used;
        moved = used > 0 || made > 0 || !ends;
        if (used == 0 && made == 0 && !ends) {
            unpack_ends(u);
            ends = true;
        }
    }
    enum unpack_end end = unpack_verdict(u);
    unpack_free(u);
    guard_free((uint8_t *)(uintptr_t)in, packed->n);
    assert_true(!goes_on || at == packed->n);
    return end;
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
    assert_int_equal(unpack_probe((const uint8_t *)"\x53\x2a\x4d\x18", 4), UNPACK_SKIPPABLE);
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
            pack_content(&plain, SIZES[i], 1);
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
        pack_content(&plain, 9000, 2);
        for (size_t at = 0; at < 9000; at += 3000) {
            if (KINDS[k] != UNPACK_GZIP) {
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
            enum unpack_kind kind = unpack_probe(packed.p, packed.n);
            assert_int_equal(kind, KINDS[k] == UNPACK_GZIP ? UNPACK_GZIP : UNPACK_SKIPPABLE);
            assert_int_equal(unpack_all(kind, &packed, piece, 4096, &out), UNPACK_WHOLE);
            assert_int_equal(out.n, plain.n);
            assert_true(is_prefix(&out, &plain));
        }
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
        pack_content(&plain, 1500, 3);
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

// What comes out, and how it ends, is the same for all pieces and rooms.
static void check_all_ways(enum unpack_kind kind, const struct bytes *packed)
{
    static const size_t PIECES[] = {1, 13, 1000, 65536};
    static const size_t ROOMS[] = {17, 131072};
    struct bytes want = {0};
    enum unpack_end end = unpack_all(kind, packed, 1 << 20, 1 << 20, &want);
    for (size_t i = packed->n > 10000 ? 1 : 0; i < 8; i++) { // single bytes of much take long
        struct bytes out = {0};
        assert_int_equal(unpack_all(kind, packed, PIECES[i % 4], ROOMS[i / 4], &out), end);
        assert_int_equal(out.n, want.n);
        assert_true(is_prefix(&out, &want));
        bytes_free(&out);
    }
    bytes_free(&want);
}

// Content packed in different ways: gzip; zstd with checksum; noise that zstd stores; lz4 with
// checksums of content and blocks or none, blocks that depend on each other or not; noise that lz4
// stores.
#define PACK_VARIANTS 9
static enum unpack_kind pack_variant(struct bytes *packed, size_t variant, size_t n)
{
    struct bytes plain = {0};
    bool is_noise = variant == 2 || variant >= 7;
    struct random rng;
    random_init(&rng, 4);
    pack_content(&plain, n, 4);
    for (size_t i = 0; is_noise && i < n; i++) {
        plain.p[i] = (uint8_t)random_u64(&rng);
    }
    if (variant < 3) {
        pack(packed, variant == 0 ? UNPACK_GZIP : UNPACK_ZSTD, plain.p, n);
    } else {
        LZ4F_preferences_t how = {
            .frameInfo = {.blockSizeID = LZ4F_max64KB,
                          .blockMode = variant & 1 ? LZ4F_blockLinked : LZ4F_blockIndependent,
                          .contentChecksumFlag = variant & 1,
                          .blockChecksumFlag = variant == 5 || variant == 6 || variant == 8}};
        size_t room = LZ4F_compressFrameBound(n, &how);
        packed->n -= room - LZ4F_compressFrame(bytes_grow(packed, room), room, plain.p, n, &how);
    }
    bytes_free(&plain);
    return variant == 0 ? UNPACK_GZIP : variant < 3 ? UNPACK_ZSTD : UNPACK_LZ4;
}

static void unpack_any_changed_bit_gives_the_same_for_all_pieces_and_rooms(void **state)
{
    (void)state;
    for (size_t variant = 0; variant < PACK_VARIANTS; variant++) {
        struct bytes packed = {0};
        enum unpack_kind kind = pack_variant(&packed, variant, 250);
        for (size_t i = 0; i < packed.n * 8; i++) {
            packed.p[i / 8] ^= (uint8_t)(1 << i % 8);
            check_all_ways(kind, &packed);
            packed.p[i / 8] ^= (uint8_t)(1 << i % 8);
        }
        bytes_free(&packed);
    }
}

// Blocks larger than pieces and rooms, the last of which is damaged, cut, or followed by no block:
// all before it comes out, whatever the arrival.
static void unpack_damage_costs_the_same_for_all_pieces_and_rooms(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("read_unpack_damage", 8));
    for (size_t variant = 0; variant < PACK_VARIANTS; variant++) {
        struct bytes packed = {0};
        enum unpack_kind kind = pack_variant(&packed, variant, 300000);
        size_t whole = packed.n;
        for (int i = 0; i < 6; i++) {
            size_t at = whole / 2 + (size_t)random_below(&rng, whole / 2);
            packed.n = i & 1 ? at : whole;
            packed.p[at] ^= 0x41;
            check_all_ways(kind, &packed);
            packed.p[at] ^= 0x41;
        }
        bytes_free(&packed);
    }
}

// A stored block that is longer than its frame: refused as a whole, though its bytes could pass.
static void unpack_stored_block_too_long_gives_the_same_for_all_pieces_and_rooms(void **state)
{
    (void)state;
    struct bytes packed = {0}, out = {0};
    bytes_put(&packed, "\x28\xb5\x2f\xfd\x40\x58\0\0", 8); // 256 bytes of content
    bytes_put(&packed, "\0\x0a\0", 3);                     // a block of 320
    memset(bytes_grow(&packed, 320), 'x', 320);
    check_all_ways(UNPACK_ZSTD, &packed);
    assert_int_equal(unpack_all(UNPACK_ZSTD, &packed, 7, 100, &out), UNPACK_DAMAGED);
    bytes_free(&packed);
    bytes_free(&out);
}

// The input ends inside a stored block: what is there of it comes out.
static void unpack_stored_block_that_is_cut_gives_what_there_is(void **state)
{
    (void)state;
    for (size_t variant = 2; variant < PACK_VARIANTS; variant += 5) { // zstd, lz4
        struct bytes packed = {0}, out = {0};
        enum unpack_kind kind = pack_variant(&packed, variant, 5000);
        packed.n -= 1000;
        check_all_ways(kind, &packed);
        assert_int_equal(unpack_all(kind, &packed, 600, 100, &out), UNPACK_CUT);
        assert_true(out.n > 3900 && out.n < 4100);
        bytes_free(&packed);
        bytes_free(&out);
    }
}

static void unpack_block_before_damage_is_not_lost(void **state)
{
    (void)state;
    for (size_t k = 1; k < 3; k++) {
        struct bytes plain = {0}, packed = {0}, out = {0};
        pack_content(&plain, 1000, 9);
        pack(&packed, KINDS[k], plain.p, plain.n);
        bytes_put(&packed, "no frame", 8);
        assert_int_equal(unpack_all(KINDS[k], &packed, 65536, 65536, &out), UNPACK_DAMAGED);
        assert_int_equal(out.n, plain.n);
        bytes_free(&plain);
        bytes_free(&packed);
        bytes_free(&out);
    }
}

static void unpack_what_follows_a_gzip_member_is_ignored(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        enum unpack_end end;
    } CASES[] = {
        {"\0\0\0\0", 4, UNPACK_WHOLE},
        {"no member", 9, UNPACK_TRAILED},
        {"\0\0no member", 11, UNPACK_TRAILED},
        {"\x1f"
         "x",
         2, UNPACK_TRAILED},
        {"\0\x1f\0", 3, UNPACK_TRAILED},
        {"x\x1f\x8b\x08", 4, UNPACK_TRAILED},
        {"\x1f", 1, UNPACK_CUT}, // more likely a member that is cut
        {"\0\x1f\x8b\x08", 4, UNPACK_CUT},
        {"\x1f\x8b\x07\0", 4, UNPACK_DAMAGED},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        for (size_t piece = 1; piece < 10000; piece *= 99) {
            struct bytes packed = {0}, out = {0};
            pack_gzip(&packed, "content", 7);
            bytes_put(&packed, CASES[i].bytes, CASES[i].n);
            assert_int_equal(unpack_all(UNPACK_GZIP, &packed, piece, 100, &out), CASES[i].end);
            assert_true(out.n == 7 && memcmp(out.p, "content", 7) == 0);
            bytes_free(&packed);
            bytes_free(&out);
        }
    }
}

static void unpack_skippable_frames_alone_are_nothing(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 1000; piece *= 7) {
        struct bytes packed = {0}, out = {0};
        pack_skippable(&packed, 50);
        pack_skippable(&packed, 0);
        assert_int_equal(unpack_all(UNPACK_SKIPPABLE, &packed, piece, 9, &out), UNPACK_WHOLE);
        size_t whole = packed.n;
        for (packed.n = 0; packed.n < whole; packed.n++) {
            assert_int_equal(unpack_all(UNPACK_SKIPPABLE, &packed, piece, 9, &out),
                             packed.n == 58 ? UNPACK_WHOLE : UNPACK_CUT);
        }
        packed.n = whole;
        bytes_put(&packed, "none", 4);
        assert_int_equal(unpack_all(UNPACK_SKIPPABLE, &packed, piece, 9, &out), UNPACK_DAMAGED);
        assert_int_equal(out.n, 0);
        bytes_free(&packed);
        bytes_free(&out);
    }
}

// Frames of zstd that need windows of 128 MiB and of the next size: a header and an empty block.
static void unpack_window_of_zstd_has_a_limit(void **state)
{
    (void)state;
    for (unsigned log = UNPACK_WINDOW_LOG; log < UNPACK_WINDOW_LOG + 5; log++) {
        for (size_t piece = 1; piece < 100; piece *= 50) {
            struct bytes packed = {0}, out = {0};
            uint8_t window = (uint8_t)((log - 10) << 3);
            bytes_put(&packed, "\x28\xb5\x2f\xfd\0", 5);
            bytes_put(&packed, &window, 1);
            bytes_put(&packed, "\1\0\0", 3);
            assert_int_equal(unpack_all(UNPACK_ZSTD, &packed, piece, 9, &out),
                             log > UNPACK_WINDOW_LOG ? UNPACK_WINDOW : UNPACK_WHOLE);
            bytes_free(&packed);
            bytes_free(&out);
        }
    }
}

static void unpack_refused_names_what_is_not_read(void **state)
{
    (void)state;
    assert_non_null(strstr(unpack_refused((const uint8_t *)"BZh91AY", 7), "bzip2 -d"));
    assert_non_null(strstr(unpack_refused((const uint8_t *)"\xfd"
                                                           "7zXZ\0",
                                          6),
                           "xz -d"));
    assert_non_null(strstr(unpack_refused((const uint8_t *)"\x02\x21\x4c\x18", 4), "lz4 -d"));
    assert_null(unpack_refused((const uint8_t *)"\xfd"
                                                "7zXZ\0",
                               5));
    assert_null(unpack_refused((const uint8_t *)"BZ", 2));
    assert_null(unpack_refused(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpack_probe_knows_the_first_bytes),
        cmocka_unit_test(unpack_pieces_of_any_size_give_the_content),
        cmocka_unit_test(unpack_members_and_frames_are_one_content),
        cmocka_unit_test(unpack_cut_anywhere_gives_what_came_before),
        cmocka_unit_test(unpack_any_changed_bit_gives_the_same_for_all_pieces_and_rooms),
        cmocka_unit_test(unpack_damage_costs_the_same_for_all_pieces_and_rooms),
        cmocka_unit_test(unpack_stored_block_too_long_gives_the_same_for_all_pieces_and_rooms),
        cmocka_unit_test(unpack_stored_block_that_is_cut_gives_what_there_is),
        cmocka_unit_test(unpack_block_before_damage_is_not_lost),
        cmocka_unit_test(unpack_what_follows_a_gzip_member_is_ignored),
        cmocka_unit_test(unpack_skippable_frames_alone_are_nothing),
        cmocka_unit_test(unpack_window_of_zstd_has_a_limit),
        cmocka_unit_test(unpack_refused_names_what_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
