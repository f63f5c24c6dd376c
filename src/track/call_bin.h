// A call bin: all calls whose Call-IDs hash to it.
//
// Comes in: SIP message records in capture order. Goes out: calls, in the order of their making,
// and announcements of media, in capture order, for the media bins. Bins are independent: any
// thread may fold one, one thread at a time.
#ifndef SIDETONE_TRACK_CALL_BIN_H
#define SIDETONE_TRACK_CALL_BIN_H

#include "base/index_table.h"
#include "track/call.h"
#include "track/frames_seen.h"
#include "track/message_counts.h"

// Sets of recent frames of one bin, for telling capture duplicates. 4 ways of 256 sets in 32 bins
// hold the 50 ms of 600,000 messages a second.
#define CALL_COPY_SETS 256

struct call_bin {
    struct arena arena;
    uint32_t id; // place among the bins
    struct call **calls;
    uint32_t call_count, call_room;
    struct index_table newest;   // call of a Call-ID
    struct index_table by_party; // newest call of a Call-ID that several have, and a party
    uint32_t other_parties;      // in that table, of what is neither call nor registration
    struct frames_seen seen;
    struct payload_map_table maps;
    const struct path *path;          // the last one kept
    struct media_news *announcements; // since they were last taken
    uint32_t announcement_count, announcement_room;
    uint64_t messages, copies;
    uint64_t oddities[SIP_ODD_COUNT];
    struct message_counts counts;
};

void call_bin_init(struct call_bin *b, uint32_t id);
void call_bin_fini(struct call_bin *b);

// Folds one message; sets m->is_copy where it is a capture duplicate.
void call_bin_message(struct call_bin *b, struct sip_record *m);

// An ICMP error, between the messages: the call that knows the datagram which it quotes hears of
// it.
void call_bin_quote(struct call_bin *b, const struct quote_record *r);

#endif
