// The public views of the capture, and the scratch that all views share.
#include "listen/view.h"

#include "base/memory.h"

#include <assert.h>

struct sidetone_scratch *sidetone_scratch_new(void)
{
    struct sidetone_scratch *s = memory_zero(sizeof *s);
    arena_init(&s->arena, 16384);
    return s;
}

void sidetone_scratch_free(struct sidetone_scratch *s)
{
    if (s) {
        arena_fini(&s->arena);
        memory_free(s);
    }
}

const struct sidetone_capture *sidetone_report_capture(const struct sidetone_report *r)
{
    return &r->capture;
}

size_t sidetone_report_calls(const struct sidetone_report *r)
{
    return r->call_count;
}

size_t sidetone_report_streams(const struct sidetone_report *r)
{
    return r->stream_count;
}

const char *sidetone_report_file(const struct sidetone_report *r, uint32_t index)
{
    return r->engine.sources[index].input.path;
}

size_t sidetone_report_blocks(const struct sidetone_report *r)
{
    return r->block_count;
}

void sidetone_report_block(const struct sidetone_report *r, size_t index,
                           struct sidetone_block *out)
{
    assert(index < r->block_count);
    *out = r->blocks[index];
}
