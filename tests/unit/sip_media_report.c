// Tests of what endpoints say of media in SIP: reports of RFC 6035, headers of vendors; digits of
// INFO; and addresses of record in their one form.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "media_report_inside.h"
#include "slice_assert.h"

#define SECTION "VQSessionReport: CallTerm\r\nCallID:a@b\r\nLocalMetrics:\r\n"

static bool is_about(double got, double want)
{
    return isnan(want) ? isnan(got) : fabs(got - want) < 1e-9;
}

static void vq_report_lines_are_read_as_phones_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        double loss, jitter_ms, mos_lq, r_factor;
        const char *codec;
    } CASES[] = {
        {"PacketLoss:NLR=5.0 JDR=2.0", 5, NAN, NAN, NAN, ""},
        {"packetloss :  NLR=5 ", 5, NAN, NAN, NAN, ""},
        {"PacketLoss:NLR=\"0.5\"", 0.5, NAN, NAN, NAN, ""},
        {"PacketLoss:NLR=100.1", NAN, NAN, NAN, NAN, ""},
        {"PacketLoss:NLR=-1", NAN, NAN, NAN, NAN, ""},
        {"PacketLoss:NLR=", NAN, NAN, NAN, NAN, ""},
        {"PacketLoss:NLR=5.0.0", NAN, NAN, NAN, NAN, ""},
        {"PacketLoss:NLR=1e1", NAN, NAN, NAN, NAN, ""},
        {"Signal:NLR=5.0", NAN, NAN, NAN, NAN, ""},
        {"Delay:RTD=1\tIAJ=12.25", NAN, 12.25, NAN, NAN, ""},
        {"Delay:IAJ=65536", NAN, NAN, NAN, NAN, ""},
        {"QualityEst:MOSLQ=4.1 RCQ=85", NAN, NAN, 4.1, 85, ""},
        {"QualityEst:MOSLQ=12.7 RCQ=127", NAN, NAN, NAN, NAN, ""}, // RFC 3611 4.7.5: not known
        {"QualityEst:MOSLQ=0.9 RCQ=0", NAN, NAN, NAN, 0, ""},
        {"SessionDesc:PT=8", NAN, NAN, NAN, NAN, "PCMA"},
        {"SessionDesc:PT=8 PD=G711A", NAN, NAN, NAN, NAN, "G711A"},
        {"SessionDesc:PT=128", NAN, NAN, NAN, NAN, ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[256];
        struct vq_report vq;
        size_t n = (size_t)snprintf(text, sizeof text, SECTION "%s\r\n", CASES[i].line);
        print_message("%s\n", CASES[i].line);
        assert_true(vq_report_read(&vq, slice_of(text, n)));
        assert_true(is_about(vq.local.loss_percent, CASES[i].loss));
        assert_true(is_about(vq.local.jitter_ms, CASES[i].jitter_ms));
        assert_true(is_about(vq.local.mos_lq, CASES[i].mos_lq));
        assert_true(is_about(vq.local.r_factor, CASES[i].r_factor));
        assert_slice(vq.local.codec, CASES[i].codec);
        assert_slice(vq.call_id, "a@b");
        assert_false(vq.has_remote);
    }
}

static void vq_report_sides_have_the_addresses_and_ssrc_of_each_other(void **state)
{
    (void)state;
    static const char TEXT[] = "VQIntervalReport\nLocalMetrics:\nDelay:IAJ=1\n"
                               "LocalAddr: IP=2001:db8::1 PORT=4000 SSRC=0xAbc\n"
                               "RemoteAddr:IP=192.0.2.1 PORT=5000 SSRC=4294967295\n"
                               "LocalID: \"A\" <sip:a@x>;tag=1\n"
                               "RemoteMetrics:\nDelay:IAJ=2\n";
    struct vq_report vq;
    assert_true(vq_report_read(&vq, slice_str(TEXT)));
    assert_true(vq.has_local && vq.has_remote);
    assert_slice(vq.local_id, "sip:a@x");
    assert_slice(vq.local.local_ip, "2001:db8::1");
    assert_slice(vq.local.remote_port, "5000");
    assert_slice(vq.remote.local_ip, "192.0.2.1");
    assert_slice(vq.remote.remote_port, "4000");
    assert_int_equal(vq.local.ssrc, UINT32_MAX);
    assert_int_equal(vq.remote.ssrc, 0xabc);
    assert_true(is_about(vq.local.jitter_ms, 1) && is_about(vq.remote.jitter_ms, 2));
}

static void vq_report_ssrc_that_is_none_is_unknown(void **state)
{
    (void)state;
    static const char *const SSRCS[] = {"0",          "0x00000000", "0x", "0x123456789",
                                        "4294967296", "0x12g4",     "",   "-1"};
    for (size_t i = 0; i < sizeof SSRCS / sizeof SSRCS[0]; i++) {
        char text[128];
        struct vq_report vq;
        size_t n = (size_t)snprintf(text, sizeof text, SECTION "RemoteAddr:SSRC=%s", SSRCS[i]);
        assert_true(vq_report_read(&vq, slice_of(text, n)));
        assert_int_equal(vq.local.ssrc, -1);
    }
    struct vq_report vq;
    assert_false(vq_report_read(&vq, SLICE("")));
    assert_false(vq_report_read(&vq, SLICE("CallID: a@b\r\nhello")));
}

static void rtp_stat_of_each_vendor_has_its_units(void **state)
{
    (void)state;
    static const struct {
        enum rtp_stat_format format;
        const char *text;
        bool good;
        int64_t sent, received, lost;
        double jitter_ms, round_trip_ms;
        const char *codec;
    } CASES[] = {
        {RTP_STAT_X, "PS=1;PR=2;PL=3;JI=4;LA=5", true, 1, 2, 3, 4, NAN, ""},
        {RTP_STAT_X, "CS=0;PS=1;PR=2;PL=3,9;JI=16,2;DE=PCMA", true, 1, 2, 3, 2, NAN, "PCMA"},
        {RTP_STAT_X, "EX=BareSip;PS=1;JI=96.0,1.0;EN=opus/48000;DE=opus/48000", true, 1, -1, -1, 2,
         NAN, "opus/48000"},
        {RTP_STAT_X, "ES=0;PS=1;JI=16;DE=mystery", true, 1, -1, -1, NAN, NAN, "mystery"},
        {RTP_STAT_X, " ps = 1 , pr=2,JI=3 ,EN=G711U", true, 1, 2, -1, 3, NAN, "G711U"},
        {RTP_STAT_X, "PS=-;PR=x;PL=2", false, -1, -1, 2, NAN, NAN, ""},
        {RTP_STAT_X, "PS=1;JI=-1", true, 1, -1, -1, NAN, NAN, ""},
        {RTP_STAT_X, "PS=999999999999999999;JI=1", true, 999999999999999999, -1, -1, 1, NAN, ""},
        {RTP_STAT_X, "PS=9999999999999999999;PR=0", true, -1, 0, -1, NAN, NAN, ""},
        {RTP_STAT_P, "PS=1,OS=2,PR=3,PL=4,JI=5,LA=6", true, 1, 3, 4, 5, 6, ""},
        {RTP_STAT_P, "PS=1,LA=-2147483648,ES=1,JI=8", true, 1, -1, -1, 8, NAN, ""},
        {RTP_STAT_RX, "Dur=1,Pkt=2,LostPkt=3,AvgJit=16", true, -1, 2, 3, 2, NAN, ""},
        {RTP_STAT_RX, "Pkt=2,AvgJit=16.000,VQMetrics=\"VoRxCodec=AMR-WB;X=1,2\",LostPkt=4", true,
         -1, 2, 4, 1, NAN, "AMR-WB"},
        {RTP_STAT_TX, "Dur=1,Pkt=2,VQMetrics=\"VoTxCodec=PCMU\"", true, 2, -1, -1, NAN, NAN,
         "PCMU"},
        {RTP_STAT_TX, "", false, -1, -1, -1, NAN, NAN, ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct media_report r;
        print_message("%s\n", CASES[i].text);
        assert_int_equal(rtp_stat_read(&r, CASES[i].format, slice_str(CASES[i].text)),
                         CASES[i].good);
        assert_true(r.packets_sent == CASES[i].sent && r.packets_received == CASES[i].received);
        assert_true(r.packets_lost == CASES[i].lost);
        assert_true(is_about(r.jitter_ms, CASES[i].jitter_ms));
        assert_true(is_about(r.round_trip_ms, CASES[i].round_trip_ms));
        assert_slice(r.codec, CASES[i].codec);
    }
}

static void dtmf_info_digit_is_read_in_every_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        char digit;
    } CASES[] = {
#define TEXT(text, digit) {text, sizeof(text) - 1, digit}
        TEXT("Signal=5\r\nDuration=160\r\n", '5'),
        TEXT("Signal= 5\r\nDuration= 160\r\n", '5'),
        TEXT("Duration=160\nSignal=5", '5'),
        TEXT("SIGNAL : *", '*'),
        TEXT("Signal=10", '*'),
        TEXT("Signal=11", '#'),
        TEXT("Signal=12", 'A'),
        TEXT("Signal=15", 'D'),
        TEXT("Signal=d", 'D'),
        TEXT("Signal=16", '!'),
        TEXT("Signal=flash", '!'),
        TEXT("Signal=hf", '!'),
        TEXT("Signal=\"7\"", '7'),
        TEXT("Signal=007", '7'),
        TEXT("Digit=3", '3'),
        TEXT("p=Digit-Collection\ny=Digits\nd=4\n", '4'),
        TEXT("5", '5'),
        TEXT(" 5\r\n", '5'),
        TEXT("#", '#'),
        TEXT("\x05\x8a\x03\x20", '5'),
        TEXT("\x09\x0a\x03\x20", '9'),
        TEXT("\x0b\x8a\x03\x20", '#'),
        TEXT("\x11\x8a\x03\x20", '\0'),
        TEXT("\r\n5\n", '5'),
        TEXT("Signal=17", '\0'),
        TEXT("Signal=E", '\0'),
        TEXT("Signal=", '\0'),
        TEXT("Signal=99999999999999999999", '\0'),
        TEXT("Duration=160", '\0'),
        TEXT("", '\0'),
        TEXT("\"\"", '\0'),
        TEXT("\"", '\0'),
#undef TEXT
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        uint8_t *copy = guard_copy(CASES[i].text, CASES[i].n);
        char digit = dtmf_info_digit(slice_of((char *)copy, CASES[i].n));
        guard_free(copy, CASES[i].n);
        if (digit != CASES[i].digit) {
            fail_msg("%s: %c", CASES[i].text, digit);
        }
    }
}

static void aor_has_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *uri, *aor;
    } CASES[] = {
        {"sip:alice@ex.com", "sip:alice@ex.com"},
        {"SIP:alice@EX.com", "sip:alice@ex.com"},
        {"sip:Alice@ex.com", "sip:Alice@ex.com"},
        {"sip:alice@ex.com:5060", "sip:alice@ex.com"},
        {"sip:alice@ex.com:5061", "sip:alice@ex.com:5061"},
        {"sips:alice@ex.com:5061", "sips:alice@ex.com"},
        {"sip:alice:secret@ex.com;transport=tcp?x=y", "sip:alice@ex.com"},
        {"sip:%61lice%3B%zz@ex.com", "sip:alice%3B%25zz@ex.com"},
        {"sip:%6%61l@x", "sip:%256al@x"},
        {"sip:a%3b@ex.com", "sip:a%3B@ex.com"},
        {"sip:a%25b@ex.com", "sip:a%25b@ex.com"},
        {"sip:alice@[2001:DB8::1]:5070", "sip:alice@2001:db8::1:5070"},
        {"sip:ex.com", "sip:@ex.com"},
        {"alice", "alice"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char room[SIP_AOR_BYTES];
        print_message("%s\n", CASES[i].uri);
        assert_slice(sip_aor(slice_str(CASES[i].uri), room), CASES[i].aor);
    }
    char text[SIP_AOR_BYTES * 2], room[SIP_AOR_BYTES];
    memset(text, 'a', sizeof text);
    memcpy(text, "SIP:x@", 6);
    struct slice long_one = slice_of(text, sizeof text);
    assert_true(sip_aor(long_one, room).p == text); // as it is written
}

static void readers_stay_inside_of_every_prefix_and_byte_change(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        SECTION "LocalID:<sip:a@x>\nLocalAddr:IP=::1 PORT=1 SSRC=0x1\nSessionDesc:PT=8 PD=x\n"
                "PacketLoss:NLR=1.5 JDR=2\nRemoteMetrics:\nQualityEst:MOSLQ=4 RCQ=9\n",
        "CS=0;PS=523;PR=522;PL=2,1;EN=PCMA;DE=opus/48000;JI=23,2;IP=192.0.2.1:7,192.0.2.2:8",
        "Dur=15,Pkt=755,LostPkt=2,AvgJit=24.5,VQMetrics=\"MLQK=3.5;VoRxCodec=G722;MOScq=4.2\"",
        "Signal= 11\r\nDuration= 180\r\n",
        "SIP:%61l%3bice:pw@[2001:DB8::1]:5070;transport=tcp?x=y",
    };
    static const char BYTES[] = {0,   '\n', '\r', ' ', ':', '/', '=', '-', '9',
                                 '"', ';',  ',',  '.', '@', '%', '[', 'a', '\xff'};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        size_t n = strlen(TEXTS[i]);
        for (size_t end = 0; end <= n; end++) {
            char *copy = (char *)guard_copy(TEXTS[i], end);
            media_report_check_all(copy, end);
            guard_free((uint8_t *)copy, end);
        }
        char *copy = (char *)guard_copy(TEXTS[i], n);
        for (size_t at = 0; at < n; at++) {
            char kept = copy[at];
            for (size_t k = 0; k < sizeof BYTES; k++) {
                copy[at] = BYTES[k];
                media_report_check_all(copy, n);
            }
            copy[at] = kept;
        }
        guard_free((uint8_t *)copy, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vq_report_lines_are_read_as_phones_write_them),
        cmocka_unit_test(vq_report_sides_have_the_addresses_and_ssrc_of_each_other),
        cmocka_unit_test(vq_report_ssrc_that_is_none_is_unknown),
        cmocka_unit_test(rtp_stat_of_each_vendor_has_its_units),
        cmocka_unit_test(dtmf_info_digit_is_read_in_every_spelling),
        cmocka_unit_test(aor_has_one_form),
        cmocka_unit_test(readers_stay_inside_of_every_prefix_and_byte_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
