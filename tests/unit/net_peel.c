// Tests of peel() on what stands behind IP: lengths that disagree, transports, extension headers;
// headers without end; the short way against the plain one. Link layers: net_layers.c; fragments:
// net_fragment.c; ICMP: net_icmp.c; tunnels: net_tunnel.c and others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/random.h"
#include "net_packets.h"
#include "random_fill.h"

#define PADDING "0000000000000000000000"

static const struct transported {
    const char *packet; // link type RAW
    enum reason reason;
    uint32_t payload_n, payload_length;
    uint8_t protocol;
} TRANSPORTED[] = {
    // Lengths that disagree.
    {"4500 0000 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_NONE, 5, 5, 17}, // offload
    {"4500 0021 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 0000 0000 68656c6c6f", REASON_NONE, 5, 5,
     17}, // UDP length 0
    {"4500 0021 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 0007 0000 68656c6c6f", REASON_TRUNCATED, 0,
     0, 0},
    {"4500 0021 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 000a 0000 68656c6c6f", REASON_NONE, 2, 2,
     17}, // UDP says less
    {"4500 0021 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 0064 0000 68656c6c6f", REASON_NONE, 5, 92,
     17}, // UDP says more than IP
    {"4500 0020 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_NONE, 4, 5, 17}, // IP says less
    {"4500 0100 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 00ec 0000 6865", REASON_NONE, 2, 228,
     17}, // snaplen
    {"4500 001c 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 0008 0000", REASON_NONE, 0, 0, 17},
    {"4500 001b 1234 4000 3d11 0000" V4_ADDRS "13c4 13ce 0008 0000", REASON_TRUNCATED, 0, 0, 0},
    {"4500 0013 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_TRUNCATED, 0, 0, 0},
    {"4400 0021 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_TRUNCATED, 0, 0, 0},
    {"4600 0025 1234 4000 3d11 0000" V4_ADDRS "01010101" UDP_HELLO, REASON_NONE, 5, 5, 17},
    {"4f00 0021 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_TRUNCATED, 0, 0, 0},
    {"5500 0021 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_NOT_IP, 0, 0, 0},
    // Fragments: first, middle, last.
    {"4500 0021 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_FRAGMENT_INCOMPLETE, 0, 0, 0},
    {"4500 0021 1234 2010 3d11 0000" V4_ADDRS UDP_HELLO, REASON_FRAGMENT_INCOMPLETE, 0, 0, 0},
    {"4500 0021 1234 0010 3d11 0000" V4_ADDRS UDP_HELLO, REASON_FRAGMENT_INCOMPLETE, 0, 0, 0},
    {"4500 0021 1234 8000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_NONE, 5, 5, 17}, // reserved bit
    // Other transports.
    {"4500 002c 0001 0000 4006 0000" V4_ADDRS
     "13c4 13ce 00000001 00000002 5018 ffff 0000 0000 61626364",
     REASON_NONE, 4, 4, 6},
    {"4500 0030 0001 0000 4006 0000" V4_ADDRS
     "13c4 13ce 00000001 00000002 6018 ffff 0000 0000 01010101 61626364",
     REASON_NONE, 4, 4, 6},
    {"4500 0028 0001 0000 4006 0000" V4_ADDRS "13c4 13ce 00000001 00000002 5010 ffff 0000 0000",
     REASON_NONE, 0, 0, 6},
    {"4500 0028 0001 0000 4006 0000" V4_ADDRS "13c4 13ce 00000001 00000002 4010 ffff 0000 0000",
     REASON_TRUNCATED, 0, 0, 0},
    {"4500 0028 0001 0000 4006 0000" V4_ADDRS "13c4 13ce 00000001 00000002 6010 ffff 0000 0000",
     REASON_TRUNCATED, 0, 0, 0},
    {"4500 0030 0001 0000 4084 0000" V4_ADDRS
     "13c4 13ce 00000001 00000000 00030010 00000001 00000000 00000000",
     REASON_NONE, 28, 28, 132},
    {"4500 001c 0001 0000 4001 0000" V4_ADDRS "0800 0000 00000000", REASON_NOT_SIP_OR_MEDIA, 0, 0,
     0},
    {"4500 001c 0001 0000 4073 0000" V4_ADDRS "0800 0000 00000000", REASON_TUNNEL, 0, 0, 0}, // L2TP
    {"4500 001c 0001 0000 4032 0000" V4_ADDRS "0800 0000 00000000", REASON_ENCRYPTED, 0, 0, 0},
    // IPv6 and its extension headers.
    {"60000000 0000 11 3d" V6_ADDRS UDP_HELLO, REASON_NONE, 5, 5, 17}, // jumbo or offload
    {"60000000 0015 00 3d" V6_ADDRS "1100 0104 00000000" UDP_HELLO, REASON_NONE, 5, 5, 17},
    {"60000000 001d 3c 3d" V6_ADDRS "1101 010c 000000000000000000000000" UDP_HELLO, REASON_NONE, 5,
     5, 17},
    {"60000000 0015 2b 3d" V6_ADDRS "1100 0000 00000000" UDP_HELLO, REASON_NONE, 5, 5, 17},
    {"60000000 0015 87 3d" V6_ADDRS "1100 0000 00000000" UDP_HELLO, REASON_NONE, 5, 5, 17},
    {"60000000 001d 00 3d" V6_ADDRS "3c00 0104 00000000 1100 0104 00000000" UDP_HELLO, REASON_NONE,
     5, 5, 17},
    {"60000000 0015 2c 3d" V6_ADDRS "1100 0000 00000007" UDP_HELLO, REASON_NONE, 5, 5,
     17}, // atomic
    {"60000000 0015 2c 3d" V6_ADDRS "1100 0006 00000007" UDP_HELLO, REASON_NONE, 5, 5,
     17}, // reserved bits
    {"60000000 0015 2c 3d" V6_ADDRS "1100 0001 00000007" UDP_HELLO, REASON_FRAGMENT_INCOMPLETE, 0,
     0, 0},
    {"60000000 0015 2c 3d" V6_ADDRS "1100 0008 00000007" UDP_HELLO, REASON_FRAGMENT_INCOMPLETE, 0,
     0, 0},
    {"60000000 001d 00 3d" V6_ADDRS "2c00 0104 00000000 1100 0001 00000007" UDP_HELLO,
     REASON_FRAGMENT_INCOMPLETE, 0, 0, 0},
    {"60000000 0015 00 3d" V6_ADDRS "1103 0104 00000000" UDP_HELLO, REASON_TRUNCATED, 0, 0, 0},
    {"60000000 0000 3b 3d" V6_ADDRS, REASON_NOT_SIP_OR_MEDIA, 0, 0, 0},
    {"60000000 000d 3a 3d" V6_ADDRS UDP_HELLO, REASON_NOT_SIP_OR_MEDIA, 0, 0, 0},
    {"60000000 000d 32 3d" V6_ADDRS UDP_HELLO, REASON_ENCRYPTED, 0, 0, 0},
};

static void peel_each_packet_gives_its_reason_and_lengths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof TRANSPORTED / sizeof TRANSPORTED[0]; i++) {
        const struct transported *row = &TRANSPORTED[i];
        // The same packet alone, and in a frame, where the short way might take it.
        for (int framed = 0; framed < 2; framed++) {
            struct hex_bytes b = hex(framed ? MACS "0000" : "");
            struct hex_bytes packet = hex(row->packet);
            memcpy(b.p + b.n, packet.p, packet.n);
            b.n += packet.n;
            if (framed) {
                b.p[12] = packet.p[0] >> 4 == 6 ? 0x86 : 0x08;
                b.p[13] = packet.p[0] >> 4 == 6 ? 0xdd : 0x00;
            }
            struct datagram d = {0};
            uint8_t *p = guard_copy(b.p, b.n);
            enum reason reason = peel_both(framed ? 1 : LINK_RAW, p, b.n, &d);
            guard_free(p, b.n);
            if (reason != row->reason) {
                fail_msg("row %zu: %s, not %s", i, reason_name(reason), reason_name(row->reason));
            }
            if (reason == REASON_NONE) {
                assert_int_equal(d.payload_n, row->payload_n);
                assert_int_equal(d.payload_length, row->payload_length);
                assert_int_equal(d.protocol, row->protocol);
                assert_int_equal(d.src.port, 5060);
                assert_int_equal(d.dst.port, 5070);
            }
        }
    }
}

static void peel_largest_udp_datagram_is_whole(void **state)
{
    (void)state;
    static uint8_t frame[14 + 65535];
    struct hex_bytes head =
        hex(MACS "0800 4500 ffff 0001 0000 4011 0000" V4_ADDRS "13c4 13ce ffeb 0000");
    memcpy(frame, head.p, head.n);
    struct datagram d;
    assert_int_equal(peel(1, frame, sizeof frame, &d), REASON_NONE);
    assert_int_equal(d.payload_n, 65507);
    assert_int_equal(d.payload_length, 65507);
}

static void peel_endless_headers_are_too_deep(void **state)
{
    (void)state;
    uint8_t frame[2048];
    struct datagram d;
    memset(frame, 0, sizeof frame);
    for (size_t i = 12; i + 4 <= sizeof frame; i += 4) { // tags for ever
        frame[i] = 0x81;
    }
    assert_int_equal(peel(1, frame, sizeof frame, &d), REASON_TOO_DEEP);
    memset(frame, 0, sizeof frame); // labels for ever
    assert_int_equal(peel(219, frame, sizeof frame, &d), REASON_TOO_DEEP);
    struct hex_bytes head = hex("60000000 0700 3c 3d" V6_ADDRS); // destination options for ever
    memset(frame, 0, sizeof frame);
    memcpy(frame, head.p, head.n);
    for (size_t i = head.n; i < sizeof frame; i += 8) {
        frame[i] = 0x3c;
    }
    assert_int_equal(peel(101, frame, sizeof frame, &d), REASON_TOO_DEEP);
    for (int i = 0; i < 4; i++) { // PKTAP inside PKTAP
        uint32_t words[] = {12, 0, 258};
        for (size_t at = 0; at + 12 <= sizeof frame; at += 12) {
            memcpy(frame + at, words, 12);
        }
    }
    assert_int_equal(peel(258, frame, sizeof frame, &d), REASON_TOO_DEEP);
}

static void peel_short_way_equals_the_plain_one(void **state)
{
    (void)state;
    struct random random;
    random_seeded(&random, 2);
    static const struct {
        uint32_t linktype, header;
        const char *frame;
    } FRAMES[] = {
        {1, 12, MACS "0800" V4_HELLO PADDING},
        {1, 12, MACS "8100 a064 0800" V4_HELLO PADDING},
        {101, 0, V4_HELLO PADDING PADDING},
        {113, 0, "0000 0001 0006 0200000000010000 0800" V4_HELLO PADDING},
        {276, 0, "0800 0000 00000001 0001 00 06 0200000000010000" V4_HELLO PADDING},
    };
    int whole = 0;
    for (int i = 0; i < 500000; i++) {
        uint32_t linktype = FRAMES[i % 5].linktype, from = FRAMES[i % 5].header;
        struct hex_bytes b = hex(FRAMES[i % 5].frame);
        int changes = (int)random_below(&random, 4);
        for (int k = 0; k < changes; k++) { // near the ordinary frame, where they could differ
            uint8_t mask = (uint8_t)(1u << random_below(&random, 8));
            b.p[from + random_below(&random, b.n - from)] ^= mask;
        }
        if (i % 16 == 0) {
            random_fill(&random, b.p + 14, b.n - 14);
        }
        uint32_t n = random_below(&random, 3) ? b.n : (uint32_t)random_below(&random, b.n);
        struct datagram fast, plain;
        enum reason reason = peel(linktype, b.p, n, &fast);
        assert_int_equal(reason, peel_layers(linktype, b.p, n, &plain));
        if (datagram_is_filled(reason)) {
            assert_true(datagram_is_same(reason, &fast, &plain));
            whole += reason == REASON_NONE;
        }
    }
    assert_true(whole > 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peel_each_packet_gives_its_reason_and_lengths),
        cmocka_unit_test(peel_largest_udp_datagram_is_whole),
        cmocka_unit_test(peel_endless_headers_are_too_deep),
        cmocka_unit_test(peel_short_way_equals_the_plain_one),
    };
    return cmocka_run_group_tests_name("net_peel", tests, NULL, NULL);
}
