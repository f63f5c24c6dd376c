// One interface over zlib, libzstd and liblz4.
#include "read/unpack.h"

#include "base/memory.h"

#include <lz4frame.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct unpack {
    enum unpack_kind kind;
    bool is_whole;  // between members or frames, and one was there
    size_t wants;   // zstd, lz4: bytes of the next piece, as the library says
    z_stream *gzip; // only the one of its kind is there
    ZSTD_DStream *zstd;
    LZ4F_dctx *lz4;
};

// The first piece of a frame: magic and the byte that says how long the header is.
#define FRAME_BEGIN_BYTES 5u

// Frames to be skipped: sixteen magics that zstd and lz4 share. pzstd begins files with one, so
// they are taken for zstd.
static bool is_skippable(const uint8_t *p)
{
    return (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18;
}

enum unpack_kind unpack_probe(const uint8_t *p, size_t n)
{
    static const uint8_t GZIP[] = {0x1f, 0x8b};
    static const uint8_t ZSTD[] = {0x28, 0xb5, 0x2f, 0xfd};
    static const uint8_t LZ4[] = {0x04, 0x22, 0x4d, 0x18};
    if (n >= sizeof GZIP && memcmp(p, GZIP, sizeof GZIP) == 0) {
        return UNPACK_GZIP;
    }
    if (n >= sizeof ZSTD && (memcmp(p, ZSTD, sizeof ZSTD) == 0 || is_skippable(p))) {
        return UNPACK_ZSTD;
    }
    return n >= sizeof LZ4 && memcmp(p, LZ4, sizeof LZ4) == 0 ? UNPACK_LZ4 : UNPACK_NONE;
}

struct unpack *unpack_new(enum unpack_kind kind)
{
    struct unpack *u = memory_zero(sizeof *u);
    u->kind = kind;
    u->wants = FRAME_BEGIN_BYTES;
    switch (kind) {
    case UNPACK_GZIP:
        u->gzip = memory_zero(sizeof *u->gzip);
        if (inflateInit2(u->gzip, 15 + 16) != Z_OK) { // the largest window, gzip's header only
            memory_free(u->gzip);
            u->gzip = NULL;
        }
        break;
    case UNPACK_ZSTD:
        u->zstd = ZSTD_createDStream(); // windows up to 128 MiB, libzstd's own limit
        break;
    case UNPACK_LZ4:
        if (LZ4F_isError(LZ4F_createDecompressionContext(&u->lz4, LZ4F_VERSION))) {
            u->lz4 = NULL;
        }
        break;
    case UNPACK_NONE:
        break;
    }
    return u;
}

void unpack_free(struct unpack *u)
{
    if (!u) {
        return;
    }
    if (u->gzip) {
        inflateEnd(u->gzip);
        memory_free(u->gzip);
    }
    ZSTD_freeDStream(u->zstd);
    LZ4F_freeDecompressionContext(u->lz4);
    memory_free(u);
}

bool unpack_is_whole(const struct unpack *u)
{
    return u->is_whole;
}

static bool gzip_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                      size_t room, size_t *made)
{
    z_stream *z = u->gzip;
    size_t zeros = 0;
    while (u->is_whole && zeros < n && in[zeros] == 0) {
        zeros++; // padding behind a member, as tapes leave it
    }
    *used = zeros;
    if (u->is_whole && zeros == n) {
        return true;
    }
    if (u->is_whole) {
        inflateReset(z);
        u->is_whole = false;
    }
    z->next_in = (Bytef *)(uintptr_t)(in + zeros); // zlib's type has no const here
    z->avail_in = (uInt)(n - zeros);
    z->next_out = out;
    z->avail_out = (uInt)room;
    int status = inflate(z, Z_NO_FLUSH);
    *used = n - z->avail_in;
    *made = room - z->avail_out;
    u->is_whole = status == Z_STREAM_END;
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
}

// zstd and lz4 are given no more than they ask for, which is one block: when a block is damaged,
// no more than it and the one before are lost.
static bool zstd_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                      size_t room, size_t *made)
{
    ZSTD_inBuffer from = {in, n < u->wants ? n : u->wants, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t wants = ZSTD_decompressStream(u->zstd, &to, &from);
    if (ZSTD_isError(wants)) {
        return false;
    }
    *used = from.pos;
    *made = to.pos;
    u->is_whole = wants == 0;
    u->wants = wants == 0 ? FRAME_BEGIN_BYTES : wants;
    return true;
}

static bool lz4_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                     size_t room, size_t *made)
{
    size_t from = n < u->wants ? n : u->wants;
    size_t to = room;
    size_t wants = LZ4F_decompress(u->lz4, out, &to, in, &from, NULL);
    if (LZ4F_isError(wants)) {
        return false;
    }
    *used = from;
    *made = to;
    u->is_whole = wants == 0;
    u->wants = wants == 0 ? FRAME_BEGIN_BYTES : wants;
    return true;
}

bool unpack_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                 size_t room, size_t *made)
{
    *used = *made = 0;
    if (n == 0 && u->is_whole) {
        return true; // nothing is left inside; the libraries would begin another frame
    }
    switch (u->kind) {
    case UNPACK_GZIP:
        return u->gzip && gzip_step(u, in, n, used, out, room, made);
    case UNPACK_ZSTD:
        return u->zstd && zstd_step(u, in, n, used, out, room, made);
    case UNPACK_LZ4:
        return u->lz4 && lz4_step(u, in, n, used, out, room, made);
    case UNPACK_NONE:
        break;
    }
    return false;
}
