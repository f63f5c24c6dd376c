// Tests of rtp_classify(), of the codec tables and of DTMF digits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "hex.h"
#include "wire/rtp/codec.h"
#include "wire/rtp/rtp.h"

static enum rtp_class classify_guarded(const uint8_t *bytes, uint32_t n, uint32_t length,
                                       struct rtp_header *h)
{
    uint8_t *p = guard_copy(bytes, n);
    enum rtp_class class = rtp_classify(p, n, length, h);
    guard_free(p, n);
    return class;
}

#define FIXED "1234 00000064 deadbeef" // sequence number, timestamp, SSRC
#define SR                                                                                         \
    "80c8 0006 deadbeef 00000000 00000000 00000000 00000000 00000000" // without report blocks
#define RR_1 "81c9 0007 deadbeef 00000001 0a fffffe 00000000 00000000 00000000 00000000"
#define BYE  "81cb 0001 deadbeef"
#define SDES "81ca 0003 deadbeef 0103 6a6f65 000000"

static const struct row {
    const char *bytes;
    uint32_t cut; // bytes of the datagram that snaplen took
    enum rtp_class class;
    int header_n, payload_n, payload_type;
    bool marker;
} ROWS[] = {
    // RTP
    {"8000" FIXED, 0, RTP_MEDIA, 12, 0, 0, false},
    {"8000" FIXED "ffff", 0, RTP_MEDIA, 12, 2, 0, false},
    {"8088" FIXED "ffff", 0, RTP_MEDIA, 12, 2, 8, true},
    {"807f" FIXED "ffff", 0, RTP_MEDIA, 12, 2, 127, false},
    {"8200" FIXED "00000001 00000002 ffff", 0, RTP_MEDIA, 20, 2, 0, false},
    {"8200" FIXED "00000001 00", 0, RTP_BROKEN, 0, 0, 0, false},
    {"9000" FIXED "bede 0001 10aa0000 ffff", 0, RTP_MEDIA, 20, 2, 0, false},
    {"9000" FIXED "bede 0000", 0, RTP_MEDIA, 16, 0, 0, false},
    {"9000" FIXED "bede 0002 10aa0000 ffff", 0, RTP_BROKEN, 0, 0, 0, false},
    {"9000" FIXED "bede", 0, RTP_BROKEN, 0, 0, 0, false},
    {"9000" FIXED "bede ffff", 0, RTP_BROKEN, 0, 0, 0, false},
    {"9100" FIXED "00000001 bede 0001 10aa0000 ffff", 0, RTP_MEDIA, 24, 2, 0, false},
    {"a000" FIXED "ffff 00000004", 0, RTP_MEDIA, 12, 2, 0, false},
    {"a000" FIXED "000004", 0, RTP_BROKEN, 0, 0, 0, false}, // 4 of 3 bytes
    {"a000" FIXED "00000004", 0, RTP_MEDIA, 12, 0, 0, false},
    {"a000" FIXED "ffffff00", 0, RTP_BROKEN, 0, 0, 0, false}, // a count of 0
    {"a000" FIXED, 0, RTP_BROKEN, 0, 0, 0, false},            // no byte to hold the count
    {"b100" FIXED "00000001 bede 0000 ffff 0002", 0, RTP_MEDIA, 20, 2, 0, false},
    // RTP cut by snaplen
    {"a000" FIXED "ffff", 100, RTP_MEDIA, 12, 2, 0, false}, // padding cannot be seen
    {"8000" FIXED, 160, RTP_MEDIA, 12, 0, 0, false},
    {"8f00" FIXED "00000001", 160, RTP_MEDIA, 72, 0, 0, false},
    {"8f00" FIXED "00000001", 20, RTP_BROKEN, 0, 0, 0, false},
    {"9000" FIXED "be", 160, RTP_MEDIA, 16, 0, 0, false}, // the extension's length cannot be seen
    // Neither
    {"", 0, RTP_NOT, 0, 0, 0, false},
    {"80", 0, RTP_NOT, 0, 0, 0, false},
    {"8000 1234 00000064 deadbe", 0, RTP_NOT, 0, 0, 0, false},
    {"4000" FIXED, 0, RTP_NOT, 0, 0, 0, false},
    {"c000" FIXED, 0, RTP_NOT, 0, 0, 0, false},
    {"0001 0000 2112a442 000000000000000000000000", 0, RTP_NOT, 0, 0, 0, false}, // STUN
    {"16fefd 0000000000000000", 0, RTP_NOT, 0, 0, 0, false},                     // DTLS
    // RTCP
    {SR, 0, RTP_CONTROL, 0, 0, 0, false},
    {RR_1, 0, RTP_CONTROL, 0, 0, 0, false},
    {"80c9 0001 deadbeef", 0, RTP_CONTROL, 0, 0, 0, false}, // a receiver report without blocks
    {SR SDES, 0, RTP_CONTROL, 0, 0, 0, false},
    {SR SDES BYE "80cf 0001 deadbeef", 0, RTP_CONTROL, 0, 0, 0, false},
    {BYE, 0, RTP_CONTROL, 0, 0, 0, false},                           // reduced size
    {"81ce 0002 deadbeef 00000001", 0, RTP_CONTROL, 0, 0, 0, false}, // PLI alone
    {"80c0 0001 deadbeef", 0, RTP_CONTROL, 0, 0, 0, false},
    {"80df 0001 deadbeef", 0, RTP_CONTROL, 0, 0, 0, false},
    {SR "a1cb 0002 deadbeef 00000004", 0, RTP_CONTROL, 0, 0, 0, false}, // padding at the end
    {"a0c8 0006 deadbeef 00000000 00000000 00000000 00000000 00000004" BYE, 0, RTP_CONTROL, 0, 0, 0,
     false}, // whole first report, then what may be encrypted
    {SR "1f2e3d4c 80000001 00112233445566778899", 0, RTP_CONTROL, 0, 0, 0, false}, // SRTCP
    // RTCP cut by snaplen
    {SR, 40, RTP_CONTROL, 0, 0, 0, false},
    {SR "81ca", 10, RTP_CONTROL, 0, 0, 0, false},
    // The same first bytes, but no RTCP
    {"80c8" FIXED "ffff", 0, RTP_MEDIA, 12, 2, 72, true}, // type 72 with the marker
    {"80cb 0001 00000064 deadbeef ffff", 0, RTP_MEDIA, 12, 2, 75, true},
    {"80c8 0006 00000064 deadbeef", 0, RTP_MEDIA, 12, 0, 72, true}, // longer than the datagram
    {"80e0" FIXED, 0, RTP_MEDIA, 12, 0, 96, true},
    {"80bf" FIXED, 0, RTP_MEDIA, 12, 0, 63, true},
};

static void classify_each_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const struct row *row = &ROWS[i];
        struct hex_bytes b = hex(row->bytes);
        struct rtp_header h = {0};
        enum rtp_class class = classify_guarded(b.p, b.n, b.n + row->cut, &h);
        if (class != row->class) {
            fail_msg("row %zu: class %d, not %d", i, class, row->class);
        }
        if (class == RTP_MEDIA) {
            assert_int_equal(h.header_n, row->header_n);
            assert_int_equal(h.payload_n, row->payload_n);
            assert_int_equal(h.payload_type, row->payload_type);
            assert_int_equal(h.marker, row->marker);
        }
    }
}

static void classify_media_reads_the_fields(void **state)
{
    (void)state;
    struct hex_bytes b = hex("8008" FIXED);
    struct rtp_header h;
    assert_int_equal(rtp_classify(b.p, b.n, b.n, &h), RTP_MEDIA);
    assert_int_equal(h.sequence, 0x1234);
    assert_int_equal(h.timestamp, 100);
    assert_int_equal(h.ssrc, 0xdeadbeef);
}

static void check_inside(const uint8_t *bytes, uint32_t n, uint32_t length)
{
    struct rtp_header h;
    if (classify_guarded(bytes, n, length, &h) == RTP_MEDIA) {
        assert_true(h.header_n >= 12 && h.header_n <= length);
        assert_true(h.payload_n == 0 || h.header_n + h.payload_n <= n);
    }
}

static void classify_every_prefix_and_changed_byte_stays_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct hex_bytes b = hex(ROWS[i].bytes);
        for (uint32_t n = 0; n <= b.n; n++) {
            check_inside(b.p, n, n);
            check_inside(b.p, n, b.n);
        }
        for (uint32_t k = 0; k < b.n; k++) {
            for (int bit = 0; bit < 8; bit++) {
                b.p[k] ^= (uint8_t)(1 << bit);
                check_inside(b.p, b.n, b.n);
                check_inside(b.p, b.n, b.n + 100);
                b.p[k] ^= (uint8_t)(1 << bit);
            }
        }
    }
}

static void codec_by_name_knows_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum codec codec;
        const char *shown;
    } NAMES[] = {
        {"PCMU", CODEC_PCMU, "PCMU"},
        {"pcmu", CODEC_PCMU, "PCMU"},
        {"PcMa", CODEC_PCMA, "PCMA"},
        {"G722", CODEC_G722, "G722"},
        {"G729", CODEC_G729, "G729"},
        {"G729A", CODEC_G729, "G729"},
        {"g.729", CODEC_G729, "G729"},
        {"G729D", CODEC_OTHER, ""}, // other bit rates than G.729 and its annexes A and B
        {"OPUS", CODEC_OPUS, "opus"},
        {"AMR", CODEC_AMR, "AMR"},
        {"amr-wb", CODEC_AMR_WB, "AMR-WB"},
        {"AMR-WB+", CODEC_OTHER, ""},
        {"telephone-event", CODEC_EVENT, "telephone-event"},
        {"Telephone-Event", CODEC_EVENT, "telephone-event"},
        {"cn", CODEC_CN, "CN"},
        {"RED", CODEC_RED, "red"},
        {"G726-32", CODEC_G726, "G726"},
        {"AAL2-G726-16", CODEC_G726, "G726"},
        {"ilbc", CODEC_ILBC, "iLBC"},
        {"Speex", CODEC_SPEEX, "speex"},
        {"H263-1998", CODEC_H263, "H263"},
        {"T140", CODEC_T140, "t140"},
        {"rtx", CODEC_RTX, "rtx"},
        {"ulpfec", CODEC_FEC, "ulpfec"},
        {"FlexFEC-03", CODEC_FEC, "ulpfec"}, // of any format: a stream shows the announced name
        {"parityfec", CODEC_FEC, "ulpfec"},
        {"x-of-ours", CODEC_OTHER, ""},
        {"PCM", CODEC_OTHER, ""},
        {"", CODEC_UNKNOWN, ""},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        enum codec codec = codec_by_name(slice_str(NAMES[i].name));
        assert_int_equal(codec, NAMES[i].codec);
        assert_string_equal(codec_name(codec), NAMES[i].shown);
    }
}

static void codec_names_lead_back_to_their_codec(void **state)
{
    (void)state;
    for (int c = CODEC_UNKNOWN + 1; c < CODEC_OTHER; c++) {
        assert_true(codec_name((enum codec)c)[0] != '\0');
        assert_int_equal(codec_by_name(slice_str(codec_name((enum codec)c))), c);
    }
    assert_true(codec_is_video(CODEC_H264));
    assert_false(codec_is_video(CODEC_OPUS));
}

static void codec_kind_is_that_of_its_media(void **state)
{
    (void)state;
    assert_string_equal(codec_kind(CODEC_PCMU), "audio");
    assert_string_equal(codec_kind(CODEC_EVENT), "audio");
    assert_string_equal(codec_kind(CODEC_AV1), "video");
    assert_string_equal(codec_kind(CODEC_T140), "text");
    assert_string_equal(codec_kind(CODEC_T38), "fax");
    assert_string_equal(codec_kind(CODEC_RTX), "other");
    assert_string_equal(codec_kind(CODEC_FEC), "other");
    assert_null(codec_kind(CODEC_UNKNOWN));
    assert_null(codec_kind(CODEC_OTHER));
    assert_null(codec_kind(CODEC_RED));
    for (int c = CODEC_UNKNOWN; c < CODEC_COUNT; c++) {
        const char *kind = codec_kind((enum codec)c);
        assert_int_equal(codec_is_video((enum codec)c), kind && strcmp(kind, "video") == 0);
    }
}

static void codec_static_types_are_those_of_rfc_3551(void **state)
{
    (void)state;
    static const struct {
        uint8_t pt;
        enum codec codec;
        uint32_t clock_hz;
    } TYPES[] = {
        {0, CODEC_PCMU, 8000},   {1, CODEC_UNKNOWN, 0},   {3, CODEC_GSM, 8000},
        {4, CODEC_G723, 8000},   {6, CODEC_DVI4, 16000},  {8, CODEC_PCMA, 8000},
        {9, CODEC_G722, 8000}, // the clock is 8000 though it samples at 16000
        {10, CODEC_L16, 44100},  {13, CODEC_CN, 8000},    {14, CODEC_MPA, 90000},
        {17, CODEC_DVI4, 22050}, {18, CODEC_G729, 8000},  {19, CODEC_UNKNOWN, 0},
        {26, CODEC_JPEG, 90000}, {31, CODEC_H261, 90000}, {34, CODEC_H263, 90000},
        {35, CODEC_UNKNOWN, 0},  {96, CODEC_UNKNOWN, 0},  {255, CODEC_UNKNOWN, 0},
    };
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        uint32_t clock_hz = 1;
        assert_int_equal(codec_by_payload_type(TYPES[i].pt, &clock_hz), TYPES[i].codec);
        assert_int_equal(clock_hz, TYPES[i].clock_hz);
    }
}

static void dtmf_digits_are_those_of_rfc_4733(void **state)
{
    (void)state;
    const char *digits = "0123456789*#ABCD!";
    for (uint8_t event = 0; event < 17; event++) {
        assert_int_equal(dtmf_digit(event), digits[event]);
    }
    assert_int_equal(dtmf_digit(17), 0);
    assert_int_equal(dtmf_digit(255), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classify_each_row),
        cmocka_unit_test(classify_media_reads_the_fields),
        cmocka_unit_test(classify_every_prefix_and_changed_byte_stays_inside),
        cmocka_unit_test(codec_by_name_knows_spellings),
        cmocka_unit_test(codec_names_lead_back_to_their_codec),
        cmocka_unit_test(codec_kind_is_that_of_its_media),
        cmocka_unit_test(codec_static_types_are_those_of_rfc_3551),
        cmocka_unit_test(dtmf_digits_are_those_of_rfc_4733),
    };
    return cmocka_run_group_tests_name("rtp_header", tests, NULL, NULL);
}
