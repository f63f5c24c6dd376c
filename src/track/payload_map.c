// Interning and looking up payload maps.
#include "track/payload_map.h"

static uint64_t map_hash(const struct sdp_media *media)
{
    uint64_t h = media->encrypted;
    for (unsigned i = 0; i < media->format_count; i++) {
        const struct sdp_format *f = &media->formats[i];
        h = hash_mix(h ^ f->payload_type, (uint64_t)f->codec << 32 | f->clock_hz);
        h = hash_bytes(f->name.p, f->name.n, h);
    }
    return h;
}

static bool map_equals(const struct payload_map *map, const struct sdp_media *media)
{
    if (map->count != media->format_count || map->encrypted != media->encrypted) {
        return false;
    }
    for (unsigned i = 0; i < map->count; i++) {
        const struct payload_entry *have = &map->entries[i];
        const struct sdp_format *want = &media->formats[i];
        if (have->payload_type != want->payload_type || have->codec != want->codec ||
            have->clock_hz != want->clock_hz || !slice_eq(have->name, want->name)) {
            return false;
        }
    }
    return true;
}

const struct payload_map *payload_map_intern(struct payload_map_table *t,
                                             const struct sdp_media *media)
{
    uint64_t hash = map_hash(media);
    struct payload_map **chain = &t->chains[hash % PAYLOAD_MAP_CHAINS];
    for (struct payload_map *m = *chain; m; m = m->next) {
        if (m->hash == hash && map_equals(m, media)) {
            return m;
        }
    }
    struct payload_map *m =
        arena_alloc(t->arena, sizeof *m + media->format_count * sizeof(struct payload_entry));
    m->hash = hash;
    m->encrypted = media->encrypted;
    m->count = media->format_count;
    for (unsigned i = 0; i < m->count; i++) {
        const struct sdp_format *f = &media->formats[i];
        m->entries[i] = (struct payload_entry){f->payload_type, f->codec, f->clock_hz,
                                               arena_slice(t->arena, f->name)};
    }
    m->next = *chain;
    *chain = m;
    return m;
}

const struct payload_entry *payload_map_find(const struct payload_map *map, uint8_t payload_type)
{
    for (unsigned i = 0; map && i < map->count; i++) {
        if (map->entries[i].payload_type == payload_type) {
            return &map->entries[i];
        }
    }
    return NULL;
}
