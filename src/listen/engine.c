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
                       c->records.lists[CONTROL_RECORDS].count == 0;
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

// The source that is furthest behind: nothing can be folded beyond its frontier.
static struct source *most_behind(const struct engine *e)
{
    struct source *least = NULL;
    for (uint32_t i = 0; i < e->source_count; i++) {
        struct source *s = &e->sources[i];
        if (!s->is_done && (!least || order_before(source_frontier(s), source_frontier(least)))) {
            least = s;
        }
    }
    return least;
}

static unsigned buffered_sources(const struct engine *e)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < e->source_count; i++) {
        n += e->sources[i].queue.first != NULL;
    }
    return n;
}

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
    for (uint32_t i = 0; i < e->source_count + 2 * BINS; i++) {
        struct record_queue *q = i < 2 * BINS ? flow_queue(e, i) : &e->sources[i - 2 * BINS].queue;
        if (record_queue_has(q, kind, from, to) || record_queue_has(q, other, from, to)) {
            e->waiting[e->waiting_count++] = q;
        }
    }
}

// Files are open only while they are read; of those that take turns some stay open.
static void close_some(struct engine *e)
{
    unsigned open = 0;
    for (uint32_t i = 0; i < e->source_count; i++) {
        open += e->sources[i].input.fd >= 0;
    }
    for (uint32_t i = 0; open >= SOURCES_OPEN_MAX && i < e->source_count; i++) {
        input_rest(&e->sources[i].input);
    }
}

static int open_source(struct engine *e, struct source *s)
{
    if (s->input.fd < 0) {
        close_some(e);
    }
    return s->is_started ? input_reopen(&s->input) : source_start(s);
}

// Makes the next window ready. Many overlapping files share the memory that a few may use.
static void plan(struct engine *e)
{
    e->decoding_count = 0;
    struct source *s = e->source = most_behind(e);
    if (!s) {
        return;
    }
    if (!s->is_started || s->input.fd < 0) {
        if (open_source(e, s) != 0) {
            s->is_done = true;
            s->why = END_READ_ERROR;
            s->read_errno = errno;
            return;
        }
    }
    unsigned window = e->window;
    uint64_t span = WINDOW_BYTES / window < CHUNK_BYTES ? WINDOW_BYTES / window : CHUNK_BYTES;
    span = e->options->chunk_bytes ? e->options->chunk_bytes : span;
    if (buffered_sources(e) > SOURCES_WIDE) {
        span = span / 8 > 4096 ? span / 8 : span;
        window = 1;
    }
    struct chunk *chunks[WINDOW_MAX];
    for (unsigned i = 0; i < window; i++) {
        chunks[i] = chunk_take(e);
    }
    unsigned made = source_plan(s, chunks, window, span);
    for (unsigned i = 0; i < window; i++) {
        if (i < made) {
            e->decoding[e->decoding_count++] = chunks[i];
        } else {
            chunk_give(e, chunks[i]);
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
    for (uint32_t i = 0; i < e->source_count; i++) {
        struct records *r;
        while ((r = record_queue_take(&e->sources[i].queue, e->media_bound)) != NULL) {
            chunk_give(e, (struct chunk *)r);
        }
    }
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

static void prove(struct engine *e)
{
    unsigned proven = 0;
    for (unsigned i = 0; i < e->decoding_count; i++) {
        struct chunk *c = e->decoding[i];
        uint64_t before = e->source->begin;
        if (source_prove(e->source, c)) {
            e->decoding[proven++] = c;
            count(&e->totals, c);
            bool is_packed = e->source->input.packed != UNPACK_NONE;
            e->bytes_done += is_packed ? 0 : e->source->begin - before;
        } else {
            chunk_give(e, c);
        }
    }
    e->decoding_count = proven;
    team_run(e->team, proven, settle, e);
}

static struct order bound(const struct engine *e)
{
    const struct source *s = most_behind(e);
    return s ? source_frontier(s) : ORDER_LAST;
}

static void report_progress(const struct engine *e)
{
    if (!e->options->on_progress) {
        return;
    }
    struct sidetone_progress p = {.bytes_read = e->bytes_done, .packets = e->totals.packets};
    bool has_pipe = false;
    for (uint32_t i = 0; i < e->source_count; i++) {
        const struct input *in = &e->sources[i].input;
        has_pipe = has_pipe || in->is_pipe;
        p.bytes_total += in->size;
        p.bytes_read += in->packed_bytes; // others are counted as they are proven
    }
    p.bytes_total = has_pipe ? 0 : p.bytes_total;
    e->options->on_progress(e->options->context, &p);
}

static void stop_if_asked(struct engine *e)
{
    if (e->options->stop && *e->options->stop) {
        e->is_interrupted = true;
        for (uint32_t i = 0; i < e->source_count; i++) {
            e->sources[i].is_done = true;
        }
    }
}

static void start(struct engine *e)
{
    hash_secret_init();
    unsigned cores = e->options->cores ? e->options->cores : team_processors();
    e->team = team_new(cores);
    e->waiting = memory_alloc((e->source_count + 2 * BINS) * sizeof(struct record_queue *));
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
    fold_emit(e);
    fold_deliver(e);
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
        team_run(e->team, e->decoding_count + BINS, decode_or_fold_media, e);
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
    memory_free(e->sources);
}
