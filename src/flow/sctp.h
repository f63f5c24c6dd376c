// One direction of an SCTP association: DATA chunks become user messages (RFC 9260 6.9).
//
// A message in one chunk is handed on where it stands; fragments (B and E bits) are put together by
// their transmission sequence numbers, in any order and again and again. A TSN that came before is
// a retransmission. Memory is bounded. Not thread-safe.
#ifndef SIDETONE_FLOW_SCTP_H
#define SIDETONE_FLOW_SCTP_H

#include "decode/oddity.h"
#include "wire/net/sctp.h"
#include "wire/packet.h"

#include <stddef.h>

// Bytes of fragments that wait, with their bookkeeping; what waits longest is given up for more.
// Not smaller: a message of full size (1 MiB over TCP) and others beside it. Not larger: many
// associations may each hold as much.
#define SCTP_HELD_MAX (2u << 20)

struct sctp_message {
    const uint8_t *bytes;
    uint32_t n;
    uint32_t ppid;
    bool is_borrowed;   // bytes are the packet's; else valid during the call only
    bool is_incomplete; // cut by the capture, or its later fragments did not come
    const struct packet_ref *packets;
    uint32_t packet_count;
};

struct sctp_sink {
    void *context;
    void (*message)(void *context, const struct sctp_message *m);
};

struct sctp_side; // opaque

struct sctp_side *sctp_side_new(void);
void sctp_side_free(struct sctp_side *s);

// Takes one packet (from the common header on). Returns false where it has DATA chunks and none of
// them was new (a copy or a retransmission).
bool sctp_side_packet(struct sctp_side *s, const uint8_t *packet, uint32_t n,
                      struct packet_ref from, int64_t clock_ns, const struct sctp_sink *sink,
                      uint64_t odd[FLOW_ODD_COUNT]);

// Gives up what waits longer than 10 s of capture time for missing fragments; all at INT64_MAX.
void sctp_side_tick(struct sctp_side *s, int64_t clock_ns, const struct sctp_sink *sink,
                    uint64_t odd[FLOW_ODD_COUNT]);

size_t sctp_side_held(const struct sctp_side *s);   // of fragments that wait: SCTP_HELD_MAX
size_t sctp_side_memory(const struct sctp_side *s); // all bytes that it takes

#endif
