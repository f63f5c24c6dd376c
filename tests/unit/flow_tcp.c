// Tests of one direction of TCP, rule by rule: reading, order, what is sent again.
#include "flow/tcp_recent.h"
#include "guard.h"
#include "tcp_sender.h"

// --- reading ---

static void segment_read_takes_header_and_refuses_short_ones(void **state)
{
    (void)state;
    static const uint8_t HEADER[24] = {0x13, 0xc4, 0x13, 0xc5, 1,    2,    3, 4, 5, 6, 7, 8,
                                       0x60, 0xff, 0,    0,    0xab, 0xcd, 0, 0, 1, 1, 1, 1};
    uint8_t *header = guard_copy(HEADER, sizeof HEADER);
    struct tcp_segment s = {.frame = 7};
    assert_true(tcp_segment_read(&s, header, header + 24, 0, 9));
    assert_int_equal(s.sequence, 0x01020304);
    assert_int_equal(s.acknowledgement, 0x05060708);
    assert_int_equal(s.flags, TCP_FIN | TCP_SYN | TCP_RST | TCP_ACK);
    assert_ptr_equal(s.bytes, header + 24);
    assert_int_equal(s.n, 0);
    assert_int_equal(s.length, 9);
    assert_int_equal(s.frame, 7);
    assert_true(tcp_segment_read(&s, header + 4, header + 24, 0, 0));
    assert_false(tcp_segment_read(&s, header + 5, header + 24, 0, 0));
    guard_free(header, sizeof HEADER);
}

// --- order ---

static void segments_in_order_are_borrowed_and_nothing_is_held(void **state)
{
    (void)state;
    sender_begin(0xfffffffcu);
    assert_false(tcp_side_has_begun(t.side));
    assert_int_equal(send_syn(), TCP_NEWS);
    assert_true(tcp_side_has_begun(t.side));
    assert_int_equal(send_text(0, "abcdef"), TCP_NEWS); // over the wrap
    assert_int_equal(send_flags(6, TCP_ACK), TCP_NO_BYTES);
    assert_int_equal(send_text(6, "gh"), TCP_NEWS);
    assert_false(t.is_copied);
    assert_int_equal(tcp_side_held(t.side), 0);
    assert_out("abcdefgh");
    assert_int_equal(t.frame_of[5], 2);
    assert_int_equal(t.frame_of[6], 4);
    assert_odd(0, 0, 0, 0, 0);
    sender_end();
}

static void segments_swapped_are_held_and_counted_once(void **state)
{
    (void)state;
    sender_begin(100);
    send_syn();
    send_text(0, "ab");
    assert_int_equal(send_text(4, "ef"), TCP_NEWS);
    assert_int_equal(send_text(6, "gh"), TCP_NEWS); // in order behind that one
    assert_int_equal(tcp_side_held(t.side), 4);
    assert_out("ab");
    assert_int_equal(send_text(2, "cd"), TCP_NEWS);
    assert_int_equal(tcp_side_held(t.side), 0);
    assert_out("abcdefgh");
    assert_odd(0, 1, 0, 0, 0);
    sender_end();
}

static void segment_that_overlaps_brings_only_what_is_new(void **state)
{
    (void)state;
    sender_begin(100);
    send_syn();
    send_text(0, "abc");
    assert_int_equal(send_text(2, "cde"), TCP_NEWS);
    send_text(7, "hi");
    send_text(11, "lm");
    assert_int_equal(send_text(4, "efghijklmn"), TCP_NEWS); // over both holes and pieces
    assert_out("abcdefghijklmn");
    static const uint32_t FRAMES[] = {2, 2, 2, 3, 3, 6, 6, 4, 4, 6, 6, 5, 5, 6};
    assert_memory_equal(t.frame_of, FRAMES, sizeof FRAMES);
    assert_odd(0, 2, 0, 0, 0);
    sender_end();
}

static void segment_over_a_piece_without_hole_behind_compares_all_of_it(void **state)
{
    (void)state;
    sender_begin(100);
    send_syn();
    send_text(3, "de");
    send_text(5, "fg");
    send_text(0, "abcdefX"); // the last byte differs from the second piece
    assert_out("abcdefg");
    assert_odd(0, 1, 1, 0, 0);
    sender_end();
}

// --- sent again ---

static void bytes_sent_again_that_differ_lose_to_the_first(void **state)
{
    (void)state;
    sender_begin(100);
    send_syn();
    send_text(0, "abcd");
    assert_int_equal(send_text(0, "abcd"), TCP_AGAIN);
    assert_odd(1, 0, 0, 0, 0);
    assert_int_equal(send_text(0, "abXY"), TCP_AGAIN);
    assert_odd(2, 0, 1, 0, 0);
    assert_int_equal(send_text(2, "cdef"), TCP_NEWS); // overlap of equal bytes
    assert_odd(2, 0, 1, 0, 0);
    assert_int_equal(send_text(4, "eXgh"), TCP_NEWS); // and of others
    assert_odd(2, 0, 2, 0, 0);
    send_text(10, "kl");
    assert_int_equal(send_text(10, "kX"), TCP_AGAIN); // held
    assert_odd(3, 0, 3, 0, 0);
    assert_out("abcdefgh");
    sender_end();
}

static void bytes_delivered_long_ago_are_not_compared(void **state)
{
    (void)state;
    static uint8_t block[3000];
    sender_begin(100);
    send_syn();
    send_cut(0, TCP_ACK, block, 3000, 3000);
    block[951] = 1; // not remembered any more
    assert_int_equal(send_cut(0, TCP_ACK, block, 1500, 1500), TCP_AGAIN);
    assert_odd(1, 0, 0, 0, 0);
    block[952] = 1;
    send_cut(0, TCP_ACK, block, 1500, 1500);
    assert_odd(2, 0, 1, 0, 0);
    block[951] = block[952] = 0;
    sender_end();
}

static void probes_are_no_retransmissions(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    assert_int_equal(send_text(-1, "\1"), TCP_NO_BYTES);
    send_text(0, "abcd");
    assert_int_equal(send_text(3, "d"), TCP_NO_BYTES);
    assert_int_equal(send_cut(3, TCP_ACK, "", 1, 1), TCP_NO_BYTES); // garbage
    assert_int_equal(send_flags(3, TCP_ACK), TCP_NO_BYTES);
    send_text(6, "gh");
    assert_int_equal(send_text(7, "X"), TCP_NO_BYTES);
    assert_int_equal(send_text(3, "X"), TCP_NO_BYTES);
    send_text(4, "ef");
    send_flags(8, TCP_FIN);
    assert_int_equal(send_text(8, "X"), TCP_NO_BYTES); // behind FIN, which took a number
    assert_out("abcdefgh");
    assert_odd(0, 1, 0, 0, 0);
    sender_end();
}

static void copies_made_by_the_capture_are_told_by_their_frame(void **state)
{
    (void)state;
    sender_begin(0);
    struct tcp_segment syn = sender_segment(-1, TCP_SYN, NULL, 0, 0);
    struct tcp_segment data = sender_segment(0, TCP_ACK, (const uint8_t *)"abc", 3, 3);
    struct tcp_segment ack = sender_segment(3, TCP_ACK, NULL, 0, 0);
    assert_int_equal(sender_pass(&syn), TCP_NEWS);
    assert_int_equal(sender_pass(&syn), TCP_COPY);
    assert_int_equal(sender_pass(&data), TCP_NEWS);
    assert_int_equal(sender_pass(&ack), TCP_NO_BYTES);
    assert_int_equal(sender_pass(&ack), TCP_COPY);
    data.bytes = (const uint8_t *)"abX"; // whatever it says
    assert_int_equal(sender_pass(&data), TCP_COPY);
    data.from.time_ns = 50 * MS;
    assert_int_equal(sender_pass(&data), TCP_COPY);
    data.from.time_ns = 50 * MS + 1;
    assert_int_equal(sender_pass(&data), TCP_AGAIN);
    struct tcp_segment other = sender_segment(0, TCP_ACK, (const uint8_t *)"abc", 3, 3);
    assert_int_equal(sender_pass(&other), TCP_AGAIN); // another frame
    assert_out("abc");
    assert_odd(2, 0, 1, 0, 0);
    sender_end();
}

static void copies_are_told_among_the_last_eight(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    struct tcp_segment data = sender_segment(0, TCP_ACK, (const uint8_t *)"abc", 3, 3);
    sender_pass(&data);
    for (int i = 0; i < 7; i++) {
        send_flags(3, TCP_ACK);
    }
    assert_int_equal(sender_pass(&data), TCP_COPY); // a copy takes no place
    send_flags(3, TCP_ACK);
    assert_int_equal(sender_pass(&data), TCP_AGAIN);
    sender_end();
}

// The window grows with what is delivered, and keeps what it had.
static void tcp_conflicts_are_told_while_the_window_grows(void **state)
{
    (void)state;
    static uint8_t bytes[6000];
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    }
    static const uint32_t STEPS[] = {2, 100, 155, 37, 300, 1000, 1460};
    for (uint32_t turn = 0; turn < 7; turn++) {
        sender_begin(UINT32_MAX - 500);
        send_syn();
        for (uint32_t at = 0, n, k = turn; at + 1460 < sizeof bytes; at += n, k++) {
            n = STEPS[k % 7];
            send_cut(at, TCP_ACK, bytes + at, n, n);
            uint32_t end = at + n;
            uint32_t from = end > TCP_WINDOW ? end - TCP_WINDOW : 0;
            uint64_t conflicts = t.odd[FLOW_TCP_CONFLICT];
            send_cut(from, TCP_ACK, bytes + from, end - from, end - from);
            assert_int_equal(t.odd[FLOW_TCP_CONFLICT], conflicts);
            bytes[from] ^= 1; // the oldest byte that is remembered
            send_cut(from, TCP_ACK, bytes + from, end - from, end - from);
            bytes[from] ^= 1;
            assert_int_equal(t.odd[FLOW_TCP_CONFLICT], conflicts + 1);
            assert_true(tcp_side_memory(t.side) <= 400 + (end <= 256 ? 256 : 2 * end));
        }
        assert_true(tcp_side_memory(t.side) <= 400 + TCP_WINDOW);
        tcp_side_slim(t.side);
        assert_true(tcp_side_memory(t.side) <= 100);
        sender_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segment_read_takes_header_and_refuses_short_ones),
        cmocka_unit_test(segments_in_order_are_borrowed_and_nothing_is_held),
        cmocka_unit_test(segments_swapped_are_held_and_counted_once),
        cmocka_unit_test(segment_that_overlaps_brings_only_what_is_new),
        cmocka_unit_test(segment_over_a_piece_without_hole_behind_compares_all_of_it),
        cmocka_unit_test(bytes_sent_again_that_differ_lose_to_the_first),
        cmocka_unit_test(bytes_delivered_long_ago_are_not_compared),
        cmocka_unit_test(probes_are_no_retransmissions),
        cmocka_unit_test(copies_made_by_the_capture_are_told_by_their_frame),
        cmocka_unit_test(copies_are_told_among_the_last_eight),
        cmocka_unit_test(tcp_conflicts_are_told_while_the_window_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
