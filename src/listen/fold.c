// Folding: the records of all sources, merged in capture order, go through their bins.
#include "listen/fold.h"

#include "base/memory.h"
#include "listen/message.h"

#include <stdlib.h>

// --- merging ---

// The next record of one source that a fold has not taken.
struct cursor {
    struct chunk *chunk;
    struct order order; // ORDER_LAST: none before the bound
};

static struct media_record *media_at(const struct cursor *at, unsigned bin)
{
    const struct chunk *c = at->chunk;
    return &c->media[c->media_order[c->media_bin[bin] + c->media_taken[bin]]];
}

static struct sip_record *sip_at(const struct cursor *at, unsigned bin)
{
    const struct chunk *c = at->chunk;
    return &c->sip[c->sip_order[c->sip_bin[bin] + c->sip_taken[bin]]];
}

static uint32_t left_in(const struct chunk *c, unsigned bin, enum record_kind kind)
{
    return kind == MEDIA_RECORDS ? c->media_bin[bin + 1] - c->media_bin[bin] - c->media_taken[bin]
                                 : c->sip_bin[bin + 1] - c->sip_bin[bin] - c->sip_taken[bin];
}

// Moves the cursor to the next record of its source and notes its order.
static void settle(struct cursor *at, unsigned bin, enum record_kind kind, struct order limit)
{
    while (at->chunk && left_in(at->chunk, bin, kind) == 0) {
        at->chunk = at->chunk->next;
    }
    at->order = ORDER_LAST;
    if (at->chunk) {
        struct order o = kind == MEDIA_RECORDS ? media_at(at, bin)->order : sip_at(at, bin)->order;
        at->order = order_before(o, limit) ? o : ORDER_LAST;
    }
}

// The cursors of all sources that wait, as a heap: the one whose record is next stands first.
struct merge {
    struct cursor *heap;
    unsigned count;
    struct cursor one; // the usual case needs no memory
};

static void sift_down(struct merge *m, unsigned at)
{
    for (;;) {
        unsigned least = at;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2 && child < m->count; child++) {
            least = order_before(m->heap[child].order, m->heap[least].order) ? child : least;
        }
        if (least == at) {
            return;
        }
        struct cursor moved = m->heap[at];
        m->heap[at] = m->heap[least];
        m->heap[least] = moved;
        at = least;
    }
}

static void merge_room(struct merge *m, const struct engine *e)
{
    m->heap = e->waiting_count > 1 ? memory_alloc(e->waiting_count * sizeof *m->heap) : &m->one;
    m->count = 0;
}

static void heapify(struct merge *m)
{
    for (unsigned at = m->count / 2; at-- > 0;) {
        sift_down(m, at);
    }
}

static void merge_begin(struct merge *m, const struct engine *e, unsigned bin,
                        enum record_kind kind, struct order limit)
{
    merge_room(m, e);
    for (uint32_t i = 0; i < e->waiting_count; i++) {
        struct cursor *at = &m->heap[m->count];
        at->chunk = e->waiting[i]->first;
        settle(at, bin, kind, limit);
        m->count += order_before(at->order, ORDER_LAST); // most sources have nothing for a bin
    }
    heapify(m);
}

static void merge_end(struct merge *m)
{
    if (m->heap != &m->one) {
        memory_free(m->heap);
    }
}

// The source whose record is next, and up to where it may go on before another source's turn. NULL
// at the end. The one before has moved on since.
static struct cursor *merge_next(struct merge *m, struct order limit, struct order *until)
{
    if (m->count > 0) {
        sift_down(m, 0);
    }
    *until = limit;
    for (unsigned child = 1; child <= 2 && child < m->count; child++) {
        *until = order_before(m->heap[child].order, *until) ? m->heap[child].order : *until;
    }
    return m->count > 0 && order_before(m->heap[0].order, ORDER_LAST) ? m->heap : NULL;
}

// --- calls ---

void fold_calls(struct engine *e, unsigned bin)
{
    struct merge m;
    struct order until;
    struct cursor *at;
    merge_begin(&m, e, bin, SIP_RECORDS, e->call_bound);
    while ((at = merge_next(&m, e->call_bound, &until)) != NULL) {
        while (order_before(at->order, until)) {
            call_bin_message(&e->calls[bin], sip_at(at, bin));
            at->chunk->sip_taken[bin]++;
            settle(at, bin, SIP_RECORDS, e->call_bound);
        }
    }
    merge_end(&m);
}

// --- announcements ---

static int compare_announcements(const void *left, const void *right)
{
    const struct announcement *a = left;
    const struct announcement *b = right;
    return order_before(a->order, b->order) ? -1 : order_before(b->order, a->order);
}

static void queue_push(struct announcement_queue *q, const struct announcement *a)
{
    if (q->count == q->room) {
        q->items = memory_grow(q->items, &q->room, sizeof *q->items, 64);
    }
    q->items[q->count++] = *a;
}

void fold_deliver(struct engine *e)
{
    for (unsigned bin = 0; bin < MEDIA_BINS; bin++) {
        e->announcements[bin].count = 0;
    }
    for (unsigned bin = 0; bin < CALL_BINS; bin++) {
        struct call_bin *b = &e->calls[bin];
        for (uint32_t i = 0; i < b->announcement_count; i++) {
            const struct announcement *a = &b->announcements[i];
            queue_push(&e->announcements[media_bin_of(a->endpoint)], a);
        }
        b->announcement_count = 0;
    }
}

// --- media ---

// Applies what was announced before `limit`; returns the order of the next announcement.
static struct order announce_before(struct media_bin *b, const struct announcement_queue *q,
                                    uint32_t *next, struct order limit)
{
    while (*next < q->count && order_before(q->items[*next].order, limit)) {
        media_bin_announce(b, &q->items[(*next)++]);
    }
    return *next < q->count ? q->items[*next].order : ORDER_LAST;
}

void fold_media(struct engine *e, unsigned bin)
{
    struct media_bin *b = &e->media[bin];
    struct announcement_queue *q = &e->announcements[bin];
    uint32_t next = 0;
    if (q->count > 1) {
        qsort(q->items, q->count, sizeof *q->items, compare_announcements);
    }
    struct order announced = q->count > 0 ? q->items[0].order : ORDER_LAST;
    struct merge m;
    struct order until;
    struct cursor *at;
    merge_begin(&m, e, bin, MEDIA_RECORDS, e->media_bound);
    while ((at = merge_next(&m, e->media_bound, &until)) != NULL) {
        while (order_before(at->order, until)) {
            const struct media_record *r = media_at(at, bin);
            if (__builtin_expect(order_before(announced, r->order), 0)) {
                announced = announce_before(b, q, &next, r->order);
            }
            media_bin_packet(b, r);
            at->chunk->media_taken[bin]++;
            settle(at, bin, MEDIA_RECORDS, e->media_bound);
        }
    }
    announce_before(b, q, &next, ORDER_LAST);
    q->count = 0;
    merge_end(&m);
}

// --- messages in order ---

// Emitting walks all messages of a chunk, not a bin; `sip_emitted` of the chunk is its cursor.
static void settle_message(struct cursor *at, struct order limit)
{
    while (at->chunk && at->chunk->sip_emitted == at->chunk->sip_count) {
        at->chunk = at->chunk->next;
    }
    at->order = ORDER_LAST;
    if (at->chunk) {
        struct order o = at->chunk->sip[at->chunk->sip_emitted].order;
        at->order = order_before(o, limit) ? o : ORDER_LAST;
    }
}

static void emit(const struct engine *e, const struct sip_record *r)
{
    struct message_view view;
    if (!r->is_copy) {
        message_view_fill(&view, r);
        e->options->on_message(e->options->context, &view.message);
    }
}

void fold_emit(struct engine *e)
{
    if (!e->options->on_message) {
        return;
    }
    struct merge m;
    struct order until;
    struct cursor *at;
    merge_room(&m, e);
    for (uint32_t i = 0; i < e->waiting_count; i++) {
        m.heap[i].chunk = e->waiting[i]->first;
        settle_message(&m.heap[i], e->call_bound);
    }
    m.count = e->waiting_count;
    heapify(&m);
    while ((at = merge_next(&m, e->call_bound, &until)) != NULL) {
        while (order_before(at->order, until)) {
            emit(e, &at->chunk->sip[at->chunk->sip_emitted++]);
            settle_message(at, e->call_bound);
        }
    }
    merge_end(&m);
}
