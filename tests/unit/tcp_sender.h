// One direction of TCP for tests: sends segments of a stream into a side and keeps what comes out.
#ifndef SIDETONE_TESTS_TCP_SENDER_H
#define SIDETONE_TESTS_TCP_SENDER_H

#include "flow/tcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SENDER_MOST 262144u
#define MS          INT64_C(1000000)

struct tcp_sender {
    struct tcp_side *side;
    struct tcp_sink sink;
    uint64_t odd[FLOW_ODD_COUNT];
    uint32_t first; // number of the stream's first byte
    int64_t clock_ns;
    uint64_t frames;             // sent: each has its own number
    const uint8_t *now;          // bytes of the segment that is sent
    uint32_t now_n;              // and their number
    bool starts_well, is_copied; // is_copied: something came out that was not borrowed
    // What came out: the first SENDER_MOST bytes.
    uint8_t bytes[SENDER_MOST];
    uint32_t frame_of[SENDER_MOST]; // 0: a gap
    size_t n;
    uint32_t gaps, unknown_gaps, calls;
};

static struct tcp_sender t;

static inline void sender_bytes(void *context, const uint8_t *p, uint32_t n, struct packet_ref from,
                                bool is_borrowed)
{
    assert_ptr_equal(context, &t);
    assert_true(n > 0);
    bool is_inside = t.now && p >= t.now && p + n <= t.now + t.now_n;
    assert_int_equal(is_borrowed, is_inside);
    t.is_copied = t.is_copied || !is_borrowed;
    for (uint32_t i = 0; i < n && t.n < SENDER_MOST; i++) {
        t.bytes[t.n] = p[i];
        t.frame_of[t.n++] = (uint32_t)from.at;
    }
    t.calls++;
}

static inline void sender_gap(void *context, uint64_t n)
{
    assert_ptr_equal(context, &t);
    t.unknown_gaps += n == 0;
    t.gaps += n > 0 && (t.n == 0 || t.frame_of[t.n - 1] != 0); // one hole in two steps is one
    for (uint64_t i = 0; i < n && t.n < SENDER_MOST; i++) {
        t.bytes[t.n] = 0;
        t.frame_of[t.n++] = 0;
    }
    t.calls++;
}

static inline void sender_begin(uint32_t first)
{
    t.side = tcp_side_new();
    t.sink = (struct tcp_sink){&t, sender_bytes, sender_gap};
    memset(t.odd, 0, sizeof t.odd);
    t.first = first;
    t.clock_ns = 0;
    t.frames = t.n = 0;
    t.now = NULL;
    t.starts_well = t.is_copied = false;
    t.gaps = t.unknown_gaps = t.calls = 0;
}

static inline void sender_end(void)
{
    tcp_side_free(t.side);
}

static inline struct tcp_segment sender_segment(int64_t at, uint8_t flags, const uint8_t *bytes,
                                                uint32_t n, uint32_t length)
{
    t.frames++;
    return (struct tcp_segment){
        .sequence = t.first + (uint32_t)at,
        .flags = flags,
        .bytes = bytes,
        .n = n,
        .length = length,
        .from = {.at = t.frames, .time_ns = t.clock_ns},
        .clock_ns = t.clock_ns,
        .frame = t.frames,
    };
}

static inline enum tcp_result sender_pass(const struct tcp_segment *seg)
{
    t.now = seg->bytes;
    t.now_n = seg->n;
    enum tcp_result r = tcp_side_segment(t.side, seg, t.starts_well, &t.sink, t.odd);
    t.now = NULL;
    assert_true(tcp_side_held(t.side) <= TCP_HELD_MAX);
    return r;
}

// Sends n bytes where they are, at a place of the stream.
static inline enum tcp_result send_in_place(int64_t at, const uint8_t *bytes, uint32_t n)
{
    struct tcp_segment seg = sender_segment(at, TCP_ACK, bytes, n, n);
    return sender_pass(&seg);
}

// Sends a copy of exactly its size, that is gone when the call ends.
static inline enum tcp_result send_cut(int64_t at, uint8_t flags, const void *bytes, uint32_t n,
                                       uint32_t length)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    struct tcp_segment seg = sender_segment(at, flags, copy, n, length);
    enum tcp_result r = sender_pass(&seg);
    free(copy);
    return r;
}

static inline enum tcp_result send_text(int64_t at, const char *text)
{
    return send_cut(at, TCP_ACK, text, (uint32_t)strlen(text), (uint32_t)strlen(text));
}

static inline enum tcp_result send_flags(int64_t at, uint8_t flags)
{
    return send_cut(at, flags, "", 0, 0);
}

static inline enum tcp_result send_syn(void)
{
    return send_flags(-1, TCP_SYN);
}

static inline void send_acknowledged(uint32_t at)
{
    tcp_side_acknowledged(t.side, t.first + at, t.clock_ns, &t.sink, t.odd);
}

static inline void send_tick(void)
{
    tcp_side_tick(t.side, t.clock_ns, &t.sink, t.odd);
}

static inline void send_finish(void)
{
    tcp_side_finish(t.side, &t.sink, t.odd);
    assert_int_equal(tcp_side_held(t.side), 0);
}

// What came out so far; '.' stands for a lost byte.
static inline void assert_out(const char *expected)
{
    assert_int_equal(t.n, strlen(expected));
    for (size_t i = 0; i < t.n; i++) {
        assert_int_equal(t.frame_of[i] ? t.bytes[i] : '.', expected[i]);
    }
}

// retransmitted, reordered, conflict, gap, mid-stream
static inline void assert_odd(uint64_t again, uint64_t reordered, uint64_t conflict, uint64_t gap,
                              uint64_t mid)
{
    assert_int_equal(t.odd[FLOW_TCP_RETRANSMITTED], again);
    assert_int_equal(t.odd[FLOW_TCP_REORDERED], reordered);
    assert_int_equal(t.odd[FLOW_TCP_CONFLICT], conflict);
    assert_int_equal(t.odd[FLOW_TCP_GAP], gap);
    assert_int_equal(t.gaps, gap);
    assert_int_equal(t.odd[FLOW_TCP_MID_STREAM], mid);
}

#endif
