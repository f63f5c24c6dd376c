// Growing and changing of hash tables of indices.
#include "base/index_table.h"

#include "base/memory.h"

#define FIRST_SLOTS 64

void index_table_fini(struct index_table *t)
{
    memory_free(t->slots);
    *t = (struct index_table){0};
}

static void put(struct index_table *t, struct index_slot slot)
{
    uint32_t at = slot.hash;
    while (t->slots[at & t->mask].used != 0) {
        at++;
    }
    t->slots[at & t->mask] = slot;
}

static void grow(struct index_table *t)
{
    struct index_slot *old = t->slots;
    uint32_t old_room = old ? t->mask + 1 : 0;
    uint32_t room = old ? old_room * 2 : FIRST_SLOTS;
    t->slots = memory_zero(room * sizeof *t->slots);
    t->mask = room - 1;
    for (uint32_t i = 0; i < old_room; i++) {
        if (old[i].used != 0) {
            put(t, old[i]);
        }
    }
    memory_free(old);
}

void index_table_add(struct index_table *t, uint32_t hash, uint32_t index)
{
    if (!t->slots || t->count * 2 > t->mask) {
        grow(t);
    }
    put(t, (struct index_slot){hash, index + 1});
    t->count++;
}

void index_table_replace(struct index_table *t, uint32_t hash, uint32_t old, uint32_t index)
{
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(t, hash, &at)) != INDEX_NONE) {
        if (i == old) {
            t->slots[(at - 1) & t->mask].used = index + 1;
            return;
        }
    }
}

// What probing had pushed behind the gap moves up, so that no search ends too early.
static void close_gap(struct index_table *t, uint32_t gap)
{
    uint32_t at = gap;
    for (;;) {
        at = (at + 1) & t->mask;
        const struct index_slot *slot = &t->slots[at];
        if (slot->used == 0) {
            break;
        }
        uint32_t from_home = (at - slot->hash) & t->mask;
        uint32_t from_gap = (at - gap) & t->mask;
        if (from_home >= from_gap) {
            t->slots[gap] = *slot;
            gap = at;
        }
    }
    t->slots[gap].used = 0;
}

void index_table_remove(struct index_table *t, uint32_t hash, uint32_t index)
{
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(t, hash, &at)) != INDEX_NONE) {
        if (i == index) {
            close_gap(t, (at - 1) & t->mask);
            t->count--;
            return;
        }
    }
}
