// Tests of reassembly with many fragments: all orders, random sizes, random fragments against the
// model, the longest datagrams, and memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "fragments_same.h"
#include "fragments_sender.h"
#include "random_fill.h"

#define LONGEST 65535u

static struct sender s;
static uint8_t bytes[LONGEST];

static int set_up(void **state)
{
    (void)state;
    sender_init(&s);
    for (uint32_t i = 0; i < LONGEST; i++) {
        bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sender_end(&s);
    return 0;
}

// --- All orders ---

#define ORDERED_MAX 6

// Fragments of 8, 16, 24, ... bytes, the last one shorter.
static enum fragment_result send_ordered(uint32_t which, uint32_t count)
{
    uint32_t offset = 4 * which * (which + 1);
    bool is_last = which + 1 == count;
    return send_bytes(&s, offset, bytes + offset, 8 * (which + 1) - (is_last ? 3 : 0), !is_last);
}

// Sends in this order, and fragment `again` once more as the one at place `when` (count: not).
static void check_order(const uint32_t *order, uint32_t count, uint32_t again, uint32_t when)
{
    s.next.fragment_id++;
    uint32_t seen = 0;
    uint32_t frames = 0;
    uint32_t all = (1u << count) - 1;
    for (uint32_t i = 0; i < count + (again < count); i++) {
        uint32_t which = again < count && i == when  ? again
                         : again < count && i > when ? order[i - 1]
                                                     : order[i];
        bool was_whole = seen == all;
        seen |= 1u << which;
        frames++;
        enum fragment_result wanted = was_whole     ? FRAGMENT_COPY
                                      : seen == all ? FRAGMENT_WHOLE
                                                    : FRAGMENT_KEPT;
        assert_int_equal(send_ordered(which, count), wanted);
        if (wanted == FRAGMENT_WHOLE) {
            assert_int_equal(s.out.length, 4 * count * (count + 1) - 3);
            assert_int_equal(s.out.n, s.out.length);
            assert_memory_equal(s.out.bytes, bytes, s.out.n);
            assert_int_equal(s.out.packet_count, frames);
        }
    }
}

static bool next_order(uint32_t *order, uint32_t count)
{
    uint32_t i = count - 1;
    while (i > 0 && order[i - 1] > order[i]) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    uint32_t j = count - 1;
    while (order[j] < order[i - 1]) {
        j--;
    }
    uint32_t swap = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swap;
    for (uint32_t a = i, b = count - 1; a < b; a++, b--) {
        swap = order[a];
        order[a] = order[b];
        order[b] = swap;
    }
    return true;
}

static void check_orders(bool is_v6)
{
    sender_family(&s, is_v6);
    for (uint32_t count = 1; count <= ORDERED_MAX; count++) {
        uint32_t order[ORDERED_MAX] = {0, 1, 2, 3, 4, 5};
        do {
            check_order(order, count, count, 0);
            for (uint32_t again = 0; again < count; again++) {
                for (uint32_t when = 0; when <= count; when++) {
                    check_order(order, count, again, when);
                }
            }
        } while (next_order(order, count));
    }
    for (int o = 0; o < FLOW_ODD_COUNT; o++) {
        assert_int_equal(s.odd[o], 0);
    }
    assert_int_equal(give_up_all(&s), 0);
}

static void fragments_in_all_orders_with_each_one_again_give_the_datagram(void **state)
{
    (void)state;
    check_orders(false);
    check_orders(true);
}

// --- Random ---

static void check_random_sizes(struct random *random, bool is_v6)
{
    static uint32_t begins[LONGEST / 8 + 2];
    uint32_t size = 1 + (uint32_t)random_below(random, random_below(random, 8) ? 5000 : LONGEST);
    uint32_t step = 8 + (uint32_t)random_below(random, 3000);
    uint32_t count = 0;
    for (uint32_t at = 0; at < size; at += 8 * (1 + (uint32_t)random_below(random, step / 8))) {
        begins[count++] = at;
    }
    static uint32_t order[LONGEST / 8 + 2];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = (uint32_t)random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    begins[count] = size;
    sender_family(&s, is_v6);
    s.next.fragment_id++;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = order[i];
        uint32_t n = begins[at + 1] - begins[at];
        enum fragment_result wanted = i + 1 == count ? FRAGMENT_WHOLE : FRAGMENT_KEPT;
        assert_int_equal(send_bytes(&s, begins[at], bytes + begins[at], n, at + 1 < count), wanted);
        if (wanted == FRAGMENT_KEPT && random_below(random, 4) == 0) {
            at = order[random_below(random, i + 1)];
            n = begins[at + 1] - begins[at];
            send_bytes(&s, begins[at], bytes + begins[at], n, at + 1 < count);
            copies++;
        }
    }
    assert_int_equal(s.out.n, size);
    assert_int_equal(s.out.length, size);
    assert_memory_equal(s.out.bytes, bytes, size);
    assert_int_equal(s.out.packet_count, count + copies);
}

static void fragments_of_random_sizes_in_random_order_give_the_datagram(void **state)
{
    (void)state;
    struct random random;
    random_seeded(&random, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        check_random_sizes(&random, i % 2 != 0);
    }
    for (int o = 0; o < FLOW_ODD_COUNT; o++) {
        assert_int_equal(s.odd[o], o == FLOW_FRAGMENT_TINY ? s.odd[o] : 0);
    }
}

static void random_fragments_give_what_the_model_says(void **state)
{
    (void)state;
    struct random random;
    random_seeded(&random, 2);
    uint8_t ops[SAME_OPS_MAX * OP_BYTES];
    for (uint32_t i = 0; i < 300; i++) {
        random_fill(&random, ops, sizeof ops);
        // Few datagrams, short ones, time that rarely moves: else nothing meets.
        for (uint32_t at = 0; i % 3 != 0 && at < sizeof ops; at += OP_BYTES) {
            ops[at] &= i % 3 == 1 ? 0xb1 : 0x9f;
            ops[at + 1] &= 1;
            ops[at + 2] &= 0x1f;
            ops[at + 3] = (uint8_t)(ops[at + 3] & 0x80);
            ops[at + 6] = ops[at + 6] < 250 ? 0 : ops[at + 6];
            ops[at + 7] = ops[at + 7] < 250 ? 0 : ops[at + 7];
        }
        fragments_same(ops, sizeof ops);
    }
}

static void random_floods_stay_in_bounds_and_lose_no_frame(void **state)
{
    (void)state;
    struct random random;
    random_seeded(&random, 3);
    uint8_t ops[100 * OP_BYTES];
    for (uint32_t i = 0; i < 30; i++) {
        random_fill(&random, ops, sizeof ops);
        fragments_flood(ops, sizeof ops);
    }
}

// --- The longest datagrams ---

// Pieces of eight bytes; the i-th one sent is that at i * stride. A stride that has no common
// factor with 8192 sends each once.
static void check_longest(uint32_t stride)
{
    s.next.fragment_id++;
    for (uint32_t i = 1; i <= 8192; i++) {
        uint32_t offset = i * stride % 8192 * 8;
        uint32_t n = LONGEST - offset < 8 ? LONGEST - offset : 8;
        enum fragment_result result = send_bytes(&s, offset, bytes + offset, n, offset != 65528);
        assert_int_equal(result, i == 8192 ? FRAGMENT_WHOLE : FRAGMENT_KEPT);
    }
    assert_int_equal(s.out.n, LONGEST);
    assert_int_equal(s.out.length, LONGEST);
    assert_memory_equal(s.out.bytes, bytes, LONGEST);
    assert_int_equal(s.out.packet_count, 8192);
    for (uint32_t i = 0; i < 8192; i++) {
        assert_int_equal(s.out.packets[i].at, s.at - 8191 + i);
    }
}

static void longest_datagram_in_pieces_of_eight_bytes_is_whole_in_any_order(void **state)
{
    (void)state;
    for (int v6 = 0; v6 < 2; v6++) {
        sender_family(&s, v6 != 0);
        check_longest(1);
        check_longest(8191);
        check_longest(4097);
        check_longest(3001);
    }
    for (int o = 0; o < FLOW_ODD_COUNT; o++) {
        assert_int_equal(s.odd[o], 0);
    }
}

static void frames_of_one_datagram_are_listed_up_to_the_limit(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FRAGMENT_FRAMES_MAX; i++) {
        assert_int_equal(send_bytes(&s, 0, bytes, 8, true), FRAGMENT_KEPT);
    }
    assert_int_equal(send_bytes(&s, 0, bytes, 8, true), FRAGMENT_DROPPED);
    assert_int_equal(send_bytes(&s, 8, bytes + 8, 8, false), FRAGMENT_DROPPED);
    assert_true(give_up(&s, INT64_MAX));
    assert_int_equal(s.out.packet_count, FRAGMENT_FRAMES_MAX);
    assert_int_equal(s.out.packets[FRAGMENT_FRAMES_MAX - 1].at, FRAGMENT_FRAMES_MAX);
}

// --- Memory ---

static void flood_of_pieces_gives_up_the_oldest_and_stays_in_bounds(void **state)
{
    (void)state;
    const uint32_t COUNT = 1000000;
    uint64_t expected = 1; // frame that is given up next
    for (uint32_t i = 0; i < COUNT; i++) {
        while (give_up(&s, s.next.order.time_ns)) {
            assert_int_equal(s.out.packet_count, 1);
            assert_int_equal(s.out.packets[0].at, expected++);
        }
        s.next.fragment_id = i;
        s.next.order.time_ns++;
        assert_int_equal(send_bytes(&s, i % 8191 * 8, bytes, 8, true), FRAGMENT_KEPT);
    }
    assert_true(fragments_memory(s.f) <= FRAGMENT_BYTES_MAX);
    uint64_t open = COUNT + 1 - expected;
    assert_in_range(open, (CELLS_MAX - CELLS_OF_FRAGMENT) / 2 - 2, CELLS_MAX / 2);
    give_up_all(&s);
    assert_int_equal(s.odd[FLOW_FRAGMENT_FORGOTTEN] + s.odd[FLOW_FRAGMENT_INCOMPLETE], COUNT);
    assert_in_range(s.odd[FLOW_FRAGMENT_INCOMPLETE], open - 2, open);
}

static void longest_datagrams_of_forty_senders_are_open_at_once(void **state)
{
    (void)state;
    const uint32_t SENDERS = 40;
    for (uint32_t i = 0; i < SENDERS; i++) {
        s.next.fragment_id = i;
        assert_int_equal(send_bytes(&s, 0, bytes, 65528, true), FRAGMENT_KEPT);
    }
    for (uint32_t i = 0; i < SENDERS; i++) {
        s.next.fragment_id = i;
        assert_int_equal(send_bytes(&s, 65528, bytes + 65528, 7, false), FRAGMENT_WHOLE);
        assert_int_equal(s.out.n, LONGEST);
        assert_memory_equal(s.out.bytes, bytes, LONGEST);
    }
}

static void owner_that_takes_nothing_sees_fragments_dropped_and_no_more_memory(void **state)
{
    (void)state;
    uint32_t kept = 0;
    enum fragment_result result = FRAGMENT_KEPT;
    for (uint32_t i = 0; i < 20000; i++) {
        s.next.fragment_id = i;
        result = send_bytes(&s, 0, bytes, 1480, true);
        kept += result == FRAGMENT_KEPT;
    }
    assert_int_equal(result, FRAGMENT_DROPPED);
    assert_true(fragments_memory(s.f) <= FRAGMENT_BYTES_MAX);
    uint32_t given = 0;
    while (give_up(&s, s.next.order.time_ns)) {
        given++;
    }
    assert_int_equal(s.odd[FLOW_FRAGMENT_FORGOTTEN], given);
    assert_int_equal(send_bytes(&s, 0, bytes, 1480, true), FRAGMENT_KEPT);
    assert_int_equal(given + give_up_all(&s), kept + 1);
}

static void datagrams_one_after_the_other_cost_no_allocation(void **state)
{
    (void)state;
    uint64_t before = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        before = i == 100 ? memory_calls() : before;
        s.next.fragment_id = i;
        s.next.order.time_ns += 1000000;
        send_bytes(&s, 0, bytes, 1480, true);
        assert_int_equal(send_bytes(&s, 1480, bytes + 1480, 600, false), FRAGMENT_WHOLE);
    }
    assert_int_equal(memory_calls(), before);
}

static void completed_datagrams_are_remembered_up_to_the_limit(void **state)
{
    (void)state;
    for (uint32_t i = 0; i <= RECENT_MAX; i++) {
        s.next.fragment_id = i;
        assert_int_equal(send_bytes(&s, 0, bytes, 9, false), FRAGMENT_WHOLE);
        fragments_settle(s.f, (int)i);
    }
    for (uint32_t i = 1; i <= RECENT_MAX; i++) {
        s.next.fragment_id = i;
        assert_int_equal(send_bytes(&s, 0, bytes, 9, false), FRAGMENT_COPY);
        assert_int_equal(fragments_copy_verdict(s.f), i);
    }
    s.next.fragment_id = 0;
    assert_int_equal(send_bytes(&s, 0, bytes, 9, false), FRAGMENT_WHOLE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    hash_secret_init();
    const struct CMUnitTest TESTS[] = {
        TEST(fragments_in_all_orders_with_each_one_again_give_the_datagram),
        TEST(fragments_of_random_sizes_in_random_order_give_the_datagram),
        TEST(random_fragments_give_what_the_model_says),
        TEST(random_floods_stay_in_bounds_and_lose_no_frame),
        TEST(longest_datagram_in_pieces_of_eight_bytes_is_whole_in_any_order),
        TEST(frames_of_one_datagram_are_listed_up_to_the_limit),
        TEST(flood_of_pieces_gives_up_the_oldest_and_stays_in_bounds),
        TEST(longest_datagrams_of_forty_senders_are_open_at_once),
        TEST(owner_that_takes_nothing_sees_fragments_dropped_and_no_more_memory),
        TEST(datagrams_one_after_the_other_cost_no_allocation),
        TEST(completed_datagrams_are_remembered_up_to_the_limit),
    };
    return cmocka_run_group_tests_name("flow_fragments_many", TESTS, NULL, NULL);
}
