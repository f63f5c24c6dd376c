// Tests of the hash table of indices and of kept texts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/index_table.h"
#include "base/kept_text.h"
#include "base/random.h"

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

// --- removing, against a plain list ---

#define MODEL_MAX 400

struct model {
    uint32_t hashes[MODEL_MAX], indices[MODEL_MAX];
    uint32_t count;
};

static void check_model(const struct index_table *t, const struct model *m)
{
    assert_int_equal(t->count, m->count);
    uint32_t used = 0;
    for (uint32_t i = 0; t->slots && i <= t->mask; i++) {
        used += t->slots[i].used != 0;
    }
    assert_int_equal(used, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t at = m->hashes[i];
        uint32_t found, times = 0;
        while ((found = index_next(t, m->hashes[i], &at)) != INDEX_NONE) {
            times += found == m->indices[i];
        }
        assert_int_equal(times, 1);
    }
}

// `mask` makes hashes collide; `base` puts them at the end of the table, where probing wraps.
static void check_removing(uint64_t seed, uint32_t mask, uint32_t base)
{
    struct random rng;
    struct index_table t = {0};
    struct model m = {0};
    random_init(&rng, seed);
    for (uint32_t step = 0; step < 2000; step++) {
        uint32_t most = step % 700 < 350 ? MODEL_MAX : 20; // full and nearly empty in turn
        if (m.count < most && random_below(&rng, 3) > 0) {
            uint32_t hash = base + ((uint32_t)random_u64(&rng) & mask);
            index_table_add(&t, hash, step);
            m.hashes[m.count] = hash;
            m.indices[m.count++] = step;
        } else if (m.count > 0) {
            uint32_t gone = (uint32_t)random_below(&rng, m.count);
            index_table_remove(&t, m.hashes[gone], m.indices[gone]);
            m.hashes[gone] = m.hashes[--m.count];
            m.indices[gone] = m.indices[m.count];
        }
        if (step % 7 == 0 || m.count < 30) {
            check_model(&t, &m);
        }
    }
    while (m.count > 0) {
        m.count--;
        index_table_remove(&t, m.hashes[m.count], m.indices[m.count]);
    }
    check_model(&t, &m);
    index_table_fini(&t);
}

static void table_that_removes_is_a_plain_list(void **state)
{
    (void)state;
    static const uint32_t MASKS[] = {0, 1, 7, 63, 1023, UINT32_MAX};
    static const uint32_t BASES[] = {0, 60, UINT32_MAX - 3}; // 60: of the first 64 slots
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof MASKS / sizeof *MASKS; i++) {
        for (size_t k = 0; k < sizeof BASES / sizeof *BASES; k++) {
            check_removing(seed++, MASKS[i], BASES[k]);
        }
    }
}

// One chain over the end of the table, each of its entries removed in turn.
static void table_that_removes_from_a_chain_keeps_the_others(void **state)
{
    (void)state;
    static const uint32_t HASHES[] = {62, 62, 63, 62, 0, 63, 1, 62, 126, 64};
    enum {
        N = sizeof HASHES / sizeof *HASHES
    };
    for (uint32_t gone = 0; gone < N; gone++) {
        struct index_table t = {0};
        for (uint32_t i = 0; i < N; i++) {
            index_table_add(&t, HASHES[i], i);
        }
        assert_int_equal(t.mask, 63);
        index_table_remove(&t, HASHES[gone], gone);
        for (uint32_t i = 0; i < N; i++) {
            assert_int_equal(has(&t, HASHES[i], i), i != gone);
        }
        index_table_fini(&t);
    }
}

static void table_that_adds_and_removes_for_ever_stays_small(void **state)
{
    (void)state;
    struct index_table t = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        index_table_add(&t, (uint32_t)hash_mix(i, 1), i);
        if (i >= 20) {
            index_table_remove(&t, (uint32_t)hash_mix(i - 20, 1), i - 20);
        }
    }
    assert_int_equal(t.count, 20);
    assert_int_equal(t.mask, 63);
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
    assert_in_range(arena.total_bytes, sizeof text, 4096);
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
        cmocka_unit_test(table_that_removes_is_a_plain_list),
        cmocka_unit_test(table_that_removes_from_a_chain_keeps_the_others),
        cmocka_unit_test(table_that_adds_and_removes_for_ever_stays_small),
        cmocka_unit_test(text_that_is_replaced_for_ever_takes_no_more_memory),
        cmocka_unit_test(hash_with_the_secret_differs_from_the_one_without),
    };
    return cmocka_run_group_tests_name("base_index_table", TESTS, NULL, NULL);
}
