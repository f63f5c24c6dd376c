// Packets as hexadecimal digits that the tests of wire/net share, and how they are peeled: from
// memory that ends at an unmapped page, both ways.
#ifndef SIDETONE_TESTS_NET_PACKETS_H
#define SIDETONE_TESTS_NET_PACKETS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "datagram_same.h"
#include "guard.h"
#include "hex.h"
#include "path_line.h"
#include "wire/net/peel.h"
#include "wire/net/walk.h"

// Inside: 192.0.2.10:5060 -> 192.0.2.20:5070, id 0x1234, TTL 61, checksum beef, payload "hello"
#define UDP_HELLO "13c4 13ce 000d beef 68656c6c6f"
#define V4_ADDRS  "c000020a c0000214"
#define V4_HELLO  "4500 0021 1234 4000 3d11 0000" V4_ADDRS UDP_HELLO
#define V6_ADDRS  "20010db8 00000000 00000000 0000000a 20010db8 00000000 00000000 00000014"
#define V6_HELLO  "60000000 000d 11 3d" V6_ADDRS UDP_HELLO
#define MACS      "020000000002 020000000001"
#define ETH       MACS "0800"
#define ETH_V6    MACS "86dd"

// Outside, all lengths 0: they are what is there. UDP goes from port 50000.
#define V4(protocol) "4500 0000 0001 0000 40" protocol "0000 c6336401 c6336402"
#define V6(protocol)                                                                               \
    "60000000 0000" protocol "40 20010db8 00010000 00000000 00000001"                              \
    "20010db8 00010000 00000000 00000002"
#define UDP(port)    "c350" port "0000 0000"
#define IN_UDP(port) V4("11") UDP(port)

// The outer packet as a step of the path
#define IP4 "ip 198.51.100.1 > 198.51.100.2"
#define IP6 "ip 2001:db8:1::1 > 2001:db8:1::2"

#define LINK_RAW 101

// Both ways must find the same, inside the n bytes at p.
static inline enum reason peel_both(uint32_t linktype, const uint8_t *p, uint32_t n,
                                    struct datagram *out)
{
    struct datagram plain;
    enum reason reason = peel(linktype, p, n, out);
    assert_int_equal(reason, peel_layers(linktype, p, n, &plain));
    if (datagram_is_filled(reason)) {
        assert_true(datagram_is_same(reason, out, &plain));
        assert_true(out->payload >= p && out->payload_n <= (size_t)(p + n - out->payload));
        assert_true(out->transport >= p && out->transport <= out->payload);
        assert_true(out->payload_length >= out->payload_n);
    }
    return reason;
}

#endif
