// One TCP connection or SCTP association: both directions, and what they carry.
//
// Comes in: its segments. Goes out, into a batch: SIP messages, HEP envelopes, media. Owned by its
// bin, which finds it and ends it.
#ifndef SIDETONE_FLOW_CONNECTION_H
#define SIDETONE_FLOW_CONNECTION_H

#include "decode/records.h"
#include "flow/carried.h"
#include "flow/sctp.h"
#include "flow/tcp.h"

struct direction { // each is made with its first use
    struct tcp_side *tcp;
    struct carried *carried;
    struct sctp_side *sctp;
    // A direction whose beginning was not captured: where its bytes begin, and since when.
    bool is_from_middle;
    uint32_t first_sequence;
    int64_t first_ns;
    // The last bytes that were given up: should they come all the same.
    uint32_t lost_sequence, lost_n;
};

enum connection_list { // of a bin
    LIST_ALL,          // by last packet
    LIST_LARGE,        // those that take more than CONNECTION_LIGHT bytes, by last packet too
    CONNECTION_LISTS,
};

struct connection_links {
    struct connection *newer, *older;
};

struct connection {
    struct connection_links links[CONNECTION_LISTS];
    struct connection *next_waiting,
        *prev_waiting; // in the ring of those that wait; NULL: not there
    uint32_t index, hash;
    struct endpoint ends[2];
    uint8_t protocol;
    const struct path *path; // owned; NULL: none
    uint64_t path_hash;
    struct direction directions[2]; // 0: from ends[0] to ends[1]
    uint64_t packets, copies;       // not accounted yet
    struct order last;              // of its last packet
    bool has_messages;              // SIP or media was seen in it
    bool has_keepalives;            // alone they are somebody's SIP, too
    bool is_large;                  // it is in that list
    bool is_slim;                   // connection_slim was its last use
    size_t memory;                  // all bytes that it takes
};

struct connection *connection_new(const struct piece_record *r);
void connection_free(struct connection *c);

// Takes one of its segments. False: it belongs to a new connection of the same endpoints, and
// nothing was taken.
bool connection_packet(struct connection *c, const struct piece_record *r, struct records *out);

// Gives up holes that are too old at the time of `now`, the packet at hand.
void connection_tick(struct connection *c, struct order now, struct records *out);

// Nothing more will come: hands on what is held, and accounts for its packets.
void connection_finish(struct connection *c, struct order now, struct records *out);

// Gives back what it can do without while it is silent.
void connection_slim(struct connection *c);

// Does something wait behind a hole?
bool connection_waits(const struct connection *c);

#endif
