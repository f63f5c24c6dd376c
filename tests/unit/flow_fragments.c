// Tests of reassembly: the rules of each family. Time, copies and keys are in
// flow_fragments_time.c; orders, sizes and memory in flow_fragments_many.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fragments_sender.h"
#include "guard.h"

static struct sender s;

static int set_up(void **state)
{
    (void)state;
    sender_init(&s);
    return 0;
}

static int set_up_v6(void **state)
{
    set_up(state);
    sender_family(&s, true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sender_end(&s);
    return 0;
}

// --- IPv4 ---

static void datagram_in_two_fragments_has_its_bytes_frames_and_head(void **state)
{
    (void)state;
    s.next.ttl = 63;
    s.next.fragment_id = 7;
    assert_int_equal(send_text(&s, 0, "INVITE s", true), FRAGMENT_KEPT);
    s.next.ttl = 64;
    s.next.order.time_ns++;
    assert_int_equal(send_text(&s, 8, "ip:a", false), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "INVITE sip:a", 2));
    assert_int_equal(s.out.length, 12);
    assert_true(s.out.is_whole && !s.out.is_dropped);
    assert_null(s.out.path);
    assert_int_equal(s.out.head.ttl, 63);
    assert_int_equal(s.out.head.fragment_id, 7);
    assert_int_equal(s.out.packets[0].at, 1);
    assert_int_equal(s.out.packets[1].at, 2);
    assert_int_equal(s.out.packets[1].time_ns, SECOND_NS + 1);
    assert_int_equal(sender_odd_total(&s), 0);
    assert_int_equal(give_up_all(&s), 0);
}

static void copy_of_an_open_v4_fragment_is_listed_and_no_oddity(void **state)
{
    (void)state;
    send_text(&s, 0, "aaaaaaaa", true);
    assert_int_equal(send_text(&s, 0, "aaaaaaaa", true), FRAGMENT_KEPT);
    assert_int_equal(send_text(&s, 8, "b", false), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "aaaaaaaab", 3));
    assert_int_equal(sender_odd_total(&s), 0);
}

static void overlap_v4_with_equal_bytes_is_no_conflict(void **state)
{
    (void)state;
    send_text(&s, 0, "0123456789abcdef", true);
    assert_int_equal(send_text(&s, 8, "89abcdefgh", false), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "0123456789abcdefgh", 2));
    assert_int_equal(sender_odd_total(&s), 0);
}

static void conflict_v4_keeps_the_first_bytes_and_counts_once(void **state)
{
    (void)state;
    send_text(&s, 8, "BBBBBBBB", true);
    send_text(&s, 0, "aaaaaaaabbbbbbbb", true);
    send_text(&s, 0, "xxxxxxxxxxxxxxxxcccccccc", true);
    assert_int_equal(s.odd[FLOW_FRAGMENT_CONFLICT], 1);
    assert_int_equal(send_text(&s, 16, "CCCCCCCCdd", false), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "aaaaaaaaBBBBBBBBccccccccdd", 4));
    assert_int_equal(s.odd[FLOW_FRAGMENT_CONFLICT], 1);
    s.next.fragment_id++;
    send_text(&s, 0, "aaaaaaaa", true);
    send_text(&s, 0, "aaaaaaaX", true);
    assert_int_equal(s.odd[FLOW_FRAGMENT_CONFLICT], 2);
}

static void second_end_v4_is_a_conflict_and_the_first_one_counts(void **state)
{
    (void)state;
    send_text(&s, 16, "cc", false);
    send_text(&s, 16, "cccccccccccc", false);
    assert_int_equal(s.odd[FLOW_FRAGMENT_CONFLICT], 1);
    send_text(&s, 8, "b", false);
    send_text(&s, 24, "beyond", true);
    send_text(&s, 0, "aaaaaaaa", true);
    assert_int_equal(send_text(&s, 8, "bbbbbbbb", true), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "aaaaaaaabbbbbbbbcc", 6));
    assert_int_equal(s.odd[FLOW_FRAGMENT_CONFLICT], 1);
}

static void end_v4_before_bytes_that_came_is_a_conflict_and_cuts_them(void **state)
{
    (void)state;
    send_text(&s, 16, "cccccccc", true);
    send_text(&s, 0, "aaaaaaaabbbbbbbb", true);
    assert_int_equal(s.odd[FLOW_FRAGMENT_CONFLICT], 0);
    assert_int_equal(send_text(&s, 8, "bb", false), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "aaaaaaaabb", 3));
    assert_int_equal(s.out.length, 10);
    assert_int_equal(s.odd[FLOW_FRAGMENT_CONFLICT], 1);
}

static void fragment_v4_of_no_multiple_of_eight_keeps_all_its_bytes(void **state)
{
    (void)state;
    send_text(&s, 0, "0123456789a", true);
    assert_int_equal(send_text(&s, 8, "89abcdef", true), FRAGMENT_KEPT);
    assert_int_equal(send_text(&s, 16, "g", false), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "0123456789abcdefg", 3));
    assert_int_equal(sender_odd_total(&s), 0);
    s.next.fragment_id++;
    send_text(&s, 0, "0123456789a", true);
    assert_int_equal(send_text(&s, 16, "g", false), FRAGMENT_KEPT);
    assert_true(give_up(&s, INT64_MAX));
    assert_true(out_is(&s, "0123456789a", 2));
    assert_int_equal(s.out.length, 17);
}

// --- IPv6 ---

static void copy_of_an_open_v6_fragment_drops_nothing(void **state)
{
    (void)state;
    send_text(&s, 8, "bbbbbbbb", true);
    send_text(&s, 16, "c", false);
    send_text(&s, 16, "c", false);
    send_text(&s, 8, "bbbbbbbb", true);
    assert_int_equal(send_text(&s, 0, "aaaaaaaa", true), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "aaaaaaaabbbbbbbbc", 5));
    assert_int_equal(sender_odd_total(&s), 0);
}

struct overlap_case {
    uint32_t offset;
    const char *text;
    bool more;
};

// After "aaaaaaaa" at 0, "bbbbbbbb" at 8, nothing at 16, "d..." at 24 to 32, where `is_ended` the
// last one.
static void check_overlap(struct overlap_case c, bool is_ended)
{
    memset(s.odd, 0, sizeof s.odd);
    s.next.fragment_id++;
    send_text(&s, 24, "dddddddd", !is_ended);
    send_text(&s, 8, "bbbbbbbb", true);
    send_text(&s, 0, "aaaaaaaa", true);
    assert_int_equal(send_text(&s, c.offset, c.text, c.more), FRAGMENT_KEPT);
    assert_int_equal(s.odd[FLOW_FRAGMENT_OVERLAP_V6], 1);
    assert_int_equal(send_text(&s, 16, "cccccccc", true), FRAGMENT_KEPT);
    assert_int_equal(send_text(&s, 32, "", false), FRAGMENT_DROPPED);
    assert_true(give_up(&s, INT64_MAX));
    assert_true(s.out.is_dropped && !s.out.is_whole);
    assert_int_equal(s.out.n, 0);
    assert_int_equal(s.out.packet_count, 5);
    assert_int_equal(sender_odd_total(&s), 1);
}

static void overlap_v6_drops_the_datagram_and_all_later_fragments(void **state)
{
    (void)state;
    static const struct overlap_case CASES[] = {
        {0, "aaaaaaaX", true},                          // other bytes
        {0, "aaaaaaaabbbbbbbb", true},                  // two at once
        {8, "bbbbbbbbcccccccc", true},                  // one and a gap
        {16, "ccccccccdddddddd", true},                 // a gap and one
        {0, "aaaaaaaabbbbbbbbccccccccdddddddd", false}, // all
        {0, "aaaaaaaa", false},                         // an end within
        {8, "bbbbbbb", false},
        {16, "cccccccc", false}, // an end in a gap, but before bytes that came
    };
    static const struct overlap_case ENDED[] = {
        {24, "dddddddd", true},          // the last one as another kind
        {24, "ddddddddeeeeeeee", false}, // a second end
        {32, "eeeeeeee", true},          // beyond the end
        {16, "ccccc", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        check_overlap(CASES[i], false);
        check_overlap(CASES[i], true);
    }
    for (size_t i = 0; i < sizeof ENDED / sizeof *ENDED; i++) {
        check_overlap(ENDED[i], true);
    }
}

static void overlap_v6_inside_a_longer_fragment_is_seen(void **state)
{
    (void)state;
    send_text(&s, 0, "aaaaaaaabbbbbbbb", true);
    send_text(&s, 8, "bbbbbbbb", true);
    assert_int_equal(s.odd[FLOW_FRAGMENT_OVERLAP_V6], 1);
    s.next.fragment_id++;
    send_text(&s, 0, "aaaaaaaabbbbbbbb", true);
    send_text(&s, 0, "aaaaaaaa", true);
    assert_int_equal(s.odd[FLOW_FRAGMENT_OVERLAP_V6], 2);
}

static void copy_v6_that_would_be_the_end_is_an_overlap(void **state)
{
    (void)state;
    send_text(&s, 8, "bbbbbbbb", true);
    send_text(&s, 8, "bbbbbbbb", false);
    assert_int_equal(s.odd[FLOW_FRAGMENT_OVERLAP_V6], 1);
}

static void fragment_v6_of_no_multiple_of_eight_is_dropped_alone(void **state)
{
    (void)state;
    send_text(&s, 0, "aaaaaaaa", true);
    assert_int_equal(send_text(&s, 8, "bbb", true), FRAGMENT_DROPPED);
    assert_int_equal(send_text(&s, 8, "bbb", false), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "aaaaaaaabbb", 2));
    assert_int_equal(sender_odd_total(&s), 0);
}

static void protocol_of_a_v6_datagram_is_that_of_its_first_fragment(void **state)
{
    (void)state;
    s.next.protocol = NET_TCP;
    send_text(&s, 8, "b", false);
    s.next.protocol = NET_UDP;
    assert_int_equal(send_text(&s, 0, "aaaaaaaa", true), FRAGMENT_WHOLE);
    assert_int_equal(s.out.head.protocol, NET_UDP);
}

// --- Of both families ---

static void fragment_that_makes_no_sense_is_dropped_and_its_datagram_goes_on(void **state)
{
    (void)state;
    static const uint8_t ZEROS[65536];
    for (int v6 = 0; v6 < 2; v6++) {
        sender_family(&s, v6 != 0);
        memset(s.odd, 0, sizeof s.odd);
        send_text(&s, 0, "aaaaaaaa", true);
        assert_int_equal(send_bytes(&s, 65528, ZEROS, 8, false), FRAGMENT_DROPPED);
        assert_int_equal(send_bytes(&s, 0, ZEROS, 65536, true), FRAGMENT_DROPPED);
        assert_int_equal(send_cut(&s, 8, ZEROS, 0, UINT32_MAX, true), FRAGMENT_DROPPED);
        assert_int_equal(send_bytes(&s, UINT32_MAX - 7, ZEROS, 8, true), FRAGMENT_DROPPED);
        assert_int_equal(s.odd[FLOW_FRAGMENT_OVERLONG], 4);
        assert_int_equal(send_bytes(&s, 8, NULL, 0, true), FRAGMENT_DROPPED);
        assert_int_equal(send_bytes(&s, 8, NULL, 0, false), FRAGMENT_DROPPED);
        assert_int_equal(send_text(&s, 9, "bbbbbbbb", true), FRAGMENT_DROPPED);
        assert_int_equal(send_text(&s, 8, "b", false), FRAGMENT_WHOLE);
        assert_true(out_is(&s, "aaaaaaaab", 2));
        assert_int_equal(sender_odd_total(&s), 4);
    }
}

static void first_fragment_without_the_transport_header_is_tiny(void **state)
{
    (void)state;
    static const struct {
        uint8_t protocol;
        uint32_t n;
        bool more, is_tiny;
    } CASES[] = {
        {NET_UDP, 7, true, true},   {NET_UDP, 8, true, false},   {NET_TCP, 16, true, true},
        {NET_TCP, 20, true, false}, {NET_SCTP, 8, true, true},   {NET_SCTP, 12, true, false},
        {NET_ICMP, 1, true, false}, {NET_TCP, 16, false, false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        s.next.fragment_id++;
        s.next.protocol = CASES[i].protocol;
        memset(s.odd, 0, sizeof s.odd);
        send_bytes(&s, 0, "aaaaaaaabbbbbbbbcccc", CASES[i].n, CASES[i].more);
        send_bytes(&s, 0, "aaaaaaaabbbbbbbbcccc", CASES[i].n, CASES[i].more);
        assert_int_equal(s.odd[FLOW_FRAGMENT_TINY], CASES[i].is_tiny);
    }
    assert_int_equal(give_up_all(&s), 7);
    s.next.fragment_id++;
    s.next.protocol = NET_TCP;
    send_text(&s, 0, "aaaaaaaa", true);
    assert_int_equal(send_text(&s, 8, "bbbbbbbb", false), FRAGMENT_WHOLE);
}

static void datagram_cut_by_the_snap_length_is_whole_up_to_the_first_missing_byte(void **state)
{
    (void)state;
    for (int v6 = 0; v6 < 2; v6++) {
        sender_family(&s, v6 != 0);
        send_cut(&s, 0, "aaaaaaaaAAA", 11, 16, true);
        send_cut(&s, 0, "aaaaaaaaAAAAAAAA", 16, 16, true); // a copy fills nothing
        send_cut(&s, 24, "c", 1, 1, false);
        assert_int_equal(send_cut(&s, 16, NULL, 0, 8, true), FRAGMENT_WHOLE);
        assert_true(out_is(&s, "aaaaaaaaAAA", 4));
        assert_int_equal(s.out.length, 25);
        assert_true(s.out.is_whole);
    }
    assert_int_equal(sender_odd_total(&s), 0);
    s.next.fragment_id++;
    s.next.order.time_ns++;
    send_cut(&s, 0, "aaaaaaaaAAA", 11, 16, true);
    send_cut(&s, 0, "aaaaaaaaAAX", 11, 16, true); // v6: what is at hand differs
    assert_int_equal(s.odd[FLOW_FRAGMENT_OVERLAP_V6], 1);
}

static void payload_that_ends_at_an_unmapped_page_is_read_to_its_end(void **state)
{
    (void)state;
    uint8_t bytes[1480];
    memset(bytes, 'x', sizeof bytes);
    for (uint32_t n = 1; n <= sizeof bytes; n += n < 80 ? 1 : 97) {
        uint8_t *guarded = guard_copy(bytes, n);
        s.next.fragment_id++;
        send_bytes(&s, 8, guarded, n, true);
        send_bytes(&s, 0, guarded, n, true); // over it
        send_bytes(&s, 1480, guarded, n, false);
        guard_free(guarded, n);
        assert_true(give_up(&s, INT64_MAX) == (n < 1472));
    }
    assert_int_equal(s.odd[FLOW_FRAGMENT_CONFLICT], 0);
}

#define OF_V4(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define OF_V6(name) cmocka_unit_test_setup_teardown(name, set_up_v6, tear_down)

int main(void)
{
    hash_secret_init();
    const struct CMUnitTest TESTS[] = {
        OF_V4(datagram_in_two_fragments_has_its_bytes_frames_and_head),
        OF_V4(copy_of_an_open_v4_fragment_is_listed_and_no_oddity),
        OF_V4(overlap_v4_with_equal_bytes_is_no_conflict),
        OF_V4(conflict_v4_keeps_the_first_bytes_and_counts_once),
        OF_V4(second_end_v4_is_a_conflict_and_the_first_one_counts),
        OF_V4(end_v4_before_bytes_that_came_is_a_conflict_and_cuts_them),
        OF_V4(fragment_v4_of_no_multiple_of_eight_keeps_all_its_bytes),
        OF_V6(copy_of_an_open_v6_fragment_drops_nothing),
        OF_V6(overlap_v6_drops_the_datagram_and_all_later_fragments),
        OF_V6(overlap_v6_inside_a_longer_fragment_is_seen),
        OF_V6(copy_v6_that_would_be_the_end_is_an_overlap),
        OF_V6(fragment_v6_of_no_multiple_of_eight_is_dropped_alone),
        OF_V6(protocol_of_a_v6_datagram_is_that_of_its_first_fragment),
        OF_V4(fragment_that_makes_no_sense_is_dropped_and_its_datagram_goes_on),
        OF_V4(first_fragment_without_the_transport_header_is_tiny),
        OF_V4(datagram_cut_by_the_snap_length_is_whole_up_to_the_first_missing_byte),
        OF_V4(payload_that_ends_at_an_unmapped_page_is_read_to_its_end),
    };
    return cmocka_run_group_tests_name("flow_fragments", TESTS, NULL, NULL);
}
