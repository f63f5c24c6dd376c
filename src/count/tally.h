// Items of one kind, each found by a text: what is counted under it is in the item.
#ifndef SIDETONE_COUNT_TALLY_H
#define SIDETONE_COUNT_TALLY_H

#include "base/arena.h"
#include "base/index_table.h"
#include "sidetone/report.h"

// Every item begins with its key, a struct sidetone_text, and is zeroed when it is made.
struct tally_set {
    struct arena *arena;
    struct index_table table;
    void **items;
    uint32_t count, room;
    size_t item_bytes;
};

// The item of a key, made where there is none.
void *tally_item(struct tally_set *set, struct slice key);
void tally_set_fini(struct tally_set *set);

#endif
