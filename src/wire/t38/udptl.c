// Reads UDPTL packets, which are encoded by the aligned packed encoding rules (ITU-T X.691).
//
//     sequence number (2) | length | primary IFP packet | 0....... count { length | IFP packet }
//                                                       | 1....... 01 span  count { length | parity
//                                                       }
//
// A length is one byte up to 127, or two with the bits 10 in front up to 16,383. Longer ones come
// in fragments, for which no datagram has room enough to need them.
//
//     IFP packet:  D T E vvvv .          D: has data  T: 0 indicator, 1 data  E: value is above the
//                  D T 1 0vvv vvv.....   root of its enumeration, as a number of 6 bits
//     data:        count { P type [ . size - 1 (2) octets ] }
//
// The type of a field has 3 bits in T.38 of 1998, whose ASN.1 lacked an ellipsis, and a bit more
// with it from 2002 on; no packet says which one it is. Some senders begin each field at a byte
// though the rules do not. Each of these readings is tried.
#include "wire/t38/udptl.h"

#include "base/bytes.h"

#include <stddef.h>

// Sequence number, a primary of one byte with its length, an empty list.
#define PACKET_BYTES_MIN 6u
#define HEAD_BYTES       4u // of these: up to the first byte of the primary

#define INDICATORS_ROOT 16u
#define DATA_ROOT       9u
static const char *const INDICATORS[] = {
    "no-signal",
    "cng",
    "ced",
    "v21-preamble",
    "v27-2400-training",
    "v27-4800-training",
    "v29-7200-training",
    "v29-9600-training",
    "v17-7200-short-training",
    "v17-7200-long-training",
    "v17-9600-short-training",
    "v17-9600-long-training",
    "v17-12000-short-training",
    "v17-12000-long-training",
    "v17-14400-short-training",
    "v17-14400-long-training",
    "v8-ansam",
    "v8-signal",
    "v34-cntl-channel-1200",
    "v34-pri-channel",
    "v34-CC-retrain",
    "v33-12000-training",
    "v33-14400-training",
};
static const char *const DATA_TYPES[] = {
    "v21",          "v27-2400",    "v27-4800",   "v29-7200",  "v29-9600",
    "v17-7200",     "v17-9600",    "v17-12000",  "v17-14400", "v8",
    "v34-pri-rate", "v34-CC-1200", "v34-pri-ch", "v33-12000", "v33-14400",
};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum grammar {
    GRAMMAR_1998,
    GRAMMAR_2002,
    GRAMMAR_2002_BYTES, // each field begins at a byte
    GRAMMAR_COUNT,
};

#define FIELD_TYPES_2002 12u // 8 and the ones behind the ellipsis

// Bits of a packet, most significant first. Reading beyond the end sets is_over and gives 0.
struct bits {
    const uint8_t *p;
    size_t n, at; // both in bits
    bool is_over;
};

static uint32_t bits_take(struct bits *b, unsigned count)
{
    uint32_t value = 0;
    if (b->is_over || b->n - b->at < count) {
        b->is_over = true;
        return 0;
    }
    for (unsigned i = 0; i < count; i++, b->at++) {
        value = value << 1 | (b->p[b->at / 8] >> (7 - b->at % 8) & 1);
    }
    return value;
}

static void bits_align(struct bits *b)
{
    b->at = (b->at + 7) / 8 * 8;
}

static void bits_skip_bytes(struct bits *b, size_t count)
{
    if (b->is_over || (b->n - b->at) / 8 < count) {
        b->is_over = true;
    } else {
        b->at += count * 8;
    }
}

// X.691 10.9.3
static uint32_t bits_length(struct bits *b)
{
    bits_align(b);
    if (bits_take(b, 1) == 0) {
        return bits_take(b, 7);
    }
    bool is_fragmented = bits_take(b, 1) == 1;
    uint32_t length = bits_take(b, 14);
    b->is_over = b->is_over || is_fragmented;
    return length;
}

// --- IFP packets ---

static uint32_t field_type(struct bits *b, enum grammar grammar)
{
    if (grammar == GRAMMAR_1998 || bits_take(b, 1) == 0) {
        return bits_take(b, 3);
    }
    return 8 + bits_take(b, 7); // a small number: a bit 0 and six more (X.691 10.6)
}

static bool is_data(struct bits b, enum grammar grammar)
{
    uint32_t count = bits_length(&b);
    for (uint32_t i = 0; i < count && !b.is_over; i++) {
        bool has_octets = bits_take(&b, 1) == 1;
        if (field_type(&b, grammar) >= FIELD_TYPES_2002) {
            return false;
        }
        if (has_octets) {
            bits_align(&b);
            bits_skip_bytes(&b, bits_take(&b, 16) + 1);
        } else if (grammar == GRAMMAR_2002_BYTES) {
            bits_align(&b);
        }
    }
    bits_align(&b);
    return !b.is_over && b.at == b.n;
}

// What comes before the data. False where there is no such indicator or type of data.
static bool read_head(struct udptl *u, struct bits *b, bool *has_data)
{
    *has_data = bits_take(b, 1) == 1;
    u->is_data = bits_take(b, 1) == 1;
    bool is_above = bits_take(b, 1) == 1;
    uint32_t root = u->is_data ? DATA_ROOT : INDICATORS_ROOT;
    uint32_t all = u->is_data ? COUNT(DATA_TYPES) : COUNT(INDICATORS);
    uint32_t value = is_above ? root + bits_take(b, 7) : bits_take(b, 4);
    u->type = (uint8_t)value;
    return !b->is_over && value < (is_above ? all : root) && (u->is_data || !*has_data);
}

static bool read_ifp(struct udptl *u, const uint8_t *p, uint32_t n)
{
    struct bits b = {p, (size_t)n * 8, 0, false};
    bool has_data;
    if (!read_head(u, &b, &has_data)) {
        return false;
    }
    uint32_t padding = (uint32_t)(-b.at % 8);
    if (bits_take(&b, padding) != 0) {
        return false;
    }
    if (!has_data) {
        return b.at == b.n;
    }
    for (int grammar = 0; grammar < GRAMMAR_COUNT; grammar++) {
        if (is_data(b, (enum grammar)grammar)) {
            return true;
        }
    }
    return false;
}

// --- error recovery ---

static bool read_secondaries(struct udptl *u, struct bits *b)
{
    uint32_t count = bits_length(b);
    bool goes_on = true;
    u->recovery = count > 0 ? UDPTL_REDUNDANCY : UDPTL_NO_RECOVERY;
    for (uint32_t i = 0; i < count && !b->is_over; i++) {
        uint32_t n = bits_length(b);
        const uint8_t *ifp = b->p + b->at / 8;
        struct udptl other;
        bits_skip_bytes(b, n);
        // Empty ones stand for numbers before the first.
        if (b->is_over || (n > 0 && !read_ifp(&other, ifp, n))) {
            return false;
        }
        goes_on = goes_on && n > 0;
        u->count = (uint8_t)(u->count + (goes_on && u->count < UINT8_MAX));
    }
    return !b->is_over && b->at == b->n;
}

static bool read_parity(struct udptl *u, struct bits *b)
{
    if (bits_length(b) != 1) { // of the integer that follows
        return false;
    }
    uint32_t span = bits_take(b, 8);
    uint32_t count = bits_length(b);
    for (uint32_t i = 0; i < count && !b->is_over; i++) {
        bits_skip_bytes(b, bits_length(b));
    }
    u->recovery = count > 0 ? UDPTL_FEC : UDPTL_NO_RECOVERY;
    u->count = (uint8_t)(count < UINT8_MAX ? count : UINT8_MAX);
    u->span = (uint8_t)span;
    return !b->is_over && b->at == b->n && span < 128;
}

static bool read_recovery(struct udptl *u, const uint8_t *p, uint32_t n)
{
    struct bits b = {p, (size_t)n * 8, 0, false};
    bool is_parity = bits_take(&b, 1) == 1;
    if (bits_take(&b, 7) != 0) {
        return false;
    }
    return is_parity ? read_parity(u, &b) : read_secondaries(u, &b);
}

bool udptl_read(struct udptl *u, const uint8_t *p, uint32_t n, uint32_t length)
{
    if (n > length) {
        n = length;
    }
    if (length < PACKET_BYTES_MIN || n < HEAD_BYTES) {
        return false;
    }
    struct udptl read = {.sequence = be16(p), .is_cut = n < length};
    struct bits b = {p, (size_t)n * 8, 16, false};
    uint32_t primary_n = bits_length(&b);
    uint32_t at = (uint32_t)(b.at / 8);
    if (b.is_over || primary_n == 0 || primary_n > length - at) {
        return false;
    }
    read.primary_n = (uint16_t)primary_n;
    if (primary_n <= n - at) {
        uint32_t end = at + primary_n;
        if (!read_ifp(&read, p + at, primary_n) ||
            !(read.is_cut || read_recovery(&read, p + end, n - end))) {
            return false;
        }
    } else {
        struct bits head = {p + at, (size_t)(n - at) * 8, 0, false};
        bool has_data;
        if (!read_head(&read, &head, &has_data)) {
            return false;
        }
    }
    *u = read;
    return true;
}

// --- in short ---

uint32_t udptl_pack(const struct udptl *u)
{
    return (uint32_t)u->type | (uint32_t)u->is_data << 7 | (uint32_t)u->recovery << 8 |
           (uint32_t)u->count << 16 | (uint32_t)u->span << 24;
}

void udptl_unpack(struct udptl *u, uint32_t packed)
{
    u->type = packed & 0x7f;
    u->is_data = packed >> 7 & 1;
    u->recovery = packed >> 8 & 3;
    u->count = (uint8_t)(packed >> 16);
    u->span = (uint8_t)(packed >> 24);
}

const char *udptl_indicator_name(uint8_t type)
{
    return type < COUNT(INDICATORS) ? INDICATORS[type] : NULL;
}

const char *udptl_data_name(uint8_t type)
{
    return type < COUNT(DATA_TYPES) ? DATA_TYPES[type] : NULL;
}
