// Fuzz target of rtp_classify() and the codec names: the first byte says how much of the datagram
// snaplen took; header and payload lie inside what is there.
#include "wire/rtp/codec.h"
#include "wire/rtp/rtp.h"

#include <stdlib.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n == 0) {
        return 0;
    }
    const uint8_t *p = bytes + 1;
    uint32_t there = (uint32_t)n - 1;
    uint32_t length = there + bytes[0];
    struct rtp_header h;
    enum rtp_class class = rtp_classify(p, there, length, &h);
    MUST(class == RTP_NOT || (there >= 4 && p[0] >> 6 == 2));
    if (class == RTP_MEDIA) {
        MUST(there >= 12 && h.header_n >= 12 && h.header_n <= length);
        MUST(h.payload_n == 0 || (uint32_t)h.header_n + h.payload_n <= there);
        MUST(h.payload_type < 128 && (h.payload_type | h.marker << 7) == p[1]);
        uint32_t clock_hz;
        enum codec codec = codec_by_payload_type(h.payload_type, &clock_hz);
        MUST((codec == CODEC_UNKNOWN) == (clock_hz == 0));
    }
    enum codec named = codec_by_name(slice_of((const char *)p, there));
    MUST(named < CODEC_COUNT && (named == CODEC_UNKNOWN) == (there == 0));
    return 0;
}
