// One interface over zlib, libzstd and liblz4.
//
// The libraries say nothing of what they made in a call that then meets damage, and what a block
// that is stored gives before damage depends on its pieces. So zstd and lz4 are given exactly what
// decompresses together, a block or the head of the next one, gathered first where it arrives in
// pieces; and nothing while they may still have output. What comes out depends on neither pieces
// nor room.
#include "read/unpack.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <lz4frame.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define MAGIC_BYTES 4u
// A frame to be skipped: magic and length.
#define SKIPPABLE_HEAD_BYTES 8u
// The first piece of a frame: magic and the byte that says how long the header is.
#define FRAME_BEGIN_BYTES 5u
// More at once is no block (of lz4, the larger ones) but something to be skipped: not gathered.
#define BLOCK_BYTES_MAX ((4u << 20) + 8)
// What inflate holds for a member: its window and its tables.
#define GZIP_BYTES 44000u

struct unpack {
    enum unpack_kind kind;
    enum unpack_end verdict;
    bool is_full;                        // the last step filled its room: more may be inside
    bool is_between;                     // gzip: behind a member
    bool ends;                           // no more input comes
    uint8_t begin[SKIPPABLE_HEAD_BYTES]; // what there is of a magic that decides what to do
    size_t begin_n;
    uint64_t skip; // bytes of a skippable frame
    // zstd, lz4
    size_t wants;    // bytes of the next piece, as the library says
    uint8_t *gather; // a piece that arrives in several: bytes from gather_at to gather_n
    size_t gather_at, gather_n, gather_room;
    size_t beyond;  // lz4: what of wants lies behind the block itself; 0: not known yet
    size_t block;   // lz4: made of the block so far
    size_t holds;   // lz4: largest block and piece
    z_stream *gzip; // only the one of its kind is there
    ZSTD_DStream *zstd;
    LZ4F_dctx *lz4;
};

static const uint8_t GZIP_MAGIC[2] = {0x1f, 0x8b};

// --- recognising ---

static bool begins(const uint8_t *p, size_t n, const char *magic, size_t magic_n)
{
    return n >= magic_n && memcmp(p, magic, magic_n) == 0;
}

enum unpack_kind unpack_probe(const uint8_t *p, size_t n)
{
    if (begins(p, n, (const char *)GZIP_MAGIC, sizeof GZIP_MAGIC)) {
        return UNPACK_GZIP;
    }
    if (begins(p, n, "\x28\xb5\x2f\xfd", 4)) {
        return UNPACK_ZSTD;
    }
    if (begins(p, n, "\x04\x22\x4d\x18", 4)) {
        return UNPACK_LZ4;
    }
    // sixteen magics that zstd and lz4 share; pzstd begins files with one
    bool is_skippable = n >= 4 && (p[0] & 0xf0) == 0x50 && begins(p + 1, 3, "\x2a\x4d\x18", 3);
    return is_skippable ? UNPACK_SKIPPABLE : UNPACK_NONE;
}

const char *unpack_refused(const uint8_t *p, size_t n)
{
    if (begins(p, n, "BZh", 3)) {
        return "compressed by bzip2, which is not read; decompress it first (bzip2 -d)";
    }
    if (begins(p, n,
               "\xfd"
               "7zXZ",
               6)) {
        return "compressed by xz, which is not read; decompress it first (xz -d)";
    }
    if (begins(p, n, "\x02\x21\x4c\x18", 4)) {
        return "compressed in the old format of lz4, which is not read; decompress it first (lz4 "
               "-d)";
    }
    return NULL;
}

// --- life ---

static void begin_kind(struct unpack *u, enum unpack_kind kind)
{
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
        u->zstd = ZSTD_createDStream();
        if (u->zstd) {
            ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, UNPACK_WINDOW_LOG);
        }
        break;
    case UNPACK_LZ4:
        if (LZ4F_isError(LZ4F_createDecompressionContext(&u->lz4, LZ4F_VERSION))) {
            u->lz4 = NULL;
        }
        break;
    case UNPACK_SKIPPABLE:
    case UNPACK_NONE:
        break;
    }
}

struct unpack *unpack_new(enum unpack_kind kind)
{
    struct unpack *u = memory_zero(sizeof *u);
    u->verdict = UNPACK_CUT;
    begin_kind(u, kind);
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
    memory_free(u->gather);
    memory_free(u);
}

enum unpack_end unpack_verdict(const struct unpack *u)
{
    return u->verdict;
}

void unpack_ends(struct unpack *u)
{
    u->ends = true;
}

size_t unpack_bytes(const struct unpack *u)
{
    size_t library = u->gzip ? GZIP_BYTES : u->zstd ? ZSTD_sizeof_DStream(u->zstd) : u->holds;
    return sizeof *u + u->gather_room + library;
}

// --- gzip ---

static bool inflate_some(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                         size_t room, size_t *made)
{
    z_stream *z = u->gzip;
    z->next_in = (Bytef *)(uintptr_t)in; // zlib's type has no const here
    z->avail_in = (uInt)n;
    z->next_out = out;
    z->avail_out = (uInt)room;
    int status = inflate(z, Z_NO_FLUSH);
    *used = n - z->avail_in;
    *made = room - z->avail_out;
    u->is_between = status == Z_STREAM_END;
    u->verdict = status == Z_STREAM_END ? UNPACK_WHOLE : UNPACK_CUT;
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
}

// Behind a member: zeros are padding, as tapes leave it; the magic begins another member; what
// begins with anything else is no part of it. Returns the bytes used.
static size_t gzip_between(struct unpack *u, const uint8_t *in, size_t n)
{
    size_t at = 0;
    while (at < n && u->begin_n < sizeof GZIP_MAGIC && u->verdict != UNPACK_TRAILED) {
        if (in[at] == GZIP_MAGIC[u->begin_n]) {
            u->begin_n++;
            u->verdict = UNPACK_CUT;
        } else if (in[at] != 0 || u->begin_n > 0) {
            u->verdict = UNPACK_TRAILED;
        }
        at++;
    }
    return u->verdict == UNPACK_TRAILED ? n : at;
}

static bool gzip_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                      size_t room, size_t *made)
{
    size_t passed = 0;
    size_t magic;
    if (u->is_between) {
        passed = *used = gzip_between(u, in, n);
        if (u->begin_n < sizeof GZIP_MAGIC || u->verdict == UNPACK_TRAILED) {
            return true;
        }
        u->begin_n = 0;
        inflateReset(u->gzip);
        if (!inflate_some(u, GZIP_MAGIC, sizeof GZIP_MAGIC, &magic, out, room, made)) {
            return false;
        }
    }
    bool is_good = inflate_some(u, in + passed, n - passed, used, out, room, made);
    *used += passed;
    return is_good;
}

// --- zstd ---

// The library asks for a block with the three bytes that begin the next one. And where a header
// gives a size and there is room for it, it takes a whole frame at once, of nine bytes at least, if
// it finds one in the piece: never.
static size_t zstd_piece(const struct unpack *u)
{
    size_t piece = u->wants > 3 ? u->wants - 3 : u->wants;
    return piece <= 16 && piece > 8 ? 8 : piece;
}

static bool zstd_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                      size_t room, size_t *made)
{
    ZSTD_inBuffer from = {in, n, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t wants = ZSTD_decompressStream(u->zstd, &to, &from);
    if (ZSTD_isError(wants)) {
        bool is_window = ZSTD_getErrorCode(wants) == ZSTD_error_frameParameter_windowTooLarge;
        u->verdict = is_window ? UNPACK_WINDOW : UNPACK_DAMAGED;
        return false;
    }
    *used = from.pos;
    *made = to.pos;
    u->verdict = wants == 0 ? UNPACK_WHOLE : UNPACK_CUT;
    u->wants = wants == 0 ? FRAME_BEGIN_BYTES : wants;
    return true;
}

// --- lz4 ---

// The library asks for a block with its checksum, if it has one, and the four bytes that begin the
// next. A block that is stored comes out before its checksum is seen, however it arrives.
static size_t lz4_piece(struct unpack *u)
{
    LZ4F_frameInfo_t info;
    size_t none = 0;
    if (u->beyond == 0 && !LZ4F_isError(LZ4F_getFrameInfo(u->lz4, &info, u->begin, &none))) {
        u->beyond = info.blockChecksumFlag == LZ4F_blockChecksumEnabled ? 8 : 4;
    }
    if (u->beyond > 0 && u->wants > u->beyond) {
        return u->wants - u->beyond;
    }
    return u->wants > 4 ? u->wants - 4 : u->wants;
}

static bool lz4_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                     size_t room, size_t *made)
{
    size_t from = n;
    size_t to = room;
    size_t wants = LZ4F_decompress(u->lz4, out, &to, in, &from, NULL);
    if (LZ4F_isError(wants)) {
        u->verdict = UNPACK_DAMAGED;
        return false;
    }
    *used = from;
    *made = to;
    u->block = n > 0 ? to : u->block + to;
    u->holds = u->holds < wants + u->block ? wants + u->block : u->holds;
    u->verdict = wants == 0 ? UNPACK_WHOLE : UNPACK_CUT;
    u->wants = wants == 0 ? FRAME_BEGIN_BYTES : wants;
    u->beyond = wants == 0 ? 0 : u->beyond;
    return true;
}

// --- skippable frames before the first other one ---

// Gives the library of the frame that follows what was already taken of it.
static bool skippable_is_over(struct unpack *u, enum unpack_kind kind)
{
    uint8_t out[1]; // nothing comes of a magic
    size_t used, made;
    bool goes_on = true;
    begin_kind(u, kind);
    u->begin_n = 0;
    for (size_t at = 0; at < MAGIC_BYTES && goes_on; at += used) {
        goes_on = unpack_step(u, u->begin + at, MAGIC_BYTES - at, &used, out, sizeof out, &made);
    }
    return goes_on;
}

static bool skippable_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used)
{
    size_t at = u->skip < n ? (size_t)u->skip : n;
    u->skip -= at;
    while (at < n && u->begin_n < SKIPPABLE_HEAD_BYTES && u->skip == 0) {
        u->begin[u->begin_n++] = in[at++];
        enum unpack_kind kind = unpack_probe(u->begin, u->begin_n);
        *used = at;
        u->verdict = UNPACK_CUT;
        if (u->begin_n < MAGIC_BYTES) {
            continue;
        }
        if (kind == UNPACK_ZSTD || kind == UNPACK_LZ4) {
            return skippable_is_over(u, kind);
        }
        if (kind != UNPACK_SKIPPABLE) {
            u->verdict = UNPACK_DAMAGED;
            return false;
        }
        if (u->begin_n == SKIPPABLE_HEAD_BYTES) {
            u->skip = le32(u->begin + MAGIC_BYTES);
            u->begin_n = 0;
            break;
        }
    }
    *used = at;
    if (n == 0) {
        return true;
    }
    u->verdict = u->skip == 0 && u->begin_n == 0 ? UNPACK_WHOLE : UNPACK_CUT;
    return true;
}

// --- one for all ---

static bool step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                 size_t room, size_t *made)
{
    switch (u->kind) {
    case UNPACK_GZIP:
        return u->gzip && gzip_step(u, in, n, used, out, room, made);
    case UNPACK_ZSTD:
        return u->zstd && zstd_step(u, in, n, used, out, room, made);
    case UNPACK_LZ4:
        return u->lz4 && lz4_step(u, in, n, used, out, room, made);
    case UNPACK_SKIPPABLE:
        return skippable_step(u, in, n, used);
    case UNPACK_NONE:
        break;
    }
    return false;
}

// Adds to what is gathered, up to `piece` bytes. Returns how many of the input.
static size_t gather(struct unpack *u, const uint8_t *in, size_t n, size_t piece)
{
    size_t missing = piece > u->gather_n ? piece - u->gather_n : 0;
    size_t taken = n < missing ? n : missing;
    if (u->gather_room < piece) {
        u->gather_room = piece;
        u->gather = memory_resize(u->gather, piece);
    }
    if (taken > 0) {
        memcpy(u->gather + u->gather_n, in, taken);
        u->gather_n += taken;
        u->verdict = UNPACK_CUT;
    }
    return taken;
}

// A step with exactly the next piece, or all of it that there is where the input ends.
static bool step_by_pieces(struct unpack *u, const uint8_t *in, size_t n, size_t *used,
                           uint8_t *out, size_t room, size_t *made)
{
    size_t piece = u->kind == UNPACK_ZSTD ? zstd_piece(u) : u->lz4 ? lz4_piece(u) : 1;
    size_t given;
    if (u->gather_n == 0 && (n >= piece || piece > BLOCK_BYTES_MAX)) {
        return step(u, in, n < piece ? n : piece, used, out, room, made);
    }
    if (u->gather_at == 0) { // else the library has begun to take it
        *used = gather(u, in, n, piece);
        if (u->gather_n < piece && !(u->ends && n == 0)) {
            return true;
        }
    }
    bool goes_on =
        step(u, u->gather + u->gather_at, u->gather_n - u->gather_at, &given, out, room, made);
    u->gather_at += goes_on ? given : 0;
    if (u->gather_at == u->gather_n) {
        u->gather_at = u->gather_n = 0;
    }
    return goes_on;
}

bool unpack_step(struct unpack *u, const uint8_t *in, size_t n, size_t *used, uint8_t *out,
                 size_t room, size_t *made)
{
    *used = *made = 0;
    if (n == 0 && u->verdict != UNPACK_CUT) {
        return true; // nothing is left inside; the libraries would begin another frame
    }
    bool goes_on = !u->is_full || step(u, in, 0, used, out, room, made);
    if (goes_on && *made == 0) {
        bool by_pieces = u->kind == UNPACK_ZSTD || u->kind == UNPACK_LZ4;
        goes_on = (by_pieces ? step_by_pieces : step)(u, in, n, used, out, room, made);
    }
    u->is_full = goes_on && *made == room && u->verdict == UNPACK_CUT;
    if (!goes_on && u->verdict == UNPACK_CUT) {
        u->verdict = UNPACK_DAMAGED;
    }
    return goes_on;
}
