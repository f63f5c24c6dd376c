// Rounds: what is decoded, what is ready to be folded, and who does it.
#include "listen/engine.h"

#include "base/error.h"
#include "base/memory.h"
#include "listen/fold.h"
#include "listen/plan.h"

#include <errno.h>

_Static_assert(SIDETONE_BUFFER_ADAPTIVE == STREAM_BUFFER_ADAPTIVE, "handed through");

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
            plan_give_chunk(e, (struct chunk *)r);
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

static void prove(struct engine *e)
{
    unsigned proven = 0;
    for (unsigned i = 0; i < e->decoding_count; i++) {
        struct chunk *c = e->decoding[i];
        if (source_prove(e->decoding_of[i], c)) {
            e->decoding[proven++] = c;
            count(&e->totals, c);
        } else {
            plan_give_chunk(e, c);
        }
    }
    e->decoding_count = proven;
    for (unsigned i = 0; i < e->planned_count; i++) {
        plan_done(e, e->planned[i]);
    }
    team_run(e->team, proven, settle, e);
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
    plan_begin(e);
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
        plan_round(e);
        find_waiting(e, MEDIA_RECORDS, CONTROL_RECORDS, media_from, e->media_bound);
        void (*first)(void *) = e->to_emit_count > 0 ? emit_shown : NULL;
        team_run_beside(e->team, first, e->decoding_count + BINS, decode_or_fold_media, e);
        recycle(e);
        prove(e);
        stop_if_asked(e);
        media_from = e->media_bound;
        call_from = e->call_bound;
        e->call_bound = plan_bound(e);
        fold_to_bound(e, call_from);
        plan_take_buffers(e);
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
    plan_free_chunks(e);
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
    plan_fini(e);
    message_view_fini(&e->view);
    for (uint32_t i = 0; i < e->source_count; i++) {
        source_fini(&e->sources[i]);
    }
    if (e->waiting) {
        unpack_limits_fini(&e->unpack_limits);
    }
    memory_free(e->waiting);
    memory_free(e->to_emit);
    memory_free(e->sources);
}
