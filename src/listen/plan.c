// Planning: sources in a heap by how far they are, files open only while they are read, chunks and
// their buffers used again.
#include "listen/plan.h"

#include "base/memory.h"

#include <errno.h>

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

void plan_take_buffers(struct engine *e)
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

void plan_give_chunk(struct engine *e, struct chunk *c)
{
    c->records.next = e->pool;
    e->pool = &c->records;
}

void plan_free_chunks(struct engine *e)
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

void plan_begin(struct engine *e)
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
            plan_give_chunk(e, c);
            continue;
        }
        uint64_t left = s->input.is_stream ? c->span : s->input.size - c->offset;
        bytes += left < c->span ? left : c->span;
        e->decoding_of[e->decoding_count] = s;
        e->decoding[e->decoding_count++] = c;
    }
    return bytes;
}

// Many overlapping files share the memory that a few may use.
void plan_round(struct engine *e)
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

// How far its input is: what is proven of a file, what was read of a compressed one.
static void count_bytes(struct engine *e, struct source *s)
{
    const struct input *in = &s->input;
    uint64_t done = in->packed != UNPACK_NONE ? in->packed_bytes : s->begin - in->records_at;
    e->bytes_done += done - s->bytes_told;
    s->bytes_told = done;
}

void plan_done(struct engine *e, struct source *s)
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

struct order plan_bound(const struct engine *e)
{
    return e->behind_count > 0 ? source_frontier(e->behind[0]) : ORDER_LAST;
}

void plan_fini(struct engine *e)
{
    plan_free_chunks(e);
    memory_free(e->spares);
    memory_free(e->behind);
    memory_free(e->buffered);
    memory_free(e->open);
}
