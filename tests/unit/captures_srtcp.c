// Tests of what real captures taught about RTCP: feedback and extended reports that travel alone
// and encrypted, on the port of the media.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "guard.h"
#include "wire/rtp/rtp.h"

struct row {
    const char *name;
    uint8_t first, type;
    uint16_t words;   // as the header says: size in words of 32 bits, minus one
    uint32_t trailer; // bytes after what the header claims
    enum rtp_class class;
};

static const struct row ROWS[] = {
    {"feedback, HMAC", 0x8f, 205, 6, 14, RTP_CONTROL},
    {"feedback with padding bit, AEAD", 0xaf, 205, 8, 20, RTP_CONTROL},
    {"payload feedback, AEAD", 0x81, 206, 2, 20, RTP_CONTROL},
    {"extended report, AEAD", 0x80, 207, 4, 20, RTP_CONTROL},
    {"BYE, HMAC", 0x81, 203, 1, 14, RTP_CONTROL},
    {"not encrypted", 0x8f, 205, 6, 0, RTP_CONTROL},
    {"trailer of no known size", 0x8f, 205, 6, 13, RTP_MEDIA},
    {"trailer of words", 0x8f, 205, 6, 16, RTP_MEDIA},
    {"type of no known packet", 0x80, 208, 6, 14, RTP_MEDIA},
    {"claims nothing", 0x80, 205, 0, 20, RTP_MEDIA},
    {"version 1", 0x4f, 205, 6, 14, RTP_NOT},
};

static uint32_t make(uint8_t out[256], const struct row *row)
{
    uint32_t n = (row->words + 1u) * 4 + row->trailer;
    memset(out, 0x11, n); // no header of a second packet, a plausible count of padding
    out[0] = row->first;
    out[1] = row->type;
    out[2] = (uint8_t)(row->words >> 8);
    out[3] = (uint8_t)row->words;
    return n;
}

static void rtp_classify_lone_encrypted_rtcp_told_from_media(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        uint8_t bytes[256];
        struct rtp_header h;
        uint32_t n = make(bytes, &ROWS[i]);
        uint8_t *p = guard_copy(bytes, n);
        // Those that are no RTCP are media by their first bits, some with CSRCs that do not fit.
        enum rtp_class class = rtp_classify(p, n, n, &h);
        if (class == RTP_BROKEN) {
            class = RTP_MEDIA;
        }
        if (class != ROWS[i].class) {
            fail_msg("%s: %d", ROWS[i].name, (int)class);
        }
        guard_free(p, n);
    }
}

// Cut by snaplen: what is not there is neither read nor missed.
static void rtp_classify_lone_encrypted_rtcp_cut_reads_no_byte_too_many(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        uint8_t bytes[256];
        struct rtp_header h;
        uint32_t length = make(bytes, &ROWS[i]);
        for (uint32_t n = 0; n <= length; n++) {
            uint8_t *p = guard_copy(bytes, n);
            enum rtp_class class = rtp_classify(p, n, length, &h);
            if (n < 4) {
                assert_int_equal(class, RTP_NOT);
            }
            guard_free(p, n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rtp_classify_lone_encrypted_rtcp_told_from_media),
        cmocka_unit_test(rtp_classify_lone_encrypted_rtcp_cut_reads_no_byte_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
