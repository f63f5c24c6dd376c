// What the files of decode/ call of each other.
#ifndef SIDETONE_DECODE_PARTS_H
#define SIDETONE_DECODE_PARTS_H

#include "decode/decode.h"

// The record that it left; NULL: the datagram is no SIP.
struct sip_record *decode_sip_datagram(struct records *records, const struct datagram *d,
                                       enum transport transport, const struct origin *from);

// Sends what an ICMP error quotes to the calls and streams that may know it.
enum reason decode_icmp(struct records *r, const struct datagram *d, const struct origin *from);

// RTCP that stands in *d; `is_lent`: its bytes are valid during the call only.
void decode_control(struct records *r, const struct datagram *d, bool is_lent,
                    const struct origin *from);

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
