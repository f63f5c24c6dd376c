// A bin of connections for tests: segments go in, what comes out is counted, and the bin's own
// order is looked at after every packet.
#ifndef SIDETONE_TESTS_STREAM_BIN_SENDER_H
#define SIDETONE_TESTS_STREAM_BIN_SENDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "flow/connection.h"
#include "flow/stream_bin.h"
#include "random_fill.h"

#include <stdio.h>
#include <stdlib.h>

#define MS INT64_C(1000000)

struct bin_sender {
    struct stream_bin b;
    struct order now;
    uint64_t packets; // sent
    // What came out.
    uint64_t messages, incomplete;
    struct order last; // of the last message
    char ids[4096];    // "id1 id2 ", as far as there is room
    size_t ids_n;
};

static inline void sender_init(struct bin_sender *s)
{
    *s = (struct bin_sender){.now = {.time_ns = 1000 * MS}};
    stream_bin_init(&s->b);
}

static inline void sender_look(struct bin_sender *s, const struct records *r)
{
    const struct record_list *list = &r->lists[SIP_RECORDS];
    const struct sip_record *all = list->items;
    for (uint32_t i = 0; i < list->count; i++) {
        assert_false(order_before(all[i].order, s->last));
        s->last = all[i].order;
        s->messages++;
        s->incomplete += all[i].truncated;
        if (s->ids_n + all[i].call_id.n + 2 < sizeof s->ids) {
            s->ids_n += (size_t)snprintf(s->ids + s->ids_n, sizeof s->ids - s->ids_n, "%.*s ",
                                         (int)all[i].call_id.n, all[i].call_id.p);
        }
    }
}

// Large ones are in a list of their own; those before next_slim are slim.
static inline void sender_check_lists(const struct stream_bin *b)
{
    uint32_t large = 0, in_list = 0;
    bool before = true;
    for (const struct connection *c = b->lists[LIST_ALL].oldest; c; c = c->links[LIST_ALL].newer) {
        before = before && c != b->next_slim;
        assert_int_equal(c->is_slim, before);
        assert_int_equal(c->is_large, c->memory > CONNECTION_LIGHT);
        large += c->is_large;
    }
    const struct connection *older = NULL;
    const struct connection *c = b->lists[LIST_LARGE].oldest;
    while (c) {
        assert_ptr_equal(c->links[LIST_LARGE].older, older);
        assert_true(c->is_large);
        in_list++;
        older = c;
        c = c->links[LIST_LARGE].newer;
    }
    assert_ptr_equal(b->lists[LIST_LARGE].newest, older);
    assert_int_equal(in_list, large);
}

// Every connection stands where the bin looks for it.
static inline void sender_check(const struct stream_bin *b)
{
    uint32_t count = 0, waiting = 0, in_ring = 0;
    size_t memory = 0;
    const struct connection *older = NULL;
    for (const struct connection *c = b->lists[LIST_ALL].oldest; c;
         older = c, c = c->links[LIST_ALL].newer) {
        assert_ptr_equal(c->links[LIST_ALL].older, older);
        assert_true(c->index < b->count);
        assert_ptr_equal(b->connections[c->index], c);
        assert_int_equal(c->next_waiting != NULL, connection_waits(c));
        waiting += connection_waits(c);
        memory += c->memory;
        count++;
    }
    assert_ptr_equal(b->lists[LIST_ALL].newest, older);
    assert_int_equal(count, b->count);
    assert_int_equal(count, b->table.count);
    assert_int_equal(memory, b->memory);
    sender_check_lists(b);
    const struct connection *at = b->waiting;
    while (at && (in_ring == 0 || at != b->waiting)) {
        assert_ptr_equal(at->next_waiting->prev_waiting, at);
        at = at->next_waiting;
        in_ring++;
    }
    assert_int_equal(in_ring, waiting);
    assert_true(b->count <= CONNECTIONS_MAX && b->memory <= STREAM_BYTES_MAX);
}

static inline void sender_out(struct bin_sender *s)
{
    flow_output_end(&s->b.output);
    for (const struct records *r = s->b.output.queue.first; r; r = r->next) {
        sender_look(s, r);
    }
    flow_output_recycle(&s->b.output, ORDER_LAST);
}

// A connection: its number says its ports.
struct bin_peer {
    uint32_t number;
    uint64_t path_hash;
};

static inline struct piece_record sender_piece(const struct bin_sender *s, struct bin_peer peer,
                                               int side)
{
    uint8_t a[4] = {192, 0, 2, (uint8_t)(1 + peer.number / 50000)};
    uint8_t b[4] = {192, 0, 2, 200};
    struct endpoint ends[2] = {{address_v4(a), (uint16_t)(1024 + peer.number % 50000)},
                               {address_v4(b), 5060}};
    return (struct piece_record){
        .order = s->now,
        .time_ns = s->now.time_ns,
        .src = ends[side],
        .dst = ends[1 - side],
        .path_hash = peer.path_hash,
        .protocol = NET_TCP,
        .ip_id = (uint16_t)s->packets,
        .checksum = (uint16_t)(s->packets >> 16),
        .ttl = 64,
    };
}

static inline void sender_pass(struct bin_sender *s, const struct piece_record *r)
{
    flow_output_begin(&s->b.output);
    stream_bin_packet(&s->b, r);
    sender_out(s);
}

// Bytes of exactly their size, gone when their messages are.
static inline void send_bytes(struct bin_sender *s, struct bin_peer peer, int side, uint8_t flags,
                              uint32_t sequence, const void *bytes, size_t n)
{
    uint8_t *packet = calloc(1, 20 + n);
    assert_non_null(packet);
    s->packets++;
    s->now.at++;
    put_be32(packet + 4, sequence);
    packet[12] = 0x50;
    packet[13] = flags;
    memcpy(packet + 20, bytes, n);
    struct piece_record r = sender_piece(s, peer, side);
    r.transport = packet;
    r.payload = packet + 20;
    r.payload_n = r.payload_length = (uint32_t)n;
    sender_pass(s, &r);
    free(packet);
}

static inline size_t sender_message(char *out, size_t room, const char *id)
{
    int n = snprintf(out, room,
                     "OPTIONS sip:b@x SIP/2.0\r\nCall-ID: %s\r\nCSeq: 1 OPTIONS\r\n"
                     "Content-Length: 0\r\n\r\n",
                     id);
    assert_true(n > 0 && (size_t)n < room);
    return (size_t)n;
}

static inline void send_message(struct bin_sender *s, struct bin_peer peer, uint32_t sequence,
                                const char *id)
{
    char text[200];
    size_t n = sender_message(text, sizeof text, id);
    send_bytes(s, peer, 0, TCP_ACK, sequence, text, n);
}

static inline void sender_finish(struct bin_sender *s)
{
    flow_output_begin(&s->b.output);
    stream_bin_finish(&s->b);
    sender_out(s);
    assert_int_equal(s->b.count, 0);
    assert_int_equal(s->b.memory, 0);
    assert_null(s->b.waiting);
}

static inline uint64_t sender_odd(const struct bin_sender *s, enum flow_oddity odd)
{
    return s->b.output.counts.odd[odd];
}

// After the end: every packet is accounted for once.
static inline void sender_fini(struct bin_sender *s)
{
    uint64_t sum = 0;
    for (int i = 0; i < REASON_COUNT; i++) {
        sum += s->b.output.counts.reasons[i];
    }
    assert_int_equal(sum, s->packets);
    stream_bin_fini(&s->b);
}

#endif
