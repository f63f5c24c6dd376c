// Tests of L2TP: every optional field of version 2; every cookie and frame of version 3; what only
// looks like it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/random.h"
#include "net_tunnelled.h"
#include "random_fill.h"

#define L2TP(flags) IN_UDP("06a5") flags
#define PPP         "ff03 0021"
#define V2          IP4 ", l2tp 0x00050007"
#define V3          IP4 ", l2tp 0x00000009"
#define COOKIE_4    "a1b2c3d4"
#define COOKIE_8    "a1b2c3d4 e5f60718"
#define SUBLAYER    "40000001"
#define IN_IP       V4("73") "00000009"
#define IN_UDP_3    IN_UDP("06a5") "00030000 00000009"

static const struct tunnelled TUNNELLED[] = {
    // version 2: each optional field, and all; the length leaves what stands behind it out
    {L2TP("0002") "0005 0007" PPP V4_HELLO, V2},
    {L2TP("4002") "002d 0005 0007" PPP V4_HELLO, V2},
    {L2TP("4002") "002d 0005 0007" PPP V4_HELLO "ffffffffffff", V2},
    {L2TP("0802") "0005 0007 0001 0002" PPP V4_HELLO, V2},
    {L2TP("0202") "0005 0007 0000" PPP V4_HELLO, V2},
    {L2TP("0202") "0005 0007 0003 aabbcc" PPP V4_HELLO, V2},
    {L2TP("0102") "0005 0007" PPP V4_HELLO, V2},
    {L2TP("4b02") "0034 0005 0007 0001 0002 0001 aa" PPP V4_HELLO, V2},
    {V6("11") UDP("06a5") "0002 0005 0007" PPP V4_HELLO, IP6 ", l2tp 0x00050007"},
    {V4("11") "06a5 c350 0000 0000 0002 0005 0007" PPP V4_HELLO, V2}, // the answer
    // PPP as it comes: without address, with a short protocol, IPv6, MPLS
    {L2TP("0002") "0005 0007 0021" V4_HELLO, V2},
    {L2TP("0002") "0005 0007 21" V4_HELLO, V2},
    {L2TP("0002") "0005 0007 ff03 57" V6_HELLO, V2},
    {L2TP("0002") "0005 0007 ff03 0281 000101ff" V4_HELLO, V2 ", mpls 16"},
    // version 3 in IP: frame, cookie, sublayer
    {IN_IP ETH V4_HELLO, V3},
    {IN_IP COOKIE_4 ETH V4_HELLO, V3},
    {IN_IP COOKIE_8 ETH V4_HELLO, V3},
    {IN_IP SUBLAYER ETH V4_HELLO, V3},
    {IN_IP COOKIE_4 SUBLAYER ETH V4_HELLO, V3},
    {IN_IP COOKIE_8 SUBLAYER ETH V4_HELLO, V3},
    {IN_IP COOKIE_8 SUBLAYER ETH_V6 V6_HELLO, V3},
    {IN_IP COOKIE_8 ETH V4_HELLO "00000000000000000000000000", V3}, // filled up
    {IN_IP COOKIE_4 PPP V4_HELLO, V3},
    {IN_IP COOKIE_4 "0021" V4_HELLO, V3},
    {IN_IP COOKIE_8 SUBLAYER "ff03 0057" V6_HELLO, V3},
    {IN_IP COOKIE_4 "0f00 0800" V4_HELLO, V3}, // Cisco's framing
    {IN_IP V4_HELLO, V3},
    {IN_IP COOKIE_8 V6_HELLO, V3},
    {IN_IP COOKIE_4 "4500 0021 1234 4000 3d11 a779" V4_ADDRS UDP_HELLO, V3}, // with its checksum
    {IN_IP COOKIE_4 MACS "8100 0064 0800" V4_HELLO, V3 ", vlan 100"},
    {IN_IP COOKIE_4 MACS "8847 000101ff" V4_HELLO, V3 ", mpls 16"},
    {IN_IP MACS "8864 1100 0007 0023 0021" V4_HELLO, V3 ", pppoe 7"},
    {V6("73") "00000009" COOKIE_8 ETH V4_HELLO, IP6 ", l2tp 0x00000009"},
    // and in UDP
    {IN_UDP_3 ETH V4_HELLO, V3},
    {IN_UDP_3 COOKIE_8 SUBLAYER PPP V4_HELLO, V3},
    {IN_UDP_3 COOKIE_4 MACS "8100 0064 86dd" V6_HELLO, V3 ", vlan 100"},
    {V4("11") "06a5 06a5 0000 0000 00030000 00000009" COOKIE_4 ETH V4_HELLO, V3},
    // in another one
    {IN_IP COOKIE_4 ETH
     "4500 0047 0001 0000 4011 0000 c6336401 c6336402" UDP("06a5") "0002 0005 0007" PPP V4_HELLO,
     V3 ", " V2},
};

#define TUNNELLED_COUNT (sizeof TUNNELLED / sizeof TUNNELLED[0])

static void l2tp_each_gives_the_datagram_inside(void **state)
{
    (void)state;
    tunnelled_is_found(TUNNELLED, TUNNELLED_COUNT);
}

static void l2tp_every_prefix_is_cut_not_wrong(void **state)
{
    (void)state;
    tunnelled_prefix_is_cut_not_wrong(TUNNELLED, TUNNELLED_COUNT);
}

static void l2tp_every_changed_byte_stays_inside(void **state)
{
    (void)state;
    tunnelled_change_stays_inside(TUNNELLED, TUNNELLED_COUNT);
}

static void l2tp_that_stays_closed_gives_its_reason(void **state)
{
    (void)state;
    static const struct reasoned ROWS[] = {
        {V4("73") "000000", REASON_TRUNCATED},
        {V4("73") "00000000 c8030014 00000000", REASON_NOT_SIP_OR_MEDIA}, // control
        {IN_IP MACS "0806 0001080006040001", REASON_TUNNEL},
        {IN_IP MACS "0800" V4_HELLO "00000000000000000000000000000000000000", REASON_TUNNEL},
        {IN_IP "0000" ETH V4_HELLO, REASON_TUNNEL},        // no cookie is so long
        {IN_IP COOKIE_8 COOKIE_8 V4_HELLO, REASON_TUNNEL}, // nor so
        // a checksum that is wrong, an address that nobody has
        {IN_IP ETH "4500 0021 1234 4000 3d11 0001" V4_ADDRS UDP_HELLO, REASON_TUNNEL},
        {IN_IP ETH_V6 "60000000 000d 11 3d 40010db8 00000000 00000000 0000000a 20010db8 00000000"
                      "00000000 00000014" UDP_HELLO,
         REASON_TUNNEL},
        {IN_IP "010000000002 010000000001 0800" V4_HELLO, REASON_TUNNEL},
        {IN_IP, REASON_TUNNEL},
        // messages of PPP itself, and what it hides
        {L2TP("0002") "0005 0007 ff03 c021 01010004", REASON_NOT_IP},
        {L2TP("0002") "0005 0007 8021 01010004", REASON_NOT_IP},
        {L2TP("0002") "0005 0007 00fd 90001111", REASON_TUNNEL},
        {L2TP("0002") "0005 0007 0053 00001111", REASON_ENCRYPTED},
    };
    each_has_its_reason(ROWS, sizeof ROWS / sizeof ROWS[0]);
}

static void l2tp_implausible_stays_udp(void **state)
{
    (void)state;
    static const char *const ROWS[] = {
        IN_UDP("06a6") "0002 0005 0007" PPP V4_HELLO, // another port
        L2TP("c802") "000c 0005 0000 0001 0002",      // control
        L2TP("0001") "0005 0007" PPP V4_HELLO,
        L2TP("0012") "0005 0007" PPP V4_HELLO,
        L2TP("1002") "0005 0007" PPP V4_HELLO,
        L2TP("0402") "0005 0007" PPP V4_HELLO,
        L2TP("4002") "00ff 0005 0007" PPP V4_HELLO, // longer than it is
        L2TP("4002") "0001 0005 0007" PPP V4_HELLO,
        L2TP("4002") "0008 0005 0007" PPP V4_HELLO, // ends before PPP
        L2TP("0202") "0005 0007 00ff" PPP V4_HELLO,
        L2TP("0002") "0005 0007 ff03 0021" V6_HELLO,
        L2TP("0002") "0005 0007 4142 4344",
        L2TP("0002") "0005",
        L2TP("0002") "0005 0007",
        L2TP("0802") "0005 0007 0001",
        L2TP("0003") "0001 00000009" ETH V4_HELLO,
        L2TP("0003") "0000 00000000" ETH V4_HELLO,
        L2TP("0003") "0000 00000009" ETH V4_HELLO "00000000000000000000000000000000000000",
        L2TP("0003") "0000 000009",
        L2TP("494e") "56495445207369703a6240782053",    // SIP
        L2TP("8000") "0001 00000002 00000003 ffffffff", // RTP
    };
    untunnelled_stays_udp(ROWS, sizeof ROWS / sizeof ROWS[0]);
}

// Random bytes behind a session are no frame: a guess that would take them for one must be worse
// than one in millions.
static void l2tp_random_session_stays_closed(void **state)
{
    (void)state;
    struct random random;
    random_seeded(&random, 11);
    struct hex_bytes head = hex(IN_IP);
    for (int i = 0; i < 200000; i++) {
        struct hex_bytes b = head;
        uint32_t n = 40 + (uint32_t)random_below(&random, 100);
        random_fill(&random, b.p + b.n, n);
        struct datagram d;
        assert_int_equal(peel(LINK_RAW, b.p, b.n + n, &d), REASON_TUNNEL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(l2tp_each_gives_the_datagram_inside),
        cmocka_unit_test(l2tp_every_prefix_is_cut_not_wrong),
        cmocka_unit_test(l2tp_every_changed_byte_stays_inside),
        cmocka_unit_test(l2tp_that_stays_closed_gives_its_reason),
        cmocka_unit_test(l2tp_implausible_stays_udp),
        cmocka_unit_test(l2tp_random_session_stays_closed),
    };
    return cmocka_run_group_tests_name("net_l2tp", tests, NULL, NULL);
}
