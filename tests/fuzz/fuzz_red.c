// Fuzz target of red_parse() and of its summary: blocks lie inside the payload, one behind the
// other, and the summary says what the chain does.
#include "wire/rtp/red.h"

#include <stdlib.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct red red;
    uint32_t headers = red_parse(bytes, (uint32_t)n, &red);
    struct red_said said = red_said(red_summary(bytes, (uint32_t)n), (uint32_t)n);
    if (n <= UINT16_MAX) {
        MUST(said.is_chain == (headers > 0));
    }
    if (headers == 0) {
        return 0;
    }
    MUST(red.count <= RED_BLOCKS_MAX && headers == red.count * 4u + 1);
    uint32_t at = headers, largest = 0;
    for (unsigned i = 0; i < red.count; i++) {
        MUST(red.blocks[i].at == at && red.blocks[i].payload_type < 128);
        MUST(red.blocks[i].length < 1024 && red.blocks[i].timestamp_offset < 16384);
        at += red.blocks[i].length;
        largest =
            red.blocks[i].timestamp_offset > largest ? red.blocks[i].timestamp_offset : largest;
    }
    MUST(red.primary_at == at && at <= n && red.primary_type < 128);
    MUST(said.primary_type == red.primary_type && said.blocks == red.count);
    MUST(said.timestamp_offset == largest);
    MUST(said.event <= RED_EVENT_MAX || said.event == RED_NO_EVENT);
    return 0;
}
