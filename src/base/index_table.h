// A hash table from keys to indices of an array that its owner keeps: the table knows hashes, the
// owner compares keys.
//
//     uint32_t at = hash, i;
//     while ((i = index_next(&t, hash, &at)) != INDEX_NONE && !is_it(owner, i)) {
//     }
//
// Open addressing, at most half full. Hashes should be seeded with hash_secret() where a stranger
// chooses the keys: then nobody can make them collide. Not thread-safe.
#ifndef SIDETONE_BASE_INDEX_TABLE_H
#define SIDETONE_BASE_INDEX_TABLE_H

#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_slot {
    uint32_t hash;
    uint32_t used; // index + 1; 0: free
};

struct index_table {
    struct index_slot *slots; // NULL: empty
    uint32_t mask, count;
};

void index_table_fini(struct index_table *t);

// Adds an index under a hash; several may have the same one.
void index_table_add(struct index_table *t, uint32_t hash, uint32_t index);

// Puts `index` where `old` stands.
void index_table_replace(struct index_table *t, uint32_t hash, uint32_t old, uint32_t index);

// Takes one entry out; it must be there.
void index_table_remove(struct index_table *t, uint32_t hash, uint32_t index);

// The next index with this hash, or INDEX_NONE. *at begins as the hash.
static inline uint32_t index_next(const struct index_table *t, uint32_t hash, uint32_t *at)
{
    while (t->slots) {
        const struct index_slot *slot = &t->slots[*at & t->mask];
        if (slot->used == 0) {
            break;
        }
        (*at)++;
        if (slot->hash == hash) {
            return slot->used - 1;
        }
    }
    return INDEX_NONE;
}

// Asks for the memory in which a search with this hash begins.
static inline void index_prefetch(const struct index_table *t, uint32_t hash)
{
    if (t->slots) {
        __builtin_prefetch(&t->slots[hash & t->mask]);
    }
}

#endif
