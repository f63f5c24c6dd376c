// Tests of the control bin: accounts of senders and of reports, copies, round trips, who begins
// again, and what strangers can make grow.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "rtcp_maker.h"
#include "track/control_bin.h"

#define X 0x1234u
#define Y 9u

static struct control_bin bin;
static struct bytes bytes;
static uint16_t ip_id;

static int begin(void **state)
{
    (void)state;
    control_bin_init(&bin);
    ip_id = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    control_bin_fini(&bin);
    bytes_free(&bytes);
    return 0;
}

// Sends what stands in `bytes` from 1 to 2, or back.
static void send_as(bool is_back, int64_t at_us, uint16_t id)
{
    struct endpoint ends[2] = {{{0, 1}, 5001}, {{0, 2}, 6001}};
    struct control_record r = {
        .order = order_of(CAPTURE_START_NS + at_us * 1000, 0, (uint64_t)at_us + 1),
        .time_ns = CAPTURE_START_NS + at_us * 1000,
        .src = ends[is_back],
        .dst = ends[!is_back],
        .bytes = bytes.p,
        .captured = (uint32_t)bytes.n,
        .length = (uint32_t)bytes.n,
        .frame_hash = hash_bytes(bytes.p, bytes.n, (uint64_t)id << 1 | is_back),
        .frame_set = id,
    };
    control_bin_packet(&bin, &r);
}

static void send(bool is_back, int64_t at_ms)
{
    send_as(is_back, at_ms * 1000, ++ip_id);
    bytes.n = 0;
}

static int64_t ns_of(int64_t at_ms)
{
    return CAPTURE_START_NS + at_ms * MS;
}

static void sent(uint32_t ssrc, int64_t at_ms, uint32_t packets)
{
    rtcp_put_sr(&bytes, ssrc, rtcp_ntp(ns_of(at_ms)), packets, NULL, 0);
    send(false, at_ms);
}

static void reported(int64_t at_ms, uint32_t highest, int32_t lost)
{
    struct rtcp_report block = {.ssrc = X, .highest_sequence = highest, .lost = lost};
    rtcp_put_rr(&bytes, Y, &block, 1);
    send(true, at_ms);
}

static void sender_counts_grow_between_its_reports(void **state)
{
    (void)state;
    sent(X, 0, UINT32_MAX - 9); // wraps
    sent(X, 5000, 240);
    sent(X, 10000, 490);
    assert_int_equal(bin.sender_count, 1);
    const struct control_sender *s = bin.senders[0];
    assert_int_equal(s->reports, 3);
    assert_int_equal(s->packets, 3);
    assert_int_equal(s->grown_packets, 500);
    assert_int_equal(s->grown_octets, 80000);
    assert_int_equal(s->newest_packets, 490);
    assert_int_equal(bin.about_count, 0);
}

static void sender_report_that_comes_late_changes_no_count(void **state)
{
    (void)state;
    sent(X, 0, 100);
    rtcp_put_sr(&bytes, X, rtcp_ntp(ns_of(5000)), 350, NULL, 0);
    send(false, 10001);
    rtcp_put_sr(&bytes, X, rtcp_ntp(ns_of(4000)), 300, NULL, 0);
    send(false, 10002);
    assert_int_equal(bin.sender_count, 1);
    assert_int_equal(bin.senders[0]->grown_packets, 250);
    assert_int_equal(bin.senders[0]->newest_packets, 350);
}

static void sender_whose_counts_go_back_begins_again(void **state)
{
    (void)state;
    sent(X, 0, 100);
    sent(X, 5000, 350);
    sent(X, 10000, 50);
    sent(X, 15000, 300);
    assert_int_equal(bin.sender_count, 2);
    assert_int_equal(bin.senders[0]->grown_packets, 250);
    assert_int_equal(bin.senders[1]->grown_packets, 250);
    assert_int_equal(bin.senders[1]->first_packets, 50);
    assert_int_equal(bin.senders[1]->epoch, 1);
}

static void sender_without_a_clock_begins_again_by_distance(void **state)
{
    (void)state;
    static const uint32_t COUNTS[] = {5000, 4900, 1900};
    for (size_t i = 0; i < 3; i++) {
        rtcp_put_sr(&bytes, X, 0, COUNTS[i], NULL, 0);
        send(false, (int64_t)i * 5000);
    }
    assert_int_equal(bin.sender_count, 2);
    assert_int_equal(bin.senders[0]->reports, 2);
    assert_int_equal(bin.senders[0]->recent_count, 0);
}

static void sender_after_its_bye_begins_again(void **state)
{
    (void)state;
    sent(X, 0, 100);
    rtcp_put_sr(&bytes, X, rtcp_ntp(ns_of(5000)), 350, NULL, 0);
    rtcp_put_cname(&bytes, X, "alice@ex");
    rtcp_put_bye(&bytes, X);
    send(false, 5000);
    sent(X, 5500, 351); // it crossed the BYE
    assert_int_equal(bin.sender_count, 1);
    sent(X, 7000, 400);
    assert_int_equal(bin.sender_count, 2);
    assert_true(bin.senders[0]->has_bye && !bin.senders[1]->has_bye);
    assert_true(slice_eq(bin.senders[0]->cname, SLICE("alice@ex")));
    assert_int_equal(bin.senders[1]->cname.n, 0);
    // What is said about it now is about the new one.
    reported(4000, 200, 5);
    uint32_t before = bin.about_count;
    sent(X, 9000, 500);
    reported(9500, 400, 1);
    assert_int_equal(bin.about_count, before);
    assert_int_equal(bin.abouts[before - 1]->epoch, 1);
}

static void reports_keep_first_and_newest(void **state)
{
    (void)state;
    reported(1000, 100, 3);
    reported(2000, 200, 5);
    reported(2001, 150, 9); // late
    reported(3000, 300, 4);
    assert_int_equal(bin.about_count, 1);
    const struct control_about *a = bin.abouts[0];
    assert_int_equal(a->reports, 4);
    assert_int_equal(a->packets, 4);
    assert_int_equal(a->first_report.lost, 3);
    assert_int_equal(a->newest.lost, 4);
    assert_int_equal(control_about_expected(a), 200);
    assert_int_equal(control_about_lost(a), 1);
    assert_true(a->newest_at.time_ns == ns_of(3000));
    assert_int_equal(a->reporter, Y);
    assert_int_equal(a->ssrc, X);
}

static void reports_whose_numbers_go_far_back_begin_again(void **state)
{
    (void)state;
    reported(1000, 70000, 30);
    reported(2000, 70000 - CONTROL_BACK_MAX, 31);
    assert_int_equal(bin.about_count, 1);
    reported(3000, 70000 - CONTROL_BACK_MAX - 1, 2);
    assert_int_equal(bin.about_count, 2);
    reported(4000, 70000 - CONTROL_BACK_MAX + 250, 3);
    assert_int_equal(bin.about_count, 2);
    assert_int_equal(control_about_lost(bin.abouts[1]), 1);
}

static void fraction_and_jitter_are_summed_up(void **state)
{
    (void)state;
    static const uint32_t JITTERS[] = {10, 30, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        struct rtcp_report block = {
            .ssrc = X, .fraction = (uint8_t)(40 - 20 * i), .jitter = JITTERS[i]};
        rtcp_put_rr(&bytes, Y, &block, 1);
        send(true, (int64_t)i * 1000);
    }
    assert_int_equal(bin.abouts[0]->fraction_max, 40);
    assert_int_equal(bin.abouts[0]->jitter_max, UINT32_MAX);
    assert_true(bin.abouts[0]->jitter_sum == 40 + (double)UINT32_MAX);
}

// --- round trips ---

static void answered(int64_t sent_ms, int64_t at_ms, uint32_t dlsr_ms)
{
    struct rtcp_report block = {
        .ssrc = X, .lsr = rtcp_lsr(ns_of(sent_ms)), .dlsr = dlsr_ms * 65536 / 1000};
    rtcp_put_rr(&bytes, Y, &block, 1);
    send(true, at_ms);
}

static void round_trip_is_between_report_and_answer_less_the_delay(void **state)
{
    (void)state;
    sent(X, 1000, 1);
    answered(1000, 1150, 100);
    sent(X, 2000, 2);
    answered(2000, 2090, 0);
    const struct control_about *a = bin.abouts[0];
    assert_int_equal(a->round_trips, 2);
    assert_true(a->round_trip_max_ns == 90 * MS);
    assert_true(a->round_trip_sum_ns > 140e6 && a->round_trip_sum_ns < 140.02e6);
}

static void round_trip_knows_the_last_few_reports(void **state)
{
    (void)state;
    for (int64_t i = 1; i <= CONTROL_RECENT + 1; i++) {
        sent(X, i * 1000, (uint32_t)i);
    }
    answered(1000, 7000, 0); // too old
    assert_int_equal(bin.abouts[0]->round_trips, 0);
    answered(2000, 7000, 0);
    answered((CONTROL_RECENT + 1) * 1000, 7000, 0);
    assert_int_equal(bin.abouts[0]->round_trips, 2);
}

static void round_trip_of_another_hop_counts_from_the_first(void **state)
{
    (void)state;
    sent(X, 1000, 1);
    rtcp_put_sr(&bytes, X, rtcp_ntp(ns_of(1000)), 1, NULL, 0);
    send(false, 1010);
    answered(1000, 1100, 0);
    assert_true(bin.abouts[0]->round_trip_max_ns == 100 * MS);
}

static void round_trip_that_cannot_be_is_none(void **state)
{
    (void)state;
    static const struct {
        int64_t at_ms;
        uint32_t lsr, dlsr;
        uint64_t round_trips;
    } ROWS[] = {
        {1100, 0, 0, 0},                   // no report yet
        {1100, 1, 0, 0},                   // of no report that passed
        {1100, UINT32_MAX, 20 * 65536, 0}, // kept longer than it took
        {1100, UINT32_MAX, UINT32_MAX, 0}, //
        {11001, UINT32_MAX, 0, 0},         // too long
        {11000, UINT32_MAX, 0, 1},         // the longest that may be
        {1000, UINT32_MAX, 0, 1},          // none at all
        {900, UINT32_MAX, 0, 0},           // before it was asked
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        end(NULL);
        begin(NULL);
        sent(X, 1000, 1);
        uint32_t lsr = ROWS[i].lsr == UINT32_MAX ? rtcp_lsr(ns_of(1000)) : ROWS[i].lsr;
        struct rtcp_report block = {.ssrc = X, .lsr = lsr, .dlsr = ROWS[i].dlsr};
        rtcp_put_rr(&bytes, Y, &block, 1);
        send(true, ROWS[i].at_ms);
        if (bin.abouts[0]->round_trips != ROWS[i].round_trips) {
            fail_msg("row %zu: %d", i, (int)bin.abouts[0]->round_trips);
        }
    }
}

static void round_trip_needs_both_times(void **state)
{
    (void)state;
    struct rtcp_report block = {.ssrc = X, .lsr = rtcp_lsr(ns_of(0))};
    struct control_sender s = {.ssrc = X};
    struct control_about a = {.ssrc = X};
    struct rtcp_sender_info info = {.ntp = rtcp_ntp(ns_of(0))};
    control_sender_report(&s, &info, TIME_NOT_KNOWN_NS);
    control_about_report(&a, &block, &s, order_of(0, 0, 1), ns_of(0));
    control_about_report(&a, &block, &s, order_of(0, 0, 2), TIME_NOT_KNOWN_NS);
    assert_int_equal(a.round_trips, 0);
    assert_int_equal(a.reports, 2);
}

// --- the rest of a compound ---

static void extended_reports_are_added_up(void **state)
{
    (void)state;
    rtcp_put_rr(&bytes, Y, NULL, 0);
    rtcp_put_xr(&bytes, Y, X, 3);
    send(true, 1000);
    rtcp_put_xr(&bytes, Y, X, 4); // alone
    send(true, 2000);
    assert_int_equal(bin.about_count, 1);
    const struct control_about *a = bin.abouts[0];
    assert_int_equal(a->reports, 0);
    assert_int_equal(a->packets, 2);
    assert_int_equal(a->xr->blocks, 4);
    assert_int_equal(a->xr->lost, 7);
    assert_int_equal(a->xr->duplicates, 20);
    assert_true(a->xr->jitter_sum == 80 && a->xr->jitter_count == 2);
    assert_true(a->xr->has_voip && a->xr->voip.loss_percent == 100.0 * 4 / 256);
}

static void feedback_is_counted(void **state)
{
    (void)state;
    rtcp_put_feedback(&bytes, Y, X);
    send(true, 1000);
    assert_int_equal(bin.about_count, 1);
    assert_int_equal(bin.abouts[0]->packets, 1);
    assert_int_equal(bin.sender_count, 1);
    assert_int_equal(bin.senders[0]->ssrc, Y);
}

static void sealed_packet_gives_its_speaker_alone(void **state)
{
    (void)state;
    rtcp_put_sealed(&bytes, RTCP_SR, X);
    send(false, 1000);
    assert_int_equal(bin.sender_count, 1);
    assert_true(bin.senders[0]->is_sealed && !bin.senders[0]->has_counts);
    assert_int_equal(bin.senders[0]->reports, 1);
    assert_int_equal(bin.about_count, 0);
}

// --- copies ---

static void copy_within_50_ms_counts_as_duplicate_alone(void **state)
{
    (void)state;
    static const struct {
        int64_t later_us;
        uint16_t id;
        uint64_t copies;
    } ROWS[] = {{20, 7, 1}, {50000, 7, 1}, {50001, 7, 0}, {20, 8, 0}, {-50000, 7, 1}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        end(NULL);
        begin(NULL);
        rtcp_put_sr(&bytes, X, rtcp_ntp(ns_of(0)), 5, NULL, 0);
        send_as(false, 1000000, 7);
        send_as(false, 1000000 + ROWS[i].later_us, ROWS[i].id);
        bytes.n = 0;
        assert_int_equal(bin.copies, ROWS[i].copies);
        assert_int_equal(bin.senders[0]->reports, 2 - ROWS[i].copies);
    }
}

// --- limits ---

static void one_packet_makes_few_accounts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4 * CONTROL_NEW_MAX; i++) {
        rtcp_put_rr(&bytes, 1000 + i, NULL, 0);
    }
    send(false, 0);
    assert_int_equal(bin.sender_count, CONTROL_NEW_MAX);
    assert_int_equal(bin.left_out, 3 * CONTROL_NEW_MAX);
}

static void strangers_cannot_make_accounts_for_ever(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CONTROL_ACCOUNTS_MAX + 100; i++) {
        rtcp_put_rr(&bytes, 1000 + i, NULL, 0);
        send(false, i);
    }
    assert_int_equal(bin.sender_count + bin.about_count, CONTROL_ACCOUNTS_MAX);
    assert_int_equal(bin.left_out, 100);
    assert_true(bin.arena.total_bytes < (size_t)CONTROL_ACCOUNTS_MAX * 350);
    // Those that are known are still heard.
    reported(70000000, 5, 5);
    assert_int_equal(bin.left_out, 102);
    rtcp_put_rr(&bytes, 1000, NULL, 0);
    send(false, 70000001);
    assert_int_equal(bin.senders[0]->packets, 2);
}

static void packets_of_known_accounts_allocate_nothing(void **state)
{
    (void)state;
    sent(X, 0, 1);
    reported(10, 1, 0);
    struct rtcp_report block = {.ssrc = X};
    rtcp_put_rr(&bytes, Y, &block, 1);
    uint64_t before = memory_calls();
    size_t arena = bin.arena.total_bytes;
    for (int64_t i = 0; i < 1000; i++) {
        send_as(true, 1000000 + i * 100000, (uint16_t)i);
    }
    assert_int_equal(memory_calls() - before, 0);
    assert_true(bin.arena.total_bytes == arena);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(sender_counts_grow_between_its_reports),
        TEST(sender_report_that_comes_late_changes_no_count),
        TEST(sender_whose_counts_go_back_begins_again),
        TEST(sender_without_a_clock_begins_again_by_distance),
        TEST(sender_after_its_bye_begins_again),
        TEST(reports_keep_first_and_newest),
        TEST(reports_whose_numbers_go_far_back_begin_again),
        TEST(fraction_and_jitter_are_summed_up),
        TEST(round_trip_is_between_report_and_answer_less_the_delay),
        TEST(round_trip_knows_the_last_few_reports),
        TEST(round_trip_of_another_hop_counts_from_the_first),
        TEST(round_trip_that_cannot_be_is_none),
        TEST(round_trip_needs_both_times),
        TEST(extended_reports_are_added_up),
        TEST(feedback_is_counted),
        TEST(sealed_packet_gives_its_speaker_alone),
        TEST(copy_within_50_ms_counts_as_duplicate_alone),
        TEST(one_packet_makes_few_accounts),
        TEST(strangers_cannot_make_accounts_for_ever),
        TEST(packets_of_known_accounts_allocate_nothing),
    };
    return cmocka_run_group_tests_name("track_control_bin", tests, NULL, NULL);
}
