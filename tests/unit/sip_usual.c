// The short ways through values of the usual shape against the plain decoders and the judge: what
// they take must be what those give, on ordinary, changed and hostile bytes that end at an unmapped
// page.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "guard.h"
#include "sip_inside.h"
#include "wire/sip/span.h"

static const char *const VALUES[] = {
    "<sip:alice@example.com>;tag=9fxced76sl",
    "\"Alice A.\" <sip:alice@example.com:5060;transport=udp>;tag=1",
    "Bob Builder <sip:+12025550123@192.0.2.1;user=phone>;tag=a-b.c~d;expires=60",
    "<sip:10.0.10.10>",
    "<sip:[2001:db8::1]:5060;lr>;q=0.7;expires=3600;+sip.instance=\"<urn:uuid:0>\"",
    "<sip:a@b;tag=x>;TAG=y;Tag=z;tag",
    "SIP/2.0/UDP 10.0.10.10:5060;branch=z9hG4bK1f8a",
    "SIP/2.0/TLS [2001:db8::9]:5061;branch=z9hG4bK-1;rport=5060;received=192.0.2.7",
    "SIP/2.0/TCP host.example.com;Branch=\"\";branch=z9hG4bKx;alias",
    "sip:+120255501@10.0.20.10:5060;user=phone",
    "sip:example.com",
    "sip:a%41!*'()&=+$,;?/@[::ffff:192.0.2.1]:65535;x=y;z",
    "INVITE sip:bob@example.com SIP/2.0\r\n",
};
#define VALUE_COUNT (sizeof VALUES / sizeof *VALUES)

// Bytes that mean something in these values, and some that never belong there.
static const char PIECES[] = "<>;:=@\"\\,[]%?/ \t\r\n0a.Z-_~'*()&+$\x01\x7f\x80\xc3\xa9";

// Checks the value, trimmed, with `room` bytes behind it up to an unmapped page. Returns how many
// took it.
static int check(const char *value, size_t n, size_t room)
{
    char bytes[512] = {0};
    assert_true(n + room <= sizeof bytes);
    memcpy(bytes, value, n);
    char *copy = (char *)guard_copy(bytes, n + room);
    int taken = sip_check_usual(slice_trim(slice_of(copy, n)), copy + n + room);
    guard_free((uint8_t *)copy, n + room);
    return taken;
}

static void usual_values_are_taken_as_the_plain_ways_take_them(void **state)
{
    (void)state;
    int taken = 0;
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        taken += check(VALUES[i], strlen(VALUES[i]), SIP_SPAN_ROOM) > 0;
        assert_int_equal(check(VALUES[i], strlen(VALUES[i]), SIP_SPAN_ROOM - 1), 0);
    }
    assert_in_range(taken, VALUE_COUNT - 4, VALUE_COUNT); // else this proves nothing
}

static void usual_values_cut_or_changed_anywhere_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        size_t n = strlen(VALUES[i]);
        for (size_t k = 0; k < n; k++) {
            check(VALUES[i], k, SIP_SPAN_ROOM);
            for (size_t c = 0; c < sizeof PIECES; c++) {
                char changed[256];
                memcpy(changed, VALUES[i], n);
                changed[k] = PIECES[c];
                check(changed, n, SIP_SPAN_ROOM);
            }
        }
    }
}

// Pieces of two values and random bytes, one behind the other.
static size_t mix(struct random *rng, char *out, size_t room)
{
    size_t n = 0;
    for (uint64_t parts = 1 + random_below(rng, 4); parts > 0; parts--) {
        const char *from = VALUES[random_below(rng, VALUE_COUNT)];
        size_t at = (size_t)random_below(rng, strlen(from));
        size_t take = (size_t)random_below(rng, strlen(from) - at + 1);
        take = take < room - n ? take : room - n;
        memcpy(out + n, from + at, take);
        n += take;
        if (n < room && random_below(rng, 2) == 0) {
            out[n++] = PIECES[random_below(rng, sizeof PIECES)];
        }
    }
    return n;
}

static void usual_values_of_mixed_pieces_are_the_same(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("sip_usual", 1));
    for (size_t round = 0; round < capture_rounds(100000); round++) {
        char value[256];
        check(value, mix(&rng, value, sizeof value), SIP_SPAN_ROOM);
    }
}

// A message of such values, whole or cut at any length: core and judge.
static void usual_messages_of_mixed_values_are_judged_the_same(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("sip_usual_messages", 1));
    for (size_t round = 0; round < capture_rounds(10000); round++) {
        char values[6][200], text[2048];
        int lengths[6];
        for (int i = 0; i < 6; i++) {
            bool whole = random_below(&rng, 3) > 0;
            const char *usual = VALUES[(i < 2 ? 6 : 0) + random_below(&rng, i < 2 ? 3 : 6)];
            lengths[i] = (int)(whole ? strlen(usual) : mix(&rng, values[i], sizeof values[i]));
            if (whole) {
                memcpy(values[i], usual, (size_t)lengths[i]);
            }
        }
        int n = snprintf(text, sizeof text,
                         "INVITE %s SIP/2.0\r\nVia: %.*s\r\nVia: %.*s\r\nFrom: %.*s\r\nTo: %.*s\r\n"
                         "Contact: %.*s\r\nP-Asserted-Identity: %.*s\r\nCall-ID: 1@example.com\r\n"
                         "CSeq: 1 INVITE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n",
                         VALUES[9 + random_below(&rng, 3)], lengths[0], values[0], lengths[1],
                         values[1], lengths[2], values[2], lengths[3], values[3], lengths[4],
                         values[4], lengths[5], values[5]);
        size_t cut = random_below(&rng, 2) ? (size_t)n : (size_t)random_below(&rng, (uint64_t)n);
        char *copy = (char *)guard_copy(text, cut);
        sip_check_all(copy, cut, SIP_DATAGRAM, cut < (size_t)n);
        guard_free((uint8_t *)copy, cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_values_are_taken_as_the_plain_ways_take_them),
        cmocka_unit_test(usual_values_cut_or_changed_anywhere_are_the_same),
        cmocka_unit_test(usual_values_of_mixed_pieces_are_the_same),
        cmocka_unit_test(usual_messages_of_mixed_values_are_judged_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
