// Reading of pcapng blocks.
//
// Every block, whatever its type, in the byte order of its section:
//
//     0      4              8                            total - 4
//     type   total length   body, padded to 4 bytes ...  total length
//
// Budget: an enhanced packet block of our byte order touches 28 bytes of its head and 4 of its
// tail; proof: bench/peel. draft-ietf-opsawg-pcapng.
#include "wire/cap/pcapng.h"

#include "base/error.h"

enum block_type {
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET_OBSOLETE = 2,
    BLOCK_PACKET_SIMPLE = 3,
    BLOCK_NAMES = 4,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET_ENHANCED = 6,
    BLOCK_JOURNAL = 9,
    BLOCK_SECRETS = 10,
    BLOCK_CUSTOM = 0x0bad,
    BLOCK_CUSTOM_KEEP_OUT = 0x40000bad,
    BLOCK_SECTION = 0x0a0d0d0a, // reads the same in both byte orders
};

#define BYTE_ORDER_MAGIC 0x1a2b3c4du

#define BLOCK_OVERHEAD 12u         // type and both lengths
#define BLOCK_ABSURD   0x80000000u // no writer makes blocks of 2 GiB: a sign of damage

#define SECTION_FIXED    16u // of the body: magic, version, section length
#define ENHANCED_FIXED   20u // interface, time, captured, length
#define SIMPLE_FIXED     4u  // length
#define STATISTICS_FIXED 12u // interface, time

// Bytes of a block that must be in the buffer: the longest head before a packet, the packet, the
// trailing length. Options and bodies beyond it are skipped unseen.
#define BLOCK_SEEN_MAX (8u + ENHANCED_FIXED + CAP_SNAPLEN_MAX + 4u)

#define OPTION_END             0
#define OPTION_TIME_RESOLUTION 9
#define OPTION_TIME_OFFSET     14

#define OPTION_INTERFACE_DROPPED 5 // isb_ifdrop
#define OPTION_SYSTEM_DROPPED    7 // isb_osdrop

#define RESOLUTION_DEFAULT 6
#define RESOLUTION_NANO    9
#define RESOLUTION_BINARY  0x80

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_unsigned;

static uint16_t half(const struct pcapng *f, const uint8_t *p)
{
    return f->swapped ? be16(p) : le16(p);
}

static uint32_t word_of(bool swapped, const uint8_t *p)
{
    return swapped ? be32(p) : le32(p);
}

static uint32_t word(const struct pcapng *f, const uint8_t *p)
{
    return word_of(f->swapped, p);
}

// A block as far as it is in the buffer.
struct block {
    uint32_t type;
    uint64_t size;       // bytes to the next block
    const uint8_t *body; // body_n of its bytes are there and belong to it
    size_t body_n;
};

// 10^exponent for exponents that 64 bits hold (up to 19).
static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    for (; exponent > 0; exponent--) {
        power *= 10;
    }
    return power;
}

// Ticks of any resolution to nanoseconds, rounded down. 64 bits of ticks times 10^9 need 94 bits.
static wide_unsigned ticks_to_ns(uint64_t ticks, uint8_t resolution)
{
    unsigned exponent = resolution & 0x7fu;
    if (resolution & RESOLUTION_BINARY) {
        return ((wide_unsigned)ticks * 1000000000u) >> exponent;
    }
    if (exponent <= 9) {
        return (wide_unsigned)ticks * power_of_ten(9 - exponent);
    }
    exponent -= 9;
    return exponent < 20 ? ticks / power_of_ten(exponent) : 0;
}

// Times beyond 64 bits stay at the border; INT64_MIN is left to those for whom it means "not
// known".
static int64_t time_of_any(uint64_t ticks, const struct pcapng_interface *in)
{
    wide ns = (wide)ticks_to_ns(ticks, in->resolution) + (wide)in->offset_s * 1000000000;
    if (ns > INT64_MAX) {
        return INT64_MAX;
    }
    return ns < -INT64_MAX ? -INT64_MAX : (int64_t)ns;
}

static int64_t time_of(uint32_t high, uint32_t low, const struct pcapng_interface *in)
{
    uint64_t ticks = (uint64_t)high << 32 | low;
    // Microseconds until the year 2255 fit without care.
    if (in->resolution == RESOLUTION_DEFAULT && in->offset_s == 0 && high < 1u << 21) {
        return (int64_t)(ticks * 1000);
    }
    return time_of_any(ticks, in);
}

// Finds out the byte order of a section header block (12 bytes are there). False: it is none.
static bool section_order(const uint8_t *p, bool *swapped)
{
    if (le32(p) != BLOCK_SECTION) {
        return false;
    }
    *swapped = be32(p + 8) == BYTE_ORDER_MAGIC;
    return *swapped || le32(p + 8) == BYTE_ORDER_MAGIC;
}

// The byte order of the block at p (12 bytes are there): a section says its own, others have that
// of the section before. False: a section that says none.
static bool block_order(const struct pcapng *f, const uint8_t *p, bool *swapped)
{
    *swapped = f->swapped;
    return le32(p) != BLOCK_SECTION || section_order(p, swapped);
}

// Checks the frame of the block at p. CAP_SKIP: *b is filled; CAP_MORE, CAP_BROKEN as pcapng_next.
static enum cap_step read_block(const struct pcapng *f, const uint8_t *p, size_t n, struct block *b,
                                uint64_t *size)
{
    if (n < BLOCK_OVERHEAD) {
        *size = BLOCK_OVERHEAD;
        return CAP_MORE;
    }
    uint32_t type = word(f, p);
    uint32_t total = word(f, p + 4);
    if (total < BLOCK_OVERHEAD || total >= BLOCK_ABSURD) {
        return CAP_BROKEN;
    }
    uint32_t rounded = (total + 3) & ~3u;
    uint32_t seen = rounded < BLOCK_SEEN_MAX ? rounded : BLOCK_SEEN_MAX;
    if (n < seen) {
        *size = seen;
        return CAP_MORE;
    }
    *b = (struct block){.type = type, .size = rounded, .body = p + 8, .body_n = seen - 8};
    if (seen == rounded) {
        uint32_t trailing = word(f, p + rounded - 4);
        if (trailing != total && trailing != rounded) {
            return CAP_BROKEN;
        }
        b->body_n -= 4;
    }
    return CAP_SKIP;
}

static enum cap_step read_section(struct pcapng *f, const struct block *b)
{
    if (b->body_n < SECTION_FIXED || half(f, b->body + 4) != 1) {
        return CAP_BROKEN; // another major version may lay out its blocks in another way
    }
    f->interface_count = 0;
    f->version++;
    return CAP_SKIP;
}

// Options: code, length, value padded to 4 bytes, until a code of 0 or the end of the body.
struct option {
    uint16_t code, length;
    const uint8_t *value; // `length` bytes are there
};

// Moves *p and *n behind the option. False: there is none any more.
static bool next_option(const struct pcapng *f, const uint8_t **p, size_t *n, struct option *o)
{
    if (*n < 4) {
        return false;
    }
    *o = (struct option){half(f, *p), half(f, *p + 2), *p + 4};
    if (o->code == OPTION_END || o->length > *n - 4) {
        return false;
    }
    size_t padded = ((size_t)o->length + 3) & ~(size_t)3;
    size_t size = padded < *n - 4 ? 4 + padded : *n;
    *p += size;
    *n -= size;
    return true;
}

static uint64_t option_count(const struct pcapng *f, const struct option *o)
{
    return o->length < 8 ? 0 : f->swapped ? be64(o->value) : le64(o->value);
}

static void read_interface_options(const struct pcapng *f, const uint8_t *p, size_t n,
                                   struct pcapng_interface *in)
{
    struct option o;
    while (next_option(f, &p, &n, &o)) {
        if (o.code == OPTION_TIME_RESOLUTION && o.length >= 1) {
            in->resolution = o.value[0];
        } else if (o.code == OPTION_TIME_OFFSET && o.length >= 8) {
            in->offset_s = (int64_t)option_count(f, &o);
        }
    }
}

bool pcapng_statistics(const struct pcapng *f, const struct cap_block *b,
                       struct pcapng_statistics *out)
{
    if (b->body_n < STATISTICS_FIXED || word(f, b->body) >= f->interface_count) {
        return false;
    }
    const uint8_t *p = b->body + STATISTICS_FIXED;
    size_t n = b->body_n - STATISTICS_FIXED;
    bool is_told = false;
    struct option o;
    *out = (struct pcapng_statistics){.interface = word(f, b->body)};
    while (next_option(f, &p, &n, &o)) {
        if ((o.code == OPTION_INTERFACE_DROPPED || o.code == OPTION_SYSTEM_DROPPED) &&
            o.length >= 8) {
            uint64_t more = option_count(f, &o);
            out->dropped = more > UINT64_MAX - out->dropped ? UINT64_MAX : out->dropped + more;
            is_told = true;
        }
    }
    return is_told;
}

static enum cap_step read_interface(struct pcapng *f, const struct block *b)
{
    if (b->body_n < 8) {
        return CAP_BROKEN;
    }
    if (f->interface_count < PCAPNG_INTERFACES_MAX) {
        struct pcapng_interface in = {.linktype = half(f, b->body),
                                      .snaplen = word(f, b->body + 4),
                                      .resolution = RESOLUTION_DEFAULT};
        read_interface_options(f, b->body + 8, b->body_n - 8, &in);
        bool is_micro = in.resolution == RESOLUTION_DEFAULT;
        if (in.offset_s == 0 && (is_micro || in.resolution == RESOLUTION_NANO)) {
            in.tick_ns = is_micro ? 1000 : 1;
            in.high_end = is_micro ? 1u << 20 : 1u << 30;
        }
        f->interfaces[f->interface_count++] = in;
        f->version++;
    }
    return CAP_SKIP;
}

// Fills what enhanced and obsolete packet blocks have in common: their body from the time on stands
// alike.
static enum cap_step read_packet(const struct pcapng *f, const struct block *b, uint32_t interface,
                                 struct cap_record *record, enum pcapng_block *kind)
{
    if (interface >= f->interface_count) {
        *kind = PCAPNG_PACKET_NO_INTERFACE;
        return CAP_SKIP;
    }
    const struct pcapng_interface *in = &f->interfaces[interface];
    uint32_t captured = word(f, b->body + 12);
    uint32_t length = word(f, b->body + 16);
    size_t there = b->body_n - ENHANCED_FIXED;
    uint32_t kept = captured < CAP_SNAPLEN_MAX ? captured : CAP_SNAPLEN_MAX;
    if (kept > there) {
        kept = (uint32_t)there; // the block is whole, its captured length lies
    } else if (length < captured) {
        length = captured;
    }
    *record =
        (struct cap_record){.time_ns = time_of(word(f, b->body + 4), word(f, b->body + 8), in),
                            .bytes = b->body + ENHANCED_FIXED,
                            .captured = kept,
                            .length = length > kept ? length : kept,
                            .linktype = in->linktype,
                            .has_time = true};
    *kind = PCAPNG_PACKET;
    return CAP_RECORD;
}

// A simple packet block belongs to interface 0 and says only the length on the wire: what was
// captured is limited by the interface's snaplen and by the block, whose padding cannot be told
// from bytes otherwise.
static enum cap_step read_simple(const struct pcapng *f, const struct block *b,
                                 struct cap_record *record, enum pcapng_block *kind)
{
    if (b->body_n < SIMPLE_FIXED) {
        return CAP_BROKEN;
    }
    if (f->interface_count == 0) {
        *kind = PCAPNG_PACKET_NO_INTERFACE;
        return CAP_SKIP;
    }
    uint32_t snaplen = f->interfaces[0].snaplen;
    uint32_t length = word(f, b->body);
    size_t there = b->body_n - SIMPLE_FIXED;
    uint32_t kept = length < CAP_SNAPLEN_MAX ? length : CAP_SNAPLEN_MAX;
    if (snaplen != 0 && kept > snaplen) {
        kept = snaplen;
    }
    if (kept > there) {
        kept = (uint32_t)there;
    }
    *record = (struct cap_record){.bytes = b->body + SIMPLE_FIXED,
                                  .captured = kept,
                                  .length = length,
                                  .linktype = f->interfaces[0].linktype};
    *kind = PCAPNG_PACKET;
    return CAP_RECORD;
}

static enum cap_step read_body(struct pcapng *f, const struct block *b, struct cap_record *record,
                               enum pcapng_block *kind)
{
    *kind = PCAPNG_OTHER;
    switch (b->type) { // a word of the file, not an enum of ours: other values exist
    case BLOCK_PACKET_ENHANCED:
        return b->body_n < ENHANCED_FIXED ? CAP_BROKEN
                                          : read_packet(f, b, word(f, b->body), record, kind);
    case BLOCK_PACKET_OBSOLETE: // a 16-bit interface and a 16-bit count of drops before the time
        return b->body_n < ENHANCED_FIXED ? CAP_BROKEN
                                          : read_packet(f, b, half(f, b->body), record, kind);
    case BLOCK_PACKET_SIMPLE:
        return read_simple(f, b, record, kind);
    case BLOCK_SECTION:
        *kind = PCAPNG_SECTION;
        return read_section(f, b);
    case BLOCK_INTERFACE:
        *kind = PCAPNG_INTERFACE;
        return read_interface(f, b);
    case BLOCK_NAMES:
        *kind = PCAPNG_NAMES;
        return CAP_SKIP;
    case BLOCK_SECRETS:
        *kind = PCAPNG_SECRETS;
        return CAP_SKIP;
    case BLOCK_STATISTICS:
        *kind = PCAPNG_STATISTICS;
        return CAP_SKIP;
    }
    return CAP_SKIP;
}

int pcapng_probe(const uint8_t *p, size_t n)
{
    if (n >= 4 && le32(p) != BLOCK_SECTION) {
        return ERR_NOT_A_CAPTURE;
    }
    if (n < BLOCK_OVERHEAD) {
        return 0;
    }
    bool swapped;
    return section_order(p, &swapped) ? 1 : ERR_NOT_A_CAPTURE;
}

enum cap_step pcapng_next(struct pcapng *f, const uint8_t *p, size_t n, struct cap_record *record,
                          uint64_t *size, struct cap_block *block)
{
    bool was_swapped = f->swapped;
    bool swapped = was_swapped;
    if (n >= BLOCK_OVERHEAD && !block_order(f, p, &swapped)) {
        return CAP_BROKEN;
    }
    f->swapped = swapped; // a section's own lengths are already in the new order
    struct block b;
    enum pcapng_block kind;
    enum cap_step step = read_block(f, p, n, &b, size);
    if (step == CAP_SKIP) {
        step = read_body(f, &b, record, &kind);
    }
    if (step == CAP_MORE || step == CAP_BROKEN) {
        f->swapped = was_swapped; // nothing was read: the state is what it was
        return step;
    }
    *size = b.size;
    *block = (struct cap_block){.kind = kind, .body = b.body, .body_n = b.body_n};
    return step;
}

uint64_t pcapng_size(const struct pcapng *f, const uint8_t *p, size_t n)
{
    bool swapped;
    if (n < BLOCK_OVERHEAD || !block_order(f, p, &swapped)) {
        return 0;
    }
    return ((uint64_t)word_of(swapped, p + 4) + 3) & ~UINT64_C(3);
}

static bool is_known_type(uint32_t type)
{
    switch (type) { // a word of the file
    case BLOCK_INTERFACE:
    case BLOCK_PACKET_OBSOLETE:
    case BLOCK_PACKET_SIMPLE:
    case BLOCK_NAMES:
    case BLOCK_STATISTICS:
    case BLOCK_PACKET_ENHANCED:
    case BLOCK_JOURNAL:
    case BLOCK_SECRETS:
    case BLOCK_CUSTOM:
    case BLOCK_CUSTOM_KEEP_OUT:
    case BLOCK_SECTION:
        return true;
    }
    return false;
}

bool pcapng_plausible(const struct pcapng *f, const uint8_t *p, size_t n)
{
    bool swapped;
    if (n < BLOCK_OVERHEAD || !block_order(f, p, &swapped)) {
        return false;
    }
    uint32_t type = word_of(swapped, p);
    uint32_t total = word_of(swapped, p + 4);
    if (!is_known_type(type) || total < BLOCK_OVERHEAD || total >= BLOCK_ABSURD) {
        return false;
    }
    if (type == BLOCK_PACKET_ENHANCED && n >= 8 + ENHANCED_FIXED) {
        uint32_t captured = word_of(swapped, p + 20);
        if (total < BLOCK_OVERHEAD + ENHANCED_FIXED ||
            captured > total - BLOCK_OVERHEAD - ENHANCED_FIXED) {
            return false;
        }
    }
    size_t rounded = ((size_t)total + 3) & ~(size_t)3;
    if (rounded <= n) {
        uint32_t trailing = word_of(swapped, p + rounded - 4);
        return trailing == total || trailing == rounded;
    }
    return true;
}
