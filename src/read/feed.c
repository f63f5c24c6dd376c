// Cutting a stream at record borders.
#include "read/feed.h"

#include "base/error.h"
#include "base/memory.h"

// Room for one whole record beside what a chunk is asked to hold.
#define SLACK_BYTES (CAP_SNAPLEN_MAX + 64u)

void feed_init(struct feed *f, struct input *in)
{
    *f = (struct feed){.input = in, .offset = in->records_at};
}

void feed_fini(struct feed *f)
{
    memory_free(f->rest);
}

static int throw_away(struct feed *f)
{
    uint8_t bytes[16384];
    while (f->skip > 0 && !f->at_end) {
        size_t want = f->skip < sizeof bytes ? (size_t)f->skip : sizeof bytes;
        int64_t got = input_read_on(f->input, bytes, want);
        if (got < 0) {
            return ERR_READ;
        }
        f->at_end = got == 0;
        f->skip -= (uint64_t)got;
        f->offset += (uint64_t)got;
    }
    return 0;
}

static int fill(struct feed *f, struct chunk *c, size_t want)
{
    if (c->buffer_room < want + SLACK_BYTES) {
        c->buffer_room = want + SLACK_BYTES;
        c->buffer = memory_resize(c->buffer, c->buffer_room);
    }
    if (f->rest_n > 0) {
        memcpy(c->buffer, f->rest, f->rest_n);
    }
    c->buffer_n = f->rest_n;
    f->rest_n = 0;
    if (c->buffer_n < want) {
        int64_t got = input_read_on(f->input, c->buffer + c->buffer_n, want - c->buffer_n);
        if (got < 0) {
            return ERR_READ;
        }
        f->at_end = got == 0;
        c->buffer_n += (size_t)got;
    }
    return 0;
}

// How far records reach of which everything that is looked at is there. *missing: bytes that are
// needed to go on, from there (0: nothing is left over). *skip: bytes of the last record that are
// not there and that nobody looks at.
static size_t whole_records(const struct input *in, const struct chunk *c, struct pcapng *ng,
                            uint64_t *missing, uint64_t *skip)
{
    size_t at = 0;
    struct cap_record record;
    struct cap_block block;
    uint64_t size;
    *missing = *skip = 0;
    while (at < c->buffer_n) {
        size_t n = c->buffer_n - at;
        enum cap_step step =
            cap_walk_next(&in->format, ng, c->buffer + at, n, &record, &size, &block);
        if (step == CAP_BROKEN) {
            return c->buffer_n; // the walk of the chunk will say so
        }
        bool is_kept = step == CAP_SKIP && size <= KEPT_BYTES_MAX &&
                       (block.kind == PCAPNG_NAMES || block.kind == PCAPNG_SECRETS);
        if (step == CAP_MORE || (is_kept && size > n)) {
            *missing = size;
            return at;
        }
        if (size > n) {
            *skip = size - n;
            return c->buffer_n;
        }
        at += (size_t)size;
    }
    return at;
}

static void keep_rest(struct feed *f, struct chunk *c, size_t at)
{
    size_t n = c->buffer_n - at;
    if (n > f->rest_room) {
        f->rest_room = n + 4096;
        f->rest = memory_resize(f->rest, f->rest_room);
    }
    if (n > 0) {
        memcpy(f->rest, c->buffer + at, n);
    }
    f->rest_n = n;
    c->buffer_n = at;
}

int feed_chunk(struct feed *f, struct chunk *c, uint64_t span, struct pcapng *ng_after)
{
    uint64_t missing = span > f->rest_n ? span : f->rest_n;
    size_t at = 0;
    c->buffer_n = 0; // where the stream ends in what is thrown away
    if (throw_away(f) != 0) {
        return ERR_READ;
    }
    while (at == 0 && !f->at_end) {
        if (fill(f, c, (size_t)missing) != 0) {
            return ERR_READ;
        }
        if (c->ng) {
            pcapng_copy(ng_after, c->ng); // the walk begins again where more had to be read
        }
        at = whole_records(f->input, c, ng_after, &missing, &f->skip);
        if (at < c->buffer_n && !f->at_end) {
            keep_rest(f, c, at);
        }
    }
    c->input = f->input;
    c->offset = c->begin = c->buffer_at = f->offset;
    c->span = c->buffer_n;
    c->has_begin = c->is_filled = true;
    c->is_last = f->at_end;
    c->is_cut = f->at_end && f->skip > 0;
    f->offset += c->buffer_n;
    return 0;
}
