// Tests of fragments: what peel() says of one, and how peel_defragmented() goes on with the whole.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "net_packets.h"

#define AH_UDP "11 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa"

static const struct piece {
    const char *packet; // bare
    uint32_t id, offset;
    int more; // -1: a whole datagram after all
    uint8_t protocol;
    uint32_t payload_n, payload_length;
    const char *path;
} PIECES[] = {
    // IPv4: first, middle, last; reserved bit and "don't fragment" mean nothing
    {"4500 0021 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 0, 1, 17, 13, 13, ""},
    {"4500 0021 1234 2010 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 128, 1, 17, 13, 13, ""},
    {"4500 0021 1234 1fff 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 65528, 0, 17, 13, 13, ""},
    {"4500 0021 1234 e001 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 8, 1, 17, 13, 13, ""},
    {"4500 0021 1234 c000 3d11 0000" V4_ADDRS UDP_HELLO, 0, 0, -1, 17, 5, 5, ""},
    // lengths: padding is cut, a short capture shows, length 0 is what is there, options are header
    {"4500 0019 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 0, 1, 17, 5, 5, ""},
    {"4500 05dc 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 0, 1, 17, 13, 1480, ""},
    {"4500 0000 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 0, 1, 17, 13, 13, ""},
    {"4600 0025 1234 2000 3d11 0000" V4_ADDRS "01010101" UDP_HELLO, 0x1234, 0, 1, 17, 13, 13, ""},
    {"4500 0014 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 0, 1, 17, 0, 0, ""},
    // of whatever it is: TCP, ICMP, tunnels, encrypted, unknown
    {"4500 0018 1234 2000 3d06 0000" V4_ADDRS "00000000", 0x1234, 0, 1, 6, 4, 4, ""},
    {"4500 0018 1234 0001 3d01 0000" V4_ADDRS "00000000", 0x1234, 8, 0, 1, 4, 4, ""},
    {"4500 0018 1234 2000 3d2f 0000" V4_ADDRS "00000000", 0x1234, 0, 1, 47, 4, 4, ""},
    {"4500 0018 1234 2000 3d33 0000" V4_ADDRS "00000000", 0x1234, 0, 1, 51, 4, 4, ""},
    {"4500 0018 1234 2000 3dfd 0000" V4_ADDRS "00000000", 0x1234, 0, 1, 253, 4, 4, ""},
    // IPv6: first, middle, last; atomic ones are whole
    {"60000000 0015 2c 3d" V6_ADDRS "11 00 0001 a0000007" UDP_HELLO, 0xa0000007, 0, 1, 17, 13, 13,
     ""},
    {"60000000 0015 2c 3d" V6_ADDRS "11 00 0099 00000007" UDP_HELLO, 7, 152, 1, 17, 13, 13, ""},
    {"60000000 0015 2c 3d" V6_ADDRS "11 00 fff8 00000007" UDP_HELLO, 7, 65528, 0, 17, 13, 13, ""},
    {"60000000 0015 2c 3d" V6_ADDRS "11 00 0000 00000007" UDP_HELLO, 0, 0, -1, 17, 5, 5, ""},
    {"60000000 0015 2c 3d" V6_ADDRS "11 00 0006 00000007" UDP_HELLO, 0, 0, -1, 17, 5, 5, ""},
    {"60000000 000d 2c 3d" V6_ADDRS "11 00 0001 00000007" UDP_HELLO, 7, 0, 1, 17, 5, 5, ""},
    {"60000000 05d0 2c 3d" V6_ADDRS "11 00 0001 00000007" UDP_HELLO, 7, 0, 1, 17, 13, 1480, ""},
    {"60000000 0008 2c 3d" V6_ADDRS "11 00 0001 00000007" UDP_HELLO, 7, 0, 1, 17, 0, 0, ""},
    // after other extension headers, and before them
    {"60000000 001d 00 3d" V6_ADDRS "2c00 0104 00000000 11 00 0001 00000007" UDP_HELLO, 7, 0, 1, 17,
     13, 13, ""},
    {"60000000 002d 33 3d" V6_ADDRS "2c 04 0000 00000001 00000002 aaaaaaaaaaaaaaaaaaaaaaaa"
     "11 00 0001 00000007" UDP_HELLO,
     7, 0, 1, 17, 13, 13, ""},
    {"60000000 0018 2c 3d" V6_ADDRS "3c 00 0001 00000007 1100 0104 00000000 1111222233334444", 7, 0,
     1, 60, 16, 16, ""},
    {"60000000 0015 2c 3d" V6_ADDRS "2c 00 0000 00000007 11 00 0009 00000008" UDP_HELLO, 8, 8, 1,
     17, 5, 5, ""},
    // inside tunnels, and outside of them
    {V4("04") "4500 0021 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 0, 1, 17, 13, 13, IP4},
    {V4("29") "60000000 0015 2c 3d" V6_ADDRS "1100 0001 00000007" UDP_HELLO, 7, 0, 1, 17, 13, 13,
     IP4},
    {V6("2f") "2000 0800 00000009 4500 0021 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, 0x1234, 0, 1,
     17, 13, 13, IP6 ", gre 9"},
    {IN_UDP("12b5") "08000000 00012300" ETH "4500 0021 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO,
     0x1234, 0, 1, 17, 13, 13, IP4 ", vxlan 291"},
    {"4500 0035 1234 2000 3d04 0000" V4_ADDRS V4_HELLO, 0x1234, 0, 1, 4, 33, 33, ""},
};

#define PIECE_COUNT (sizeof PIECES / sizeof PIECES[0])

static void check_piece(const struct piece *row, size_t i, const struct datagram *d)
{
    struct address v4, v6;
    char line[PATH_LINE_BYTES];
    assert_true(address_parse(SLICE("192.0.2.10"), &v4));
    assert_true(address_parse(SLICE("2001:db8::a"), &v6));
    bool is_v4 = address_is_v4(d->src.addr);
    if (d->protocol != row->protocol || d->payload_n != row->payload_n ||
        d->payload_length != row->payload_length || strcmp(path_line(&d->path, line), row->path)) {
        fail_msg("row %zu: protocol %d, %u of %u bytes, path '%s'", i, d->protocol, d->payload_n,
                 d->payload_length, line);
    }
    assert_true(address_eq(d->src.addr, is_v4 ? v4 : v6));
    assert_int_equal(d->ttl, 61);
    assert_int_equal(d->ip_id, is_v4 ? 0x1234 : 0);
    assert_int_equal(d->tunnels, row->path[0] != '\0');
    if (row->more >= 0) {
        assert_int_equal(d->src.port, 0);
        assert_int_equal(d->dst.port, 0);
        assert_int_equal(d->checksum, 0);
        assert_int_equal(d->more_fragments, row->more);
        assert_int_equal(d->fragment_id, row->id);
        assert_int_equal(d->fragment_offset, row->offset);
    }
}

static void peel_fragment_says_which_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < PIECE_COUNT; i++) {
        const struct piece *row = &PIECES[i];
        struct hex_bytes b = hex(row->packet);
        uint8_t *p = guard_copy(b.p, b.n);
        struct datagram d;
        memset(&d, 0xa5, sizeof d); // whatever stood there is overwritten
        enum reason reason = peel_both(LINK_RAW, p, b.n, &d);
        if (reason != (row->more < 0 ? REASON_NONE : REASON_FRAGMENT_INCOMPLETE)) {
            fail_msg("row %zu: %s", i, reason_name(reason));
        }
        check_piece(row, i, &d);
        guard_free(p, b.n);
    }
}

// Cut anywhere, a fragment is what it is, with fewer bytes.
static void peel_fragment_cut_is_cut_not_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < PIECE_COUNT; i++) {
        const struct piece *row = &PIECES[i];
        struct hex_bytes b = hex(row->packet);
        for (uint32_t n = 0; n < b.n; n++) {
            uint8_t *p = guard_copy(b.p, n);
            struct datagram d;
            if (peel_both(LINK_RAW, p, n, &d) == REASON_FRAGMENT_INCOMPLETE) {
                assert_int_equal(d.fragment_id, row->id);
                assert_int_equal(d.fragment_offset, row->offset);
                assert_true(d.payload_n <= row->payload_n);
                assert_true(d.payload + d.payload_n <= p + n);
            }
            guard_free(p, n);
        }
    }
}

// A fragment of `packet`, as if the capture had the others: `whole` is all that its IP headers
// stand before.
static enum reason go_on(const char *packet, const char *whole, struct datagram *d, uint8_t **kept,
                         uint32_t *n)
{
    struct hex_bytes first = hex(packet), b = hex(whole);
    assert_int_equal(peel(LINK_RAW, first.p, first.n, d), REASON_FRAGMENT_INCOMPLETE);
    *kept = guard_copy(b.p, b.n);
    *n = b.n;
    return peel_defragmented(d, *kept, b.n, b.n);
}

#define PIECE_V4(protocol) "4500 0018 1234 2000 3d" protocol "0000" V4_ADDRS "00000000"
#define PIECE_V6(next)     "60000000 000c 2c 3d" V6_ADDRS next "00 0001 00000007 00000000"

static const struct put_together {
    const char *packet, *whole;
    enum reason reason;
    uint8_t protocol;
    uint8_t tunnels;
    const char *path;
} PUT_TOGETHER[] = {
    {PIECE_V4("11"), UDP_HELLO, REASON_NONE, 17, 0, ""},
    {PIECE_V6("11"), UDP_HELLO, REASON_NONE, 17, 0, ""},
    {PIECE_V4("33"), AH_UDP UDP_HELLO, REASON_NONE, 17, 0, ""},
    {PIECE_V6("33"), AH_UDP UDP_HELLO, REASON_NONE, 17, 0, ""},
    {PIECE_V6("3c"), "3300 0104 00000000" AH_UDP UDP_HELLO, REASON_NONE, 17, 0, ""},
    {PIECE_V6("2c"), "11 00 0000 00000008" UDP_HELLO, REASON_NONE, 17, 0, ""},
    {PIECE_V6("2c"), "11 00 0001 00000008" UDP_HELLO, REASON_FRAGMENT_INCOMPLETE, 17, 0, ""},
    {PIECE_V4("04"), V4_HELLO, REASON_NONE, 17, 1, "ip 192.0.2.10 > 192.0.2.20"},
    {PIECE_V6("2f"), "0000 0800" V4("29") V6_HELLO, REASON_NONE, 17, 2,
     "ip 2001:db8::a > 2001:db8::14, gre, " IP4},
    {PIECE_V4("11"), UDP("12b5") "08000000 00012300" ETH V4_HELLO, REASON_NONE, 17, 1,
     "ip 192.0.2.10 > 192.0.2.20, vxlan 291"},
    {PIECE_V4("04"), "4500 0021 1234 2000 3d11 0000" V4_ADDRS UDP_HELLO, REASON_FRAGMENT_INCOMPLETE,
     17, 1, "ip 192.0.2.10 > 192.0.2.20"},
    {PIECE_V4("04"), V4("32") "00000000", REASON_ENCRYPTED, 0, 0, NULL},
    {PIECE_V4("32"), "00000000", REASON_ENCRYPTED, 0, 0, NULL},
    {PIECE_V4("fd"), "00000000", REASON_NOT_SIP_OR_MEDIA, 0, 0, NULL},
    {PIECE_V4("3c"), "1100 0104 00000000" UDP_HELLO, REASON_NOT_SIP_OR_MEDIA, 0, 0, NULL},
    {PIECE_V4("11"), "13c4 13ce 000d be", REASON_TRUNCATED, 0, 0, NULL},
    {PIECE_V6("3c"), "1101 0104 00000000 000000", REASON_TRUNCATED, 0, 0, NULL},
    {V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") PIECE_V4("04"), V4_HELLO,
     REASON_NONE, 17, 8,
     IP4 ", " IP4 ", " IP4 ", " IP4 ", " IP4 ", " IP4 ", " IP4 ", ip 192.0.2.10 > 192.0.2.20"},
    {V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") V4("04") PIECE_V4("04"),
     V4_HELLO, REASON_TOO_DEEP, 0, 0, NULL},
};

static void defragmented_goes_on_behind_the_ip_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PUT_TOGETHER / sizeof PUT_TOGETHER[0]; i++) {
        const struct put_together *row = &PUT_TOGETHER[i];
        struct datagram d;
        uint8_t *p;
        uint32_t n;
        enum reason reason = go_on(row->packet, row->whole, &d, &p, &n);
        if (reason != row->reason) {
            fail_msg("row %zu: %s", i, reason_name(reason));
        }
        if (datagram_is_filled(reason)) {
            char line[PATH_LINE_BYTES];
            assert_string_equal(path_line(&d.path, line), row->path);
            assert_int_equal(d.protocol, row->protocol);
            assert_int_equal(d.tunnels, row->tunnels);
            assert_true(d.payload >= p && d.payload + d.payload_n == p + n);
            assert_int_equal(d.payload_length, d.payload_n);
        }
        if (reason == REASON_NONE) {
            assert_memory_equal(d.payload, "hello", 5);
            assert_int_equal(d.src.port, 5060);
            assert_int_equal(d.dst.port, 5070);
            assert_int_equal(d.ttl, 61);
            assert_false(d.more_fragments);
        }
        guard_free(p, n);
    }
}

// The snap length cut the last piece: bytes are missing, the length is known.
static void defragmented_cut_shows_its_length(void **state)
{
    (void)state;
    struct hex_bytes first = hex(PIECE_V4("11")), whole = hex("13c4 13ce 01f4 beef 68656c6c6f");
    struct datagram d;
    assert_int_equal(peel(LINK_RAW, first.p, first.n, &d), REASON_FRAGMENT_INCOMPLETE);
    assert_int_equal(peel_defragmented(&d, whole.p, whole.n, 500), REASON_NONE);
    assert_int_equal(d.payload_n, 5);
    assert_int_equal(d.payload_length, 492);
    assert_int_equal(peel(LINK_RAW, first.p, first.n, &d), REASON_FRAGMENT_INCOMPLETE);
    assert_int_equal(peel_defragmented(&d, whole.p, whole.n, 10), REASON_NONE);
    assert_int_equal(d.payload_n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peel_fragment_says_which_it_is),
        cmocka_unit_test(peel_fragment_cut_is_cut_not_wrong),
        cmocka_unit_test(defragmented_goes_on_behind_the_ip_headers),
        cmocka_unit_test(defragmented_cut_shows_its_length),
    };
    return cmocka_run_group_tests_name("net_fragment", tests, NULL, NULL);
}
