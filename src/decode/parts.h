// What the files of decode/ call of each other.
#ifndef SIDETONE_DECODE_PARTS_H
#define SIDETONE_DECODE_PARTS_H

#include "decode/decode.h"

// The record that it left; NULL: the datagram is no SIP.
struct sip_record *decode_sip_datagram(struct records *records, const struct datagram *d,
                                       enum transport transport, const struct origin *from);

// Sends what an ICMP error quotes to the calls and streams that may know it.
enum reason decode_icmp(struct records *r, const struct datagram *d, const struct origin *from);

// Of a datagram, seen again by the capture: equal identification, checksum and ports, without the
// secret, so that an ICMP error that quotes no more than that finds it.
static inline uint32_t frame_set_of(const struct datagram *d)
{
    return (uint32_t)hash_mix((uint64_t)d->ip_id << 16 | d->checksum,
                              (uint64_t)d->src.port << 16 | d->dst.port);
}

#endif
