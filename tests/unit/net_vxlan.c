// Tests of VXLAN beyond its own port: with groups, with GPE, on any port; and that RTP, SIP and
// others that begin like it stay what they are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/random.h"
#include "net_tunnelled.h"
#include "random_fill.h"

#define VXLAN "08000000 00012300"
#define NET   IP4 ", vxlan 291"

static const struct tunnelled TUNNELLED[] = {
    // group policy: a group, not to be learned, applied
    {IN_UDP("12b5") "88000007 00012300" ETH V4_HELLO, NET},
    {IN_UDP("12b5") "88400007 00012300" ETH V4_HELLO, NET},
    {IN_UDP("2118") "88480007 00012300" ETH_V6 V6_HELLO, NET},
    // GPE: what is inside is said, or not
    {IN_UDP("12b6") "0c000001 00012300" V4_HELLO, NET},
    {IN_UDP("12b6") "0c000002 00012300" V6_HELLO, NET},
    {IN_UDP("12b6") "0c000003 00012300" ETH V4_HELLO, NET},
    {IN_UDP("12b6") "0e000003 00012300" MACS "8100 0064 0800" V4_HELLO, NET ", vlan 100"},
    {IN_UDP("12b6") "0c000005 00012300 000101ff" V4_HELLO, NET ", mpls 16"},
    {IN_UDP("12b6") VXLAN ETH V4_HELLO, NET},
    {V6("11") UDP("12b6") "0c000001 00012300" V4_HELLO, IP6 ", vxlan 291"},
    // on a port of its own choice, also another tunnel's
    {IN_UDP("1234") VXLAN ETH V4_HELLO, NET},
    {IN_UDP("1234") VXLAN ETH_V6 V6_HELLO, NET},
    {IN_UDP("1234") VXLAN ETH V4_HELLO "00000000000000000000", NET}, // filled up
    {IN_UDP("1234") VXLAN MACS "8100 0064 0800" V4_HELLO, NET ", vlan 100"},
    {IN_UDP("1234") VXLAN MACS "8847 000101ff" V4_HELLO, NET ", mpls 16"},
    {IN_UDP("1234") VXLAN MACS "8864 1100 0007 0023 0021" V4_HELLO, NET ", pppoe 7"},
    {IN_UDP("0868") VXLAN ETH V4_HELLO, NET},
    {V4("11") "12b5 c350 0000 0000" VXLAN ETH V4_HELLO, NET},
    {V6("11") UDP("1234") VXLAN ETH V4_HELLO, IP6 ", vxlan 291"},
};

#define TUNNELLED_COUNT (sizeof TUNNELLED / sizeof TUNNELLED[0])

static void vxlan_each_gives_the_datagram_inside(void **state)
{
    (void)state;
    tunnelled_is_found(TUNNELLED, TUNNELLED_COUNT);
}

static void vxlan_every_prefix_is_cut_not_wrong(void **state)
{
    (void)state;
    tunnelled_prefix_is_cut_not_wrong(TUNNELLED, TUNNELLED_COUNT);
}

static void vxlan_every_changed_byte_stays_inside(void **state)
{
    (void)state;
    tunnelled_change_stays_inside(TUNNELLED, TUNNELLED_COUNT);
}

static void vxlan_implausible_stays_udp(void **state)
{
    (void)state;
    static const char *const ROWS[] = {
        // on any port, nothing may be amiss
        IN_UDP("1234") "08000001 00012300" ETH V4_HELLO,
        IN_UDP("1234") "08000000 00012301" ETH V4_HELLO,
        IN_UDP("1234") "88000000 00012300" ETH V4_HELLO,
        IN_UDP("1234") "0c000003 00012300" ETH V4_HELLO,
        IN_UDP("1234") VXLAN ETH V6_HELLO,
        IN_UDP("1234") VXLAN MACS "0806 0001080006040001",
        IN_UDP("1234") VXLAN "020000000002 030000000001 0800" V4_HELLO, // sent by a group
        IN_UDP("1234") VXLAN ETH V4_HELLO "00000000000000000000000000000000000000",
        IN_UDP("1234") VXLAN ETH "4500 0022 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO,
        IN_UDP("1234") VXLAN ETH "4500 0010 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO,
        IN_UDP("1234") VXLAN ETH,
        IN_UDP("1234") VXLAN,
        IN_UDP("1234") "08",
        // groups
        IN_UDP("12b5") "88800007 00012300" ETH V4_HELLO,
        IN_UDP("12b5") "88040007 00012300" ETH V4_HELLO,
        IN_UDP("12b5") "80000007 00012300" ETH V4_HELLO,
        IN_UDP("12b5") "88000007 00012301" ETH V4_HELLO,
        IN_UDP("12b5") "08400007 00012300" ETH V4_HELLO,
        // GPE
        IN_UDP("12b6") "0c000001 00012300" V6_HELLO,
        IN_UDP("12b6") "0c000002 00012300" V4_HELLO,
        IN_UDP("12b6") "0c000004 00012300" V4_HELLO, // a service header
        IN_UDP("12b6") "0c000000 00012300" V4_HELLO,
        IN_UDP("12b6") "0c0000ff 00012300" V4_HELLO,
        IN_UDP("12b6") "1c000001 00012300" V4_HELLO, // another version
        IN_UDP("12b6") "04000001 00012300" V4_HELLO, // no network
        IN_UDP("12b6") "0c000101 00012300" V4_HELLO,
        IN_UDP("12b6") "0c000001 00012301" V4_HELLO,
        IN_UDP("12b6") "0c0000",
    };
    untunnelled_stays_udp(ROWS, sizeof ROWS / sizeof ROWS[0]);
}

// Every first byte and the second one of SIP, RTP and the tunnels, on every port that has a
// meaning: the short way says what the plain one says. The plain one never asks for first bytes.
static void peel_short_way_skips_no_tunnel(void **state)
{
    (void)state;
    static const uint16_t PORTS[] = {1701, 2152, 3544, 4789, 4790, 6081, 8472, 37008, 5060, 20000};
    static const char *const PAYLOADS[] = {VXLAN ETH V4_HELLO,
                                           "0000 6558 00012300" ETH V4_HELLO,
                                           "30ff0021 0000abcd" V4_HELLO,
                                           "01 00 0001 01" ETH V4_HELLO,
                                           "0002 0005 0007"
                                           "ff03 0021" V4_HELLO,
                                           "4902 002d 0005 0007"
                                           "ff03 0021" V4_HELLO,
                                           "00030000 00000009" ETH V4_HELLO,
                                           "0c000001 00012300" V4_HELLO};
    struct random random;
    random_seeded(&random, 12);
    for (int i = 0; i < 300000; i++) {
        struct hex_bytes b = hex(ETH "4500 0000 0001 0000 4011 0000 c6336401 c6336402 0000 0000");
        struct hex_bytes payload = hex(PAYLOADS[random_below(&random, 8)]);
        put_be16(b.p + 16, (uint16_t)(28 + payload.n));
        put_be16(b.p + 34, PORTS[random_below(&random, 10)]);
        put_be16(b.p + 36, PORTS[random_below(&random, 10)]);
        put_be16(b.p + 38, (uint16_t)(8 + payload.n));
        memcpy(b.p + 42, payload.p, payload.n);
        b.n = 42 + payload.n;
        if (i % 4) {
            b.p[42] = (uint8_t)random_below(&random, 256);
            b.p[43] = i % 8 < 4 ? payload.p[1] : (uint8_t)random_below(&random, 256);
        }
        struct datagram d;
        peel_both(1, b.p, b.n, &d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vxlan_each_gives_the_datagram_inside),
        cmocka_unit_test(vxlan_every_prefix_is_cut_not_wrong),
        cmocka_unit_test(vxlan_every_changed_byte_stays_inside),
        cmocka_unit_test(vxlan_implausible_stays_udp),
        cmocka_unit_test(peel_short_way_skips_no_tunnel),
    };
    return cmocka_run_group_tests_name("net_vxlan", tests, NULL, NULL);
}
