// What the payload types of an announced transport mean: the map that a stream's packets are read
// with.
//
// Maps are interned: calls that announce the same codecs share one. Immutable once made; owned by
// the table's arena.
#ifndef SIDETONE_TRACK_PAYLOAD_MAP_H
#define SIDETONE_TRACK_PAYLOAD_MAP_H

#include "base/arena.h"
#include "base/index_table.h"
#include "wire/sdp/sdp.h"

// Payload types of one map: there are no more (RFC 3551 3: seven bits).
#define PAYLOAD_ENTRIES_MAX 128

// Different maps of one call bin. Not smaller: a carrier's phones have some hundred sets of codecs.
// Not larger: a stranger who offers another set with each message must not grow memory. Beyond,
// payload types stay unknown.
#define PAYLOAD_MAPS_MAX 1024

struct payload_entry {
    uint8_t payload_type;
    enum codec codec;
    uint32_t clock_hz;
    struct slice name; // as announced, for codecs that have no name of ours
};

struct payload_map {
    bool encrypted;
    uint8_t count;
    struct payload_entry entries[];
};

// A map in the making; names are borrowed.
struct payload_list {
    bool encrypted;
    uint8_t count;
    struct payload_entry entries[PAYLOAD_ENTRIES_MAX];
};

struct payload_map_table {
    struct arena *arena;
    struct payload_map **maps;
    uint32_t count, room;
    struct index_table by_hash;
    uint64_t left_out; // bodies of which not everything was kept: codecs, lines or maps beyond the
                       // limits
};

void payload_maps_fini(struct payload_map_table *t);

// Adds what a media line says; the first line that names a payload type counts.
void payload_list_add(struct payload_list *list, const struct sdp_media *media);

const struct payload_map *payload_map_intern(struct payload_map_table *t,
                                             const struct payload_list *list);

// NULL where the map (which may be NULL) does not have it.
const struct payload_entry *payload_map_find(const struct payload_map *map, uint8_t payload_type);

#endif
