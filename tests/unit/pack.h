// Compressing for tests: members and frames of gzip, zstd and lz4, made by their libraries.
#ifndef SIDETONE_TESTS_PACK_H
#define SIDETONE_TESTS_PACK_H

#include "base/random.h"
#include "capture.h"
#include "read/unpack.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

// Text that compresses like captures do: runs of the same beside noise.
static inline void pack_content(struct bytes *b, size_t n, uint64_t seed)
{
    struct random rng;
    random_init(&rng, seed);
    while (b->n < n) {
        static const char LINE[] = "SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK";
        uint64_t noise = random_u64(&rng);
        bytes_put(b, LINE, (size_t)random_below(&rng, sizeof LINE));
        bytes_put(b, &noise, sizeof noise);
    }
    b->n = n;
}

static inline void pack_gzip(struct bytes *b, const void *p, size_t n)
{
    z_stream z = {0};
    assert(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    size_t room = deflateBound(&z, n) + 64;
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = bytes_grow(b, room);
    z.avail_out = (uInt)room;
    int status = deflate(&z, Z_FINISH);
    b->n -= z.avail_out;
    deflateEnd(&z);
    assert(status == Z_STREAM_END);
    (void)status;
}

// With checksums, so that damage is seen.
static inline void pack_zstd(struct bytes *b, const void *p, size_t n)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t room = ZSTD_compressBound(n);
    size_t made = ZSTD_compress2(context, bytes_grow(b, room), room, p, n);
    assert(!ZSTD_isError(made));
    b->n -= room - made;
    ZSTD_freeCCtx(context);
}

static inline void pack_lz4(struct bytes *b, const void *p, size_t n)
{
    LZ4F_preferences_t how = {.frameInfo = {.contentChecksumFlag = LZ4F_contentChecksumEnabled}};
    size_t room = LZ4F_compressFrameBound(n, &how);
    size_t made = LZ4F_compressFrame(bytes_grow(b, room), room, p, n, &how);
    assert(!LZ4F_isError(made));
    b->n -= room - made;
}

// One member or frame.
static inline void pack(struct bytes *b, enum unpack_kind kind, const void *p, size_t n)
{
    if (kind == UNPACK_GZIP) {
        pack_gzip(b, p, n);
    } else if (kind == UNPACK_ZSTD) {
        pack_zstd(b, p, n);
    } else {
        pack_lz4(b, p, n);
    }
}

// A frame that decompressors skip; zstd and lz4.
static inline void pack_skippable(struct bytes *b, size_t n)
{
    bytes_put32(b, 0x184d2a53, false);
    bytes_put32(b, (uint32_t)n, false);
    memset(bytes_grow(b, n), 0x5a, n);
}

#endif
