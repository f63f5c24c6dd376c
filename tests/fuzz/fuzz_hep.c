// Fuzz target of HEP: the input as an envelope, its payload inflated, and the input as a payload.
#include "../unit/sip_inside.h"
#include "decode/inflate.h"
#include "wire/hep/hep.h"

#define INFLATED_MAX ((size_t)64 << 10) // that the fuzzer is quick

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_inflate(struct slice in)
{
    struct arena a;
    struct slice out;
    arena_init(&a, 1 << 12);
    bool is_whole = inflate_into(&a, in, INFLATED_MAX, &out);
    INSIDE_CHECK(out.n <= INFLATED_MAX && (is_whole || out.n == 0));
    INSIDE_CHECK(is_whole || a.total_bytes == 0);
    // The limit decides nothing else.
    struct slice less;
    INSIDE_CHECK(!is_whole || inflate_into(&a, in, out.n, &less));
    INSIDE_CHECK(!is_whole || slice_eq(out, less));
    INSIDE_CHECK(!is_whole || out.n == 0 || !inflate_into(&a, in, out.n - 1, &less));
    arena_fini(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *p = (const char *)bytes;
    struct hep h;
    int64_t length = hep_stream_length(bytes, n);
    INSIDE_CHECK(length >= -1 && length <= UINT16_MAX);
    if (hep_read(&h, bytes, n)) {
        INSIDE_CHECK(h.version >= 1 && h.version <= 3);
        INSIDE_CHECK(h.version < 3 || length != 0);
        INSIDE_CHECK(slice_is_inside(h.payload, p, n));
        INSIDE_CHECK(slice_is_inside(h.correlation_id, p, n));
        INSIDE_CHECK(slice_is_inside(h.node, p, n));
        INSIDE_CHECK(h.has_time ? h.time_ns > 0 : h.time_ns == 0);
        INSIDE_CHECK(h.version == 3 || (h.payload.n > 0 && h.type == HEP_SIP));
        if (h.is_compressed) {
            check_inflate(h.payload);
        }
    }
    check_inflate(slice_of(p, n));
    return 0;
}
