// Tests of addresses and endpoints: reading, writing, comparing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/address.h"

#include <arpa/inet.h>

static void address_parse_reads_both_families_and_writes_them_back(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
        bool v4;
    } cases[] = {
        {"192.0.2.1", "192.0.2.1", true},
        {"0.0.0.0", "0.0.0.0", true},
        {"255.255.255.255", "255.255.255.255", true},
        {"2001:db8::1", "2001:db8::1", false},
        {"[2001:db8::1]", "2001:db8::1", false},
        {"2001:0DB8:0:0:0:0:0:1", "2001:db8::1", false},
        {"::", "::", false},
        {"::ffff:192.0.2.1", "192.0.2.1", true}, // the same host
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct address a;
        char text[ENDPOINT_TEXT_BYTES];
        assert_true(address_parse(slice_str(cases[i].in), &a));
        assert_int_equal(address_text(a, text), strlen(cases[i].out));
        assert_string_equal(text, cases[i].out);
        assert_int_equal(address_is_v4(a), cases[i].v4);
    }
}

static void address_parse_refuses_what_is_none(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",     "192.0.2",      "192.0.2.256",  "192.0.2.1:5060", "example.com",
        "[]",   "2001:db8::1]", "[2001:db8::1", "1::2::3",        "01.2.3.4.5",
        ":::1", " 192.0.2.1"};
    struct address a;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("# %s\n", cases[i]);
        assert_false(address_parse(slice_str(cases[i]), &a));
    }
    assert_false(address_parse(SLICE("192.0.2.1\0"), &a));
    assert_false(
        address_parse(SLICE("1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb"), &a));
}

// The reference is inet_pton().
static void address_parse_takes_the_dotted_forms_that_inet_pton_takes(void **state)
{
    (void)state;
    static const char BYTES[] = "01122255559x";
    uint32_t seed = 7;
    print_message("# seed %u\n", seed);
    for (int round = 0; round < 200000; round++) {
        char text[20];
        size_t n = 0;
        for (seed = seed * 1664525 + 1013904223; n < 1 + (seed >> 20) % 16; n++) {
            seed = seed * 1664525 + 1013904223;
            text[n] = n % 4 == 3 && (seed & 0xc0000000) != 0
                          ? '.'
                          : BYTES[(seed >> 8) % (sizeof BYTES - 1)];
        }
        text[n] = '\0';
        uint8_t bytes[4];
        struct address a;
        bool is_one = inet_pton(AF_INET, text, bytes) == 1;
        assert_int_equal(address_parse(slice_of(text, n), &a), is_one);
        assert_true(!is_one || address_eq(a, address_v4(bytes)));
    }
}

static void address_is_zero_knows_both_forms(void **state)
{
    (void)state;
    static const uint8_t zeros[16], some[16] = {[15] = 1}, v4[4] = {0, 0, 0, 1};
    assert_true(address_is_zero(address_v4(zeros)));
    assert_true(address_is_zero(address_v6(zeros)));
    assert_true(address_is_zero((struct address){0, 0}));
    assert_false(address_is_zero(address_v6(some)));
    assert_false(address_is_zero(address_v4(v4)));
}

static void endpoint_text_puts_brackets_around_ipv6(void **state)
{
    (void)state;
    struct endpoint e = {.port = 5060};
    char text[ENDPOINT_TEXT_BYTES];
    assert_true(address_parse(SLICE("192.0.2.10"), &e.addr));
    assert_int_equal(endpoint_text(e, text), 15);
    assert_string_equal(text, "192.0.2.10:5060");
    assert_true(address_parse(SLICE("2001:db8::1"), &e.addr));
    endpoint_text(e, text);
    assert_string_equal(text, "[2001:db8::1]:5060");
}

static void endpoint_text_of_longest_fits(void **state)
{
    (void)state;
    uint8_t bytes[16];
    memset(bytes, 0xff, sizeof bytes);
    struct endpoint e = {address_v6(bytes), 65535};
    char text[ENDPOINT_TEXT_BYTES];
    assert_int_equal(endpoint_text(e, text), 47);
    assert_int_equal(strlen(text), 47);
}

static void endpoint_eq_and_hash_agree(void **state)
{
    (void)state;
    static const uint8_t bytes[4] = {192, 0, 2, 1};
    struct endpoint a = {address_v4(bytes), 5060}, b = a;
    assert_true(endpoint_eq(a, b));
    assert_true(endpoint_hash(a, 0) == endpoint_hash(b, 0));
    b.port++;
    assert_false(endpoint_eq(a, b));
    assert_true(endpoint_hash(a, 0) != endpoint_hash(b, 0));
}

// An owner of a /64 chooses address and port so that they cancel out: it must not help.
static void hash_of_chosen_ports_and_addresses_differs(void **state)
{
    (void)state;
    uint32_t seen[64] = {0};
    for (uint32_t i = 0; i < 4096; i++) {
        struct endpoint e = {{0x20010db8u, (uint64_t)i}, (uint16_t)i};
        struct endpoint f = {{0x20010db8u ^ i, 1}, (uint16_t)i};
        seen[endpoint_hash(e, 77) % 64]++;
        seen[endpoint_hash(f, 77) % 64]++;
    }
    for (int i = 0; i < 64; i++) {
        assert_in_range(seen[i], 64, 192); // 128 on the average
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_of_chosen_ports_and_addresses_differs),
        cmocka_unit_test(address_parse_reads_both_families_and_writes_them_back),
        cmocka_unit_test(address_parse_takes_the_dotted_forms_that_inet_pton_takes),
        cmocka_unit_test(address_parse_refuses_what_is_none),
        cmocka_unit_test(address_is_zero_knows_both_forms),
        cmocka_unit_test(endpoint_text_puts_brackets_around_ipv6),
        cmocka_unit_test(endpoint_text_of_longest_fits),
        cmocka_unit_test(endpoint_eq_and_hash_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
