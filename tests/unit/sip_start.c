// The way for ordinary start lines against the way for all lines: put together from good and bad
// parts, cut and changed everywhere, at the end of a page.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "sip_start_same.h"

static void compare(const void *bytes, size_t n)
{
    struct sip_start a, b;
    uint8_t *copy = guard_copy(bytes, n);
    bool found = sip_start_read(&a, (const char *)copy, n);
    assert_int_equal(sip_start_read_any(&b, (const char *)copy, n), found);
    assert_true(!found || sip_start_same(&a, &b));
    guard_free(copy, n);
}

// What stands behind decides whether the quick way may look at all: it needs some bytes.
static void compare_line(const char *first, const char *second, const char *third, const char *end)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%s%s%s%s", first, second, third, end);
    compare(text, (size_t)n);
    n += snprintf(text + n, sizeof text - (size_t)n, "Via: SIP/2.0/UDP 192.0.2.1\r\n\r\n");
    compare(text, (size_t)n);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
static const char *const ENDS[] = {"\r\n", "\n", " \r\n", "\r\r\n", "", "\r", "\t\n"};

static void start_requests_put_together_same_parts(void **arg)
{
    (void)arg;
    static const char *const METHODS[] = {"INVITE ",
                                          "ACK ",
                                          "X-y.Z! ",
                                          "",
                                          " ",
                                          "INVITE  ",
                                          "INVITE\t",
                                          "inv:ite ",
                                          "SIP/2.0 ",
                                          "A ",
                                          "SIXTEEN-LETTERS. ",
                                          "SEVENTEEN-LETTERS ",
                                          "LONGER-THAN-SIXTEEN-LETTERS ",
                                          "\r\nBYE "};
    static const char *const URIS[] = {
        "sip:bob@example.com", "",       "a",     "<sip:a>", "sip:a b", "tel:1", "sip:\303\244",
        "sip:[2001:db8::1]",   " sip:a", "sip:a "};
    static const char *const VERSIONS[] = {" SIP/2.0",  " sip/2.0",  " SIP/3.0",
                                           "  SIP/2.0", "\tSIP/2.0", " SIP/2.",
                                           "",          " SIP/2.00", "SIP/2.0"};
    for (size_t m = 0; m < COUNT(METHODS); m++) {
        for (size_t u = 0; u < COUNT(URIS); u++) {
            for (size_t i = 0; i < COUNT(VERSIONS) * COUNT(ENDS); i++) {
                compare_line(METHODS[m], URIS[u], VERSIONS[i / COUNT(ENDS)], ENDS[i % COUNT(ENDS)]);
            }
        }
    }
}

static void start_responses_put_together_same_parts(void **arg)
{
    (void)arg;
    static const char *const VERSIONS[] = {"SIP/2.0 ", "sip/2.0 ", "SIP/2.0  ", "SIP/2.0\t",
                                           "SIP/1.0 ", "SIP/2.0",  " SIP/2.0 "};
    static const char *const CODES[] = {"200",  "100", "699", "700", "099", "20",
                                        "2000", "2x0", "",    "6",   "-10"};
    static const char *const REASONS[] = {" OK", "", " ", "  OK  ", "\tOK", " \303\226K", " a:b c"};
    for (size_t v = 0; v < COUNT(VERSIONS); v++) {
        for (size_t c = 0; c < COUNT(CODES); c++) {
            for (size_t i = 0; i < COUNT(REASONS) * COUNT(ENDS); i++) {
                compare_line(VERSIONS[v], CODES[c], REASONS[i / COUNT(ENDS)],
                             ENDS[i % COUNT(ENDS)]);
            }
        }
    }
}

static void start_every_prefix_and_byte_changed_same_parts(void **arg)
{
    (void)arg;
    static const char *const LINES[] = {
        "INVITE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP a\r\n",
        "SIP/2.0 180 Ringing\r\nVia: SIP/2.0/UDP 192.0.2.1\r\n"};
    for (size_t l = 0; l < COUNT(LINES); l++) {
        char text[128];
        size_t n = strlen(LINES[l]);
        memcpy(text, LINES[l], n);
        for (size_t at = 0; at < n; at++) {
            compare(text, at);
            for (int c = 0; c < 256; c++) {
                text[at] = (char)c;
                compare(text, n);
            }
            text[at] = LINES[l][at];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_requests_put_together_same_parts),
        cmocka_unit_test(start_responses_put_together_same_parts),
        cmocka_unit_test(start_every_prefix_and_byte_changed_same_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
