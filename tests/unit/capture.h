// Captures that tests write: bytes that grow, frames of several link types, RTP headers, pcap and
// pcapng records, and files that have no name.
#ifndef SIDETONE_TESTS_CAPTURE_H
#define SIDETONE_TESTS_CAPTURE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "gen/frame.h"
#include "wire/cap/pcap_write.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MS                 INT64_C(1000000)
#define CAPTURE_START_NS   INT64_C(1700000000000000000)
#define CAPTURE_FRAME_ROOM 2048

// The seed of a random test: SEED of the environment, else `usual`. Printed, so that a failure can
// be run again.
static inline uint64_t capture_seed(const char *test, uint64_t usual)
{
    const char *text = getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : usual;
    printf("# %s: SEED=%llu\n", test, (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

// How many rounds: ROUNDS of the environment, one where only a SEED is given, else `usual`.
static inline size_t capture_rounds(size_t usual)
{
    const char *text = getenv("ROUNDS");
    return text ? (size_t)strtoull(text, NULL, 0) : getenv("SEED") ? 1 : usual;
}

// --- bytes ---

struct bytes {
    uint8_t *p;
    size_t n, room;
};

static inline uint8_t *bytes_grow(struct bytes *b, size_t n)
{
    if (b->n + n > b->room) {
        b->room = (b->n + n) * 2;
        b->p = realloc(b->p, b->room);
        assert(b->p);
    }
    b->n += n;
    return b->p + b->n - n;
}

static inline void bytes_put(struct bytes *b, const void *p, size_t n)
{
    uint8_t *at = bytes_grow(b, n);
    if (n > 0) {
        memcpy(at, p, n);
    }
}

static inline void bytes_put32(struct bytes *b, uint32_t v, bool big)
{
    uint8_t *at = bytes_grow(b, 4);
    if (big) {
        put_be32(at, v);
    } else {
        put_le32(at, v);
    }
}

static inline void bytes_free(struct bytes *b)
{
    free(b->p);
    *b = (struct bytes){0};
}

// --- frames ---

enum {
    LINK_NULL = 0,
    LINK_ETHERNET = 1,
    LINK_RAW = 101,
    LINK_SLL = 113,
    LINK_SLL2 = 276
};

// A datagram in a frame of the link type; returns its length. payload_n at most 1,472.
static inline size_t capture_frame(uint8_t *out, uint32_t linktype, const struct frame_path *path,
                                   uint16_t ip_id, const void *payload, size_t payload_n)
{
    uint8_t ethernet[CAPTURE_FRAME_ROOM];
    if (payload_n > 0) {
        memcpy(ethernet + FRAME_HEADERS_BYTES, payload, payload_n);
    }
    static const struct frame_shape plain;
    size_t n = frame_write(ethernet, &plain, path, ip_id, NULL, payload_n);
    if (linktype == LINK_ETHERNET) {
        memcpy(out, ethernet, n);
        return n;
    }
    size_t head = linktype == LINK_SLL ? 16 : linktype == LINK_SLL2 ? 20 : linktype == 0 ? 4 : 0;
    memset(out, 0, head);
    if (linktype == LINK_SLL) {
        out[3] = 1;
        put_be16(out + 14, 0x0800);
    } else if (linktype == LINK_SLL2) {
        put_be16(out, 0x0800);
        out[9] = 1;
    } else if (linktype == LINK_NULL) {
        put_le32(out, 2);
    }
    memcpy(out + head, ethernet + 14, n - 14);
    return head + n - 14;
}

static inline struct frame_path capture_path(uint8_t from, uint16_t from_port, uint8_t to,
                                             uint16_t to_port)
{
    return (struct frame_path){0xc0000200u | from, 0xc0000200u | to, from_port, to_port, 64, 0};
}

// An RTP packet with a payload of zeros; returns its length.
static inline size_t capture_rtp(uint8_t *out, uint8_t payload_type, bool marker, uint16_t sequence,
                                 uint32_t timestamp, uint32_t ssrc, size_t payload_n)
{
    memset(out, 0, 12 + payload_n);
    out[0] = 0x80;
    out[1] = (uint8_t)(payload_type | (marker ? 0x80 : 0));
    put_be16(out + 2, sequence);
    put_be32(out + 4, timestamp);
    put_be32(out + 8, ssrc);
    return 12 + payload_n;
}

// --- pcap ---

static inline void pcap_begin(struct bytes *b, uint32_t linktype)
{
    pcap_write_file(bytes_grow(b, PCAP_WRITE_FILE_BYTES), linktype, 262144, true);
}

static inline void pcap_add(struct bytes *b, int64_t time_ns, const void *frame, size_t n)
{
    pcap_write_record(bytes_grow(b, PCAP_WRITE_RECORD_BYTES), time_ns, (uint32_t)n, (uint32_t)n,
                      true);
    bytes_put(b, frame, n);
}

// An OPTIONS request that stands alone; `id` is its Call-ID.
static inline void pcap_options(struct bytes *b, int64_t at_ms, const char *id)
{
    char text[400];
    uint8_t frame[CAPTURE_FRAME_ROOM];
    struct frame_path path = capture_path(1, 5060, 2, 5060);
    int n = snprintf(text, sizeof text,
                     "OPTIONS sip:b@x SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK%s\r\n"
                     "From: <sip:a@x>;tag=1\r\nTo: <sip:b@x>\r\nCall-ID: %s\r\nCSeq: 1 OPTIONS\r\n"
                     "Content-Length: 0\r\n\r\n",
                     id, id);
    size_t frame_n = capture_frame(frame, LINK_ETHERNET, &path, 7, text, (size_t)n);
    pcap_add(b, CAPTURE_START_NS + at_ms * MS, frame, frame_n);
}

// --- pcapng, in both byte orders ---

static inline void ng_section(struct bytes *b, bool big)
{
    bytes_put32(b, 0x0a0d0d0a, big);
    bytes_put32(b, 28, big);
    bytes_put32(b, 0x1a2b3c4d, big);
    bytes_put32(b, big ? 0x00010000 : 1, big);
    bytes_put32(b, UINT32_MAX, big);
    bytes_put32(b, UINT32_MAX, big);
    bytes_put32(b, 28, big);
}

// `resolution`: as in the option if_tsresol; 6 is left out, as it is the default.
static inline void ng_interface(struct bytes *b, bool big, uint16_t linktype, uint8_t resolution)
{
    uint32_t n = resolution == 6 ? 20 : 32;
    bytes_put32(b, 1, big);
    bytes_put32(b, n, big);
    bytes_put32(b, big ? (uint32_t)linktype << 16 : linktype, big);
    bytes_put32(b, 262144, big);
    if (resolution != 6) {
        bytes_put32(b, big ? 9u << 16 | 1 : 9 | 1u << 16, big);
        const uint8_t value[4] = {resolution, 0, 0, 0};
        bytes_put(b, value, 4);
        bytes_put32(b, 0, big);
    }
    bytes_put32(b, n, big);
}

static inline void ng_packet(struct bytes *b, bool big, uint32_t interface, uint64_t ticks,
                             const void *frame, size_t n)
{
    static const uint8_t ZEROS[4];
    uint32_t padded = ((uint32_t)n + 3) & ~3u;
    bytes_put32(b, 6, big);
    bytes_put32(b, 32 + padded, big);
    bytes_put32(b, interface, big);
    bytes_put32(b, (uint32_t)(ticks >> 32), big);
    bytes_put32(b, (uint32_t)ticks, big);
    bytes_put32(b, (uint32_t)n, big);
    bytes_put32(b, (uint32_t)n, big);
    bytes_put(b, frame, n);
    bytes_put(b, ZEROS, padded - n);
    bytes_put32(b, 32 + padded, big);
}

// A simple packet block: of interface 0, without a time.
static inline void ng_simple(struct bytes *b, bool big, const void *frame, size_t n)
{
    static const uint8_t ZEROS[4];
    uint32_t padded = ((uint32_t)n + 3) & ~3u;
    bytes_put32(b, 3, big);
    bytes_put32(b, 16 + padded, big);
    bytes_put32(b, (uint32_t)n, big);
    bytes_put(b, frame, n);
    bytes_put(b, ZEROS, padded - n);
    bytes_put32(b, 16 + padded, big);
}

// A block that no reader knows.
static inline void ng_other(struct bytes *b, bool big, size_t body_n)
{
    uint32_t padded = ((uint32_t)body_n + 3) & ~3u;
    bytes_put32(b, 0x0bad0001, big);
    bytes_put32(b, 12 + padded, big);
    memset(bytes_grow(b, padded), 0x5a, padded);
    bytes_put32(b, 12 + padded, big);
}

// --- files ---

struct capture_file {
    int fd;
    char path[32];
};

// A file in memory that is reached by a path.
static inline struct capture_file capture_file(const void *p, size_t n)
{
    struct capture_file f = {.fd = memfd_create("capture", 0)};
    assert(f.fd >= 0);
    for (size_t at = 0; at < n;) {
        ssize_t wrote = write(f.fd, (const char *)p + at, n - at);
        assert(wrote > 0);
        at += (size_t)wrote;
    }
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
}

static inline void capture_file_close(struct capture_file *f)
{
    close(f->fd);
}

#endif
