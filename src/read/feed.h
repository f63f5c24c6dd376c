// A feed cuts a stream (standard input) into chunks that hold whole records, since nothing of it
// can be read twice.
#ifndef SIDETONE_READ_FEED_H
#define SIDETONE_READ_FEED_H

#include "read/chunk.h"

struct feed {
    struct input *input; // is_stream
    uint64_t offset;     // in the stream, of the first byte of the rest
    uint8_t *rest;       // bytes read that belong to the next chunk; owned
    size_t rest_n, rest_room;
    uint64_t skip; // bytes of an oversized record still to be thrown away
    bool at_end;
};

void feed_init(struct feed *f, struct input *in);
void feed_fini(struct feed *f);

// Fills the chunk with about `span` bytes of whole records and makes it ready for chunk_decode;
// c->ng must hold the state at this place, *ng_after is what it is behind them. Returns 0, or
// ERR_READ. f->at_end tells the last chunk.
int feed_chunk(struct feed *f, struct chunk *c, uint64_t span, struct pcapng *ng_after);

#endif
