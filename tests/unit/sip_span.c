// Runs of characters 16 at a time: the sets are those of the grammar, and every run is as long as
// one byte at a time finds it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "random_fill.h"
#include "wire/sip/chars.h"
#include "wire/sip/span.h"

static bool is_one_of(char c, const char *all)
{
    return c != 0 && strchr(all, c) != NULL;
}

static bool in_token(char c)
{
    return sip_char_is(c, SIP_CHAR_TOKEN);
}

static bool in_words(char c)
{
    return sip_char_is(c, SIP_CHAR_TOKEN) || c == ' ';
}

static bool in_user(char c)
{
    return sip_char_is(c, SIP_CHAR_USER) && c != '%';
}

static bool in_host(char c)
{
    return sip_char_is(c, SIP_CHAR_HOST);
}

static bool in_ipv6(char c)
{
    return sip_char_is(c, SIP_CHAR_HEX) || c == ':' || c == '.';
}

static bool in_uri_params(char c)
{
    return sip_char_is(c, SIP_CHAR_URI) && !is_one_of(c, "%?@");
}

static bool in_value(char c)
{
    return c > ' ' && c < 0x7f && !is_one_of(c, "\"<>,;");
}

static const struct {
    const char *name;
    const struct sip_set *set;
    bool (*is_in)(char c);
} SETS[] = {
    {"TOKEN", &SIP_SET_TOKEN, in_token}, {"WORDS", &SIP_SET_WORDS, in_words},
    {"USER", &SIP_SET_USER, in_user},    {"HOST", &SIP_SET_HOST, in_host},
    {"IPV6", &SIP_SET_IPV6, in_ipv6},    {"URI_PARAMS", &SIP_SET_URI_PARAMS, in_uri_params},
    {"VALUE", &SIP_SET_VALUE, in_value},
};
#define SETS_COUNT (sizeof SETS / sizeof *SETS)

static void span_each_byte_at_each_place_ends_where_the_grammar_says(void **arg)
{
    (void)arg;
    for (size_t k = 0; k < SETS_COUNT; k++) {
        for (unsigned at = 0; at < 16; at++) {
            for (int c = 0; c < 256; c++) {
                char bytes[16];
                memset(bytes, 'a', sizeof bytes); // in all of them
                bytes[at] = (char)c;
                unsigned want = SETS[k].is_in((char)c) ? 16 : at;
                if (sip_span_16(bytes, SETS[k].set) != want) {
                    fail_msg("%s: byte 0x%02x at %u", SETS[k].name, (unsigned)c, at);
                }
                want = c == '"' || c == '\\' ? at : 16;
                assert_int_equal(sip_span_quoted_16(bytes), want);
            }
        }
    }
}

// One byte at a time, with the end that sip_span has: it may stop anywhere behind `n`.
static size_t run_of(const char *p, size_t n, bool (*is_in)(char c))
{
    size_t i = 0;
    while (i <= n && is_in(p[i])) {
        i++;
    }
    return i;
}

static void span_random_bytes_same_run(void **arg)
{
    (void)arg;
    struct random r;
    char bytes[200];
    random_seeded(&r, 0x5ba9);
    for (int round = 0; round < 20000; round++) {
        size_t k = random_u64(&r) % SETS_COUNT;
        size_t n = random_u64(&r) % 100;
        size_t from = random_u64(&r) % (n + 1);
        for (size_t i = 0; i < n + SIP_SPAN_ROOM; i++) {
            bytes[i] = random_u64(&r) % 32 == 0 ? (char)random_u64(&r) : "az09"[random_u64(&r) % 4];
        }
        char *copy = (char *)guard_copy(bytes, n + SIP_SPAN_ROOM);
        const char *at = copy + from;
        size_t want = from + run_of(copy + from, n - from, SETS[k].is_in);
        bool inside = sip_span(&at, copy + n, SETS[k].set);
        assert_int_equal(inside, want <= n);
        assert_true(!inside || at == copy + want);
        guard_free((uint8_t *)copy, n + SIP_SPAN_ROOM);
    }
}

static void visible_each_byte_at_each_place(void **arg)
{
    (void)arg;
    char bytes[70];
    for (size_t n = 8; n <= sizeof bytes; n++) {
        for (size_t at = 0; at < n; at++) {
            for (int c = 0; c < 256; c++) {
                memset(bytes, 'a', sizeof bytes);
                bytes[at] = (char)c;
                assert_int_equal(sip_is_visible(bytes, n), c >= ' ' && c < 0x7f);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(span_each_byte_at_each_place_ends_where_the_grammar_says),
        cmocka_unit_test(span_random_bytes_same_run),
        cmocka_unit_test(visible_each_byte_at_each_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
