// Tests of the reader of extended reports.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "guard.h"
#include "hex.h"
#include "rtcp_inside.h"

static struct hex_bytes bytes;
static struct rtcp_packet packet;
static struct rtcp_xr_block block;

// An XR packet of these blocks.
static void read_blocks(const char *blocks)
{
    bytes = hex(blocks);
    packet = (struct rtcp_packet){.type = RTCP_XR, .has_ssrc = true, .ssrc = 9, .n = bytes.n};
    packet.p = bytes.p;
    block = (struct rtcp_xr_block){0};
}

#define SSRC   "00000009"
#define LOSSES "01 00 0003 00001234 0000 01f4 "
#define STATISTICS                                                                                 \
    "06 e0 0009 00001234 0000 01f4 00000004 00000002 00000001 000003e7 000000a0 00000005 00000000"
#define VOIP                                                                                       \
    "07 00 0008 00001234 0d 1a 80 05 012c 2328 0078 0050 ec c4 37 10 52 7f 28 27 a0 00 0028 003c " \
    "012c"

static void next_passes_over_blocks_of_other_types(void **state)
{
    (void)state;
    static const uint8_t TYPES[] = {4, 5, 2, 3, 99, RTCP_XR_VOIP};
    read_blocks(SSRC "04 00 0002 0000000000000000"
                     "05 00 0003 000012340000000100000002"
                     "02 00 0003 00001234 000001f4 00070000"
                     "03 00 0002 00001234 00000000"
                     "63 00 0000" VOIP);
    for (size_t i = 0; i < sizeof TYPES; i++) {
        struct rtcp_xr_voip voip;
        assert_true(rtcp_xr_next(&packet, &block));
        assert_int_equal(block.type, TYPES[i]);
        assert_int_equal(rtcp_xr_voip(&block, &voip), TYPES[i] == RTCP_XR_VOIP);
    }
    assert_false(rtcp_xr_next(&packet, &block));
}

static void next_ends_at_a_block_that_is_not_there_whole(void **state)
{
    (void)state;
    static const char *const ROWS[] = {
        "",
        SSRC,
        SSRC "07",
        SSRC "07 00 00",
        SSRC "07 00 0001",
        SSRC "07 00 ffff 00000000",
        SSRC "07 00 0002 00000000 000000",
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        read_blocks(ROWS[i]);
        assert_false(rtcp_xr_next(&packet, &block));
    }
}

static const struct {
    const char *block;
    uint32_t lost, longest;
} RUNS[] = {
    {LOSSES "41f4 0000", 0, 0},                            // 500 came
    {LOSSES "01f4 0000", 500, 500},                        // none did
    {LOSSES "4064 0003", 3, 3},                            // 100 came, 3 lost; of the rest nothing
    {LOSSES "0003 4001", 3, 3},                            // a run that ends
    {LOSSES "0003 0004", 7, 7},                            // two that are one
    {LOSSES "ffff ffdf", 1, 1},                            // vectors of 15
    {LOSSES "8000 8000", 30, 30},                          //
    {LOSSES "d555 aaaa", 15, 1},                           // each second one
    {LOSSES "0000 0003", 0, 0},                            // the end
    {"01 00 0003 00001234 fffa 0004 3fff 8000", 10, 10},   // over the wrap, and longer than it says
    {"01 00 0003 00001234 0000 0005 8000 8000", 5, 5},     // a vector that reaches beyond
    {"01 00 0003 00001234 0007 0007 3fff 3fff", 0, 0},     // no numbers
    {"01 02 0003 00001234 0000 0190 3fff 0000", 100, 100}, // each fourth of 400
    {"01 02 0003 00001234 0001 0005 3fff 0000", 1, 1},     // 4 alone
    {"01 02 0003 00001234 0001 0004 3fff 0000", 0, 0},
    {"01 0f 0003 00001234 8000 0000 3fff 0000", 1, 1}, // each 32,768th
    {"01 00 0002 00001234 0000 01f4", 0, 0},           // no chunks
};

static void losses_of_each_row_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof RUNS / sizeof RUNS[0]; i++) {
        char text[200];
        struct rtcp_xr_losses losses;
        snprintf(text, sizeof text, "%s%s", SSRC, RUNS[i].block);
        read_blocks(text);
        assert_true(rtcp_xr_next(&packet, &block));
        assert_true(rtcp_xr_losses(&block, &losses));
        assert_int_equal(losses.ssrc, 0x1234);
        if (losses.lost != RUNS[i].lost || losses.longest != RUNS[i].longest) {
            fail_msg("row %zu: %u lost, %u in a row", i, losses.lost, losses.longest);
        }
    }
    struct rtcp_xr_losses losses;
    read_blocks(SSRC "01 00 0001 00001234"); // too short
    assert_true(rtcp_xr_next(&packet, &block));
    assert_false(rtcp_xr_losses(&block, &losses));
}

static void statistics_give_what_their_flags_say(void **state)
{
    (void)state;
    struct rtcp_xr_statistics s;
    read_blocks(SSRC STATISTICS);
    assert_true(rtcp_xr_next(&packet, &block));
    assert_true(rtcp_xr_statistics(&block, &s));
    assert_int_equal(s.ssrc, 0x1234);
    assert_int_equal(s.end, 500);
    assert_true(s.has_lost && s.has_duplicates && s.has_jitter);
    assert_int_equal(s.lost, 4);
    assert_int_equal(s.duplicates, 2);
    assert_int_equal(s.jitter, 160);
    bytes.p[5] = 0x40;
    block = (struct rtcp_xr_block){0};
    assert_true(rtcp_xr_next(&packet, &block));
    assert_true(rtcp_xr_statistics(&block, &s));
    assert_true(!s.has_lost && s.has_duplicates && !s.has_jitter);
}

static void voip_gives_every_field(void **state)
{
    (void)state;
    struct rtcp_xr_voip v;
    read_blocks(SSRC VOIP);
    assert_true(rtcp_xr_next(&packet, &block));
    assert_true(rtcp_xr_voip(&block, &v));
    assert_int_equal(v.ssrc, 0x1234);
    assert_true(v.loss_percent == 100.0 * 13 / 256 && v.discard_percent == 100.0 * 26 / 256);
    assert_true(v.burst_percent == 50 && v.gap_percent == 100.0 * 5 / 256);
    assert_true(v.burst_ms == 300 && v.gap_ms == 9000);
    assert_true(v.round_trip_ms == 120 && v.end_system_ms == 80);
    assert_true(v.signal_dbm == -20 && v.noise_dbm == -60 && v.rerl_db == 55);
    assert_true(v.gmin == 16 && v.r_factor == 82 && isnan(v.external_r_factor));
    assert_true(fabs(v.mos_lq - 4.0) < 1e-9 && fabs(v.mos_cq - 3.9) < 1e-9);
    assert_true(v.buffer_ms == 40 && v.buffer_max_ms == 60 && v.buffer_absolute_ms == 300);
}

static void voip_what_is_not_available_is_no_number(void **state)
{
    (void)state;
    struct rtcp_xr_voip v;
    read_blocks(SSRC "07 00 0008 00001234 00000000 0000 0000 0000 0000 7f 7f 7f 10 7f 65 7f 09 00 "
                     "00 0000 0000 0000");
    assert_true(rtcp_xr_next(&packet, &block));
    assert_true(rtcp_xr_voip(&block, &v));
    assert_true(isnan(v.signal_dbm) && isnan(v.noise_dbm) && isnan(v.rerl_db));
    assert_true(isnan(v.r_factor) && isnan(v.external_r_factor));
    assert_true(isnan(v.mos_lq) && isnan(v.mos_cq));
    assert_true(isnan(v.round_trip_ms) && isnan(v.end_system_ms) && isnan(v.buffer_ms));
    assert_true(v.loss_percent == 0 && v.burst_percent == 0);
}

static void check_guarded(uint32_t n)
{
    struct rtcp_packet k = packet;
    uint8_t *copy = guard_copy(bytes.p, n);
    k.p = copy;
    k.n = n;
    k.has_ssrc = n >= 4;
    rtcp_check_packet(&k);
    guard_free(copy, n);
}

static void blocks_of_every_prefix_and_changed_byte_stay_inside(void **state)
{
    (void)state;
    read_blocks(SSRC LOSSES "4064 0003" STATISTICS "04 00 0002 0000000000000000" VOIP LOSSES
                            "d555 aaaa");
    for (uint32_t n = 0; n <= bytes.n; n++) {
        check_guarded(n);
    }
    for (uint32_t k = 0; k < bytes.n; k++) {
        uint8_t before = bytes.p[k];
        for (int value = 0; value < 256; value++) {
            bytes.p[k] = (uint8_t)value;
            check_guarded(bytes.n);
        }
        bytes.p[k] = before;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_passes_over_blocks_of_other_types),
        cmocka_unit_test(next_ends_at_a_block_that_is_not_there_whole),
        cmocka_unit_test(losses_of_each_row_are_counted),
        cmocka_unit_test(statistics_give_what_their_flags_say),
        cmocka_unit_test(voip_gives_every_field),
        cmocka_unit_test(voip_what_is_not_available_is_no_number),
        cmocka_unit_test(blocks_of_every_prefix_and_changed_byte_stay_inside),
    };
    return cmocka_run_group_tests_name("rtcp_xr", tests, NULL, NULL);
}
