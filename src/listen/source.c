// Planning and proving the chunks of a source.
#include "listen/source.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>

struct order source_frontier(const struct source *s)
{
    int64_t time_ns = s->records > 0 || s->is_started ? s->running_ns : s->input.first_ns;
    return order_of(time_ns, s->input.index, s->records + 1);
}

int source_start(struct source *s)
{
    s->is_started = true;
    s->begin = s->input.records_at;
    if (s->input.is_stream) {
        feed_init(&s->feed, &s->input);
    }
    return input_reopen(&s->input);
}

void source_fini(struct source *s)
{
    kept_blocks_free(s->kept);
    memory_free(s->dropped_of);
    feed_fini(&s->feed);
    input_fini(&s->input);
}

static void give_state(struct chunk *c, const struct pcapng *ng)
{
    if (!ng) {
        memory_free(c->ng);
        c->ng = NULL;
        return;
    }
    c->ng = c->ng ? c->ng : memory_alloc(sizeof *c->ng);
    pcapng_copy(c->ng, ng);
}

static unsigned plan_stream(struct source *s, struct chunk **chunks, unsigned count, uint64_t span)
{
    struct pcapng *after = s->input.ng ? memory_alloc(sizeof *after) : NULL;
    unsigned made = 0;
    while (made < count && !s->feed.at_end) {
        // The state before the first chunk of a window is proven; the next ones follow from feeding
        // it.
        give_state(chunks[made], made == 0 ? s->input.ng : after);
        if (feed_chunk(&s->feed, chunks[made], span, after) != 0) {
            s->is_done = made == 0; // what was read before is taken first; the error comes again
            s->why = END_READ_ERROR;
            s->read_errno = errno;
            break;
        }
        made++;
        if (chunks[made - 1]->buffer_n < span / 2) {
            break; // a slow writer: what it has written is shown before it writes more
        }
    }
    memory_free(after);
    return made;
}

unsigned source_plan(struct source *s, struct chunk **chunks, unsigned count, uint64_t span)
{
    if (s->input.is_stream) {
        return plan_stream(s, chunks, count, span);
    }
    unsigned made = 0;
    uint64_t offset = s->begin;
    while (made < count && (made == 0 || offset < s->input.size)) {
        struct chunk *c = chunks[made++];
        give_state(c, s->input.ng);
        c->input = &s->input;
        c->offset = offset;
        c->span = span;
        c->begin = s->begin;
        c->has_begin = offset == s->begin;
        c->is_filled = c->is_last = false;
        offset += span;
    }
    return made;
}

// Takes over the chunk's names and secrets.
static void keep_blocks(struct source *s, struct chunk *c)
{
    s->kept_left_out += c->kept_left_out;
    while (c->kept) {
        struct kept_block *b = c->kept;
        c->kept = b->next;
        b->next = NULL;
        if (b->n > KEPT_BYTES_MAX - s->kept_bytes) {
            s->kept_left_out++;
            memory_free(b);
            continue;
        }
        s->kept_bytes += b->n;
        *(s->kept ? &s->kept_last->next : &s->kept) = b;
        s->kept_last = b;
    }
}

uint64_t source_dropped(const struct source *s)
{
    uint64_t all = s->dropped;
    for (uint32_t i = 0; i < s->dropped_of_count; i++) {
        all = s->dropped_of[i] > UINT64_MAX - all ? UINT64_MAX : all + s->dropped_of[i];
    }
    return all;
}

// The newest count of each interface holds; a section has interfaces of its own.
static void take_drops(struct source *s, const struct chunk *c)
{
    for (uint32_t i = 0; i < c->drop_count; i++) {
        const struct drop_note *d = &c->drops[i];
        if (d->interface == DROP_NOTE_SECTION) {
            s->dropped = source_dropped(s);
            s->dropped_of_count = 0;
            continue;
        }
        if (d->interface >= s->dropped_of_count) {
            uint32_t count = d->interface + 1;
            s->dropped_of = memory_resize(s->dropped_of, count * sizeof *s->dropped_of);
            memset(s->dropped_of + s->dropped_of_count, 0,
                   (count - s->dropped_of_count) * sizeof *s->dropped_of);
            s->dropped_of_count = count;
        }
        s->dropped_of[d->interface] = d->dropped;
    }
}

bool source_prove(struct source *s, struct chunk *c)
{
    if (s->is_done) {
        return false;
    }
    uint64_t version = s->input.ng ? s->input.ng->version : 0;
    if (!c->has_begin || c->begin != s->begin || c->ng_version != version) {
        give_state(c, s->input.ng);
        c->begin = s->begin;
        c->has_begin = true;
        chunk_decode(c);
    }
    if (c->first_ns < s->running_ns) { // the smallest time of the chunk is furthest back
        int64_t back_ns = s->running_ns - c->first_ns;
        s->back_ns = back_ns > s->back_ns ? back_ns : s->back_ns;
    }
    s->back_ns = c->back_ns > s->back_ns ? c->back_ns : s->back_ns;
    chunk_settle(c, s->records + 1, s->running_ns);
    s->records += c->packets;
    s->running_ns = c->running_ns;
    s->begin = c->end;
    if (s->input.ng) {
        pcapng_copy(s->input.ng, c->ng);
    }
    if (c->why != END_NONE) {
        s->is_done = true;
        s->why = c->why;
        s->read_errno = c->read_errno;
        input_close(&s->input);
    }
    keep_blocks(s, c);
    take_drops(s, c);
    record_queue_append(&s->queue, &c->records);
    return true;
}
