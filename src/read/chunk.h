// A chunk: a piece of an input, decoded on any core into records that lie in bins.
//
// Comes in: an input, the part of it that this chunk answers for, and where its first record
// begins, as far as that is known. Goes out: media and SIP records in capture order, sorted into
// bins; counts of everything else. A chunk answers for the records that begin in [offset, offset +
// span); the last one may end beyond. Where the first record begins in the middle of a file is
// guessed, and proven afterwards by the end of the chunk before; a wrong guess is decoded again.
// Owns its buffer and arrays, which are used again: after warm-up, decoding allocates nothing.
#ifndef SIDETONE_READ_CHUNK_H
#define SIDETONE_READ_CHUNK_H

#include "decode/records.h"
#include "read/input.h"

// A block of a pcapng file that is no packet but belongs to the capture: names of addresses, or
// secrets for decrypting.
struct kept_block {
    struct kept_block *next;
    enum pcapng_block kind; // PCAPNG_NAMES or PCAPNG_SECRETS
    size_t n;
    uint8_t bytes[]; // the block's body
};

// Bytes of names and secrets kept of one input. Not smaller: key logs of a busy server have some
// MB. Not larger: they are no measure of what the capture holds. Blocks beyond are left out, with a
// warning.
#define KEPT_BYTES_MAX (16u << 20)

// Something of a pcapng file that its count of lost packets is made of, in the order of the file.
struct drop_note {
    uint32_t interface; // whose count it is; DROP_NOTE_SECTION: a section begins
    uint64_t dropped;   // by it so far
};
#define DROP_NOTE_SECTION UINT32_MAX

// What ends a chunk before its span does.
enum chunk_end {
    END_NONE, // the next chunk goes on at `end`
    END_OF_INPUT,
    END_CUT,        // the input ends inside a record
    END_DAMAGED,    // no record where one must be
    END_READ_ERROR, // reading failed: `read_errno`
};

struct chunk {
    struct records records; // the first member: records in a queue are those of their chunk
    struct input *input;
    uint64_t offset, span;
    uint64_t begin;      // where the first record begins; valid if has_begin
    bool has_begin;      // known, or guessed with success
    struct pcapng *ng;   // state at begin; after decoding: at end. NULL for pcap
    uint64_t ng_version; // of the state at begin
    uint64_t end;        // where the next record begins
    enum chunk_end why;
    int read_errno;
    // the bytes
    uint8_t *buffer;
    size_t buffer_room, buffer_n;
    uint64_t buffer_at; // offset in the input of its first byte
    bool is_filled;     // from a stream: the bytes are there already, from `begin` on
    bool is_last;       // from a stream: nothing comes after them
    bool is_cut;        // from a stream: it ended inside a record that was passed over
    struct kept_block *kept, **kept_last; // in the order of the file
    uint64_t kept_left_out;
    struct drop_note *drops; // bounded by the bytes of the chunk: a block is 24 bytes and more
    uint32_t drop_count, drop_room;
    // counts
    uint64_t packets, bytes, undescribed, absurd_times;
    int64_t first_ns, last_ns; // smallest and largest time; first > last: no packet
    int64_t running_ns;        // largest time up to the end, seen from the chunk's start
    int64_t back_ns;           // largest step back of the clock inside the chunk
    bool has_untimed;          // packets without a time of their own
    int64_t first_running_ns;  // time of the first packet
    uint64_t settled_at;       // what chunk_settle says of its records
    int64_t settled_ns;
};

void chunk_init(struct chunk *c);
void chunk_fini(struct chunk *c);

void kept_blocks_free(struct kept_block *list);

// Reads and decodes. Where has_begin is false it guesses; no guess leaves it false with no records.
void chunk_decode(struct chunk *c);

// Makes the orders of the batch final: `first_record` and the largest time before this chunk. The
// chunk must be proven. Those of its records follow on any core: chunk_settle_records, once.
void chunk_settle(struct chunk *c, uint64_t first_record, int64_t running_ns);
void chunk_settle_records(struct chunk *c);

#endif
