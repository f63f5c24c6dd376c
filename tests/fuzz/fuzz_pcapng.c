// Fuzz target of pcapng files: a whole file is walked; packets and bodies lie inside it, a step
// that reads nothing changes nothing, and a step asks for more only where bytes are missing.
#include "wire/cap/pcapng.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

static void check_record(const struct cap_record *r, const uint8_t *from, const uint8_t *end)
{
    MUST(r->bytes >= from && r->bytes <= end && r->captured <= (size_t)(end - r->bytes));
    MUST(r->captured <= CAP_SNAPLEN_MAX && r->length >= r->captured);
    MUST(r->time_ns != INT64_MIN);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct pcapng f, before;
    f = (struct pcapng){0};
    pcapng_probe(bytes, n);
    for (size_t at = 0; at < n;) {
        struct cap_record r;
        uint64_t size = 0;
        struct cap_block block = {.kind = PCAPNG_OTHER};
        size_t left = n - at;
        before = f;
        pcapng_plausible(&f, bytes + at, left);
        enum cap_step step = pcapng_next(&f, bytes + at, left, &r, &size, &block);
        if (step == CAP_MORE || step == CAP_BROKEN) {
            MUST(memcmp(&f, &before, sizeof f) == 0);
            MUST(step == CAP_BROKEN || (size > left && size <= CAP_SNAPLEN_MAX + 32u));
            return 0;
        }
        MUST(size >= 12 && size % 4 == 0);
        MUST(block.body >= bytes + at && block.body_n <= (size_t)(bytes + n - block.body));
        MUST(pcapng_size(&before, bytes + at, left) == size);
        MUST(f.interface_count <= PCAPNG_INTERFACES_MAX);
        MUST(f.version != before.version || f.interface_count == before.interface_count);
        MUST((step == CAP_RECORD) == (block.kind == PCAPNG_PACKET));
        if (step == CAP_RECORD) {
            check_record(&r, bytes + at, bytes + n);
        }
        struct pcapng_statistics said;
        if (block.kind == PCAPNG_STATISTICS && pcapng_statistics(&f, &block, &said)) {
            MUST(said.interface < f.interface_count);
        }
        at += size < left ? (size_t)size : left;
    }
    return 0;
}
