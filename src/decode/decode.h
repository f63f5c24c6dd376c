// From the bytes of one packet to records in bins: peeling, telling SIP from media, and the fields
// that tracking needs.
//
// What takes several packets (fragments, TCP, SCTP) becomes piece records for flow/, which comes
// back here with what it has put together. No state between packets.
#ifndef SIDETONE_DECODE_DECODE_H
#define SIDETONE_DECODE_DECODE_H

#include "decode/records.h"

// Where in the capture something comes from.
struct origin {
    struct order order; // of the packet that completed it
    int64_t time_ns;
    int64_t first_ns; // of the packet with the first byte; means nothing where there is one only
    // Several packets: all of them, as long valid as the records. 0: one.
    const struct packet_ref *packets;
    uint32_t packet_count;
    // Of a message in a stream: stands for the packet that completed it, equal for copies of that
    // which the capture made on another way. 0: not known.
    uint64_t frame;
};

// Takes over the packets that something came in: keeps them in the batch, and the latest time of
// them is its time.
void origin_take(struct origin *o, struct records *r, const struct packet_ref *packets,
                 uint32_t count);

// A captured frame. What it is not is counted in r->reasons, unless its flow has to say.
void decode_frame(struct records *r, uint32_t linktype, const uint8_t *frame, uint32_t captured,
                  const struct origin *from);

// What peel() gave with REASON_NONE. Returns REASON_NONE where it left a record, or is part of what
// is analysed; else why not. Counts nothing in r->reasons.
enum reason decode_datagram(struct records *r, const struct datagram *d, const struct origin *from);

// What a piece keeps of its datagram; `path`: as long valid as the piece.
void piece_fill(struct piece_record *p, const struct datagram *d, const struct path *path,
                const struct origin *from);

// A piece for flow/: a fragment (what peel() gave so) or a packet of TCP or SCTP.
void decode_piece(struct records *r, enum record_kind kind, const struct datagram *d,
                  const struct origin *from);

// Messages in one envelope or DATA chunk, which are to hold one. Not smaller: some senders hand on
// what came together. Not larger: the shortest message has 20 bytes, and its record takes twenty
// times as much.
#define MESSAGES_IN_ONE_MAX 8

enum message_state {  // bits
    MESSAGE_CUT = 1,  // bytes are missing at its end
    MESSAGE_LENT = 2, // its bytes are valid during the call only
};

// A parsed message that did not come as a datagram of its own; endpoints and path are those of *d.
void decode_message(struct records *r, struct sip_message *m, const struct datagram *d,
                    enum transport transport, enum message_state state, const struct origin *from);

// A packet of RTP, RTCP or anything else in the framing of RFC 4571: payload of *d. Returns as
// decode_datagram().
enum reason decode_framed(struct records *r, const struct datagram *d, const struct origin *from);

// A HEP envelope: payload of *d. REASON_NONE where it is one.
enum reason decode_hep(struct records *r, const struct datagram *d, const struct origin *from);

#endif
