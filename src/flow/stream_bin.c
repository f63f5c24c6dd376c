// Which connection a segment belongs to; which ones wait, and which are given up.
#include "flow/stream_bin.h"

#include "base/memory.h"
#include "flow/connection.h"

// What a connection keeps between its messages. Not smaller: its lists of frames are not given
// back. Not larger: all connections together are to stay far below STREAM_BYTES_MAX.
#define IDLE_BYTES_MAX 512u

_Static_assert(CONNECTIONS_MAX *IDLE_BYTES_MAX < STREAM_BYTES_MAX / 2, "somebody holds more");

void stream_bin_init(struct stream_bin *b)
{
    *b = (struct stream_bin){0};
    flow_output_init(&b->output);
}

void stream_bin_fini(struct stream_bin *b)
{
    while (b->oldest) {
        struct connection *c = b->oldest;
        b->oldest = c->newer;
        connection_free(c);
    }
    memory_free(b->connections);
    index_table_fini(&b->table);
    flow_output_fini(&b->output);
}

// --- the list by last packet ---

static void unlink_used(struct stream_bin *b, struct connection *c)
{
    *(c->newer ? &c->newer->older : &b->newest) = c->older;
    *(c->older ? &c->older->newer : &b->oldest) = c->newer;
    c->newer = c->older = NULL;
}

static void link_newest(struct stream_bin *b, struct connection *c)
{
    c->older = b->newest;
    *(b->newest ? &b->newest->newer : &b->oldest) = c;
    b->newest = c;
}

// --- the ring of those that wait ---

static void ring_remove(struct stream_bin *b, struct connection *c)
{
    if (!c->next_waiting) {
        return;
    }
    b->waiting = b->waiting == c ? c->next_waiting : b->waiting;
    b->waiting = b->waiting == c ? NULL : b->waiting; // it was the only one
    c->prev_waiting->next_waiting = c->next_waiting;
    c->next_waiting->prev_waiting = c->prev_waiting;
    c->next_waiting = c->prev_waiting = NULL;
}

static void ring_add(struct stream_bin *b, struct connection *c)
{
    if (c->next_waiting) {
        return;
    }
    if (!b->waiting) {
        b->waiting = c->next_waiting = c->prev_waiting = c;
        return;
    }
    c->next_waiting = b->waiting;
    c->prev_waiting = b->waiting->prev_waiting;
    c->prev_waiting->next_waiting = c;
    b->waiting->prev_waiting = c;
}

static void ring_update(struct stream_bin *b, struct connection *c)
{
    if (connection_waits(c)) {
        ring_add(b, c);
    } else {
        ring_remove(b, c);
    }
}

// --- connections ---

static uint32_t hash_of(const struct piece_record *r)
{
    uint64_t both = endpoint_hash(r->src, hash_secret) + endpoint_hash(r->dst, hash_secret);
    return (uint32_t)(hash_mix(both ^ r->path_hash, hash_secret ^ r->protocol) >> 32);
}

static bool is_it(const struct connection *c, const struct piece_record *r)
{
    bool same = endpoint_eq(c->ends[0], r->src) && endpoint_eq(c->ends[1], r->dst);
    bool back = endpoint_eq(c->ends[0], r->dst) && endpoint_eq(c->ends[1], r->src);
    return (same || back) && c->protocol == r->protocol && c->path_hash == r->path_hash;
}

static struct connection *find(const struct stream_bin *b, const struct piece_record *r,
                               uint32_t hash)
{
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(&b->table, hash, &at)) != INDEX_NONE) {
        if (is_it(b->connections[i], r)) {
            return b->connections[i];
        }
    }
    return NULL;
}

static void end(struct stream_bin *b, struct connection *c, struct order now)
{
    connection_finish(c, now, b->output.batch);
    b->held -= c->held;
    ring_remove(b, c);
    unlink_used(b, c);
    index_table_remove(&b->table, c->hash, c->index);
    b->count--;
    struct connection *last = b->connections[b->count]; // takes the place that became free
    if (last != c) {
        index_table_replace(&b->table, last->hash, last->index, c->index);
        last->index = c->index;
        b->connections[c->index] = last;
    }
    connection_free(c);
}

static void forget(struct stream_bin *b, struct connection *c, struct order now)
{
    b->output.batch->counts.odd[FLOW_TCP_FORGOTTEN]++;
    end(b, c, now);
}

static struct connection *make(struct stream_bin *b, const struct piece_record *r, uint32_t hash)
{
    if (b->count == CONNECTIONS_MAX) {
        forget(b, b->oldest, r->order);
    }
    if (b->count == b->room) {
        b->connections = memory_grow(b->connections, &b->room, sizeof(struct connection *), 16);
    }
    struct connection *c = connection_new(r);
    c->hash = hash;
    c->index = b->count;
    b->connections[b->count++] = c;
    index_table_add(&b->table, hash, c->index);
    link_newest(b, c);
    return c;
}

// Memory is taken from those that hold some, the longest silent first.
static void limit_held(struct stream_bin *b, struct order now)
{
    struct connection *c = b->oldest;
    while (b->held > STREAM_BYTES_MAX && c) {
        struct connection *next = c->newer;
        if (c->held > IDLE_BYTES_MAX) {
            forget(b, c, now);
        }
        c = next;
    }
}

static void update_held(struct stream_bin *b, const struct connection *c, size_t before)
{
    b->held = b->held - before + c->held;
}

// One that waits gets a look with every packet of the bin, so that none waits much longer than it
// should.
static void look_at_waiting(struct stream_bin *b, struct order now)
{
    struct connection *c = b->waiting;
    if (c) {
        size_t before = c->held;
        b->waiting = c->next_waiting;
        connection_tick(c, now, b->output.batch);
        update_held(b, c, before);
        ring_update(b, c);
    }
}

void stream_bin_packet(struct stream_bin *b, const struct piece_record *r)
{
    uint32_t hash = hash_of(r);
    struct connection *c = find(b, r, hash);
    look_at_waiting(b, r->order);
    c = c ? c : make(b, r, hash);
    size_t before = c->held;
    if (!connection_packet(c, r, b->output.batch)) {
        end(b, c, r->order); // its ports are used again
        c = make(b, r, hash);
        before = 0;
        connection_packet(c, r, b->output.batch);
    }
    update_held(b, c, before);
    unlink_used(b, c);
    link_newest(b, c);
    ring_update(b, c);
    limit_held(b, r->order);
}

void stream_bin_finish(struct stream_bin *b)
{
    // What fragments gave at their end stands in the batch already.
    bool has_ended = b->newest && b->newest->last.time_ns > TIME_MAX_NS;
    struct order now = has_ended ? b->newest->last : order_at_end((struct order){0, 0});
    while (b->oldest) { // in the order of their last packets
        struct order last = order_at_end(b->oldest->last);
        now = order_before(now, last) ? last : now;
        end(b, b->oldest, now);
    }
}
