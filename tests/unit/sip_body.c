// Body parts: the body itself, multipart with quoted boundaries, LF lines, preambles, and
// multiparts inside each other.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "sip_inside.h"

static struct sip_message m;

static bool find(const char *type_line, const char *body, struct slice *part)
{
    static char text[4096];
    int n = snprintf(text, sizeof text, "INVITE sip:b@x SIP/2.0\r\n%s\r\n%s", type_line, body);
    for (int k = 0; k <= n; k++) { // every prefix, at a guard page
        char *copy = (char *)guard_copy(text, (size_t)k);
        sip_check_all(copy, (size_t)k, SIP_DATAGRAM, true);
        guard_free((uint8_t *)copy, (size_t)k);
    }
    assert_int_equal(sip_parse(&m, text, (size_t)n, SIP_DATAGRAM, false), n);
    return sip_body_part(&m, SLICE("application/sdp"), part);
}

#define MIXED "Content-Type: multipart/mixed;boundary=b1\r\n"

static void body_part_by_type(void **arg)
{
    (void)arg;
    static const struct {
        const char *type_line, *body, *part; // part NULL: none
    } CASES[] = {
        {"Content-Type: application/sdp\r\n", "v=0\r\n", "v=0\r\n"},
        {"c: APPLICATION / SDP ; charset=x\r\n", "v=0\r\n", "v=0\r\n"},
        {"", "v=0\r\n", "v=0\r\n"}, // no type at all
        {"", "text", NULL},
        {"Content-Type: text/plain\r\n", "v=0\r\n", NULL},
        {"Content-Type: application/sdpx\r\n", "v=0\r\n", NULL},
        {"Content-Type: application\r\n", "v=0\r\n", NULL},
        {"Content-Type: application/sdp\r\n", "", NULL},
        {MIXED, "--b1\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n\r\n--b1--\r\n", "v=0\r\n"},
        {MIXED, "--b1\nContent-Type: application/sdp\n\nv=0\n\n--b1--\n", "v=0\n"},
        {MIXED, "pre\r\namble --b1\r\n--b1  \r\nc:application/sdp\r\n\r\nv=0\r\n--b1--", "v=0"},
        {MIXED,
         "--b1\r\n\r\nplain\r\n--b1\r\nContent-type:\r\n application/sdp\r\n\r\nv=1\r\n--b1--\r\n",
         "v=1"},
        {MIXED, "--b1\r\nContent-Type: application/sdp\r\n\r\nv=0\r\nnever closed",
         "v=0\r\nnever closed"},
        {MIXED, "--b1\r\nContent-Type: application/sdp\r\n", ""}, // a part without a body
        {MIXED, "--b1--\r\n--b1\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n", NULL},
        {MIXED, "--b12\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--b12--\r\n", NULL},
        {MIXED, "no delimiter", NULL},
        {"Content-Type: multipart/mixed;boundary=\"a b=;c\"\r\n",
         "--a b=;c\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--a b=;c--\r\n", "v=0"},
        {"Content-Type: multipart/mixed;boundary=\"\"\r\n", "--\r\n\r\nv=0", NULL},
        {"Content-Type: multipart/mixed\r\n", "--\r\n\r\nv=0", NULL},
        {MIXED,
         "--b1\r\nContent-Type: multipart/related;boundary=\"b2\"\r\n\r\n"
         "--b2\r\nContent-Type: multipart/alternative; boundary=b3\r\n\r\n"
         "--b3\r\nContent-Type: text/plain\r\n\r\nt\r\n"
         "--b3\r\nContent-Type: application/sdp\r\n\r\nv=3\r\n--b3--\r\n--b2--\r\n--b1--\r\n",
         "v=3"},
        {MIXED,
         "--b1\r\nContent-Type: multipart/related;boundary=b2\r\n\r\n--b2\r\n\r\nx\r\n--b2--\r\n"
         "--b1\r\nContent-Type: application/sdp\r\n\r\nv=1\r\n--b1--\r\n",
         "v=1"}, // back from the inner one
        {MIXED,
         "--b1\r\nContent-Type: multipart/x;boundary=b2\r\n\r\n"
         "--b2\r\nContent-Type: multipart/x;boundary=b3\r\n\r\n"
         "--b3\r\nContent-Type: multipart/x;boundary=b4\r\n\r\n"
         "--b4\r\nContent-Type: "
         "application/sdp\r\n\r\nv=4\r\n--b4--\r\n--b3--\r\n--b2--\r\n--b1--\r\n",
         NULL}, // deeper than the limit
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct slice part;
        print_message("case %zu\n", i);
        assert_int_equal(find(CASES[i].type_line, CASES[i].body, &part), CASES[i].part != NULL);
        if (CASES[i].part && !slice_eq(part, slice_str(CASES[i].part))) {
            fail_msg("\"%.*s\"", (int)part.n, part.p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_part_by_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
