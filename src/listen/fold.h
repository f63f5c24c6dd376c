// The folding half of the engine: records of all sources, merged in capture order, go through their
// bins.
#ifndef SIDETONE_LISTEN_FOLD_H
#define SIDETONE_LISTEN_FOLD_H

#include "listen/engine.h"

// Folds the records before e->call_bound (media and RTCP: e->media_bound) in one bin; in the last
// round also what the flows still hold. Any thread may fold any bin, one thread a bin.
void fold_fragments(struct engine *e, unsigned bin);
void fold_streams(struct engine *e, unsigned bin);
void fold_calls(struct engine *e, unsigned bin);
void fold_media(struct engine *e, unsigned bin);

// Hands the announcements that the call bins have made to the media bins, in capture order.
void fold_deliver(struct engine *e);

// Notes what waits for fold_emit, after fold_calls.
void fold_show(struct engine *e);

// Calls options->on_message for each message of these that is not a copy, in capture order. Other
// threads may decode new chunks and fold media meanwhile.
void fold_emit(struct engine *e);

#endif
