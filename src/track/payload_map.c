// Making, interning and looking up payload maps.
#include "track/payload_map.h"

#include "base/hash.h"
#include "base/memory.h"

void payload_maps_fini(struct payload_map_table *t)
{
    memory_free(t->maps);
    index_table_fini(&t->by_hash);
}

static const struct payload_entry *find(const struct payload_entry *entries, unsigned count,
                                        uint8_t payload_type)
{
    for (unsigned i = 0; i < count; i++) {
        if (entries[i].payload_type == payload_type) {
            return &entries[i];
        }
    }
    return NULL;
}

void payload_list_add(struct payload_list *list, const struct sdp_media *media)
{
    list->encrypted = list->encrypted || media->encrypted;
    for (unsigned i = 0; i < media->format_count && list->count < PAYLOAD_ENTRIES_MAX; i++) {
        const struct sdp_format *f = &media->formats[i];
        if (!find(list->entries, list->count, f->payload_type)) {
            list->entries[list->count++] =
                (struct payload_entry){f->payload_type, f->codec, f->clock_hz, f->name};
        }
    }
}

static uint32_t list_hash(const struct payload_list *list)
{
    uint64_t h = hash_secret ^ list->encrypted;
    for (unsigned i = 0; i < list->count; i++) {
        const struct payload_entry *e = &list->entries[i];
        h = hash_mix(h ^ e->payload_type, (uint64_t)e->codec << 32 | e->clock_hz);
        h = hash_bytes(e->name.p, e->name.n, h);
    }
    return (uint32_t)h;
}

static bool is_same(const struct payload_map *map, const struct payload_list *list)
{
    if (map->count != list->count || map->encrypted != list->encrypted) {
        return false;
    }
    for (unsigned i = 0; i < map->count; i++) {
        const struct payload_entry *a = &map->entries[i];
        const struct payload_entry *b = &list->entries[i];
        if (a->payload_type != b->payload_type || a->codec != b->codec ||
            a->clock_hz != b->clock_hz || !slice_eq(a->name, b->name)) {
            return false;
        }
    }
    return true;
}

static struct payload_map *map_make(struct payload_map_table *t, const struct payload_list *list)
{
    struct payload_map *map =
        arena_alloc(t->arena, sizeof *map + list->count * sizeof(struct payload_entry));
    map->encrypted = list->encrypted;
    map->count = list->count;
    for (unsigned i = 0; i < list->count; i++) {
        map->entries[i] = list->entries[i];
        map->entries[i].name = arena_slice(t->arena, list->entries[i].name);
    }
    return map;
}

const struct payload_map *payload_map_intern(struct payload_map_table *t,
                                             const struct payload_list *list)
{
    static const struct payload_map UNKNOWN = {0};
    uint32_t hash = list_hash(list);
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(&t->by_hash, hash, &at)) != INDEX_NONE) {
        if (is_same(t->maps[i], list)) {
            return t->maps[i];
        }
    }
    if (t->count == PAYLOAD_MAPS_MAX) {
        t->left_out++;
        return &UNKNOWN;
    }
    if (t->count == t->room) {
        t->maps = memory_grow(t->maps, &t->room, sizeof *t->maps, 16);
    }
    index_table_add(&t->by_hash, hash, t->count);
    return t->maps[t->count++] = map_make(t, list);
}

const struct payload_entry *payload_map_find(const struct payload_map *map, uint8_t payload_type)
{
    return map ? find(map->entries, map->count, payload_type) : NULL;
}
