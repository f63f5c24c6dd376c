// Tests of peel() on every link layer, tag and label: the datagram behind them and the path that
// they make; cut at every byte before an unmapped page, and with each bit changed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "net_packets.h"

#define PADDING "0000000000000000000000"

// Peels from memory that ends at an unmapped page. The payload of a datagram lies inside.
static enum reason peel_guarded(uint32_t linktype, const uint8_t *bytes, uint32_t n,
                                struct datagram *out, uint32_t *payload_at)
{
    uint8_t *p = guard_copy(bytes, n);
    enum reason reason = peel_both(linktype, p, n, out);
    if (reason == REASON_NONE) {
        *payload_at = (uint32_t)(out->payload - p);
    }
    guard_free(p, n);
    return reason;
}

static const struct layered {
    uint32_t linktype;
    const char *frame;
    const char *path; // NULL: no datagram
} LAYERED[] = {
    {1, MACS "0800" V4_HELLO, ""},
    {1, MACS "0800" V4_HELLO PADDING, ""}, // a short frame is filled up
    {1, MACS "86dd" V6_HELLO, ""},
    {1, MACS "8100 a064 0800" V4_HELLO, "vlan 100"},
    {1, MACS "8100 a064 0800" V4_HELLO PADDING, "vlan 100"},
    {1, MACS "8100 0064 86dd" V6_HELLO, "vlan 100"},
    {1, MACS "88a8 0064 8100 00c8 0800" V4_HELLO, "vlan 100, vlan 200"},
    {1, MACS "8100 0064 8100 00c8 0800" V4_HELLO, "vlan 100, vlan 200"},
    {1, MACS "9100 0064 9200 00c8 9300 0001 0800" V4_HELLO, "vlan 100, vlan 200, vlan 1"},
    {1, MACS "88a8 0001 8100 0002 8100 0003 8100 0004 8100 0005 0800" V4_HELLO,
     "vlan 1, vlan 2, vlan 3, vlan 4, vlan 5"},
    {1, MACS "8847 000101ff 0800" /* one label, then a cut word: see below */, NULL},
    {1, MACS "8847 000101ff" V4_HELLO, "mpls 16"},
    {1, MACS "8848 000100ff 000201ff" V4_HELLO, "mpls 16, mpls 32"},
    {1, MACS "8847 000100ff 000200ff 000001ff" V6_HELLO, "mpls 16, mpls 32, mpls 0"},
    {1, MACS "8847 000101ff 00000000" MACS "0800" V4_HELLO, "mpls 16"},            // control word
    {1, MACS "8847 000101ff" MACS "8100 0064 0800" V4_HELLO, "mpls 16, vlan 100"}, // none
    {1, MACS "8847 000101ff aabbccddeeff 020000000001 0800" V4_HELLO, "mpls 16"},  // none
    {1, MACS "8864 1100 0001 0023 0021" V4_HELLO, "pppoe 1"},
    {1, MACS "8100 0064 8864 1100 0001 0037 0057" V6_HELLO, "vlan 100, pppoe 1"},
    {1, MACS "8864 1100 0001 0022 21" V4_HELLO, "pppoe 1"}, // protocol field compressed
    {1, MACS "0029 aaaa03 000000 0800" V4_HELLO PADDING, ""},
    {1, MACS "0029 aaaa03 0000f8 0800" V4_HELLO, ""},
    {1, MACS "0024 060603" V4_HELLO PADDING, ""},
    {1, MACS "8870 aaaa03 000000 0800" V4_HELLO, NULL}, // jumbo LLC: not done
    {1, MACS "88e7 00000001" MACS "8100 0064 0800" V4_HELLO, "backbone 1, vlan 100"},
    {0, "02000000" V4_HELLO, ""},
    {0, "00000002" V4_HELLO, ""},
    {0, "0a000000" V6_HELLO, ""},
    {0, "17000000" V6_HELLO, ""},
    {0, "18000000" V6_HELLO, ""},
    {0, "1c000000" V6_HELLO, ""},
    {0, "1e000000" V6_HELLO, ""},
    {0, "0000001e" V6_HELLO, ""},
    {108, "00000002" V4_HELLO, ""},
    {108, "00000018" V6_HELLO, ""},
    {9, "ff03 0021" V4_HELLO, ""},
    {9, "0021" V4_HELLO, ""},
    {9, "21" V4_HELLO, ""},
    {9, "ff03 57" V6_HELLO, ""},
    {9, "ff03 0281 000101ff" V4_HELLO, "mpls 16"},
    {50, "ff03 0021" V4_HELLO, ""},
    {50, "0f00 0800" V4_HELLO, ""},
    {51, "1100 0001 0023 0021" V4_HELLO, "pppoe 1"},
    {100, "aaaa03 000000 0800" V4_HELLO, ""},
    {100, "fefe03 cc" V4_HELLO, ""},
    {104, "0f00 0800" V4_HELLO, ""},
    {104, "8f00 86dd" V6_HELLO, ""},
    {107, "0801 03 cc" V4_HELLO, ""},
    {107, "0801 03 00 8e" V6_HELLO, ""},
    {107, "080000 01 03 80 000000 0800" V4_HELLO, ""},
    {109, "02000000 00000000 00000000" V4_HELLO, ""},
    {113, "0000 0001 0006 0200000000010000 0800" V4_HELLO, ""},
    {113, "0004 0304 0006 0000000000000000 86dd" V6_HELLO, ""},
    {113, "0000 0001 0006 0200000000010000 8100 0064 0800" V4_HELLO, "vlan 100"},
    {113, "0000 0001 0006 0200000000010000 88a8 0064 8100 0065 0800" V4_HELLO,
     "vlan 100, vlan 101"},
    {113, "0000 0001 0006 0200000000010000 0004 aaaa03 000000 0800" V4_HELLO, ""},
    {117,
     "3d 02 00 00" /* and the rest of it */
     "00000000000000000000000000000000000000000000000000000000000000"
     "0000000000000000000000000000000000000000000000000000"
     "000000" V4_HELLO,
     ""},
    {166, "00 03 0021" V4_HELLO, ""},
    {192, "00 00 0800 01000000" MACS "0800" V4_HELLO, ""},
    {204, "01 ff03 0021" V4_HELLO, ""},
    {204, "00 0021" V4_HELLO, ""},
    {219, "000101ff" V4_HELLO, "mpls 16"},
    {226, "000000000000000000000000000000000000000000000000" V4_HELLO, ""},
    {228, V4_HELLO, ""},
    {229, V6_HELLO, ""},
    {239, "02 00 0000 0800 0100 08000000 2500 0900" V4_HELLO, ""},
    {239, "0a 00 0000 0008 0001 00000008 0600 0200 0102 0000 3900 0900" V6_HELLO, ""},
    // Bridged, without its tag: that is a value of its own, with values inside (either byte order)
    {239, "07 00 0000 1400 1480 0600 0100 81000000 0600 0200 0064 0000 2500 0900" V4_HELLO,
     "vlan 100"},
    {239, "07 00 0000 0014 8014 0006 0001 81000000 0006 0002 a064 0000 0025 0009" V4_HELLO,
     "vlan 100"},
    {240, "00000000" MACS "0800" V4_HELLO, ""},
    {241, "00000000 55555555555555d5" MACS "0800" V4_HELLO, ""},
    {258, "0c000000 01000000 00000000 02000000" V4_HELLO, ""},
    {276, "0800 0000 00000001 0001 00 06 0200000000010000" V4_HELLO, ""},
    {276, "8100 0000 00000001 0001 00 06 0200000000010000 0064 0800" V4_HELLO, "vlan 100"},
    {276, "88a8 0000 00000001 0001 00 06 0200000000010000 0064 8100 0065 86dd" V6_HELLO,
     "vlan 100, vlan 101"},
    {12, V4_HELLO, ""},
    {14, V6_HELLO, ""},
    {101, V4_HELLO, ""},
    {101, V6_HELLO, ""},
};

static void check_hello(const struct layered *row, const struct datagram *d, size_t i)
{
    struct address v4_src, v4_dst, v6_src, v6_dst;
    assert_true(address_parse(SLICE("192.0.2.10"), &v4_src));
    assert_true(address_parse(SLICE("192.0.2.20"), &v4_dst));
    assert_true(address_parse(SLICE("2001:db8::a"), &v6_src));
    assert_true(address_parse(SLICE("2001:db8::14"), &v6_dst));
    bool is_v4 = address_is_v4(d->src.addr);
    assert_true(address_eq(d->src.addr, is_v4 ? v4_src : v6_src));
    assert_true(address_eq(d->dst.addr, is_v4 ? v4_dst : v6_dst));
    assert_int_equal(d->src.port, 5060);
    assert_int_equal(d->dst.port, 5070);
    assert_int_equal(d->payload_n, 5);
    assert_int_equal(d->payload_length, 5);
    assert_int_equal(d->ip_id, is_v4 ? 0x1234 : 0);
    assert_int_equal(d->ttl, 61);
    assert_int_equal(d->checksum, 0xbeef);
    assert_int_equal(d->protocol, NET_UDP);
    assert_int_equal(d->tunnels, 0);
    char line[PATH_LINE_BYTES];
    if (strcmp(path_line(&d->path, line), row->path) != 0) {
        fail_msg("row %zu: %s", i, line);
    }
}

static void peel_each_layer_gives_the_datagram(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LAYERED / sizeof LAYERED[0]; i++) {
        const struct layered *row = &LAYERED[i];
        struct hex_bytes b = hex(row->frame);
        struct datagram d;
        memset(&d, 0xa5, sizeof d); // whatever stood there is overwritten
        uint32_t at = 0;
        enum reason reason = peel_guarded(row->linktype, b.p, b.n, &d, &at);
        if (row->path == NULL) {
            assert_int_not_equal(reason, REASON_NONE);
            continue;
        }
        if (reason != REASON_NONE) {
            fail_msg("row %zu, link type %u: %s", i, row->linktype, reason_name(reason));
        }
        assert_memory_equal(b.p + at, "hello", 5);
        check_hello(row, &d, i);
    }
}

// A cut frame has no datagram, or one whose payload is cut; nothing is read past the end.
static void peel_every_prefix_is_cut_not_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LAYERED / sizeof LAYERED[0]; i++) {
        struct hex_bytes b = hex(LAYERED[i].frame);
        for (uint32_t n = 0; n < b.n; n++) {
            struct datagram d;
            uint32_t at;
            enum reason reason = peel_guarded(LAYERED[i].linktype, b.p, n, &d, &at);
            if (reason == REASON_NONE && LAYERED[i].path != NULL) {
                assert_int_equal(d.payload_length, 5);
                assert_int_equal(d.payload_n, n - at < 5 ? n - at : 5);
            }
        }
    }
}

static void peel_every_changed_byte_stays_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LAYERED / sizeof LAYERED[0]; i++) {
        struct hex_bytes b = hex(LAYERED[i].frame);
        uint8_t *p = guard_copy(b.p, b.n);
        for (uint32_t k = 0; k < b.n; k++) {
            for (int bit = 0; bit < 8; bit++) {
                p[k] ^= (uint8_t)(1 << bit);
                struct datagram d;
                peel_both(LAYERED[i].linktype, p, b.n, &d);
                p[k] ^= (uint8_t)(1 << bit);
            }
        }
        guard_free(p, b.n);
    }
}

static void peel_frames_without_ip_say_so(void **state)
{
    (void)state;
    static const struct {
        uint32_t linktype;
        const char *frame;
        enum reason reason;
    } ROWS[] = {
        {1, MACS "0806 0001 0800 0604 0001", REASON_NOT_IP},
        {1, MACS "88cc 0207 0400", REASON_NOT_IP},
        {1, MACS "0026 424203 0000000000", REASON_NOT_IP}, // spanning tree
        {1, MACS "0026 aaaa03 00000c 2000 0000", REASON_NOT_IP},
        {1, MACS "8863 1109 0000 0004 0101 0000", REASON_NOT_IP},
        {1, MACS "8864 11a7 0001 0000", REASON_NOT_IP},
        {1, MACS "8864 1100 0001 0004 c021 0100", REASON_NOT_IP}, // LCP
        {1, MACS "8847 000101ff 10000000", REASON_NOT_IP},        // a channel of its own
        {1, MACS "0800 60000000", REASON_TRUNCATED},
        {1, MACS "08", REASON_TRUNCATED},
        {1, "", REASON_TRUNCATED},
        {0, "0100 0000 00000000", REASON_NOT_IP},
        {101, "00", REASON_NOT_IP},
        {104, "0f00 8035 00000000", REASON_NOT_IP},
        {113, "0000 0338 0000 0000000000000000 0800" V4_HELLO, REASON_NOT_IP}, // netlink
        {113, "0000 0001 0006 0000000000000000 000c 00", REASON_NOT_IP},       // CAN
        {105, V4_HELLO, REASON_UNKNOWN_LINKTYPE},
        {UINT32_MAX, V4_HELLO, REASON_UNKNOWN_LINKTYPE},
        {192, "00 00 0800 69000000" V4_HELLO, REASON_UNKNOWN_LINKTYPE},
        {192, "00 00 0700 01000000" V4_HELLO, REASON_TRUNCATED},
        {239, "02 00 0000 0300 0100", REASON_TRUNCATED},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct hex_bytes b = hex(ROWS[i].frame);
        struct datagram d;
        uint32_t at;
        enum reason reason = peel_guarded(ROWS[i].linktype, b.p, b.n, &d, &at);
        if (reason != ROWS[i].reason) {
            fail_msg("row %zu: %s, not %s", i, reason_name(reason), reason_name(ROWS[i].reason));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peel_each_layer_gives_the_datagram),
        cmocka_unit_test(peel_every_prefix_is_cut_not_wrong),
        cmocka_unit_test(peel_every_changed_byte_stays_inside),
        cmocka_unit_test(peel_frames_without_ip_say_so),
    };
    return cmocka_run_group_tests_name("net_layers", tests, NULL, NULL);
}
