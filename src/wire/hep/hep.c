// Reads HEP envelopes.
//
// Version 3: "HEP3", length of all (2); then chunks: vendor (2), type (2), length of the chunk with
// these six bytes (2), contents. Numbers in network order.
// Versions 1 and 2: version (1), length (1), family (1), protocol (1), ports (2 + 2), addresses; in
// version 2 then seconds (4), microseconds (4), agent (2) and 2 bytes that mean nothing, in the
// byte order of the sender's processor. Most senders do not count what is new in version 2 in the
// length; some do.
#include "wire/hep/hep.h"

#include "base/bytes.h"
#include "wire/sip/sip.h"

enum {
    HEAD_BYTES = 6,      // of a version 3 envelope, and of its chunks
    OLD_HEAD_BYTES = 8,  // of versions 1 and 2, before the addresses
    OLD_TIME_BYTES = 12, // of version 2, behind the addresses
    OLD_FAMILY_V4 = 2,   // AF_INET
    OLD_FAMILY_V6 = 10,  // AF_INET6 of Linux
    MICROS = 1000000,    // in a second
    NANOS = 1000000000,  // in a second
    NANOS_IN_MICRO = 1000,
};

enum chunk_type { // of vendor 0
    CHUNK_PROTOCOL = 0x02,
    CHUNK_SRC_V4 = 0x03,
    CHUNK_DST_V4 = 0x04,
    CHUNK_SRC_V6 = 0x05,
    CHUNK_DST_V6 = 0x06,
    CHUNK_SRC_PORT = 0x07,
    CHUNK_DST_PORT = 0x08,
    CHUNK_SECONDS = 0x09,
    CHUNK_MICROS = 0x0a,
    CHUNK_TYPE = 0x0b,
    CHUNK_AGENT = 0x0c,
    CHUNK_PAYLOAD = 0x0f,
    CHUNK_COMPRESSED = 0x10,
    CHUNK_CORRELATION = 0x11,
    CHUNK_NODE = 0x13,
    CHUNK_TYPES, // what lies behind them is passed over: MAC addresses, scores, tags
};

struct chunks {
    struct hep *out;
    uint32_t seen; // bits of chunk types: of several chunks the first counts
    uint64_t seconds, micros;
};

int64_t hep_stream_length(const uint8_t *p, size_t n)
{
    static const char MAGIC[] = "HEP3";
    if (n > 0 && memcmp(MAGIC, p, n < 4 ? n : 4) != 0) {
        return -1;
    }
    if (n < HEAD_BYTES) {
        return 0;
    }
    uint16_t length = be16(p + 4);
    return length < HEAD_BYTES ? -1 : length;
}

// Numbers of any width are taken, since senders are not exact about it.
static bool number_read(struct slice s, uint64_t max, uint64_t *out)
{
    uint64_t v = 0;
    if (s.n == 0 || s.n > 8) {
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        v = v << 8 | (uint8_t)s.p[i];
    }
    *out = v <= max ? v : *out;
    return v <= max;
}

static bool address_read(struct slice s, size_t n, struct address *out)
{
    if (s.n != n) {
        return false;
    }
    const uint8_t *p = (const uint8_t *)s.p;
    *out = n == 4 ? address_v4(p) : address_v6(p);
    return true;
}

static bool port_read(struct slice s, struct endpoint *out)
{
    uint64_t v = 0;
    bool fits = number_read(s, UINT16_MAX, &v);
    out->port = (uint16_t)v;
    return fits;
}

static bool byte_read(struct slice s, uint8_t *out)
{
    uint64_t v = 0;
    bool fits = number_read(s, UINT8_MAX, &v);
    *out = (uint8_t)v;
    return fits;
}

static bool agent_read(struct slice s, uint32_t *out)
{
    uint64_t v = 0;
    bool fits = number_read(s, UINT32_MAX, &v);
    *out = (uint32_t)v;
    return fits;
}

// False: the contents have a length that cannot be.
static bool chunk_read(struct chunks *c, uint16_t type, struct slice body)
{
    struct hep *out = c->out;
    switch (type) { // two bytes of the wire
    case CHUNK_PROTOCOL:
        return byte_read(body, &out->protocol);
    case CHUNK_SRC_V4:
        return address_read(body, 4, &out->src.addr);
    case CHUNK_DST_V4:
        return address_read(body, 4, &out->dst.addr);
    case CHUNK_SRC_V6:
        return address_read(body, 16, &out->src.addr);
    case CHUNK_DST_V6:
        return address_read(body, 16, &out->dst.addr);
    case CHUNK_SRC_PORT:
        return port_read(body, &out->src);
    case CHUNK_DST_PORT:
        return port_read(body, &out->dst);
    case CHUNK_SECONDS:
        return number_read(body, UINT32_MAX, &c->seconds);
    case CHUNK_MICROS:
        return number_read(body, UINT32_MAX, &c->micros);
    case CHUNK_TYPE:
        return byte_read(body, &out->type);
    case CHUNK_AGENT:
        return agent_read(body, &out->agent);
    case CHUNK_PAYLOAD:
    case CHUNK_COMPRESSED:
        out->payload = body;
        out->is_compressed = type == CHUNK_COMPRESSED;
        return true;
    case CHUNK_CORRELATION:
        out->correlation_id = body;
        return true;
    case CHUNK_NODE:
        out->node = body;
        return true;
    }
    return true;
}

// One bit for what can be there only once: an address of either family, a payload of either kind.
static uint32_t chunk_bit(uint16_t type)
{
    switch (type) { // two bytes of the wire
    case CHUNK_SRC_V6:
        return 1u << CHUNK_SRC_V4;
    case CHUNK_DST_V6:
        return 1u << CHUNK_DST_V4;
    case CHUNK_COMPRESSED:
        return 1u << CHUNK_PAYLOAD;
    }
    return type < CHUNK_TYPES ? 1u << type : 0;
}

// Takes one chunk off *rest; false where reading cannot go on behind it. A payload that is said to
// be longer than what is there is used as far as it goes: so is it where the capture cut it.
static bool chunk_next(struct chunks *c, struct slice *rest)
{
    const uint8_t *p = (const uint8_t *)rest->p;
    size_t length = rest->n < HEAD_BYTES ? 0 : be16(p + 4);
    bool is_there = length >= HEAD_BYTES && length <= rest->n;
    if (length < HEAD_BYTES) {
        return false;
    }
    size_t end = is_there ? length : rest->n;
    uint32_t bit = be16(p) == 0 ? chunk_bit(be16(p + 2)) : 0;
    bool is_wanted = is_there || bit == 1u << CHUNK_PAYLOAD;
    if (is_wanted && bit != 0 && (c->seen & bit) == 0) {
        if (chunk_read(c, be16(p + 2), slice_of(rest->p + HEAD_BYTES, end - HEAD_BYTES))) {
            c->seen |= bit;
        } else {
            c->out->oddities |= HEP_ODD_LENGTH;
        }
    }
    *rest = slice_skip(*rest, end);
    return is_there;
}

// Seconds of 32 bits and microseconds of 32 bits are less than 2^63 nanoseconds together.
static int64_t time_of(uint64_t seconds, uint64_t micros)
{
    return (int64_t)(seconds * NANOS + micros * NANOS_IN_MICRO);
}

static void read_3(struct hep *out, const uint8_t *p, size_t n)
{
    size_t length = be16(p + 4);
    struct chunks c = {.out = out};
    out->version = 3;
    if (length != n) {
        out->oddities |= HEP_ODD_LENGTH;
    }
    size_t end = length < n ? length : n;
    struct slice rest =
        slice_of((const char *)p + HEAD_BYTES, end < HEAD_BYTES ? 0 : end - HEAD_BYTES);
    while (rest.n > 0) {
        if (!chunk_next(&c, &rest)) {
            out->oddities |= HEP_ODD_LENGTH;
            break;
        }
    }
    out->has_time = c.seconds > 0; // 0: a sender without a clock
    out->time_ns = out->has_time ? time_of(c.seconds, c.micros) : 0;
}

// What senders write: IP protocols, and 22 and 50, by which proxies mark TLS and WebSocket.
static bool is_protocol(uint8_t protocol)
{
    return protocol == 6 || protocol == 17 || protocol == 132 || protocol == 22 || protocol == 50;
}

// Seconds that tell the byte order of a version 2 time. Not earlier than 2004, not later than 2072:
// in the other order, all but one of five times of today fall outside.
#define PLAUSIBLE_MIN_S UINT32_C(0x40000000)
#define PLAUSIBLE_MAX_S UINT32_C(0xc0000000)

static bool old_time(struct hep *out, uint32_t seconds, uint32_t micros)
{
    if (seconds < PLAUSIBLE_MIN_S || seconds > PLAUSIBLE_MAX_S || micros >= MICROS) {
        return false;
    }
    out->has_time = true;
    out->time_ns = time_of(seconds, micros);
    return true;
}

static void old_time_read(struct hep *out, const uint8_t *p)
{
    // Nearly all processors are little-endian: that order is tried first.
    bool is_little = old_time(out, le32(p), le32(p + 4));
    bool is_big = !is_little && old_time(out, be32(p), be32(p + 4));
    out->agent = is_big ? be16(p + 8) : le16(p + 8);
}

static bool read_old(struct hep *out, const uint8_t *p, size_t n)
{
    bool is_v6 = p[2] == OLD_FAMILY_V6;
    size_t address = is_v6 ? 16 : 4;
    size_t ends = OLD_HEAD_BYTES + 2 * address;
    size_t header = ends + (p[0] == 2 ? OLD_TIME_BYTES : 0);
    bool fits = (is_v6 || p[2] == OLD_FAMILY_V4) && is_protocol(p[3]) &&
                (p[1] == ends || p[1] == header) && n > header;
    if (!fits || !sip_looks_like((const char *)p + header, n - header)) {
        return false;
    }
    const uint8_t *src = p + OLD_HEAD_BYTES;
    const uint8_t *dst = src + address;
    *out = (struct hep){
        .version = p[0],
        .protocol = p[3],
        .type = HEP_SIP,
        .src = {is_v6 ? address_v6(src) : address_v4(src), be16(p + 4)},
        .dst = {is_v6 ? address_v6(dst) : address_v4(dst), be16(p + 6)},
        .payload = slice_of((const char *)p + header, n - header),
    };
    if (p[0] == 2) {
        old_time_read(out, p + ends);
    }
    return true;
}

bool hep_read(struct hep *out, const uint8_t *p, size_t n)
{
    if (n < HEAD_BYTES) {
        return false;
    }
    if (memcmp(p, "HEP3", 4) == 0) {
        *out = (struct hep){0};
        read_3(out, p, n);
        return true;
    }
    return (p[0] == 1 || p[0] == 2) && read_old(out, p, n);
}
