// A source: an input on its way through the engine: how far it is decoded and proven, and what of
// it waits for folding.
#ifndef SIDETONE_LISTEN_SOURCE_H
#define SIDETONE_LISTEN_SOURCE_H

#include "read/chunk.h"
#include "read/feed.h"

struct source {
    struct input input;
    struct feed feed; // streams
    bool is_started, is_done;
    uint64_t bytes_told; // of its input, in the progress of all
    bool is_planned;     // for the round at hand
    bool is_buffered;    // is in the engine's list of those with chunks
    uint64_t begin;      // where the next record begins: proven
    uint64_t records;    // proven so far
    int64_t running_ns;  // largest time so far; before the first packet: the input's first_ns
    int64_t back_ns;     // largest step back of its clock
    enum chunk_end why;  // of its end
    int read_errno;
    struct kept_block *kept, *kept_last;
    size_t kept_bytes;
    uint64_t kept_left_out;
    // Packets that the file says it lost: of the sections before, and of each interface of this
    // one.
    uint64_t dropped;
    uint64_t *dropped_of; // at most PCAPNG_INTERFACES_MAX
    uint32_t dropped_of_count;
    struct record_queue queue; // chunks that are decoded and proven, not wholly folded
};

// No record of the source that is still to be decoded stands before this.
struct order source_frontier(const struct source *s);

// Packets that the file says it lost, up to what is proven.
uint64_t source_dropped(const struct source *s);

// Opens it for reading. Returns 0 or ERR_OPEN.
int source_start(struct source *s);
void source_fini(struct source *s);

// Makes `count` chunks ready for decoding, from `begin` on (files: the first is known, the others
// guess). Returns how many there is input for; for streams this reads them.
unsigned source_plan(struct source *s, struct chunk **chunks, unsigned count, uint64_t span);

// Proves a decoded chunk against the end of the one before, decodes it again where it was wrong,
// and makes it part of the source; chunk_settle_records follows. Chunks in the order of their plan.
// Returns false where it is behind the source's end and means nothing.
bool source_prove(struct source *s, struct chunk *c);

#endif
