// pcap files: header and records from a buffer that may begin and end anywhere.
//
// Reads: micro- and nanosecond magic in both byte orders, Kuznetsov's modified format (0xa1b2cd34,
// 24-byte record headers), version 2.3 and older with swapped lengths. No I/O, no allocation: the
// caller owns the buffer.
#ifndef SIDETONE_WIRE_CAP_PCAP_H
#define SIDETONE_WIRE_CAP_PCAP_H

#include "base/bytes.h"
#include "wire/cap/record.h"

#include <stddef.h>

#define PCAP_FILE_HEADER_BYTES 24

struct pcap {
    bool swapped;         // the file's byte order is not ours
    bool nanoseconds;     // else microseconds
    bool lengths_swapped; // old files: length before captured
    bool plain; // our byte order, 16-byte headers, lengths in order: pcap_next takes its short way
    uint8_t record_header; // bytes: 16, or 24 in the modified format
    uint32_t linktype;
    uint32_t snaplen;
    uint32_t fraction_ns; // nanoseconds of a unit of the fraction: 1 or 1000
};

// Reads a file header. Returns PCAP_FILE_HEADER_BYTES, 0 where n is too small, ERR_NOT_A_CAPTURE
// where it is none.
int pcap_open(struct pcap *f, const uint8_t *p, size_t n);

// pcap_next for every file, also an ordinary one.
enum cap_step pcap_next_any(const struct pcap *f, const uint8_t *p, size_t n,
                            struct cap_record *record, uint64_t *size);

// Reads the record at p of a plain file, if it is whole and not longer than CAP_SNAPLEN_MAX; n >=
// 16. Inline, because a walk over a large file spends its time here: one comparison for the bytes,
// and no branch for the unit of time. Everything else, and the rules, are pcap_next_any.
static inline bool pcap_whole(const struct pcap *f, const uint8_t *p, size_t n,
                              struct cap_record *record, uint64_t *size)
{
    uint32_t captured = le32(p + 8);
    uint32_t length = le32(p + 12);
    if (__builtin_expect(captured > n - 16 || captured > CAP_SNAPLEN_MAX, 0)) {
        return false;
    }
    record->time_ns =
        (int64_t)(le32(p) * UINT64_C(1000000000) + (uint64_t)le32(p + 4) * f->fraction_ns);
    record->bytes = p + 16;
    record->captured = captured;
    record->length = length > captured ? length : captured;
    record->linktype = f->linktype;
    record->has_time = true;
    *size = UINT64_C(16) + captured;
    return true;
}

// Reads the record at p (n bytes are there). A record whose captured length exceeds CAP_SNAPLEN_MAX
// gives its first CAP_SNAPLEN_MAX bytes with *size telling its whole size (which may exceed n then:
// the caller skips); a captured length that no writer makes (beyond 2^31, or beyond snaplen and
// CAP_SNAPLEN_MAX both) is CAP_BROKEN.
//
static inline enum cap_step pcap_next(const struct pcap *f, const uint8_t *p, size_t n,
                                      struct cap_record *record, uint64_t *size)
{
    if (__builtin_expect(f->plain && n >= 16 && pcap_whole(f, p, n, record, size), 1)) {
        return CAP_RECORD;
    }
    return pcap_next_any(f, p, n, record, size);
}

// For finding record borders in the middle of a file: could a record header stand at p? Needs
// record_header bytes. `near_ns`: a time of this file; a plausible header is within 30 days of it.
// Only a guess: the caller proves it.
bool pcap_plausible(const struct pcap *f, const uint8_t *p, size_t n, int64_t near_ns);

#endif
