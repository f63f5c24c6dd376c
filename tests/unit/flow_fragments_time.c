// Tests of reassembly: when a datagram is given up, what a copy is, and what is never mixed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fragments_sender.h"

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

// --- Time ---

static void datagram_is_given_up_after_the_timeout_the_oldest_first(void **state)
{
    (void)state;
    send_text(&s, 0, "aaaaaaaa", true);
    s.next.fragment_id = 1;
    s.next.order.time_ns += 5;
    send_text(&s, 0, "bbbbbbbb", true);
    s.next.fragment_id = 0;
    send_text(&s, 16, "cc", false); // does not begin its time again
    assert_false(give_up(&s, SECOND_NS + FRAGMENT_TIMEOUT_NS));
    assert_true(give_up(&s, SECOND_NS + FRAGMENT_TIMEOUT_NS + 1));
    assert_true(out_is(&s, "aaaaaaaa", 2));
    assert_int_equal(s.out.length, 18);
    assert_false(s.out.is_whole);
    assert_false(give_up(&s, SECOND_NS + FRAGMENT_TIMEOUT_NS + 5));
    assert_false(give_up(&s, INT64_MIN));
    assert_true(give_up(&s, INT64_MAX));
    assert_true(out_is(&s, "bbbbbbbb", 1));
    assert_int_equal(s.out.length, 8);
    assert_false(give_up(&s, INT64_MAX));
    assert_int_equal(s.odd[FLOW_FRAGMENT_INCOMPLETE], 2);
    assert_int_equal(sender_odd_total(&s), 2);
}

static void identification_used_again_after_the_timeout_is_never_mixed(void **state)
{
    (void)state;
    send_text(&s, 0, "old old ", true);
    s.next.order.time_ns += FRAGMENT_TIMEOUT_NS + 1;
    // The owner has not asked for it yet.
    assert_int_equal(send_text(&s, 8, "new", false), FRAGMENT_KEPT);
    assert_int_equal(send_text(&s, 0, "newnewne", true), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "newnewnenew", 2));
    assert_true(give_up(&s, s.next.order.time_ns));
    assert_true(out_is(&s, "old old ", 1));
    assert_false(give_up(&s, s.next.order.time_ns));
    assert_int_equal(s.odd[FLOW_FRAGMENT_INCOMPLETE], 1);
}

static void dropped_datagram_takes_its_later_fragments_until_the_timeout(void **state)
{
    (void)state;
    send_text(&s, 0, "aaaaaaaa", true);
    send_text(&s, 0, "aaaaaaab", true);
    s.next.order.time_ns += FRAGMENT_TIMEOUT_NS;
    send_text(&s, 8, "b", false);
    s.next.order.time_ns++;
    assert_true(give_up(&s, s.next.order.time_ns));
    assert_true(s.out.is_dropped);
    assert_int_equal(s.out.packet_count, 3);
    send_text(&s, 8, "b", false);
    assert_int_equal(send_text(&s, 0, "aaaaaaaa", true), FRAGMENT_WHOLE);
    assert_int_equal(s.odd[FLOW_FRAGMENT_OVERLAP_V6], 1);
    assert_int_equal(sender_odd_total(&s), 1);
}

static void times_at_both_ends_of_what_can_be_do_not_overflow(void **state)
{
    (void)state;
    s.next.order.time_ns = TIME_NOT_KNOWN_NS;
    send_text(&s, 0, "aaaaaaaa", true);
    s.next.order.time_ns = TIME_MAX_NS;
    send_text(&s, 0, "bbbbbbbb", true);
    s.next.order.time_ns = TIME_NOT_KNOWN_NS; // a step back is none
    assert_int_equal(send_text(&s, 8, "b", false), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "bbbbbbbbb", 2));
    assert_int_equal(give_up_all(&s), 1);
}

static void datagram_of_a_time_that_steps_back_begins_now(void **state)
{
    (void)state;
    s.next.order.time_ns = 100 * SECOND_NS;
    send_text(&s, 0, "aaaaaaaa", true);
    assert_int_equal(send_text(&s, 8, "a", false), FRAGMENT_WHOLE);
    s.next.order.time_ns = 50 * SECOND_NS;
    assert_int_equal(send_text(&s, 8, "a", false), FRAGMENT_COPY);
    s.next.fragment_id = 1;
    send_text(&s, 0, "bbbbbbbb", true);
    assert_false(give_up(&s, 100 * SECOND_NS + FRAGMENT_TIMEOUT_NS));
    assert_int_equal(give_up_all(&s), 1);
}

// --- Copies of what is complete ---

static void fragment_after_completion_is_a_copy_for_a_while(void **state)
{
    (void)state;
    send_text(&s, 0, "aaaaaaaa", true);
    send_text(&s, 8, "b", false);
    fragments_settle(s.f, 42);
    s.next.fragment_id = 1;
    assert_int_equal(send_text(&s, 0, "c", false), FRAGMENT_WHOLE);
    fragments_settle(s.f, 43);
    s.next.fragment_id = 0;
    s.next.order.time_ns += FRAGMENT_COPY_NS;
    assert_int_equal(send_text(&s, 8, "b", false), FRAGMENT_COPY);
    assert_int_equal(fragments_copy_verdict(s.f), 42);
    s.next.fragment_id = 1;
    assert_int_equal(send_text(&s, 0, "c", false), FRAGMENT_COPY);
    assert_int_equal(fragments_copy_verdict(s.f), 43);
    s.next.fragment_id = 0;
    s.next.order.time_ns++;
    assert_int_equal(send_text(&s, 8, "B", false), FRAGMENT_KEPT);
    assert_int_equal(send_text(&s, 0, "AAAAAAAA", true), FRAGMENT_WHOLE);
    assert_true(out_is(&s, "AAAAAAAAB", 2));
    assert_int_equal(send_text(&s, 8, "B", false), FRAGMENT_COPY);
    assert_int_equal(fragments_copy_verdict(s.f), 0); // nothing was said of it
}

static void verdict_before_anything_is_complete_is_forgotten(void **state)
{
    (void)state;
    fragments_settle(s.f, 1);
    assert_int_equal(fragments_copy_verdict(s.f), 0);
}

// --- Keys ---

static void other_key(int what)
{
    s.next.protocol = what == 1 ? NET_TCP : NET_UDP;
    s.next.fragment_id = what == 2;
    s.next.path_hash = what == 3;
    sender_family(&s, what == 4);
    s.next.src.addr.lo ^= what == 5;
    s.next.dst.addr.lo ^= what == 6;
}

static void fragments_of_different_keys_are_never_mixed(void **state)
{
    (void)state;
    for (int what = 0; what <= 6; what++) {
        other_key(what);
        assert_int_equal(send_text(&s, 0, "aaaaaaaaaaaaaaaaaaaaaaaa", true), FRAGMENT_KEPT);
    }
    for (int what = 0; what <= 6; what++) {
        other_key(what);
        assert_int_equal(send_text(&s, 24, "b", false), FRAGMENT_WHOLE);
        assert_int_equal(s.out.packet_count, 2);
        assert_int_equal(s.out.packets[0].at, what + 1);
    }
    assert_int_equal(sender_odd_total(&s), 0);
}

static void keys_are_equal_where_each_part_is(void **state)
{
    (void)state;
    const struct fragment_key KEY = {{1, 2}, {3, 4}, 5, 6, 7, true};
    struct fragment_key others[] = {KEY, KEY, KEY, KEY, KEY, KEY, KEY, KEY, KEY};
    others[1].src.hi++;
    others[2].src.lo++;
    others[3].dst.hi++;
    others[4].dst.lo++;
    others[5].path_hash++;
    others[6].id++;
    others[7].protocol++;
    others[8].is_v4 = false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(fragment_key_eq(&KEY, &others[i]), i == 0);
    }
}

static void completed_ones_of_one_chain_are_found_until_each_is_too_old(void **state)
{
    (void)state;
    struct recents *r = &s.f->recents;
    struct fragment_key key = {.is_v4 = true};
    for (uint32_t i = 0; i < 2 * RECENT_MAX; i++) {
        key.id = i;
        recents_add(r, &key, 77, i);
    }
    for (uint32_t gone = RECENT_MAX; gone < RECENT_MAX + 10; gone++) {
        recents_forget(r, gone + FRAGMENT_COPY_NS);
        for (key.id = gone - 1; key.id < gone + 20; key.id++) {
            assert_int_equal(recents_find(r, &key, 77) != NULL, key.id >= gone);
        }
    }
    assert_int_equal(r->count, RECENT_MAX - 9);
}

static void path_is_kept_beyond_the_call(void **state)
{
    (void)state;
    for (uint32_t count = 0; count <= PATH_STEPS_MAX; count++) {
        struct path path = {.count = 0};
        for (uint32_t i = 0; i < count; i++) {
            path_add(&path, PATH_VLAN, 100 + i);
        }
        s.next.fragment_id = count;
        s.next.path = &path;
        send_text(&s, 0, "aaaaaaaa", true);
        memset(&path, 0xff, sizeof path);
        path.count = 0;
        assert_int_equal(send_text(&s, 8, "b", false), FRAGMENT_WHOLE);
        assert_non_null(s.out.path);
        assert_int_equal(s.out.path->count, count);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(s.out.path->steps[i].kind, PATH_VLAN);
            assert_int_equal(s.out.path->steps[i].id, 100 + i);
        }
    }
}

#define OF_V4(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define OF_V6(name) cmocka_unit_test_setup_teardown(name, set_up_v6, tear_down)

int main(void)
{
    hash_secret_init();
    const struct CMUnitTest TESTS[] = {
        OF_V4(datagram_is_given_up_after_the_timeout_the_oldest_first),
        OF_V4(identification_used_again_after_the_timeout_is_never_mixed),
        OF_V6(dropped_datagram_takes_its_later_fragments_until_the_timeout),
        OF_V4(times_at_both_ends_of_what_can_be_do_not_overflow),
        OF_V4(datagram_of_a_time_that_steps_back_begins_now),
        OF_V4(fragment_after_completion_is_a_copy_for_a_while),
        OF_V4(verdict_before_anything_is_complete_is_forgotten),
        OF_V4(fragments_of_different_keys_are_never_mixed),
        OF_V4(keys_are_equal_where_each_part_is),
        OF_V4(completed_ones_of_one_chain_are_found_until_each_is_too_old),
        OF_V4(path_is_kept_beyond_the_call),
    };
    return cmocka_run_group_tests_name("flow_fragments_time", TESTS, NULL, NULL);
}
