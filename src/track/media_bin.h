// A media bin: all streams towards the destination endpoints that hash to it, and what calls
// announced for these.
//
// Comes in: media records and announcements, each in capture order. Goes out: streams, in the order
// of their making. Bins are independent of each other: any thread may fold one, one thread at a
// time. Their number is fixed, so that a report never depends on the number of cores.
//
// Until a second packet of the same flow and SSRC proves it, a datagram that looks like RTP and
// goes where no call announced media is only a candidate: one record in a small table that forgets
// its oldest. So is one that looks like UDPTL; whether its stream is believed is for the join to
// say.
#ifndef SIDETONE_TRACK_MEDIA_BIN_H
#define SIDETONE_TRACK_MEDIA_BIN_H

#include "base/index_table.h"
#include "track/stream_fax.h"

// Candidates of one bin, in sets. Not smaller: where the signalling is elsewhere all streams of a
// trunk begin as candidates, those to one port in one bin. Not larger: noise that looks like RTP
// must cost next to nothing. 32 bins hold 131,072 in 14 MiB at the most, and 2,048 in 0.2 MiB where
// few come at once.
#define CANDIDATE_SETS_FIRST 16
#define CANDIDATE_SETS_MAX   1024
#define CANDIDATE_WAYS       4
// A set grows rather than forget a candidate younger than this: the second packet of a stream comes
// sooner.
#define CANDIDATE_YOUNG_NS INT64_C(1000000000)
// Distance in numbers within which the second packet proves a candidate.
#define CANDIDATE_REACH 32
// A stream that was silent for longer is not told of new announcements for its endpoint.
#define STREAM_IDLE_NS INT64_C(60000000000)

// Streams of one endpoint that are told, newest first. Not smaller: a conference port has some
// dozen senders. Not larger: a stranger who changes the SSRC with each packet must not make
// announcements slow.
#define ENDPOINT_STREAMS_MAX 256

// Calls back that an announcement of the past is looked for. Not smaller: a port of a trunk serves
// some hundred calls in a capture. Not larger: one that serves every call must not cost time
// without end.
#define ANNOUNCED_BACK_MAX 1024

struct media_endpoint {
    struct endpoint endpoint;
    // Newest, of RTP and of T.38; their time is when this call began to announce it.
    struct announcement *announcement, *fax;
    int64_t news_ns;  // time of the newest that was not the same once more
    uint32_t streams; // those that may still be told of a new one, by their next_of_endpoint
};

struct candidate {
    struct media_record record;
    bool used;
};

struct candidate_set {
    struct candidate ways[CANDIDATE_WAYS];
    uint8_t next; // the oldest
};

struct media_bin {
    struct arena arena;
    struct arena lines;      // of streams alone, each of whole cache lines
    struct stream **streams; // all, in the order of their making
    uint32_t stream_count, stream_room;
    struct index_table current; // the stream that packets of a key go to
    struct index_table faxes;   // likewise of UDPTL, by addresses alone
    struct index_table flows;   // the newest stream between two endpoints
    uint32_t flow_streams;      // streams in it so far: ICMP errors ask for it, see media_quote.c
    struct media_endpoint **endpoints;
    uint32_t endpoint_count, endpoint_room;
    struct index_table by_endpoint;
    struct candidate_set *candidates;
    uint32_t candidate_sets;  // a power of two; 0: none yet
    uint64_t broken;          // packets to announced endpoints with an RTP header that does not fit
    uint64_t evicted;         // candidates that were forgotten
    uint64_t in_flow;         // packets of streams that are accounted for elsewhere (MEDIA_IN_FLOW)
    int64_t jitter_buffer_ns; // of the listener that streams are judged for; 0: STREAM_BUFFER_NS
    uint64_t unknown_quotes;  // ICMP errors that no call and no stream here knows
};

// Records of one batch for a bin, in capture order.
struct media_run {
    const struct media_record *records;
    const uint32_t *sorted; // which of them
    uint32_t count;
};

void media_bin_init(struct media_bin *b);
void media_bin_fini(struct media_bin *b);
void media_bin_packet(struct media_bin *b, const struct media_record *r);

// The same for many, which costs less: what a packet touches is asked for while those before it are
// folded.
void media_bin_run(struct media_bin *b, const struct media_run *run);

// Keeps a copy of what it says.
void media_bin_announce(struct media_bin *b, const struct media_news *news);

// An ICMP error that quotes a packet of these endpoints. However many streams there are, it costs a
// look into a table: it takes a stranger one packet.
void media_bin_quoted(struct media_bin *b, const struct media_record *r);

// Once, after the last packet: candidates whose endpoint was announced after them become streams,
// streams are finished.
void media_bin_finish(struct media_bin *b);

// What was announced for RTP (or a fax) at an endpoint of this bin last, up to a time; what was
// announced first where that is later; NULL where nothing was.
const struct announcement *media_bin_announced(const struct media_bin *b, struct endpoint e,
                                               bool is_fax, int64_t until_ns);

#endif
