// Putting IP fragments together: whose a fragment is, what its family's rules make of it, and when
// a datagram leaves. The bytes are kept by fragments_bytes.c.
//
// Datagrams in the making stand in one list, in the order of their first fragments. Those that time
// or memory has taken are its beginning: retired, found by no fragment any more, waiting to be
// given up. RFC 791 3.2, 815, 8200 4.5, 5722.
//
// A fragment of an ordinary datagram of 4 kB in three costs 1,600 instructions in either order, its
// bytes copied twice included (callgrind, gcc 12 -O3).
#include "flow/fragments_parts.h"

#include "base/memory.h"
#include "wire/net/peel.h"

struct fragments *fragments_new(void)
{
    struct fragments *f = memory_zero(sizeof *f);
    cells_init(&f->cells);
    f->now_ns = INT64_MIN;
    return f;
}

void fragments_free(struct fragments *f)
{
    if (f) {
        cells_fini(&f->cells);
        memory_free(f);
    }
}

int fragments_copy_verdict(const struct fragments *f)
{
    return f->copy_verdict;
}

void fragments_settle(struct fragments *f, int verdict)
{
    if (f->settled != 0) {
        f->recents.ring[f->settled - 1].verdict = verdict;
    }
}

static struct fragment_key key_of(const struct piece_record *r)
{
    bool is_v4 = address_is_v4(r->src.addr);
    return (struct fragment_key){
        .src = r->src.addr,
        .dst = r->dst.addr,
        .path_hash = r->path_hash,
        .id = r->fragment_id,
        .protocol = is_v4 ? r->protocol : 0,
        .is_v4 = is_v4,
    };
}

static uint32_t chain_of(const struct fragment_key *k)
{
    uint64_t seed = hash_secret;
    uint64_t h = hash_mix(k->src.hi ^ seed, k->src.lo ^ seed);
    h = hash_mix(k->dst.hi ^ h, k->dst.lo ^ seed);
    h = hash_mix(k->path_hash ^ h, ((uint64_t)k->id << 8 | k->protocol) ^ seed);
    return (uint32_t)(h >> 32) % CHAINS;
}

// --- Time and memory ---

static bool is_expired(const struct gathering *g, int64_t now_ns)
{
    return now_ns > g->started_ns &&
           (uint64_t)now_ns - (uint64_t)g->started_ns > (uint64_t)FRAGMENT_TIMEOUT_NS;
}

static void clock_set(struct fragments *f, int64_t now_ns)
{
    f->now_ns = now_ns > f->now_ns ? now_ns : f->now_ns;
    recents_forget(&f->recents, f->now_ns);
    while (f->oldest_open != 0 && is_expired(gathering_at(f, f->oldest_open), f->now_ns)) {
        gathering_retire_oldest(f, false);
    }
}

// Retires the oldest ones until the next fragment has room when they have been given up.
static void make_room(struct fragments *f)
{
    while (cells_left(&f->cells) + f->retired_cells < CELLS_OF_FRAGMENT && f->oldest_open != 0) {
        gathering_retire_oldest(f, true);
    }
}

bool fragments_give_up(struct fragments *f, int64_t now_ns, uint64_t odd[FLOW_ODD_COUNT],
                       struct defragmented *out)
{
    if (f->oldest == 0) {
        return false;
    }
    struct gathering *g = gathering_at(f, f->oldest);
    if (!g->is_retired) {
        if (now_ns != INT64_MAX && !is_expired(g, now_ns)) {
            return false;
        }
        gathering_retire_oldest(f, false);
    }
    if (g->is_forgotten) {
        odd[FLOW_FRAGMENT_FORGOTTEN]++;
    } else if (!g->is_dropped) { // what was dropped has been counted as that
        odd[FLOW_FRAGMENT_INCOMPLETE]++;
    }
    gathering_give(f, f->oldest, false, out);
    return true;
}

// --- A fragment ---

static uint32_t end_of(const struct piece_record *r)
{
    return r->fragment_offset + r->payload_length;
}

static bool is_nonsense(const struct piece_record *r, uint64_t odd[FLOW_ODD_COUNT])
{
    if ((uint64_t)r->fragment_offset + r->payload_length > DATAGRAM_BYTES_MAX) {
        odd[FLOW_FRAGMENT_OVERLONG]++;
        return true;
    }
    // RFC 8200 4.5 wants the last one rejected; in IPv4 the odd bytes are bytes like others.
    return r->payload_length == 0 || r->fragment_offset % 8 != 0 ||
           (r->more_fragments && r->payload_length % 8 != 0 && !address_is_v4(r->src.addr));
}

static uint32_t transport_header_bytes(uint8_t protocol)
{
    return protocol == NET_UDP ? 8 : protocol == NET_TCP ? 20 : protocol == NET_SCTP ? 12 : 0;
}

// What only the first fragment says.
static void look_at_first(struct gathering *g, const struct piece_record *r,
                          uint64_t odd[FLOW_ODD_COUNT])
{
    if (!g->has_first) {
        g->has_first = true;
        g->begin = (struct packet_ref){r->order.at, r->time_ns};
        g->head.protocol = r->protocol;
    }
    if (r->more_fragments && r->payload_length < transport_header_bytes(r->protocol) &&
        !g->is_tiny) {
        g->is_tiny = true;
        odd[FLOW_FRAGMENT_TINY]++;
    }
}

static uint32_t captured_of(const struct piece_record *r, uint32_t length)
{
    return r->payload_n < length ? r->payload_n : length;
}

// The first bytes win, and the first end; everything else that does not fit is a conflict.
static void put_v4(struct fragments *f, struct gathering *g, const struct piece_record *r,
                   uint64_t odd[FLOW_ODD_COUNT])
{
    uint32_t begin = r->fragment_offset;
    uint32_t end = end_of(r);
    bool conflict = false;
    if (!r->more_fragments && g->end == DATAGRAM_ROOM) {
        g->end = end;
        conflict = g->high > end;
        g->taken_count = conflict ? bytes_count(&f->cells, g, 0, end) : g->taken_count;
    } else if (end > g->end || (!r->more_fragments && end != g->end)) {
        conflict = true;
        end = end < g->end ? end : g->end;
    }
    if (begin < end) {
        uint32_t n = captured_of(r, end - begin);
        if (bytes_count(&f->cells, g, begin, end) == 0) {
            bytes_put(&f->cells, g, begin, end, r->payload, n);
        } else {
            conflict = conflict || bytes_differ(&f->cells, g, begin, r->payload, n);
            bytes_fill(&f->cells, g, begin, end, r->payload, n);
        }
    }
    if (conflict && !g->has_conflict) {
        g->has_conflict = true;
        odd[FLOW_FRAGMENT_CONFLICT]++;
    }
}

// Does its end contradict the one that is known, or as the last one what came before?
static bool is_end_wrong(const struct gathering *g, uint32_t end, bool is_last)
{
    if (g->end == DATAGRAM_ROOM) {
        return is_last && g->high > end;
    }
    return end > g->end || is_last != (end == g->end);
}

// Does it contradict what came before? A wrong end is as bad as an overlap (RFC 5722): nobody can
// say which of the senders is the true one.
static bool is_overlap_v6(const struct fragments *f, const struct gathering *g,
                          const struct piece_record *r)
{
    const struct cells *c = &f->cells;
    uint32_t begin = r->fragment_offset;
    uint32_t end = end_of(r);
    if (is_end_wrong(g, end, !r->more_fragments)) {
        return true;
    }
    if (bytes_count(c, g, begin, end) == 0) {
        return false;
    }
    bool is_new_last = !r->more_fragments && g->end == DATAGRAM_ROOM;
    return is_new_last || !bytes_are_fragment(c, g, begin, end) ||
           bytes_differ(c, g, begin, r->payload, captured_of(r, end - begin));
}

static void put_v6(struct fragments *f, struct gathering *g, const struct piece_record *r,
                   uint64_t odd[FLOW_ODD_COUNT])
{
    if (is_overlap_v6(f, g, r)) {
        g->is_dropped = true;
        odd[FLOW_FRAGMENT_OVERLAP_V6]++;
        bytes_release(&f->cells, g);
        return;
    }
    uint32_t begin = r->fragment_offset;
    uint32_t end = end_of(r);
    g->end = r->more_fragments ? g->end : end;
    if (bytes_count(&f->cells, g, begin, end) == 0) {
        bytes_put(&f->cells, g, begin, end, r->payload, captured_of(r, end - begin));
        bytes_mark_start(&f->cells, g, begin);
    }
}

static void put(struct fragments *f, struct gathering *g, const struct piece_record *r,
                uint64_t odd[FLOW_ODD_COUNT])
{
    if (r->fragment_offset == 0) {
        look_at_first(g, r, odd);
    }
    if (g->key.is_v4) {
        put_v4(f, g, r, odd);
    } else if (!g->is_dropped) {
        put_v6(f, g, r, odd);
    }
}

enum fragment_result fragments_add(struct fragments *f, const struct piece_record *r,
                                   uint64_t odd[FLOW_ODD_COUNT], struct defragmented *out)
{
    clock_set(f, r->order.time_ns);
    if (is_nonsense(r, odd)) {
        return FRAGMENT_DROPPED;
    }
    struct fragment_key key = key_of(r);
    uint32_t chain = chain_of(&key);
    const struct recent *recent = recents_find(&f->recents, &key, chain);
    if (recent) {
        f->copy_verdict = recent->verdict;
        return FRAGMENT_COPY;
    }
    if (cells_left(&f->cells) < CELLS_OF_FRAGMENT + r->packet_count / FRAMES_OF_CELL) {
        return FRAGMENT_DROPPED; // nobody takes what is given up, or it has thousands of frames
    }
    cell_index i = gathering_find(f, &key, chain);
    i = i != 0 ? i : gathering_begin(f, r, &key, chain);
    struct gathering *g = gathering_at(f, i);
    if (!gathering_list_frame(f, g, r)) {
        return FRAGMENT_DROPPED;
    }
    put(f, g, r, odd);
    if (g->taken_count == g->end && !g->is_dropped) {
        f->settled = recents_add(&f->recents, &key, chain, f->now_ns);
        gathering_unchain(f, i);
        gathering_give(f, i, true, out);
        return FRAGMENT_WHOLE;
    }
    make_room(f);
    return FRAGMENT_KEPT;
}
