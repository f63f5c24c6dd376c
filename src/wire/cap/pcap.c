// Reading of pcap file headers and records.
//
// Layout of a record header (24 bytes in Kuznetsov's modified format, whose last 8 are an interface
// index, an Ethernet type and a packet type that we do not need):
//
//     0        4          8          12       16
//     seconds  fraction   captured   length   bytes ...
//
// Budget: pcap_whole touches 16 bytes of the header and makes two comparisons; proof: bench/peel.
// The rest of this file is for other files than today's ordinary ones. draft-ietf-opsawg-pcap.
#include "wire/cap/pcap.h"

#include "base/error.h"

#define MAGIC_MICRO    0xa1b2c3d4u
#define MAGIC_NANO     0xa1b23c4du
#define MAGIC_MODIFIED 0xa1b2cd34u

// The link type shares its word with the length of the frame check sequence (top bits).
#define LINKTYPE_MASK 0x03ffffffu

// Lengths of 2^31 and more were never written by anybody: a sign of damage.
#define CAPTURED_ABSURD 0x80000000u

#define THIRTY_DAYS_NS (INT64_C(30) * 86400 * 1000000000)

static uint32_t word(const struct pcap *f, const uint8_t *p)
{
    return f->swapped ? be32(p) : le32(p);
}

static bool is_magic(uint32_t magic)
{
    return magic == MAGIC_MICRO || magic == MAGIC_NANO || magic == MAGIC_MODIFIED;
}

int pcap_open(struct pcap *f, const uint8_t *p, size_t n)
{
    if (n >= 4 && !is_magic(le32(p)) && !is_magic(be32(p))) {
        return ERR_NOT_A_CAPTURE;
    }
    if (n < PCAP_FILE_HEADER_BYTES) {
        return 0;
    }
    struct pcap made = {.swapped = !is_magic(le32(p)), .record_header = 16};
    uint32_t magic = word(&made, p);
    uint16_t major = made.swapped ? be16(p + 4) : le16(p + 4);
    uint16_t minor = made.swapped ? be16(p + 6) : le16(p + 6);
    if (magic == MAGIC_MODIFIED) {
        made.record_header = 24;
    }
    made.nanoseconds = magic == MAGIC_NANO;
    made.fraction_ns = made.nanoseconds ? 1 : 1000;
    // Before 2.4 the two lengths stood in the other order; 2.3 files exist with both orders.
    made.lengths_swapped = major < 2 || (major == 2 && minor <= 3);
    made.snaplen = word(&made, p + 16);
    made.linktype = word(&made, p + 20) & LINKTYPE_MASK;
    made.plain = !made.swapped && !made.lengths_swapped && made.record_header == 16;
    *f = made;
    return PCAP_FILE_HEADER_BYTES;
}

// The longest record that this file may hold; its snaplen is a hint, since writers exist that
// exceed or zero it.
static uint32_t captured_max(const struct pcap *f)
{
    return f->snaplen > CAP_SNAPLEN_MAX ? f->snaplen : CAP_SNAPLEN_MAX;
}

static void read_lengths(const struct pcap *f, const uint8_t *p, uint32_t *captured,
                         uint32_t *length)
{
    uint32_t first = word(f, p + 8);
    uint32_t second = word(f, p + 12);
    if (f->lengths_swapped) {
        // Nothing in the file says which order it is, but captured is never the larger one.
        *captured = first < second ? first : second;
        *length = first < second ? second : first;
    } else {
        *captured = first;
        *length = second > first ? second : first;
    }
}

static int64_t read_time(const struct pcap *f, const uint8_t *p)
{
    // At most 2^32 * 10^9 + 2^32 * 1000: below 2^63.
    return (int64_t)(word(f, p) * UINT64_C(1000000000) + (uint64_t)word(f, p + 4) * f->fraction_ns);
}

enum cap_step pcap_next_any(const struct pcap *f, const uint8_t *p, size_t n,
                            struct cap_record *record, uint64_t *size)
{
    uint32_t header = f->record_header;
    if (n < header) {
        *size = header;
        return CAP_MORE;
    }
    uint32_t captured, length;
    read_lengths(f, p, &captured, &length);
    if (captured >= CAPTURED_ABSURD || captured > captured_max(f)) {
        return CAP_BROKEN;
    }
    uint32_t kept = captured < CAP_SNAPLEN_MAX ? captured : CAP_SNAPLEN_MAX;
    if (n - header < kept) {
        *size = (uint64_t)header + kept;
        return CAP_MORE;
    }
    *record = (struct cap_record){.time_ns = read_time(f, p),
                                  .bytes = p + header,
                                  .captured = kept,
                                  .length = length,
                                  .linktype = f->linktype,
                                  .has_time = true};
    *size = (uint64_t)header + captured;
    return CAP_RECORD;
}

bool pcap_plausible(const struct pcap *f, const uint8_t *p, size_t n, int64_t near_ns)
{
    if (n < f->record_header) {
        return false;
    }
    uint32_t captured, length;
    read_lengths(f, p, &captured, &length);
    if (word(f, p + 4) >= (f->nanoseconds ? 1000000000u : 1000000u)) {
        return false;
    }
    if (captured >= CAPTURED_ABSURD || captured > captured_max(f)) {
        return false;
    }
    // No link carries frames beyond this, and it sorts out most of what is no length at all.
    if (length > captured_max(f)) {
        return false;
    }
    int64_t time = read_time(f, p);
    return time >= near_ns ? time - near_ns <= THIRTY_DAYS_NS : near_ns - time <= THIRTY_DAYS_NS;
}
