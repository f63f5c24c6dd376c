// Decoding one packet: what it is, and the record that it leaves.
//
// Budget: 35 ns for an RTP packet; no allocation once the batch's arrays have grown to what it
// holds. Proof: bench/read_carrier.
#include "decode/decode.h"

#include "base/bytes.h"
#include "decode/parts.h"
#include "wire/net/dtls.h"
#include "wire/rtp/level.h"
#include "wire/rtp/red.h"
#include "wire/rtp/rtp.h"
#include "wire/t38/udptl.h"

#define KEEPALIVE_BYTES_MAX 8
// A datagram of which the capture kept fewer bytes may well have been SIP: a start line needs so
// many.
#define CUT_BYTES_MAX 64

void origin_take(struct origin *o, struct records *r, const struct packet_ref *packets,
                 uint32_t count)
{
    struct packet_ref *copy = arena_alloc(&r->kept, count * sizeof *copy);
    memcpy(copy, packets, count * sizeof *copy);
    o->packets = copy;
    o->packet_count = count;
    o->time_ns = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        o->time_ns = copy[i].time_ns > o->time_ns ? copy[i].time_ns : o->time_ns;
    }
}

// --- media ---

static inline struct media_record *media_push(struct records *r, struct endpoint dst)
{
    return RECORDS_PUSH(r, MEDIA_RECORDS, struct media_record, bin_of_media(dst));
}

// media_record.head of a payload of which n bytes are there. Both ways are kept apart: they need
// registers of their own.
static __attribute__((noinline)) uint32_t sound_of(enum level_law law, const uint8_t *payload,
                                                   uint32_t n)
{
    return level_pack(level_measure(law, payload, n));
}

static inline uint32_t head_of(uint8_t payload_type, const uint8_t *payload, uint32_t n)
{
    if (n == 0) {
        return 0;
    }
    if (__builtin_expect(payload_type == 0, 1)) {
        return sound_of(LEVEL_MU_LAW, payload, n);
    }
    return payload_type == 8 ? sound_of(LEVEL_A_LAW, payload, n) : red_summary(payload, n);
}

static inline void media(struct records *records, const struct datagram *d,
                         const struct rtp_header *h, enum media_kind kind,
                         const struct origin *from)
{
    struct media_record *r = media_push(records, d->dst);
    const uint8_t *payload = d->payload + h->header_n;
    r->order = from->order;
    r->time_ns = from->time_ns;
    r->src = d->src;
    r->dst = d->dst;
    r->ssrc = h->ssrc;
    r->timestamp = h->timestamp;
    r->head = head_of(h->payload_type, payload, h->payload_n);
    r->sequence = h->sequence;
    r->payload_n = h->payload_n;
    r->ip_id = d->ip_id;
    r->checksum = d->checksum;
    r->payload_type = h->payload_type;
    r->ttl = d->ttl;
    r->marker = h->marker;
    r->kind = (uint8_t)kind;
    if (kind != MEDIA_RTP) {
        records->counts.other_media++;
    }
}

// Whether it matters depends on what calls announced, so that is for its bin to say.
static void broken_media(struct records *r, const struct datagram *d, const struct origin *from)
{
    *media_push(r, d->dst) = (struct media_record){.order = from->order,
                                                   .time_ns = from->time_ns,
                                                   .src = d->src,
                                                   .dst = d->dst,
                                                   .kind = MEDIA_BROKEN};
}

// A fax packet has neither SSRC nor timestamp. The highest timestamp lets its stream begin again
// where numbers do (stream_sequence.c asks whether time went back). Whether it is one at all is for
// its bin to say.
static __attribute__((noinline)) bool fax(struct records *r, const struct datagram *d,
                                          const struct origin *from)
{
    struct udptl u;
    if (d->payload_n < d->payload_length && d->payload_n < CUT_BYTES_MAX) {
        return false; // too little to tell
    }
    if (!udptl_read(&u, d->payload, d->payload_n, d->payload_length)) {
        return false;
    }
    struct media_record *m = media_push(r, d->dst);
    *m = (struct media_record){.order = from->order,
                               .time_ns = from->time_ns,
                               .src = d->src,
                               .dst = d->dst,
                               .head = udptl_pack(&u),
                               .sequence = u.sequence,
                               .payload_n = u.primary_n,
                               .ip_id = d->ip_id,
                               .checksum = d->checksum,
                               .ttl = d->ttl,
                               .kind = MEDIA_UDPTL};
    m->timestamp = UINT32_MAX;
    return true;
}

static __attribute__((noinline)) bool fax_after_all(struct records *r, const struct datagram *d,
                                                    const struct origin *from)
{
    bool is_whole = d->payload_n == d->payload_length;
    return is_whole && is_fax_long(d->payload, d->payload_n) && fax(r, d, from);
}

// --- datagrams ---

// Line ends, blanks or NULs that hold a NAT binding open (RFC 5626 4.4.1 and what phones really
// send).
static bool is_keepalive(const struct datagram *d)
{
    if (d->payload_length == 0 || d->payload_length > KEEPALIVE_BYTES_MAX ||
        d->payload_n < d->payload_length) {
        return false;
    }
    for (uint32_t i = 0; i < d->payload_n; i++) {
        uint8_t b = d->payload[i];
        if (b != '\r' && b != '\n' && b != ' ' && b != 0) {
            return false;
        }
    }
    return true;
}

static enum reason what_is_no_media(struct records *r, const struct datagram *d,
                                    const struct origin *from)
{
    if (decode_hep(r, d, from) == REASON_NONE || decode_sip_datagram(r, d, TRANSPORT_UDP, from)) {
        return REASON_NONE;
    }
    if (is_keepalive(d)) {
        r->counts.keepalives++;
        return REASON_NONE;
    }
    if (dtls_is_record(d->payload, d->payload_n, d->payload_length)) {
        return REASON_ENCRYPTED;
    }
    if (from->packet_count <= 1 && fax(r, d, from)) {
        return REASON_NONE;
    }
    bool is_cut = d->payload_n < d->payload_length && d->payload_n < CUT_BYTES_MAX;
    return is_cut ? REASON_TRUNCATED : REASON_NOT_SIP_OR_MEDIA;
}

static inline enum reason udp(struct records *r, const struct datagram *d,
                              const struct origin *from)
{
    struct rtp_header h;
    switch (rtp_classify(d->payload, d->payload_n, d->payload_length, &h)) {
    case RTP_MEDIA:
        if (__builtin_expect(is_fax_like(d->payload), 0) && fax_after_all(r, d, from)) {
            return REASON_NONE;
        }
        media(r, d, &h, MEDIA_RTP, from);
        return REASON_NONE;
    case RTP_CONTROL:
        decode_control(r, d, false, from);
        return REASON_NONE;
    case RTP_BROKEN:
        if (!is_fax_like(d->payload) || !fax_after_all(r, d, from)) {
            broken_media(r, d, from);
        }
        return REASON_NONE;
    case RTP_NOT:
        break;
    }
    return what_is_no_media(r, d, from);
}

enum reason decode_framed(struct records *r, const struct datagram *d, const struct origin *from)
{
    struct rtp_header h;
    switch (rtp_classify(d->payload, d->payload_n, d->payload_length, &h)) {
    case RTP_MEDIA:
        media(r, d, &h, MEDIA_IN_FLOW, from);
        return REASON_NONE;
    case RTP_CONTROL:
        decode_control(r, d, true, from);
        return REASON_NONE;
    case RTP_BROKEN:
    case RTP_NOT:
        break;
    }
    return dtls_is_record(d->payload, d->payload_n, d->payload_length) ? REASON_ENCRYPTED
                                                                       : REASON_NOT_SIP_OR_MEDIA;
}

// --- pieces ---

static uint8_t bin_of_piece(enum record_kind kind, const struct datagram *d)
{
    if (kind == SEGMENT_RECORDS) {
        return bin_of_connection(d->src, d->dst, path_hash(&d->path, 0));
    }
    // By the outermost addresses, so that fragments inside of fragments meet in one bin.
    for (uint32_t i = 0; i < d->path.count; i++) {
        const struct path_step *step = &d->path.steps[i];
        if (step->kind == PATH_IP) {
            return bin_of_connection((struct endpoint){step->src, 0},
                                     (struct endpoint){step->dst, 0}, 0);
        }
    }
    return bin_of_connection(d->src, d->dst, 0);
}

void piece_fill(struct piece_record *p, const struct datagram *d, const struct path *path,
                const struct origin *from)
{
    *p = (struct piece_record){
        .order = from->order,
        .time_ns = from->time_ns,
        .src = d->src,
        .dst = d->dst,
        .path = path,
        .path_hash = path_hash(&d->path, hash_secret),
        .packets = from->packets,
        .packet_count = from->packet_count,
        .transport = d->transport,
        .payload = d->payload,
        .payload_n = d->payload_n,
        .payload_length = d->payload_length,
        .fragment_id = d->fragment_id,
        .fragment_offset = d->fragment_offset,
        .ip_id = d->ip_id,
        .checksum = d->checksum,
        .ttl = d->ttl,
        .protocol = d->protocol,
        .tunnels = d->tunnels,
        .more_fragments = d->more_fragments,
    };
}

void decode_piece(struct records *r, enum record_kind kind, const struct datagram *d,
                  const struct origin *from)
{
    const struct path *path = records_path(r, &d->path);
    struct piece_record *p = RECORDS_PUSH(r, kind, struct piece_record, bin_of_piece(kind, d));
    piece_fill(p, d, path, from);
}

// --- packets ---

static enum reason decode_other(struct records *r, const struct datagram *d,
                                const struct origin *from)
{
    switch (d->protocol) { // a byte of the wire
    case NET_TCP:
    case NET_SCTP:
        decode_piece(r, SEGMENT_RECORDS, d, from);
        return REASON_NONE;
    case NET_ICMP:
        return decode_icmp(r, d, from);
    }
    return REASON_NOT_SIP_OR_MEDIA;
}

static inline enum reason datagram(struct records *r, const struct datagram *d,
                                   const struct origin *from)
{
    return __builtin_expect(d->protocol == NET_UDP, 1) ? udp(r, d, from) : decode_other(r, d, from);
}

enum reason decode_datagram(struct records *r, const struct datagram *d, const struct origin *from)
{
    if (d->protocol == NET_UDP && from->packet_count > 1) {
        enum reason framed = decode_framed(r, d, from);
        return framed == REASON_NOT_SIP_OR_MEDIA ? what_is_no_media(r, d, from) : framed;
    }
    return datagram(r, d, from);
}

void decode_frame(struct records *r, uint32_t linktype, const uint8_t *frame, uint32_t captured,
                  const struct origin *from)
{
    struct datagram d;
    enum reason reason = peel(linktype, frame, captured, &d);
    if (__builtin_expect(reason == REASON_NONE, 1)) {
        reason = datagram(r, &d, from);
    } else if (reason == REASON_FRAGMENT_INCOMPLETE) {
        decode_piece(r, FRAGMENT_RECORDS, &d, from);
        return; // its datagram says
    } else if (reason == REASON_UNKNOWN_LINKTYPE) {
        r->counts.unknown_linktype = linktype;
    }
    r->counts.reasons[reason]++;
}
