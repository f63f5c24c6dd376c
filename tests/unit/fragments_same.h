// Bytes made into fragments: reassembly says the same as its model, and never holds more than it
// may. Used by the tests and the fuzz target.
#ifndef SIDETONE_TESTS_FRAGMENTS_SAME_H
#define SIDETONE_TESTS_FRAGMENTS_SAME_H

#include "fragments_model.h"

#include "base/bytes.h"
#include "flow/fragments_parts.h"
#include "wire/net/peel.h"

#include <stdio.h>

// Not assert: it holds in every build.
#define SAME(condition)                                                                            \
    if (!(condition)) {                                                                            \
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                            \
        abort();                                                                                   \
    }

#define OP_BYTES         8
#define SAME_OPS_MAX     200u // the model is slow
#define SAME_FRAMES_MAX  6000u
#define SAME_BYTES_MAX   (UINT64_C(8) << 20) // of one flood: twice what is kept
#define SAME_SECOND_NS   INT64_C(1000000000)
#define SAME_CELLS_EMPTY (CELLS_MAX - 1)

static inline struct address same_address(bool is_v6, uint8_t last)
{
    uint8_t bytes[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = last};
    uint8_t v4[4] = {192, 0, 2, last};
    return is_v6 ? address_v6(bytes) : address_v4(v4);
}

// The bytes of a fragment in a block of exactly their size. The caller frees them.
static inline uint8_t *same_payload(uint32_t offset, uint32_t n, uint8_t variant)
{
    uint8_t *p = malloc(n ? n : 1);
    SAME(p);
    for (uint32_t i = 0; i < n; i++) {
        p[i] = (uint8_t)((offset + i) * 7 + ((offset + i) >> 8) + variant);
    }
    return p;
}

static inline struct path same_path(uint32_t id)
{
    struct path path = {.count = 0};
    for (uint32_t i = 0; i < id * 3 % (PATH_STEPS_MAX + 1); i++) {
        path_add(&path, PATH_VLAN, id + i);
    }
    return path;
}

static inline struct piece_record same_record(const uint8_t op[OP_BYTES], uint64_t at,
                                              int64_t now_ns)
{
    bool is_v6 = (op[0] & 16) != 0;
    uint32_t place = be16(op + 1);
    uint32_t size = be16(op + 3);
    struct piece_record r = {
        .order = {now_ns, at},
        .time_ns = now_ns - (int64_t)(at % 3),
        .src.addr = same_address(is_v6, op[0] & 8 ? 1 : 2),
        .dst.addr = same_address(is_v6, 9),
        .path_hash = op[0] & 64,
        .fragment_id = op[0] & 7,
        .fragment_offset = place % 256 * 8,
        .payload_length = size % 512,
        .protocol = op[0] & 32    ? NET_UDP
                    : place & 256 ? NET_SCTP
                                  : NET_TCP,
        .more_fragments = (op[0] & 128) != 0,
    };
    if (size >> 13 != 0) { // the ordinary lengths
        r.payload_length = size >> 15 ? r.payload_length & ~7u : 8 * (size & 3);
    }
    if (place >> 12 == 15) { // near the end of what can be, and beyond
        r.fragment_offset = place & 1 ? 65528 : place & 2 ? UINT32_MAX - 15 : place;
        r.payload_length %= 16;
    }
    r.payload_n = op[5] < 64 ? r.payload_length * op[5] / 64 : r.payload_length;
    return r;
}

static inline void same_out(const struct model_datagram *d, const struct defragmented *out,
                            bool is_whole)
{
    const char *difference = model_difference(d, out, is_whole);
    if (difference) {
        fprintf(stderr, "a datagram differs from the model's: %s\n", difference);
        abort();
    }
    SAME((out->path != NULL) == (d->key.path_hash != 0));
    struct path path = same_path(d->key.id);
    SAME(!out->path || out->path->count == path.count);
    for (uint32_t i = 0; out->path && i < path.count; i++) {
        SAME(out->path->steps[i].id == path.steps[i].id);
    }
}

struct same_run {
    struct fragments *f;
    struct fragments_model model;
    uint64_t odd[FLOW_ODD_COUNT], model_odd[FLOW_ODD_COUNT];
};

static inline void same_give_up(struct same_run *run, int64_t now_ns)
{
    struct defragmented out;
    struct model_datagram *d;
    while ((d = model_give_up(&run->model, now_ns, run->model_odd))) {
        SAME(fragments_give_up(run->f, now_ns, run->odd, &out));
        same_out(d, &out, false);
        free(d);
    }
    SAME(!fragments_give_up(run->f, now_ns, run->odd, &out));
}

static inline void same_add(struct same_run *run, const struct piece_record *r)
{
    struct model_datagram *d = NULL;
    struct defragmented out;
    enum fragment_result result = fragments_add(run->f, r, run->odd, &out);
    SAME(result == model_add(&run->model, r, run->model_odd, &d));
    if (d) {
        same_out(d, &out, true);
        free(d);
        fragments_settle(run->f, (int)r->order.at);
        model_settle(&run->model, (int)r->order.at);
    }
    SAME(result != FRAGMENT_COPY || fragments_copy_verdict(run->f) == run->model.copy_verdict);
}

// Few datagrams, every kind of fragment: compared with the model. Memory never gets short.
static inline void fragments_same(const uint8_t *bytes, size_t n)
{
    static struct same_run run;
    memset(&run, 0, sizeof run);
    run.f = fragments_new();
    int64_t now_ns = SAME_SECOND_NS;
    for (uint64_t at = 1; n >= OP_BYTES && at <= SAME_OPS_MAX; at++) {
        now_ns += bytes[7] < 192 ? 0 : (bytes[7] & 63) * (SAME_SECOND_NS / 2);
        struct piece_record r = same_record(bytes, at, now_ns);
        struct path path = same_path(r.fragment_id);
        r.path = r.path_hash != 0 ? &path : NULL;
        uint8_t variant = bytes[6] < 224 ? 0 : bytes[6];
        uint8_t *payload = same_payload(r.fragment_offset, r.payload_n, variant);
        r.payload = r.payload_n > 0 || (bytes[6] & 1) ? payload : NULL;
        same_give_up(&run, now_ns);
        same_add(&run, &r);
        SAME(memcmp(run.odd, run.model_odd, sizeof run.odd) == 0);
        free(payload);
        bytes += OP_BYTES;
        n -= OP_BYTES;
    }
    same_give_up(&run, INT64_MAX);
    SAME(memcmp(run.odd, run.model_odd, sizeof run.odd) == 0);
    SAME(cells_left(&run.f->cells) == SAME_CELLS_EMPTY);
    fragments_free(run.f);
}

// Frames of which each must come out once.
struct same_frames {
    bool is_in[SAME_FRAMES_MAX + 1];
    uint32_t in, out;
};

static inline void same_frames_out(struct same_frames *s, const struct defragmented *out)
{
    for (uint32_t i = 0; i < out->packet_count; i++) {
        SAME(s->is_in[out->packets[i].at]);
        s->is_in[out->packets[i].at] = false;
    }
    s->out += out->packet_count;
}

static inline void same_flood(struct fragments *f, struct same_frames *s, struct piece_record *r,
                              uint64_t odd[FLOW_ODD_COUNT])
{
    struct defragmented out;
    uint32_t cells = cells_left(&f->cells) + f->retired_cells;
    while (fragments_give_up(f, INT64_MIN, odd, &out)) { // what memory was taken from
        same_frames_out(s, &out);
    }
    SAME(cells_left(&f->cells) == cells);
    while (fragments_give_up(f, r->order.time_ns, odd, &out)) {
        same_frames_out(s, &out);
    }
    s->is_in[r->order.at] = true;
    s->in++;
    enum fragment_result result = fragments_add(f, r, odd, &out);
    if (result == FRAGMENT_WHOLE) {
        same_frames_out(s, &out);
    } else if (result != FRAGMENT_KEPT) {
        s->is_in[r->order.at] = false;
        s->out++;
    }
    SAME(fragments_memory(f) <= FRAGMENT_BYTES_MAX);
}

// Any number of datagrams of any size, until memory is short: it stays bounded, and every frame
// comes out once. An operation is repeated with other identifications or offsets.
static inline void fragments_flood(const uint8_t *bytes, size_t n)
{
    static const uint8_t ZEROS[65536];
    static struct same_frames s;
    memset(&s, 0, sizeof s);
    uint64_t odd[FLOW_ODD_COUNT] = {0};
    struct fragments *f = fragments_new();
    struct defragmented out;
    int64_t now_ns = 0;
    uint64_t sent = 0;
    for (; n >= OP_BYTES; bytes += OP_BYTES, n -= OP_BYTES) {
        now_ns += bytes[7] * (SAME_SECOND_NS / 64);
        struct path path = same_path(bytes[6] >> 4);
        uint32_t length = be16(bytes + 4);
        for (uint32_t i = 0; i <= bytes[2] && s.in < SAME_FRAMES_MAX && sent < SAME_BYTES_MAX;
             i++, sent += length) {
            struct piece_record r = {
                .order = {now_ns, s.in + 1},
                .src.addr = same_address((bytes[6] & 1) != 0, 1),
                .dst.addr = same_address((bytes[6] & 1) != 0, 2),
                .path = bytes[6] & 2 ? &path : NULL,
                .fragment_id = be16(bytes) + (bytes[6] & 4 ? i : 0),
                .fragment_offset = i * bytes[3] * 8u,
                .payload = ZEROS,
                .payload_n = length,
                .payload_length = length,
                .more_fragments = (bytes[6] & 8) != 0,
            };
            same_flood(f, &s, &r, odd);
        }
    }
    while (fragments_give_up(f, INT64_MAX, odd, &out)) {
        same_frames_out(&s, &out);
    }
    SAME(s.in == s.out);
    SAME(cells_left(&f->cells) == SAME_CELLS_EMPTY);
    fragments_free(f);
}

#endif
