// The compact records that decoding a packet gives: what travels from read/ and flow/ to track/.
//
// A record borrows from the buffer that its packet stands in. Records lie in their batch in capture
// order; `order` is the place of their packet among all packets of all inputs.
#ifndef SIDETONE_WIRE_PACKET_H
#define SIDETONE_WIRE_PACKET_H

#include "wire/net/path.h"
#include "wire/sip/links.h"

// What is kept of a time that never came: no record has it.
#define TIME_NOT_SEEN INT64_MIN

// Place in the capture: by time (inside a file the running maximum, so that a clock that steps back
// does not reorder it), then by input, then by record.
struct order {
    int64_t time_ns;
    uint64_t at; // file << ORDER_RECORD_BITS | record: file counts from 0, record from 1
};

// Times further than 146 years from 1970 are taken as that far, and a time that is not known as the
// earliest: differences of any two fit into 64 bits then.
#define TIME_MAX_NS       ((INT64_C(1) << 62) - 1)
#define TIME_NOT_KNOWN_NS (-TIME_MAX_NS)

static inline int64_t time_bounded(int64_t time_ns)
{
    return time_ns > TIME_MAX_NS ? TIME_MAX_NS : time_ns < -TIME_MAX_NS ? -TIME_MAX_NS : time_ns;
}

#define ORDER_RECORD_BITS 44
#define ORDER_LAST        ((struct order){INT64_MAX, UINT64_MAX})

static inline bool order_before(struct order a, struct order b)
{
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.at < b.at;
}

// For sorting: negative, 0 or positive.
static inline int order_compare(struct order a, struct order b)
{
    return order_before(a, b) ? -1 : order_before(b, a);
}

static inline struct order order_of(int64_t time_ns, uint32_t file, uint64_t record)
{
    return (struct order){time_ns, (uint64_t)file << ORDER_RECORD_BITS | record};
}

// The place of what is known at the end of the capture only: behind all packets, and there in the
// order of the last packet that it has, whichever file has that. Times before 1970 count as 1970.
static inline struct order order_at_end(struct order last)
{
    if (last.time_ns <= TIME_MAX_NS) {
        last.time_ns = TIME_MAX_NS + 1 + (last.time_ns > 0 ? last.time_ns : 0);
    }
    return last;
}

static inline uint32_t order_file(struct order o)
{
    return (uint32_t)(o.at >> ORDER_RECORD_BITS);
}

static inline uint64_t order_record(struct order o)
{
    return o.at & ((1ull << ORDER_RECORD_BITS) - 1);
}

// A copy that the capture made of a packet comes within 50 ms (docs/json.md).
#define CAPTURE_COPY_NS INT64_C(50000000)

// A frame of the capture that something came in.
struct packet_ref {
    uint64_t at; // as in struct order
    int64_t time_ns;
};

// Bins that records of each kind are sorted into. A fixed number, so that a report never depends on
// the number of cores; enough that a few cores are always busy, and few enough that each chunk
// gives every bin something to do.
#define BINS 32

static inline uint8_t bin_of_media(struct endpoint dst)
{
    return (uint8_t)((hash_mix(dst.addr.hi ^ dst.addr.lo, dst.port) >> 32) % BINS);
}

static inline uint8_t bin_of_call(struct slice call_id)
{
    return (uint8_t)((hash_bytes(call_id.p, call_id.n, 0) >> 40) % BINS);
}

// The same for both directions of a connection.
static inline uint8_t bin_of_connection(struct endpoint a, struct endpoint b, uint64_t path_hash)
{
    uint64_t both = endpoint_hash(a, path_hash) + endpoint_hash(b, path_hash);
    return (uint8_t)((both >> 32) % BINS);
}

// Every kind of record begins with its order and the time of its packet: settling and merging look
// at nothing else.

enum media_kind {
    MEDIA_RTP,
    MEDIA_BROKEN, // version 2, but its header does not fit: only addresses and order mean something
    MEDIA_IN_FLOW, // RTP whose packets are accounted for by their flow (TCP, fragments, HEP)
    MEDIA_UDPTL,   // T.38: see udptl_pack() for what `head` holds
    MEDIA_QUOTED,  // an ICMP error quotes a datagram of these endpoints
};

// One datagram that looks like RTP. From the addresses on its fields stand as decode/run.c writes
// them.
struct media_record {
    struct order order;
    int64_t time_ns;
    struct endpoint src, dst;
    union {
        struct {
            uint32_t ssrc, timestamp;
        };
        struct icmp_quote *quote; // MEDIA_QUOTED
    };
    uint16_t sequence;
    // With ip_id and ttl: tells a copy made by the capture from one made by the network.
    uint16_t checksum;
    uint16_t payload_n;
    uint16_t ip_id;
    // What its payload sounds like or begins with. Of PCMU and PCMA (static types 0 and 8): its
    // level, as level_pack makes it (wire/rtp/level.h). Of others, as red_summary does
    // (wire/rtp/red.h): its first four bytes in network order, where the first bit is 0, as in an
    // RFC 4733 event; else what RFC 2198 would say. 0 without payload. Of UDPTL its summary
    // (wire/t38/udptl.h).
    uint32_t head;
    uint8_t payload_type;
    uint8_t ttl;
    bool marker;
    uint8_t kind; // enum media_kind
};

// A capture is mostly these, and a chunk holds as many as fit its bytes: a field more is felt.
_Static_assert(sizeof(struct media_record) == 96, "one and a half cache lines");

// One datagram of RTCP, or as much as one elsewhere.
struct control_record {
    struct order order;
    int64_t time_ns;
    struct endpoint src, dst;
    const uint8_t *bytes;
    uint32_t captured, length; // bytes that are there, and on the wire
    // Of addresses, IP identification, TTL and all bytes: equal for copies made by the capture.
    uint64_t frame_hash;
    uint32_t frame_set; // equal for copies, without the secret: where the recent ones are kept
    uint16_t ip_id, checksum;
    uint8_t ttl;
};

// An ICMP error on its way to the call or stream whose datagram it quotes.
struct icmp_quote {
    uint8_t type, code;
    bool is_v6;
    // The quoted datagram: equal to frame_set of the message that it was, if it was one; and its
    // Call-ID, if that is quoted whole.
    uint32_t frame_set;
    uint32_t call_id_hash;
    struct slice call_id;
    // Set by the call that knows the datagram: then no stream is asked. Calls are folded first.
    _Atomic bool is_known;
};

// Asks the calls of one bin.
struct quote_record {
    struct order order;
    int64_t time_ns;
    struct icmp_quote *quote;
};

// The first ICMP error that came back for a packet of a call or stream.
struct icmp_seen {
    uint64_t at; // order.at of it; 0: none
    uint8_t type, code;
    bool is_v6;
};

static inline void icmp_see(struct icmp_seen *seen, const struct icmp_quote *quote, uint64_t at)
{
    if (seen->at == 0) {
        *seen = (struct icmp_seen){at, quote->type, quote->code, quote->is_v6};
    }
}

enum transport {
    TRANSPORT_UDP,
    TRANSPORT_TCP,
    TRANSPORT_WS,
    TRANSPORT_SCTP,
};

// One SIP message.
struct sip_record {
    struct order order;
    int64_t time_ns;  // of the packet that completed it
    int64_t first_ns; // of the packet with its first byte; means nothing without `packets`
    struct endpoint src, dst;
    const struct path *path; // NULL: nothing stands around its IP packet
    // The packets that it came in; NULL: the one of `order`.
    const struct packet_ref *packets;
    uint32_t packet_count;
    // Of addresses, IP identification, TTL and all bytes: equal for copies made by the capture. 0:
    // has none.
    uint64_t frame_hash;
    uint32_t frame_set; // equal for copies, without the secret: where the recent ones are kept
    uint32_t call_id_hash;
    uint64_t cseq;
    uint64_t oddities;
    struct slice raw, body;
    struct slice method_text, uri, reason; // as in struct sip_message
    struct slice call_id, from, to, from_tag, to_tag, branch, agent, cseq_text;
    struct slice correlation_id; // of the HEP envelope that it came in
    struct sip_link *links;      // what ties it to other dialogs, in order; NULL: nothing
    enum sip_method method;
    uint32_t part;              // its place among the messages of its packet
    uint32_t rseq;              // of a reliable provisional response (RFC 3262 7.1), else 0
    uint32_t session_expires_s; // of a 2xx (RFC 4028 4); 0: none
    uint16_t code;              // 0: a request, or no status that RFC 3261 7.2 knows
    uint8_t ttl, transport;
    bool is_request, truncated, has_sdp;
    bool has_other_body; // not a session description
    bool has_rtp_stat;   // a header of wire/sip/rtp_stat.h
    uint8_t lapse;       // enum sip_lapse of a BYE
    bool is_copy;        // set by the tracker: a capture duplicate
};

// Takes a message apart once more, for what its record does not carry: where that is seldom needed.
static inline bool sip_record_parse(const struct sip_record *r, struct sip_message *full)
{
    return sip_parse(full, r->raw.p, r->raw.n, SIP_DATAGRAM, r->truncated) > 0;
}

// One IP fragment, TCP segment or SCTP packet: a piece of something that takes several packets.
struct piece_record {
    struct order order;
    int64_t time_ns;
    struct endpoint src, dst;         // ports 0 for a fragment
    const struct path *path;          // NULL: none
    uint64_t path_hash;               // with hash_secret: stands for the whole path; 0 without one
    const struct packet_ref *packets; // that it came in, where they are several
    uint32_t packet_count;            // 0: one
    const uint8_t *transport;         // header of TCP or SCTP; NULL for a fragment
    const uint8_t *payload;           // as in struct datagram, as all that follows
    uint32_t payload_n, payload_length;
    uint32_t fragment_id, fragment_offset;
    uint16_t ip_id, checksum;
    uint8_t ttl, protocol, tunnels;
    bool more_fragments;
};

#endif
