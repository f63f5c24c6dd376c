// Tests of ICMP errors and of the packets that they quote.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "net_packets.h"

static void icmp_errors_quote_and_others_do_not_count(void **state)
{
    (void)state;
    static const uint8_t V4_ERRORS[] = {3, 4, 5, 11, 12}, V6_ERRORS[] = {1, 2, 3, 4};
    for (unsigned family = 0; family < 2; family++) {
        const uint8_t *errors = family ? V6_ERRORS : V4_ERRORS;
        size_t error_count = family ? sizeof V6_ERRORS : sizeof V4_ERRORS;
        for (unsigned type = 0; type < 256; type++) {
            struct hex_bytes b = hex(family ? V6("3a") : V4("01"));
            struct hex_bytes icmp = hex("0007 0000 00000000" V4_HELLO);
            icmp.p[0] = (uint8_t)type;
            memcpy(b.p + b.n, icmp.p, icmp.n);
            b.n += icmp.n;
            struct datagram d;
            enum reason reason = peel_both(LINK_RAW, b.p, b.n, &d);
            bool is_error = memchr(errors, (int)type, error_count) != NULL;
            assert_int_equal(reason, is_error ? REASON_NONE : REASON_NOT_SIP_OR_MEDIA);
            if (is_error) {
                assert_int_equal(d.protocol, NET_ICMP);
                assert_int_equal(d.icmp_type, type);
                assert_int_equal(d.icmp_code, 7);
                assert_int_equal(d.src.port, 0);
                assert_int_equal(d.dst.port, 0);
                assert_int_equal(d.payload_n, 33);
                assert_int_equal(d.payload_length, 33);
                assert_ptr_equal(d.payload, b.p + b.n - 33);
            }
        }
    }
}

static const struct quoting {
    const char *packet; // bare
    int payload_n;      // -1: no packet that is of use
    uint32_t payload_length;
    uint8_t protocol;
    const char *path;
} QUOTING[] = {
    // unreachable ports: whole, with a line of zeros behind, cut after 8 bytes of transport
    {V4("01") "0303 0000 00000000" V4_HELLO, 5, 5, 17, ""},
    {V4("01") "0303 0000 00000000" V4_HELLO "0000000000000000", 5, 5, 17, ""},
    {V6("3a") "0104 0000 00000000" V6_HELLO, 5, 5, 17, ""},
    {V4("01") "0b00 0000 00000000 4500 0021 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 000d beef", 0,
     5, 17, ""},
    {V4("01") "0b00 0000 00000000 4500 0021 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 000d be", -1,
     0, 0, ""},
    {V4("01") "0303 0000 00000000 4600 0025 1234 4000 3d11 0000" V4_ADDRS "01010101" UDP_HELLO, 5,
     5, 17, ""},
    {V6("3a") "0300 0000 00000000 60000000 0025 3c 3d" V6_ADDRS "1100 0104 00000000" UDP_HELLO, 5,
     5, 17, ""},
    {V4("01") "0303 0000 00000000 4500 0021 1234 4000 3d33 0000" V4_ADDRS
              "11 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa" UDP_HELLO,
     -1, 0, 0, ""}, // lengths cut it before UDP
    {V4("01") "0303 0000 00000000 4500 0039 1234 4000 3d33 0000" V4_ADDRS
              "11 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa" UDP_HELLO,
     5, 5, 17, ""},
    // the capture cut it: by its own snap length
    {"4500 01f4 0001 0000 4001 0000 c6336401 c6336402 0303 0000 00000000"
     "4500 0210 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 01fc beef 6865",
     2, 500, 17, ""},
    // lengths that the host left in another order, or without the header
    {V4("01") "0303 0000 00000000 4500 2100 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, 5, 5, 17, ""},
    {V4("01") "0303 0000 00000000 4500 000d 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, 5, 5, 17, ""},
    {V6("3a") "0104 0000 00000000 60000000 0000 11 3d" V6_ADDRS UDP_HELLO, 5, 5, 17, ""},
    // RFC 4884: 8 words of 4 bytes, or 7 of 8, of the packet, then an extension
    {V4("01") "0303 0000 00090000" V4_HELLO "000000"
              "20000000 00080101 00010001",
     5, 5, 17, ""},
    {V4("01") "0b00 0000 00080000 4500 0210 1234 4000 3d11 0000" V4_ADDRS
              "13c4 13ce 01fc beef 68656c6c 20000000 00080101 00010001",
     4, 500, 17, ""},
    {V4("01") "0400 0000 00080000 4500 0210 1234 4000 3d11 0000" V4_ADDRS
              "13c4 13ce 01fc beef 68656c6c 20000000",
     8, 500, 17, ""}, // a source quench has no such length
    {V6("3a") "0104 0000 07000000 60000000 01fc 11 3d" V6_ADDRS
              "13c4 13ce 01fc beef 68656c6c6f6f6f6f 20000000 00080101",
     8, 500, 17, ""},
    {V6("3a") "0200 0000 000005dc 60000000 01fc 11 3d" V6_ADDRS "13c4 13ce 01fc beef 68656c6c6f", 5,
     500, 17, ""},
    // fragments: the first piece will do, no other
    {V4("01") "0b01 0000 00000000 4500 0021 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, 5, 5, 17, ""},
    {V4("01") "0b01 0000 00000000 4500 0021 1234 2001 3d11 0000" V4_ADDRS UDP_HELLO, -1, 0, 0, ""},
    {V6("3a") "0301 0000 00000000 60000000 0015 2c 3d" V6_ADDRS "1100 0001 00000007" UDP_HELLO, 5,
     5, 17, ""},
    {V6("3a") "0301 0000 00000000 60000000 0015 2c 3d" V6_ADDRS "1100 0009 00000007" UDP_HELLO, -1,
     0, 0, ""},
    // TCP: cut, and with payload
    {V4("01") "0303 0000 00000000 4500 002c 1234 4000 3d06 0000" V4_ADDRS "13c4 13ce 00000001", 0,
     4, 6, ""},
    {V4("01") "0303 0000 00000000 4500 0030 1234 4000 3d06 0000" V4_ADDRS
              "13c4 13ce 00000001 00000002 6018 ffff beef 0000 01010101 61626364",
     4, 4, 6, ""},
    // the family inside may be another one; inside tunnels too
    {V4("01") "0303 0000 00000000" V6_HELLO, 5, 5, 17, ""},
    {V4("04") V4("01") "0303 0000 00000000" V4_HELLO, 5, 5, 17, IP4},
    {V6("2f") "2000 0800 00000009" V4("01") "0303 0000 00000000" V4_HELLO, 5, 5, 17, IP6 ", gre 9"},
    // of no use
    {V4("01") "0303 0000 00000000", -1, 0, 0, ""},
    {V4("01") "0303 0000 00000000 54", -1, 0, 0, ""},
    {V4("01") "0303 0000 00000000 4400 0021 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, -1, 0, 0, ""},
    {V4("01") "0303 0000 00000000 4f00 0021 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, -1, 0, 0, ""},
    {V4("01") "0303 0000 00000000 4500 0021 1234 4000 3d32 0000" V4_ADDRS UDP_HELLO, -1, 0, 0, ""},
    {V4("01") "0303 0000 00000000 4500 0021 1234 4000 3d01 0000" V4_ADDRS "0303 0000 00000000", -1,
     0, 0, ""},
    {V4("01") "0303 0000 00000000" V4("04") V4_HELLO, -1, 0, 0, ""},
    {V4("01") "0303 0000 00000000 4500 0021 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 0007 beef00",
     -1, 0, 0, ""},
};

#define QUOTING_COUNT (sizeof QUOTING / sizeof QUOTING[0])

static bool quote(const uint8_t *p, uint32_t n, struct datagram *quoted)
{
    struct datagram icmp;
    if (peel_both(LINK_RAW, p, n, &icmp) != REASON_NONE || icmp.protocol != NET_ICMP) {
        return false;
    }
    memset(quoted, 0xa5, sizeof *quoted); // whatever stood there is overwritten
    if (!peel_quoted(&icmp, quoted)) {
        return false;
    }
    assert_true(quoted->payload >= icmp.payload);
    assert_true(quoted->payload + quoted->payload_n <= icmp.payload + icmp.payload_n);
    assert_true(quoted->payload_length >= quoted->payload_n);
    assert_true(path_eq(&quoted->path, &icmp.path));
    assert_int_equal(quoted->tunnels, icmp.tunnels);
    return true;
}

static void quoted_packet_has_its_ports_and_payload(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUOTING_COUNT; i++) {
        const struct quoting *row = &QUOTING[i];
        struct hex_bytes b = hex(row->packet);
        uint8_t *p = guard_copy(b.p, b.n);
        struct datagram d;
        bool found = quote(p, b.n, &d);
        if (found != (row->payload_n >= 0)) {
            fail_msg("row %zu: %s", i, found ? "found" : "not found");
        }
        if (found) {
            char line[PATH_LINE_BYTES];
            if ((int)d.payload_n != row->payload_n || d.payload_length != row->payload_length) {
                fail_msg("row %zu: %u of %u bytes", i, d.payload_n, d.payload_length);
            }
            assert_memory_equal(d.payload, d.protocol == NET_UDP ? "hello" : "abcd",
                                d.payload_n < 4 ? d.payload_n : 4);
            assert_string_equal(path_line(&d.path, line), row->path);
            assert_int_equal(d.protocol, row->protocol);
            assert_int_equal(d.src.port, 5060);
            assert_int_equal(d.dst.port, 5070);
            assert_int_equal(d.ttl, 61);
        }
        guard_free(p, b.n);
    }
}

static void quoted_every_prefix_and_change_stays_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUOTING_COUNT; i++) {
        struct hex_bytes b = hex(QUOTING[i].packet);
        struct datagram d;
        for (uint32_t n = 0; n < b.n; n++) {
            uint8_t *p = guard_copy(b.p, n);
            quote(p, n, &d);
            guard_free(p, n);
        }
        uint8_t *p = guard_copy(b.p, b.n);
        for (uint32_t k = 0; k < b.n * 8; k++) {
            p[k / 8] ^= (uint8_t)(1 << k % 8);
            quote(p, b.n, &d);
            p[k / 8] ^= (uint8_t)(1 << k % 8);
        }
        guard_free(p, b.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(icmp_errors_quote_and_others_do_not_count),
        cmocka_unit_test(quoted_packet_has_its_ports_and_payload),
        cmocka_unit_test(quoted_every_prefix_and_change_stays_inside),
    };
    return cmocka_run_group_tests_name("net_icmp", tests, NULL, NULL);
}
