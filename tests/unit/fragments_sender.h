// A sender of fragments for tests: one struct fragments, what it gave last, and short ways to send.
#ifndef SIDETONE_TESTS_FRAGMENTS_SENDER_H
#define SIDETONE_TESTS_FRAGMENTS_SENDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/fragments_parts.h"
#include "wire/net/peel.h"

#define SECOND_NS INT64_C(1000000000)

struct sender {
    struct fragments *f;
    uint64_t odd[FLOW_ODD_COUNT];
    struct defragmented out;
    uint64_t at; // of the frame sent last
    // Of what is sent next.
    struct piece_record next;
};

static inline void sender_family(struct sender *s, bool is_v6)
{
    static const uint8_t V6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
    static const uint8_t V4[4] = {192, 0, 2, 1};
    s->next.src.addr = is_v6 ? address_v6(V6) : address_v4(V4);
    s->next.dst.addr = s->next.src.addr;
    s->next.dst.addr.lo ^= UINT64_C(1) << 63;
}

static inline void sender_init(struct sender *s)
{
    *s = (struct sender){.f = fragments_new()};
    s->next.protocol = NET_UDP;
    s->next.order.time_ns = SECOND_NS;
    sender_family(s, false);
}

static inline void sender_fini(struct sender *s)
{
    fragments_free(s->f);
}

// `captured` of `n` bytes.
static inline enum fragment_result send_cut(struct sender *s, uint32_t offset, const void *bytes,
                                            uint32_t captured, uint32_t n, bool more)
{
    struct piece_record r = s->next;
    r.order.at = ++s->at;
    r.time_ns = r.order.time_ns;
    r.fragment_offset = offset;
    r.payload = bytes;
    r.payload_n = captured;
    r.payload_length = n;
    r.more_fragments = more;
    return fragments_add(s->f, &r, s->odd, &s->out);
}

static inline enum fragment_result send_bytes(struct sender *s, uint32_t offset, const void *bytes,
                                              uint32_t n, bool more)
{
    return send_cut(s, offset, bytes, n, n, more);
}

static inline enum fragment_result send_text(struct sender *s, uint32_t offset, const char *text,
                                             bool more)
{
    return send_bytes(s, offset, text, (uint32_t)strlen(text), more);
}

static inline bool give_up(struct sender *s, int64_t now_ns)
{
    return fragments_give_up(s->f, now_ns, s->odd, &s->out);
}

// Gives everything up; returns how many datagrams that were.
static inline uint32_t give_up_all(struct sender *s)
{
    uint32_t count = 0;
    while (give_up(s, INT64_MAX)) {
        count++;
    }
    return count;
}

// Oddities of all kinds.
static inline uint64_t sender_odd_total(const struct sender *s)
{
    uint64_t total = 0;
    for (int i = 0; i < FLOW_ODD_COUNT; i++) {
        total += s->odd[i];
    }
    return total;
}

static inline bool out_is(const struct sender *s, const char *text, uint32_t packets)
{
    return s->out.n == strlen(text) && memcmp(s->out.bytes, text, s->out.n) == 0 &&
           s->out.packet_count == packets;
}

// The end of every test: nothing is lost, whatever went through.
static inline void sender_end(struct sender *s)
{
    give_up_all(s);
    assert_int_equal(cells_left(&s->f->cells), CELLS_MAX - 1);
    sender_fini(s);
}

#endif
