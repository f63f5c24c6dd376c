// A bin of connections: TCP connections and SCTP associations whose endpoints hash to it.
//
// Comes in: segments in capture order. Goes out: the SIP messages, HEP envelopes and media in them,
// with the order of the packet that completed them. A connection is told by both endpoints,
// protocol and outer path; what it carries says how its packets are accounted, when it ends or is
// given up.
#ifndef SIDETONE_FLOW_STREAM_BIN_H
#define SIDETONE_FLOW_STREAM_BIN_H

#include "base/index_table.h"
#include "flow/output.h"

// Connections of one bin. Not smaller: a registrar of phones holds 100,000 in 32 bins. Not larger:
// a scan of all ports must not fill the memory. The one that was silent longest is given up.
#define CONNECTIONS_MAX 4096
// Bytes that all connections of one bin may take, they themselves, what they remember and what they
// hold. Not smaller: CONNECTIONS_MAX of CONNECTION_LIGHT, and some messages of full size at the
// same time. Not larger: there are 32 bins, and the allocator's holes come on top. For more,
// connections are given up: the one at hand where it takes more than CONNECTION_HUGE; then, of
// those beyond CONNECTION_LIGHT, the one that was silent longest. So connections that hold nothing
// are never given up for those that hold much.
#define STREAM_BYTES_MAX (7u << 20)
// Beyond that many the connections that were silent longest give back what they can do without
// (connection_slim). Not smaller: CONNECTIONS_MAX that are slim, with the beginnings of messages.
// Not larger: what is held is to find room first.
#define STREAM_BYTES_SLIM (STREAM_BYTES_MAX / 7 * 5)
// Bytes of one connection at which it is given up first. Not smaller: a message of
// CARRIED_MESSAGE_MAX may come while there is room. Not larger: it would take the place of many.
#define CONNECTION_HUGE (STREAM_BYTES_MAX / 8)
// Bytes of a connection that is not given up for others' memory. Not smaller: an idle
// association takes as much, an idle TCP connection half. Not larger: all of them leave
// CONNECTION_HUGE for those that hold something.
#define CONNECTION_LIGHT ((STREAM_BYTES_MAX - CONNECTION_HUGE) / CONNECTIONS_MAX)

struct connection_ends {
    struct connection *newest, *oldest;
};

struct stream_bin {
    struct connection **connections; // by index, without holes
    uint32_t count, room;            // places in use, of the array
    struct index_table table;        // by key
    struct connection_ends lists[2]; // by enum connection_list
    struct connection *next_slim;    // all older ones are slim; NULL: all are
    struct connection *waiting;      // a ring of those that wait behind a hole: the next to look at
    size_t memory;                   // of all connections
    struct flow_output output;
};

void stream_bin_init(struct stream_bin *b);
void stream_bin_fini(struct stream_bin *b);

// Between flow_output_begin and flow_output_end, as the next one.
void stream_bin_packet(struct stream_bin *b, const struct piece_record *r);

// After the last packet: everything that is held is handed on as far as it came.
void stream_bin_finish(struct stream_bin *b);

#endif
