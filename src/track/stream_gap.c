// The first gaps of a stream.
#include "track/stream_gap.h"

void stream_gap_open(struct stream_gaps **gaps, struct arena *arena, const struct stream_gap *gap)
{
    if (!*gaps) {
        *gaps = ARENA_NEW(arena, struct stream_gaps);
    }
    struct stream_gaps *g = *gaps;
    if (g->count > 0 && g->list[g->count - 1].missing == 0) {
        g->count--; // packets out of order leave no trace
    }
    if (g->count < STREAM_GAPS_MAX) {
        g->list[g->count++] = *gap;
    }
}

void stream_gap_fill(struct stream_gaps *gaps, uint64_t ext, bool is_back)
{
    for (uint32_t i = gaps ? gaps->count : 0; i-- > 0;) {
        struct stream_gap *g = &gaps->list[i];
        if (ext >= g->first_ext && ext - g->first_ext < g->length) {
            if (is_back) {
                g->missing += g->missing < g->length;
            } else {
                g->missing -= g->missing > 0;
            }
            return;
        }
    }
}
