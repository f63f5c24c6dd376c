// The list of datagrams in the making: how one begins, what it keeps beside its bytes, and how it
// is given out.
#include "flow/fragments_parts.h"

cell_index gathering_find(const struct fragments *f, const struct fragment_key *key, uint32_t chain)
{
    cell_index i = f->chains[chain];
    while (i != 0 && !fragment_key_eq(&gathering_at(f, i)->key, key)) {
        i = gathering_at(f, i)->chain_next;
    }
    return i;
}

static void keep_path(struct fragments *f, struct gathering *g, const struct path *path)
{
    g->has_path = path != NULL;
    g->path_count = !path ? 0 : path->count < PATH_STEPS_MAX ? path->count : PATH_STEPS_MAX;
    for (uint32_t from = 0; from < g->path_count; from += STEPS_OF_CELL) {
        uint32_t n = g->path_count - from < STEPS_OF_CELL ? g->path_count - from : STEPS_OF_CELL;
        cell_index i = cells_take(&f->cells);
        memcpy(cells_at(&f->cells, i)->steps.steps, path->steps + from, n * sizeof *path->steps);
        g->path[from / STEPS_OF_CELL] = i;
        g->cell_count++;
    }
}

cell_index gathering_begin(struct fragments *f, const struct piece_record *r,
                           const struct fragment_key *key, uint32_t chain)
{
    cell_index i = cells_take(&f->cells);
    struct gathering *g = gathering_at(f, i);
    memset(g, 0, offsetof(struct gathering, refs));
    g->head = *r;
    g->head.path = NULL;
    g->head.transport = NULL;
    g->head.payload = NULL;
    g->key = *key;
    g->started_ns = f->now_ns;
    g->end = DATAGRAM_ROOM;
    g->low = DATAGRAM_ROOM;
    g->cell_count = 1;
    keep_path(f, g, r->path);
    g->chain = (uint16_t)chain;
    g->chain_next = f->chains[chain];
    f->chains[chain] = i;
    g->older = f->newest;
    *(g->older != 0 ? &gathering_at(f, g->older)->newer : &f->oldest) = i;
    f->newest = i;
    f->oldest_open = f->oldest_open != 0 ? f->oldest_open : i;
    return i;
}

void gathering_unchain(struct fragments *f, cell_index i)
{
    struct gathering *g = gathering_at(f, i);
    cell_index *link = &f->chains[g->chain];
    while (*link != i) {
        link = &gathering_at(f, *link)->chain_next;
    }
    *link = g->chain_next;
    f->oldest_open = f->oldest_open == i ? g->newer : f->oldest_open;
}

void gathering_retire_oldest(struct fragments *f, bool is_forgotten)
{
    struct gathering *g = gathering_at(f, f->oldest_open);
    gathering_unchain(f, f->oldest_open);
    g->is_retired = true;
    g->is_forgotten = is_forgotten;
    f->retired_cells += g->cell_count;
}

static void release(struct fragments *f, cell_index i)
{
    struct gathering *g = gathering_at(f, i);
    *(g->older != 0 ? &gathering_at(f, g->older)->newer : &f->oldest) = g->newer;
    *(g->newer != 0 ? &gathering_at(f, g->newer)->older : &f->newest) = g->older;
    f->retired_cells -= g->is_retired ? g->cell_count : 0;
    bytes_release(&f->cells, g);
    for (uint32_t p = 0; p * STEPS_OF_CELL < g->path_count; p++) {
        cells_release(&f->cells, g->path[p]);
    }
    cell_index at = g->first_frames;
    while (at != 0) {
        cell_index next = cells_at(&f->cells, at)->frames.next;
        cells_release(&f->cells, at);
        at = next;
    }
    cells_release(&f->cells, i);
}

static const struct path *give_path(struct fragments *f, const struct gathering *g)
{
    if (!g->has_path) {
        return NULL;
    }
    for (uint32_t s = 0; s < g->path_count; s++) {
        const struct steps *steps = &cells_at(&f->cells, g->path[s / STEPS_OF_CELL])->steps;
        f->path.steps[s] = steps->steps[s % STEPS_OF_CELL];
    }
    f->path.count = g->path_count;
    return &f->path;
}

static void give_frames(struct fragments *f, const struct gathering *g)
{
    memcpy(f->frames, g->refs, sizeof g->refs);
    cell_index at = g->first_frames;
    for (uint32_t from = FRAMES_INLINE; from < g->frame_count; from += FRAMES_OF_CELL) {
        const struct frames *frames = &cells_at(&f->cells, at)->frames;
        uint32_t left = g->frame_count - from;
        uint32_t n = left < FRAMES_OF_CELL ? left : FRAMES_OF_CELL;
        memcpy(f->frames + from, frames->refs, n * sizeof *frames->refs);
        at = frames->next;
    }
}

void gathering_give(struct fragments *f, cell_index i, bool is_whole, struct defragmented *out)
{
    const struct gathering *g = gathering_at(f, i);
    uint32_t n = bytes_copy(&f->cells, g, f->bytes);
    n = n < g->end ? n : g->end;
    give_frames(f, g);
    *out = (struct defragmented){
        .head = g->head,
        .path = give_path(f, g),
        .bytes = f->bytes,
        .n = n,
        .length = g->end < DATAGRAM_ROOM ? g->end : n,
        .is_whole = is_whole,
        .packets = f->frames,
        .packet_count = g->frame_count,
        .begin = g->begin,
        .is_dropped = g->is_dropped,
    };
    release(f, i);
}

static void list_frame(struct fragments *f, struct gathering *g, struct packet_ref ref)
{
    uint32_t n = g->frame_count++;
    if (n < FRAMES_INLINE) {
        g->refs[n] = ref;
        return;
    }
    n = (n - FRAMES_INLINE) % FRAMES_OF_CELL;
    if (n == 0) {
        cell_index i = cells_take(&f->cells);
        cells_at(&f->cells, i)->frames.next = 0;
        *(g->last_frames != 0 ? &cells_at(&f->cells, g->last_frames)->frames.next
                              : &g->first_frames) = i;
        g->last_frames = i;
        g->cell_count++;
    }
    cells_at(&f->cells, g->last_frames)->frames.refs[n] = ref;
}

bool gathering_list_frame(struct fragments *f, struct gathering *g, const struct piece_record *r)
{
    uint32_t count = r->packet_count > 0 ? r->packet_count : 1;
    if (count > FRAGMENT_FRAMES_MAX - g->frame_count) {
        return false;
    }
    if (r->packet_count == 0) {
        list_frame(f, g, (struct packet_ref){r->order.at, r->time_ns});
    }
    for (uint32_t i = 0; i < r->packet_count; i++) { // it came in fragments itself
        list_frame(f, g, r->packets[i]);
    }
    return true;
}
