// The record of an RTCP packet: where it stands, and what tells copies of it that the capture made.
#include "decode/parts.h"

void decode_control(struct records *records, const struct datagram *d, bool is_lent,
                    const struct origin *from)
{
    struct slice bytes = slice_of((const char *)d->payload, d->payload_n);
    if (is_lent) {
        bytes = arena_slice(&records->kept, bytes);
    }
    struct control_record *r = RECORDS_PUSH(records, CONTROL_RECORDS, struct control_record,
                                            bin_of_connection(d->src, d->dst, 0));
    *r = (struct control_record){
        .order = from->order,
        .time_ns = from->time_ns,
        .src = d->src,
        .dst = d->dst,
        .bytes = (const uint8_t *)bytes.p,
        .captured = d->payload_n,
        .length = d->payload_length,
        .frame_hash = frame_hash_of(d, from->frame != 0 ? from->frame : frame_marks_of(d)),
        .frame_set = frame_set_of(d),
        .ip_id = d->ip_id,
        .checksum = d->checksum,
        .ttl = d->ttl,
    };
    records->counts.rtcp++;
}
