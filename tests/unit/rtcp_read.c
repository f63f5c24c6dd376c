// Tests of the reader of RTCP: each kind of packet, lengths that lie, SRTCP, and what is cut.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "guard.h"
#include "hex.h"
#include "rtcp_inside.h"
#include "wire/rtp/rtp.h"

#define SR_INFO "dd3ac170 4d614df8 00007d00 000000c8 00007d00"
#define BLOCK   "00000001 0a fffffe 0002bec2 00000050 c1704d61 00018000"
#define SR      "80c8 0006 5d931534" SR_INFO
#define SR_1    "81c8 000c 5d931534" SR_INFO BLOCK
#define RR_1    "81c9 0007 01932db4" BLOCK
#define SDES    "81ca 0005 5d931534 01 05 616c696365 02 04 6e616d65 000000"
#define BYE     "82cb 0003 5d931534 00000007 03 776879"
#define APP     "83cc 0003 5d931534 4e414d45 00000001"
#define PLI     "81ce 0002 5d931534 01932db4"

static struct hex_bytes bytes;
static struct rtcp_reader reader;
static struct rtcp_packet packet;

static void read_bytes(const char *text)
{
    bytes = hex(text);
    rtcp_begin(&reader, bytes.p, bytes.n, bytes.n);
}

static void next(uint8_t type)
{
    assert_true(rtcp_next(&reader, &packet));
    assert_int_equal(packet.type, type);
}

static void reader_walks_every_packet_of_a_compound(void **state)
{
    (void)state;
    static const uint8_t TYPES[] = {RTCP_SR, RTCP_SDES, RTCP_RR, RTCP_APP, RTCP_PSFB, RTCP_BYE};
    read_bytes(SR SDES RR_1 APP PLI BYE);
    for (size_t i = 0; i < sizeof TYPES; i++) {
        next(TYPES[i]);
        assert_true(packet.has_ssrc && !packet.is_sealed);
        assert_int_equal(packet.ssrc, TYPES[i] == RTCP_RR ? 0x01932db4 : 0x5d931534);
    }
    assert_false(rtcp_next(&reader, &packet));
}

static void sender_report_gives_counts_and_blocks(void **state)
{
    (void)state;
    struct rtcp_sender_info info;
    struct rtcp_report report;
    read_bytes(SR_1);
    next(RTCP_SR);
    assert_true(rtcp_sender_info(&packet, &info));
    assert_true(info.ntp == 0xdd3ac1704d614df8);
    assert_int_equal(info.rtp_timestamp, 32000);
    assert_int_equal(info.packets, 200);
    assert_int_equal(info.octets, 32000);
    assert_true(rtcp_report(&packet, 0, &report));
    assert_int_equal(report.ssrc, 1);
    assert_false(rtcp_report(&packet, 1, &report));
    read_bytes(RR_1);
    next(RTCP_RR);
    assert_false(rtcp_sender_info(&packet, &info));
}

static void report_gives_every_field(void **state)
{
    (void)state;
    struct rtcp_report report;
    read_bytes(RR_1);
    next(RTCP_RR);
    assert_true(rtcp_report(&packet, 0, &report));
    assert_int_equal(report.fraction, 10);
    assert_int_equal(report.lost, -2);
    assert_int_equal(report.highest_sequence, 0x2bec2);
    assert_int_equal(report.jitter, 80);
    assert_int_equal(report.lsr, 0xc1704d61);
    assert_int_equal(report.dlsr, 0x18000);
}

static void report_lost_is_signed(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int32_t lost;
    } ROWS[] = {
        {"000000", 0},  {"000001", 1},        {"7fffff", 8388607},  {"ffffff", -1},
        {"fffffe", -2}, {"800000", -8388608}, {"800001", -8388607},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct rtcp_report report;
        char text[200];
        snprintf(text, sizeof text, "81c9 0007 01932db4 00000001 00 %s%s", ROWS[i].bytes,
                 "00000000 00000000 00000000 00000000");
        read_bytes(text);
        next(RTCP_RR);
        assert_true(rtcp_report(&packet, 0, &report));
        assert_int_equal(report.lost, ROWS[i].lost);
    }
}

static void report_count_that_lies_gives_what_is_there(void **state)
{
    (void)state;
    struct rtcp_report report;
    struct rtcp_sender_info info;
    read_bytes("9fc9 0007 01932db4" BLOCK);
    next(RTCP_RR);
    assert_true(rtcp_report(&packet, 0, &report));
    assert_false(rtcp_report(&packet, 1, &report));
    assert_false(rtcp_report(&packet, 30, &report));
    read_bytes("9fc8 0006 5d931534" SR_INFO);
    next(RTCP_SR);
    assert_true(rtcp_sender_info(&packet, &info));
    assert_false(rtcp_report(&packet, 0, &report));
    read_bytes("80c8 0002 5d931534 dd3ac170");
    next(RTCP_SR);
    assert_true(packet.has_ssrc);
    assert_false(rtcp_sender_info(&packet, &info));
    read_bytes("81c9 0000");
    next(RTCP_RR);
    assert_false(packet.has_ssrc);
    assert_false(rtcp_report(&packet, 0, &report));
}

// --- source descriptions ---

static void check_item(struct rtcp_item *item, uint32_t ssrc, uint8_t type, const char *text)
{
    assert_true(rtcp_item_next(&packet, item));
    assert_int_equal(item->ssrc, ssrc);
    assert_int_equal(item->type, type);
    assert_true(slice_eq(item->text, slice_str(text)));
}

static void description_gives_items_of_all_chunks(void **state)
{
    (void)state;
    struct rtcp_item item = {0};
    read_bytes("83ca 0009 5d931534 01 05 616c696365 00" // the end of the chunk is the end of a word
               "00000007 00 000000"                     // without an item
               "00000008 01 00 06 03 616263 00"         // an empty one
               "00000000 0000");
    bytes.n = 40;
    rtcp_begin(&reader, bytes.p, bytes.n, bytes.n);
    next(RTCP_SDES);
    check_item(&item, 0x5d931534, RTCP_ITEM_CNAME, "alice");
    check_item(&item, 8, RTCP_ITEM_CNAME, "");
    check_item(&item, 8, 6, "abc");
    assert_false(rtcp_item_next(&packet, &item));
    assert_false(rtcp_item_next(&packet, &item));
}

static void description_that_lies_ends_there(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int items;
    } ROWS[] = {
        {"81ca 0003 5d931534 01 c8 616c696365 00", 0}, // 200 bytes of text in 6
        {"9fca 0003 5d931534 01 05 616c696365 00", 1}, // 31 chunks in one
        {"80ca 0003 5d931534 01 05 616c696365 00", 0}, // none
        {"81ca 0003 5d931534 01 06 616c69636565", 1},  // no end
        {"81ca 0001 5d931534", 0},
        {"81ca 0000", 0},
        {"81ca 0002 5d931534 01 01 61 01", 1}, // a type without its length
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct rtcp_item item = {0};
        int items = 0;
        read_bytes(ROWS[i].bytes);
        next(RTCP_SDES);
        while (rtcp_item_next(&packet, &item)) {
            items++;
        }
        if (items != ROWS[i].items) {
            fail_msg("row %zu: %d items", i, items);
        }
    }
}

// --- the others ---

static void goodbye_gives_its_sources(void **state)
{
    (void)state;
    uint32_t ssrc;
    read_bytes(BYE);
    next(RTCP_BYE);
    assert_true(rtcp_bye(&packet, 0, &ssrc) && ssrc == 0x5d931534);
    assert_true(rtcp_bye(&packet, 1, &ssrc) && ssrc == 7);
    assert_false(rtcp_bye(&packet, 2, &ssrc));
    read_bytes("9fcb 0001 5d931534"); // 31 sources in one
    next(RTCP_BYE);
    assert_true(rtcp_bye(&packet, 0, &ssrc));
    assert_false(rtcp_bye(&packet, 1, &ssrc));
    read_bytes("80cb 0000");
    next(RTCP_BYE);
    assert_false(packet.has_ssrc);
}

static void feedback_gives_whom_it_is_about(void **state)
{
    (void)state;
    uint32_t ssrc;
    read_bytes(APP);
    next(RTCP_APP);
    assert_int_equal(packet.count, 3);
    assert_false(rtcp_feedback(&packet, &ssrc));
    read_bytes(PLI);
    next(RTCP_PSFB);
    assert_true(rtcp_feedback(&packet, &ssrc) && ssrc == 0x01932db4);
    read_bytes("8fce 0002 5d931534 00000000"); // about none
    next(RTCP_PSFB);
    assert_false(rtcp_feedback(&packet, &ssrc));
    read_bytes("81cd 0001 5d931534");
    next(RTCP_RTPFB);
    assert_false(rtcp_feedback(&packet, &ssrc));
}

static void padding_is_no_part_of_the_packet(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint32_t n; // of the packet, behind its first word
    } ROWS[] = {
        {"a1cb 0002 5d931534 00000004", 4}, {"a1cb 0003 5d931534 00000000 00000008", 4},
        {"a1cb 0002 5d931534 00000008", 0}, // nothing is left
        {"a1cb 0002 5d931534 0000000c", 8}, // more than there is
        {"a1cb 0002 5d931534 00000003", 8}, // no words
        {"a1cb 0002 5d931534 00000000", 8}, {"81cb 0002 5d931534 00000004", 8},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        read_bytes(ROWS[i].bytes);
        next(RTCP_BYE);
        if (packet.n != ROWS[i].n) {
            fail_msg("row %zu: %u bytes", i, packet.n);
        }
    }
}

// --- SRTCP and snaplen ---

#define NOISE   "1f2e3d4c 5b6a7988 1f2e3d4c 5b6a7988 1f2e3d4c"
#define TRAILER "80000001 00112233445566778899"

static void sealed_gives_type_and_ssrc_alone(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint8_t type;
    } ROWS[] = {
        {"80c8 0006 5d931534" NOISE NOISE TRAILER, RTCP_SR},
        {"80c9 0001 5d931534" NOISE TRAILER, RTCP_RR},
        {"8fce 0003 5d931534 1f2e3d4c 5b6a7988" TRAILER, RTCP_PSFB},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct rtcp_report report;
        read_bytes(ROWS[i].bytes);
        next(ROWS[i].type);
        assert_true(packet.is_sealed && packet.has_ssrc);
        assert_int_equal(packet.ssrc, 0x5d931534);
        assert_int_equal(packet.n, 0);
        assert_false(rtcp_report(&packet, 0, &report));
        assert_false(rtcp_next(&reader, &packet));
    }
}

static void cut_packet_gives_what_is_there(void **state)
{
    (void)state;
    struct rtcp_sender_info info;
    struct rtcp_report report;
    bytes = hex(SR_1 SDES);
    rtcp_begin(&reader, bytes.p, 28, bytes.n);
    next(RTCP_SR);
    assert_true(rtcp_sender_info(&packet, &info));
    assert_false(rtcp_report(&packet, 0, &report));
    assert_false(rtcp_next(&reader, &packet));
    rtcp_begin(&reader, bytes.p, 27, bytes.n);
    next(RTCP_SR);
    assert_false(rtcp_sender_info(&packet, &info));
    rtcp_begin(&reader, bytes.p, 56, bytes.n); // the first word of the second
    next(RTCP_SR);
    assert_true(rtcp_report(&packet, 0, &report));
    next(RTCP_SDES);
    assert_false(packet.has_ssrc);
    // No compound ends inside of a word, SRTCP does.
    rtcp_begin(&reader, bytes.p, 28, bytes.n + 2);
    next(RTCP_SR);
    assert_true(packet.is_sealed);
}

static void reader_of_no_rtcp_has_no_packets(void **state)
{
    (void)state;
    static const char *const ROWS[] = {
        "",
        "80c8",
        "80c8 0006 5d931534", // longer than the datagram
        "80c8 0005 5d931534" SR_INFO,
        "40c9 0001 5d931534",
        "8000 0001 5d931534",
        "80e0 0001 5d931534",
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        read_bytes(ROWS[i]);
        assert_false(rtcp_next(&reader, &packet));
    }
}

// --- hostile bytes ---

static const char *const ALL[] = {
    SR SDES RR_1 APP PLI BYE,
    SR_1 "a1cb 0003 5d931534 00000000 00000008",
    "80c8 0006 5d931534" NOISE NOISE TRAILER,
    "9fca 0003 5d931534 01 05 616c696365 00",
    SR "80cf 0004 5d931534 04 00 0002 00000001 00000002",
};

static void check_guarded(const uint8_t *p, uint32_t n, uint32_t length)
{
    uint8_t *copy = guard_copy(p, n);
    struct rtp_header h;
    bool is_control = rtp_classify(copy, n, length, &h) == RTP_CONTROL;
    assert_int_equal(rtcp_walk(copy, n, length) > 0, is_control);
    guard_free(copy, n);
}

static void reader_of_every_prefix_and_changed_byte_stays_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        struct hex_bytes b = hex(ALL[i]);
        for (uint32_t n = 0; n <= b.n; n++) {
            check_guarded(b.p, n, n);
            check_guarded(b.p, n, b.n);
        }
        for (uint32_t k = 0; k < b.n; k++) {
            uint8_t before = b.p[k];
            for (int value = 0; value < 256; value++) {
                b.p[k] = (uint8_t)value;
                check_guarded(b.p, b.n, b.n);
                check_guarded(b.p, b.n / 2, b.n);
            }
            b.p[k] = before;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_walks_every_packet_of_a_compound),
        cmocka_unit_test(sender_report_gives_counts_and_blocks),
        cmocka_unit_test(report_gives_every_field),
        cmocka_unit_test(report_lost_is_signed),
        cmocka_unit_test(report_count_that_lies_gives_what_is_there),
        cmocka_unit_test(description_gives_items_of_all_chunks),
        cmocka_unit_test(description_that_lies_ends_there),
        cmocka_unit_test(goodbye_gives_its_sources),
        cmocka_unit_test(feedback_gives_whom_it_is_about),
        cmocka_unit_test(padding_is_no_part_of_the_packet),
        cmocka_unit_test(sealed_gives_type_and_ssrc_alone),
        cmocka_unit_test(cut_packet_gives_what_is_there),
        cmocka_unit_test(reader_of_no_rtcp_has_no_packets),
        cmocka_unit_test(reader_of_every_prefix_and_changed_byte_stays_inside),
    };
    return cmocka_run_group_tests_name("rtcp_read", tests, NULL, NULL);
}
