// Fuzz target of pcap files: a whole file is walked; each record lies inside it, a step asks for
// more only where bytes are missing, and the short way gives what the plain one gives.
#include "wire/cap/pcap.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

static bool is_same(const struct cap_record *a, const struct cap_record *b)
{
    return a->time_ns == b->time_ns && a->bytes == b->bytes && a->captured == b->captured &&
           a->length == b->length && a->linktype == b->linktype && a->has_time == b->has_time;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct pcap f;
    int opened = pcap_open(&f, bytes, n);
    MUST(opened == PCAP_FILE_HEADER_BYTES || opened <= 0);
    if (opened <= 0) {
        return 0;
    }
    for (size_t at = PCAP_FILE_HEADER_BYTES; at < n;) {
        struct cap_record r = {0}, plain = {0};
        uint64_t size = 0, plain_size = 0;
        size_t left = n - at;
        enum cap_step step = pcap_next(&f, bytes + at, left, &r, &size);
        MUST(step == pcap_next_any(&f, bytes + at, left, &plain, &plain_size));
        MUST(size == plain_size && is_same(&r, &plain));
        pcap_plausible(&f, bytes + at, left, 0);
        if (step != CAP_RECORD) {
            MUST(step == CAP_BROKEN || (step == CAP_MORE && size > left));
            MUST(step == CAP_BROKEN || size <= CAP_SNAPLEN_MAX + 24u);
            return 0;
        }
        MUST(r.bytes == bytes + at + f.record_header);
        MUST(r.captured <= left - f.record_header && r.captured <= CAP_SNAPLEN_MAX);
        MUST(r.length >= r.captured && r.time_ns >= 0);
        MUST(size >= (uint64_t)f.record_header + r.captured);
        at += size < left ? (size_t)size : left;
    }
    return 0;
}
