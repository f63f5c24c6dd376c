// What the payload types of an announced media line mean: the map that a stream's packets are read
// with.
//
// Maps are interned: calls that announce the same codecs share one. Immutable once made; owned by
// the table's arena.
#ifndef SIDETONE_TRACK_PAYLOAD_MAP_H
#define SIDETONE_TRACK_PAYLOAD_MAP_H

#include "base/arena.h"
#include "wire/sdp/sdp.h"

struct payload_entry {
    uint8_t payload_type;
    enum codec codec;
    uint32_t clock_hz;
    struct slice name; // as announced, for codecs that have no name of ours
};

struct payload_map {
    struct payload_map *next; // in the table's chain
    uint64_t hash;
    bool encrypted;
    uint8_t count;
    struct payload_entry entries[];
};

#define PAYLOAD_MAP_CHAINS 64

struct payload_map_table {
    struct arena *arena;
    struct payload_map *chains[PAYLOAD_MAP_CHAINS];
};

const struct payload_map *payload_map_intern(struct payload_map_table *t,
                                             const struct sdp_media *media);

// NULL where the map (which may be NULL) does not have it.
const struct payload_entry *payload_map_find(const struct payload_map *map, uint8_t payload_type);

#endif
