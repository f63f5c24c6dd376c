// pcapng files: blocks from a buffer that may begin and end anywhere.
//
// Reads: sections in both byte orders, thousands of interfaces with their link type, timestamp
// resolution (powers of 10 and of 2) and offset; enhanced, simple and obsolete packet blocks;
// name-resolution and decryption-secrets blocks are handed out for keeping; interface statistics
// are read for lost packets; all other blocks are skipped by their length. No I/O; the state is a
// plain struct that can be copied, so that a buffer in the middle of a file is read with the state
// that is valid there.
#ifndef SIDETONE_WIRE_CAP_PCAPNG_H
#define SIDETONE_WIRE_CAP_PCAPNG_H

#include "wire/cap/pcap.h"

#include <string.h>

// Interfaces of one section. Not smaller: captures merged from many files have one for each of
// them. Not larger: a stranger's file must not grow memory, and what is used of the table is copied
// for every chunk. Packets of interfaces beyond it are counted as odd (cap.interface.unknown), and
// the capture is not complete.
#define PCAPNG_INTERFACES_MAX 8192

struct pcapng_interface {
    uint32_t linktype;
    uint32_t snaplen;
    int64_t offset_s;   // if_tsoffset
    uint8_t resolution; // if_tsresol: 10^-n, or 2^-n with the top bit set; 6 by default
    // Of micro- and nanoseconds without offset, as the short way of pcapng_whole takes them: the
    // unit in nanoseconds, and what the upper half of a time must be below, so that it stays within
    // TIME_MAX_NS. 0: another unit.
    uint16_t tick_ns;
    uint32_t high_end;
};

struct pcapng {
    bool swapped;
    uint32_t interface_count;
    uint64_t version; // counts changes of this state: equal versions of one file mean equal states
    struct pcapng_interface interfaces[PCAPNG_INTERFACES_MAX];
};

// Copies a state: the interfaces that are there, not the whole table.
static inline void pcapng_copy(struct pcapng *to, const struct pcapng *from)
{
    memcpy(to, from,
           offsetof(struct pcapng, interfaces) +
               from->interface_count * sizeof from->interfaces[0]);
}

enum pcapng_block {
    PCAPNG_PACKET,
    PCAPNG_SECTION,
    PCAPNG_INTERFACE,
    PCAPNG_NAMES,      // name resolution block: body kept by the caller if it wants it
    PCAPNG_SECRETS,    // decryption secrets block
    PCAPNG_STATISTICS, // interface statistics block: see pcapng_statistics
    PCAPNG_OTHER,
    // A packet of an interface that was never described: counted, not decoded. It is a CAP_SKIP,
    // since nothing tells its link type or its unit of time.
    PCAPNG_PACKET_NO_INTERFACE,
};

// A block that a walk has passed: its body as far as it is in the buffer, borrowed from there.
struct cap_block {
    enum pcapng_block kind;
    const uint8_t *body;
    size_t body_n;
};

// What an interface statistics block says of losses: counted since the capture began, so the newest
// block of an interface holds.
struct pcapng_statistics {
    uint32_t interface; // of the section; described before
    uint64_t dropped;   // by the interface and by the operating system; UINT64_MAX: or more
};

// Are the first bytes a section header block? Returns 1, 0 for "not yet" (needs 12 bytes),
// ERR_NOT_A_CAPTURE.
int pcapng_probe(const uint8_t *p, size_t n);

// Reads the block at p and updates f. As pcap_next: CAP_RECORD for a packet, CAP_SKIP for other
// blocks, CAP_MORE, CAP_BROKEN. A block of an absurd length (not a multiple of 4 is rounded up, as
// writers exist that forget padding; below 12, or its trailing length differs) is CAP_BROKEN. A
// non-packet block larger than CAP_SNAPLEN_MAX is CAP_SKIP with *size beyond n. Of any block at
// most CAP_SNAPLEN_MAX + 32 bytes are asked for by CAP_MORE. Times are rounded down to nanoseconds;
// those beyond 64 bits become INT64_MAX or -INT64_MAX. *record is touched only by CAP_RECORD,
// *block only by CAP_RECORD and CAP_SKIP, and f is as it was after CAP_MORE and CAP_BROKEN.
enum cap_step pcapng_next(struct pcapng *f, const uint8_t *p, size_t n, struct cap_record *record,
                          uint64_t *size, struct cap_block *block);

// Reads the block at p, if it is what most are: a whole enhanced packet block of our byte order
// that lies in the n bytes, of an interface whose times are ordinary. Fills as pcapng_next, without
// a block. False: that has to say.
static inline bool pcapng_whole(const struct pcapng *f, const uint8_t *p, size_t n,
                                struct cap_record *record, uint64_t *size)
{
    enum {
        ENHANCED = 6, // type
        AROUND = 32,  // type, length, interface, time, captured, length; length
    };
    if (n < AROUND || f->swapped || le32(p) != ENHANCED) {
        return false;
    }
    uint32_t total = le32(p + 4);
    uint32_t interface = le32(p + 8);
    uint32_t high = le32(p + 12);
    uint32_t captured = le32(p + 20);
    uint32_t length = le32(p + 24);
    if (total > n || total % 4 != 0 || captured > CAP_SNAPLEN_MAX || captured + AROUND > total ||
        le32(p + total - 4) != total || interface >= f->interface_count) {
        return false;
    }
    const struct pcapng_interface *in = &f->interfaces[interface];
    if (high >= in->high_end) {
        return false;
    }
    record->time_ns = (int64_t)(((uint64_t)high << 32 | le32(p + 16)) * in->tick_ns);
    record->bytes = p + 28;
    record->captured = captured;
    record->length = length > captured ? length : captured;
    record->linktype = in->linktype;
    record->has_time = true;
    *size = total;
    return true;
}

// Reads the body of a PCAPNG_STATISTICS with the state that pcapng_next left. False: it says
// nothing of lost packets, or is of an interface that was not described.
bool pcapng_statistics(const struct pcapng *f, const struct cap_block *b,
                       struct pcapng_statistics *out);

// Bytes of the block at p by its own word, padding included; 0 where its head is not there.
uint64_t pcapng_size(const struct pcapng *f, const uint8_t *p, size_t n);

// Could a block stand at p (file offset a multiple of 4)? Checks type and both lengths as far as
// they are in the buffer.
bool pcapng_plausible(const struct pcapng *f, const uint8_t *p, size_t n);

#endif
