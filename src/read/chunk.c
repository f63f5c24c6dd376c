// Walking a chunk: bytes from its input, borders of records, and the end of what it answers for.
#include "read/chunk.h"

#include "base/memory.h"
#include "decode/decode.h"
#include "decode/run.h"

#include <errno.h>

// Bytes read beyond the span at first: one packet of a usual capture. A longer last record is
// fetched when it is met.
#define TAIL_BYTES 4096u
// Room for the longest last record (CAP_MORE never asks for more): records borrow from the buffer,
// so it must not move while a chunk is decoded. What is not needed is never touched.
#define LAST_RECORD_ROOM (CAP_SNAPLEN_MAX + 64u)
// Records in a row that must look right where a border is guessed.
#define GUESS_CHAIN 4

void kept_blocks_free(struct kept_block *list)
{
    while (list) {
        struct kept_block *next = list->next;
        memory_free(list);
        list = next;
    }
}

void chunk_init(struct chunk *c)
{
    *c = (struct chunk){0};
    records_init(&c->records);
}

void chunk_fini(struct chunk *c)
{
    kept_blocks_free(c->kept);
    memory_free(c->ng);
    memory_free(c->drops);
    memory_free(c->buffer);
    records_fini(&c->records);
}

// --- bytes ---

static void make_room(struct chunk *c, size_t n)
{
    if (n > c->buffer_room) {
        c->buffer = memory_resize(c->buffer, n);
        c->buffer_room = n;
    }
}

// Has the bytes up to `want` from the buffer's start in the buffer, as far as the input has them.
static bool have(struct chunk *c, size_t want)
{
    if (c->is_filled || want <= c->buffer_n) {
        return want <= c->buffer_n;
    }
    if (want > c->buffer_room) {
        c->why = END_DAMAGED;
        return false;
    }
    int64_t got = input_read_at(c->input, c->buffer + c->buffer_n, want - c->buffer_n,
                                c->buffer_at + c->buffer_n);
    if (got < 0) {
        c->why = END_READ_ERROR;
        c->read_errno = errno;
        return false;
    }
    c->buffer_n += (size_t)got;
    return want <= c->buffer_n;
}

// --- guessing where records begin ---

// A border is guessed where a chain of records looks right up to the end of the buffer or
// GUESS_CHAIN long.
static bool chain_at(const struct chunk *c, size_t at)
{
    const struct input *in = c->input;
    for (int i = 0; i < GUESS_CHAIN; i++) {
        const uint8_t *p = c->buffer + at;
        size_t n = c->buffer_n - at;
        if (n == 0) {
            return i > 0;
        }
        if (!cap_walk_plausible(&in->format, c->ng, p, n, in->first_ns)) {
            return false;
        }
        uint64_t size = cap_walk_size(&in->format, c->ng, p, n);
        if (size == 0) {
            return i > 0;
        }
        if (size > n) {
            return true;
        }
        at += (size_t)size;
    }
    return true;
}

// Not inlined: once a chunk, and it would take registers from the walk.
static __attribute__((noinline)) void guess_begin(struct chunk *c)
{
    size_t step = cap_walk_alignment(&c->input->format);
    size_t first = (size_t)(-c->offset & (step - 1));
    size_t last = c->span < c->buffer_n ? (size_t)c->span : c->buffer_n;
    for (size_t at = first; at < last; at += step) {
        if (chain_at(c, at)) {
            c->begin = c->offset + at;
            c->has_begin = true;
            return;
        }
    }
}

// --- walking ---

// Keeps the body of a block; what of it is not in the buffer is read for it. A stream gives blocks
// whole, but for one in which it ends.
static void keep_block(struct chunk *c, const struct cap_block *block, size_t at, uint64_t size)
{
    const size_t FRAME = 12; // type and both lengths
    size_t n = size > FRAME ? (size_t)size - FRAME : 0;
    size_t there = c->buffer_n - at - 8;      // behind type and length
    bool is_whole = size <= c->buffer_n - at; // the walk looks at the beginning of long ones only
    if (size > KEPT_BYTES_MAX) {
        c->kept_left_out++;
        return;
    }
    struct kept_block *b = memory_alloc(sizeof *b + n);
    *b = (struct kept_block){.kind = block->kind, .n = n};
    if (is_whole || c->is_filled) {
        b->n = n < there ? n : there;
        memcpy(b->bytes, block->body, b->n);
    } else {
        int64_t got = input_read_at(c->input, b->bytes, n, c->buffer_at + at + 8);
        b->n = got > 0 ? (size_t)got : 0;
    }
    *c->kept_last = b;
    c->kept_last = &b->next;
}

static void note_drops(struct chunk *c, uint32_t interface, uint64_t dropped)
{
    if (c->drop_count == c->drop_room) {
        c->drop_room = c->drop_room ? c->drop_room * 2 : 16;
        c->drops = memory_resize(c->drops, c->drop_room * sizeof *c->drops);
    }
    c->drops[c->drop_count++] = (struct drop_note){interface, dropped};
}

// A block that gave no record.
static void note_block(struct chunk *c, const struct cap_block *block, size_t at, uint64_t size)
{
    if (block->kind == PCAPNG_PACKET_NO_INTERFACE) {
        c->undescribed++;
        c->packets++;
    } else if (block->kind == PCAPNG_NAMES || block->kind == PCAPNG_SECRETS) {
        keep_block(c, block, at, size);
    } else if (block->kind == PCAPNG_SECTION) {
        note_drops(c, DROP_NOTE_SECTION, 0);
    } else if (block->kind == PCAPNG_STATISTICS) {
        struct pcapng_statistics said;
        if (pcapng_statistics(c->ng, block, &said)) {
            note_drops(c, said.interface, said.dropped);
        }
    }
}

static int64_t sane_time(struct chunk *c, int64_t time_ns)
{
    int64_t bounded = time_bounded(time_ns);
    c->absurd_times += bounded != time_ns;
    return bounded;
}

static inline int64_t note_time(struct chunk *c, const struct cap_record *record)
{
    if (__builtin_expect(!record->has_time, 0)) {
        c->has_untimed = true;
        return INT64_MIN; // the running time, which is known when the chunk is proven
    }
    int64_t time_ns = sane_time(c, record->time_ns);
    if (c->first_running_ns == INT64_MIN) {
        c->first_running_ns = time_ns;
    }
    c->first_ns = time_ns < c->first_ns ? time_ns : c->first_ns;
    c->last_ns = time_ns > c->last_ns ? time_ns : c->last_ns;
    if (__builtin_expect(time_ns < c->running_ns, 0)) {
        int64_t back_ns = c->running_ns - time_ns;
        c->back_ns = back_ns > c->back_ns ? back_ns : c->back_ns;
        return time_ns;
    }
    c->running_ns = time_ns;
    return time_ns;
}

// Orders are local until the chunk is settled: the running time inside the chunk, the number of the
// record inside it.
static inline void take_record(struct chunk *c, const struct cap_record *record)
{
    struct origin from = {.time_ns = note_time(c, record)};
    from.order = (struct order){c->running_ns, c->packets};
    c->packets++;
    c->bytes += record->length;
    decode_frame(&c->records, record->linktype, record->bytes, record->captured, &from);
}

// Takes the ordinary packets at `at`, which is before `stop`, at once; returns where they end. From
// the first packet with a time on, which note_time() has to see.
static inline size_t take_run(struct chunk *c, size_t at, size_t stop)
{
    if (__builtin_expect(c->running_ns == INT64_MIN, 0)) {
        return at;
    }
    struct run run = {.at = c->buffer + at,
                      .stop = c->buffer + stop,
                      .end = c->buffer + c->buffer_n,
                      .running_ns = c->running_ns,
                      .packets = c->packets,
                      .bytes = c->bytes};
    decode_run(&c->records, &c->input->format, c->ng, &run);
    c->packets = run.packets;
    c->bytes = run.bytes;
    c->running_ns = run.running_ns;
    c->last_ns = run.running_ns; // both are the largest so far
    return (size_t)(run.at - c->buffer);
}

// The walk: ordinary packets in runs, the others one by one. Leaves `end` behind the last record
// and says why there is no more.
static void walk(struct chunk *c, size_t at, size_t stop)
{
    const uint64_t base = c->buffer_at;
    struct cap_record record;
    struct cap_block block;
    uint64_t size;
    // What is longer than anybody looks at may end far behind the bytes that are there.
    while (at < stop && (at = take_run(c, at, stop)) < stop) {
        enum cap_step step = cap_walk_next(&c->input->format, c->ng, c->buffer + at,
                                           c->buffer_n - at, &record, &size, &block);
        if (__builtin_expect(step == CAP_RECORD, 1)) {
            take_record(c, &record);
        } else if (step == CAP_SKIP) {
            note_block(c, &block, at, size);
        } else if (step == CAP_MORE) {
            if (have(c, at + (size_t)size)) {
                continue;
            }
            if (c->why == END_NONE) {
                bool is_early = c->buffer_n > at || (!c->is_filled && base + at < c->input->size);
                c->why =
                    is_early ? END_CUT : END_OF_INPUT; // early: also of a file that became shorter
            }
            break;
        } else if (step == CAP_BROKEN) {
            c->why = END_DAMAGED;
            break;
        }
        bool is_beyond = c->is_filled ? c->is_last : base + at + size > c->input->size;
        if (size > c->buffer_n - at && is_beyond) {
            c->why = END_CUT; // a record that claims more than the input has
            break;
        }
        at += (size_t)size;
    }
    c->end = base + at;
}

static void reset(struct chunk *c)
{
    records_reset(&c->records);
    c->packets = c->bytes = c->undescribed = c->absurd_times = 0;
    c->first_ns = INT64_MAX;
    c->last_ns = c->running_ns = c->first_running_ns = INT64_MIN;
    c->back_ns = 0;
    c->has_untimed = false;
    c->why = END_NONE;
    kept_blocks_free(c->kept);
    c->kept = NULL;
    c->kept_left_out = 0;
    c->drop_count = 0;
    c->kept_last = &c->kept;
    if (!c->is_filled) {
        c->buffer_n = 0;
        c->buffer_at = c->has_begin && c->begin > c->offset ? c->begin : c->offset;
    }
}

void chunk_decode(struct chunk *c)
{
    reset(c);
    c->ng_version = c->ng ? c->ng->version : 0;
    uint64_t stop = c->offset + c->span;
    if (c->has_begin && c->begin >= stop && !c->is_filled) {
        c->end = c->begin; // a record from before covers the whole span
        records_seal(&c->records);
        return;
    }
    if (!c->is_filled) {
        make_room(c, (size_t)(stop - c->buffer_at) + LAST_RECORD_ROOM);
        have(c, (size_t)(stop - c->buffer_at) + TAIL_BYTES);
    }
    if (!c->has_begin) {
        guess_begin(c);
    }
    if (c->has_begin && c->why == END_NONE) {
        uint64_t from = c->buffer_at;
        size_t limit = c->is_filled ? c->buffer_n : (size_t)(stop - from);
        walk(c, (size_t)(c->begin - from), limit);
        bool is_over = c->is_filled ? c->is_last : c->end >= c->input->size;
        if (c->why == END_NONE && is_over) {
            c->why = c->is_filled && c->is_cut ? END_CUT : END_OF_INPUT;
        }
    }
    records_seal(&c->records);
}

// --- settling ---

// The time of a record's packet stands behind its order.
static void settle(struct order *o, uint64_t base, int64_t running_ns)
{
    int64_t *time_ns = (int64_t *)(o + 1);
    o->at += base;
    o->time_ns = o->time_ns > running_ns ? o->time_ns : running_ns;
    if (*time_ns == INT64_MIN) {
        *time_ns = o->time_ns;
    }
}

// All that is left to do where every packet has a time and none is before running_ns.
static void renumber(const struct record_list *list, size_t size, uint64_t base)
{
    char *at = list->items;
    uint32_t left = list->count;
    for (; left >= 4; left -= 4, at += 4 * size) {
        ((struct order *)at)->at += base;
        ((struct order *)(at + size))->at += base;
        ((struct order *)(at + 2 * size))->at += base;
        ((struct order *)(at + 3 * size))->at += base;
    }
    for (; left > 0; left--, at += size) {
        ((struct order *)at)->at += base;
    }
}

void chunk_settle_records(struct chunk *c)
{
    bool is_later = !c->has_untimed && c->first_running_ns >= c->settled_ns;
    for (int kind = 0; kind < RECORD_KINDS; kind++) {
        const struct record_list *list = &c->records.lists[kind];
        if (is_later) {
            renumber(list, record_bytes[kind], c->settled_at);
            continue;
        }
        for (uint32_t i = 0; i < list->count; i++) {
            settle(record_order(list, (enum record_kind)kind, i), c->settled_at, c->settled_ns);
        }
    }
}

void chunk_settle(struct chunk *c, uint64_t first_record, int64_t running_ns)
{
    c->settled_at = (uint64_t)c->input->index << ORDER_RECORD_BITS | first_record;
    c->settled_ns = running_ns;
    c->running_ns = c->running_ns > running_ns ? c->running_ns : running_ns;
    c->records.first_order =
        order_of(running_ns > c->first_running_ns ? running_ns : c->first_running_ns,
                 c->input->index, first_record);
    c->records.last_order = order_of(c->running_ns, c->input->index,
                                     first_record + (c->packets > 0 ? c->packets - 1 : 0));
}
