// One walk for captures of every format: what a file is stands in `struct cap_format`, and those
// who walk never ask which it is.
//
// Comes in: bytes of a file from the border of a record on. Goes out: one record or block a step.
// A pcapng file has a state beside its format, since what its blocks mean depends on those before
// them: who walks owns it and copies it where a walk may be taken again. It is NULL for pcap.
#ifndef SIDETONE_WIRE_CAP_WALK_H
#define SIDETONE_WIRE_CAP_WALK_H

#include "wire/cap/pcap.h"
#include "wire/cap/pcapng.h"

enum cap_kind {
    CAP_PCAP,
    CAP_PCAPNG
};

// What holds for a whole file.
struct cap_format {
    enum cap_kind kind;
    struct pcap pcap; // with CAP_PCAP
};

// One step; as pcap_next and pcapng_next. *block is filled by CAP_SKIP only, which pcap never
// gives.
//
// Inline for the short way of pcap_next: an ordinary file costs one comparison more than that.
static inline enum cap_step cap_walk_next(const struct cap_format *f, struct pcapng *state,
                                          const uint8_t *p, size_t n, struct cap_record *record,
                                          uint64_t *size, struct cap_block *block)
{
    if (__builtin_expect(f->kind == CAP_PCAP, 1)) {
        return pcap_next(&f->pcap, p, n, record, size);
    }
    return pcapng_next(state, p, n, record, size, block);
}

// For finding borders in the middle of a file: offsets at which one may stand are multiples of
// this, counted from the beginning of the file.
static inline size_t cap_walk_alignment(const struct cap_format *f)
{
    return f->kind == CAP_PCAP ? 1 : 4;
}

// Could a record or block begin at p? `near_ns`: a time of this file. Only a guess: the caller
// proves it.
bool cap_walk_plausible(const struct cap_format *f, const struct pcapng *state, const uint8_t *p,
                        size_t n, int64_t near_ns);

// Bytes of the record or block at p, which may be more than n; 0 where nothing tells. The state
// stays as it is.
uint64_t cap_walk_size(const struct cap_format *f, const struct pcapng *state, const uint8_t *p,
                       size_t n);

#endif
