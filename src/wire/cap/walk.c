// Guessing in captures of every format: what a walk needs where no border is known yet.
#include "wire/cap/walk.h"

bool cap_walk_plausible(const struct cap_format *f, const struct pcapng *state, const uint8_t *p,
                        size_t n, int64_t near_ns)
{
    return f->kind == CAP_PCAP ? pcap_plausible(&f->pcap, p, n, near_ns)
                               : pcapng_plausible(state, p, n);
}

uint64_t cap_walk_size(const struct cap_format *f, const struct pcapng *state, const uint8_t *p,
                       size_t n)
{
    if (f->kind == CAP_PCAPNG) {
        return pcapng_size(state, p, n);
    }
    struct cap_record record;
    uint64_t size = 0;
    return pcap_next(&f->pcap, p, n, &record, &size) == CAP_BROKEN ? 0 : size;
}
