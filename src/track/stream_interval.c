// Intervals of a stream, in blocks.
#include "track/stream_interval.h"

// --- numbers ---

static bool is_narrow(const struct interval_numbers *n)
{
    return (n->packets | n->numbers | n->lacks.lost | n->lacks.discarded) <= UINT16_MAX;
}

void interval_set(struct stream_interval *i, struct arena *arena,
                  const struct interval_numbers *numbers)
{
    if (!(i->flags & INTERVAL_WIDE)) {
        if (is_narrow(numbers)) {
            i->narrow.packets = (uint16_t)numbers->packets;
            i->narrow.numbers = (uint16_t)numbers->numbers;
            i->narrow.lost = (uint16_t)numbers->lacks.lost;
            i->narrow.discarded = (uint16_t)numbers->lacks.discarded;
            return;
        }
        i->wide = ARENA_NEW(arena, struct interval_numbers);
        i->flags |= INTERVAL_WIDE;
    }
    *i->wide = *numbers;
}

// --- blocks ---

// Intervals before the block of interval `n`, counted from 0: 1, 2, 4 ... 64, 64 ...
static uint32_t block_begin(uint32_t n)
{
    const uint32_t grown = 2 * INTERVAL_BLOCK_MAX - 1;
    if (n >= grown) {
        return n - (n - grown) % INTERVAL_BLOCK_MAX;
    }
    uint32_t room = 1;
    while (2 * room - 1 <= n) {
        room *= 2;
    }
    return room - 1;
}

static uint32_t block_room(uint32_t begin)
{
    return begin + 1 < INTERVAL_BLOCK_MAX ? begin + 1 : INTERVAL_BLOCK_MAX;
}

struct stream_interval *interval_push(struct interval_block **newest, uint32_t *count,
                                      struct arena *arena)
{
    uint32_t begin = block_begin(*count);
    if (*count == begin) {
        size_t bytes =
            sizeof(struct interval_block) + block_room(begin) * sizeof(struct stream_interval);
        struct interval_block *more = arena_alloc(arena, bytes);
        struct interval_block *former = *newest;
        more->former = former;
        more->next = former ? former->next : more;
        if (former) {
            former->next = more;
        }
        *newest = more;
    }
    return &(*newest)->intervals[(*count)++ - begin];
}

const struct stream_interval *interval_first(struct interval_walk *w,
                                             const struct interval_block *newest, uint32_t count)
{
    *w = (struct interval_walk){newest ? newest->next : NULL, 0, 1, count};
    return interval_next(w);
}

const struct stream_interval *interval_next(struct interval_walk *w)
{
    if (w->rest == 0) {
        return NULL;
    }
    if (w->at == w->room) {
        w->block = w->block->next;
        w->at = 0;
        w->room = w->room < INTERVAL_BLOCK_MAX ? w->room * 2 : INTERVAL_BLOCK_MAX;
    }
    w->rest--;
    return &w->block->intervals[w->at++];
}

struct stream_interval *interval_last(struct interval_walk *w, struct interval_block *newest,
                                      uint32_t count)
{
    uint32_t begin = count > 0 ? block_begin(count - 1) : 0;
    *w = (struct interval_walk){newest, count - begin, 0, count};
    return interval_former(w);
}

struct stream_interval *interval_former(struct interval_walk *w)
{
    if (w->rest == 0) {
        return NULL;
    }
    if (w->at == 0) {
        w->block = w->block->former;
        w->at = w->rest - block_begin(w->rest - 1);
    }
    w->rest--;
    w->at--;
    return &w->block->intervals[w->at];
}
