// Batches of records: their arrays, and sorting them into bins.
#include "decode/records.h"

#include "base/memory.h"

#include <stddef.h>

const size_t record_bytes[RECORD_KINDS] = {
    [FRAGMENT_RECORDS] = sizeof(struct piece_record),
    [SEGMENT_RECORDS] = sizeof(struct piece_record),
    [SIP_RECORDS] = sizeof(struct sip_record),
    [QUOTE_RECORDS] = sizeof(struct quote_record),
    [MEDIA_RECORDS] = sizeof(struct media_record),
    [CONTROL_RECORDS] = sizeof(struct control_record),
};
_Static_assert(offsetof(struct piece_record, order) == 0 &&
                   offsetof(struct sip_record, order) == 0 &&
                   offsetof(struct quote_record, order) == 0 &&
                   offsetof(struct media_record, order) == 0 &&
                   offsetof(struct control_record, order) == 0,
               "record_order");

void record_counts_init(struct record_counts *c)
{
    *c = (struct record_counts){.unknown_linktype = UINT64_MAX};
}

void record_counts_add(struct record_counts *sum, const struct record_counts *c)
{
    sum->rtcp += c->rtcp;
    sum->keepalives += c->keepalives;
    sum->copies += c->copies;
    sum->other_media += c->other_media;
    for (int i = 0; i < REASON_COUNT; i++) {
        sum->reasons[i] += c->reasons[i];
    }
    for (int i = 0; i < FLOW_ODD_COUNT; i++) {
        sum->odd[i] += c->odd[i];
    }
    if (c->unknown_linktype != UINT64_MAX) {
        sum->unknown_linktype = c->unknown_linktype;
    }
}

void records_init(struct records *r)
{
    *r = (struct records){0};
    record_counts_init(&r->counts);
    arena_init(&r->kept, 4096);
}

void records_fini(struct records *r)
{
    for (int kind = 0; kind < RECORD_KINDS; kind++) {
        memory_free(r->lists[kind].items);
        memory_free(r->lists[kind].bins);
        memory_free(r->lists[kind].sorted);
    }
    arena_fini(&r->kept);
}

void records_reset(struct records *r)
{
    for (int kind = 0; kind < RECORD_KINDS; kind++) {
        r->lists[kind].count = 0;
        memset(r->lists[kind].taken, 0, sizeof r->lists[kind].taken);
        memset(r->lists[kind].begin, 0, sizeof r->lists[kind].begin);
    }
    arena_reset(&r->kept);
    r->path = NULL;
    r->emitted = 0;
    record_counts_init(&r->counts);
}

void *records_grow(struct record_list *list, enum record_kind kind)
{
    list->items = memory_grow(list->items, &list->room, record_bytes[kind], 16);
    list->bins = memory_resize(list->bins, list->room);
    return list->items;
}

static void seal(struct record_list *list)
{
    uint32_t at[BINS];
    if (list->sorted_room < list->count) {
        list->sorted_room = list->room;
        list->sorted = memory_resize(list->sorted, list->sorted_room * sizeof *list->sorted);
    }
    for (uint32_t b = 0; b < BINS; b++) {
        list->begin[b + 1] += list->begin[b];
        at[b] = list->begin[b];
    }
    for (uint32_t i = 0; i < list->count; i++) {
        list->sorted[at[list->bins[i]]++] = i;
    }
}

void records_seal(struct records *r)
{
    for (int kind = 0; kind < RECORD_KINDS; kind++) {
        if (r->lists[kind].count > 0) {
            seal(&r->lists[kind]);
        }
    }
}

const struct path *records_path(struct records *r, const struct path *path)
{
    if (path->count == 0) {
        return NULL;
    }
    if (!r->path || !path_eq(r->path, path)) {
        r->path = path_copy(&r->kept, path);
    }
    return r->path;
}

// --- queues ---

void record_queue_append(struct record_queue *q, struct records *r)
{
    r->next = NULL;
    *(q->last ? &q->last->next : &q->first) = r;
    q->last = r;
}

struct records *record_queue_take(struct record_queue *q, struct order bound)
{
    struct records *r = q->first;
    if (!r || !order_before(r->last_order, bound)) {
        return NULL;
    }
    q->first = r->next;
    q->last = q->first ? q->last : NULL;
    return r;
}

// The first record of a list that is not before `from`, or the count.
static uint32_t lower_bound(const struct record_list *list, enum record_kind kind,
                            struct order from)
{
    uint32_t low = 0;
    uint32_t high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (order_before(*record_order(list, kind, middle), from)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool record_queue_has(const struct record_queue *q, enum record_kind kind, struct order from,
                      struct order to)
{
    for (const struct records *r = q->first; r && order_before(r->first_order, to); r = r->next) {
        const struct record_list *list = &r->lists[kind];
        uint32_t i = lower_bound(list, kind, from);
        if (i < list->count && order_before(*record_order(list, kind, i), to)) {
            return true;
        }
    }
    return false;
}
