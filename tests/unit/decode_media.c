// Tests of what decoding keeps of a media payload: its level, its first bytes or its chain.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "decode/decode.h"
#include "guard.h"
#include "wire/rtp/level.h"
#include "wire/rtp/red.h"

#define HEADERS (FRAME_HEADERS_BYTES + 12) // up to the payload

// The record of an RTP packet whose frame was cut to `captured` bytes; its last one is the last of
// a page. False: there is none.
static bool decode(uint8_t payload_type, const uint8_t *payload, size_t n, size_t captured,
                   struct media_record *out)
{
    uint8_t rtp[800], frame[CAPTURE_FRAME_ROOM];
    struct frame_path path = capture_path(1, 4000, 2, 5000);
    capture_rtp(rtp, payload_type, false, 7, 8, 9, n);
    if (n > 0) {
        memcpy(rtp + 12, payload, n);
    }
    size_t frame_n = capture_frame(frame, LINK_ETHERNET, &path, 1, rtp, 12 + n);
    captured = captured < frame_n ? captured : frame_n;
    struct records r;
    records_init(&r);
    uint8_t *p = guard_copy(frame, captured);
    struct origin from = {.order = order_of(CAPTURE_START_NS, 0, 1), .time_ns = CAPTURE_START_NS};
    decode_frame(&r, LINK_ETHERNET, p, (uint32_t)captured, &from);
    guard_free(p, captured);
    bool found = r.lists[MEDIA_RECORDS].count == 1;
    if (found) {
        *out = ((const struct media_record *)r.lists[MEDIA_RECORDS].items)[0];
    }
    records_fini(&r);
    return found;
}

static void media_record_of_g711_has_the_level_of_what_is_there(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("decode_media", 1));
    uint8_t payload[240];
    for (size_t i = 0; i < sizeof payload; i++) {
        payload[i] = (uint8_t)random_u64(&rng);
    }
    static const size_t SIZES[] = {0, 1, 15, 16, 80, 160, 240};
    for (size_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; k++) {
        for (size_t cut = 0; cut <= SIZES[k]; cut++) {
            for (int pt = 0; pt <= 8; pt += 8) {
                struct media_record r;
                size_t there = SIZES[k] - cut;
                assert_true(decode((uint8_t)pt, payload, SIZES[k], HEADERS + there, &r));
                enum level_law law = pt == 0 ? LEVEL_MU_LAW : LEVEL_A_LAW;
                assert_int_equal(r.payload_n, there);
                assert_int_equal(r.head, there == 0 ? 0
                                                    : level_pack(level_measure_plain(
                                                          law, payload, (uint32_t)there)));
            }
        }
    }
}

static void media_record_of_other_types_has_the_first_bytes_or_the_chain(void **state)
{
    (void)state;
    static const uint8_t CHAIN[] = {0xef, 0x0f, 0x00, 0x02, 0x6f, 1, 2, 3, 4, 5};
    static const uint8_t EVENT[] = {5, 0x8a, 0x03, 0x20};
    struct media_record r;
    for (size_t there = 0; there <= sizeof CHAIN; there++) {
        assert_true(decode(63, CHAIN, sizeof CHAIN, HEADERS + there, &r));
        assert_int_equal(r.head, red_summary(CHAIN, (uint32_t)there));
        assert_int_equal(red_said(r.head, r.payload_n).is_chain, there >= 7);
    }
    for (size_t there = 0; there <= sizeof EVENT; there++) {
        assert_true(decode(101, EVENT, sizeof EVENT, HEADERS + there, &r));
        assert_int_equal(r.head, red_summary(EVENT, (uint32_t)there));
    }
    assert_int_equal(r.head, 0x058a0320);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(media_record_of_g711_has_the_level_of_what_is_there),
        cmocka_unit_test(media_record_of_other_types_has_the_first_bytes_or_the_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
