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
// Bytes that all connections of one bin may hold: behind holes and of unfinished messages. Not
// smaller: some messages of full size at the same time. Not larger: there are 32 bins.
#define STREAM_BYTES_MAX (8u << 20)

struct stream_bin {
    struct connection **connections;    // by index, without holes
    uint32_t count, room;               // places in use, of the array
    struct index_table table;           // by key
    struct connection *newest, *oldest; // by their last packet
    struct connection *waiting; // a ring of those that wait behind a hole: the next to look at
    size_t held;
    struct flow_output output;
};

void stream_bin_init(struct stream_bin *b);
void stream_bin_fini(struct stream_bin *b);

// Between flow_output_begin and flow_output_end, as the next one.
void stream_bin_packet(struct stream_bin *b, const struct piece_record *r);

// After the last packet: everything that is held is handed on as far as it came.
void stream_bin_finish(struct stream_bin *b);

#endif
