// A hash table of texts, and the items in the order of their making.
#include "count/tally.h"

#include "base/hash.h"
#include "base/memory.h"

#define FIRST_ROOM 32

void *tally_item(struct tally_set *set, struct slice key)
{
    uint32_t hash = (uint32_t)hash_bytes(key.p, key.n, hash_secret);
    uint32_t at = hash, i;
    while ((i = index_next(&set->table, hash, &at)) != INDEX_NONE) {
        const struct sidetone_text *have = set->items[i];
        if (slice_eq(slice_of(have->p, have->n), key)) {
            return set->items[i];
        }
    }
    if (set->count == set->room) {
        set->items = memory_grow(set->items, &set->room, sizeof *set->items, FIRST_ROOM);
    }
    struct slice kept = arena_slice(set->arena, key);
    struct sidetone_text *item = arena_alloc(set->arena, set->item_bytes);
    *item = (struct sidetone_text){kept.p, kept.n};
    index_table_add(&set->table, hash, set->count);
    set->items[set->count++] = item;
    return item;
}

void tally_set_fini(struct tally_set *set)
{
    index_table_fini(&set->table);
    memory_free(set->items);
}
