// Tests of hops: which sightings of a message are pairs, and in which order hops stand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_said.h"
#include "track/call_extras.h"
#include "track/call_hops.h"

static struct said s;

static int begin(void **state)
{
    (void)state;
    said_begin(&s);
    return 0;
}

static int end(void **state)
{
    (void)state;
    said_end(&s);
    return 0;
}

static void invite(uint8_t from, uint8_t to, int64_t at_ms)
{
    s.now_ns = CAPTURE_START_NS + at_ms * MS;
    SAID(&s, "INVITE sip:y@ex.com SIP/2.0", "1 INVITE", .from = from, .to = to, .no_to_tag = true);
}

static void answer(const char *start, uint8_t from, uint8_t to, int64_t at_ms)
{
    s.now_ns = CAPTURE_START_NS + at_ms * MS;
    SAID(&s, start, "1 INVITE", .from = from, .to = to);
}

static const struct call_hop *hop_between(uint8_t a, uint8_t b)
{
    for (const struct call_hop *h = s.bin.calls[0]->hops; h; h = h->next) {
        bool forth = endpoint_eq(h->src, said_host(a)) && endpoint_eq(h->dst, said_host(b));
        if (forth || (endpoint_eq(h->src, said_host(b)) && endpoint_eq(h->dst, said_host(a)))) {
            return h;
        }
    }
    return NULL;
}

// Sum, maximum and count of a hop's delays in milliseconds.
static void check_delay(uint8_t a, uint8_t b, int64_t sum, int64_t max, uint32_t count)
{
    const struct call_hop *h = hop_between(a, b);
    assert_non_null(h);
    const struct call_hop_delay *d = call_hop_delay(s.bin.calls[0], h);
    assert_int_equal(d ? d->sum_ns / MS : 0, sum);
    assert_int_equal(d ? d->max_ns / MS : 0, max);
    assert_int_equal(d ? d->count : 0, count);
}

static void check_order(size_t count, const uint8_t (*wanted)[2])
{
    const struct call_hop *list[CALL_HOPS_MAX];
    assert_int_equal(call_hops_in_order(s.bin.calls[0], list), count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(list[i], hop_between(wanted[i][0], wanted[i][1]));
    }
}

static void hop_of_a_call_without_others_keeps_nothing_more(void **state)
{
    (void)state;
    said_answered(&s, NULL);
    assert_int_equal(s.bin.calls[0]->hop_count, 1);
    assert_null(s.bin.calls[0]->extras);
}

static void hop_delay_is_from_the_newest_sighting_before_it(void **state)
{
    (void)state;
    invite(10, 15, 0);
    invite(10, 15, 500);
    answer("SIP/2.0 100 Trying", 15, 10, 501);
    invite(15, 20, 504);
    answer("SIP/2.0 200 OK", 20, 15, 600);
    answer("SIP/2.0 200 OK", 15, 10, 601);
    answer("SIP/2.0 200 OK", 20, 15, 1100);
    answer("SIP/2.0 200 OK", 15, 10, 1103);
    check_delay(15, 20, 4, 4, 1);
    check_delay(10, 15, 4, 3, 2);
}

static void hop_delay_is_not_that_of_what_an_element_sends_again(void **state)
{
    (void)state;
    invite(10, 15, 0);
    invite(15, 20, 2);
    invite(15, 20, 102);
    invite(15, 20, 502);
    invite(15, 20, 1502);
    check_delay(15, 20, 2, 2, 1);
}

static void hop_delay_over_the_longest_transaction_is_none(void **state)
{
    (void)state;
    invite(10, 15, 0);
    invite(15, 20, 32001);
    check_delay(15, 20, 0, 0, 0);
}

static void hop_delay_before_its_sighting_is_none(void **state)
{
    (void)state;
    invite(10, 15, 10);
    invite(15, 20, 3); // two clocks
    check_delay(15, 20, 0, 0, 0);
}

static void hop_delays_of_forks_are_those_of_branches_tried_at_once(void **state)
{
    (void)state;
    invite(10, 15, 0);
    invite(15, 20, 2);
    invite(15, 21, 500);
    invite(15, 22, 501);
    check_delay(15, 20, 2, 2, 1);
    check_delay(15, 21, 500, 500, 1);
    check_delay(15, 22, 0, 0, 0);
}

static void hop_delays_of_a_loop_are_of_each_way(void **state)
{
    (void)state;
    invite(10, 15, 0);
    invite(15, 16, 1);
    invite(16, 15, 3); // back to the first proxy: the other way of the same pair is no other hop
    invite(15, 20, 7);
    check_delay(15, 16, 1, 1, 1);
    check_delay(15, 20, 4, 4, 1);
}

static void invite_on_one_host(uint16_t from, uint16_t to, int64_t at_ms)
{
    s.now_ns = CAPTURE_START_NS + at_ms * MS;
    SAID(&s, "INVITE sip:y@ex.com SIP/2.0", "1 INVITE", .from = 10, .to = 10, .from_port = from,
         .to_port = to, .no_to_tag = true);
}

static void hops_on_one_host_are_told_apart_by_their_ports(void **state)
{
    (void)state;
    const struct call_hop *list[CALL_HOPS_MAX];
    invite_on_one_host(5070, 5080, 0);
    invite_on_one_host(5060, 5070, 1);
    invite_on_one_host(5060, 5070, 501); // sent again: not by the host's other elements
    invite_on_one_host(5070, 5080, 503);
    invite_on_one_host(5080, 5090, 510);
    assert_int_equal(call_hops_in_order(s.bin.calls[0], list), 3);
    assert_int_equal(list[0]->src.port, 5060);
    assert_int_equal(list[1]->src.port, 5070);
    assert_int_equal(list[2]->src.port, 5080);
    assert_null(call_hop_delay(s.bin.calls[0], list[0]));
    assert_int_equal(call_hop_delay(s.bin.calls[0], list[1])->sum_ns, 2 * MS);
    assert_int_equal(call_hop_delay(s.bin.calls[0], list[2])->sum_ns, 7 * MS);
}

static void hops_stand_in_the_order_of_the_path(void **state)
{
    (void)state;
    static const uint8_t WANTED[][2] = {{10, 15}, {15, 16}, {16, 20}};
    invite(16, 20, 0);
    answer("SIP/2.0 180 Ringing", 15, 10, 1); // seen from the callee's side first
    invite(15, 16, 2);
    check_order(3, WANTED);
}

static void hops_of_forks_and_of_parts_that_do_not_meet_stand_behind(void **state)
{
    (void)state;
    static const uint8_t WANTED[][2] = {{30, 31}, {10, 15}, {15, 20}, {15, 21}};
    invite(30, 31, 0);
    invite(15, 20, 1);
    invite(15, 21, 2);
    invite(10, 15, 3);
    check_order(4, WANTED);
}

static void hops_of_a_circle_stand_as_they_appeared(void **state)
{
    (void)state;
    static const uint8_t WANTED[][2] = {{11, 12}, {12, 13}, {13, 11}};
    invite(11, 12, 0);
    invite(12, 13, 1);
    invite(13, 11, 2);
    check_order(3, WANTED);
}

static void hops_beyond_the_limit_are_not_kept(void **state)
{
    (void)state;
    const struct call_hop *list[CALL_HOPS_MAX];
    for (uint8_t i = 0; i < CALL_HOPS_MAX * 2; i++) {
        invite((uint8_t)(100 + i), (uint8_t)(101 + i), i);
    }
    size_t reserved = s.bin.arena.total_bytes;
    for (int i = 0; i < 1000; i++) {
        invite((uint8_t)(100 + i % 60), (uint8_t)(101 + i % 60), 100 + i);
    }
    assert_int_equal(s.bin.arena.total_bytes, reserved);
    assert_int_equal(call_hops_in_order(s.bin.calls[0], list), CALL_HOPS_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(hop_of_a_call_without_others_keeps_nothing_more),
        TEST(hop_delay_is_from_the_newest_sighting_before_it),
        TEST(hop_delay_is_not_that_of_what_an_element_sends_again),
        TEST(hop_delay_over_the_longest_transaction_is_none),
        TEST(hop_delay_before_its_sighting_is_none),
        TEST(hop_delays_of_forks_are_those_of_branches_tried_at_once),
        TEST(hop_delays_of_a_loop_are_of_each_way),
        TEST(hops_on_one_host_are_told_apart_by_their_ports),
        TEST(hops_stand_in_the_order_of_the_path),
        TEST(hops_of_forks_and_of_parts_that_do_not_meet_stand_behind),
        TEST(hops_of_a_circle_stand_as_they_appeared),
        TEST(hops_beyond_the_limit_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
