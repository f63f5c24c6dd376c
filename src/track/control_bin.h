// A control bin: the RTCP between the endpoints that hash to it, folded into accounts of senders
// and of reports about senders.
//
// Comes in: control records in capture order. Goes out: accounts, in the order of their making.
// Both directions between two endpoints are in one bin, so that a report meets the sender report
// that it answers. Bins are independent of each other: any thread may fold one, one thread at a
// time.
#ifndef SIDETONE_TRACK_CONTROL_BIN_H
#define SIDETONE_TRACK_CONTROL_BIN_H

#include "base/index_table.h"
#include "track/control.h"
#include "track/frames_seen.h"

// Accounts of both kinds in one bin. Not smaller: each stream has two, and a capture of a carrier
// has a million streams in 32 bins. Not larger: a stranger can make one with 8 bytes, and it takes
// some 300.
#define CONTROL_ACCOUNTS_MAX 65536
// New accounts of one RTCP packet. Not smaller: a mixer reports about 31 sources. Not larger: see
// above. What is beyond has to come again.
#define CONTROL_NEW_MAX 32

// Sets of recent packets that are kept to tell copies of them. Not smaller: within 50 ms the
// streams of a trunk send some dozens. Not larger: it is memory of every bin.
#define CONTROL_COPY_SETS 64

struct control_bin {
    struct arena arena;
    struct control_sender **senders; // all, in the order of their making
    uint32_t sender_count, sender_room;
    struct control_about **abouts; // likewise
    uint32_t about_count, about_room;
    struct index_table by_sender, by_about; // the newest of each key
    struct frames_seen seen;
    uint32_t made;     // accounts of the packet at hand
    uint64_t copies;   // capture duplicates
    uint64_t left_out; // accounts that were not made
};

void control_bin_init(struct control_bin *b);
void control_bin_fini(struct control_bin *b);

// Keeps nothing of the record's bytes.
void control_bin_packet(struct control_bin *b, const struct control_record *r);

#endif
