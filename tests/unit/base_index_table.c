// Tests of the hash table of indices and of kept texts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/index_table.h"
#include "base/kept_text.h"

static bool has(const struct index_table *t, uint32_t hash, uint32_t index)
{
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(t, hash, &at)) != INDEX_NONE) {
        if (i == index) {
            return true;
        }
    }
    return false;
}

static void table_that_is_empty_has_nothing(void **state)
{
    (void)state;
    struct index_table t = {0};
    assert_false(has(&t, 0, 0));
    assert_false(has(&t, UINT32_MAX, 7));
    index_table_fini(&t);
}

static void table_that_grows_keeps_every_index(void **state)
{
    (void)state;
    struct index_table t = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        index_table_add(&t, (uint32_t)hash_mix(i, 1), i);
    }
    for (uint32_t i = 0; i < 10000; i++) {
        assert_true(has(&t, (uint32_t)hash_mix(i, 1), i));
    }
    assert_false(has(&t, (uint32_t)hash_mix(10000, 1), 10000));
    assert_true(t.count * 2 <= t.mask + 1);
    index_table_fini(&t);
}

static void table_with_equal_hashes_gives_each_index_once(void **state)
{
    (void)state;
    struct index_table t = {0};
    const uint32_t HASH = UINT32_MAX; // wraps around the end
    for (uint32_t i = 0; i < 100; i++) {
        index_table_add(&t, HASH, i);
    }
    uint32_t seen[100] = {0};
    uint32_t at = HASH;
    uint32_t i;
    while ((i = index_next(&t, HASH, &at)) != INDEX_NONE) {
        seen[i]++;
    }
    for (i = 0; i < 100; i++) {
        assert_int_equal(seen[i], 1);
    }
    index_table_fini(&t);
}

static void table_that_replaces_has_the_new_index_only(void **state)
{
    (void)state;
    struct index_table t = {0};
    index_table_add(&t, 5, 1);
    index_table_add(&t, 5, 2);
    index_table_replace(&t, 5, 1, 9);
    assert_true(has(&t, 5, 9));
    assert_true(has(&t, 5, 2));
    assert_false(has(&t, 5, 1));
    assert_int_equal(t.count, 2);
    index_table_fini(&t);
}

static void text_that_is_replaced_for_ever_takes_no_more_memory(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 4096);
    struct kept_text kept = {0};
    assert_true(slice_eq(kept_text(&kept), slice_of(NULL, 0)));
    char text[100];
    memset(text, 'x', sizeof text);
    for (uint32_t i = 0; i < 100000; i++) {
        text[0] = (char)i;
        struct slice wanted = slice_of(text, i % (sizeof text + 1));
        kept_text_set(&kept, &arena, wanted);
        assert_true(slice_eq(kept_text(&kept), wanted));
    }
    assert_int_equal(arena.total_bytes, 4096);
    arena_fini(&arena);
}

static void hash_with_the_secret_differs_from_the_one_without(void **state)
{
    (void)state;
    hash_secret_init();
    uint64_t secret = hash_secret;
    hash_secret_init();
    assert_true(secret == hash_secret);
    assert_true(hash_bytes("call", 4, hash_secret) != hash_bytes("call", 4, 0));
}

int main(void)
{
    const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(table_that_is_empty_has_nothing),
        cmocka_unit_test(table_that_grows_keeps_every_index),
        cmocka_unit_test(table_with_equal_hashes_gives_each_index_once),
        cmocka_unit_test(table_that_replaces_has_the_new_index_only),
        cmocka_unit_test(text_that_is_replaced_for_ever_takes_no_more_memory),
        cmocka_unit_test(hash_with_the_secret_differs_from_the_one_without),
    };
    return cmocka_run_group_tests_name("base_index_table", TESTS, NULL, NULL);
}
