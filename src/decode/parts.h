// What the files of decode/ call of each other.
#ifndef SIDETONE_DECODE_PARTS_H
#define SIDETONE_DECODE_PARTS_H

#include "base/bytes.h"
#include "decode/decode.h"

// The record that it left; NULL: the datagram is no SIP.
struct sip_record *decode_sip_datagram(struct records *records, const struct datagram *d,
                                       enum transport transport, const struct origin *from);

// Sends what an ICMP error quotes to the calls and streams that may know it.
enum reason decode_icmp(struct records *r, const struct datagram *d, const struct origin *from);

// RTCP that stands in *d; `is_lent`: its bytes are valid during the call only.
void decode_control(struct records *r, const struct datagram *d, bool is_lent,
                    const struct origin *from);

// Packets of UDPTL with numbers from 32,768 to 49,151 begin as those of RTP do. Of real RTP one in
// ten passes a look at its third and fourth byte, one in a thousand that at the byte behind the
// primary IFP packet, and none has all its lengths right.
static inline bool is_fax_like(const uint8_t *payload)
{
    uint8_t size = payload[2];
    uint8_t first = payload[3];
    bool is_data = (first & 0x61) == 0x40 && (first & 0x1e) <= 0x10;
    bool is_long = (size & 0xfe) == 0x80; // a length of two bytes
    return is_data || is_long || (size == 1 && (first & 0xe1) == 0);
}

// Of n bytes, all of the datagram.
static inline bool is_fax_long(const uint8_t *payload, uint32_t n)
{
    uint32_t end = payload[2] < 0x80 ? 3u + payload[2] : 4u + (be16(payload + 2) & 0x3fffu);
    return end < n && (payload[end] & 0x7f) == 0;
}

// Of addresses, payload and `frame`, which stands for the rest of the frame: nobody must be able to
// make another frame look like a copy.
static inline uint64_t frame_hash_of(const struct datagram *d, uint64_t frame)
{
    uint64_t h = hash_mix(endpoint_hash(d->src, hash_secret), endpoint_hash(d->dst, hash_secret));
    return hash_bytes(d->payload, d->payload_n, hash_mix(h, frame));
}

// What tells a frame from another with the same payload.
static inline uint64_t frame_marks_of(const struct datagram *d)
{
    return (uint64_t)d->ip_id << 32 | (uint64_t)d->ttl << 16 | d->checksum;
}

// Of a datagram, seen again by the capture: equal identification, checksum and ports, without the
// secret, so that an ICMP error that quotes no more than that finds it.
static inline uint32_t frame_set_of(const struct datagram *d)
{
    return (uint32_t)hash_mix((uint64_t)d->ip_id << 16 | d->checksum,
                              (uint64_t)d->src.port << 16 | d->dst.port);
}

#endif
