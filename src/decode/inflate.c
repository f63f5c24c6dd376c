// Inflates payloads with zlib.
//
// It works in a block that grows by doubling and copies the result to the arena: an arena cannot
// give back, and how much comes out is known at the end only.
#include "decode/inflate.h"

#include "base/memory.h"

#include <zlib.h>

// The first block. Not smaller: nearly all SIP messages fit. Not larger: it is asked for and given
// back for each payload.
#define FIRST_ROOM ((size_t)8 << 10)

// zlib's names for its formats, all with the largest window.
enum window {
    WINDOW_DEFLATE = -15,
    WINDOW_ZLIB = 15,
    WINDOW_GZIP = 15 + 16,
};

// The first two bytes of zlib are deflate (8), a window of at most 32 kB, no dictionary, and a
// multiple of 31. A bare deflate stream does not begin so: as its block it would be a stored one
// with a bit set that every packer leaves 0.
static int window_of(const uint8_t *p, size_t n)
{
    if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b) {
        return WINDOW_GZIP;
    }
    bool is_zlib = n >= 2 && (p[0] & 15) == 8 && p[0] >> 4 <= 7 && (p[1] & 0x20) == 0 &&
                   (p[0] << 8 | p[1]) % 31 == 0;
    return is_zlib ? WINDOW_ZLIB : WINDOW_DEFLATE;
}

static void *take(void *context, unsigned items, unsigned bytes)
{
    (void)context;
    return memory_alloc((size_t)items * bytes); // some 40 kB: zlib's own state
}

static void give_back(void *context, void *p)
{
    (void)context;
    memory_free(p);
}

// Fills *block, which grows, to at most `limit` bytes; returns how many came out, or SIZE_MAX.
static size_t unfold(z_stream *z, size_t limit, uint8_t **block)
{
    size_t room = 0;
    int status = Z_BUF_ERROR;
    while (room < limit && z->avail_out == 0 && (status == Z_OK || status == Z_BUF_ERROR)) {
        size_t made = room;
        room = room == 0 ? FIRST_ROOM : room * 2;
        room = room < limit ? room : limit;
        *block = memory_resize(*block, room);
        z->next_out = *block + made;
        z->avail_out = (uInt)(room - made);
        status = inflate(z, Z_NO_FLUSH);
    }
    return status == Z_STREAM_END ? room - z->avail_out : SIZE_MAX;
}

bool inflate_into(struct arena *a, struct slice in, size_t max, struct slice *out)
{
    *out = slice_of(NULL, 0);
    if (in.n == 0 || in.n > UINT32_MAX) {
        return false;
    }
    max = max < UINT32_MAX ? max : UINT32_MAX - 1;
    z_stream z = {
        .next_in = (Bytef *)(uintptr_t)in.p, // zlib's type has no const here
        .avail_in = (uInt)in.n,
        .zalloc = take,
        .zfree = give_back,
    };
    if (inflateInit2(&z, window_of((const uint8_t *)in.p, in.n)) != Z_OK) {
        return false;
    }
    uint8_t *block = NULL;
    size_t n = unfold(&z, max + 1, &block); // one byte more tells what is too long
    inflateEnd(&z);
    bool is_whole = n <= max;
    if (is_whole) {
        *out = arena_slice(a, slice_of((const char *)block, n));
    }
    memory_free(block);
    return is_whole;
}
