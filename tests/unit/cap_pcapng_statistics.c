// Tests of interface statistics blocks of pcapng: what they say of lost packets, in both byte
// orders, and blocks that lie.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cap_maker.h"
#include "guard.h"
#include "wire/cap/pcapng.h"

static void put64(struct maker *m, uint64_t v)
{
    put32(m, (uint32_t)(m->big ? v >> 32 : v));
    put32(m, (uint32_t)(m->big ? v : v >> 32));
}

static void put_option(struct maker *m, uint16_t code, uint64_t v)
{
    put16(m, code);
    put16(m, 8);
    put64(m, v);
}

// The body of a block of interface 1 up to its options.
static struct maker body_of(bool big, uint32_t interface)
{
    struct maker m = {.big = big};
    put32(&m, interface);
    put64(&m, 1700000000000000);
    return m;
}

// Looks at a copy that ends at an unmapped page.
static bool look(const struct maker *m, size_t n, struct pcapng_statistics *out)
{
    static struct pcapng f;
    f = (struct pcapng){.swapped = m->big, .interface_count = 2};
    uint8_t *p = guard_copy(m->bytes, n);
    struct cap_block b = {.kind = PCAPNG_STATISTICS, .body = p, .body_n = n};
    bool is_told = pcapng_statistics(&f, &b, out);
    guard_free(p, n);
    return is_told;
}

static void statistics_add_interface_and_system_drops(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct maker m = body_of(big, 1);
        put_option(&m, 2, 1); // isb_starttime
        put_option(&m, 4, 5000);
        put_option(&m, 5, 900);
        put_option(&m, 6, 4000);
        put_option(&m, 7, 100);
        put_option(&m, 8, 3900);
        put32(&m, 0); // opt_endofopt
        put_option(&m, 5, 77);
        struct pcapng_statistics said;
        assert_true(look(&m, m.n, &said));
        assert_int_equal(said.interface, 1);
        assert_int_equal(said.dropped, 1000);
    }
}

static void statistics_without_drops_say_nothing(void **state)
{
    (void)state;
    struct pcapng_statistics said;
    struct maker m = body_of(false, 1);
    assert_false(look(&m, m.n, &said));
    put_option(&m, 4, 5000);
    assert_false(look(&m, m.n, &said));
    put_option(&m, 5, 0);
    assert_true(look(&m, m.n, &said));
    assert_int_equal(said.dropped, 0);
    m = body_of(false, 2); // of no interface
    put_option(&m, 5, 1);
    assert_false(look(&m, m.n, &said));
    m = body_of(false, 0);
    put_option(&m, 5, UINT64_MAX);
    put_option(&m, 7, 5);
    assert_true(look(&m, m.n, &said));
    assert_true(said.dropped == UINT64_MAX);
    m = body_of(false, 0); // a count of another size
    put16(&m, 5);
    put16(&m, 4);
    put32(&m, 9);
    assert_false(look(&m, m.n, &said));
}

static void statistics_of_every_prefix_and_changed_byte_stay_inside(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct maker m = body_of(big, 0);
        put16(&m, 1); // a comment that is padded
        put16(&m, 3);
        put32(&m, 0x61626300);
        put_option(&m, 5, 3);
        put_option(&m, 7, 4);
        struct pcapng_statistics said;
        for (size_t n = 0; n <= m.n; n++) {
            bool is_told = look(&m, n, &said);
            assert_true(is_told == (n >= m.n - 12));
            assert_true(!is_told || said.dropped == (n == m.n ? 7 : 3));
        }
        for (size_t i = 0; i < m.n; i++) {
            for (unsigned change = 1; change < 256; change++) {
                m.bytes[i] ^= (uint8_t)change;
                look(&m, m.n, &said);
                m.bytes[i] ^= (uint8_t)change;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_add_interface_and_system_drops),
        cmocka_unit_test(statistics_without_drops_say_nothing),
        cmocka_unit_test(statistics_of_every_prefix_and_changed_byte_stay_inside),
    };
    return cmocka_run_group_tests_name("cap_pcapng_statistics", tests, NULL, NULL);
}
