// A text kept in an arena that is replaced now and then: the room of the old one is used again, so
// that a text that changes for ever does not grow memory for ever.
#ifndef SIDETONE_BASE_KEPT_TEXT_H
#define SIDETONE_BASE_KEPT_TEXT_H

#include "base/arena.h"

struct kept_text {
    char *p;
    uint32_t n, room;
};

void kept_text_set(struct kept_text *kept, struct arena *arena, struct slice text);

// Valid until the text is set again.
static inline struct slice kept_text(const struct kept_text *kept)
{
    return slice_of(kept->p, kept->n);
}

#endif
