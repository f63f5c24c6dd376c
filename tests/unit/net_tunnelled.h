// Tables of packets in tunnels, and what holds for every row: the datagram inside is found with its
// path, no cut and no changed byte leads outside.
#ifndef SIDETONE_TESTS_NET_TUNNELLED_H
#define SIDETONE_TESTS_NET_TUNNELLED_H

#include "net_packets.h"

struct tunnelled {
    const char *packet; // bare
    const char *path;
};

// Peels a bare packet from memory that ends at an unmapped page.
static inline enum reason peel_guarded(const uint8_t *bytes, uint32_t n, struct datagram *out)
{
    uint8_t *p = guard_copy(bytes, n);
    enum reason reason = peel_both(LINK_RAW, p, n, out);
    guard_free(p, n);
    return reason;
}

static inline void check_hello(const struct datagram *d, size_t row)
{
    bool is_v4 = address_is_v4(d->src.addr);
    struct address dst;
    assert_true(address_parse(is_v4 ? SLICE("192.0.2.20") : SLICE("2001:db8::14"), &dst));
    if (!address_eq(d->dst.addr, dst) || d->src.port != 5060 || d->dst.port != 5070 ||
        d->ttl != 61 || d->checksum != 0xbeef || d->protocol != NET_UDP ||
        d->ip_id != (is_v4 ? 0x1234 : 0)) {
        fail_msg("row %zu: not what is inside", row);
    }
}

static inline void tunnelled_is_found(const struct tunnelled *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hex_bytes b = hex(rows[i].packet);
        struct datagram d;
        memset(&d, 0xa5, sizeof d); // whatever stood there is overwritten
        enum reason reason = peel_guarded(b.p, b.n, &d);
        if (reason != REASON_NONE || d.payload_n != 5 || d.payload_length != 5) {
            fail_msg("row %zu: %s", i, reason_name(reason));
        }
        check_hello(&d, i);
        char line[PATH_LINE_BYTES];
        if (strcmp(path_line(&d.path, line), rows[i].path) != 0) {
            fail_msg("row %zu: %s", i, line);
        }
    }
}

// Cut anywhere: no datagram, the one outside (a tunnel that cannot be told yet), or the one inside,
// cut.
static inline void tunnelled_prefix_is_cut_not_wrong(const struct tunnelled *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hex_bytes b = hex(rows[i].packet);
        for (uint32_t n = 0; n < b.n; n++) {
            struct datagram d;
            if (peel_guarded(b.p, n, &d) == REASON_NONE && d.src.port == 5060) {
                check_hello(&d, i);
                assert_int_equal(d.payload_length, 5);
                assert_true(d.payload_n <= 5);
            }
        }
    }
}

static inline void tunnelled_change_stays_inside(const struct tunnelled *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hex_bytes b = hex(rows[i].packet);
        uint8_t *p = guard_copy(b.p, b.n);
        for (uint32_t k = 0; k < b.n * 8; k++) {
            p[k / 8] ^= (uint8_t)(1 << k % 8);
            struct datagram d;
            peel_both(LINK_RAW, p, b.n, &d);
            p[k / 8] ^= (uint8_t)(1 << k % 8);
        }
        guard_free(p, b.n);
    }
}

// Rows of UDP that are no tunnel: each stays whole between the outer addresses.
static inline void untunnelled_stays_udp(const char *const *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hex_bytes b = hex(rows[i]);
        struct datagram d;
        enum reason reason = peel_guarded(b.p, b.n, &d);
        if (reason != REASON_NONE || (d.src.port != 50000 && d.dst.port != 50000) ||
            d.payload_n != b.n - 28 || d.payload_length != b.n - 28 || d.path.count != 0) {
            fail_msg("row %zu: %s", i, reason_name(reason));
        }
    }
}

struct reasoned {
    const char *packet; // bare
    enum reason reason;
};

static inline void each_has_its_reason(const struct reasoned *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hex_bytes b = hex(rows[i].packet);
        struct datagram d;
        enum reason reason = peel_guarded(b.p, b.n, &d);
        if (reason != rows[i].reason) {
            fail_msg("row %zu: %s, not %s", i, reason_name(reason), reason_name(rows[i].reason));
        }
    }
}

#endif
