// Tests of the fold of a fax: what is lost and comes back, indicators, proof; against a plain
// model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "random_fill.h"
#include "track/media_bin.h"
#include "wire/t38/udptl.h"

#include <string.h>

static struct media_bin bin;
static int64_t now_ms;

static int begin(void **state)
{
    (void)state;
    media_bin_init(&bin);
    now_ms = 0;
    struct media_news a = {.order = order_of(CAPTURE_START_NS, 0, 1),
                           .what.time_ns = CAPTURE_START_NS,
                           .endpoint = {{0, 2}, 5000},
                           .what.kind = SDP_IMAGE};
    media_bin_announce(&bin, &a);
    return 0;
}

static int end(void **state)
{
    (void)state;
    media_bin_fini(&bin);
    return 0;
}

static void give(uint16_t src_port, uint16_t dst_port, uint16_t sequence, const struct udptl *u)
{
    now_ms += 20;
    struct media_record r = {
        .order = order_of(CAPTURE_START_NS + now_ms * MS, 0, (uint64_t)now_ms),
        .time_ns = CAPTURE_START_NS + now_ms * MS,
        .src = {{0, 1}, src_port},
        .dst = {{0, 2}, dst_port},
        .head = udptl_pack(u),
        .sequence = sequence,
        .payload_n = 1,
        .ip_id = (uint16_t)now_ms,
        .kind = MEDIA_UDPTL,
    };
    r.timestamp = UINT32_MAX;
    media_bin_packet(&bin, &r);
}

static void packet(uint16_t sequence, uint8_t secondaries)
{
    give(4000, 5000, sequence,
         &(struct udptl){.is_data = true,
                         .type = 8,
                         .recovery = secondaries > 0 ? UDPTL_REDUNDANCY : UDPTL_NO_RECOVERY,
                         .count = secondaries});
}

static void parity(uint16_t sequence, uint8_t count, uint8_t span)
{
    give(4000, 5000, sequence,
         &(struct udptl){.is_data = true, .recovery = UDPTL_FEC, .count = count, .span = span});
}

static void say(uint16_t sequence, uint8_t indicator)
{
    give(4000, 5000, sequence, &(struct udptl){.type = indicator});
}

static const struct stream_fax *fax(void)
{
    assert_true(bin.stream_count > 0 && stream_fax(bin.streams[0]));
    return stream_fax(bin.streams[0]);
}

static void fax_lost_packets_come_back_with_a_later_one(void **state)
{
    (void)state;
    packet(0, 3);
    packet(5, 3); // 1 to 4 are lost; 2, 3, 4 come
    assert_int_equal(fax()->recovered, 3);
    packet(6, 3); // the same once more
    assert_int_equal(fax()->recovered, 3);
    packet(7, 6); // now 1 too
    assert_int_equal(fax()->recovered, 4);
    assert_int_equal(stream_lost(bin.streams[0]), 4);
}

static void fax_packet_that_was_late_was_not_lost(void **state)
{
    (void)state;
    packet(0, 3);
    packet(3, 3);
    assert_int_equal(fax()->recovered, 2);
    packet(1, 3);
    assert_int_equal(fax()->recovered, 1);
    packet(1, 3); // a copy changes nothing
    packet(2, 3);
    assert_int_equal(fax()->recovered, 0);
    assert_int_equal(stream_lost(bin.streams[0]), 0);
    assert_int_equal(fax()->data_packets, 4);
}

static void fax_before_its_first_packet_nothing_was_lost(void **state)
{
    (void)state;
    packet(100, 50);
    packet(101, 50);
    assert_int_equal(fax()->recovered, 0);
}

static void fax_number_that_wraps_is_the_next(void **state)
{
    (void)state;
    for (uint32_t i = 65500; i < 65600; i++) {
        if (i != 65535 && i != 65536) {
            packet((uint16_t)i, 2);
        }
    }
    assert_int_equal(bin.stream_count, 1);
    assert_int_equal(fax()->recovered, 2);
    assert_int_equal(stream_lost(bin.streams[0]), 2);
}

static void fax_parity_gives_back_one_of_each_group(void **state)
{
    (void)state;
    // Two messages of three numbers: with 6 come 0, 2, 4 and 1, 3, 5.
    static const struct {
        uint16_t lost[3];
        uint32_t recovered;
    } CASES[] = {
        {{4, 99, 99}, 1}, {{4, 5, 99}, 2}, {{2, 4, 99}, 0}, {{3, 4, 5}, 1}, {{99, 99, 99}, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        end(NULL);
        begin(NULL);
        for (uint16_t n = 0; n < 6; n++) {
            if (n != CASES[i].lost[0] && n != CASES[i].lost[1] && n != CASES[i].lost[2]) {
                packet(n, 0);
            }
        }
        parity(6, 2, 3);
        assert_int_equal(fax()->recovered, CASES[i].recovered);
        assert_int_equal(fax()->recovery, UDPTL_FEC);
    }
}

static void fax_parity_that_reaches_before_the_start_gives_nothing(void **state)
{
    (void)state;
    packet(10, 0);
    packet(11, 0);
    parity(13, 1, 4); // 9 to 12: of 9 nothing is known
    assert_int_equal(fax()->recovered, 0);
    parity(14, 1, 3);
    assert_int_equal(fax()->recovered, 1);
    parity(16, 255, 127); // absurd
    assert_int_equal(fax()->recovered, 1);
}

static void fax_indicators_are_kept_as_they_change(void **state)
{
    (void)state;
    static const uint8_t SAID[] = {0, 1, 1, 1, 0, 2, 2, 3};
    uint16_t n = 0;
    for (size_t i = 0; i < sizeof SAID; i++) {
        say(n++, SAID[i]);
    }
    packet(n++, 0);
    say(n++, 3); // data between two equal ones is no change
    say(n, 15);
    static const uint8_t WANT[] = {0, 1, 0, 2, 3, 15};
    assert_int_equal(fax()->indicator_count, sizeof WANT);
    assert_memory_equal(fax()->indicators, WANT, sizeof WANT);
    for (uint16_t i = 0; i < 200; i++) {
        say((uint16_t)(n + 1 + i), i & 1);
    }
    assert_int_equal(fax()->indicator_count, FAX_INDICATORS_MAX);
}

static void fax_and_rtp_between_the_same_addresses_are_two_streams(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < 20; i++) {
        packet(i, 0);
        struct media_record r = {
            .order = order_of(CAPTURE_START_NS + now_ms * MS, 0, 10000u + i),
            .time_ns = CAPTURE_START_NS + now_ms * MS,
            .src = {{0, 1}, 4000},
            .dst = {{0, 2}, 5000},
            .ssrc = 0, // as the key of a fax has it
            .timestamp = i * 160u,
            .sequence = i,
            .payload_n = 160,
        };
        media_bin_packet(&bin, &r);
    }
    assert_int_equal(bin.stream_count, 2);
    assert_true((stream_fax(bin.streams[0]) == NULL) != (stream_fax(bin.streams[1]) == NULL));
    assert_int_equal(bin.streams[0]->unique, 20);
    assert_int_equal(bin.streams[1]->unique, 20);
    assert_int_equal(bin.in_flow, 0);
}

static void fax_and_rtp_do_not_prove_each_other(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < 20; i++) {
        struct media_record r = {
            .order = order_of(CAPTURE_START_NS + i * MS, 0, 1u + i),
            .time_ns = CAPTURE_START_NS + i * MS,
            .src = {{0, 1}, 4000},
            .dst = {{0, 2}, (uint16_t)(7000 + i / 2)},
            .sequence = i,
            .kind = i & 1 ? MEDIA_UDPTL : MEDIA_RTP,
        };
        media_bin_packet(&bin, &r);
    }
    assert_int_equal(bin.stream_count, 0);
}

// What begins as RTP does, each with another SSRC: numbers from 32,768 on.
static void fax_packets_that_look_like_rtp_are_no_streams(void **state)
{
    (void)state;
    struct payload_map empty = {0};
    struct media_news a = {.order = order_of(CAPTURE_START_NS, 0, 2),
                           .what.time_ns = CAPTURE_START_NS,
                           .endpoint = {{0, 2}, 5000},
                           .what.map = &empty};
    media_bin_announce(&bin, &a); // sound was announced there too
    packet(0, 0);
    for (uint16_t i = 0; i < 1000; i++) {
        struct media_record r = {
            .order = order_of(CAPTURE_START_NS + i * MS, 0, 10000u + i),
            .time_ns = CAPTURE_START_NS + i * MS,
            .src = {{0, 1}, 4000},
            .dst = {{0, 2}, 5000},
            .ssrc = i * 2654435761u,
            .sequence = (uint16_t)(i * 77),
        };
        media_bin_packet(&bin, &r);
    }
    assert_int_equal(bin.stream_count, 1);
}

static void fax_that_begins_again_is_another(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < 100; i++) {
        packet(i, 1);
    }
    now_ms += 2000;
    for (uint16_t i = 0; i < 50; i++) {
        packet(i, 1);
    }
    assert_int_equal(bin.stream_count, 2);
    assert_int_equal(bin.streams[0]->unique, 100);
    assert_int_equal(stream_extras(bin.streams[0])->duplicates, 0);
    assert_int_equal(bin.streams[1]->unique, 50);
    assert_int_equal(stream_fax(bin.streams[1])->data_packets, 50);
}

static void fax_that_nobody_announced_is_proven_by_its_numbers(void **state)
{
    (void)state;
    static const struct {
        uint16_t first, step, count;
        bool proven;
    } CASES[] = {{0, 1, FAX_PROOF_PACKETS, true},
                 {0, 1, FAX_PROOF_PACKETS - 1, false},
                 {FAX_PROOF_START - 1, 1, FAX_PROOF_PACKETS, true},
                 {FAX_PROOF_START, 1, FAX_PROOF_PACKETS, false},
                 {65535, 1, FAX_PROOF_PACKETS, false},
                 {0, 2, 100, false}};
    for (uint16_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        for (uint16_t k = 0; k < CASES[i].count; k++) {
            give((uint16_t)(100 + i), 6000, (uint16_t)(CASES[i].first + k * CASES[i].step),
                 &(struct udptl){.type = 0});
        }
        assert_int_equal(bin.stream_count, i + 1);
        assert_int_equal(stream_fax_is_proven(bin.streams[i]), CASES[i].proven);
        assert_null(bin.streams[i]->announcement);
    }
}

// --- against a model that keeps every number ---

#define MODEL_MAX 6000

static struct {
    uint8_t seen[MODEL_MAX], came[MODEL_MAX];
} model;

static uint32_t model_recovered(void)
{
    uint32_t n = 0;
    for (int i = 0; i < MODEL_MAX; i++) {
        n += model.came[i] && !model.seen[i];
    }
    return n;
}

static void fax_recovery_is_that_of_the_model(void **state)
{
    (void)state;
    struct random rng;
    random_seeded(&rng, 1138);
    for (int round = 0; round < 20; round++) {
        end(NULL);
        begin(NULL);
        memset(&model, 0, sizeof model);
        uint32_t next = 0;
        while (next < MODEL_MAX - 100) {
            uint32_t back = random_below(&rng, 5) == 0 ? (uint32_t)random_below(&rng, 20) : 0;
            uint32_t n = next >= back ? next - back : next;
            uint8_t count = (uint8_t)random_below(&rng, 6);
            packet((uint16_t)n, count);
            bool is_new = !model.seen[n];
            model.seen[n] = 1;
            for (uint32_t k = 1; is_new && k <= count && k < n; k++) {
                model.came[n - k] = 1;
            }
            uint32_t jump = random_below(&rng, 300) == 0 ? 1 + (uint32_t)random_below(&rng, 90) : 0;
            next = n >= next ? n + 1 + jump + (random_below(&rng, 10) == 0) : next;
        }
        assert_int_equal(bin.stream_count, 1);
        assert_int_equal(fax()->recovered, model_recovered());
    }
}

#define FAX_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAX_TEST(fax_lost_packets_come_back_with_a_later_one),
        FAX_TEST(fax_packet_that_was_late_was_not_lost),
        FAX_TEST(fax_before_its_first_packet_nothing_was_lost),
        FAX_TEST(fax_number_that_wraps_is_the_next),
        FAX_TEST(fax_parity_gives_back_one_of_each_group),
        FAX_TEST(fax_parity_that_reaches_before_the_start_gives_nothing),
        FAX_TEST(fax_indicators_are_kept_as_they_change),
        FAX_TEST(fax_and_rtp_between_the_same_addresses_are_two_streams),
        FAX_TEST(fax_and_rtp_do_not_prove_each_other),
        FAX_TEST(fax_packets_that_look_like_rtp_are_no_streams),
        FAX_TEST(fax_that_begins_again_is_another),
        FAX_TEST(fax_that_nobody_announced_is_proven_by_its_numbers),
        FAX_TEST(fax_recovery_is_that_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
