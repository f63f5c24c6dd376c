// Replacing kept texts.
#include "base/kept_text.h"

#define ROOM_MIN 8u // the first text gets just its room: most are never replaced

void kept_text_set(struct kept_text *kept, struct arena *arena, struct slice text)
{
    if (text.n > kept->room) {
        uint32_t room = kept->room * 2 > ROOM_MIN ? kept->room * 2 : ROOM_MIN;
        kept->room = text.n > room ? (uint32_t)text.n : room;
        kept->p = arena_bytes(arena, kept->room);
    }
    kept->n = (uint32_t)text.n;
    if (text.n > 0) {
        memmove(kept->p, text.p, text.n);
    }
}
