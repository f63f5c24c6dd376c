// Rounds: which chunks are decoded next, what is ready to be folded, and who does it.
#include "listen/engine.h"

#include "base/error.h"
#include "base/memory.h"
#include "listen/fold.h"

#include <errno.h>

_Static_assert(SIDETONE_BUFFER_ADAPTIVE == STREAM_BUFFER_ADAPTIVE, "handed through");

static struct chunk *chunk_take(struct engine *e)
{
    struct chunk *c = (struct chunk *)e->pool; // records are its first member
    if (c) {
        e->pool = c->records.next;
    } else {
        c = memory_alloc(sizeof *c);
        chunk_init(c);
    }
    if (!c->buffer && e->spare_count > 0) {
        struct spare_buffer *s = &e->spares[--e->spare_count];
        c->buffer = s->bytes;
        c->buffer_room = s->room;
    }
    return c;
}

// Media waits for one round more than messages, and of its packets only RTCP is still to be read:
// the buffer goes to the next chunk, which finds it in the cache.
static void take_buffers(struct engine *e)
{
    for (unsigned i = 0; i < e->decoding_count; i++) {
        struct chunk *c = e->decoding[i];
        bool is_read = order_before(c->records.last_order, e->call_bound) &&
                       c->records.lists[CONTROL_RECORDS].count == 0 && e->to_emit_count == 0;
        if (!is_read || !c->buffer) {
            continue;
        }
        if (e->spare_count == e->spare_room) {
            e->spares = memory_grow(e->spares, &e->spare_room, sizeof *e->spares, WINDOW_MAX);
        }
        e->spares[e->spare_count++] = (struct spare_buffer){c->buffer, c->buffer_room};
        c->buffer = NULL;
        c->buffer_room = 0;
    }
}

static void chunk_give(struct engine *e, struct chunk *c)
{
    c->records.next = e->pool;
    e->pool = &c->records;
}

static void free_pool(struct engine *e)
{
    while (e->pool) {
        struct records *r = e->pool;
        e->pool = r->next;
        chunk_fini((struct chunk *)r);
        memory_free(r);
    }
    while (e->spare_count > 0) {
        memory_free(e->spares[--e->spare_count].bytes);
    }
}

// --- sources ---

static void sift_down(struct engine *e, uint32_t at)
{
    struct source *moved = e->behind[at];
    struct order frontier = source_frontier(moved);
    for (uint32_t child; (child = 2 * at + 1) < e->behind_count; at = child) {
        bool has_two = child + 1 < e->behind_count;
        child += has_two && order_before(source_frontier(e->behind[child + 1]),
                                         source_frontier(e->behind[child]));
        if (!order_before(source_frontier(e->behind[child]), frontier)) {
            break;
        }
        e->behind[at] = e->behind[child];
    }
    e->behind[at] = moved;
}

static struct source *take_first(struct engine *e)
{
    struct source *first = e->behind[0];
    e->behind[0] = e->behind[--e->behind_count];
    if (e->behind_count > 0) {
        sift_down(e, 0);
    }
    return first;
}

static void put_back(struct engine *e, struct source *s)
{
    uint32_t at = e->behind_count++;
    struct order frontier = source_frontier(s);
    while (at > 0 && order_before(frontier, source_frontier(e->behind[(at - 1) / 2]))) {
        e->behind[at] = e->behind[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    e->behind[at] = s;
}

static void list_sources(struct engine *e)
{
    e->behind = memory_alloc((e->source_count + 1) * sizeof(struct source *));
    e->buffered = memory_alloc((e->source_count + 1) * sizeof(struct source *));
    e->open = memory_alloc((e->source_count + 1) * sizeof(struct source *));
    for (uint32_t i = 0; i < e->source_count; i++) {
        struct source *s = &e->sources[i];
        e->behind[e->behind_count++] = s;
        e->bytes_total += s->input.size;
        e->has_pipe = e->has_pipe || s->input.is_pipe;
        if (s->input.fd >= 0) {
            e->open[e->open_count++] = s;
        }
    }
    for (uint32_t at = e->source_count / 2; at-- > 0;) {
        sift_down(e, at);
    }
}

// --- rounds ---

static struct record_queue *flow_queue(struct engine *e, uint32_t i)
{
    return i < BINS ? &e->fragments[i].output.queue : &e->connections[i - BINS].output.queue;
}

// Queues with records of one of two kinds from one bound up to another: most of a thousand
// overlapping files have none.
static void find_waiting(struct engine *e, enum record_kind kind, enum record_kind other,
                         struct order from, struct order to)
{
    e->waiting_count = 0;
    for (uint32_t i = 0; i < e->buffered_count + 2 * BINS; i++) {
        struct record_queue *q =
            i < 2 * BINS ? flow_queue(e, i) : &e->buffered[i - 2 * BINS]->queue;
        if (record_queue_has(q, kind, from, to) || record_queue_has(q, other, from, to)) {
            e->waiting[e->waiting_count++] = q;
        }
    }
}

static void drop_closed(struct engine *e)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->open_count; i++) {
        if (e->open[i]->input.fd >= 0) {
            e->open[kept++] = e->open[i];
        }
    }
    e->open_count = kept;
}

// Files are open only while they are read; of those that take turns some stay open.
static void close_some(struct engine *e)
{
    if (e->open_count >= SOURCES_OPEN_MAX) {
        drop_closed(e);
    }
    if (e->open_count >= SOURCES_OPEN_MAX) {
        for (uint32_t i = 0; i < e->open_count; i++) {
            if (!e->open[i]->is_planned) {
                input_rest(&e->open[i]->input);
            }
        }
        drop_closed(e);
    }
}

static int open_source(struct engine *e, struct source *s)
{
    if (s->input.fd < 0) {
        close_some(e);
        e->open[e->open_count++] = s;
    }
    return s->is_started ? input_reopen(&s->input) : source_start(s);
}

// Makes up to `count` chunks of a source ready. Returns for how many bytes.
static uint64_t plan_source(struct engine *e, struct source *s, unsigned count, uint64_t span)
{
    if ((!s->is_started || s->input.fd < 0) && open_source(e, s) != 0) {
        s->is_done = true;
        s->why = END_READ_ERROR;
        s->read_errno = errno;
        return 0;
    }
    struct chunk *chunks[WINDOW_MAX];
    uint64_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        chunks[i] = chunk_take(e);
    }
    unsigned made = source_plan(s, chunks, count, span);
    for (unsigned i = 0; i < count; i++) {
        struct chunk *c = chunks[i];
        if (i >= made) {
            chunk_give(e, c);
            continue;
        }
        uint64_t left = s->input.is_stream ? c->span : s->input.size - c->offset;
        bytes += left < c->span ? left : c->span;
        e->decoding_of[e->decoding_count] = s;
        e->decoding[e->decoding_count++] = c;
    }
    return bytes;
}

// Makes the next window ready: of the source that is furthest behind, and where it has little left
// of those that follow it. Many overlapping files share the memory that a few may use.
static void plan(struct engine *e)
{
    unsigned window = e->window;
    uint64_t span = WINDOW_BYTES / window < CHUNK_BYTES ? WINDOW_BYTES / window : CHUNK_BYTES;
    span = e->options->chunk_bytes ? e->options->chunk_bytes : span;
    uint64_t left = window * span;
    if (e->buffered_count > SOURCES_WIDE) {
        span = span / 8 > 4096 ? span / 8 : span;
        window = 1;
    }
    e->decoding_count = e->planned_count = 0;
    while (left > 0 && e->decoding_count + window <= WINDOW_MAX &&
           e->planned_count < SOURCES_ROUND && e->behind_count > 0) {
        if (e->planned_count > 0 && e->behind[0]->input.is_pipe) {
            break; // its writer may be slow
        }
        struct source *s = take_first(e);
        s->is_planned = true;
        e->planned[e->planned_count++] = s;
        uint64_t bytes = plan_source(e, s, window, span);
        left -= bytes < left ? bytes : left;
        if (s->input.is_pipe) {
            break;
        }
    }
}

static void decode_or_fold_media(void *context, unsigned task)
{
    struct engine *e = context;
    if (task < e->decoding_count) {
        chunk_decode(e->decoding[task]);
    } else {
        fold_media(e, task - e->decoding_count);
    }
}

static void fold_fragments_task(void *context, unsigned task)
{
    fold_fragments(context, task);
}

static void fold_streams_task(void *context, unsigned task)
{
    fold_streams(context, task);
}

static void fold_calls_task(void *context, unsigned task)
{
    fold_calls(context, task);
}

// Batches whose last record is folded go back to their pool.
static void recycle(struct engine *e)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->buffered_count; i++) {
        struct source *s = e->buffered[i];
        struct records *r;
        while ((r = record_queue_take(&s->queue, e->media_bound)) != NULL) {
            chunk_give(e, (struct chunk *)r);
        }
        s->is_buffered = s->queue.first != NULL;
        if (s->is_buffered) {
            e->buffered[kept++] = s;
        }
    }
    e->buffered_count = kept;
    for (uint32_t i = 0; i < BINS; i++) {
        flow_output_recycle(&e->fragments[i].output, e->media_bound);
        flow_output_recycle(&e->connections[i].output, e->media_bound);
    }
}

static void count(struct totals *t, const struct chunk *c)
{
    t->packets += c->packets;
    t->bytes += c->bytes;
    t->media += c->records.lists[MEDIA_RECORDS].count - c->records.counts.other_media;
    t->undescribed += c->undescribed;
    t->absurd_times += c->absurd_times;
    record_counts_add(&t->counts, &c->records.counts);
    t->first_ns = c->first_ns < t->first_ns ? c->first_ns : t->first_ns;
    t->last_ns = c->last_ns > t->last_ns ? c->last_ns : t->last_ns;
}

static void settle(void *context, unsigned task)
{
    struct engine *e = context;
    chunk_settle_records(e->decoding[task]);
}

// How far its input is: what is proven of a file, what was read of a compressed one.
static void count_bytes(struct engine *e, struct source *s)
{
    const struct input *in = &s->input;
    uint64_t done = in->packed != UNPACK_NONE ? in->packed_bytes : s->begin - in->records_at;
    e->bytes_done += done - s->bytes_told;
    s->bytes_told = done;
}

static void unplan(struct engine *e, struct source *s)
{
    s->is_planned = false;
    if (s->is_started) {
        count_bytes(e, s);
    }
    if (s->queue.first && !s->is_buffered) {
        s->is_buffered = true;
        e->buffered[e->buffered_count++] = s;
    }
    if (!s->is_done) {
        put_back(e, s);
    }
}

static void prove(struct engine *e)
{
    unsigned proven = 0;
    for (unsigned i = 0; i < e->decoding_count; i++) {
        struct chunk *c = e->decoding[i];
        if (source_prove(e->decoding_of[i], c)) {
            e->decoding[proven++] = c;
            count(&e->totals, c);
        } else {
            chunk_give(e, c);
        }
    }
    e->decoding_count = proven;
    for (unsigned i = 0; i < e->planned_count; i++) {
        unplan(e, e->planned[i]);
    }
    team_run(e->team, proven, settle, e);
}

static struct order bound(const struct engine *e)
{
    return e->behind_count > 0 ? source_frontier(e->behind[0]) : ORDER_LAST;
}

static void report_progress(const struct engine *e)
{
    if (!e->options->on_progress) {
        return;
    }
    struct sidetone_progress p = {
        .bytes_read = e->bytes_done,
        .bytes_total = e->has_pipe ? 0 : e->bytes_total,
        .packets = e->totals.packets,
    };
    e->options->on_progress(e->options->context, &p);
}

static void stop_if_asked(struct engine *e)
{
    if (e->options->stop && *e->options->stop) {
        e->is_interrupted = true;
        for (uint32_t i = 0; i < e->source_count; i++) {
            e->sources[i].is_done = true;
        }
        e->behind_count = 0;
    }
}

static void start(struct engine *e)
{
    hash_secret_init();
    unsigned cores = e->options->cores ? e->options->cores : team_processors();
    e->team = team_new(cores);
    list_sources(e);
    e->waiting = memory_alloc((e->source_count + 2 * BINS) * sizeof(struct record_queue *));
    e->to_emit = memory_alloc((e->source_count + 2 * BINS) * sizeof(struct record_queue *));
    e->window = cores == 1 ? 1 : cores * CHUNKS_PER_CORE;
    e->window = e->window < WINDOW_MAX ? e->window : WINDOW_MAX;
    e->totals = (struct totals){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
    record_counts_init(&e->totals.counts);
    e->call_bound = e->media_bound = order_of(INT64_MIN, 0, 0);
    unpack_limits_init(&e->unpack_limits, e->options->stop);
    for (uint32_t i = 0; i < e->source_count; i++) {
        e->sources[i].input.limits = &e->unpack_limits;
    }
    for (uint32_t i = 0; i < BINS; i++) {
        fragment_bin_init(&e->fragments[i]);
        stream_bin_init(&e->connections[i]);
        call_bin_init(&e->calls[i], i);
        media_bin_init(&e->media[i]);
        e->media[i].jitter_buffer_ns = e->options->jitter_buffer_ns;
        control_bin_init(&e->control[i]);
    }
}

// Everything that was decoded, before the round's bound, from packets to calls.
static void fold_to_bound(struct engine *e, struct order from)
{
    e->is_last = order_before(from, ORDER_LAST) && !order_before(e->call_bound, ORDER_LAST);
    find_waiting(e, FRAGMENT_RECORDS, FRAGMENT_RECORDS, from, e->call_bound);
    team_run(e->team, e->waiting_count > 0 || e->is_last ? BINS : 0, fold_fragments_task, e);
    find_waiting(e, SEGMENT_RECORDS, SEGMENT_RECORDS, from, e->call_bound);
    team_run(e->team, e->waiting_count > 0 || e->is_last ? BINS : 0, fold_streams_task, e);
    find_waiting(e, SIP_RECORDS, QUOTE_RECORDS, from, e->call_bound);
    team_run(e->team, e->waiting_count > 0 ? BINS : 0, fold_calls_task, e);
    fold_show(e);
    if (e->has_pipe) {
        fold_emit(e); // who follows a live pipe wants to see them now
    }
    fold_deliver(e);
}

static void emit_shown(void *context)
{
    fold_emit(context);
}

static void finish_bin(void *context, unsigned bin)
{
    struct engine *e = context;
    media_bin_finish(&e->media[bin]);
}

void engine_run(struct engine *e)
{
    start(e);
    struct order media_from = e->media_bound;
    struct order call_from = e->call_bound;
    bool more = true;
    while (more) {
        plan(e);
        find_waiting(e, MEDIA_RECORDS, CONTROL_RECORDS, media_from, e->media_bound);
        void (*first)(void *) = e->to_emit_count > 0 ? emit_shown : NULL;
        team_run_beside(e->team, first, e->decoding_count + BINS, decode_or_fold_media, e);
        recycle(e);
        prove(e);
        stop_if_asked(e);
        media_from = e->media_bound;
        call_from = e->call_bound;
        e->call_bound = bound(e);
        fold_to_bound(e, call_from);
        take_buffers(e);
        more = order_before(e->media_bound, ORDER_LAST);
        e->media_bound = e->call_bound;
        report_progress(e);
    }
    team_run(e->team, BINS, finish_bin, e);
    recycle(e);
    for (uint32_t i = 0; i < BINS; i++) {
        record_counts_add(&e->totals.counts, &e->fragments[i].output.counts);
        record_counts_add(&e->totals.counts, &e->connections[i].output.counts);
    }
    free_pool(e);
}

void engine_dismiss(struct engine *e)
{
    team_free(e->team);
    e->team = NULL;
}

void engine_fini(struct engine *e)
{
    engine_dismiss(e);
    if (e->waiting) { // it was started
        for (uint32_t i = 0; i < BINS; i++) {
            fragment_bin_fini(&e->fragments[i]);
            stream_bin_fini(&e->connections[i]);
            call_bin_fini(&e->calls[i]);
            media_bin_fini(&e->media[i]);
            control_bin_fini(&e->control[i]);
            memory_free(e->announcements[i].items);
        }
    }
    free_pool(e);
    message_view_fini(&e->view);
    for (uint32_t i = 0; i < e->source_count; i++) {
        source_fini(&e->sources[i]);
    }
    if (e->waiting) {
        unpack_limits_fini(&e->unpack_limits);
    }
    memory_free(e->spares);
    memory_free(e->waiting);
    memory_free(e->to_emit);
    memory_free(e->behind);
    memory_free(e->buffered);
    memory_free(e->open);
    memory_free(e->sources);
}
