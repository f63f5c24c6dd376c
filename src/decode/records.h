// A batch of records: what decoding a piece of the capture gives, sorted into bins.
//
// Owner: whoever decodes (a chunk, a bin of flows). Filled by one thread, then sealed and only
// read, except for `taken`, which each bin's folder writes for its own bin. Arrays are used again:
// after warm-up filling a batch allocates nothing.
#ifndef SIDETONE_DECODE_RECORDS_H
#define SIDETONE_DECODE_RECORDS_H

#include "base/arena.h"
#include "decode/oddity.h"
#include "wire/net/peel.h"
#include "wire/packet.h"

enum record_kind {
    FRAGMENT_RECORDS, // struct piece_record, by outermost addresses
    SEGMENT_RECORDS,  // struct piece_record, by connection
    SIP_RECORDS,      // struct sip_record, by Call-ID
    QUOTE_RECORDS,    // struct quote_record, for the calls of a bin
    MEDIA_RECORDS,    // struct media_record, by destination
    CONTROL_RECORDS,  // struct control_record, by both ends
    RECORD_KINDS,
};

struct record_list {
    void *items;
    uint8_t *bins; // of each item
    uint32_t count, room;
    // After sealing: indices by bin, in capture order inside a bin, and where each bin begins.
    // Before, begin[b + 1] counts the records of bin b.
    uint32_t *sorted;
    uint32_t sorted_room;
    uint32_t begin[BINS + 1];
    uint32_t taken[BINS]; // what is folded already
};

struct record_counts {
    uint64_t rtcp, keepalives;
    uint64_t copies;      // frames that the capture has twice; datagrams of SIP are counted later
    uint64_t other_media; // media records whose packets are accounted for elsewhere
    uint64_t unknown_linktype; // one of them; UINT64_MAX: none
    uint64_t reasons[REASON_COUNT];
    uint64_t odd[FLOW_ODD_COUNT];
};

void record_counts_init(struct record_counts *c);
void record_counts_add(struct record_counts *sum, const struct record_counts *c);

struct records {
    struct records *next; // in a queue, or in a pool
    struct record_list lists[RECORD_KINDS];
    uint32_t emitted;                     // messages that were shown already
    struct order first_order, last_order; // nothing in it stands before or behind
    struct arena kept;                    // paths, bytes of what was put together
    const struct path *path;              // the last one kept: most packets have the same
    struct record_counts counts;
};

void records_init(struct records *r);
void records_fini(struct records *r);

// Empties it for reuse.
void records_reset(struct records *r);

// Room for one more record, not initialised, that goes to a bin.
void *records_grow(struct record_list *list, enum record_kind kind);

static inline void *records_push(struct records *r, enum record_kind kind, size_t size, uint8_t bin)
{
    struct record_list *list = &r->lists[kind];
    if (__builtin_expect(list->count == list->room, 0)) {
        records_grow(list, kind);
    }
    list->bins[list->count] = bin;
    list->begin[bin + 1]++;
    return (char *)list->items + size * list->count++;
}

#define RECORDS_PUSH(records, kind, type, bin)                                                     \
    ((type *)records_push((records), (kind), sizeof(type), (bin)))

// Sorts into bins; once, after the last record.
void records_seal(struct records *r);

extern const size_t record_bytes[RECORD_KINDS];

// Every record begins with its order.
static inline struct order *record_order(const struct record_list *list, enum record_kind kind,
                                         uint32_t i)
{
    return (struct order *)((char *)list->items + record_bytes[kind] * i);
}

// Batches in capture order.
struct record_queue {
    struct records *first, *last;
};

void record_queue_append(struct record_queue *q, struct records *r);

// Takes the first one off where all of it stands before `bound`; else NULL.
struct records *record_queue_take(struct record_queue *q, struct order bound);

// Does a record of this kind from `from` up to `to` (not included) stand in it?
bool record_queue_has(const struct record_queue *q, enum record_kind kind, struct order from,
                      struct order to);

// A copy of the path that lives as long as the batch's records; NULL where it is empty.
const struct path *records_path(struct records *r, const struct path *path);

#endif
