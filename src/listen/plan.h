// What a round of the engine reads: the sources that are furthest behind, their chunks, and the
// buffers of these.
#ifndef SIDETONE_LISTEN_PLAN_H
#define SIDETONE_LISTEN_PLAN_H

#include "listen/engine.h"

// Once, before the first round.
void plan_begin(struct engine *e);
void plan_fini(struct engine *e);

// Makes the next window ready: of the source that is furthest behind, and where it has little left
// of those that follow it.
void plan_round(struct engine *e);

// After its chunks are proven.
void plan_done(struct engine *e, struct source *s);

// Nothing that is still to be decoded stands before it.
struct order plan_bound(const struct engine *e);

// A chunk that is empty now, for a later round.
void plan_give_chunk(struct engine *e, struct chunk *c);
void plan_free_chunks(struct engine *e);

// Takes the buffers of this round's chunks that need them no more. Media waits for one round more
// than messages, and of its packets only RTCP is still to be read: the buffer goes to the next
// chunk, which finds it in the cache.
void plan_take_buffers(struct engine *e);

#endif
