// Tests of reproducible numbers and of hashing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/random.h"

#include <string.h>

static void random_same_seed_gives_same_numbers(void **state)
{
    (void)state;
    struct random a, b;
    random_init(&a, 7);
    random_init(&b, 7);
    for (int i = 0; i < 1000; i++) {
        assert_true(random_u64(&a) == random_u64(&b));
    }
}

// The generator's own reference: xoshiro256** after splitmix64 from seed 0, written out step by
// step.
static void random_follows_its_definition(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 0);
    // First outputs of splitmix64 with seed 0, known from its publication.
    assert_true(r.s[0] == 0xe220a8397b1dcdafu);
    assert_true(r.s[1] == 0x6e789e6aa1b965f4u);
    assert_true(r.s[2] == 0x06c45d188009454fu);
    assert_true(r.s[3] == 0xf88bb8a8724c81ecu);
    uint64_t product = r.s[1] * 5;
    uint64_t expected = (product << 7 | product >> 57) * 9;
    assert_true(random_u64(&r) == expected);
}

static void random_below_stays_below_and_reaches_all(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1);
    unsigned seen[10] = {0};
    for (int i = 0; i < 10000; i++) {
        uint64_t v = random_below(&r, 10);
        assert_true(v < 10);
        seen[v]++;
    }
    for (int i = 0; i < 10; i++) {
        assert_in_range(seen[i], 850, 1150);
    }
    assert_int_equal(random_below(&r, 1), 0);
}

static void hash_bytes_tells_lengths_seeds_and_bits_apart(void **state)
{
    (void)state;
    uint8_t bytes[100] = {0};
    uint64_t seen[101 + 800 + 8];
    size_t count = 0;
    for (size_t n = 0; n <= 100; n++) {
        seen[count++] = hash_bytes(bytes, n, 0);
    }
    for (size_t bit = 0; bit < 800; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        seen[count++] = hash_bytes(bytes, 100, 0);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (uint64_t seed = 1; seed <= 8; seed++) {
        seen[count++] = hash_bytes(bytes, 100, seed);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_true(seen[i] != seen[k]);
        }
    }
}

static void hash_bytes_spreads_counting_keys(void **state)
{
    (void)state;
    unsigned slots[256] = {0};
    for (uint32_t i = 0; i < 25600; i++) {
        slots[hash_bytes(&i, sizeof i, 0) & 255]++;
    }
    for (int i = 0; i < 256; i++) {
        assert_in_range(slots[i], 50, 150);
    }
}

// Each bit of each length turns about half of the bits of the hash, the low 32 as the high ones.
static void hash_bytes_each_bit_turns_half_of_the_hash(void **state)
{
    (void)state;
    uint8_t bytes[100];
    for (size_t n = 1; n <= sizeof bytes; n++) {
        unsigned low = 0;
        unsigned high = 0;
        for (size_t i = 0; i < n; i++) {
            bytes[i] = (uint8_t)(i * 37 + n);
        }
        uint64_t before = hash_bytes(bytes, n, 1234567);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            uint64_t turned = hash_bytes(bytes, n, 1234567) ^ before;
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            low += (unsigned)__builtin_popcountll(turned & UINT32_MAX);
            high += (unsigned)__builtin_popcountll(turned >> 32);
        }
        assert_in_range(low, 8 * n * 13, 8 * n * 19);
        assert_in_range(high, 8 * n * 13, 8 * n * 19);
    }
}

// Halves and lanes that change places, and zeros.
static void hash_bytes_words_in_other_places_differ(void **state)
{
    (void)state;
    uint8_t a[96], b[96];
    for (size_t n = 16; n <= sizeof a; n += 8) {
        for (size_t i = 0; i + 8 <= n; i += 8) {
            for (size_t k = i + 8; k + 8 <= n; k += 8) {
                memset(a, 0, sizeof a);
                memset(b, 0, sizeof b);
                memset(a + i, 0x5a, 8);
                memset(b + k, 0x5a, 8);
                assert_true(hash_bytes(a, n, 99) != hash_bytes(b, n, 99));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_same_seed_gives_same_numbers),
        cmocka_unit_test(random_follows_its_definition),
        cmocka_unit_test(random_below_stays_below_and_reaches_all),
        cmocka_unit_test(hash_bytes_tells_lengths_seeds_and_bits_apart),
        cmocka_unit_test(hash_bytes_spreads_counting_keys),
        cmocka_unit_test(hash_bytes_each_bit_turns_half_of_the_hash),
        cmocka_unit_test(hash_bytes_words_in_other_places_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
