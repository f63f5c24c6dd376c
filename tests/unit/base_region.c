// Blocks of regions: none overlaps another, and taking and giving them in any order by several
// threads keeps what is written in them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/region.h"
#include "capture.h"

#include <pthread.h>

#define BLOCKS  300
#define THREADS 4

struct block {
    uint8_t *p;
    size_t n;
    uint8_t mark;
};

static void fill(struct block *b, struct random *rng)
{
    b->n = 1 + (size_t)random_below(rng, REGION_BLOCK_MAX);
    b->mark = (uint8_t)random_u64(rng);
    b->p = region_take(b->n);
    memset(b->p, b->mark, b->n);
}

static bool give(struct block *b)
{
    bool is_whole = (uintptr_t)b->p % 64 == 0;
    for (size_t i = 0; i < b->n; i++) {
        is_whole = is_whole && b->p[i] == b->mark;
    }
    region_give(b->p);
    return is_whole;
}

static void *churn(void *seed)
{
    static const size_t ROUNDS = 2000;
    struct block blocks[BLOCKS];
    struct random rng;
    size_t broken = 0;
    random_init(&rng, (uint64_t)(uintptr_t)seed);
    for (size_t i = 0; i < BLOCKS; i++) {
        fill(&blocks[i], &rng);
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        struct block *b = &blocks[random_below(&rng, BLOCKS)];
        broken += !give(b);
        fill(b, &rng);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        broken += !give(&blocks[i]);
    }
    return (void *)broken;
}

static void region_blocks_of_many_threads_keep_their_bytes(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("base_region", 1);
    pthread_t threads[THREADS];
    if (!region_serves(1)) {
        skip(); // AddressSanitizer
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)(seed + i)), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *broken;
        pthread_join(threads[i], &broken);
        assert_null(broken);
    }
}

static void region_serves_up_to_its_largest_block(void **state)
{
    (void)state;
    if (!region_serves(1)) {
        skip();
    }
    assert_true(region_serves(REGION_BLOCK_MAX));
    assert_false(region_serves(REGION_BLOCK_MAX + 1));
    // More than a region holds, so that several are made, and each goes with its last block.
    uint8_t *all[40];
    for (size_t i = 0; i < 40; i++) {
        all[i] = region_take(REGION_BLOCK_MAX);
        all[i][0] = all[i][REGION_BLOCK_MAX - 1] = (uint8_t)i;
    }
    for (size_t i = 0; i < 40; i++) {
        assert_int_equal(all[i][0], i);
        assert_int_equal(all[i][REGION_BLOCK_MAX - 1], i);
        region_give(all[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(region_blocks_of_many_threads_keep_their_bytes),
        cmocka_unit_test(region_serves_up_to_its_largest_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
