// Folding: the records of all queues, merged in capture order, go through their bins.
#include "listen/fold.h"

#include "base/memory.h"

#include <stdlib.h>

// --- merging ---

// The next record of one queue that a fold has not taken.
struct cursor {
    struct records *at;
    struct order order; // ORDER_LAST: none before the bound
    uint32_t rank;      // of its queue
};

// One packet can end a datagram of its fragments and complete a message of its stream: their queues
// have records of the same order then.
static inline bool is_before(const struct cursor *a, const struct cursor *b)
{
    return order_before(a->order, b->order) ||
           (a->rank < b->rank && !order_before(b->order, a->order));
}

static inline void *record_at(const struct cursor *c, unsigned bin, enum record_kind kind)
{
    const struct record_list *list = &c->at->lists[kind];
    return record_order(list, kind, list->sorted[list->begin[bin] + list->taken[bin]]);
}

// Moves the cursor to the next record of its queue and notes its order.
static inline void settle(struct cursor *c, unsigned bin, enum record_kind kind, struct order limit)
{
    while (c->at && c->at->lists[kind].begin[bin] + c->at->lists[kind].taken[bin] ==
                        c->at->lists[kind].begin[bin + 1]) {
        c->at = c->at->next;
    }
    c->order = ORDER_LAST;
    if (c->at) {
        struct order o = *(struct order *)record_at(c, bin, kind);
        c->order = order_before(o, limit) ? o : ORDER_LAST;
    }
}

// The cursors of all queues that wait, as a heap: the one whose record is next stands first.
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
            least = is_before(&m->heap[child], &m->heap[least]) ? child : least;
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
        at->at = e->waiting[i]->first;
        at->rank = i;
        settle(at, bin, kind, limit);
        m->count += order_before(at->order, ORDER_LAST); // most queues have nothing for a bin
    }
    heapify(m);
}

static void merge_end(struct merge *m)
{
    if (m->heap != &m->one) {
        memory_free(m->heap);
    }
}

// The queue whose record is next, and up to where it may go on before another one's turn. NULL
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

// The next record of a kind for a bin, all queues merged in capture order; NULL: none before the
// limit. What is returned counts as taken.
struct reader {
    struct merge merge;
    struct cursor *turn; // goes on up to `until`
    struct order until, limit;
    unsigned bin;
    enum record_kind kind;
};

static inline void read_begin(struct reader *r, const struct engine *e, unsigned bin,
                              enum record_kind kind, struct order limit)
{
    merge_begin(&r->merge, e, bin, kind, limit);
    r->limit = limit;
    r->bin = bin;
    r->kind = kind;
    r->turn = NULL;
}

// Whose turn it is, or NULL at the end.
static inline struct cursor *read_turn(struct reader *r)
{
    if (!r->turn || !order_before(r->turn->order, r->until)) {
        r->turn = merge_next(&r->merge, r->limit, &r->until);
        if (!r->turn) {
            merge_end(&r->merge);
        }
    }
    return r->turn;
}

static inline void *read_next(struct reader *r)
{
    struct cursor *turn = read_turn(r);
    if (!turn) {
        return NULL;
    }
    void *record = record_at(turn, r->bin, r->kind);
    turn->at->lists[r->kind].taken[r->bin]++;
    settle(turn, r->bin, r->kind, r->limit);
    return record;
}

// --- fragments and streams ---

void fold_fragments(struct engine *e, unsigned bin)
{
    struct fragment_bin *b = &e->fragments[bin];
    struct reader r;
    const struct piece_record *p;
    flow_output_begin(&b->output);
    read_begin(&r, e, bin, FRAGMENT_RECORDS, e->call_bound);
    while ((p = read_next(&r)) != NULL) {
        fragment_bin_packet(b, p);
    }
    if (e->is_last) {
        fragment_bin_finish(b);
    }
    flow_output_end(&b->output);
}

void fold_streams(struct engine *e, unsigned bin)
{
    struct stream_bin *b = &e->connections[bin];
    struct reader r;
    const struct piece_record *p;
    flow_output_begin(&b->output);
    read_begin(&r, e, bin, SEGMENT_RECORDS, e->call_bound);
    while ((p = read_next(&r)) != NULL) {
        stream_bin_packet(b, p);
    }
    if (e->is_last) {
        stream_bin_finish(b);
    }
    flow_output_end(&b->output);
}

// --- calls ---

void fold_calls(struct engine *e, unsigned bin)
{
    struct call_bin *b = &e->calls[bin];
    struct reader messages;
    struct reader quotes;
    struct sip_record *m;
    read_begin(&messages, e, bin, SIP_RECORDS, e->call_bound);
    read_begin(&quotes, e, bin, QUOTE_RECORDS, e->call_bound);
    const struct quote_record *q = read_next(&quotes);
    while ((m = read_next(&messages)) != NULL) {
        for (; q && order_before(q->order, m->order); q = read_next(&quotes)) {
            call_bin_quote(b, q);
        }
        call_bin_message(b, m);
    }
    for (; q; q = read_next(&quotes)) {
        call_bin_quote(b, q);
    }
}

// --- announcements ---

static int compare_announcements(const void *left, const void *right)
{
    const struct media_news *a = left;
    const struct media_news *b = right;
    return order_compare(a->order, b->order);
}

static void queue_push(struct announcement_queue *q, const struct media_news *a)
{
    if (q->count == q->room) {
        q->items = memory_grow(q->items, &q->room, sizeof *q->items, 64);
    }
    q->items[q->count++] = *a;
}

void fold_deliver(struct engine *e)
{
    for (unsigned bin = 0; bin < BINS; bin++) {
        e->announcements[bin].count = 0;
    }
    for (unsigned bin = 0; bin < BINS; bin++) {
        struct call_bin *b = &e->calls[bin];
        for (uint32_t i = 0; i < b->announcement_count; i++) {
            const struct media_news *a = &b->announcements[i];
            queue_push(&e->announcements[bin_of_media(a->endpoint)], a);
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

static void fold_control(struct engine *e, unsigned bin)
{
    struct reader reader;
    const struct control_record *r;
    read_begin(&reader, e, bin, CONTROL_RECORDS, e->media_bound);
    while ((r = read_next(&reader)) != NULL) {
        control_bin_packet(&e->control[bin], r);
    }
}

// How many of `count` sorted records stand before `bound`: mostly all of them.
static uint32_t count_before(const struct record_list *list, const uint32_t *sorted, uint32_t count,
                             struct order bound)
{
    uint32_t low = 0;
    uint32_t high = count;
    uint32_t middle = count > 0 ? count - 1 : 0;
    while (low < high) {
        if (order_before(*record_order(list, MEDIA_RECORDS, sorted[middle]), bound)) {
            low = middle + 1;
        } else {
            high = middle;
        }
        middle = low + (high - low) / 2;
    }
    return low;
}

// The next records of one batch whose turn it is, one at least: a run. NULL at the end.
static const struct record_list *read_run(struct reader *r, struct media_run *run)
{
    struct cursor *turn = read_turn(r);
    if (!turn) {
        return NULL;
    }
    struct record_list *list = &turn->at->lists[r->kind];
    uint32_t begin = list->begin[r->bin] + list->taken[r->bin];
    uint32_t rest = list->begin[r->bin + 1] - begin;
    run->records = list->items;
    run->sorted = list->sorted + begin;
    run->count = 1 + count_before(list, run->sorted + 1, rest - 1, r->until);
    list->taken[r->bin] += run->count;
    settle(turn, r->bin, r->kind, r->limit);
    return list;
}

// Records of one order with an announcement stand before it.
static uint32_t count_announced(const struct media_run *run, const struct record_list *list,
                                struct order announced)
{
    announced.at += announced.at < UINT64_MAX;
    return count_before(list, run->sorted, run->count, announced);
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
    struct reader reader;
    struct media_run run;
    const struct record_list *list;
    read_begin(&reader, e, bin, MEDIA_RECORDS, e->media_bound);
    while ((list = read_run(&reader, &run)) != NULL) {
        for (;;) {
            struct media_run part = run;
            part.count = count_announced(&run, list, announced);
            media_bin_run(b, &part);
            run.sorted += part.count;
            run.count -= part.count;
            if (run.count == 0) {
                break;
            }
            announced = announce_before(b, q, &next, run.records[run.sorted[0]].order);
        }
    }
    announce_before(b, q, &next, ORDER_LAST);
    q->count = 0;
    fold_control(e, bin);
}

// --- messages in order ---

// Emitting walks all messages of a batch, not a bin; `emitted` is its cursor.
static void settle_message(struct cursor *c, struct order limit)
{
    while (c->at && c->at->emitted == c->at->lists[SIP_RECORDS].count) {
        c->at = c->at->next;
    }
    c->order = ORDER_LAST;
    if (c->at) {
        struct order o = *record_order(&c->at->lists[SIP_RECORDS], SIP_RECORDS, c->at->emitted);
        c->order = order_before(o, limit) ? o : ORDER_LAST;
    }
}

static void emit(struct engine *e, const struct sip_record *r)
{
    if (!r->is_copy) {
        message_view_fill(&e->view, r, !e->options->without_headers);
        e->options->on_message(e->options->context, &e->view.message);
    }
}

void fold_show(struct engine *e)
{
    memcpy(e->to_emit, e->waiting, e->waiting_count * sizeof(struct record_queue *));
    e->to_emit_count = e->options->on_message ? e->waiting_count : 0;
    e->emit_bound = e->call_bound;
}

void fold_emit(struct engine *e)
{
    if (e->to_emit_count == 0) {
        return;
    }
    struct merge m = {.count = e->to_emit_count};
    m.heap = m.count > 1 ? memory_alloc(m.count * sizeof *m.heap) : &m.one;
    struct order until;
    struct cursor *at;
    for (uint32_t i = 0; i < m.count; i++) {
        m.heap[i].at = e->to_emit[i]->first;
        m.heap[i].rank = i;
        settle_message(&m.heap[i], e->emit_bound);
    }
    heapify(&m);
    while ((at = merge_next(&m, e->emit_bound, &until)) != NULL) {
        do { // one at least: another queue may have the same order
            const struct sip_record *all = at->at->lists[SIP_RECORDS].items;
            emit(e, &all[at->at->emitted++]);
            settle_message(at, e->emit_bound);
        } while (order_before(at->order, until));
    }
    merge_end(&m);
    e->to_emit_count = 0;
}
