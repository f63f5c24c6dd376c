// Tests of peel() in tunnels: each alone, inside each other, cut at every byte before an unmapped
// page; what only looks like one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/random.h"
#include "net_tunnelled.h"

#define TEREDO       "60000000 000d 11 3d 20010000 c6336401 00000000 0000000a"
#define TEREDO_HELLO TEREDO "20010db8 00000000 00000000 00000014" UDP_HELLO

#define VXLAN              "08000000 00012300"
#define GENEVE             "0000 6558 00012300"
#define GTP(flags, length) flags "ff" length "0000abcd"

static const struct tunnelled TUNNELLED[] = {
    // IP, MPLS and Ethernet in IP
    {V4("04") V4_HELLO, IP4},
    {V4("29") V6_HELLO, IP4},
    {V6("04") V4_HELLO, IP6},
    {V6("29") V6_HELLO, IP6},
    {V4("89") "000100ff 000201ff" V4_HELLO, IP4 ", mpls 16, mpls 32"},
    {V6("89") "000101ff" V6_HELLO, IP6 ", mpls 16"},
    {V4("5e") V4_HELLO, IP4},
    {V4("62") V4_HELLO, IP4},
    {V6("62") V6_HELLO, IP6},
    {V4("61") "3000" ETH V4_HELLO, IP4 ", etherip"},
    {V6("61") "3000" ETH_V6 V6_HELLO, IP6 ", etherip"},
    // minimal encapsulation: its own addresses, with and without the source; twice; in each other
    {"4500 0000 1234 0000 3d37 0000 c000020a c6336402 11 00 0000 c0000214" UDP_HELLO,
     "ip 192.0.2.10 > 198.51.100.2"},
    {"4500 0000 1234 0000 3d37 0000 c6336401 c6336402 11 80 0000 c0000214 c000020a" UDP_HELLO, IP4},
    {"4500 0000 1234 0000 3d37 0000 c6336401 c6336402 37 80 0000 c6336404 c6336403"
     "11 80 0000 c0000214 c000020a" UDP_HELLO,
     IP4 ", ip 198.51.100.3 > 198.51.100.4"},
    {"4500 0000 1234 0000 3d37 0000 c6336401 c6336402 04 80 0000 c6336404 c6336403" V4_HELLO,
     IP4 ", ip 198.51.100.3 > 198.51.100.4"},
    // authentication header, before a tunnel and before UDP, with a digest of 12 and of 16 bytes
    {V4("33") "04 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa" V4_HELLO, IP4},
    {V6("33") "04 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa" V4_HELLO, IP6},
    {"4500 0000 1234 0000 3d33 0000" V4_ADDRS
     "11 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa" UDP_HELLO,
     ""},
    {"60000000 0029 33 3d" V6_ADDRS
     "11 05 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" UDP_HELLO,
     ""},
    {"60000000 002d 3c 3d" V6_ADDRS "3300 0104 00000000"
     "11 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa" UDP_HELLO,
     ""},
    // GRE: no field, each alone, all; then each kind of contents
    {V4("2f") "0000 0800" V4_HELLO, IP4 ", gre"},
    {V6("2f") "0000 86dd" V6_HELLO, IP6 ", gre"},
    {V4("2f") "8000 0800 12340000" V4_HELLO, IP4 ", gre"},
    {V4("2f") "2000 0800 00000007" V4_HELLO, IP4 ", gre 7"},
    {V4("2f") "1000 0800 00000001" V4_HELLO, IP4 ", gre"},
    {V4("2f") "b000 86dd 12340000 00000007 00000001" V6_HELLO, IP4 ", gre 7"},
    {V4("2f") "0000 8847 000101ff" V4_HELLO, IP4 ", gre, mpls 16"},
    {V4("2f") "0000 8848 000101ff" V6_HELLO, IP4 ", gre, mpls 16"},
    {V4("2f") "2000 6558 00000700" ETH V4_HELLO, IP4 ", gre 1792"},
    {V4("2f") "0000 6558 020000000002 020000000001 8100 0064 0800" V4_HELLO, IP4 ", gre, vlan 100"},
    {V4("2f") "3001 880b 0025 0005 00000008 ff03 0021" V4_HELLO, IP4 ", gre 5"},
    {V4("2f") "3081 880b 0022 0005 00000008 00000009 21" V4_HELLO, IP4 ", gre 5"},
    {V4("2f") "0000 880b 0021" V4_HELLO, IP4 ", gre"},
    {V4("2f") "0000 88be" ETH V4_HELLO, IP4 ", gre, erspan 0"},
    {V4("2f") "1000 88be 00000001 1005 0003 00000009" ETH V4_HELLO, IP4 ", gre, erspan 3"},
    {V4("2f") "1000 88be 00000001 1005 1003 00000009" ETH V4_HELLO,
     IP4 ", gre, erspan 3, vlan 5"}, // the tag was taken off
    {V4("2f") "1000 88be 00000001 1005 1803 00000009" MACS "8100 0005 0800" V4_HELLO,
     IP4 ", gre, erspan 3, vlan 5"},
    {V4("2f") "1000 22eb 00000001 2005 0003 00000009 0000 0000" ETH V4_HELLO,
     IP4 ", gre, erspan 3"},
    {V4("2f") "1000 22eb 00000001 2005 0003 00000009 0000 0001 0000000000000000" ETH V4_HELLO,
     IP4 ", gre, erspan 3"},
    {V4("2f") "1000 22eb 00000001 2005 0003 00000009 0000 0800" V4_HELLO, IP4 ", gre, erspan 3"},
    // in UDP
    {IN_UDP("12b5") VXLAN ETH V4_HELLO, IP4 ", vxlan 291"},
    {IN_UDP("2118") VXLAN ETH_V6 V6_HELLO, IP4 ", vxlan 291"},
    {V6("11") UDP("12b5") VXLAN "020000000002 020000000001 8100 0064 0800" V4_HELLO,
     IP6 ", vxlan 291, vlan 100"},
    {IN_UDP("17c1") GENEVE ETH V4_HELLO, IP4 ", geneve 291"},
    {IN_UDP("17c1") "0240 6558 00012300 0102800111111111" ETH V4_HELLO, IP4 ", geneve 291"},
    {IN_UDP("17c1") "0000 0800 00012300" V4_HELLO, IP4 ", geneve 291"},
    {V6("11") UDP("17c1") "0000 86dd 00012300" V6_HELLO, IP6 ", geneve 291"},
    {IN_UDP("0868") GTP("30", "0021") V4_HELLO, IP4 ", gtp 0x0000abcd"},
    {V6("11") UDP("0868") GTP("30", "0035") V6_HELLO, IP6 ", gtp 0x0000abcd"},
    {IN_UDP("0868") GTP("32", "0025") "004d 00 00" V4_HELLO, IP4 ", gtp 0x0000abcd"},
    {IN_UDP("0868") GTP("34", "0029") "0000 00 85 01 0009 00" V4_HELLO, IP4 ", gtp 0x0000abcd"},
    {IN_UDP("0868") GTP("37", "0031") "004d 00 85 01 0009 20 02 000000000000 00" V4_HELLO,
     IP4 ", gtp 0x0000abcd"},
    {IN_UDP("0868") GTP("30", "002f") ETH V4_HELLO, IP4 ", gtp 0x0000abcd"},
    {IN_UDP("0868") GTP("30", "002f") "450000000002 600000000001 0800" V4_HELLO,
     IP4 ", gtp 0x0000abcd"}, // a MAC address that begins like IP
    {IN_UDP("0868") GTP("34", "003b") "0000 00 85 01 0009 00" MACS "8100 0064 0800" V4_HELLO,
     IP4 ", gtp 0x0000abcd, vlan 100"},
    {IN_UDP("0868") GTP("30", "0025") "ff03 0021" V4_HELLO, IP4 ", gtp 0x0000abcd"},
    {IN_UDP("0868") GTP("30", "0036") "57" V6_HELLO, IP4 ", gtp 0x0000abcd"},
    {IN_UDP("9090") "01 00 0001 01" ETH V4_HELLO, IP4 ", tzsp"},
    {IN_UDP("9090") "01 01 0001 0a 01 c4 00 00 28 02 0102 01" ETH V4_HELLO, IP4 ", tzsp"},
    {IN_UDP("0dd8") TEREDO_HELLO, IP4 ", teredo"},
    {IN_UDP("0dd8") "0000 3caf 34ff8e01" TEREDO_HELLO, IP4 ", teredo"},
    {IN_UDP("0dd8") "0001 00 00 1111111111111111 00" TEREDO_HELLO, IP4 ", teredo"},
    {IN_UDP("0dd8") "0001 02 03 5a5a5a5a5a 1111111111111111 00 0000 3caf 34ff8e01" TEREDO_HELLO,
     IP4 ", teredo"},
    {V4("11") "0dd8 c350 0000 0000" TEREDO_HELLO, IP4 ", teredo"}, // the server answers
    // tags, labels and sessions in them
    {V4("61") "3000" MACS "88a8 0001 8100 0002 0800" V4_HELLO, IP4 ", etherip, vlan 1, vlan 2"},
    {V4("2f") "0000 6558" MACS "8864 1100 0007 0023 0021" V4_HELLO, IP4 ", gre, pppoe 7"},
    {V4("2f") "0000 8864 1100 0007 0023 0021" V4_HELLO, IP4 ", gre, pppoe 7"},
    {V4("2f") "0000 8100 0005 0800" V4_HELLO, IP4 ", gre, vlan 5"},
    {IN_UDP("12b5") VXLAN MACS "8847 000101ff" V4_HELLO, IP4 ", vxlan 291, mpls 16"},
    {IN_UDP("17c1") GENEVE MACS "8864 1100 0007 0037 0057" V6_HELLO, IP4 ", geneve 291, pppoe 7"},
    {IN_UDP("17c1") "0000 8847 00012300 000101ff" V4_HELLO, IP4 ", geneve 291, mpls 16"},
    {IN_UDP("9090") "01 00 0001 01" MACS "88e7 01000203" MACS "8100 0064 0800" V4_HELLO,
     IP4 ", tzsp, backbone 515, vlan 100"},
    {V4("89") "000101ff 00000000" MACS "8100 0064 0800" V4_HELLO, IP4 ", mpls 16, vlan 100"},
    // inside each other
    {V4("2f") "0000 0800" IN_UDP("12b5") VXLAN ETH IN_UDP("0868") GTP("30", "0021") V4_HELLO,
     IP4 ", gre, " IP4 ", vxlan 291, " IP4 ", gtp 0x0000abcd"},
    {V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4_HELLO,
     IP4 ", " IP4 ", " IP4 ", " IP4 ", " IP4 ", " IP4 ", " IP4 ", " IP4},
};

#define TUNNELLED_COUNT (sizeof TUNNELLED / sizeof TUNNELLED[0])

static void peel_each_tunnel_gives_the_datagram_inside(void **state)
{
    (void)state;
    tunnelled_is_found(TUNNELLED, TUNNELLED_COUNT);
}

static void peel_every_prefix_of_a_tunnel_is_cut_not_wrong(void **state)
{
    (void)state;
    tunnelled_prefix_is_cut_not_wrong(TUNNELLED, TUNNELLED_COUNT);
}

static void peel_every_changed_byte_of_a_tunnel_stays_inside(void **state)
{
    (void)state;
    tunnelled_change_stays_inside(TUNNELLED, TUNNELLED_COUNT);
}

static void peel_tunnels_that_stay_closed_give_their_reason(void **state)
{
    (void)state;
    static const struct reasoned ROWS[] = {
        // minimal encapsulation: cut, and something else than it may carry
        {V4("37") "11 00 0000 c00002", REASON_TRUNCATED},
        {V4("37") "11 80 0000 c0000214 c00002", REASON_TRUNCATED},
        {V6("37") "11 00 0000 c0000214" UDP_HELLO, REASON_NOT_SIP_OR_MEDIA},
        {V4("5e") V4_HELLO "00", REASON_TUNNEL},
        {V4("62") "14 00 1234 00000007" V4_HELLO, REASON_TUNNEL}, // RFC 1241
        // compressed, in pieces, encrypted
        {V4("2f") "0000 880b ff03 00fd 90009999", REASON_TUNNEL},
        {V4("2f") "0000 880b ff03 003d c0000001 0021" V4_HELLO, REASON_TUNNEL},
        {V4("2f") "0000 880b ff03 0053 00009999", REASON_ENCRYPTED},
        {V4("2f") "4000 0800 00000000" V4_HELLO, REASON_TUNNEL}, // source routes
        {V4("2f") "0002 0800" V4_HELLO, REASON_TUNNEL},          // no such version
        {V4("2f") "1001 880b 0025 0005 00000008 ff03 0021" V4_HELLO, REASON_TUNNEL},
        {V4("2f") "3001 0800 0021 0005 00000008" V4_HELLO, REASON_TUNNEL},
        {V4("2f") "2081 880b 0000 0005 00000009", REASON_NOT_SIP_OR_MEDIA}, // acknowledges only
        {V4("2f") "3001 880b 0006 0005 00000008 ff03 c021 0101", REASON_NOT_IP}, // LCP
        {V4("2f") "3001 880b 0010 0005 00000008 ff03 0021" V4_HELLO, REASON_TRUNCATED},
        {V4("2f") "0000 2001 00000000", REASON_NOT_IP}, // NHRP
        {V4("2f") "0000 0000 00000000", REASON_NOT_IP}, // keepalive of a router
        {V4("2f") "1000 88be 00000001 2005 0003 00000009" ETH V4_HELLO, REASON_TUNNEL},
        {V4("2f") "1000 22eb 00000001 1005 0003 00000009 0000 0000" ETH V4_HELLO, REASON_TUNNEL},
        {V4("2f") "1000 22eb 00000001 2005 0003 00000009 0000 0400" ETH V4_HELLO, REASON_TUNNEL},
        {V4("61") "2000" ETH V4_HELLO, REASON_TUNNEL},
        {V4("61") "3000 020000000002 020000000001 0806 0001", REASON_NOT_IP},
        {V4("04") V6_HELLO, REASON_NOT_IP},
        {V4("29") V4_HELLO, REASON_TRUNCATED},
        {V4("04") "4500 0021 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_FRAGMENT_INCOMPLETE},
        {V4("29") "60000000 0015 2c 3d" V6_ADDRS "1100 0001 00000007" UDP_HELLO,
         REASON_FRAGMENT_INCOMPLETE},
        {"4500 0035 1234 2000 3d04 0000" V4_ADDRS V4_HELLO, REASON_FRAGMENT_INCOMPLETE},
        {V4("04") V4("32") "0000000000000000", REASON_ENCRYPTED},
        {V4("33") "32 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa 0000", REASON_ENCRYPTED},
        {V4("33") "11 00 0000 00000001 00000002" UDP_HELLO, REASON_TRUNCATED},
        {V4("33") "11 ff 0000 00000001 00000002" UDP_HELLO, REASON_TRUNCATED},
        {V4("04") V4("01") "0800 0000 00000000", REASON_NOT_SIP_OR_MEDIA},
        {V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4_HELLO,
         REASON_TOO_DEEP},
        {V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04")
             V4("37") "11 00 0000 c0000214" UDP_HELLO,
         REASON_TOO_DEEP},
        {V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") IN_UDP("0868")
             GTP("30", "0021") V4_HELLO,
         REASON_TOO_DEEP},
    };
    each_has_its_reason(ROWS, sizeof ROWS / sizeof ROWS[0]);
}

// Each fails at one thing that a tunnel must have, so it stays UDP between the outer addresses.
static void peel_implausible_tunnels_stay_udp(void **state)
{
    (void)state;
    static const char *const ROWS[] = {
        IN_UDP("12b5") "00000000 00012300" ETH V4_HELLO,
        IN_UDP("12b5") "08000001 00012300" ETH V4_HELLO,
        IN_UDP("12b5") "08000000 00012301" ETH V4_HELLO,
        IN_UDP("12b5") VXLAN "020000000002 020000000001 1234" V4_HELLO,
        IN_UDP("12b5") VXLAN ETH_V6 V4_HELLO,
        IN_UDP("12b5") VXLAN ETH "44" V4_HELLO,
        IN_UDP("12b5") VXLAN "020000000002 020000000001",
        IN_UDP("12b5") "494e56495445207369703a6240782053",    // SIP
        IN_UDP("12b5") "80000001 00000002 00000003 ffffffff", // RTP
        IN_UDP("12b5") "",
        IN_UDP("17c1") "4000 6558 00012300" ETH V4_HELLO,
        IN_UDP("17c1") "0001 6558 00012300" ETH V4_HELLO,
        IN_UDP("17c1") "0000 6558 00012301" ETH V4_HELLO,
        IN_UDP("17c1") "0000 0806 00012300" ETH V4_HELLO,
        IN_UDP("17c1") "0000 0020 00012300" ETH V4_HELLO,
        IN_UDP("17c1") "0000 86dd 00012300" V4_HELLO,
        IN_UDP("17c1") "3f00 0800 00012300" V4_HELLO,
        IN_UDP("0868") GTP("20", "0021") V4_HELLO,
        IN_UDP("0868") GTP("38", "0021") V4_HELLO,
        IN_UDP("0868") GTP("50", "0021") V4_HELLO,
        IN_UDP("0868") "30 01 0021 0000abcd" V4_HELLO, // an echo
        IN_UDP("0868") GTP("30", "0022") V4_HELLO,
        IN_UDP("0868") GTP("30", "0013") V4_HELLO,
        IN_UDP("0868") GTP("30", "0021") "54" V4_HELLO,
        IN_UDP("0868") GTP("34", "0029") "0000 00 85 00 0009 00" V4_HELLO,
        IN_UDP("0868") GTP("34", "0029") "0000 00 85 ff 0009 00" V4_HELLO,
        IN_UDP("9090") "02 00 0001 01" ETH V4_HELLO,
        IN_UDP("9090") "01 04 0001 01" ETH V4_HELLO,
        IN_UDP("9090") "01 00 0012 01" ETH V4_HELLO, // 802.11
        IN_UDP("9090") "01 00 0001 00 00 00",
        IN_UDP("9090") "01 00 0001 0a ff 01" ETH V4_HELLO,
        IN_UDP("0dd8") V6_HELLO, // no address of Teredo
        IN_UDP("0dd8") TEREDO_HELLO "00",
        IN_UDP("0dd8") V4_HELLO,
        IN_UDP("0dd8") "0001 ff ff 1111111111111111 00" TEREDO_HELLO,
        IN_UDP("0dd8") "0000 3caf 34ff8e01",
    };
    untunnelled_stays_udp(ROWS, sizeof ROWS / sizeof ROWS[0]);
}

// Bytes that could keep a walk busy: extensions and tags that do not end.
static void peel_endless_tunnel_headers_end(void **state)
{
    (void)state;
    struct hex_bytes gtp = hex(IN_UDP("0868") GTP("34", "0300") "0000 00 85");
    for (gtp.n = 40; gtp.n + 4 <= sizeof gtp.p; gtp.n += 4) {
        memcpy(gtp.p + gtp.n, "\x01\x00\x09\x85", 4);
    }
    struct hex_bytes tzsp = hex(IN_UDP("9090") "01 00 0001");
    tzsp.n = sizeof tzsp.p;
    struct datagram d;
    assert_int_equal(peel_guarded(gtp.p, gtp.n, &d), REASON_NONE);
    assert_int_equal(d.src.port, 50000);
    assert_int_equal(peel_guarded(tzsp.p, tzsp.n, &d), REASON_NONE);
    assert_int_equal(d.src.port, 50000);
}

// Whole frames, with lengths, so that the short way meets the ports.
static void peel_short_way_leaves_tunnels_to_the_plain_one(void **state)
{
    (void)state;
    uint64_t seed = 3;
    print_message("seed %llu\n", (unsigned long long)seed);
    struct random random;
    random_init(&random, seed);
    static const uint16_t PORTS[] = {2152, 3544, 4789, 6081, 8472, 37008, 5060};
    static const char *const PAYLOADS[] = {VXLAN ETH V4_HELLO, GENEVE ETH V4_HELLO,
                                           GTP("30", "0021") V4_HELLO, TEREDO_HELLO,
                                           "01 00 0001 01" ETH V4_HELLO};
    int inside = 0;
    for (int i = 0; i < 200000; i++) {
        struct hex_bytes b = hex(ETH "4500 0000 0001 0000 4011 0000 c6336401 c6336402 c350 0000");
        struct hex_bytes payload = hex(PAYLOADS[random_below(&random, 5)]);
        put_be16(b.p + 16, (uint16_t)(28 + payload.n));
        put_be16(b.p + 36, PORTS[random_below(&random, 7)]);
        put_be16(b.p + 38, (uint16_t)(8 + payload.n));
        memcpy(b.p + 42, payload.p, payload.n);
        b.n = 42 + payload.n;
        if (i % 2) {
            b.p[34 + random_below(&random, b.n - 34)] ^= (uint8_t)(1u << random_below(&random, 8));
        }
        struct datagram fast, plain;
        enum reason reason = peel(1, b.p, b.n, &fast);
        assert_int_equal(reason, peel_layers(1, b.p, b.n, &plain));
        if (datagram_is_filled(reason)) {
            assert_true(datagram_is_same(reason, &fast, &plain));
            inside += fast.src.port == 5060;
        }
    }
    assert_true(inside > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peel_each_tunnel_gives_the_datagram_inside),
        cmocka_unit_test(peel_every_prefix_of_a_tunnel_is_cut_not_wrong),
        cmocka_unit_test(peel_every_changed_byte_of_a_tunnel_stays_inside),
        cmocka_unit_test(peel_tunnels_that_stay_closed_give_their_reason),
        cmocka_unit_test(peel_implausible_tunnels_stay_udp),
        cmocka_unit_test(peel_endless_tunnel_headers_end),
        cmocka_unit_test(peel_short_way_leaves_tunnels_to_the_plain_one),
    };
    return cmocka_run_group_tests_name("net_tunnel", tests, NULL, NULL);
}
