// Sorting: each bin by itself, which nearly is in order, then pieces of the whole by merging.
//
// A piece is what lies between two items of the largest bin. Where pieces begin in every bin is
// looked for there, and so is where they begin in the whole: they are merged independently.
#include "listen/join_order.h"

#include "base/memory.h"

#include <stdlib.h>

// Items of a piece, about. Not smaller: each looks for its borders in all bins. Not larger: eight
// cores should find something to do.
#define PIECE_ITEMS 2048

struct job {
    struct join_order *o;
    void (*fill)(void *context, unsigned bin, struct join_item *items);
    void *context;
    unsigned largest; // bin
    size_t pieces;
};

static int compare(const struct join_item *a, const struct join_item *b)
{
    int order = order_compare(a->order, b->order);
    return order != 0 ? order : (a->part > b->part) - (a->part < b->part);
}

static int compare_in_bin(const void *left, const void *right)
{
    const struct join_item *a = left;
    const struct join_item *b = right;
    int order = compare(a, b);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static void sort_bin(void *context, unsigned bin)
{
    const struct job *j = context;
    struct join_item *items = j->o->items + j->o->begin[bin];
    size_t count = j->o->begin[bin + 1] - j->o->begin[bin];
    bool is_sorted = true;
    j->fill(j->context, bin, items);
    for (size_t i = 0; i < count; i++) {
        items[i].index = (uint32_t)i;
        is_sorted = is_sorted && (i == 0 || compare(&items[i - 1], &items[i]) <= 0);
    }
    if (!is_sorted) {
        qsort(items, count, sizeof *items, compare_in_bin);
    }
}

// --- merging ---

// A bin's part of a piece: what is left of it.
struct run {
    const struct join_item *at, *end;
    uint8_t bin;
};

static bool is_before(const struct run *a, const struct run *b)
{
    int order = compare(a->at, b->at);
    return order != 0 ? order < 0 : a->bin < b->bin;
}

static void sift_down(struct run *heap, unsigned count, unsigned at)
{
    struct run moved = heap[at];
    for (unsigned child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &moved)) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

// Where piece `piece` begins in a bin.
static size_t border(const struct job *j, size_t piece, unsigned bin)
{
    const struct join_order *o = j->o;
    size_t low = o->begin[bin];
    size_t high = o->begin[bin + 1];
    if (piece == 0 || piece == j->pieces) {
        return piece == 0 ? low : high;
    }
    size_t first = o->begin[j->largest];
    size_t count = o->begin[j->largest + 1] - first;
    const struct join_item *from = &o->items[first + count * piece / j->pieces];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&o->items[middle], from) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void merge_piece(void *context, unsigned piece)
{
    const struct job *j = context;
    struct join_order *o = j->o;
    struct run heap[BINS];
    unsigned count = 0;
    size_t out = 0;
    for (unsigned bin = 0; bin < BINS; bin++) {
        size_t from = border(j, piece, bin);
        size_t to = border(j, piece + 1, bin);
        out += from - o->begin[bin];
        if (from < to) {
            heap[count++] = (struct run){o->items + from, o->items + to, (uint8_t)bin};
        }
    }
    for (unsigned at = count / 2; at-- > 0;) {
        sift_down(heap, count, at);
    }
    while (count > 0) {
        o->bins[out] = heap[0].bin;
        o->indices[out++] = heap[0].at->index;
        if (++heap[0].at == heap[0].end) {
            heap[0] = heap[--count];
        }
        sift_down(heap, count, 0);
    }
}

void join_order_make(struct join_order *o, struct team *team, const uint32_t counts[BINS],
                     void (*fill)(void *context, unsigned bin, struct join_item *items),
                     void *context)
{
    struct job j = {.o = o, .fill = fill, .context = context};
    o->begin[0] = 0;
    for (unsigned bin = 0; bin < BINS; bin++) {
        o->begin[bin + 1] = o->begin[bin] + counts[bin];
        j.largest = counts[bin] > counts[j.largest] ? bin : j.largest;
    }
    size_t all = o->begin[BINS];
    o->items = memory_alloc((all + 1) * sizeof *o->items);
    o->bins = memory_alloc(all + 1);
    o->indices = memory_alloc((all + 1) * sizeof *o->indices);
    j.pieces = all / PIECE_ITEMS + 1;
    team_run(team, BINS, sort_bin, &j);
    team_run(team, (unsigned)j.pieces, merge_piece, &j);
    memory_free(o->items);
    o->items = NULL;
}

void join_order_fini(struct join_order *o)
{
    memory_free(o->bins);
    memory_free(o->indices);
}
