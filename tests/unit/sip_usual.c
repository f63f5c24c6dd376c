// Values of the usual shape: which are taken, and that what is taken is what the plain decoders and
// the plain judge say, on values built at random, changed, and cut, each at a guard page.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "random_fill.h"
#include "sip_inside.h"
#include "wire/sip/span.h"

// The value with as many bytes behind it as must be there, and not one more. Returns how many
// shapes took it.
static int check(struct slice value, const char *behind)
{
    char bytes[1024];
    size_t n = value.n + SIP_SPAN_ROOM;
    assert_true(n <= sizeof bytes);
    memcpy(bytes, value.p, value.n);
    memcpy(bytes + value.n, behind, SIP_SPAN_ROOM);
    char *copy = (char *)guard_copy(bytes, n);
    int taken = sip_check_usual(slice_of(copy, value.n), copy + n);
    guard_free((uint8_t *)copy, n);
    return taken;
}

static const char CRLF[SIP_SPAN_ROOM] = "\r\nTo: <sip:a@b>";

static void usual_shapes_taken_and_others_left(void **arg)
{
    (void)arg;
    static const struct {
        const char *text;
        int taken;
    } CASES[] = {
        {"<sip:a@b>", 1},
        {"<sip:+447700900233@10.0.10.10;user=phone>;tag=7e31e7b7cb71", 1},
        {"<sip:host.example:5080;lr>", 1},
        {"<sip:a@[2001:db8::1]:5060>;tag=1", 1},
        {"Alice B <sip:a@b>;tag=1", 1},
        {"\"Alice, <B>\" <sip:a@b>;tag=1", 1},
        {"\"J\xc3\xbcrgen\"<sip:a@b>", 1},
        {"<sip:a@b>;expires=60;+sip.instance=\"<urn:uuid:0>\"", 1},
        {"SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKa;rport", 1},
        {"SIP/2.0/TLS [2001:db8::1];branch=z9hG4bKa;received=[2001:db8::2]", 1},
        {"sip:a@b:5060;transport=tcp", 1},
        {"sip:b", 1},
        {"sip:a@b:65535", 1},
        {"sip:a@b:65536", 0},
        {"sip:a@b:00000", 0},
        {"sip:a%40@b", 0}, // good, but escapes go the long way
        {"sip:a@b?x=y", 0},
        {"sip:a:b@c", 0},
        {"sip:b;x=a@c", 1}, // all before the "@" is the user
        {"sip:[]", 0},
        {"sips:a@b", 0},
        {"<sip:a@b>;tag=", 0},
        {"<sip:a@b> ;tag=1", 0},
        {"<sip:a@b>;tag=1,<sip:a@b>", 0},
        {"\"a\\\"\" <sip:a@b>", 0},
        {"\"a\" b <sip:a@b>", 0},
        {"sip:a@b;tag=1 ", 0},
        {"<sip:a@b", 0},
        {"*", 0},
        {"SIP/2.0/UDP", 0},
        {"SIP/2.0/", 0},
        {"SIP/2.0/UDP a;branch=1,SIP/2.0/UDP b", 0},
        {"SIP/2.0/UDP  a", 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        print_message("%s\n", CASES[i].text);
        assert_int_equal(check(slice_str(CASES[i].text), CRLF), CASES[i].taken);
    }
}

static void usual_value_with_too_few_bytes_behind_left(void **arg)
{
    (void)arg;
    static const char TEXT[] = "<sip:a@b>;tag=1\r\n0123456789012345";
    struct slice value = slice_of(TEXT, 15);
    struct sip_usual u;
    for (size_t n = 0; n < SIP_SPAN_ROOM; n++) {
        assert_false(sip_usual_address(value, value.p + value.n + n, &u));
    }
    assert_true(sip_usual_address(value, value.p + value.n + SIP_SPAN_ROOM, &u));
}

// Parts that values are put together from: of each shape, and of what breaks them.
static const char *const PARTS[] = {
    "<",
    ">",
    "sip:",
    "SIP:",
    "sips:",
    "tel:",
    "@",
    ":",
    ";",
    "=",
    ",",
    "\"",
    "\\",
    " ",
    "  ",
    "\r\n ",
    "?",
    "%41",
    "[",
    "]",
    "::1",
    "5060",
    "0",
    "65536",
    "tag",
    "Tag",
    "branch",
    "BRANCH",
    "expires",
    "Expires",
    "rport",
    "received",
    "a",
    "host.ex",
    "192.0.2.17",
    "*",
    "\xc3\xbc",
    "\xff",
    "\x01",
    "z9hG4bK",
    "SIP/2.0/",
    "UDP",
    "SIP/2.0/UDP h",
    "<sip:a@b>",
    ";tag=1",
    ";branch=z9hG4bKx",
    ";lr",
    "=\"q\"",
    "a-token-of-more-than-sixteen-bytes",
    "4294967296",
};

static struct slice build(struct random *r, char *room)
{
    static const char *const SHAPES[] = {
        "<sip:alice@atlanta.example.com;user=phone>;tag=9fxced76sl",
        "\"Alice\" <sip:alice@192.0.2.10:5060>;expires=3600;tag=a",
        "SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK74bf9;rport=5060;received=192.0.2.1",
        "sip:bob@biloxi.example.com:5060;transport=udp;lr",
        "Alice <sip:[2001:db8::10]:5070>;q=0.7;+x=\"y;z\"",
    };
    size_t n = 0;
    if (random_u64(r) % 2 == 0) {
        const char *shape = SHAPES[random_u64(r) % (sizeof SHAPES / sizeof *SHAPES)];
        n = strlen(shape);
        memcpy(room, shape, n);
    }
    for (size_t changes = random_u64(r) % 4; n == 0 || changes > 0; changes -= changes > 0) {
        struct slice part = slice_str(PARTS[random_u64(r) % (sizeof PARTS / sizeof *PARTS)]);
        size_t at = random_u64(r) % (n + 1);
        size_t gone = random_u64(r) % 4;
        gone = gone < n - at ? gone : n - at;
        memmove(room + at + part.n, room + at + gone, n - at - gone);
        memcpy(room + at, part.p, part.n);
        n += part.n - gone;
    }
    while (n < 100 && random_u64(r) % 4 == 0) {
        struct slice part = slice_str(PARTS[random_u64(r) % (sizeof PARTS / sizeof *PARTS)]);
        memcpy(room + n, part.p, part.n);
        n += part.n;
    }
    if (n > 0 && random_u64(r) % 3 == 0) {
        room[random_u64(r) % n] = (char)random_u64(r);
    }
    return slice_of(room, n);
}

static void usual_values_at_random_same_as_plain(void **arg)
{
    (void)arg;
    struct random r;
    char room[512];
    int taken = 0;
    random_seeded(&r, 0x0517a1);
    for (int round = 0; round < 100000; round++) {
        struct slice value = slice_trim(build(&r, room));
        char behind[SIP_SPAN_ROOM];
        random_fill(&r, behind, sizeof behind);
        memcpy(behind, random_u64(&r) % 2 ? ";tag=more" : "aaaaaaaaa", 9); // as if it went on
        taken += check(value, random_u64(&r) % 2 ? CRLF : behind);
    }
    print_message("%d taken\n", taken);
    assert_true(taken > 10000);
}

static void usual_every_cut_of_a_value_same_as_plain(void **arg)
{
    (void)arg;
    static const char *const TEXTS[] = {
        "\"Alice\" <sip:alice@192.0.2.10:5060;user=phone>;tag=a;expires=60",
        "SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK74bf9;rport;received=\"x\"",
        "sip:bob@[2001:db8::10]:5060;transport=udp",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        struct slice text = slice_str(TEXTS[i]);
        for (size_t n = 0; n <= text.n; n++) {
            check(slice_of(text.p, n), CRLF);
            char behind[SIP_SPAN_ROOM] = {0}; // what was cut off follows
            memcpy(behind, text.p + n, text.n - n < sizeof behind ? text.n - n : sizeof behind);
            check(slice_of(text.p, n), behind);
        }
    }
}

// Whole messages: the core of each, and all that the judge finds.
static void judge_messages_of_values_at_random_same_as_plain(void **arg)
{
    (void)arg;
    static const char *const NAMES[] = {"Via", "From", "To", "Contact", "Contact", "Via"};
    struct random r;
    char room[512];
    char text[8192];
    random_seeded(&r, 0x0517a2);
    for (int round = 0; round < 20000; round++) {
        bool is_request = random_u64(&r) % 2 == 0;
        struct slice uri = slice_trim(build(&r, room));
        int n = is_request
                    ? snprintf(text, sizeof text, "INVITE %.*s SIP/2.0\r\n", (int)uri.n, uri.p)
                    : snprintf(text, sizeof text, "SIP/2.0 200 OK and more of it\r\n");
        for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
            struct slice value = build(&r, room);
            n += snprintf(text + n, sizeof text - (size_t)n, "%s: %.*s\r\n", NAMES[i], (int)value.n,
                          value.p);
        }
        n += snprintf(text + n, sizeof text - (size_t)n, "CSeq: 1 INVITE\r\nCall-ID: c\r\n\r\n");
        size_t cut = random_u64(&r) % 4 == 0 ? random_u64(&r) % (size_t)n : (size_t)n;
        char *copy = (char *)guard_copy(text, cut);
        sip_check_all(copy, cut, SIP_DATAGRAM, random_u64(&r) % 2 == 0);
        guard_free((uint8_t *)copy, cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_shapes_taken_and_others_left),
        cmocka_unit_test(usual_value_with_too_few_bytes_behind_left),
        cmocka_unit_test(usual_values_at_random_same_as_plain),
        cmocka_unit_test(usual_every_cut_of_a_value_same_as_plain),
        cmocka_unit_test(judge_messages_of_values_at_random_same_as_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
