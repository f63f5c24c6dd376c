// The memory of reassembly: cells of one size in chunks, used again and never given back before the
// end.
#include "flow/fragments_parts.h"

#include "base/memory.h"

void cells_init(struct cells *c)
{
    *c = (struct cells){.fresh = 1}; // index 0 means none
}

void cells_fini(struct cells *c)
{
    for (uint32_t i = 0; i < CHUNKS_MAX; i++) {
        memory_free(c->chunks[i]);
    }
}

cell_index cells_take(struct cells *c)
{
    cell_index i = c->free_first;
    if (i != 0) {
        c->free_first = cells_at(c, i)->next_free;
        c->free_count--;
        return i;
    }
    i = (cell_index)c->fresh++;
    union cell **chunk = &c->chunks[i / CELLS_OF_CHUNK];
    if (!*chunk) {
        *chunk = memory_alloc(CELLS_OF_CHUNK * sizeof **chunk);
    }
    return i;
}

void cells_release(struct cells *c, cell_index i)
{
    cells_at(c, i)->next_free = c->free_first;
    c->free_first = i;
    c->free_count++;
}

size_t fragments_memory(const struct fragments *f)
{
    size_t bytes = sizeof *f;
    for (uint32_t i = 0; i < CHUNKS_MAX; i++) {
        bytes += f->cells.chunks[i] ? CELLS_OF_CHUNK * sizeof(union cell) : 0;
    }
    return bytes;
}
