// Tests of a bin of connections: whose a segment is, what is given up for others, the ledger, and
// holes that grow old while only others have packets.
#include "stream_bin_sender.h"

static const struct bin_peer FIRST = {.number = 0};
static const struct bin_peer SECOND = {.number = 1};

// --- whose ---

static void stream_bin_tells_connections_by_endpoints_protocol_and_path(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    const struct bin_peer tunnelled = {.number = 0, .path_hash = 77};
    char text[200];
    size_t n = sender_message(text, sizeof text, "a");
    send_bytes(&s, FIRST, 0, TCP_ACK, 100, text, 40);
    send_bytes(&s, tunnelled, 0, TCP_ACK, 100, text, 50);
    send_bytes(&s, SECOND, 0, TCP_ACK, 100, text, 60);
    assert_int_equal(s.b.count, 3);
    send_bytes(&s, FIRST, 0, TCP_ACK, 140, text + 40, n - 40);
    send_bytes(&s, tunnelled, 0, TCP_ACK, 150, text + 50, n - 50);
    send_bytes(&s, SECOND, 0, TCP_ACK, 160, text + 60, n - 60);
    assert_int_equal(s.b.count, 3);
    assert_string_equal(s.ids, "a a a ");
    send_bytes(&s, FIRST, 1, TCP_ACK, 900, text, n); // the way back is the same connection
    assert_int_equal(s.b.count, 3);
    assert_int_equal(s.incomplete, 0);
    sender_finish(&s);
    assert_int_equal(s.messages, 4);
    sender_fini(&s);
}

static void stream_bin_begins_anew_where_ports_are_used_again(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    send_bytes(&s, FIRST, 0, TCP_SYN, 99, "", 0);
    send_message(&s, FIRST, 100, "one");
    send_bytes(&s, FIRST, 0, TCP_ACK, 5000, "behind a hole", 13);
    s.now.time_ns += 1000 * MS;
    send_bytes(&s, FIRST, 0, TCP_SYN, 700000, "", 0);
    send_message(&s, FIRST, 700001, "two");
    assert_int_equal(s.b.count, 1);
    assert_true(s.b.memory < 2048);
    assert_string_equal(s.ids, "one two ");
    sender_check(&s.b);
    sender_finish(&s);
    assert_int_equal(s.messages, 2);
    assert_int_equal(s.b.output.counts.reasons[REASON_NONE], 5);
    sender_fini(&s);
}

// --- the ledger ---

static void stream_bin_accounts_by_what_a_connection_carries(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    send_message(&s, FIRST, 100, "one");
    send_bytes(&s, FIRST, 1, TCP_ACK, 1, "", 0);
    send_bytes(&s, SECOND, 0, TCP_SYN, 99, "", 0);
    send_bytes(&s, SECOND, 0, TCP_ACK, 100, "\x16\x03\x01\0\x05\1\0\0\1x", 10);
    send_bytes(&s, (struct bin_peer){.number = 2}, 0, TCP_ACK, 100, "220 mail\r\n", 10);
    send_bytes(&s, (struct bin_peer){.number = 3}, 0, TCP_RST, 100, "", 0);
    sender_finish(&s);
    assert_int_equal(s.b.output.counts.reasons[REASON_NONE], 2);
    assert_int_equal(s.b.output.counts.reasons[REASON_ENCRYPTED], 2);
    assert_int_equal(s.b.output.counts.reasons[REASON_NOT_SIP_OR_MEDIA], 2);
    sender_fini(&s);
}

static void stream_bin_counts_copies_where_they_are_analysed(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    char text[200];
    size_t n = sender_message(text, sizeof text, "a");
    for (uint32_t peer = 0; peer < 2; peer++) {
        const char *bytes = peer == 0 ? text : "220 mail\r\n";
        send_bytes(&s, (struct bin_peer){.number = peer}, 0, TCP_ACK, 100, bytes,
                   peer == 0 ? n : 10);
        s.packets--; // the same frame
        send_bytes(&s, (struct bin_peer){.number = peer}, 0, TCP_ACK, 100, bytes,
                   peer == 0 ? n : 10);
        s.packets++;
    }
    s.packets = 4;
    sender_finish(&s);
    assert_int_equal(s.messages, 1);
    assert_int_equal(s.b.output.counts.copies, 1);
    assert_int_equal(sender_odd(&s, FLOW_TCP_RETRANSMITTED), 0);
    sender_fini(&s);
}

static void stream_bin_accounts_for_every_frame_of_a_fragmented_segment(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    struct packet_ref frames[3] = {{1, 0}, {2, 0}, {3, 0}};
    uint8_t header[20] = {[12] = 0x50, [13] = TCP_ACK};
    s.now.at = 3;
    struct piece_record r = sender_piece(&s, FIRST, 0);
    r.transport = header;
    r.payload = header + 20;
    r.packets = frames;
    r.packet_count = 3;
    s.packets += 3;
    sender_pass(&s, &r);
    sender_finish(&s);
    assert_int_equal(s.b.output.counts.reasons[REASON_NOT_SIP_OR_MEDIA], 3);
    sender_fini(&s);
}

// --- limits ---

static void stream_bin_gives_up_the_connection_that_was_silent_longest(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    char text[200];
    size_t n = sender_message(text, sizeof text, "whole");
    send_bytes(&s, FIRST, 0, TCP_ACK, 100, text, 40);
    send_bytes(&s, SECOND, 0, TCP_ACK, 100, text, 40);
    for (uint32_t i = 2; i < CONNECTIONS_MAX; i++) {
        send_bytes(&s, (struct bin_peer){.number = i}, 0, TCP_ACK, 100, "x", 1);
    }
    assert_int_equal(s.b.count, CONNECTIONS_MAX);
    assert_int_equal(sender_odd(&s, FLOW_TCP_FORGOTTEN), 0);
    send_bytes(&s, FIRST, 0, TCP_ACK, 140, text + 40, 10); // not silent any more
    for (uint32_t i = 0; i < 100; i++) {
        send_bytes(&s, (struct bin_peer){.number = CONNECTIONS_MAX + i}, 0, TCP_ACK, 1, "x", 1);
    }
    sender_check(&s.b);
    assert_int_equal(s.b.count, CONNECTIONS_MAX);
    assert_int_equal(sender_odd(&s, FLOW_TCP_FORGOTTEN), 100);
    assert_int_equal(s.messages, 1); // of the second, as far as it came
    assert_int_equal(s.incomplete, 1);
    send_bytes(&s, FIRST, 0, TCP_ACK, 150, text + 50, n - 50);
    assert_int_equal(s.messages, 2);
    assert_int_equal(s.incomplete, 1);
    sender_finish(&s);
    sender_fini(&s);
}

static void stream_bin_takes_memory_from_those_that_hold_some(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    static uint8_t zeros[60000];
    send_bytes(&s, FIRST, 0, TCP_ACK, 100, "x", 1); // holds little or nothing; the oldest
    send_message(&s, SECOND, 100, "kept");
    for (uint32_t i = 0; i < 400; i++) { // 24 MB behind holes
        const struct bin_peer peer = {.number = 10 + i};
        send_bytes(&s, peer, 0, TCP_SYN, 99, "", 0);
        send_bytes(&s, peer, 0, TCP_ACK, 1000, zeros, sizeof zeros);
        assert_true(s.b.memory <= STREAM_BYTES_MAX);
    }
    sender_check(&s.b);
    assert_true(s.b.memory > STREAM_BYTES_MAX - 2 * sizeof zeros); // no more than needed
    uint64_t forgotten = sender_odd(&s, FLOW_TCP_FORGOTTEN);
    assert_true(forgotten > 270 && forgotten < 320);
    char text[200];
    size_t n = sender_message(text, sizeof text, "kept");
    send_message(&s, SECOND, 100 + (uint32_t)n, "again"); // it held nothing, and is still known
    assert_int_equal(sender_odd(&s, FLOW_TCP_MID_STREAM), 2);
    sender_finish(&s);
    sender_fini(&s);
}

static void stream_bin_holds_its_limit_with_many_that_hold_a_little(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    char text[200];
    sender_message(text, sizeof text, "unfinished");
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        const struct bin_peer peer = {.number = i};
        send_bytes(&s, peer, 0, TCP_ACK, 100, text, 40);
        send_bytes(&s, peer, 1, TCP_ACK, 100, text, 40);
        assert_true(s.b.memory <= STREAM_BYTES_SLIM);
    }
    sender_check(&s.b);
    assert_int_equal(s.b.count, CONNECTIONS_MAX); // all slim, none given up
    assert_int_equal(sender_odd(&s, FLOW_TCP_FORGOTTEN), 0);
    sender_finish(&s);
    assert_int_equal(s.incomplete, 2 * CONNECTIONS_MAX);
    sender_fini(&s);
}

// One-byte pieces cost what their bookkeeping does.
static void stream_bin_counts_the_bookkeeping_of_pieces(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    send_message(&s, FIRST, 100, "idle");
    for (uint32_t i = 0; i < 200; i++) {
        const struct bin_peer peer = {.number = 10 + i};
        send_bytes(&s, peer, 0, TCP_SYN, 99, "", 0);
        for (uint32_t k = 0; k < 1000; k++) {
            send_bytes(&s, peer, 0, TCP_ACK, 1000 + 2 * k, "x", 1);
        }
        assert_true(s.b.memory <= STREAM_BYTES_MAX);
    }
    sender_check(&s.b);
    assert_in_range(sender_odd(&s, FLOW_TCP_FORGOTTEN), 50, 150);
    sender_finish(&s);
    sender_fini(&s);
}

static void stream_bin_gives_up_a_huge_connection_before_others_that_hold_some(void **state)
{
    (void)state;
    enum {
        HOLDING = 90
    };
    struct bin_sender s;
    sender_init(&s);
    static uint8_t zeros[60000];
    const struct bin_peer huge = {.number = 5};
    for (uint32_t i = 0; i < HOLDING; i++) { // 5.4 MB
        const struct bin_peer peer = {.number = 10 + i};
        send_bytes(&s, peer, 0, TCP_SYN, 99, "", 0);
        send_bytes(&s, peer, 0, TCP_ACK, 1000, zeros, sizeof zeros);
    }
    send_bytes(&s, huge, 0, TCP_SYN, 99, "", 0);
    for (uint32_t i = 0; i < 33; i++) {
        assert_int_equal(sender_odd(&s, FLOW_TCP_FORGOTTEN), 0);
        send_bytes(&s, huge, 0, TCP_ACK, 1000 + i * 60000, zeros, sizeof zeros);
        sender_check(&s.b);
        if (sender_odd(&s, FLOW_TCP_FORGOTTEN) > 0) {
            break;
        }
    }
    assert_int_equal(sender_odd(&s, FLOW_TCP_FORGOTTEN), 1);
    assert_int_equal(s.b.count, HOLDING);
    sender_finish(&s);
    sender_fini(&s);
}

// A connection that is slim reads on; that a segment is sent again is told by its number alone.
static void stream_bin_connection_made_slim_goes_on(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    char text[200];
    size_t n = sender_message(text, sizeof text, "whole");
    send_bytes(&s, FIRST, 0, TCP_ACK, 100, text, 40);
    size_t fat = s.b.memory;
    connection_slim(s.b.connections[0]);
    assert_true(s.b.connections[0]->memory + 400 < fat);
    s.b.memory = s.b.connections[0]->memory;
    send_bytes(&s, FIRST, 0, TCP_ACK, 100, "other bytes than before", 23);
    assert_int_equal(sender_odd(&s, FLOW_TCP_RETRANSMITTED), 1);
    assert_int_equal(sender_odd(&s, FLOW_TCP_CONFLICT), 0);
    send_bytes(&s, FIRST, 0, TCP_ACK, 140, text + 40, n - 40);
    assert_string_equal(s.ids, "whole ");
    send_bytes(&s, FIRST, 0, TCP_ACK, 140, "other bytes", 11);
    assert_int_equal(sender_odd(&s, FLOW_TCP_CONFLICT), 1);
    sender_check(&s.b);
    connection_slim(s.b.connections[0]);
    assert_true(s.b.connections[0]->memory <= 1024);
    s.b.memory = s.b.connections[0]->memory;
    sender_finish(&s);
    assert_int_equal(s.incomplete, 0);
    sender_fini(&s);
}

// --- time ---

static void stream_bin_gives_up_holes_while_only_others_have_packets(void **state)
{
    (void)state;
    enum {
        WAITING = 100
    };
    struct bin_sender s;
    sender_init(&s);
    for (uint32_t i = 0; i < WAITING; i++) {
        const struct bin_peer peer = {.number = 10 + i};
        send_bytes(&s, peer, 0, TCP_SYN, 99, "", 0);
        send_message(&s, peer, 500, "late"); // behind a hole
    }
    send_message(&s, FIRST, 100, "other");
    assert_int_equal(s.messages, 1);
    s.now.time_ns += TCP_HOLE_NS - 10 * MS;
    for (uint32_t i = 0; i < 2 * WAITING; i++) {
        send_bytes(&s, FIRST, 1, TCP_ACK, 100, "", 0);
    }
    assert_int_equal(s.messages, 1); // not yet
    s.now.time_ns += 20 * MS;
    for (uint32_t i = 0; i < WAITING; i++) {
        assert_int_equal(s.messages, 1 + i); // one with each packet
        send_bytes(&s, FIRST, 1, TCP_ACK, 100, "", 0);
        assert_int_equal(s.last.at, s.now.at);
        sender_check(&s.b);
    }
    assert_int_equal(s.messages, 1 + WAITING);
    assert_true(s.b.memory < 1700 * (WAITING + 1));
    assert_null(s.b.waiting);
    assert_int_equal(sender_odd(&s, FLOW_TCP_GAP), WAITING);
    sender_finish(&s);
    sender_fini(&s);
}

// Five messages behind holes.
static void send_five(struct bin_sender *s)
{
    static const char *const IDS[] = {"a", "b", "c", "d", "e"};
    for (uint32_t i = 0; i < 5; i++) {
        const struct bin_peer peer = {.number = i};
        send_bytes(s, peer, 0, TCP_SYN, 99, "", 0);
        s->now = order_of(s->now.time_ns + MS, 10 - i, 5); // later ones are in an earlier file
        send_message(s, peer, 500, IDS[i]);
    }
    s->now.time_ns += MS;
    send_bytes(s, FIRST, 1, TCP_ACK, 7, "", 0);
}

static void stream_bin_at_the_end_gives_what_is_held_in_the_order_of_last_packets(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    send_five(&s);
    sender_finish(&s);
    assert_string_equal(s.ids, "b c d e a ");
    assert_true(s.last.time_ns > TIME_MAX_NS);
    sender_fini(&s);
}

// The batch stays in order (sender_look).
static void stream_bin_at_the_end_comes_behind_what_fragments_gave_at_theirs(void **state)
{
    (void)state;
    struct bin_sender s;
    sender_init(&s);
    send_five(&s);
    s.now = order_at_end(order_of(s.now.time_ns + MS, 20, 9));
    send_message(&s, (struct bin_peer){.number = 9}, 1, "f");
    sender_finish(&s);
    assert_int_equal(s.messages, 6);
    assert_int_equal(s.last.time_ns, s.now.time_ns);
    sender_fini(&s);
}

// --- all at once ---

static void send_anything(struct bin_sender *s, struct random *rng)
{
    static const uint8_t FLAGS[] = {TCP_ACK, TCP_ACK, TCP_ACK, TCP_SYN, TCP_FIN | TCP_ACK, TCP_RST};
    const struct bin_peer peer = {.number = (uint32_t)random_below(rng, 12),
                                  .path_hash = random_below(rng, 2)};
    char text[200];
    size_t n = sender_message(text, sizeof text, "x");
    size_t from = random_below(rng, 2) ? 0 : (size_t)random_below(rng, n);
    size_t some = random_below(rng, 3) ? n - from : (size_t)random_below(rng, n - from + 1);
    uint32_t sequence = (uint32_t)(random_below(rng, 4) * n + from);
    sequence += random_below(rng, 30) == 0 ? (uint32_t)random_u64(rng) : 0;
    s->now.time_ns += (int64_t)random_below(rng, 200) * MS;
    send_bytes(s, peer, (int)random_below(rng, 2), FLAGS[random_below(rng, 6)], sequence,
               text + from, some);
}

static void stream_bin_accounts_for_every_packet_once_whatever_comes(void **state)
{
    (void)state;
    struct random rng;
    random_seeded(&rng, 5);
    for (int round = 0; round < 20; round++) {
        struct bin_sender s;
        sender_init(&s);
        for (int i = 0; i < 600; i++) {
            send_anything(&s, &rng);
            sender_check(&s.b);
        }
        sender_finish(&s);
        assert_true(s.messages > 20);
        sender_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_bin_tells_connections_by_endpoints_protocol_and_path),
        cmocka_unit_test(stream_bin_begins_anew_where_ports_are_used_again),
        cmocka_unit_test(stream_bin_accounts_by_what_a_connection_carries),
        cmocka_unit_test(stream_bin_counts_copies_where_they_are_analysed),
        cmocka_unit_test(stream_bin_accounts_for_every_frame_of_a_fragmented_segment),
        cmocka_unit_test(stream_bin_gives_up_the_connection_that_was_silent_longest),
        cmocka_unit_test(stream_bin_takes_memory_from_those_that_hold_some),
        cmocka_unit_test(stream_bin_holds_its_limit_with_many_that_hold_a_little),
        cmocka_unit_test(stream_bin_counts_the_bookkeeping_of_pieces),
        cmocka_unit_test(stream_bin_gives_up_a_huge_connection_before_others_that_hold_some),
        cmocka_unit_test(stream_bin_connection_made_slim_goes_on),
        cmocka_unit_test(stream_bin_gives_up_holes_while_only_others_have_packets),
        cmocka_unit_test(stream_bin_at_the_end_gives_what_is_held_in_the_order_of_last_packets),
        cmocka_unit_test(stream_bin_at_the_end_comes_behind_what_fragments_gave_at_theirs),
        cmocka_unit_test(stream_bin_accounts_for_every_packet_once_whatever_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
