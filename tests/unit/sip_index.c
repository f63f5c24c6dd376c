// The fast index of header lines against the plain one, on ordinary, random and hostile bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "sip_index_same.h"
#include "wire/sip/index.h"

static uint64_t state;

// xorshift64*: the same numbers for the same seed everywhere.
static uint32_t draw(uint32_t below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545f4914f6cdd1du) >> 33) % below;
}

static void compare_from(const char *p, uint32_t n, uint32_t at)
{
    assert_null(sip_index_difference(p, n, at));
}

static void compare(const void *bytes, uint32_t n)
{
    uint8_t *copy = guard_copy(bytes, n);
    compare_from((const char *)copy, n, 1);
    compare_from((const char *)copy, n, n / 3 + 1);
    guard_free(copy, n);
}

static void need_fast(void)
{
    if (!sip_index_has_fast()) {
        print_message("skipped: this processor has no AVX2\n");
        skip();
    }
}

static void index_every_prefix_of_a_message_same_index(void **arg)
{
    (void)arg;
    static const char MESSAGE[] =
        "INVITE sip:bob@example.com SIP/2.0\r\n"
        "Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKa\nFrom : <sip:a@b>;tag=1\r\n"
        "Subject:\r\n folded\r\n\tmore: of it\r\nno colon here\r\n:\r\nX-Long-Header-Name-Of-More-"
        "Than-Sixty-Four-Bytes-So-That-It-Crosses-A-Block: v\r\n\001Bad: "
        "\177\r\nCSeq: 1 INVITE\r\nTO:<sip:b@c>\r\nmax-forwards:\t70\r\nContent-Length:  0 \r\n"
        "Call-ID: a\nSubscription-State: x\r\nProxy-Authorization: y\r\nl: 4\r\nFrom:\r\n"
        "Subject: \303\244\r\n : x\r\nRoute: a\r\r\nRTP-TxStat: 1\r\n\r\nv=0\r\no=x:y\r\n";
    need_fast();
    for (uint32_t n = 1; n < sizeof MESSAGE; n++) {
        compare(MESSAGE, n);
    }
}

static void index_random_bytes_same_index(void **arg)
{
    (void)arg;
    static const char HOSTILE[] = "\r\n:\n\r\t \001a\177\200\377\n:";
    static char bytes[400];
    need_fast();
    state = 0x51de704e;
    print_message("seed 0x%llx\n", (unsigned long long)state);
    for (int round = 0; round < 20000; round++) {
        uint32_t n = 1 + draw(sizeof bytes - 1);
        uint32_t kind = draw(3);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t c = kind == 0   ? draw(256)
                         : kind == 1 ? (uint8_t)HOSTILE[draw(sizeof HOSTILE - 1)]
                                     : (draw(16) ? 'a' + draw(26) : (uint8_t)HOSTILE[draw(6)]);
            bytes[i] = (char)c;
        }
        compare(bytes, n);
    }
}

// Line ends, colons and control bytes at each place of a block, in blocks of each length.
static void index_one_special_byte_at_each_place_same_index(void **arg)
{
    (void)arg;
    static const char SPECIAL[] = "\n:\r\001\177\t\200";
    char bytes[140];
    need_fast();
    for (uint32_t n = 1; n <= sizeof bytes; n++) {
        for (uint32_t at = 0; at < n; at++) {
            for (size_t k = 0; k < sizeof SPECIAL; k++) { // the NUL of the string is one too
                memset(bytes, 'x', n);
                bytes[at] = SPECIAL[k];
                uint8_t *copy = guard_copy(bytes, n);
                compare_from((const char *)copy, n, 1);
                guard_free(copy, n);
            }
        }
    }
}

// Known names, in every case of letters, with what may stand around them.
static void index_lines_put_together_same_index(void **arg)
{
    (void)arg;
    static const char *const NAMES[] = {"Via",
                                        "v",
                                        "From",
                                        "TO",
                                        "Call-ID",
                                        "CSeq",
                                        "cseq",
                                        "Max-Forwards",
                                        "Content-Length",
                                        "l",
                                        "Contact",
                                        "Subscription-State",
                                        "Proxy-Authorization",
                                        "RTP-RxStat",
                                        "RTP-TxStat",
                                        "X-RTP-Stat",
                                        "X-Other",
                                        "V\105A",
                                        "",
                                        "Fr@m",
                                        "Fr\317m",
                                        "Record-Route"};
    static const char *const BETWEEN[] = {":",   ": ", ":  ",     " :", ":\t",
                                          " : ", "",   ": \r\n ", "::"};
    static const char *const VALUES[] = {
        "70",   "",
        "a b",  "x ",
        "\001", "\"\303\274\" <sip:a@b>",
        ":",    "long enough for a block of its own, and then some more of it"};
    static const char *const ENDS[] = {"\r\n", "\r\n", "\r\n", "\n", "\r\r\n", "\t\r\n", ""};
    static char bytes[4096];
    need_fast();
    state = 0x7a11e57;
    for (int round = 0; round < 20000; round++) {
        uint32_t n = 1;
        bytes[0] = '\n';
        for (uint32_t lines = draw(24); lines > 0; lines--) {
            n += (uint32_t)snprintf(bytes + n, sizeof bytes - n, "%s%s%s%s",
                                    NAMES[draw(sizeof NAMES / sizeof *NAMES)],
                                    BETWEEN[draw(4) ? 1 : draw(sizeof BETWEEN / sizeof *BETWEEN)],
                                    VALUES[draw(sizeof VALUES / sizeof *VALUES)],
                                    ENDS[draw(sizeof ENDS / sizeof *ENDS)]);
        }
        n +=
            (uint32_t)snprintf(bytes + n, sizeof bytes - n, "%s", draw(3) ? "\r\nbody: x\r\n" : "");
        compare(bytes, n);
    }
}

// Among them as long as the entry of the table that is none says of itself.
static void index_names_of_each_length_same_index(void **arg)
{
    (void)arg;
    static char bytes[400];
    need_fast();
    for (uint32_t n = 1; n < 300; n++) {
        for (unsigned c = 0; c < 256; c++) {
            memcpy(bytes, "x\r\n", 3);
            memset(bytes + 3, (int)c, n);
            memcpy(bytes + 3 + n, ": v\r\nl: 0\r\n\r\n", 13);
            compare_from(bytes, n + 16, 3);
        }
    }
}

// More lines than have a place: odd ones, folded ones and the first of a known name among them.
static void index_too_many_lines_same_index(void **arg)
{
    (void)arg;
    static char bytes[SIP_HEADERS_MAX * 32];
    static const char *const LINES[] = {"Via: a\r\n", "Via: a\r\n", "X: y\r\n", " fold\r\n",
                                        "none\r\n"};
    need_fast();
    state = 0xf10dd;
    for (int round = 0; round < 300; round++) {
        uint32_t n = 1;
        bytes[0] = '\n';
        for (uint32_t i = 0; i < SIP_HEADERS_MAX + 30; i++) {
            n += (uint32_t)snprintf(bytes + n, sizeof bytes - n, "%s", LINES[draw(5)]);
        }
        n += (uint32_t)snprintf(bytes + n, sizeof bytes - n, "To: b\r\n%sTo: c\r\n\r\n",
                                draw(2) ? " fold\r\n" : "");
        compare(bytes, n);
    }
}

static void index_empty_line_is_end_not_line(void **arg)
{
    (void)arg;
    static struct sip_message m;
    static const char TEXT[] = "\na: b\r\nc\r\n\r\nbody: no header\r\n";
    struct sip_index x = sip_index_of(&m, TEXT, sizeof TEXT - 1, 1);
    sip_index_lines(&x);
    assert_true(x.whole);
    assert_int_equal(x.at, 12);
    assert_int_equal(x.head_end, 10);
    assert_int_equal(m.header_count, 1);
    assert_true(sip_is_odd(&m, SIP_ODD_HEADER_NO_COLON)); // the colon in the body does not count
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_every_prefix_of_a_message_same_index),
        cmocka_unit_test(index_random_bytes_same_index),
        cmocka_unit_test(index_one_special_byte_at_each_place_same_index),
        cmocka_unit_test(index_lines_put_together_same_index),
        cmocka_unit_test(index_names_of_each_length_same_index),
        cmocka_unit_test(index_too_many_lines_same_index),
        cmocka_unit_test(index_empty_line_is_end_not_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
