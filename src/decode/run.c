// The straight way from the bytes of a capture to media records.
//
// An ordinary frame, whose record is its bytes in another order; v4 and v6 differ before UDP only:
//
//     0            12     14 (18 with a tag)                     34 or 54    42 or 62      54 or 74
//     MAC, MAC     type   IPv4 (20 bytes) or IPv6 (40)           UDP (8)     RTP (12)      payload
//
// So each 16 bytes of the record are one shuffle of 16 bytes of the frame. Every length is held
// against the others and the captured bytes before anything behind it is read.
//
// Budget: 200 instructions for a packet with 160 bytes of PCMU, with the walk over its record;
// proof: callgrind on `sidetone read` of the carrier capture. tests/unit/decode_run.c holds it
// against decode_frame() on random frames.
#include "decode/run.h"

#include "decode/parts.h"
#include "wire/net/linktype.h"
#include "wire/rtp/level_avx2.h"
#include "wire/rtp/red.h"

#ifdef __SSSE3__

#include <tmmintrin.h>

#define INLINE static inline __attribute__((always_inline))

// Ethernet type, version and header length without options, and the byte between, as words of the
// machine.
#define TYPE_V4_45 0x00450008u
#define TYPE_V4    0x0008u
#define TYPE_V6    0xdd86u
#define TYPE_VLAN  0x0081u
#define THREE      0x00ffffffu

// Fragment and its offset must be 0, protocol UDP; in the word with the TTL between them.
#define FRAGMENT_PROTOCOL 0xff00ff3fu
#define WHOLE_UDP         0x11000000u

// All headers with a tag over IPv4 and a byte of payload are 59 bytes; an Ethernet frame is no
// shorter than 60.
#define FRAME_MIN 60u

enum {
    IPV4_HEADER_BYTES = 20,
    IPV6_HEADER_BYTES = 40,
    UDP_HEADER_BYTES = 8,
    RTP_HEADER_BYTES = 12,
};
#define HEADERS (UDP_HEADER_BYTES + RTP_HEADER_BYTES)
#define UDP_MIN (UDP_HEADER_BYTES + RTP_HEADER_BYTES + 1u) // a byte of payload

_Static_assert(
    offsetof(struct media_record, src) + 24 == offsetof(struct media_record, dst) &&
        offsetof(struct endpoint, addr) == 0 && offsetof(struct endpoint, port) == 16 &&
        offsetof(struct media_record, ssrc) + 4 == offsetof(struct media_record, timestamp) &&
        offsetof(struct media_record, ssrc) + 8 == offsetof(struct media_record, sequence) &&
        offsetof(struct media_record, ssrc) + 10 == offsetof(struct media_record, checksum) &&
        offsetof(struct media_record, ssrc) + 12 == offsetof(struct media_record, payload_n) &&
        offsetof(struct media_record, ssrc) + 14 == offsetof(struct media_record, ip_id),
    "order of the shuffles");

INLINE __m128i load(const void *p)
{
    return _mm_loadu_si128(p);
}

// What stands before UDP: the loops below are made for one of these each, so that every field is at
// a known place.
enum shape {
    SHAPE_V4,
    SHAPE_V6,
    SHAPE_TAG_V4, // behind an 802.1Q tag
    SHAPE_TAG_V6,
    SHAPE_NONE,
};

INLINE bool is_tagged(enum shape shape)
{
    return shape == SHAPE_TAG_V4 || shape == SHAPE_TAG_V6;
}

INLINE bool is_v6(enum shape shape)
{
    return shape == SHAPE_V6 || shape == SHAPE_TAG_V6;
}

// Where IP begins in a frame.
INLINE uint32_t ip_at(enum shape shape)
{
    return is_tagged(shape) ? 18 : 14;
}

INLINE uint32_t ip_header(enum shape shape)
{
    return is_v6(shape) ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES;
}

// That of a frame by its types alone, of which FRAME_MIN bytes are there.
static enum shape shape_of(const uint8_t *frame)
{
    bool has_tag = le16(frame + 12) == TYPE_VLAN;
    uint16_t type = le16(frame + (has_tag ? 16 : 12));
    if (type == TYPE_V4) {
        return has_tag ? SHAPE_TAG_V4 : SHAPE_V4;
    }
    return type != TYPE_V6 ? SHAPE_NONE : has_tag ? SHAPE_TAG_V6 : SHAPE_V6;
}

// Bytes of UDP's header and payload, as IP says, in a frame of that shape with FRAME_MIN bytes or
// more; they are there, and UDP_MIN or more. 0: it is not ordinary.
INLINE uint32_t udp_length(enum shape shape, const uint8_t *frame, uint32_t captured)
{
    const uint8_t *ip = frame + ip_at(shape);
    uint32_t n;
    if (is_tagged(shape) && le16(frame + 12) != TYPE_VLAN) {
        return 0;
    }
    if (is_v6(shape)) {
        n = be16(ip + 4);
        if (le16(ip - 2) != TYPE_V6 || ip[0] >> 4 != 6 || ip[6] != NET_UDP) {
            return 0;
        }
    } else {
        n = be16(ip + 2) - (uint32_t)IPV4_HEADER_BYTES;
        if ((le32(ip - 2) & THREE) != TYPE_V4_45 ||
            (le32(ip + 6) & FRAGMENT_PROTOCOL) != WHOLE_UDP) {
            return 0;
        }
    }
    bool is_there =
        (int32_t)n >= (int32_t)UDP_MIN && n + ip_at(shape) + ip_header(shape) <= captured;
    return is_there ? n : 0;
}

// Is it RTP without doubt, and no fax that looks like it? Tunnels never begin so (tunnel_is_never).
INLINE bool is_ordinary_rtp(const uint8_t *p, uint32_t n)
{
    bool is_rtcp_type = p[1] >> 5 == 192 >> 5;
    return p[0] == 0x80 && !is_rtcp_type && !(is_fax_like(p) && is_fax_long(p, n));
}

// --- writing the record ---

#define Z (char)0x80 // makes a byte 0

// Addresses and ports; of IPv4 as peel_v4() makes them. Returns the destination.
INLINE struct endpoint write_ends(struct media_record *m, enum shape shape, const uint8_t *ip)
{
    __m128i src, middle, dst; // middle: the port of one and the first half of the other's address
    struct endpoint to = {.addr.hi = 0};
    if (is_v6(shape)) {
        const uint8_t *udp = ip + IPV6_HEADER_BYTES;
        const __m128i address = load(ip + 24);
        const __m128i to_port = _mm_cvtsi32_si128(be16(udp + 2));
        src = load(ip + 8);
        middle = _mm_unpacklo_epi64(_mm_cvtsi32_si128(be16(udp)), address);
        dst = _mm_unpackhi_epi64(address, _mm_slli_si128(to_port, 8));
        to.addr.hi = (uint64_t)_mm_cvtsi128_si64(address);
    } else {
        const __m128i ends = load(ip + 12); // both addresses, both ports
        const __m128i to_src = _mm_setr_epi8(Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, 0, 1, 2, 3);
        const __m128i to_middle = _mm_setr_epi8(9, 8, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z);
        const __m128i to_dst = _mm_setr_epi8(Z, Z, Z, Z, 4, 5, 6, 7, 11, 10, Z, Z, Z, Z, Z, Z);
        src = _mm_or_si128(_mm_shuffle_epi8(ends, to_src), _mm_set_epi64x(0xffff0000, 0));
        middle = _mm_shuffle_epi8(ends, to_middle);
        dst = _mm_or_si128(_mm_shuffle_epi8(ends, to_dst), _mm_set_epi64x(0, 0xffff0000));
    }
    char *p = (char *)&m->src;
    _mm_storeu_si128((__m128i *)(void *)p, src);
    _mm_storeu_si128((__m128i *)(void *)(p + 16), middle);
    _mm_storeu_si128((__m128i *)(void *)(p + 32), dst);
    to.addr.lo = (uint64_t)_mm_cvtsi128_si64(dst);
    to.port = (uint16_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(dst, dst));
    return to;
}

// What UDP and RTP say; IPv6 has the lower half of its flow label where IPv4 has an identification.
INLINE void write_rtp(struct media_record *m, enum shape shape, const uint8_t *ip)
{
    const uint8_t *udp = ip + ip_header(shape);
    const __m128i order = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 3, 2, 1, 0, Z, Z);
    const __m128i headers = _mm_setr_epi16(0, 0, 0, 0, 0, 0, HEADERS, 0);
    // length, checksum, first two bytes of RTP, sequence number, timestamp, SSRC
    const __m128i said = _mm_shuffle_epi8(load(udp + 4), order);
    _mm_storeu_si128((__m128i *)(void *)&m->ssrc, _mm_sub_epi16(said, headers));
    uint8_t second = udp[UDP_HEADER_BYTES + 1];
    m->ip_id = be16(ip + (is_v6(shape) ? 2 : 4));
    m->payload_type = second & 0x7f;
    m->ttl = ip[is_v6(shape) ? 7 : 8];
    m->marker = (second & 0x80) != 0;
    m->kind = MEDIA_RTP;
}

// media_record.head of what is neither of the usual size nor quiet.
static __attribute__((noinline)) uint32_t head_of_other(uint8_t payload_type,
                                                        const uint8_t *payload, uint32_t n)
{
    if (payload_type == 0 || payload_type == 8) {
        enum level_law law = payload_type == 0 ? LEVEL_MU_LAW : LEVEL_A_LAW;
        return level_pack(level_measure(law, payload, n));
    }
    return red_summary(payload, n);
}

typedef uint32_t head_function(uint8_t payload_type, const uint8_t *payload, uint32_t n);

// --- the loops ---

// One packet of which `record` is what the file says, FRAME_MIN bytes or more, to *m. False: it is
// not ordinary, and nothing has happened.
INLINE bool take(struct record_list *list, struct media_record *m, uint8_t *bin,
                 const struct cap_record *record, uint64_t number, enum shape shape,
                 head_function *head)
{
    const uint8_t *ip = record->bytes + ip_at(shape);
    const uint8_t *udp = ip + ip_header(shape);
    const uint8_t *rtp = udp + UDP_HEADER_BYTES;
    uint32_t n = udp_length(shape, record->bytes, record->captured);
    if (n == 0 || be16(udp + 4) != n || !is_ordinary_rtp(rtp, n - UDP_HEADER_BYTES)) {
        return false;
    }
    m->order = (struct order){record->time_ns, number};
    m->time_ns = record->time_ns;
    *bin = bin_of_media(write_ends(m, shape, ip));
    list->begin[*bin + 1]++;
    write_rtp(m, shape, ip);
    m->head = head(rtp[1] & 0x7f, rtp + RTP_HEADER_BYTES, n - HEADERS);
    return true;
}

// Where a frame begins in its record.
INLINE size_t frame_at(enum cap_kind kind)
{
    return kind == CAP_PCAP ? 16 : 28;
}

// Where they are, frame_at() and FRAME_MIN bytes are there.
struct loop {
    struct record_list *list;
    const struct cap_format *format;
    const struct pcapng *state;
    struct run *run;
    const uint8_t *stop; // records of the loop begin before it: there is room for all
};

INLINE bool read_record(enum cap_kind kind, const struct loop *l, const uint8_t *p, size_t n,
                        struct cap_record *record, uint64_t *size)
{
    if (kind == CAP_PCAP) {
        return pcap_whole(&l->format->pcap, p, n, record, size) && record->captured >= FRAME_MIN;
    }
    return pcapng_whole(l->state, p, n, record, size) && record->captured >= FRAME_MIN &&
           record->linktype == LINKTYPE_ETHERNET;
}

// Ordinary packets of one shape.
INLINE void run_shape(const struct loop *l, enum cap_kind kind, enum shape shape,
                      head_function *head)
{
    struct record_list *const list = l->list;
    struct run *const run = l->run;
    struct media_record *const first = (struct media_record *)list->items + list->count;
    struct media_record *m = first;
    uint8_t *bin = list->bins + list->count;
    const uint8_t *const end = run->end;
    const uint8_t *const stop = l->stop;
    const uint8_t *at = run->at;
    uint64_t packets = run->packets;
    uint64_t bytes = run->bytes;
    int64_t running_ns = run->running_ns;
    struct cap_record record;
    uint64_t size;
    while (at < stop && read_record(kind, l, at, (size_t)(end - at), &record, &size) &&
           record.time_ns >= running_ns && take(list, m, bin, &record, packets, shape, head)) {
        m++;
        bin++;
        running_ns = record.time_ns;
        bytes += record.length;
        packets++;
        at += size;
    }
    list->count += (uint32_t)(packets - run->packets);
    run->at = at;
    run->packets = packets;
    run->bytes = bytes;
    run->running_ns = running_ns;
}

// Each loop is a function of its own: it needs all registers.
#define LOOP(name, attribute, kind, shape, head)                                                   \
    attribute static __attribute__((noinline)) void name(const struct loop *l)                     \
    {                                                                                              \
        run_shape(l, kind, shape, head);                                                           \
    }
#define LOOPS(set, attribute, head)                                                                \
    LOOP(set##_v4, attribute, CAP_PCAP, SHAPE_V4, head)                                            \
    LOOP(set##_v6, attribute, CAP_PCAP, SHAPE_V6, head)                                            \
    LOOP(set##_tag_v4, attribute, CAP_PCAP, SHAPE_TAG_V4, head)                                    \
    LOOP(set##_tag_v6, attribute, CAP_PCAP, SHAPE_TAG_V6, head)                                    \
    LOOP(set##_ng_v4, attribute, CAP_PCAPNG, SHAPE_V4, head)                                       \
    LOOP(set##_ng_v6, attribute, CAP_PCAPNG, SHAPE_V6, head)                                       \
    LOOP(set##_ng_tag_v4, attribute, CAP_PCAPNG, SHAPE_TAG_V4, head)                               \
    LOOP(set##_ng_tag_v6, attribute, CAP_PCAPNG, SHAPE_TAG_V6, head)                               \
    static loop_function *const set[2][SHAPE_NONE] = {                                             \
        [CAP_PCAP] = {[SHAPE_V4] = set##_v4,                                                       \
                      [SHAPE_V6] = set##_v6,                                                       \
                      [SHAPE_TAG_V4] = set##_tag_v4,                                               \
                      [SHAPE_TAG_V6] = set##_tag_v6},                                              \
        [CAP_PCAPNG] = {[SHAPE_V4] = set##_ng_v4,                                                  \
                        [SHAPE_V6] = set##_ng_v6,                                                  \
                        [SHAPE_TAG_V4] = set##_ng_tag_v4,                                          \
                        [SHAPE_TAG_V6] = set##_ng_tag_v6},                                         \
    };

typedef void loop_function(const struct loop *l);

INLINE uint32_t head_plain(uint8_t payload_type, const uint8_t *payload, uint32_t n)
{
    return head_of_other(payload_type, payload, n);
}

LEVEL_AVX2 uint32_t head_avx2(uint8_t payload_type, const uint8_t *payload, uint32_t n)
{
    uint32_t head;
    if (__builtin_expect(n == LEVEL_USUAL_N, 1)) {
        if (payload_type == 0 && level_of_usual(LEVEL_MU_LAW, payload, &head)) {
            return head;
        }
        if (payload_type == 8 && level_of_usual(LEVEL_A_LAW, payload, &head)) {
            return head;
        }
    }
    return head_of_other(payload_type, payload, n);
}

LOOPS(plain_loops, , head_plain)
LOOPS(avx2_loops, __attribute__((target("avx2"))), head_avx2)

// --- runs ---

// Records that a run has room for at least.
#define ROOM_MIN 64

// Loops of one shape after another, until one has nothing.
static inline void run_loops(struct records *r, const struct cap_format *f,
                             const struct pcapng *state, struct run *run,
                             loop_function *const loops[2][SHAPE_NONE])
{
    bool is_ordinary =
        f->kind == CAP_PCAPNG || (f->pcap.plain && f->pcap.linktype == LINKTYPE_ETHERNET);
    const size_t least = frame_at(f->kind) + FRAME_MIN; // bytes of a record
    struct record_list *list = &r->lists[MEDIA_RECORDS];
    struct loop l = {list, f, state, run, NULL};
    uint64_t before = run->packets;
    uint64_t packets;
    do {
        packets = run->packets;
        if (!is_ordinary || (size_t)(run->end - run->at) < least) {
            break;
        }
        enum shape shape = shape_of(run->at + frame_at(f->kind));
        if (shape == SHAPE_NONE) {
            break;
        }
        if (list->room - list->count < ROOM_MIN) {
            records_grow(list, MEDIA_RECORDS);
        }
        const uint8_t *last = run->end - least + 1;
        l.stop = run->stop < last ? run->stop : last;
        size_t room_bytes = (list->room - list->count) * least;
        if (room_bytes < (size_t)(run->end - run->at) && run->at + room_bytes < l.stop) {
            l.stop = run->at + room_bytes;
        }
        loops[f->kind][shape](&l);
    } while (run->packets != packets && run->at < run->stop);
    r->counts.reasons[REASON_NONE] += run->packets - before;
}

void decode_run_plain(struct records *r, const struct cap_format *f, const struct pcapng *state,
                      struct run *run)
{
    run_loops(r, f, state, run, plain_loops);
}

void decode_run(struct records *r, const struct cap_format *f, const struct pcapng *state,
                struct run *run)
{
    run_loops(r, f, state, run, __builtin_cpu_supports("avx2") ? avx2_loops : plain_loops);
}

#else

void decode_run_plain(struct records *r, const struct cap_format *f, const struct pcapng *state,
                      struct run *run)
{
    (void)r, (void)f, (void)state, (void)run; // decode_frame() takes all
}

void decode_run(struct records *r, const struct cap_format *f, const struct pcapng *state,
                struct run *run)
{
    decode_run_plain(r, f, state, run);
}

#endif
