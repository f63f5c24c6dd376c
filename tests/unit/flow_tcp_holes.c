// Tests of one direction of TCP, rule by rule: holes, and what the capture has cut.
#include "tcp_sender.h"

// --- holes ---

static void hole_that_is_acknowledged_is_given_up_when_late(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_text(0, "ab");
    send_text(4, "ef");
    send_acknowledged(6);
    t.clock_ns = TCP_LATE_NS - 1;
    send_tick();
    send_text(8, "ij"); // another hole, later and not acknowledged
    assert_out("ab");
    t.clock_ns++;
    send_tick();
    assert_out("ab..ef");
    assert_int_equal(tcp_side_held(t.side), 2);
    assert_int_equal(send_text(2, "cd"), TCP_AGAIN); // too late
    t.clock_ns = TCP_LATE_NS - 1 + TCP_HOLE_NS - 1;
    send_tick();
    assert_out("ab..ef");
    t.clock_ns++;
    send_tick();
    assert_out("ab..ef..ij");
    assert_odd(1, 0, 0, 2, 0);
    sender_end();
}

static void segment_in_the_midst_of_a_hole_does_not_make_it_younger(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_text(8, "ij");
    t.clock_ns = TCP_HOLE_NS - 1;
    send_text(4, "ef");
    assert_out("");
    t.clock_ns++;
    send_tick();
    assert_out("....ef..ij");
    assert_odd(0, 0, 0, 2, 0);
    sender_end();
}

static void hole_not_wholly_acknowledged_waits(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_text(4, "ef");
    send_acknowledged(3);
    t.clock_ns = 2 * TCP_LATE_NS;
    send_tick();
    assert_out("");
    send_acknowledged(4);
    assert_out("....ef");
    sender_end();
}

static void acknowledgement_with_nothing_behind_counts_from_its_time(void **state)
{
    (void)state;
    sender_begin(0xfffffffeu);
    send_syn();
    send_text(0, "ab");
    send_acknowledged(2);
    send_acknowledged(5);
    t.clock_ns = TCP_LATE_NS;
    send_tick();
    send_acknowledged(5); // again: that does not make it younger
    assert_int_equal(t.calls, 1);
    send_text(5, "fg");
    assert_out("ab...fg"); // at once
    send_acknowledged(9);
    t.clock_ns += TCP_LATE_NS - 1;
    send_text(9, "jk");
    assert_int_equal(tcp_side_held(t.side), 2);
    t.clock_ns++;
    send_tick();
    assert_out("ab...fg..jk");
    assert_odd(0, 0, 0, 2, 0);
    sender_end();
}

static void acknowledgement_captured_before_its_bytes_loses_nothing(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_acknowledged(2);
    send_text(0, "ab");
    t.clock_ns = 10 * TCP_LATE_NS;
    send_acknowledged(4);
    send_text(2, "cd");
    send_text(5, "fg"); // the acknowledgements before say nothing of this hole
    t.clock_ns += TCP_LATE_NS;
    send_tick();
    assert_out("abcd");
    sender_end();
}

static void hole_behind_which_too_much_waits_is_given_up(void **state)
{
    (void)state;
    static uint8_t block[4096];
    sender_begin(0);
    send_syn();
    for (uint32_t at = 1; at <= TCP_HELD_MAX - 4096 + 1; at += 4096) {
        send_cut(at, TCP_ACK, block, 4096, 4096);
    }
    assert_int_equal(t.n, 0);
    assert_int_equal(tcp_side_held(t.side), TCP_HELD_MAX);
    tcp_side_free(t.side);
    sender_begin(0);
    send_syn();
    for (uint32_t i = 0; i < 2048; i++) { // pieces of one byte, a hole before each
        send_text(1 + 2 * i, "x");
    }
    assert_int_equal(t.n, 0);
    send_text(1 + 2 * 2048, "x");
    assert_int_equal(t.n, 2);
    assert_int_equal(tcp_side_held(t.side), 2048);
    send_finish();
    assert_int_equal(t.odd[FLOW_TCP_GAP], 2049);
    sender_end();
}

static void hole_behind_which_a_byte_too_much_waits_is_given_up(void **state)
{
    (void)state;
    static uint8_t block[65536];
    sender_begin(0);
    send_syn();
    for (uint32_t i = 0; i < TCP_HELD_MAX / 65536; i++) {
        send_cut(1 + 65536 * (int64_t)i, TCP_ACK, block, 65536, 65536);
    }
    assert_int_equal(t.calls, 0);
    send_text(1 + TCP_HELD_MAX, "x");
    assert_int_equal(t.odd[FLOW_TCP_GAP], 1);
    assert_int_equal(tcp_side_held(t.side), 0);
    sender_end();
}

static void finish_hands_on_all_that_waits(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_text(2, "cd");
    send_text(7, "hi");
    send_finish();
    assert_out("..cd...hi");
    assert_odd(0, 0, 0, 2, 0);
    sender_end();
}

// --- cut by the capture ---

static void tail_cut_by_the_capture_is_a_gap_at_once(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    assert_int_equal(send_cut(0, TCP_ACK, "ab", 2, 4), TCP_NEWS);
    assert_out("ab..");
    assert_int_equal(send_cut(4, TCP_ACK, "", 0, 3), TCP_NEWS); // no hole of its own
    assert_int_equal(send_cut(7, TCP_ACK, "hi", 2, 2), TCP_NEWS);
    assert_out("ab.....hi");
    assert_int_equal(send_text(0, "abcd"), TCP_AGAIN);
    assert_odd(1, 0, 0, 1, 0);
    sender_end();
}

static void tail_cut_by_the_capture_and_sent_again_in_time_is_whole(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_cut(2, TCP_ACK, "cd", 2, 10);
    send_text(6, "gh"); // in the middle of the missing ones
    assert_int_equal(send_cut(2, TCP_ACK, "c", 1, 10), TCP_AGAIN);
    send_text(0, "ab");
    assert_out("abcd..gh....");
    assert_odd(1, 1, 0, 2, 0);
    sender_end();
}

static void headers_alone_behind_a_hole_that_is_filled_leave_nothing(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_cut(2, TCP_ACK, "", 0, 2);
    send_text(0, "abcd");
    assert_out("abcd");
    send_text(4, "e");
    assert_out("abcde");
    assert_false(t.is_copied);
    sender_end();
}

static void length_that_lies_is_no_gap(void **state)
{
    (void)state;
    sender_begin(0);
    t.starts_well = true;
    assert_int_equal(send_cut(0, TCP_ACK, "ab", 2, UINT32_MAX), TCP_NEWS);
    assert_int_equal(send_cut(2, TCP_ACK, "", 0, UINT32_MAX), TCP_NO_BYTES);
    assert_int_equal(send_cut(2, TCP_ACK, "cd", 2, 1), TCP_NEWS);
    assert_out("abc");
    sender_end();
    sender_begin(0);
    assert_int_equal(send_cut(0, TCP_ACK, "", 0, UINT32_MAX), TCP_NO_BYTES);
    assert_false(tcp_side_has_begun(t.side));
    sender_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hole_that_is_acknowledged_is_given_up_when_late),
        cmocka_unit_test(segment_in_the_midst_of_a_hole_does_not_make_it_younger),
        cmocka_unit_test(hole_not_wholly_acknowledged_waits),
        cmocka_unit_test(acknowledgement_with_nothing_behind_counts_from_its_time),
        cmocka_unit_test(acknowledgement_captured_before_its_bytes_loses_nothing),
        cmocka_unit_test(hole_behind_which_too_much_waits_is_given_up),
        cmocka_unit_test(hole_behind_which_a_byte_too_much_waits_is_given_up),
        cmocka_unit_test(finish_hands_on_all_that_waits),
        cmocka_unit_test(tail_cut_by_the_capture_is_a_gap_at_once),
        cmocka_unit_test(tail_cut_by_the_capture_and_sent_again_in_time_is_whole),
        cmocka_unit_test(headers_alone_behind_a_hole_that_is_filled_leave_nothing),
        cmocka_unit_test(length_that_lies_is_no_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
