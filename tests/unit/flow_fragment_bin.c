// Tests of a bin of fragments: datagrams that become whole, fragments in fragments, copies, what is
// given up, and the ledger.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "decode/decode.h"
#include "flow/fragment_bin.h"
#include "random_fill.h"

#define SECOND_NS INT64_C(1000000000)

struct sender {
    struct fragment_bin b;
    struct records in; // what the frames at hand gave
    struct order now;
    uint64_t packets, segments;
    // Of what came out.
    uint64_t messages, truncated;
    uint32_t last_packets; // of the last message
    struct order last;
    uint32_t segment_packets;
};

static void begin(struct sender *s)
{
    *s = (struct sender){.now = {.time_ns = 1000 * SECOND_NS}};
    fragment_bin_init(&s->b);
    records_init(&s->in);
}

static void look(struct sender *s, const struct records *r)
{
    const struct record_list *list = &r->lists[SIP_RECORDS];
    const struct sip_record *all = list->items;
    for (uint32_t i = 0; i < list->count; i++) {
        assert_false(order_before(all[i].order, s->last));
        assert_true(all[i].packet_count == 1 || all[i].packets);
        s->last = all[i].order;
        s->messages++;
        s->truncated += all[i].truncated;
        s->last_packets = all[i].packet_count;
    }
    const struct piece_record *pieces = r->lists[SEGMENT_RECORDS].items;
    for (uint32_t i = 0; i < r->lists[SEGMENT_RECORDS].count; i++) {
        s->segments++;
        s->segment_packets += pieces[i].packet_count;
    }
}

static void out(struct sender *s)
{
    flow_output_end(&s->b.output);
    for (const struct records *r = s->b.output.queue.first; r; r = r->next) {
        look(s, r);
    }
    flow_output_recycle(&s->b.output, ORDER_LAST);
}

// A frame goes the way that it goes in a capture. Each has to be a fragment.
static void send_frame(struct sender *s, const uint8_t *packet, size_t n)
{
    s->packets++;
    s->now.at++;
    struct origin from = {.order = s->now, .time_ns = s->now.time_ns};
    records_reset(&s->in);
    decode_frame(&s->in, LINK_RAW, packet, (uint32_t)n, &from);
    assert_int_equal(s->in.lists[FRAGMENT_RECORDS].count, 1);
    flow_output_begin(&s->b.output);
    fragment_bin_packet(&s->b, s->in.lists[FRAGMENT_RECORDS].items);
    out(s);
}

static uint64_t accounted(const struct sender *s)
{
    uint64_t sum = 0;
    for (int i = 0; i < REASON_COUNT; i++) {
        sum += s->b.output.counts.reasons[i];
    }
    return sum;
}

static uint64_t reason(const struct sender *s, enum reason r)
{
    return s->b.output.counts.reasons[r];
}

// Every packet is accounted for once, when all is over.
static void end(struct sender *s)
{
    flow_output_begin(&s->b.output);
    fragment_bin_finish(&s->b);
    out(s);
    assert_int_equal(accounted(s), s->packets);
    records_fini(&s->in);
    fragment_bin_fini(&s->b);
}

// --- packets ---

static void fragment(struct bytes *packet, uint8_t protocol, uint16_t id, size_t offset, bool more,
                     const uint8_t *p, size_t n)
{
    packet->n = 0;
    uint8_t *h = bytes_grow(packet, 20);
    memset(h, 0, 20);
    h[0] = 0x45;
    put_be16(h + 2, (uint16_t)(20 + n));
    put_be16(h + 4, id);
    put_be16(h + 6, (uint16_t)((more ? 0x2000 : 0) | offset / 8));
    h[8] = 64;
    h[9] = protocol;
    put_be32(h + 12, 0xc0000201);
    put_be32(h + 16, 0xc0000202);
    bytes_put(packet, p, n);
}

static void datagram_of(struct bytes *b, const char *payload, size_t n)
{
    b->n = 0;
    bytes_put(b, "\x13\xc4\x13\xc4", 4);
    put_be16(bytes_grow(b, 2), (uint16_t)(8 + n));
    bytes_put(b, "\0\0", 2);
    bytes_put(b, payload, n);
}

static void message_datagram(struct bytes *b, size_t body_n)
{
    char text[3000];
    int n = snprintf(text, sizeof text,
                     "MESSAGE sip:b@x SIP/2.0\r\nCall-ID: a\r\nCSeq: 1 MESSAGE\r\n"
                     "Content-Length: %zu\r\n\r\n%*s",
                     body_n, (int)body_n, "");
    assert_true(n > 0 && (size_t)n < sizeof text);
    datagram_of(b, text, (size_t)n);
}

// Sends a payload in fragments of `step` bytes, those of `mask` (bit 0: the first).
static void send_in(struct sender *s, uint8_t protocol, uint16_t id, const struct bytes *payload,
                    size_t step, uint64_t mask)
{
    struct bytes packet = {0};
    for (size_t at = 0, i = 0; at < payload->n; at += step, i++) {
        size_t n = payload->n - at < step ? payload->n - at : step;
        if (i >= 64 || (mask >> i & 1) != 0) {
            fragment(&packet, protocol, id, at, at + n < payload->n, payload->p + at, n);
            send_frame(s, packet.p, packet.n);
        }
    }
    bytes_free(&packet);
}

#define ALL UINT64_MAX

// The payload in fragments, each of them in a packet of its own that is sent in fragments too.
static void send_nested(struct sender *s, uint16_t id, const struct bytes *payload, size_t step,
                        size_t outer_step)
{
    struct bytes inner = {0};
    for (size_t at = 0; at < payload->n; at += step) {
        size_t n = payload->n - at < step ? payload->n - at : step;
        fragment(&inner, NET_UDP, id, at, at + n < payload->n, payload->p + at, n);
        send_in(s, 4, (uint16_t)(id + 100 + at / 8), &inner, outer_step, ALL);
    }
    bytes_free(&inner);
}

// --- whole ---

static void fragment_bin_gives_a_message_with_all_its_packets(void **state)
{
    (void)state;
    struct sender s;
    struct bytes b = {0};
    begin(&s);
    message_datagram(&b, 300);
    send_in(&s, NET_UDP, 1, &b, 80, ALL);
    assert_int_equal(s.messages, 1);
    assert_int_equal(s.truncated, 0);
    assert_int_equal(s.last_packets, s.packets);
    assert_int_equal(s.last.at, s.packets);
    assert_int_equal(reason(&s, REASON_NONE), s.packets);
    end(&s);
    bytes_free(&b);
}

static void fragment_bin_gives_segments_with_the_number_of_their_frames(void **state)
{
    (void)state;
    struct sender s;
    struct bytes b = {0};
    begin(&s);
    static const uint8_t HEADER[20] = {[1] = 80, [3] = 90, [12] = 0x50, [13] = 0x10};
    bytes_put(&b, HEADER, 20);
    bytes_put(&b, "0123456789012345678901234567", 28);
    send_in(&s, NET_TCP, 1, &b, 16, ALL);
    assert_int_equal(s.segments, 1);
    assert_int_equal(s.segment_packets, 3);
    assert_int_equal(reason(&s, REASON_NONE), 3); // their connection says the rest
    end(&s);
    bytes_free(&b);
}

static void fragment_bin_accounts_for_what_is_neither_sip_nor_media(void **state)
{
    (void)state;
    struct sender s;
    struct bytes b = {0};
    begin(&s);
    datagram_of(&b, "something else that is long enough", 34);
    send_in(&s, NET_UDP, 1, &b, 16, ALL);
    send_in(&s, NET_UDP, 1, &b, 16, 1); // a copy has the verdict of what it copies
    assert_int_equal(reason(&s, REASON_NOT_SIP_OR_MEDIA), 4);
    assert_int_equal(s.b.output.counts.copies, 0);
    end(&s);
    bytes_free(&b);
}

static void fragment_bin_counts_copies_of_what_is_whole(void **state)
{
    (void)state;
    struct sender s;
    struct bytes b = {0};
    begin(&s);
    message_datagram(&b, 100);
    send_in(&s, NET_UDP, 1, &b, 80, ALL);
    uint64_t once = s.packets;
    s.now.time_ns += SECOND_NS / 2;
    send_in(&s, NET_UDP, 1, &b, 80, ALL);
    assert_int_equal(s.messages, 1);
    assert_int_equal(s.b.output.counts.copies, once);
    assert_int_equal(reason(&s, REASON_NONE), 2 * once);
    s.now.time_ns += 10 * SECOND_NS; // the identification again, for another one
    send_in(&s, NET_UDP, 1, &b, 80, ALL);
    assert_int_equal(s.messages, 2);
    assert_int_equal(s.b.output.counts.copies, once);
    end(&s);
    bytes_free(&b);
}

// --- fragments in fragments ---

static void fragment_bin_puts_fragments_in_fragments_together(void **state)
{
    (void)state;
    static const size_t STEPS[][2] = {{200, 40}, {80, 96}, {104, 24}, {400, 8}};
    struct bytes b = {0};
    message_datagram(&b, 500);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        struct sender s;
        begin(&s);
        send_nested(&s, 7, &b, STEPS[i][0], STEPS[i][1]);
        assert_int_equal(s.messages, 1);
        assert_int_equal(s.truncated, 0);
        assert_int_equal(s.last_packets, s.packets);
        assert_int_equal(reason(&s, REASON_NONE), s.packets);
        assert_int_equal(accounted(&s), s.packets);
        end(&s);
    }
    bytes_free(&b);
}

// More frames than one datagram may list: each is accounted for once all the same.
static void fragment_bin_accounts_for_more_frames_than_are_listed(void **state)
{
    (void)state;
    struct sender s;
    struct bytes b = {0}, inner = {0};
    begin(&s);
    uint8_t *zeros = bytes_grow(&b, 64000);
    memset(zeros, 0, 64000);
    for (uint16_t i = 0; i < 40; i++) { // the same inner fragment, each time in 428 frames
        inner.n = 0;
        fragment(&inner, NET_UDP, 7, 0, true, zeros, 3400);
        send_in(&s, 4, (uint16_t)(100 + i), &inner, 8, ALL);
    }
    end(&s);
    bytes_free(&b);
    bytes_free(&inner);
}

// --- given up ---

static void fragment_bin_gives_up_what_is_too_old(void **state)
{
    (void)state;
    struct sender s;
    struct bytes message = {0}, other = {0};
    begin(&s);
    message_datagram(&message, 300);
    datagram_of(&other, "something else that is long enough", 34);
    send_in(&s, NET_UDP, 1, &message, 80, 3);  // its head came
    send_in(&s, NET_UDP, 2, &message, 80, 6);  // it did not
    send_in(&s, NET_UDP, 3, &other, 16, 1);    // no message
    send_in(&s, NET_UDP, 4, &message, 80, 29); // a hole behind the head
    assert_int_equal(s.messages, 0);
    assert_int_equal(accounted(&s), 0);
    s.now.time_ns += FRAGMENT_TIMEOUT_NS + 1;
    send_in(&s, NET_UDP, 5, &other, 16, 1);
    assert_int_equal(s.messages, 2);
    assert_int_equal(s.truncated, 2);
    assert_int_equal(s.last_packets, 4);
    assert_int_equal(s.last.at, s.now.at);
    assert_int_equal(reason(&s, REASON_NONE), 2 + 4);
    assert_int_equal(reason(&s, REASON_FRAGMENT_INCOMPLETE), 2 + 1);
    assert_int_equal(s.b.output.counts.odd[FLOW_FRAGMENT_INCOMPLETE], 4);
    end(&s);
    bytes_free(&message);
    bytes_free(&other);
}

static void fragment_bin_gives_up_segments_as_far_as_they_came(void **state)
{
    (void)state;
    struct sender s;
    struct bytes b = {0};
    begin(&s);
    static const uint8_t HEADER[20] = {[1] = 80, [3] = 90, [12] = 0x50, [13] = 0x10};
    bytes_put(&b, HEADER, 20);
    bytes_put(&b, "0123456789012345678901234567", 28);
    send_in(&s, NET_TCP, 1, &b, 24, 1);
    send_in(&s, NET_TCP, 2, &b, 24, 2); // without its header
    end(&s);
    assert_int_equal(s.segments, 1);
    assert_int_equal(s.segment_packets, 1);
    assert_int_equal(reason(&s, REASON_NONE), 1);
    assert_int_equal(reason(&s, REASON_FRAGMENT_INCOMPLETE), 1);
    bytes_free(&b);
}

static void fragment_bin_at_the_end_follows_the_first_fragments(void **state)
{
    (void)state;
    struct sender s;
    struct bytes b = {0};
    begin(&s);
    message_datagram(&b, 300);
    for (uint16_t i = 0; i < 5; i++) {
        s.now = order_of(s.now.time_ns + SECOND_NS, 10 - i, 3); // later ones in an earlier file
        send_in(&s, NET_UDP, i, &b, 80, 1);
    }
    int64_t last_ns = s.now.time_ns;
    end(&s); // look() holds the order
    assert_int_equal(s.messages, 5);
    assert_int_equal(s.last.time_ns, order_at_end(order_of(last_ns, 0, 0)).time_ns);
    bytes_free(&b);
}

// --- all at once ---

static void fragment_bin_accounts_for_every_packet_once_whatever_comes(void **state)
{
    (void)state;
    struct random rng;
    struct bytes message = {0}, other = {0};
    random_seeded(&rng, 9);
    message_datagram(&message, 300);
    datagram_of(&other, "something else that is long enough", 34);
    for (int round = 0; round < 20; round++) {
        struct sender s;
        begin(&s);
        for (int i = 0; i < 300; i++) {
            uint16_t id = (uint16_t)random_below(&rng, 20);
            size_t step = 8 * (1 + (size_t)random_below(&rng, 5));
            s.now.time_ns += (int64_t)random_below(&rng, 2) * SECOND_NS;
            if (random_below(&rng, 4) == 0) {
                send_nested(&s, id, &message, 48 + step, step);
            } else {
                send_in(&s, NET_UDP, id, random_below(&rng, 3) ? &message : &other, step,
                        random_u64(&rng) | random_u64(&rng));
            }
        }
        end(&s);
        assert_true(s.messages > 5);
    }
    bytes_free(&message);
    bytes_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragment_bin_gives_a_message_with_all_its_packets),
        cmocka_unit_test(fragment_bin_gives_segments_with_the_number_of_their_frames),
        cmocka_unit_test(fragment_bin_accounts_for_what_is_neither_sip_nor_media),
        cmocka_unit_test(fragment_bin_counts_copies_of_what_is_whole),
        cmocka_unit_test(fragment_bin_puts_fragments_in_fragments_together),
        cmocka_unit_test(fragment_bin_accounts_for_more_frames_than_are_listed),
        cmocka_unit_test(fragment_bin_gives_up_what_is_too_old),
        cmocka_unit_test(fragment_bin_gives_up_segments_as_far_as_they_came),
        cmocka_unit_test(fragment_bin_at_the_end_follows_the_first_fragments),
        cmocka_unit_test(fragment_bin_accounts_for_every_packet_once_whatever_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
