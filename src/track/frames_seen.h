// The frames that came last, by their hashes: tells a copy that the capture made from a packet that
// was sent again. Memory: one block, from the first frame on; sets are touched as frames come. One
// thread at a time.
#ifndef SIDETONE_TRACK_FRAMES_SEEN_H
#define SIDETONE_TRACK_FRAMES_SEEN_H

#include "wire/packet.h"

#define FRAMES_SEEN_WAYS 4

struct call;

struct frame_seen {
    uint64_t hash;
    int64_t time_ns;
    struct call *call; // that it is of, for who sets it
    uint32_t set;      // the frame_set of its record: what an ICMP error can know of it
};

struct frames_seen_set {
    struct frame_seen ways[FRAMES_SEEN_WAYS];
    uint8_t next; // the oldest
};

struct frames_seen {
    struct frames_seen_set *sets; // NULL: none so far
    uint64_t *used;               // a bit for each set that was touched; the others are not zeroed
    uint32_t count;               // of sets
};

void frames_seen_init(struct frames_seen *f, uint32_t count);
void frames_seen_fini(struct frames_seen *f);

// The frames of a set, newest or not.
struct frame_seen *frames_seen_ways(struct frames_seen *f, uint32_t frame_set);

// Notes a frame and returns where; NULL: a copy of it came within CAPTURE_COPY_NS.
struct frame_seen *frames_seen_note(struct frames_seen *f, uint64_t hash, uint32_t frame_set,
                                    int64_t time_ns);

#endif
