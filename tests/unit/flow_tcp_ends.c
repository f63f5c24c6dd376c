// Tests of one direction of TCP, rule by rule: its beginning, its end, and numbers far away.
#include "tcp_sender.h"

// --- beginning without SYN ---

static void stream_without_syn_that_starts_well_flows_at_once(void **state)
{
    (void)state;
    sender_begin(0);
    assert_int_equal(send_flags(0, TCP_ACK), TCP_NO_BYTES);
    assert_false(tcp_side_has_begun(t.side));
    t.starts_well = true;
    send_text(0, "ab");
    t.starts_well = false;
    send_text(2, "cd");
    assert_out("abcd");
    assert_int_equal(send_text(-3, "xyz"), TCP_AGAIN); // before what was delivered
    assert_false(t.is_copied);
    assert_odd(0, 0, 0, 0, 1);
    assert_int_equal(t.unknown_gaps, 0);
    sender_end();
}

static void stream_without_syn_waits_for_earlier_bytes(void **state)
{
    (void)state;
    sender_begin(3);
    send_text(4, "ef");
    send_text(6, "gh");
    send_text(2, "cd");
    send_text(-4, "wx"); // over the wrap
    assert_out("");
    send_acknowledged(8);
    t.clock_ns = TCP_LATE_NS;
    send_tick();
    assert_out("wx....cdefgh");
    assert_int_equal(t.unknown_gaps, 1);
    assert_odd(0, 1, 0, 1, 1);
    send_text(8, "ij");
    assert_int_equal(t.n, 14);
    sender_end();
}

static void stream_without_syn_takes_nothing_from_far_before(void **state)
{
    (void)state;
    sender_begin(1u << 24);
    send_text(0, "ab");
    send_text(-(1 << 20), "x");
    send_text(-(1 << 20) - 2, "yz");
    assert_int_equal(tcp_side_held(t.side), 3);
    t.clock_ns = TCP_HOLE_NS;
    send_tick();
    assert_int_equal(t.odd[FLOW_TCP_GAP], 1);
    assert_int_equal(t.n, SENDER_MOST);
    assert_int_equal(t.bytes[0], 'x');
    sender_end();
}

static void probe_begins_nothing(void **state)
{
    (void)state;
    sender_begin(0);
    assert_int_equal(send_text(-1, "x"), TCP_NO_BYTES);
    assert_false(tcp_side_has_begun(t.side));
    t.starts_well = true;
    send_text(0, "ab");
    assert_out("ab");
    sender_end();
}

static void syn_behind_its_bytes_makes_the_start_known(void **state)
{
    (void)state;
    sender_begin(0);
    send_text(2, "cd");
    assert_int_equal(send_syn(), TCP_NEWS);
    assert_out("");
    assert_int_equal(send_syn(), TCP_AGAIN);
    send_text(0, "ab");
    assert_out("abcd");
    sender_end();

    sender_begin(0);
    send_text(0, "ab");
    send_syn();
    assert_out("ab");
    assert_int_equal(t.odd[FLOW_TCP_REORDERED], 1);
    assert_int_equal(t.unknown_gaps, 0);
    sender_end();

    sender_begin(0);
    t.starts_well = true;
    send_text(0, "ab");
    assert_int_equal(send_flags(1, TCP_SYN), TCP_OTHER); // behind them
    assert_int_equal(send_flags(-(1 << 20) - 2, TCP_SYN), TCP_OTHER);
    assert_int_equal(send_syn(), TCP_NEWS);
    assert_int_equal(send_text(2, "cd"), TCP_NEWS);
    assert_out("abcd");
    sender_end();
}

// --- SYN, FIN, RST ---

static void syn_with_bytes_takes_a_number_before_them(void **state)
{
    (void)state;
    sender_begin(0);
    assert_int_equal(send_cut(-1, TCP_SYN, "ab", 2, 2), TCP_NEWS);
    assert_int_equal(send_text(0, "ab"), TCP_AGAIN); // the other side has not taken them
    send_text(2, "cd");
    assert_out("abcd");
    sender_end();
}

static void syn_with_another_number_belongs_to_another_connection(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    assert_int_equal(send_flags(-1, TCP_SYN), TCP_AGAIN);
    assert_int_equal(send_flags(-1, TCP_SYN | TCP_ACK), TCP_AGAIN);
    assert_int_equal(send_flags(0, TCP_SYN), TCP_OTHER);
    send_text(0, "ab");
    assert_int_equal(send_flags(999, TCP_SYN | TCP_ACK), TCP_OTHER);
    assert_int_equal(send_flags(-1, TCP_SYN), TCP_AGAIN);
    assert_odd(3, 0, 0, 0, 0);
    assert_out("ab");
    sender_end();
}

static void fin_takes_a_number_behind_its_bytes(void **state)
{
    (void)state;
    sender_begin(0xfffffffeu);
    send_syn();
    assert_int_equal(send_cut(0, TCP_FIN | TCP_ACK, "abc", 3, 3), TCP_NEWS);
    assert_true(tcp_side_is_over(t.side));
    assert_out("abc");
    assert_int_equal(send_cut(0, TCP_FIN | TCP_ACK, "abc", 3, 3), TCP_AGAIN);
    assert_int_equal(send_flags(3, TCP_FIN), TCP_AGAIN);
    assert_int_equal(send_flags(4, TCP_ACK), TCP_NO_BYTES);
    assert_int_equal(send_text(1, "bc"), TCP_AGAIN);
    assert_int_equal(send_text(3, "de"), TCP_OTHER);
    assert_int_equal(send_text(4, "de"), TCP_OTHER);
    assert_int_equal(send_flags(1000, TCP_SYN), TCP_OTHER);
    assert_odd(3, 0, 0, 0, 0);
    sender_end();
}

static void fin_before_its_bytes_waits_for_them(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    assert_int_equal(send_flags(4, TCP_FIN), TCP_NEWS);
    assert_int_equal(send_text(2, "cdXY"), TCP_NEWS); // nothing comes behind the end
    assert_false(tcp_side_is_over(t.side));
    assert_int_equal(send_flags(4, TCP_FIN), TCP_AGAIN);
    assert_int_equal(send_flags(3, TCP_FIN), TCP_NO_BYTES); // another end
    assert_int_equal(send_text(0, "ab"), TCP_NEWS);
    assert_true(tcp_side_is_over(t.side));
    assert_out("abcd");
    assert_odd(1, 2, 0, 0, 0);
    sender_end();
}

static void single_byte_before_a_fin_that_came_first_is_no_probe(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_flags(3, TCP_FIN);
    send_text(0, "ab");
    assert_int_equal(send_text(2, "c"), TCP_NEWS);
    assert_out("abc");
    assert_true(tcp_side_is_over(t.side));
    sender_end();
}

static void hole_before_fin_is_given_up_as_any(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_text(0, "ab");
    send_flags(5, TCP_FIN);
    send_acknowledged(6);
    assert_false(tcp_side_is_over(t.side));
    t.clock_ns = TCP_LATE_NS;
    send_tick();
    assert_true(tcp_side_is_over(t.side));
    assert_out("ab...");
    sender_end();
    sender_begin(0); // FIN is all that was captured
    assert_int_equal(send_flags(5, TCP_FIN), TCP_NEWS);
    assert_false(tcp_side_is_over(t.side));
    send_finish();
    assert_true(tcp_side_is_over(t.side));
    assert_int_equal(t.calls, 0);
    assert_odd(0, 0, 0, 0, 0);
    sender_end();
}

static void rst_ends_at_once_and_its_bytes_are_none(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_text(0, "ab");
    send_text(4, "ef");
    assert_int_equal(send_cut(8, TCP_RST, "why", 3, 3), TCP_NO_BYTES);
    assert_true(tcp_side_is_over(t.side));
    assert_int_equal(send_text(8, "ij"), TCP_OTHER);
    assert_int_equal(send_text(2, "cd"), TCP_NEWS); // sent before
    assert_out("abcdef");
    sender_end();
    sender_begin(0); // refused
    assert_int_equal(send_flags(0, TCP_RST), TCP_NO_BYTES);
    assert_true(tcp_side_is_over(t.side));
    assert_int_equal(send_flags(0, TCP_ACK), TCP_NO_BYTES);
    assert_int_equal(send_flags(0, TCP_SYN | TCP_ACK), TCP_OTHER);
    sender_end();
}

static void rst_with_a_number_far_outside_is_ignored(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    assert_int_equal(send_flags((1 << 24) + 1, TCP_RST), TCP_NO_BYTES);
    assert_int_equal(send_flags(-(1 << 24) - 1, TCP_RST), TCP_NO_BYTES);
    assert_false(tcp_side_is_over(t.side));
    send_flags(1 << 24, TCP_RST);
    assert_true(tcp_side_is_over(t.side));
    sender_end();
}

// --- numbers far away ---

static void numbers_beyond_a_gib_belong_to_another_connection(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    assert_int_equal(send_text((1 << 30) + 1, "ab"), TCP_OTHER);
    assert_int_equal(send_text(-(1 << 30) - 1, "ab"), TCP_OTHER);
    assert_int_equal(send_text(-(1 << 30), "ab"), TCP_AGAIN);
    assert_int_equal(send_text(1 << 30, "ab"), TCP_NEWS);
    assert_int_equal(tcp_side_held(t.side), 2);
    assert_int_equal(send_flags((1 << 30) + 1, TCP_ACK), TCP_NO_BYTES);
    sender_end();
}

static void injected_bytes_far_ahead_are_dropped_where_the_stream_goes_on(void **state)
{
    (void)state;
    static uint8_t block[65536];
    sender_begin(0);
    send_syn();
    assert_int_equal(send_text(1 << 25, "evil"), TCP_NEWS);
    assert_int_equal(send_cut(1 << 26, TCP_ACK, block, 65536, 65536), TCP_NEWS); // too much
    assert_int_equal(tcp_side_held(t.side), 4);
    send_text(0, "ab");
    send_text(4, "ef"); // takes the ordinary rules
    send_text(2, "cd");
    assert_out("abcdef");
    t.clock_ns = TCP_HOLE_NS;
    send_tick();
    assert_int_equal(tcp_side_held(t.side), 0);
    send_text(6, "gh");
    assert_out("abcdefgh");
    send_text(1 << 25, "evil");
    assert_int_equal(send_flags(8, TCP_FIN), TCP_NEWS); // they do not hide the end
    assert_true(tcp_side_is_over(t.side));
    assert_odd(0, 1, 0, 0, 0);
    sender_end();
}

static void bytes_far_ahead_go_on_after_a_hole_of_the_capture(void **state)
{
    (void)state;
    sender_begin(0);
    send_syn();
    send_text(0, "ab");
    send_text((1 << 24) + 3, "xy");
    t.clock_ns = TCP_HOLE_NS - 1;
    send_tick();
    assert_int_equal(t.n, 2);
    t.clock_ns++;
    send_tick();
    assert_int_equal(t.odd[FLOW_TCP_GAP], 1);
    assert_int_equal(tcp_side_held(t.side), 0);
    sender_end();
    sender_begin(0); // or because the other side has them
    send_syn();
    send_text((1 << 24) + 1, "xy");
    send_acknowledged((1 << 24) + 3);
    t.clock_ns = TCP_LATE_NS;
    send_tick();
    assert_int_equal(t.odd[FLOW_TCP_GAP], 1);
    sender_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_without_syn_that_starts_well_flows_at_once),
        cmocka_unit_test(stream_without_syn_waits_for_earlier_bytes),
        cmocka_unit_test(stream_without_syn_takes_nothing_from_far_before),
        cmocka_unit_test(probe_begins_nothing),
        cmocka_unit_test(syn_behind_its_bytes_makes_the_start_known),
        cmocka_unit_test(syn_with_bytes_takes_a_number_before_them),
        cmocka_unit_test(syn_with_another_number_belongs_to_another_connection),
        cmocka_unit_test(fin_takes_a_number_behind_its_bytes),
        cmocka_unit_test(fin_before_its_bytes_waits_for_them),
        cmocka_unit_test(single_byte_before_a_fin_that_came_first_is_no_probe),
        cmocka_unit_test(hole_before_fin_is_given_up_as_any),
        cmocka_unit_test(rst_ends_at_once_and_its_bytes_are_none),
        cmocka_unit_test(rst_with_a_number_far_outside_is_ignored),
        cmocka_unit_test(numbers_beyond_a_gib_belong_to_another_connection),
        cmocka_unit_test(injected_bytes_far_ahead_are_dropped_where_the_stream_goes_on),
        cmocka_unit_test(bytes_far_ahead_go_on_after_a_hole_of_the_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
