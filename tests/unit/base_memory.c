// Tests of memory: arenas and counted allocation.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/memory.h"

static void arena_alloc_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 256);
    uint8_t *pieces[64];
    for (size_t i = 0; i < 64; i++) {
        size_t n = 1 + i * 7 % 50;
        pieces[i] = arena_alloc(&a, n);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(pieces[i][k], 0);
        }
        memset(pieces[i], (int)i + 1, n);
    }
    for (size_t i = 0; i < 64; i++) {
        for (size_t k = 0; k < 1 + i * 7 % 50; k++) {
            assert_int_equal(pieces[i][k], i + 1);
        }
    }
    arena_fini(&a);
}

static void arena_alloc_larger_than_a_block_gets_its_own(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 64);
    memset(arena_alloc(&a, 100000), 1, 100000);
    memset(arena_alloc(&a, 10), 1, 10);
    assert_true(a.total_bytes >= 100000);
    arena_fini(&a);
    assert_int_equal(a.total_bytes, 0);
}

static void arena_reset_uses_its_block_again(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 4096);
    for (int i = 0; i < 100; i++) {
        arena_alloc(&a, 1000);
    }
    arena_reset(&a);
    uint64_t calls = memory_calls();
    size_t total = a.total_bytes;
    for (int round = 0; round < 1000; round++) {
        uint8_t *p = arena_alloc(&a, 1000);
        assert_int_equal(p[999], 0);
        p[999] = 1;
        arena_reset(&a);
    }
    assert_int_equal(memory_calls() - calls, 0);
    assert_int_equal(a.total_bytes, total);
    arena_fini(&a);
}

static void arena_reset_and_fini_of_an_empty_one_do_nothing(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 64);
    arena_reset(&a);
    arena_fini(&a);
    arena_fini(&a);
}

static void arena_slice_copies_and_terminates(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 64);
    char text[] = "caller";
    struct slice copy = arena_slice(&a, slice_str(text));
    text[0] = 'x';
    assert_string_equal(copy.p, "caller");
    assert_int_equal(copy.n, 6);
    assert_string_equal(arena_slice(&a, slice_of(NULL, 0)).p, "");
    arena_fini(&a);
}

static void memory_calls_counts_each_request(void **state)
{
    (void)state;
    uint64_t before = memory_calls();
    void *p = memory_alloc(10);
    void *q = memory_zero(10);
    p = memory_resize(p, 1000);
    assert_int_equal(memory_calls() - before, 3);
    memory_free(p);
    memory_free(q);
    memory_free(NULL);
    assert_int_equal(memory_calls() - before, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_alloc_is_zeroed_aligned_and_apart),
        cmocka_unit_test(arena_alloc_larger_than_a_block_gets_its_own),
        cmocka_unit_test(arena_reset_uses_its_block_again),
        cmocka_unit_test(arena_reset_and_fini_of_an_empty_one_do_nothing),
        cmocka_unit_test(arena_slice_copies_and_terminates),
        cmocka_unit_test(memory_calls_counts_each_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
