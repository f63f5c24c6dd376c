// Which connection a segment belongs to; which ones wait, and which are given up.
#include "flow/stream_bin.h"

#include "base/memory.h"
#include "flow/connection.h"

void stream_bin_init(struct stream_bin *b)
{
    *b = (struct stream_bin){0};
    flow_output_init(&b->output);
}

void stream_bin_fini(struct stream_bin *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        connection_free(b->connections[i]);
    }
    memory_free(b->connections);
    index_table_fini(&b->table);
    flow_output_fini(&b->output);
}

// --- the lists by last packet ---

static void list_remove(struct stream_bin *b, struct connection *c, enum connection_list which)
{
    struct connection_ends *list = &b->lists[which];
    struct connection_links *at = &c->links[which];
    *(at->newer ? &at->newer->links[which].older : &list->newest) = at->older;
    *(at->older ? &at->older->links[which].newer : &list->oldest) = at->newer;
    *at = (struct connection_links){0};
}

static void list_add(struct stream_bin *b, struct connection *c, enum connection_list which)
{
    struct connection_ends *list = &b->lists[which];
    c->links[which].older = list->newest;
    *(list->newest ? &list->newest->links[which].newer : &list->oldest) = c;
    list->newest = c;
}

static void remove_used(struct stream_bin *b, struct connection *c)
{
    if (b->next_slim == c) {
        b->next_slim = c->links[LIST_ALL].newer;
    }
    list_remove(b, c, LIST_ALL);
    if (c->is_large) {
        list_remove(b, c, LIST_LARGE);
    }
}

static void add_used(struct stream_bin *b, struct connection *c)
{
    list_add(b, c, LIST_ALL);
    if (c->is_large) {
        list_add(b, c, LIST_LARGE);
    }
    c->is_slim = false;
    b->next_slim = b->next_slim ? b->next_slim : c;
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
    b->memory -= c->memory;
    ring_remove(b, c);
    remove_used(b, c);
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
        forget(b, b->lists[LIST_ALL].oldest, r->order);
    }
    if (b->count == b->room) {
        b->connections = memory_grow(b->connections, &b->room, sizeof(struct connection *), 16);
    }
    struct connection *c = connection_new(r);
    c->hash = hash;
    c->index = b->count;
    b->connections[b->count++] = c;
    index_table_add(&b->table, hash, c->index);
    b->memory += c->memory;
    add_used(b, c);
    return c;
}

// --- memory ---

// Something was done with a connection that took `before` bytes.
static void note_use(struct stream_bin *b, struct connection *c, size_t before)
{
    b->memory = b->memory - before + c->memory;
    bool is_large = c->memory > CONNECTION_LIGHT;
    if (is_large && !c->is_large) {
        list_add(b, c, LIST_LARGE);
    } else if (!is_large && c->is_large) {
        list_remove(b, c, LIST_LARGE);
    }
    c->is_large = is_large;
    ring_update(b, c);
}

static void make_slim(struct stream_bin *b, struct connection *c)
{
    size_t before = c->memory;
    connection_slim(c);
    c->is_slim = true;
    note_use(b, c, before);
}

// `c` is the one at hand. Every step is paid for: one that is made slim had a packet since it was
// the last time, and one that is given up was new once.
static void limit_memory(struct stream_bin *b, struct connection *c, struct order now)
{
    while (b->memory > STREAM_BYTES_SLIM && b->next_slim) {
        struct connection *next = b->next_slim;
        b->next_slim = next->links[LIST_ALL].newer;
        make_slim(b, next);
    }
    if (b->memory > STREAM_BYTES_MAX && c->memory > CONNECTION_HUGE) {
        forget(b, c, now);
    }
    while (b->memory > STREAM_BYTES_MAX) {
        // The others take no more than STREAM_BYTES_MAX - CONNECTION_HUGE.
        forget(b, b->lists[LIST_LARGE].oldest, now);
    }
}

// One that waits gets a look with every packet of the bin, so that none waits much longer than it
// should.
static void look_at_waiting(struct stream_bin *b, struct order now)
{
    struct connection *c = b->waiting;
    if (c) {
        size_t before = c->memory;
        b->waiting = c->next_waiting;
        connection_tick(c, now, b->output.batch);
        note_use(b, c, before);
        if (c->is_slim) {
            make_slim(b, c); // it stands among those that are
        }
    }
}

void stream_bin_packet(struct stream_bin *b, const struct piece_record *r)
{
    uint32_t hash = hash_of(r);
    struct connection *c = find(b, r, hash);
    look_at_waiting(b, r->order);
    c = c ? c : make(b, r, hash);
    size_t before = c->memory;
    if (!connection_packet(c, r, b->output.batch)) {
        end(b, c, r->order); // its ports are used again
        c = make(b, r, hash);
        before = c->memory;
        connection_packet(c, r, b->output.batch);
    }
    remove_used(b, c);
    add_used(b, c);
    note_use(b, c, before);
    limit_memory(b, c, r->order);
}

void stream_bin_finish(struct stream_bin *b)
{
    // What fragments gave at their end stands in the batch already.
    const struct connection_ends *all = &b->lists[LIST_ALL];
    bool has_ended = all->newest && all->newest->last.time_ns > TIME_MAX_NS;
    struct order now = has_ended ? all->newest->last : order_at_end((struct order){0, 0});
    while (all->oldest) { // in the order of their last packets
        struct order last = order_at_end(all->oldest->last);
        now = order_before(now, last) ? last : now;
        end(b, all->oldest, now);
    }
}
